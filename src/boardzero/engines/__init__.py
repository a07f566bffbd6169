"""boardzero as an engine inside other programs."""
