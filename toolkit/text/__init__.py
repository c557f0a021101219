"""Text: what in a cell, or later in a sentence, names or reaches a person."""
