"""Checks and reports of a table: roles, measures, anonymisation methods and their wording."""
