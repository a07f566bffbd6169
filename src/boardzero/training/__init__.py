"""Learning: losses, the optimizer, the generation loop."""

import boardzero.network  # noqa: F401 - before PyTorch is loaded: it says how its threads wait
