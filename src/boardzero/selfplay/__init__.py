"""Games that boardzero plays against itself, many at once, to learn from."""
