"""How much one client may ask for. Everything that comes from outside is measured against these."""

MOST_SIMULATIONS = 20_000  # of a search with a network, for one move
MOST_ROLLOUTS = 1_000_000  # of an mcts player, for one move
MOST_SECONDS = 30.0  # for one move
MOST_DEPTH = 20  # plies of a minimax player
MOST_ANALYSIS_SECONDS = 60.0
MOST_REVIEW_SIMULATIONS = 2_000  # for each position of a review
MOST_TREE_SIMULATIONS = 5_000
MOST_TEMPERATURE = 10.0
EXACT_SECONDS = 5.0  # for a solver's answer

SPECIFICATION_LENGTH = 120  # characters of a game's or player's name
MOVES_LENGTH = 25_000  # characters of a row of moves: the longest game of Latrunculi
BOARD_LENGTH = 2_000  # characters of a board as text
NAME_LENGTH = 80  # characters of a player's name in the game log
BODY_BYTES = 64_000  # of a request
LARGEST_SEED = 2**31 - 1

MOST_WAITING = 512  # searches that wait or run; beyond that clients are asked to come back (503)
MOST_GAMES_IN_MEMORY = 2_000  # live games; the others are on disk only
MOST_LISTENERS = 1_000  # open event streams
MOST_WAIT_SECONDS = 25.0  # of a long poll
