"""boardzero learns board games from their rules alone, and lets people play, study and rate what it learned."""
