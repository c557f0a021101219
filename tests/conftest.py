"""Settings that all tests share."""

from hypothesis import settings

# A slow machine is no fault of the code, and a failure must be the same everywhere.
settings.register_profile("toolkit", deadline=None, derandomize=True)
# `test --full` looks for hostile tables that nobody has seen, and prints how to see one again.
settings.register_profile("full", deadline=None, max_examples=1000, print_blob=True)
settings.load_profile("toolkit")


def pytest_configure(config):
    """Search longer where the tests marked `full` are not left out."""
    if "not full" not in config.option.markexpr:
        settings.load_profile("full")
