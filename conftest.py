"""Wherever pytest is started from, stored notebooks are compared strictly."""

pytest_plugins = ["tests.strict_nbval"]
collect_ignore = ["tests/benchmarks"]  # programs of `python3 dev.py bench`, and no tests
