"""Identity, membership and attribute disclosure in a table of equivalence classes."""
