"""Text: what in a cell or in a sentence names or reaches a person."""
