"""Games being played: kept on disk after every move, shared by everyone who has their id."""
