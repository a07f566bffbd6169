"""The games: one contract (`rules.py`), one file a game, and everything that follows from the contract alone."""
