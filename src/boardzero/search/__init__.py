"""Search: exact solvers, and later the forest, its root policies and alpha-beta, all over the rules contract."""
