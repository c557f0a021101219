"""The floor plan: a room imports from lower storeys only, and shows no private module."""

import ast
import graphlib
import importlib
import inspect
import json
import subprocess
import sys
from collections import defaultdict

import pytest

import toolkit
from tests.needs import ROOT

STOREYS = [  # from the lowest; rooms of one storey do not know each other
    {"_typing"},
    {"_arguments", "_codes"},
    {"classes", "io", "datasets", "plots"},
    {"information", "disclosure", "uniqueness", "dp"},
    {"engines", "anonymisation", "text"},
    {"widgets"},
    {"report", "course"},
    {"__main__"},
]
STOREY = {room: storey for storey, rooms in enumerate(STOREYS) for room in rooms}
BESIDE = {("uniqueness", "information"), ("uniqueness", "disclosure"), ("dp", "information")}
PRIVATE = {  # private modules that another room draws and lays out with
    ("widgets", "plots._style"),
    ("report", "plots._style"),
    ("report", "widgets._explorer"),
}
EXEMPT = {("check", "course")}  # what readers type in an exercise; never imported as flat name
ALIASES = {"geometric": "discrete_laplace"}
PACKAGE = ROOT / "toolkit"
PATHS = {
    ".".join(path.relative_to(PACKAGE).with_suffix("").parts): path
    for path in sorted(PACKAGE.rglob("*.py"))
    if path.name != "__init__.py"
}


def imported(source: str, module: str) -> set[str]:
    """Modules of the toolkit that a module imports, anywhere in it."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            parts = ["toolkit", *module.split(".")][: -node.level] if node.level else []
            base = ".".join([*parts, *([node.module] if node.module else [])])
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
    return {name.removeprefix("toolkit.") for name in found if name.startswith("toolkit.")}


def neighbours(module: str) -> set[str]:
    """Modules of the toolkit that a module imports, by their own names."""
    return imported(PATHS[module].read_text(encoding="utf-8"), module) & set(PATHS) - {module}


def may_import(module: str, other: str) -> bool:
    """Whether the floor plan lets a module import another one."""
    room, theirs = module.split(".")[0], other.split(".")[0]
    *parents, name = other.split(".")
    inside = module.startswith(".".join([*parents, ""])) if parents else True
    if name.startswith("_") and not inside:
        return (room, other) in PRIVATE
    if room == theirs or (room, theirs) in BESIDE:
        return True
    if "plots" in (room, theirs):
        return room == "widgets" or module == "report.explorer"
    return STOREY[theirs] < STOREY[room]


@pytest.mark.parametrize("module", PATHS)
def test_a_module_imports_from_its_room_and_lower_storeys(module):
    assert module.split(".")[0] in STOREY, "give the module a room in this table"
    wrong = {other for other in neighbours(module) if not may_import(module, other)}
    assert not wrong, f"{module} must not import {wrong}"


LOADED = """
import json, sys, pandas as pd, toolkit as tk
k = tk.k_anonymity(pd.DataFrame({"town": list("AAB")}), "town")
of_metric = [*sys.modules]
import toolkit.__main__
print(json.dumps([k, of_metric, [*sys.modules]]))
"""


def test_a_metric_loads_no_engine_and_no_scipy_nor_does_a_command_that_starts():
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, cwd=ROOT)
    k, of_metric, of_command = json.loads(done.stdout)
    assert k == 1 and "toolkit.engines" not in of_metric
    assert not {"duckdb", "scipy", "sklearn"} & {*of_metric}
    slow = {"duckdb", "scipy", "sklearn", "matplotlib", "tqdm", "importlib.metadata"}
    assert not slow & {*of_command}


def test_rooms_have_no_cycles():
    order = [*graphlib.TopologicalSorter({m: neighbours(m) for m in PATHS}).static_order()]
    assert all(order.index(n) < order.index(m) for m in PATHS for n in neighbours(m))


def test_no_module_has_the_name_of_a_function():
    functions = defaultdict(set)
    for module, path in PATHS.items():
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                if node.name in toolkit.__all__ and (node.name, module) not in EXEMPT:
                    functions[node.name].add(module)
    names = {part for module in PATHS for part in module.split(".")}
    assert not names & set(functions), {n: functions[n] for n in names & set(functions)}


@pytest.mark.parametrize("module", [m for m in PATHS if m != "__main__"])
def test_every_module_can_be_imported_first(module):
    assert inspect.getdoc(importlib.import_module(f"toolkit.{module}"))


ROOMS = ["", *(path.parent.name for path in PACKAGE.glob("[a-z]*/__init__.py"))]


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_there(room):
    package = getattr(toolkit, room) if room else toolkit
    assert package.__all__ and set(package.__all__) <= {*dir(package)}
    for name in package.__all__:
        thing = getattr(package, name)
        assert not callable(thing) or thing.__name__ == ALIASES.get(name, name)


def test_a_name_that_is_not_there_says_what_was_meant():
    names = {"kanonymity": "k_anonymity", "cig": "cell_information_gain"}
    for name, meant in (names | {"anonymise": "treat"}).items():
        with pytest.raises(AttributeError, match=f"no '{name}'. Did you mean '{meant}'"):
            getattr(toolkit, name)
