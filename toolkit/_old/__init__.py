"""Modules that wait for their rewriting; rooms that are not yet rewritten import them."""
