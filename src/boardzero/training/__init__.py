"""Learning: losses, the optimizer, the generation loop."""
