"""Wherever pytest is started from, stored notebooks are compared strictly."""

pytest_plugins = ["tests.strict_nbval"]
