"""Tables that stay in DuckDB or Spark, and their metrics."""
