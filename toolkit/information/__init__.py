"""Information disclosed by a record, in bits: entropies and personal information factors."""
