"""Search over the rules contract: the forest and its root policies, rollouts, alpha-beta, and exact solvers."""
