# %% [markdown]
# # 4 · Reinforcement learning: rewards passed back through a game
#
# Between the two ends lies *reinforcement learning*: no answers, but at the end of a game it is known who won. The trouble is
# that the reward comes late. Which of the moves was the good one?
#
# The simplest answer: pass the result back to *every* move of the game. A good move will be found in more won games than lost
# ones, so with many games the truth shows in the mean. Letters are those of section 1.1 and 1.2 of the document that
# [lesson 1](1_neural_network.py) follows.
#
# **In boardzero:** [`selfplay/progress.py`](../src/boardzero/selfplay/progress.py) gives a finished game its result, and
# [`replay/positions.py`](../src/boardzero/replay/positions.py) turns it into the target of every position, seen by whoever
# was to move there.

# %%
import matplotlib.pyplot as plt
import numpy as np
from toolbox import BLUE, GREEN, GREY, ORANGE, RED, save_picture

from boardzero import Position, find_game

# %% tags=["parameters"]
GAMES = 40_000  # of self-play
CHECKS = 12  # how often the player is measured meanwhile
TEST_GAMES = 400  # in each measurement
EXPLORATION = 0.25  # share of moves that are tried out at random at first; it falls to 0
SEED = 7

# %% [markdown]
# ## A state as numbers
#
# A board is a stack of layers of zeros and ones, one for each kind of stone, own stones first; in a row, layer after layer, it
# is a vector. This is the document's example, equation (2):

# %%
game = find_game("tictactoe")
board = Position(game, board=".XO/OX./O.X X")
vector = game.encoded(board.state).reshape(-1).astype(int)
print(board)
print("vec =", "".join(map(str, vector[:9])), "".join(map(str, vector[9:])))

# %% [markdown]
# ## One game
#
# $\phi(s)$ says whose turn it is: 1 for the first player, −1 for the second (1). If the action $a_s$ taken in state $s$
# belongs to the player who wins in the end, then $R(s, a_s) = 1$; if it belongs to the loser, $R(s, a_s) = -1$; in a drawn
# game $R(s, a_s) = 0$.


# %%
def φ(state: np.ndarray) -> int:
    return 1 if game.turn(state) == 0 else -1  # (1)


def rewards(states: list[np.ndarray], end: np.ndarray) -> list[int]:
    """R(s, a_s) of every state in which an action was taken, in the order of play."""
    winner = game.winner(end)
    result = 0 if winner is None else (1 if winner == 0 else -1)  # for the first player
    return [result * φ(state) for state in states]


example = Position(game)
states = []
for move in ("b2", "a1", "c3", "b3", "c1", "a3", "c2"):
    states.append(example.state)
    example.play(game.action_from_text(move))
R = rewards(states, example.state)
print(example.result_text, "with", R)
print("X gets", sum(r for r, s in zip(R, states, strict=True) if φ(s) == 1), end=" in all, ")
print("O gets", sum(r for r, s in zip(R, states, strict=True) if φ(s) == -1))


# %%
def draw_board(axis: plt.Axes, state: np.ndarray, title: str, colour: str) -> None:
    """The stones of a state on a small board."""
    for line in (1, 2):
        axis.plot([line, line], [0, 3], color=GREY, linewidth=1)
        axis.plot([0, 3], [line, line], color=GREY, linewidth=1)
    for (row, column), piece in np.ndenumerate(game.cells(state)):
        if piece:
            axis.text(
                column + 0.5, row + 0.53, ".XO"[piece], ha="center", va="center", fontsize=17, color=(BLUE, ORANGE)[piece - 1]
            )
    axis.set(xlim=(0, 3), ylim=(3, 0), aspect="equal")
    axis.set_title(title, color=colour, fontsize=12)
    axis.axis("off")


figure, axes = plt.subplots(1, len(states) + 1, figsize=(12, 2))
for axis, state, reward in zip(axes, states, R, strict=False):
    draw_board(axis, state, f"R = {reward:+d}", GREEN if reward > 0 else RED)
draw_board(axes[-1], example.state, example.result_text, "black")
save_picture(figure, "4_rewards.png")

# %% [markdown]
# ## Many games
#
# A table keeps, for each state and action, how often it was tried, $N$, and the sum of its rewards, $W$. Their quotient $Q
# = W / N$ is what the action has been worth so far. The player takes the action with the largest $Q$, except that now and
# then it tries another: what is never tried is never learned.


# %%
class Table:
    """What each action in each state has brought so far."""

    def __init__(self) -> None:
        self.sums: dict[tuple[bytes, int], list[float]] = {}  # (state, action) → [N, W]

    def Q(self, state: np.ndarray, action: int) -> float:  # noqa: N802 — as in the formula
        N, W = self.sums.get((state.tobytes(), action), (0, 0.0))
        return W / N if N else 0.0

    def best(self, state: np.ndarray, rng: np.random.Generator) -> int:
        """The action with the largest Q; equal ones are drawn."""
        actions = rng.permutation(game.legal_actions(state))
        return int(max(actions, key=lambda action: self.Q(state, action)))

    def learn(self, states: list[np.ndarray], actions: list[int], end: np.ndarray) -> None:
        """Pass the result of a game back to all its moves."""
        for state, action, reward in zip(states, actions, rewards(states, end), strict=True):
            entry = self.sums.setdefault((state.tobytes(), action), [0, 0.0])
            entry[0] += 1
            entry[1] += reward


def play(choosers, rng: np.random.Generator):
    """One game; a chooser takes a state and the generator and gives an action."""
    state, states, actions = game.initial_state(), [], []
    while legal := game.legal_actions(state):
        action = choosers[game.turn(state)](state, rng)
        assert action in legal
        states.append(state)
        actions.append(action)
        state = game.next_state(state, action)
    return states, actions, state


def random_move(state: np.ndarray, rng: np.random.Generator) -> int:
    return int(rng.choice(game.legal_actions(state)))


def measure(table: Table, rng: np.random.Generator) -> tuple[float, float, float]:
    """Won, drawn and lost shares of games against random moves, half of them as the second player."""
    counts = {1: 0, 0: 0, -1: 0}
    for number in range(TEST_GAMES):
        own = number % 2
        states, _, end = play([table.best, random_move] if own == 0 else [random_move, table.best], rng)
        counts[rewards(states, end)[own]] += 1
    return counts[1] / TEST_GAMES, counts[0] / TEST_GAMES, counts[-1] / TEST_GAMES


# %%
rng = np.random.default_rng(SEED)
table = Table()
marks = np.unique(np.geomspace(1, GAMES, CHECKS).astype(int))
curve = [(0, *measure(table, rng))]
number = 0


def curious(state: np.ndarray, rng: np.random.Generator) -> int:
    """The best move so far, or sometimes any; less and less often."""
    tries_out = rng.random() < EXPLORATION * (1 - number / GAMES)
    return random_move(state, rng) if tries_out else table.best(state, rng)


for number in range(1, GAMES + 1):
    table.learn(*play([curious, curious], rng))
    if number in marks:
        curve.append((number, *measure(table, rng)))
        won, drawn, lost = curve[-1][1:]
        print(f"after {number:6} games against random moves: won {won:4.0%}, drawn {drawn:4.0%}, lost {lost:4.0%}")

# %%
figure, axes = plt.subplots(1, 2, figsize=(11, 3.8), width_ratios=(1.7, 1), layout="constrained")
xs = [max(row[0], 0.7) for row in curve]
axes[0].stackplot(
    xs, 100 * np.array([row[1:] for row in curve]).T, colors=(GREEN, GREY, RED), alpha=0.75, labels=("won", "drawn", "lost")
)
axes[0].set(
    xscale="log", xlim=(0.7, GAMES), ylim=(0, 100), xlabel="games of self-play", ylabel="%", title="against random moves"
)
axes[0].legend(loc="lower left", frameon=True)
first = np.array([table.Q(game.initial_state(), action) for action in range(9)]).reshape(3, 3)
tried = np.array([table.sums.get((game.initial_state().tobytes(), action), [0])[0] for action in range(9)]).reshape(3, 3)
axes[1].imshow(first, cmap="RdYlGn", vmin=-0.4, vmax=0.4)
for (row, column), value in np.ndenumerate(first):
    axes[1].text(column, row, f"Q {value:+.2f}\nN {tried[row, column]}", ha="center", va="center")
axes[1].set(title="the first move", xticks=[], yticks=[])
save_picture(figure, "4_learning.png")

# %% [markdown]
# ## What is missing
#
# Tic-tac-toe has 5478 states. Connect Four has 4.5 · 10¹²; no table holds them, and no state is met often enough to take a
# mean. AlphaZero therefore puts a *network* in the place of the table, which also answers for states that it has never
# seen, and a *search* in the place of the single best guess.
#
# **Next:** [lesson 5](5_mcts.py), the search.
