"""Privacy metrics for tables."""
