"""Break the metrics on purpose, and see whether their tests notice.

    python3 dev.py python tests/project/mutants.py [MODULE …] [--count 40] [--seed 0]

For each module, `count` single changes are drawn at random (a comparison, an operator, a
number, a condition, a call that is left out). The tests of the module's room are collected
and run once without a change, while each function notes which tests call it. Each change is
then made in a fork of that process, in memory, and the tests that call the changed function
run until one fails, the quickest first. It prints what was not noticed, and the shares. This
takes minutes a module, so it is run by hand. Tests in another process do not see the change.
"""

import argparse
import ast
import copy
import difflib
import gc
import importlib
import json
import os
import re
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import FunctionType, ModuleType

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
REFUSALS = "tests/laws/test_errors.py"
LAWS = ["tests/laws/test_metrics.py", REFUSALS]
DISCLOSURE = ["tests/disclosure", REFUSALS]
INFORMATION = ["tests/information", *LAWS, "tests/published"]
DP_REFUSALS = "tests/dp/test_refusals.py"
IDENTIFIABILITY = ["tests/dp/test_identifiability.py", DP_REFUSALS, "tests/published"]
MECHANISMS = ["tests/dp/test_mechanisms.py", DP_REFUSALS]
LATTICE = ["tests/anonymisation/test_lattice.py", "tests/anonymisation/test_treatments.py"]
TESTS = {  # of each module of metrics
    "_codes": [*DISCLOSURE, "tests/information"],
    "classes": DISCLOSURE,
    "disclosure/models": DISCLOSURE,
    "disclosure/check": DISCLOSURE,
    "disclosure/identity": DISCLOSURE,
    "disclosure/attribute": DISCLOSURE,
    "disclosure/membership": DISCLOSURE,
    "information/pif": INFORMATION,
    "information/contexts": INFORMATION,
    "dp/identifiability": IDENTIFIABILITY,
    "dp/auditor": ["tests/dp/test_audit.py", DP_REFUSALS],
    "dp/histograms": ["tests/dp/test_histograms.py", DP_REFUSALS],
    "dp/noise": MECHANISMS,
    "dp/accounting": MECHANISMS,
    "anonymisation/lattice": [*LATTICE, REFUSALS],
    "anonymisation/release": ["tests/report/test_released_bytes.py", *LATTICE],
    "anonymisation/treatment": ["tests/report/test_treating.py"],
    "anonymisation/partition": ["tests/anonymisation/test_mondrian.py"],
    "anonymisation/suppression": ["tests/anonymisation/test_suppression.py"],
    "anonymisation/utility": ["tests/anonymisation/test_utility.py", *LATTICE[1:], REFUSALS],
    "anonymisation/hierarchies": ["tests/anonymisation/test_hierarchies.py", *LATTICE[1:]],
    "uniqueness/suda": ["tests/uniqueness/test_uniqueness.py", *LAWS],
    "uniqueness/population": ["tests/uniqueness/test_population.py", *LAWS],
    "engines": ["tests/engines/test_engines.py"],
}
OPTIONS = ["-q", "-s", "--tb=no", "-p", "no:cacheprovider", "-p", "no:xdist"]
PLAIN = (bool, int, float, str, tuple, list, dict, set, frozenset, np.ndarray)
CORES = os.cpu_count() or 1
MEMORY = 8 * 2**30  # bytes that a change may make a test ask for
UNTRIED = 99  # status of a change that no function or constant shows
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


def mutants(source: str, count: int, rng: np.random.Generator) -> list[tuple[int, str, str]]:
    """Line, function and source of `count` different changes, drawn without replacement.

    A larger count draws the same ones first.
    """
    tree = ast.parse(source)
    places = [
        (at, way) for at, node in enumerate(inside(tree)) for way in range(len(changes(node)))
    ]
    made = []
    for at, way in (places[i] for i in rng.permutation(len(places))[:count]):
        broken = copy.deepcopy(tree)
        node = list(inside(broken))[at]
        around = [
            f.name
            for f in ast.walk(broken)
            if isinstance(f, ast.FunctionDef) and any(n is node for n in ast.walk(f))
        ]
        changes(node)[way](node)
        text = ast.unparse(ast.fix_missing_locations(broken))
        made.append((node.lineno, around[-1] if around else "", text))
    return made


def noting(source: str) -> str:
    """The source, where each function first adds its name to the set `CALLED`."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            at = int(ast.get_docstring(node) is not None)
            node.body[at:at] = ast.parse(f"CALLED.add({node.name!r})").body
    return ast.unparse(tree)


def functions(names: dict) -> dict[str, list[FunctionType]]:
    """Functions that a module holds, anywhere in it, by name and in the order of lines."""
    found: dict[str, list[FunctionType]] = {}
    every = (f for f in gc.get_objects() if isinstance(f, FunctionType))
    mine = [f for f in every if f.__globals__ is names]
    for function in sorted(mine, key=lambda f: f.__code__.co_firstlineno):
        found.setdefault(function.__qualname__, []).append(function)
    return found


def told(value: object) -> str:
    """A value in words, without the addresses of functions and classes in it."""
    return re.sub(" at 0x[0-9a-f]+", "", repr(value))


def put(module: ModuleType, source: str) -> int:
    """Give a loaded module the code, defaults and constants of a source; what changed."""
    old = functions(vars(module))
    given = ("__name__", "__file__", "__package__", "CALLED")
    fresh = {name: value for name, value in vars(module).items() if name in given}
    exec(compile(source, str(module.__file__), "exec"), fresh)
    changed = 0
    for name, others in functions(fresh).items():
        for mine, other in zip(old.get(name, []), others, strict=False):
            for part in ("__code__", "__defaults__", "__kwdefaults__"):
                one, two = getattr(mine, part), getattr(other, part)
                if one != two if part == "__code__" else told(one) != told(two):
                    setattr(mine, part, two)
                    changed += 1
    for name, value in fresh.items():
        mine = vars(module)[name]
        if type(value) in PLAIN and told(value) != told(mine):
            for holder in list(sys.modules.values()):
                if getattr(holder, "__dict__", {}).get(name, module) is mine:
                    setattr(holder, name, value)
            changed += 1
    return changed


def differ(before: str, after: str) -> str:
    """Changed lines of two sources, as `old -> new`."""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), n=0, lineterm="")
    changed = [line for line in lines if not line.startswith(("+++", "---", "@@"))]
    return " -> ".join(line[1:].strip() for line in changed)


class Breaking:
    """A pytest plugin that runs the collected tests once for each change of a module."""

    def __init__(self, module: str, count: int, seed: int) -> None:
        self.name, self.count, self.seed = module, count, seed

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self) -> None:
        """Let hypothesis stop at the first failure that it finds."""
        from hypothesis import Phase, settings  # not before pytest has looked at it

        settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate])
        settings.load_profile("mutants")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Run them without a change, then with each."""
        self.module = importlib.import_module(self.name)
        source = Path(str(self.module.__file__)).read_text(encoding="utf-8")
        plain = ast.unparse(ast.parse(source))
        seen = self.control(session, noting(source))
        put(self.module, plain)
        drawn = mutants(source, self.count, np.random.default_rng(self.seed))
        running: dict[int, str] = {}
        survived = untried = 0
        for line, function, broken in [*drawn, *[(0, "", "")] * CORES]:
            if len(running) == CORES or not broken and running:
                child, status = os.wait()
                text, ended = running.pop(child), os.waitstatus_to_exitcode(status)
                survived, untried = survived + (ended == 0), untried + (ended == UNTRIED)
                if ended in (0, UNTRIED):
                    print("    " + ("not tried: " if ended else "") + text, flush=True)
            if broken:
                chosen = [i for i in seen if not function or function in seen[i][1]]
                child = os.fork()
                if not child:
                    self.attempt(session, broken, {i: seen[i][0] for i in chosen})
                running[child] = f"{self.name}:{line}: {differ(plain, broken)}"
        noticed = len(drawn) - survived - untried
        print(f"{self.name}: {noticed} of {len(drawn) - untried} noticed", flush=True)
        return True

    def control(self, session: pytest.Session, noted: str) -> dict[int, tuple[float, set]]:
        """CPU seconds of each test, and the functions that it calls, in a fork."""
        read, write = os.pipe()
        if not os.fork():
            vars(self.module)["CALLED"] = called = set()
            put(self.module, noted)
            silence()
            seen, start = [], time.process_time()
            for number, failed in run(session, range(len(session.items))):
                now = time.process_time()
                seen.append((number, now - start, sorted(called), failed))
                start = now
                called.clear()
            with os.fdopen(write, "w") as pipe:
                json.dump(seen, pipe)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as pipe:
            seen = json.load(pipe)
        os.wait()
        if bad := [session.items[number].nodeid for number, *_, failed in seen if failed]:
            pytest.exit(f"{self.name}: fails without a change: {bad}", returncode=1)
        quickest = sorted(seen, key=lambda test: test[1])
        return {number: (cost, set(called)) for number, cost, called, _ in quickest}

    def attempt(self, session: pytest.Session, broken: str, costs: dict[int, float]) -> None:
        """Make one change, run tests until one fails, and end the process."""
        silence()
        limit = int(3 * sum(costs.values())) + 10
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
        signal.alarm(20 * limit)
        try:
            if not put(self.module, broken):
                os._exit(UNTRIED)
            os._exit(int(any(failed for _, failed in run(session, costs))))
        except BaseException:
            os._exit(1)


def run(session: pytest.Session, numbers):
    """Run the tests of these numbers; each number, and whether the test failed."""
    items = [session.items[number] for number in numbers]
    for number, item, after in zip(numbers, items, [*items, None][1:], strict=True):
        before = session.testsfailed
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
        yield number, session.testsfailed > before


def silence() -> None:
    """Write nothing from here on."""
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)


def examine(module: str, tests: list[str], count: int, seed: int) -> int:
    """Break one module, by its dotted name, and print what its tests do not notice."""
    sys.path.insert(0, os.getcwd())
    chosen = [*OPTIONS, "-m", "not full and not ci", *tests]
    return int(pytest.main(chosen, plugins=[Breaking(module, count, seed)]))


def main() -> None:
    """Examine the named modules, else all, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("module", nargs="*", help=f"one of {', '.join(TESTS)}")
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    names = asked.module or list(TESTS)
    if len(names) > 1:
        more = ["--count", str(asked.count), "--seed", str(asked.seed)]
        ended = [subprocess.call([sys.executable, __file__, name, *more]) for name in names]
        sys.exit(max(ended))
    os.chdir(ROOT)
    path, dotted = f"toolkit/{names[0]}.py", f"toolkit.{names[0].replace('/', '.')}"
    sys.exit(examine(dotted, [*TESTS[names[0]], path], asked.count, asked.seed))


if __name__ == "__main__":
    main()
