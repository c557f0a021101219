"""Tables from files: what is read from texts, workbooks and Parquet, and what is refused."""

import gzip
from decimal import Decimal, InvalidOperation

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet as pq
import pytest

import toolkit.__main__ as command
from toolkit import io, read_table
from toolkit.io import ReadingWarning, SeveralMarks

TABLE = pd.DataFrame(
    {"town": ["Aarau", "Bérn", "Chur"], "zip": ["0200", "2600", "7000"], "age": [1, 2, 3]}
)
TEXT = TABLE.to_csv(index=False)


@pytest.fixture
def read(tmp_path):
    """Read a text that is stored as people.csv."""

    def reader(text, **options):
        path = tmp_path / "people.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_table(path, **options)

    return reader


def same(data):
    pd.testing.assert_frame_equal(data, TABLE, check_dtype=False)


def book_of(path, *sheets, merged=""):
    book = openpyxl.Workbook()
    for j, rows in enumerate(sheets):
        sheet = book.active if j == 0 else book.create_sheet(f"sheet {j}")
        for row in rows:
            sheet.append(row)
    if merged:
        book.active.merge_cells(merged)
    book.save(path)
    return path


# The rule by which a column of texts becomes numbers


POOLS = {
    "codes": ["0200", "200", "2600", "018446744073709551616"],
    "long": ["4929123456789012345", "4929123456789012346", "18446744073709551616", "-3"],
    "decimals": ["0.1", "0.10", "2.5", "-0.0", ".5", "5.", "1e3", "1e400", "1e401", "inf"],
    "fine": ["0.12345678901234567", "0.12345678901234566", "9007199254740993.5", "1"],
    "commas": ["70,5", "1,75", "-3", "1,234", "980", "07,5"],
    "thousands": ["1.200", "980", "12.500", "1.2", "0.125", "0"],
    "truth": ["true", "False", "TRUE", "1"],
    "texts": ["flu", "None", "NA", " hiv", "2020-01-05", "0x10", "1 200", "٣"],
}
"""Cells that a column is drawn from."""


def number(cell, commas):
    """The exact number that a cell is written as, None if it is not one."""
    cell = cell.strip()
    digits = cell.lstrip("+-")
    begins_with_zero = len(digits) > 1 and digits[0] == "0" and digits[1].isdigit()
    if begins_with_zero or not cell.isascii() or "_" in cell:
        return None
    if commas and "," in cell and "." not in cell and "e" not in cell.lower():
        cell = cell.replace(",", ".")
    try:
        return Decimal(cell)
    except InvalidOperation:
        return None


@pytest.mark.filterwarnings("ignore::toolkit.io.ReadingWarning")
def test_a_column_becomes_numbers_only_if_no_cell_changes(read):
    rng, numeric = np.random.default_rng(51), 0
    for _ in range(300):
        separator = rng.choice([",", ";", "\t", "|"])
        pool = POOLS[rng.choice([*POOLS])] + [[], ["", "NA"], ["0200"]][rng.integers(3)]
        cells = rng.choice(pool, rng.integers(2, 8)).tolist()
        lines = (f'"{cell}"{separator}x' for cell in cells)
        found = read("\n".join([f"a{separator}b", *lines]))["a"]
        typed = pd.api.types.is_numeric_dtype(found)
        exact = [number(cell, separator != ",") for cell in cells]
        missing = ("", *io.MISSING) if typed else ("",)
        for cell, one, value in zip(cells, exact, found, strict=True):
            if cell in missing:
                assert pd.isna(value)
            elif found.dtype in ("bool", "boolean"):
                assert str(value).lower() == cell.lower()
            else:
                kind = float if found.dtype == float else int
                assert value == (kind(one) if typed else cell)
        if typed and found.dtype not in ("bool", "boolean"):
            numeric += 1
            assert found.nunique() == len({*exact} - {None})
    assert numeric > 60


@pytest.mark.parametrize(
    ("separator", "cells", "values"),
    [
        (";", ["70,5", "-3"], [70.5, -3]),
        (";", ["1,234", "5,678"], ["1,234", "5,678"]),  # decimals, or more than a thousand
        (",", ["70,5", "60,5"], ["70,5", "60,5"]),  # a comma that ends cells
        (";", ["1.200", "980"], ["1.200", "980"]),
        (";", ["1.200", "2.300"], ["1.200", "2.300"]),
        (";", ["1.200", "0.300"], [1.2, 0.3]),
        (",", ["1.200", "2.300"], [1.2, 2.3]),
        (",", ["1.200", "980"], ["1.200", "980"]),
        (",", ["9007199254740993", ""], [2**53 + 1, None]),
        (",", ["true", "False"], [True, False]),
        (",", ["None", "beer"], ["None", "beer"]),
        (",", ["7", "None"], [7, None]),
        (",", ["NA", "no"], ["NA", "no"]),
    ],
)
def test_numbers_and_codes(separator, cells, values, read):
    lines = (f'"{cell}"{separator}x' for cell in cells)
    found = read("\n".join([f"a{separator}b", *lines]))["a"]
    for value, wanted in zip(found, values, strict=True):
        assert pd.isna(value) if wanted is None else value == wanted


def test_a_decimal_mark_counts_wherever_it_stands(tmp_path):
    for early, late, mark in (("1", "1,5", ","), ("1,5", "2.5", ".")):
        (tmp_path / "p.csv").write_text("a;b\n" + f"{early};1\n" * 400_000 + f"{late};1\n")
        assert io.text_format(tmp_path / "p.csv")[2] == mark


@pytest.mark.parametrize("cells", ["1.5,1.50,2", "true,TRUE,false", "1,+1,2"])
def test_equal_numbers_that_are_written_in_several_ways_are_said(cells, read):
    with pytest.warns(ReadingWarning, match="equal cells of 'x' in several ways"):
        assert read("x\n" + cells.replace(",", "\n"))["x"].nunique() == 2


@pytest.mark.parametrize("ending", [".csv", ".xlsx"])
def test_two_ways_to_be_missing_are_said_among_numbers_only(ending, tmp_path):
    path = tmp_path / f"people{ending}"
    columns = {"drinks": ["None", "beer", None], "shoes": [9, "NA", None], "x": [1, 1, 1]}
    table = pd.DataFrame(columns, dtype=object)
    table.to_csv(path, index=False) if ending == ".csv" else table.to_excel(path, index=False)
    with pytest.warns(SeveralMarks, match="cell of 'shoes' is missing .'', 'NA'.") as warned:
        found = read_table(path)
    assert len(warned) == 1
    assert found["drinks"].tolist()[:2] == ["None", "beer"]
    assert found.isna().sum().tolist() == [1, 2, 0]
    assert command.main(["check", str(path), "--k=1", "--quasi-identifiers=shoes"]) == 2


# Separators, encodings, names


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_the_separator_is_found(separator, read):
    text = TABLE.to_csv(index=False, sep=separator)
    same(read(text))
    same(read(text, separator=separator))
    same(read(f"sep={separator}\n{text}", header_line=2))
    quoted = read(f'name{separator}note\n"Smith, Ann"{separator}"a;b|c,\td"\n')
    assert quoted.columns.tolist() == ["name", "note"]
    assert read("zip\n0200\n2600\n")["zip"].tolist() == ["0200", "2600"]
    assert read('note\n"a, b"\nc\n', separator="|")["note"].tolist() == ["a, b", "c"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encoding_is_found(encoding, read):
    same(read(TEXT.encode(encoding)))
    same(read(TEXT.encode(encoding), encoding=encoding))


@pytest.mark.parametrize(
    ("rows", "encoding"),
    [
        (["Bérn;2600"], "cp1252"),
        (["LEFÈVRE Chloé;employé;900 €", "BENOÎT François;ouvrier;1 200 €"] * 60, "cp1252"),
        (["Weiß;Köln;3,50 €", "Müller;Düsseldorf;„Süßes“"] * 60, "cp1252"),
        (["Иванов;Москва;грипп", "Петрова;Казань;астма"] * 60, "cp1251"),
        (["Παπαδόπουλος;Αθήνα;-", "Γεωργίου;Θεσσαλονίκη;-"] * 60, "cp1253"),
        (["Šťastný;Žďár;-", "Dvořák;České Budějovice;-"] * 60, "cp1250"),
    ],
)
def test_an_encoding_that_is_guessed_is_said(rows, encoding, read):
    names = ";".join(["one", "two", "three"][: rows[0].count(";") + 1])
    text = "\n".join([names, *rows]).encode(encoding)
    with pytest.warns(ReadingWarning, match=f"read as {encoding}, which is a guess: give its"):
        found = read(text)
    assert found.astype(str).equals(read(text, encoding=encoding).astype(str))


def test_lines_above_the_names_are_left_out(read, tmp_path):
    text = "Ward 7, 2024\n\nname;age\nAnn;33\nBob;44\n"
    assert read(text, header_line=3)["age"].tolist() == [33, 44]
    title = ["Ward", 7, "of", 9, "in", 2024]
    path = book_of(tmp_path / "b.xlsx", [title, [], ["name", "age"], ["Ann", 33]])
    assert read_table(path, header_line=3)["age"].tolist() == [33]
    with pytest.raises(ValueError, match="no record"):
        read_table(path, header_line=9)
    path = book_of(tmp_path / "n.xlsx", [["town", 2019, 2020], ["A", 7, 5], ["B", 9, 6]])
    assert [*read_table(path)] == ["town", "2019", "2020"]


@pytest.mark.parametrize(
    "names",
    ["0,1,2", "a,2019,2020", "a,2019,2021,2022", "a,1/22/20,1/23/20", "a,0.05,0.5,.95"],
)
def test_names_may_be_years_dates_steps_or_a_cell_by_chance(names, read):
    rows = [f"x{i}" + f",{7 * i}" * names.count(",") for i in range(9)]
    assert ",".join(read("\n".join([names, *rows])).columns) == names
    assert [*read("male,female\nmale,no\nno,no\n").columns] == ["male", "female"]


RECORDS = [
    "Alice Zimmer{i},19{i}-07-15,6{i}23,HIV{i},7351{i}.46",
    "Zimmer{i},{i},x{i}",
    "Zimmer{i},15.07.19{i},x{i}",
    "Zimmer{i},-33.8{i},151.2{i}",
    "Zimmer{i},+61 2 1234 5{i},x{i}",
    "Zimmer{i},1,0,x{i}",
    "jo{i}@example.org,x{i}",
    "Zimmer{i},f,no",
]


@pytest.mark.parametrize("record", RECORDS)
def test_a_file_without_a_line_of_names_is_refused(record, tmp_path, capsys):
    rows = [record.format(i=i) for i in range(20, 50)]
    (tmp_path / "p.csv").write_text("\n".join(rows))
    cells = [row.split(",") for row in rows]
    book_of(tmp_path / "p.xlsx", cells)
    for path in tmp_path.iterdir():
        assert command.main(["roles", str(path)]) == 2
        printed = "".join(capsys.readouterr())
        assert "seems to be a record" in printed and "columns' names" in printed
        assert not any(cell in printed for cell in cells[0] if len(cell) > 3)


# Packed files, workbooks, Parquet


@pytest.mark.parametrize("packing", ["", ".gz"])
@pytest.mark.parametrize("ending", [".csv", ".parquet", ".feather", ".xlsx"])
def test_every_kind_is_read_and_packed_ones_have_a_limit(
    ending, packing, tmp_path, monkeypatch
):
    write_file = {".csv": TABLE.to_csv, ".xlsx": TABLE.to_excel}.get(ending)
    options = {"index": False} if write_file else {}
    write_file = write_file or getattr(TABLE, f"to_{ending[1:]}")
    path = tmp_path / f"people{ending}"
    write_file(path, **options)
    packed = tmp_path / f"people{ending}{packing}"
    if packing:
        packed.write_bytes(gzip.compress(path.read_bytes()))
    monkeypatch.setattr(io, "SHEET_CELLS", 12)
    same(read_table(packed))
    monkeypatch.setattr(io, "UNPACKED", 10)
    if packing:
        with pytest.raises(ValueError, match="unpacks to more than .* save the table as Parq"):
            read_table(packed)


@pytest.mark.parametrize("ending", [".parquet", ".feather"])
def test_stored_cells_stay_exact_and_the_index_is_a_column(ending, tmp_path):
    path = tmp_path / f"people{ending}"
    kinds = {"int64": 2**62, "uint64": 2**63, "int8": 5}
    table = pa.table({kind: pa.array([n, n + 1, None], kind) for kind, n in kinds.items()})
    (pq.write_table if ending == ".parquet" else pa.feather.write_feather)(table, path)
    for name, cells in read_table(path).items():
        assert cells.tolist() == [kinds[name], kinds[name] + 1, pd.NA]
    stored = pd.DataFrame({"age": [30] * 4}, index=pd.Index(list("abcd"), name="postcode"))
    stored.to_parquet(path) if ending == ".parquet" else pa.feather.write_feather(stored, path)
    assert list(read_table(path).columns) == ["age", "postcode"]


def test_sheets_are_chosen(tmp_path):
    rows = [["age", "ill"], [30, "flu"]]
    path = book_of(tmp_path / "p.xlsx", rows, rows)
    assert read_table(path, sheet="sheet 1")["age"].tolist() == [30]
    for sheet in (None, "soon"):
        with pytest.raises(ValueError, match="there are 'Sheet', 'sheet 1'"):
            read_table(path, sheet=sheet)


# What is refused, in one sentence without a cell


PEOPLE = [["town", "age"], ["Aarau", 30], ["Chur", 31]]
REFUSED_SHEETS = [
    ("merged cells", PEOPLE, "A2:A3"),
    ("formulas without a result", [["age", "sex"], ["=1+1", "f"]], ""),
    (
        "names 1 of 4 .*--header-line 3",
        [["Ward", *[None] * 3], [None] * 4, ["Ann", 3, 4, 5]],
        "",
    ),
    ("has the name 'age' 2 times", [["age", "age"], [1, 2]], ""),
    ("no record", [["age", "sex"]], ""),
]


@pytest.mark.parametrize(("reason", "rows", "merged"), REFUSED_SHEETS)
def test_sheets_that_are_no_table(reason, rows, merged, tmp_path):
    with pytest.raises(ValueError, match=reason):
        read_table(book_of(tmp_path / "p.xlsx", rows, merged=merged))


def test_a_sheet_is_measured_before_it_is_read(tmp_path):
    book = openpyxl.Workbook()
    book.active["XFD1048576"] = 1
    book.save(tmp_path / "p.xlsx")
    with pytest.raises(ValueError, match="unpacks to more than .* 10,000,000 cells"):
        read_table(tmp_path / "p.xlsx")
    pq.write_table(pa.table({"a": pa.repeat(1, 2 * 10**8)}), tmp_path / "p.parquet")
    with pytest.raises(ValueError, match="unpacks to more than"):
        read_table(tmp_path / "p.parquet")


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("p.csv", b"", "is empty"),
        ("p.csv", b"a,b\n", "no record"),
        ("p.csv", b"a,b\n1,2\n1,2,3\n", "more cells than the line of names"),
        ("p.csv", b"# by me\na,b\n1,2\n", "--header-line 2"),
        ("p.csv", b"Ward;;;\n;age;zip;ill\n7;33;1;flu\n", "names 1 of 4 columns"),
        ("p.csv", b"town,sex,ill\nA,m,flu\nA,hiv\nB,f,flu\n", "line 3 of .* has 2 of 3 cells"),
        ("p.csv", b"sep=;\na;b\n1;2\n", "names 1 of 2 columns"),
        ("p.csv", b'a;b;c\n\n"x\ny";1;\n2;3\n', "line 5 of .* has 2 of 3 cells"),
        ("p.csv", b"town,age,age\nA,40,31\n", "line 1 of .* has the name 'age' 2 times"),
        ("p.csv", b'a,b\n1,"2\n', "EOF inside string"),
        ("p.csv", b"a\0b" * 9, "bytes that are not text"),
        ("p.doc", b"a,b\n1,2\n", "ends in '.doc'"),
        ("p.csv.gz", b"a,b\n1,2\n", "cannot be read as a .gz file"),
        ("p.zip", b"a,b\n1,2\n", "ends in '.zip'"),
        ("p.parquet", b"a,b\n1,2\n", "cannot be read as Parquet"),
        ("p.feather", b"a,b\n1,2\n", "cannot be read as Feather"),
        ("p.xlsx", b"a,b\n1,2\n", "cannot be read as a workbook"),
    ],
)
def test_bad_files_are_named_in_one_sentence(name, content, reason, tmp_path):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(ValueError, match=reason) as caught:
        read_table(path)
    assert str(path) in str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "options", "reason"),
    [
        ("cp1252", {"encoding": "utf-8"}, "say which it is"),
        ("cp1252", {"encoding": "klingon"}, "say which it is"),
        ("utf-8", {"header_line": 0}, "header_line must be a whole number"),
    ],
)
def test_options_that_do_not_fit_are_named(encoding, options, reason, read):
    with pytest.raises(ValueError, match=reason):
        read(TEXT.encode(encoding), **options)


def test_files_that_are_not_there(tmp_path):
    (tmp_path / "people.csv").write_text(TEXT)
    with pytest.raises(FileNotFoundError, match="Did you mean 'people.csv'"):
        read_table(tmp_path / "poeple.csv")
    with pytest.raises(ValueError, match="is a folder; open its Parquet files by open_table"):
        read_table(tmp_path)
