"""Tables from files of any common kind, read within stated limits."""
