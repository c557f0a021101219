"""How PrivacyHistos made codes of a table in 2021, cell by cell."""

import numpy as np


def original_code(number, codes):
    """Code of a number: the first end of a bin that is not below it."""
    if number < 1:
        return 10
    for end in codes:
        if end >= number:
            return codes[end]


def original_pre_process(table, combos, bins):
    """Texts of cells, made one by one, joined to codes."""
    df = table.copy()  # the original changes its caller's table
    num_decode, col_decode = {}, {}
    for name in table.columns:
        if name.endswith("_c"):
            width = len(str(table[name].max()))
            df[name + "_char"] = (
                df[name].astype(str).apply(lambda text, w=width: text.zfill(w))
            )
        elif name.endswith("_n"):
            top, increment, _ = bins[name]
            ends = [*np.arange(0, top + increment, increment, dtype=float), np.inf]
            codes = {end: 10 + i for i, end in enumerate(ends)}
            num_decode[name] = {code: end for end, code in codes.items()}
            coded = df[name].apply(original_code, args=[codes])
            df[name + "_char"] = coded.astype(str)
    for combo, columns in combos.items():
        joined = "1" if columns[0].endswith("_c") else ""
        end = len(joined)
        for name in columns:
            text = df[name + "_char"]
            joined = joined + text
            col_decode[name] = [combo, end, end + len(text.iloc[0])]
            end = col_decode[name][2]
        df[combo] = joined.astype(int)
    df = df.drop(columns=[c for c in df.columns if c.endswith(("_char", "_c", "_n"))])
    return df, num_decode, col_decode
