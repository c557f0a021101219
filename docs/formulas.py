"""A formula sheet of two pages, read off the catalogue of models and the docstrings.

`python docs/formulas.py` writes build/formulas.html, and the PDF if Chromium is there.
"""

import html
import inspect
import re
import sys
from pathlib import Path

from latex2mathml.converter import convert as mathml

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import toolkit as tk  # noqa: E402
from docs.handout import browser, print_to  # noqa: E402
from toolkit.disclosure.catalogue import MODELS, Model  # noqa: E402

__all__ = ["NAME", "sheet", "write"]

NAME = "formulas.html"
ALSO = {  # functions in whose docstring the formula of a model stands
    "prosecutor_risk": "reidentification_risk",
    "journalist_risk": "reidentification_risk",
    "delta_presence_lower": "delta_presence",
    "delta_presence_upper": "delta_presence",
}
BEGIN = {
    "prosecutor_risk": ["1 / n_c"],
    "journalist_risk": ["1 / F_c"],
    "enhanced_beta_likeness": [r"\min(\beta"],
}
"""How the formula of a model begins, where none stands on a line of its own."""
GROUPS = {
    "What the rest of a record gives away": {
        "cell_information_gain": ["p = a e", "D_{KL}"],
        "cell_surprise_factor": ["|p(x)"],
        "entropy": ["H(S)"],
        "mutual_information": ["I ="],
        "dual_total_correlation": ["D(S)"],
        "marginal_similarity": ["U ="],
    },
    "Who stands out": {
        "unique_share": [r"\frac1n"],
        "zayatz_uniques": ["P(F=1", "h_j"],
        "individual_risk": ["E[1/F \\mid f] = "],
        "k_map_threshold": [r"P(f \ge k')", r"\lambda ="],
    },
    "Noise with a proof": {
        "sensitivity_by_brute_force": [r"\Delta f"],
        "laplace_scale": ["b ="],
        "discrete_laplace": [r"\frac{1-a}", "a ="],
        "laplace_delta": [r"\delta("],
        "gaussian_delta": [r"\delta("],
        "ExponentialChoice": ["P(i)"],
        "RandomisedResponse": ["p =", "q ="],
        "sequential_composition": [r"(\sum_i"],
        "advanced_composition": [r"\varepsilon'"],
        "histogram_scale": ["b ="],
        "audit": ["P(M(D)"],
    },
    "From a promise to ε": {
        "world_posterior": [r"\Gamma_j"],
        "world_risks": ["p_j /"],
        "epsilon_bound": [r"\ln"],
    },
}
"""Names of functions, and how the formulas begin that are taken from their docstrings."""
NOTATION = (
    "Classes c are the n_c records that agree on the quasi-identifiers; F_c people of the "
    "population agree with them, f_c of whom are in the table. Of a sensitive value s, q_s is "
    "the share in the class and p_s that in the table. Δ: sensitivity, b, σ and λ: scales of "
    "noise. N people, n records. ε and nats are natural logarithms, bits are of base 2."
)
STYLE = """
@page { size: A4; margin: 10mm 11mm 9mm; }
* { box-sizing: border-box; }
body { font: 8pt/1.25 "DejaVu Sans", Arial, sans-serif; color: #111; background: #fff;
  max-width: 188mm; margin: 0 auto; }
h1 { font-size: 13pt; margin: 0 0 1mm; } h2 { font-size: 9.5pt; margin: 2mm 0 .5mm; }
p { margin: 0 0 1mm; }
table { border-collapse: collapse; width: 100%; table-layout: fixed; }
th, td { text-align: left; vertical-align: top; padding: .6mm 1mm; font-weight: normal;
  overflow-wrap: break-word; }
tr { border-bottom: .2mm solid #bbb; break-inside: avoid; } thead { display: table-row-group; }
thead th { font-weight: bold; } th:nth-child(1) { width: 32%; } th:nth-child(2) { width: 43%; }
th:nth-child(3) { width: 9%; } td:nth-child(3), td:nth-child(4) { font-size: 6.3pt; }
math { font: 9.6pt "STIX Two Math", "Cambria Math", "DejaVu Math TeX Gyre", math; }
td math { margin-right: 2mm; } h2 { break-after: avoid; }
"""


def documented(name: str) -> str:
    """Docstring of a public name."""
    return inspect.getdoc(getattr(tk, name)) or ""


def opening(text: str) -> str:
    """What a docstring says before its sections."""
    return text.split("\nParameters\n")[0].split("\nAttributes\n")[0]


def formulas(name: str, begin: list[str] | None = None) -> list[str]:
    """TeX of the formula of a docstring on a line of its own, or of those that begin so."""
    text = opening(documented(name))
    blocks = re.findall(r"^\.\. math:: (.+(?:\n +.+)*)", text, flags=re.MULTILINE)
    inline = re.findall(r":math:`([^`]+)`", text)
    lines = [re.sub(r"\n +=", r" \\quad =", one) for one in [*blocks, *inline]]
    all_there = [" ".join(one.split()).rstrip(" ,.") for one in lines]
    if begin is None:
        return all_there[:1]
    found = [next((one for one in all_there if one.startswith(how)), "") for how in begin]
    if not all(found):
        raise ValueError(f"{name}: no formula of its docstring begins {begin}")
    return found


def safer(name: str) -> str:
    """Which way is safer, as the docstring says."""
    found = re.search(r"(larger|smaller) is safer", " ".join(documented(name).split()))
    return found[1] if found else "–"


def source(name: str) -> str:
    """First reference of a docstring, without its title."""
    found = re.search(r"^\.\. \[1\] (.+(?:\n   .+)*)", documented(name), flags=re.MULTILINE)
    if not found:
        return "–"
    text = re.sub(r'(?:"[^"]+"|\*[^*]+\*), ?', "", " ".join(found[1].split()))
    text = re.sub(r"\b(?:[A-Z]\.[ -]?)+ ?(?=[A-ZÖÄÜa-z])", "", text)  # first names
    return text.rstrip(".")


def row(name: str, words: str, drawn: list[str], way: str, reference: str) -> str:
    """Row of a table."""
    lines = [part for one in drawn for part in re.split(r",? *\\q?quad *", one)]
    shown = " ".join(map(mathml, lines))
    words = re.sub(r": :math:`[^`]+`\.?\s*$", "", words)  # it is shown beside
    plain = re.split(r":math:`([^`]+)`", words.replace("``", ""))
    parts = [mathml(part) if i % 2 else html.escape(part) for i, part in enumerate(plain)]
    told = f"<b>{name}</b> {''.join(parts).replace('`', '').rstrip('.')}"
    reference = html.escape(reference)
    return (
        f'<tr><th scope="row">{told}</th><td>{shown}</td><td>{way}</td>'
        f"<td>{reference}</td></tr>"
    )


def model_row(model: Model) -> str:
    """Row of a model of the catalogue."""
    name = ALSO.get(model.name, model.name)
    drawn = formulas(name, BEGIN.get(model.name))
    if name == "delta_presence":
        drawn = [drawn[0].split(r", \quad ")[model.worst == "greatest"]]
    if model.name == "alpha_k_anonymity":
        drawn = [drawn[0].split(r", \quad ")[0]]
    if name == "reidentification_risk":
        drawn = [rf"\max_c {drawn[0]}"]
    way = f"{model.safer}; {model.unit}"
    return row(f"{model.name} ({model.symbol})", model.says, drawn, way, source(name))


def table(title: str, rows: list[str]) -> str:
    """Table with its heading."""
    heads = ("name, and what it is", "formula", "safer", "source")
    head = "".join(f'<th scope="col">{one}</th>' for one in heads)
    body = "\n".join(rows)
    return (
        f"<h2>{title}</h2>\n<table><thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{body}\n</tbody></table>"
    )


def sheet() -> str:
    """The page."""
    parts = [table("Models of disclosure", [model_row(model) for model in MODELS.values()])]
    for title, names in GROUPS.items():
        rows = [
            row(
                name,
                opening(documented(name)).split("\n\n")[0].replace("\n", " "),
                formulas(name, begin),
                safer(name),
                source(name),
            )
            for name, begin in names.items()
        ]
        parts.append(table(title, rows))
    notation = re.sub(r"([nFfqp])_([cs])", r"<i>\1<sub>\2</sub></i>", NOTATION)
    return f"""<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Formula sheet</title>
<style>{STYLE}</style></head><body><main>
<h1>Formula sheet</h1>
<p>{notation}</p>
{"".join(parts)}
</main></body></html>
"""


def write(folder: Path, pdf: bool = False) -> list[Path]:
    """Write the sheet into a folder, and print it if asked; the files written."""
    folder.mkdir(parents=True, exist_ok=True)
    files = [folder / NAME]
    files[0].write_text(sheet(), encoding="utf-8")
    if pdf:
        files.append(files[0].with_suffix(".pdf"))
        print_to(files[1], sheet())
    return files


if __name__ == "__main__":
    browser()
    for file in write(ROOT / "build", pdf=True):
        print(file.relative_to(ROOT))
