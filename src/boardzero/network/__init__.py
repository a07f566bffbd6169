"""Networks: from what a player sees of a position to a policy and a value. PyTorch trains them, ONNX Runtime runs them."""
