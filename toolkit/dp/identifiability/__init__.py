"""Differential identifiability: the risk of a record, and epsilon chosen by it."""
