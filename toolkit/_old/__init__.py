"""Modules that wait for their rewriting, moved unchanged but for the paths of imports."""
