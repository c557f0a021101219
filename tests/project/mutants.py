"""Break the metrics on purpose, and see whether their tests notice.

    python3 dev.py python tests/project/mutants.py [MODULE …] [--count 40] [--seed 0]

For each module, `count` single changes are drawn at random (a comparison, an operator, a
number, a condition, a call that is left out), each in a copy of the project, and the tests of
the module's room are run until one fails. It prints what was not noticed, and the shares. This
takes minutes a module, so it is run by hand.
"""

import argparse
import ast
import contextlib
import copy
import difflib
import os
import shutil
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
LAWS = ["tests/laws/test_metrics.py", "tests/laws/test_errors.py"]
DISCLOSURE = ["tests/disclosure", *LAWS, "tests/published"]
INFORMATION = ["tests/information", *LAWS, "tests/published"]
IDENTIFIABILITY = ["tests/dp/test_identifiability.py", *LAWS, "tests/published"]
MECHANISMS = ["tests/dp/test_mechanisms.py", *LAWS, "tests/dp/test_histograms.py"]
LATTICE = ["tests/anonymisation/test_lattice.py", "tests/anonymisation/test_treatments.py"]
TESTS = {  # of each module of metrics, those that see it first before the others
    "disclosure/identity": DISCLOSURE,
    "disclosure/attribute": DISCLOSURE,
    "disclosure/membership": DISCLOSURE,
    "information/pif": INFORMATION,
    "information/contexts": INFORMATION,
    "dp/identifiability/policy": IDENTIFIABILITY,
    "dp/identifiability/worlds": IDENTIFIABILITY,
    "dp/noise": MECHANISMS,
    "dp/accounting": MECHANISMS,
    "anonymisation/full_domain": [*LATTICE, "tests/anonymisation", *LAWS],
    "anonymisation/_lattice": [*LATTICE, "tests/anonymisation"],
    "anonymisation/utility": ["tests/anonymisation", *LAWS],
    "uniqueness/suda": ["tests/uniqueness", *LAWS],
    "uniqueness/population": ["tests/uniqueness", *LAWS],
    "_grouping": ["tests/disclosure", "tests/information", "tests/anonymisation", *LAWS],
}
OPPOSITES = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.Add: ast.Sub, ast.Sub: ast.Add,
    ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult,
    ast.Pow: ast.Mult, ast.BitOr: ast.BitAnd, ast.BitAnd: ast.BitOr, ast.And: ast.Or,
    ast.Or: ast.And,
}  # fmt: skip
NAMES = [("min", "max"), ("any", "all"), ("minimum", "maximum"), ("ceil", "floor")]
SWAPS = {**dict(NAMES), **{b: a for a, b in NAMES}}


def inside(tree: ast.AST):
    """Nodes of the code that runs: no annotation, decorator, docstring or error text."""
    for name, value in ast.iter_fields(tree):
        if name in ("annotation", "returns", "decorator_list", "type_params"):
            continue
        for node in value if isinstance(value, list) else [value]:
            if isinstance(node, ast.AST) and not isinstance(node, (ast.Raise, ast.JoinedStr)):
                yield node
                yield from inside(node)


def changes(node: ast.AST) -> list:
    """Functions that break one node in place, each in one way."""
    kinds = []
    if isinstance(node, ast.Compare):
        kinds = [
            lambda n, i=i: n.ops.__setitem__(i, OPPOSITES[type(n.ops[i])]())
            for i in range(len(node.ops))
        ]
    elif isinstance(node, (ast.BinOp, ast.AugAssign, ast.BoolOp)):
        if type(node.op) in OPPOSITES:
            kinds = [lambda n: setattr(n, "op", OPPOSITES[type(n.op)]())]
    elif isinstance(node, ast.Constant) and isinstance(node.value, (int, float)):
        flag = isinstance(node.value, bool)
        kinds = [lambda n: setattr(n, "value", not n.value if flag else n.value + 1)]
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        kinds = [lambda n: setattr(n, "test", ast.UnaryOp(ast.Not(), n.test))]
    elif isinstance(node, ast.Name) and node.id in SWAPS:
        kinds = [lambda n: setattr(n, "id", SWAPS[n.id])]
    elif isinstance(node, ast.Attribute) and node.attr in SWAPS:
        kinds = [lambda n: setattr(n, "attr", SWAPS[n.attr])]
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        kinds = [lambda n: setattr(n, "value", ast.Constant(None))]
    return kinds


def mutants(source: str, count: int, rng: np.random.Generator) -> list[tuple[int, str]]:
    """Line and source of `count` different changes, drawn without replacement."""
    tree = ast.parse(source)
    places = [
        (at, way) for at, node in enumerate(inside(tree)) for way in range(len(changes(node)))
    ]
    chosen = rng.choice(len(places), size=min(count, len(places)), replace=False)
    made = []
    for at, way in (places[i] for i in chosen):
        broken = copy.deepcopy(tree)
        node = list(inside(broken))[at]
        changes(node)[way](node)
        made.append((node.lineno, ast.unparse(ast.fix_missing_locations(broken))))
    return made


def outcome(folder: Path, tests: list[str], seconds: float) -> str:
    """How a run of tests in a copy ended: "passed", "failed" or "late".

    It is a fork of this program, which has the large libraries loaded already.
    """
    child = os.fork()
    if not child:
        os.setsid()
        os.chdir(folder)
        sys.path.insert(0, str(folder))
        sys.dont_write_bytecode = True
        with open(os.devnull, "w") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
        import pytest

        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
        os._exit(int(pytest.main([*options, *tests]) != 0))
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return "failed" if status else "passed"
        time.sleep(0.05)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, 9)
    os.waitpid(child, 0)
    return "late"


def differ(before: str, after: str) -> str:
    """Changed lines of two sources, as `old -> new`."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    changed = [line for line in lines if not line.startswith(("+++", "---", "@@"))]
    return " -> ".join(line[1:].strip() for line in changed)


def copied(place: Path) -> Path:
    """A copy of what the tests need, with the data at their old place."""
    for name in ("toolkit", "tests", "notebooks", "docs", "binder", ".github"):
        ignored = shutil.ignore_patterns("__pycache__", "_build")
        shutil.copytree(ROOT / name, place / name, ignore=ignored)
    for path in ROOT.iterdir():
        if path.is_file():
            shutil.copy(path, place / path.name)
    (place / "data").symlink_to(ROOT / "data")
    return place


def examine(module: str, count: int, seed: int, folders: list[Path]) -> tuple[int, list[str]]:
    """Break one module; number of changes, and those that no test noticed."""
    path = Path("toolkit", f"{module}.py")
    source = (ROOT / path).read_text(encoding="utf-8")
    plain = ast.unparse(ast.parse(source))
    tests = [*TESTS[module], str(path)]
    (folders[0] / path).write_text(plain, encoding="utf-8")
    start = time.monotonic()
    if outcome(folders[0], tests, 3600) != "passed":
        sys.exit(f"{module}: its tests fail without a change")
    limit = 5 * (time.monotonic() - start) + 30
    free = list(folders)

    def tried(mutant: tuple[int, str]) -> str | None:
        line, broken = mutant
        folder = free.pop()
        (folder / path).write_text(broken, encoding="utf-8")
        ended = outcome(folder, tests, limit)
        (folder / path).write_text(source, encoding="utf-8")
        free.append(folder)
        return f"{path}:{line}: {differ(plain, broken)}" if ended == "passed" else None

    drawn = mutants(source, count, np.random.default_rng(seed))
    with ThreadPoolExecutor(len(folders)) as pool:
        found = list(pool.map(tried, drawn))
    return len(drawn), [text for text in found if text is not None]


def main() -> None:
    """Examine the named modules, else all."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("module", nargs="*", help=f"one of {', '.join(TESTS)}")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    for library in ("pandas", "scipy.stats", "pyarrow", "hypothesis", "polars", "pytest"):
        __import__(library)  # once, for all forks
    with tempfile.TemporaryDirectory() as place:
        folders = [copied(Path(place, str(i))) for i in range(max(os.cpu_count() or 1, 1))]
        for module in asked.module or TESTS:
            number, survivors = examine(module, asked.count, asked.seed, folders)
            print(f"{module}: {number - len(survivors)} of {number} noticed", flush=True)
            for text in survivors:
                print(f"    {text}", flush=True)


if __name__ == "__main__":
    main()
