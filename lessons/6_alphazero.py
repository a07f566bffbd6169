# %% [markdown]
# # 6 · AlphaZero in 300 lines
#
# Everything is on the table: a network ([lesson 1](1_neural_network.py)) learns answers ([lesson 2](2_supervised.py)) that
# a search ([lesson 5](5_mcts.py)) and the results of games ([lesson 4](4_reinforcement.py)) supply. This file is all of
# AlphaZero, in plain Python, NumPy and PyTorch; from boardzero come the rules of the games and nothing else.
#
# 1. Play games against itself, with a search that the network guides.
# 2. Train the network to say at once what the search found, and who won.
# 3. Again, with the better network.
#
# **In boardzero:** [`training/loop.py`](../src/boardzero/training/loop.py) is the loop,
# [`selfplay/worker.py`](../src/boardzero/selfplay/worker.py) plays the games,
# [`search/forest.py`](../src/boardzero/search/forest.py) searches. What they do differently, and how much faster that is, is
# measured in [the second part](6_faster.py).

# %%
import math
import random
import time
from functools import lru_cache

import matplotlib.pyplot as plt
import numpy as np
import torch
from toolbox import GREEN, GREY, ORANGE, save_picture
from torch import nn

from boardzero import find_game

# %% tags=["parameters"]
PLANS = {  # game: (generations, games a generation, simulations a move)
    "tictactoe": (16, 80, 30),
    "connect4:rows=4,columns=5": (12, 150, 40),
}
JUDGED = 150  # positions that a network is judged by
SEED = 1

# %% [markdown]
# ## The network
#
# Planes of the board in, a number for each move and a value out. Two convolutions see the neighbourhood of each cell, the two
# heads see the whole board.


# %%
class Network(nn.Module):
    def __init__(self, game, channels: int = 32) -> None:
        super().__init__()
        cells = game.rows * game.columns
        self.trunk = nn.Sequential(
            nn.Conv2d(len(game.planes), channels, 3, padding=1),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(channels * cells, 64),
            nn.ReLU(),
        )
        self.policy = nn.Linear(64, game.action_count)
        self.value = nn.Linear(64, 1)

    def forward(self, planes: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        features = self.trunk(planes)
        return self.policy(features), torch.tanh(self.value(features)[:, 0])

    def evaluate(self, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Planes [batch, planes, rows, columns] → logits [batch, actions], values [batch] for the player to move."""
        with torch.inference_mode():
            logits, values = self(torch.from_numpy(planes))
        return logits.numpy(), values.numpy()


# %% [markdown]
# ## The search
#
# As in lesson 5, with the statistics of a node's edges in arrays.


# %%
class Node:
    """A state and what is known of its moves: P, N and W, for the player to move."""

    def __init__(self, state: np.ndarray) -> None:
        self.state = state
        self.actions: list[int] = []
        self.children: list[Node | None] = []

    def expand(self, actions: list[int], logits: np.ndarray) -> None:
        powers = np.exp(logits[actions] - logits[actions].max())
        self.P = powers / powers.sum()
        self.N, self.W = np.zeros(len(actions)), np.zeros(len(actions))
        self.actions, self.children = actions, [None] * len(actions)

    def select(self, c: float = 1.5) -> int:
        Q = self.W / np.maximum(self.N, 1)
        return int((Q + c * self.P * math.sqrt(1 + self.N.sum()) / (1 + self.N)).argmax())


def result_for_mover(game, state: np.ndarray) -> int:
    """The result of a finished game for the player who made the last move."""
    winner = game.winner(state)
    return 0 if winner is None else (1 if winner != game.turn(state) else -1)


def search(game, state: np.ndarray, evaluate, simulations: int, noise: bool, rng: np.random.Generator) -> Node:
    """The root after this many simulations."""
    root = Node(state)
    logits, _ = evaluate(game.encoded(state)[None])
    root.expand(game.legal_actions(state), logits[0])
    if noise:
        alpha = 10 / len(root.actions)
        root.P = 0.75 * root.P + 0.25 * rng.dirichlet([alpha] * len(root.actions))
    for _ in range(simulations):
        node, path = root, []
        while node is not None and node.actions:
            edge = node.select()
            path.append((node, edge))
            node = node.children[edge]
        if node is None:  # an edge that was never taken
            parent, edge = path[-1]
            node = parent.children[edge] = Node(game.next_state(parent.state, parent.actions[edge]))
        actions = game.legal_actions(node.state)
        if actions:
            logits, values = evaluate(game.encoded(node.state)[None])
            node.expand(actions, logits[0])
            value = float(values[0])
        else:
            value = -float(result_for_mover(game, node.state))
        for parent, edge in reversed(path):
            value = -value
            parent.N[edge] += 1
            parent.W[edge] += value
    return root


# %% [markdown]
# ## Self-play
#
# A sample is what the player to move saw, where the search went, and how the game ended for him. The result $z$ is an honest
# but rough teacher, the search's own value $q$ a calm but biased one; their mean serves better than either.


# %%
def play_game(game, evaluate, simulations: int, rng: np.random.Generator) -> list[tuple[np.ndarray, np.ndarray, float]]:
    """The samples of one game: planes, policy, and a value for the player to move."""
    state, samples = game.initial_state(), []
    warm = game.rows * game.columns // 4  # moves that are drawn by their visits; then the most visited is played
    for _ in range(rng.integers(2 * warm + 1)):  # random moves at first, so that no two games are alike
        if actions := game.legal_actions(state):
            state = game.next_state(state, int(rng.choice(actions)))
    while game.legal_actions(state):
        root = search(game, state, evaluate, simulations, True, rng)
        policy = np.zeros(game.action_count, np.float32)
        policy[root.actions] = root.N / root.N.sum()
        samples.append((game.encoded(state), policy, root.W.sum() / root.N.sum(), game.turn(state)))
        action = draw(root, rng) if len(samples) <= warm else root.actions[int(root.N.argmax())]
        state = game.next_state(state, action)
    winner = game.winner(state)
    results = [0 if winner is None else 1 if winner == turn else -1 for *_, turn in samples]
    return [(planes, policy, (z + q) / 2) for (planes, policy, q, _), z in zip(samples, results, strict=True)]


def draw(root: Node, rng: np.random.Generator) -> int:  # by the visits
    return root.actions[rng.choice(len(root.actions), p=root.N / root.N.sum())]


# %% [markdown]
# ## Training
#
# $$\text{loss} = (z - v)^2 - \pi \cdot \log p$$
#
# where that mean stands for $z$, and $\pi$ are the shares of the visits. Samples of the last few generations are used;
# older ones were played by weaker networks.


# %%
def mirrored(symmetry, planes: np.ndarray, policy: np.ndarray, result: float) -> tuple[np.ndarray, np.ndarray, float]:
    """The same sample on a board that was turned or mirrored: worth as much, and free."""
    turned = symmetry.apply_to_cells(planes.reshape(len(planes), -1)).reshape(planes.shape)
    return turned, symmetry.apply_to_actions(policy), result


def train(game, network: Network, optimizer: torch.optim.Optimizer, samples: list, steps: int, rng: random.Random) -> float:
    """The mean loss over this many batches."""
    total = 0.0
    for _ in range(steps):
        batch = [mirrored(rng.choice(game.symmetries), *sample) for sample in rng.choices(samples, k=128)]
        planes, policies, results = (torch.from_numpy(np.array(part, np.float32)) for part in zip(*batch, strict=True))
        logits, values = network(planes)
        loss = (values - results).square().mean() - (policies * logits.log_softmax(1)).sum(1).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / steps


# %% [markdown]
# ## The judge
#
# Both games are small enough to know the truth: play every continuation to its end and remember the result. A choice is a
# *mistake* if another move has a better true result. The network never sees any of this.


# %%
class Judge:
    """True values, and positions to ask for."""

    def __init__(self, game, count: int, rng: random.Random) -> None:
        self.game = game
        self.value_of = lru_cache(maxsize=None)(self._value_of)
        self.positions: list[np.ndarray] = []
        latest = game.rows * game.columns - 3
        while len(self.positions) < count:
            state = game.initial_state()
            for _ in range(rng.randint(latest // 2, latest)):
                if actions := game.legal_actions(state):
                    state = game.next_state(state, rng.choice(actions))
            if len(game.legal_actions(state)) > 1 and len(set(self.move_values(state))) > 1:
                self.positions.append(state)

    def _value_of(self, key: bytes) -> int:
        """The true result for the player to move."""
        state = np.frombuffer(key, np.uint64).copy()
        if not self.game.legal_actions(state):
            return -result_for_mover(self.game, state)
        best = -1
        for action in self.game.legal_actions(state):
            best = max(best, -self.value_of(self.game.next_state(state, action).tobytes()))
            if best == 1:
                break
        return best

    def move_values(self, state: np.ndarray) -> list[int]:
        moves = self.game.legal_actions(state)
        return [-self.value_of(self.game.next_state(state, action).tobytes()) for action in moves]

    def mistakes(self, choose) -> float:
        """The share of positions in which the choice, an index into the legal moves, is a mistake."""
        values = [(self.move_values(state), choose(state)) for state in self.positions]
        return sum(max(true) > true[chosen] for true, chosen in values) / len(values)


# %% [markdown]
# ## The whole loop


# %%
def learn(name: str, generations: int, games: int, simulations: int) -> tuple[Network, list[tuple[float, ...]]]:
    """A network that began knowing nothing, and after each generation: seconds, loss, mistakes alone and with search."""
    torch.manual_seed(SEED)
    game, rng, dice = find_game(name), np.random.default_rng(SEED), random.Random(SEED)
    network, judge, history = Network(game), Judge(game, JUDGED, dice), []
    optimizer = torch.optim.AdamW(network.parameters(), 2e-3, weight_decay=1e-4)
    window: list[list] = []
    loss, seconds = math.nan, 0.0

    def guess(state: np.ndarray) -> int:
        return int(network.evaluate(game.encoded(state)[None])[0][0, game.legal_actions(state)].argmax())

    def think(state: np.ndarray) -> int:
        return int(search(game, state, network.evaluate, simulations, False, rng).N.argmax())

    for generation in range(generations + 1):
        if generation > 0:
            begin = time.process_time()
            window = window[-5:]
            window.append([sample for _ in range(games) for sample in play_game(game, network.evaluate, simulations, rng)])
            samples = [sample for part in window for sample in part]
            loss = train(game, network, optimizer, samples, max(1, len(samples) // 48), dice)
            seconds += time.process_time() - begin
        alone, thinking = judge.mistakes(guess), judge.mistakes(think)
        history.append((seconds, loss, alone, thinking))
        print(f"{name} {generation:2}: {seconds:4.0f} s, mistakes {alone:4.0%} alone, {thinking:4.0%} with search")
    return network, history


# %%
torch.set_num_threads(1)  # so small a network is faster with one
learned = {name: learn(name, *plan) for name, plan in PLANS.items()}

# %%
figure, axes = plt.subplots(1, len(learned), figsize=(5.5 * len(learned), 3.6), layout="constrained", squeeze=False)
for axis, (name, (_, history)) in zip(axes[0], learned.items(), strict=True):
    seconds, losses, alone, thinking = np.array(history).T
    axis.plot(seconds, 100 * alone, color=ORANGE, marker="o", markersize=4, label="network alone")
    axis.plot(seconds, 100 * thinking, color=GREEN, marker="o", markersize=4, label=f"with {PLANS[name][2]} simulations")
    axis.set(title=name, xlabel="seconds of computing (one core)", ylabel="mistakes (%)", ylim=(0, None))
    right = axis.twinx()
    right.plot(seconds, losses, color=GREY, linestyle=":")
    right.set_ylabel("loss (dotted)", color=GREY)
    axis.legend()
save_picture(figure, "6_alphazero.png")

# %% [markdown]
# From the rules alone, in minutes. **Next:** [the same with boardzero's parts](6_faster.py), and what each of them gains.
