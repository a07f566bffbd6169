"""Networks: from what a player sees of a position to a policy and a value. PyTorch trains them, ONNX Runtime runs them."""

import os

# Threads of PyTorch that wait for one another must not spin: on shared or busy cores training would be ten times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
