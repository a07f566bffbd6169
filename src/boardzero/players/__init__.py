"""Everyone who can choose a move."""
