"""Settings that all tests share."""

from hypothesis import settings

# A slow machine is no fault of the code, and a failure must be the same everywhere.
settings.register_profile("toolkit", deadline=None, derandomize=True)
settings.load_profile("toolkit")
