# %% [markdown]
# # 5 · Monte Carlo tree search, step by step
#
# A table of all states ([lesson 4](4_reinforcement.py)) is out of reach for most games. A *tree search* looks only at
# states that can come up from here, and spends its time on the promising ones. First the classic kind, which plays random
# games to the end; then AlphaZero's, which asks a network instead. All of it on one small position, so that every number
# can be seen.
#
# **In boardzero:** [`search/rollout_tree.py`](../src/boardzero/search/rollout_tree.py) is the first kind,
# [`search/reference.py`](../src/boardzero/search/reference.py) the second in plain Python, and `search/selection.py`,
# `growth.py` and `backup.py` are the same compiled ([docs/search.md](../docs/search.md)).

# %%
import math

import matplotlib.pyplot as plt
import numpy as np
from toolbox import BLUE, GREEN, GREY, ORANGE, RED, save_picture

from boardzero import Forest, Position, SearchSettings, find_game
from boardzero.search.line_heuristic import LineHeuristic

# %% tags=["parameters"]
ROLLOUT_ITERATIONS = 1000
DRAWN_AFTER = (1, 2, 3, 10, 100)  # simulations
GOMOKU_SIMULATIONS = (100, 500, 1000, 5000)
GOMOKU_SIZE = 13
SEED = 5

# %% [markdown]
# ## The position
#
# X is to move. O threatens to fill the right column, so there is only one sound move: c2. The other four lose.

# %%
game = find_game("tictactoe")
start = Position(game, board="X.O/.X./..O X")
print(start)


def result_for_mover(state: np.ndarray) -> int:
    """The result of a finished game for the player who made the last move."""
    winner = game.winner(state)
    return 0 if winner is None else (1 if winner != game.turn(state) else -1)


# %% [markdown]
# ## First kind: random games
#
# A node that is reached for the first time is *expanded*: every possible move becomes a child, and from each child one game
# is played to its end with random moves, a *rollout*. $W$ gets +1 if the player who made the move into the child won, −1 if
# he lost, 0 for a draw; $N$ counts. Both are added to all nodes above as well, with the sign changed at every level, since
# what is good for one is bad for the other.
#
# To find the node to expand, go down from the top, always to the child with the largest
#
# $$U_i = \frac{W_i}{N_i} + c \sqrt{\frac{\ln \sum_b N_b}{N_i}}$$
#
# The first term prefers moves that did well (*exploitation*), the second those that were tried little (*exploration*).
# When time is up, the move with the largest $U$ is played, as in *My Simple Implementation of AlphaGo Zero on Connect4*, whose
# explanation this follows; most programs take the most visited one.


# %%
class RolloutNode:
    """A state; W is for the player whose move led to it."""

    def __init__(self, state: np.ndarray) -> None:
        self.state, self.W, self.N = state, 0.0, 0
        self.children: dict[int, RolloutNode] = {}

    def U(self, siblings: int, c: float) -> float:  # noqa: N802 — as in the formula
        return self.W / self.N + c * math.sqrt(math.log(siblings) / self.N)


def roll_out(state: np.ndarray, rng: np.random.Generator) -> int:
    """Random moves to the end; the result is for the player who moved last *before* them."""
    sign = 1
    while actions := game.legal_actions(state):
        state = game.next_state(state, int(rng.choice(actions)))
        sign = -sign
    return sign * result_for_mover(state)


def iterate(root: RolloutNode, rng: np.random.Generator, c: float = 1.4) -> None:
    """One iteration: go down, expand, roll out every child, pass the results up."""
    path = [root]
    while path[-1].children:
        siblings = sum(child.N for child in path[-1].children.values())
        path.append(max(path[-1].children.values(), key=lambda child: child.U(siblings, c)))
    leaf = path[-1]
    leaf.children = {action: RolloutNode(game.next_state(leaf.state, action)) for action in game.legal_actions(leaf.state)}
    for child in leaf.children.values():
        child.W, child.N = roll_out(child.state, rng), 1
    W = -sum(child.W for child in leaf.children.values()) if leaf.children else result_for_mover(leaf.state)
    N = max(len(leaf.children), 1)
    for node in reversed(path):
        node.W += W
        node.N += N
        W = -W


# %%
rng = np.random.default_rng(SEED)
rollout_root = RolloutNode(start.state)
means: dict[str, list[float]] = {game.action_to_text(action): [] for action in start.legal_actions()}
for _ in range(ROLLOUT_ITERATIONS):
    iterate(rollout_root, rng)
    for action, child in rollout_root.children.items():
        means[game.action_to_text(action)].append(child.W / child.N)
visits = {game.action_to_text(action): child.N for action, child in rollout_root.children.items()}
print("visits:", visits)

# %%
figure, axis = plt.subplots(figsize=(8, 3.4))
for (name, values), colour in zip(means.items(), (GREY, ORANGE, GREEN, BLUE, RED), strict=True):
    axis.semilogx(range(1, len(values) + 1), values, color=colour, label=f"{name}, {visits[name]} visits")
axis.set(title="W / N of X's five moves", xlabel="iterations", ylim=(-1.05, 1.05))
axis.axhline(0, color=GREY, linewidth=0.5)
axis.legend(loc="center left", bbox_to_anchor=(1, 0.5))
save_picture(figure, "5_rollouts.png")

# %% [markdown]
# A random game says little: the first values jump between −1 and +1, and a losing move may look won, since a random opponent
# overlooks its own win. The tree corrects this, because it grows where the opponent's best answers are.
#
# ## Second kind: a policy and a value
#
# AlphaZero replaces the rollout by two guesses of a network about a state: the value $v$, from −1 to +1 for the player to
# move, and the policy $P$, a probability for each move. Here a *beginner* stands in for the network, so that the search has
# something to correct: it likes cells with many open lines and values the difference of open lines. It does not see threats
# at all.


# %%
LINES = np.array([[int(cell in line) for cell in range(9)] for line in
    ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))])  # fmt: skip


def beginner(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Planes [batch, 2, 3, 3], own stones first → logits [batch, 9] and values [batch] for the player to move."""
    own, other = planes.reshape(len(planes), 2, 9).transpose(1, 0, 2)
    open_for_own, open_for_other = (stones @ LINES.T == 0 for stones in (other, own))  # [batch, lines]
    logits = np.log(1.0 + open_for_own @ LINES)
    values = (open_for_own.sum(1) - open_for_other.sum(1)) / 8
    return logits.astype(np.float32), values.astype(np.float32)


# %% [markdown]
# What is known stands on the *edges*, the moves. $N$ counts how often an edge was taken, $W$ sums the values that came back,
#
# $$Q(e) = \frac{W(e)}{N(e)}, \text{ and } 0 \text{ if } N(e) = 0 \qquad (3) \qquad\qquad
# u(e) = Q(e) + c \, P(e) \frac{\sqrt{\sum_b N(b)}}{1 + N(e)} \qquad (5)$$
#
# (numbers of the document that [lesson 1](1_neural_network.py) follows). A simulation has three parts:
#
# 1. **Selection**: from the root, always take the edge with the largest $u$ (6), down to a node without edges (7, 8).
# 2. **Evaluation and expansion**: a finished game gives its real result (9). Otherwise ask the network,
#    and give the node an edge for each legal move, with its $P$ (10–14).
# 3. **Backfill**: on the way up, $N$ grows by 1 on each edge (15), and $W$ by the value as *its* player sees it (16).
#
# One small change: under the root in (5) we count the node's own evaluation too. As printed, the sum is 0 when a node is
# left for the first time, and the policy would have no say in that.


# %%
class Edge:
    def __init__(self, action: int, P: float) -> None:  # noqa: N803
        self.action, self.P, self.N, self.W = action, P, 0, 0.0
        self.to: Node | None = None

    @property
    def Q(self) -> float:  # noqa: N802
        return self.W / self.N if self.N else 0.0  # (3)


class Node:
    def __init__(self, state: np.ndarray) -> None:
        self.state = state
        self.edges: list[Edge] = []

    def u(self, edge: Edge, c: float) -> float:
        total = 1 + sum(other.N for other in self.edges)
        return edge.Q + c * edge.P * math.sqrt(total) / (1 + edge.N)  # (5)


def softmax(logits: np.ndarray) -> np.ndarray:
    powers = np.exp(logits - logits.max())
    return powers / powers.sum()


def simulate(root: Node, evaluate, c: float = 2.0, noise: dict[int, float] | None = None) -> list[Edge]:
    """One simulation; gives the edges that were taken. `noise` is mixed into the root's policy, one part in four."""
    node, path = root, []
    while node.edges:  # selection
        path.append((node, max(node.edges, key=lambda edge: node.u(edge, c))))  # (6)
        edge = path[-1][1]
        if edge.to is None:
            edge.to = Node(game.next_state(node.state, edge.action))
        node = edge.to  # (7)
    actions = game.legal_actions(node.state)
    if actions:  # evaluation and expansion
        logits, values = evaluate(game.encoded(node.state)[None])
        priors = softmax(logits[0, actions].astype(float))
        node.edges = [Edge(action, float(np.float32(P))) for action, P in zip(actions, priors, strict=True)]  # (10–14)
        if node is root and noise:
            for edge in node.edges:
                edge.P = 0.75 * edge.P + 0.25 * noise[edge.action]
        v = float(values[0])
    else:
        v = -result_for_mover(node.state)  # (9)
    for _, edge in reversed(path):  # backfill
        v = -v  # φ·φ in (16): the value changes its sign with the player
        edge.N += 1  # (15)
        edge.W += v  # (16)
    return [edge for _, edge in path]


def search(state: np.ndarray, evaluate, simulations: int, **options) -> Node:
    root = Node(state)
    for _ in range(simulations):
        simulate(root, evaluate, **options)
    return root


# %% [markdown]
# ## The tree grows
#
# Thick edges were taken often. $U$ is $u(e)$, what the next simulation will choose by; the largest is marked with ◀. A
# faint board was never visited. The first simulation only expands the root.


# %%
def shown_edges(node: Node, depth: int, least: int) -> list[Edge]:
    """All moves of the root; further down, those that were taken often enough."""
    return [edge for edge in node.edges if depth == 0 or least <= edge.N]


def place(node: Node | None, depth: int, least: int, row: float, spots: dict) -> float:
    """Give every shown node a spot (depth, row): parents in the middle of their children. Gives the next free row."""
    edges = shown_edges(node, depth, least) if node and depth < 3 else []
    first = row
    for edge in edges:
        row = place(edge.to, depth + 1, least, row, spots)
        spots[edge] = (depth + 1, spots.pop("last"))
    if not edges:
        spots["last"] = row
        return row + 1
    spots["last"] = (spots[edges[0]][1] + spots[edges[-1]][1]) / 2 if first < row else row
    return row


def draw_stones(axis: plt.Axes, state: np.ndarray, x: float, y: float, size: float, faint: bool) -> None:
    """A small board with its upper left corner at x, y."""
    alpha = 0.35 if faint else 1.0
    axis.add_patch(plt.Rectangle((x, y), size, size, facecolor="white", edgecolor="black", alpha=alpha, zorder=3))
    for line in (1, 2):
        axis.plot([x + line * size / 3] * 2, [y, y + size], color=GREY, linewidth=0.5, alpha=alpha, zorder=4)
        axis.plot([x, x + size], [y + line * size / 3] * 2, color=GREY, linewidth=0.5, alpha=alpha, zorder=4)
    for (row, column), piece in np.ndenumerate(game.cells(state)):
        if piece:
            middle = x + (column + 0.5) * size / 3, y + (row + 0.53) * size / 3
            letter, colour = (("X", BLUE), ("O", ORANGE))[piece - 1]
            axis.text(*middle, letter, ha="center", va="center", fontsize=7, color=colour, weight="bold", alpha=alpha, zorder=5)


def draw_edges(axis: plt.Axes, node: Node, here: tuple[float, float], depth: int, spots: dict, c: float) -> None:
    chosen = max(node.edges, key=lambda edge: node.u(edge, c), default=None)
    for edge in (edge for edge in node.edges if edge in spots):
        level, row = spots[edge]
        x, y = 5.5 * level, 1.25 * row
        colour = BLUE if game.turn(node.state) == 0 else ORANGE
        width = 0.6 + 0.6 * math.sqrt(edge.N)
        along = np.linspace(0, 1, 40)
        rise = np.minimum(1, 2 * along)  # the curve is level before it comes to the label
        axis.plot(
            here[0] + 1 + along * (x - here[0] - 1),
            here[1] + 0.5 + (y - here[1]) * rise**2 * (3 - 2 * rise),
            color=colour,
            linewidth=width,
            alpha=0.25 if edge.N == 0 else 0.6,
            zorder=1,
        )
        label = (
            f"{game.action_to_text(edge.action)}   N {edge.N}   W {edge.W:+.2f}\n"
            f"Q {edge.Q:+.2f}  P {edge.P:.2f}  U {node.u(edge, c):+.2f}" + (" ◀" if edge is chosen else "")
        )
        axis.text(
            x - 0.15,
            y + 0.5,
            label,
            ha="right",
            va="center",
            fontsize=6.6,
            linespacing=1.35,
            color="black" if edge.N else "#667",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.8},
            zorder=2,
        )
        child = game.next_state(node.state, edge.action)
        draw_stones(axis, child, x, y, 1, faint=edge.N == 0)
        if edge.to:
            draw_edges(axis, edge.to, (x, y), depth + 1, spots, c)


def draw_tree(root: Node, simulations: int, least: int = 1, c: float = 2.0) -> plt.Figure:
    spots: dict = {}
    rows = place(root, 0, least, 0.0, spots)
    levels = max(level for level, _ in (spot for edge, spot in spots.items() if edge != "last"))
    figure, axis = plt.subplots(figsize=(3.1 * (levels + 0.3), 0.66 * rows + 0.5), dpi=125)
    here = (0.0, 1.25 * spots["last"])
    draw_edges(axis, root, here, 0, spots, c)
    draw_stones(axis, root.state, *here, 1, faint=False)
    note = f"; below the root, moves taken at least {least} times and three levels" if least > 1 else ""
    axis.set_title(f"after {simulations} simulation{'s' * (simulations > 1)}{note}", loc="left")
    axis.set(xlim=(-0.2, 5.5 * levels + 1.2), ylim=(1.25 * rows, -0.2))
    axis.axis("off")
    return figure


# %%
trees = {}
for simulations in DRAWN_AFTER:
    trees[simulations] = search(start.state, beginner, simulations)
    figure = draw_tree(trees[simulations], simulations, least=1 if simulations <= 10 else simulations // 12)
    save_picture(figure, f"5_tree_{simulations:03}.png")

# %% [markdown]
# The beginner's favourite move gets the first visits. Each visit makes its $U$ smaller (the $1 + N$ below the line), so the
# others get their turn; and as soon as O's winning reply has been seen, $Q$ falls and the move is left. After a hundred
# simulations most visits have gone to c2, though the beginner has never heard of threats. **The visits are a better policy
# than $P$**: that is what AlphaZero's network learns from.
#
# ## Noise, temperature, network
#
# - **Noise** (self-play only): a quarter of the root's policy is drawn from a Dirichlet distribution. A small $\alpha$
#   puts it on one move, a large one on all alike. Moves that the network does not think of get a chance.
# - **Temperature**: the move is drawn in proportion to $N^{1/\tau}$. $\tau = 1$ follows the visits,
#   $\tau \to 0$ takes the most visited.
# - **Network**: the better $P$ and $v$, the fewer simulations are wasted.


# %%
def shares(node: Node, τ: float = 1.0) -> np.ndarray:
    """How often each move of a node should be played, from its visits."""
    powers = np.array([float(edge.N) for edge in node.edges]) ** (1 / τ)
    return powers / powers.sum()


def knows_nothing(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return np.zeros((len(planes), 9), np.float32), np.zeros(len(planes), np.float32)


actions = start.legal_actions()
names = [game.action_to_text(action) for action in actions]
noisy = {
    α: search(start.state, beginner, 1, noise=dict(zip(actions, rng.dirichlet([α] * len(actions)), strict=True)))
    for α in (0.1, 1.0, 10.0)
}
twenty = search(start.state, beginner, 20)
evaluators = {"knows nothing": knows_nothing, "beginner": beginner, "line heuristic": LineHeuristic(game)}
found = {name: [] for name in evaluators}
for name, evaluate in evaluators.items():
    root = Node(start.state)
    for _ in range(61):
        simulate(root, evaluate)
        found[name].append(shares(root)[names.index("c2")] if sum(edge.N for edge in root.edges) else 0.0)

figure, axes = plt.subplots(1, 3, figsize=(13, 3.5), layout="constrained")
places, width = np.arange(len(names)), 0.2
axes[0].bar(places - 1.5 * width, [edge.P for edge in trees[min(trees)].edges], width, color="black", label="P")
for number, (α, root) in enumerate(noisy.items()):
    axes[0].bar(
        places + (number - 0.5) * width,
        [edge.P for edge in root.edges],
        width,
        color=(RED, ORANGE, GREY)[number],
        label=f"α = {α:g}",
    )
axes[0].set(title="noise: the root's policy, ε = ¼", xticks=places, xticklabels=names)
axes[0].legend()
for number, τ in enumerate((2.0, 1.0, 0.5, 0.05)):
    colour = (GREY, BLUE, ORANGE, RED)[number]
    axes[1].bar(places + (number - 1.5) * width, shares(twenty, τ), width, color=colour, label=f"τ = {τ:g}")
axes[1].set(title="temperature: moves after 20 simulations", xticks=places, xticklabels=names)
axes[1].legend()
for (name, curve), colour in zip(found.items(), (GREY, ORANGE, GREEN), strict=True):
    axes[2].plot(range(1, len(curve) + 1), [100 * share for share in curve], color=colour, label=name)
axes[2].set(title="network: share of visits for c2", xlabel="simulations", ylabel="%", ylim=(0, 101))
axes[2].legend()
save_picture(figure, "5_noise_temperature_network.png")

# %% [markdown]
# ## What search adds to a policy
#
# The same on a real board: Gomoku, five in a row, evaluated by boardzero's hand-written [line
# heuristic](../src/boardzero/search/line_heuristic.py) and searched by its compiled forest. Left the raw policy, then the
# shares of the visits after more and more simulations (as in figure 3.2 of Slávka's thesis on AlphaZero for Gomoku, c = 4).

# %%
gomoku = find_game(f"gomoku:size={GOMOKU_SIZE}")
position = Position(gomoku, "g7 h8 f8 h6 h7 f7 e9 g8")
heuristic = LineHeuristic(gomoku)
logits, _ = heuristic(gomoku.encoded(position.state)[None])
legal = position.legal_actions()
raw = np.zeros(gomoku.action_count)
raw[legal] = softmax(logits[0, legal].astype(float))
policies = {0: raw}
settings = SearchSettings(exploration=4, first_play="value", first_play_value=0, exact=False)
for simulations in GOMOKU_SIMULATIONS:
    forest = Forest(gomoku, settings, nodes=simulations + 2)
    forest.set_root(0, position.state)
    forest.search(heuristic, simulations)
    visits_of = np.zeros(gomoku.action_count)
    for edge in forest.root_edges(0):
        visits_of[edge.action] = edge.visits
    policies[simulations] = visits_of / visits_of.sum()
    best = int(visits_of.argmax())
    print(f"{simulations:4} simulations: {gomoku.action_to_text(best)} with {policies[simulations][best]:.0%} of the visits")

# %%
figure, axes = plt.subplots(1, len(policies), figsize=(3 * len(policies), 3.4), layout="constrained")
for axis, (simulations, policy) in zip(axes, policies.items(), strict=True):
    axis.imshow(np.sqrt(policy.reshape(GOMOKU_SIZE, GOMOKU_SIZE)), cmap="Greens", vmin=0, vmax=0.9)
    for (row, column), piece in np.ndenumerate(gomoku.cells(position.state)):
        if piece:
            axis.add_patch(plt.Circle((column, row), 0.42, facecolor=("black", "white")[piece - 1], edgecolor="black"))
    for action in np.argsort(policy)[-3:]:
        row, column = divmod(int(action), GOMOKU_SIZE)
        axis.text(column, row, f"{100 * policy[action]:.0f}", ha="center", va="center", fontsize=8)
    axis.set(title="raw policy" if simulations == 0 else f"{simulations} simulations", xticks=[], yticks=[])
    axis.set_xticks(np.arange(-0.5, GOMOKU_SIZE), minor=True)
    axis.set_yticks(np.arange(-0.5, GOMOKU_SIZE), minor=True)
    axis.grid(which="minor", color="#ddd", linewidth=0.5)
    axis.tick_params(which="both", length=0)
figure.suptitle("Black to move; the numbers are percentages of the three largest", fontsize=10)
save_picture(figure, "5_gomoku.png")

# %% [markdown]
# **Next:** [lesson 6](6_alphazero.py) puts the network of lessons 1 and 2, the rewards of lesson 4 and this search together.
