"""Games between players: single games, matches, tournaments, and how sure their scores are."""
