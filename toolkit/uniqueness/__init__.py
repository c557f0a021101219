"""Records that stand out: sample and population uniqueness, special uniques, outliers."""
