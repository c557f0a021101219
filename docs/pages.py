"""Write the pages that are made from notebooks, rooms and tests: `python docs/pages.py`.

The page for replicators needs the real files for some of its sections; without them
(PRIVACY_TOOLKIT_DATA, see data/DATASHEETS.md) those sections are kept as they are.
"""

import ast
import inspect
import sys
import tomllib
from pathlib import Path

import nbformat
from nbformat import NotebookNode

DOCS = Path(__file__).resolve().parent
ROOT = DOCS.parent
sys.path.insert(0, str(ROOT))

import toolkit  # noqa: E402
from docs import syllabus  # noqa: E402
from docs.run import claims, parameters, question, real_parameters  # noqa: E402
from docs.syllabus import link  # noqa: E402
from tests.published import ledger  # noqa: E402
from toolkit import plots, widgets  # noqa: E402
from toolkit.disclosure.catalogue import MODELS, Model  # noqa: E402

LECTURERS = DOCS / "lecturers.md"
MODULES = DOCS / "modules.md"
ROOMS = [  # in the order of the course
    "information",
    "classes",
    "disclosure",
    "anonymisation",
    "uniqueness",
    "dp",
    "dp.auditing",
    "dp.histograms",
    "engines",
    "text",
    "report",
    "course",
    "io",
    "datasets",
    "plots",
    "widgets",
]
VIEW = "application/vnd.jupyter.widget-view+json"
PREFACE = """# For lecturers

Which notebook for which lecture. All but the minutes, and what is needed before, is read off
the notebooks: `python docs/pages.py` writes this page, and a test compares it with them.
Minutes are those to read a notebook / to work through it with its exercises.
Exercises have solutions that check themselves. Parameters stand in one cell at the top of a
notebook; change them there and run all, for the assertions hold for other values too.
`python3 dev.py lab` opens the course. Nothing in it needs the network.
"""


FLOOR = """# Modules

Which room and which module is for what, in the order of the course; the reference has every
function. `python docs/pages.py` writes this page from the modules, and a test compares it.

| room or module | what is in it |
|---|---|
"""


CATALOGUE = """
## Models of disclosure

What `check_privacy` and the command `check` measure: `toolkit.disclosure.catalogue`.

| model | threshold | must be | unit | safer | in one sentence |
|---|---|---|---|---|---|
"""


def public(module) -> list[str]:
    """Names that a module documents: flat ones, what has sections, and classes of facts."""
    flat = {*toolkit.__all__, *plots.__all__, *widgets.__all__}
    hidden = "._" in module.__name__
    return [
        name
        for name, thing in vars(module).items()
        if getattr(thing, "__module__", "") == module.__name__ and callable(thing)
        if name in flat
        or not (hidden or name.startswith("_"))
        and ("\n---" in (inspect.getdoc(thing) or "") or hasattr(thing, "__match_args__"))
    ]


def plan() -> dict:
    """Lectures, minutes, and what is needed before, as a person has written them down."""
    return tomllib.loads((DOCS / "lecturers.toml").read_text(encoding="utf-8"))


def exercises(notebook: NotebookNode) -> int:
    """Number of exercises."""
    return sum("exercise" in cell.metadata.get("tags", []) for cell in notebook.cells)


def controls(notebook: NotebookNode) -> int:
    """Number of figures that follow controls."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return sum(VIEW in output.get("data", {}) for output in outputs)


def settings(notebook: NotebookNode) -> str:
    """Parameters with their defaults, and what they are for real data."""
    real = real_parameters(notebook)
    told = [f"`{name} = {value!r}`" for name, value in parameters(notebook).items()]
    told += [f"real data: `{name} = {value!r}`" for name, value in real.items()]
    return "; ".join(told).replace("|", "\\|")


def notebook_line(name: str, facts: dict) -> str:
    """Line of a notebook in the second table."""
    notebook = nbformat.read(ROOT / "notebooks" / f"{name}.ipynb", as_version=4)
    code = sum(cell.cell_type == "code" for cell in notebook.cells)
    cells = [
        link(name, question(notebook)),
        f"{facts['read']} / {facts['work']}",
        ", ".join(map(link, facts.get("needs", []))) or "–",
        str(exercises(notebook) or "–"),
        str(controls(notebook) or "–"),
        f"{len(notebook.cells)} ({code} of code)",
        str(claims(notebook)),
        settings(notebook),
    ]
    return f"| {' | '.join(cells)} |"


def lecturers() -> str:
    """The page for lecturers."""
    facts = plan()["notebook"]
    lines = [PREFACE, "| lecture | notebooks | minutes |", "|---|---|--:|"]
    for lecture in plan()["lecture"]:
        names = lecture["notebooks"]
        read, work = (sum(facts[name][time] for name in names) for time in ("read", "work"))
        shown = ", ".join(map(link, names))
        lines.append(f"| {lecture['title']} | {shown} | {read} / {work} |")
    heads = "notebook | minutes | needs | exercises | with controls | cells | claims asserted"
    lines += ["", f"| {heads} | parameters |", "|---|--:|---|--:|--:|---|--:|---|"]
    lines += [notebook_line(name, values) for name, values in facts.items()]
    return "\n".join(lines) + "\n"


def opening(path: Path) -> str:
    """First paragraph of a module, as a cell of a table."""
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    return " ".join(text.split("\n\n")[0].split()).replace("|", "\\|")


def modules() -> str:
    """The page of rooms and their public modules."""
    lines = []
    for room in ROOMS:
        folder = ROOT / "toolkit" / room.replace(".", "/")
        alone = folder.with_suffix(".py")
        lines.append(
            (f"**`toolkit.{room}`**", alone if alone.exists() else folder / "__init__.py")
        )
        lines += [
            (f"`toolkit.{room}.{path.stem}`", path)
            for path in sorted(folder.glob("*.py"))
            if not path.stem.startswith("_")
        ]
    rooms = "".join(f"| {name} | {opening(path)} |\n" for name, path in lines)
    return FLOOR + rooms + CATALOGUE + "".join(map(model_line, MODELS.values()))


def model_line(model: Model) -> str:
    """Line of a model in the table of the catalogue."""
    span = "{:g} to {:g}".format(*model.range).replace("inf", "∞")
    threshold = f"`{model.keyword}` ({model.symbol}), {span}"
    return (
        f"| `{model.name}` | {threshold} | {model.rule} | {model.unit} | {model.safer}"
        f" | {model.says} |\n"
    )


if __name__ == "__main__":
    MODULES.write_text(modules(), encoding="utf-8")
    LECTURERS.write_text(lecturers(), encoding="utf-8")
    syllabus.PAGE.write_text(syllabus.syllabus(), encoding="utf-8")
    rows = ledger.ledger()
    ledger.LEDGER.write_text(ledger.as_csv(rows), encoding="utf-8")
    ledger.PAGE.write_text(ledger.page(rows), encoding="utf-8")
