"""What can be asked about a position or a finished game."""
