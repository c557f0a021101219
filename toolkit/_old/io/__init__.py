"""Tables from files, for the rooms that are not yet rewritten."""
