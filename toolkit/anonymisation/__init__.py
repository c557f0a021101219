"""Hierarchies, recoding, generalisation, partitioning and suppression, with their losses."""
