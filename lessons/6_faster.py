# %% [markdown]
# # 6, second part · The same with boardzero's parts
#
# [AlphaZero in 300 lines](6_alphazero.py) is complete, and slow. Here its parts are exchanged for boardzero's one by one,
# and each exchange is timed: the same game, the same network, the same number of simulations a move, all in one run.
#
# **In boardzero:** [docs/search.md](../docs/search.md) and [docs/training.md](../docs/training.md) tell how the parts work.

# %%
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import torch
from toolbox import BLUE, GREY, HERE, ORANGE, definitions, save_picture

from boardzero import SearchSettings, find_game
from boardzero.games.randomness import new_stream
from boardzero.network.build import build_network
from boardzero.network.evaluator import OnnxEvaluator, TorchEvaluator
from boardzero.network.onnx_export import export_onnx
from boardzero.replay.replay import Replay
from boardzero.selfplay.pool import play_games
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.network import NetworkSettings
from boardzero.settings.replay import ReplaySettings, WindowSettings
from boardzero.settings.search import MoveSettings, PlayoutCap
from boardzero.settings.selfplay import SelfPlaySettings
from boardzero.settings.training import TrainingSettings
from boardzero.training.learner import Learner

# %% tags=["parameters"]
GAME_NAME = "connect4:rows=4,columns=5"
SIMULATIONS = 40  # a move
SECONDS = 1.0  # of one measurement
ROUNDS = 8  # of measurements, the steps in turn; the best of each counts, so that other work on the machine does less harm
BATCH = 128  # games at once
CORES = os.cpu_count() or 1
PLANS = ((12, 150), (12, 600))  # generations, games a generation
MOST_STEPS = 400  # of training in a generation
JUDGED = 150  # positions that a network is judged by
SEED = 1

# %% [markdown]
# ## Seven steps
#
# Speed is counted in simulations a second during self-play. The steps build on each other:
#
# | step | what changes |
# |---|---|
# | plain Python | lesson 6, its rules interpreted too (Numba switched off) |
# | compiled rules | lesson 6 as it is: the rules are machine code |
# | compiled search | one tree of boardzero's forest: no Python between two evaluations |
# | batching | many games at once, so that one call evaluates many positions |
# | ONNX Runtime | the network without PyTorch's overhead |
# | threads | one for each core; search and network both release Python's lock |
# | cache | a position that was evaluated before is not evaluated again |


# %%
def new_network() -> torch.nn.Module:
    return build_network(NetworkSettings(blocks=2, channels=32), find_game(GAME_NAME), seed=SEED)


def know_nothing(planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """An evaluator that costs nothing: all moves alike, all positions even."""
    return np.zeros((len(planes), find_game(GAME_NAME).action_count), np.float32), np.zeros(len(planes), np.float32)


def plain_speed(simulations: int, seconds: float, with_network: bool) -> float:
    """Simulations a second of lesson 6, every position evaluated alone."""
    torch.set_num_threads(1)
    lesson, game, rng = definitions("6_alphazero"), find_game(GAME_NAME), np.random.default_rng(0)
    evaluate = TorchEvaluator(new_network(), "cpu") if with_network else know_nothing
    state, done = game.initial_state(), 0
    with np.errstate(over="ignore"):  # unsigned arithmetic wraps, as in compiled code
        lesson.search(game, state, evaluate, 2, True, rng)
        begin = time.perf_counter()
        while (elapsed := time.perf_counter() - begin) < seconds:
            root = lesson.search(game, state, evaluate, simulations, True, rng)
            state = game.next_state(state, lesson.draw(root, rng))
            if not game.legal_actions(state):
                state = game.initial_state()
            done += simulations
    return done / elapsed


def interpreted_speed(simulations: int, seconds: float, with_network: bool) -> float:
    """The same in a process of its own, in which Numba compiles nothing."""
    code = f"from toolbox import definitions as d; print(d('6_faster').plain_speed({simulations}, {seconds}, {with_network}))"
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(HERE)}
    done = subprocess.run([sys.executable, "-c", code], cwd=HERE, env=environment, capture_output=True, text=True, check=True)
    return float(done.stdout)


def selfplay_settings(simulations: int, games: int, cache: int) -> SelfPlaySettings:
    """Lesson 6's way to play."""
    return SelfPlaySettings(
        games=games,
        cap=PlayoutCap(full_probability=1, full_simulations=simulations),
        moves=MoveSettings(temperature=1, temperature_plies=12),
        keep_tree=False,
        opening_share=1,
        opening_plies=10,
        cache=cache,
    )


def make_workers(simulations: int, games: int, cache: int, threads: int) -> list[SelfPlayWorker]:
    settings, search = selfplay_settings(simulations, games, cache), SearchSettings(exact=False)
    return [SelfPlayWorker(find_game(GAME_NAME), settings, search, SEED, first, threads) for first in range(threads)]


def worker_speed(simulations: int, seconds: float, evaluator, games: int, cache: int = 0, threads: int = 1) -> float:
    """Simulations a second of boardzero's self-play."""
    workers = make_workers(simulations, games, cache, threads)

    def play(how_long: float) -> float:
        """Gives the seconds that it took in the end."""
        begin = time.perf_counter()
        play_games(workers, evaluator, 0, lambda games: time.perf_counter() - begin > how_long)
        return time.perf_counter() - begin

    play(0.2)
    before = sum(worker.forest.counts().simulations for worker in workers)
    elapsed = play(seconds)
    return (sum(worker.forest.counts().simulations for worker in workers) - before) / elapsed


# %%
torch.set_num_threads(1)
model = export_onnx(new_network(), find_game(GAME_NAME))


def with_torch() -> TorchEvaluator:
    return TorchEvaluator(new_network(), "cpu")


def with_onnx() -> OnnxEvaluator:
    return OnnxEvaluator(model)


def free() -> Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]:
    return know_nothing


what = (SIMULATIONS, SECONDS)
steps = {
    "plain Python": lambda: interpreted_speed(*what, True),
    "compiled rules": lambda: plain_speed(*what, True),
    "compiled search": lambda: worker_speed(*what, with_torch, 1),
    "batching": lambda: worker_speed(*what, with_torch, BATCH),
    "ONNX Runtime": lambda: worker_speed(*what, with_onnx, BATCH),
    f"threads ({CORES})": lambda: worker_speed(*what, with_onnx, BATCH, threads=CORES),
    "cache": lambda: worker_speed(*what, with_onnx, BATCH, cache=1 << 17, threads=CORES),
}
free_steps = {
    "plain Python": lambda: interpreted_speed(*what, False),
    "compiled rules": lambda: plain_speed(*what, False),
    "compiled search": lambda: worker_speed(*what, free, 1),
    "batching": lambda: worker_speed(*what, free, BATCH),
}


def best_of_rounds(measurements: dict[str, Callable[[], float]]) -> dict[str, float]:
    rounds = [{step: measure() for step, measure in measurements.items()} for _ in range(ROUNDS)]
    return {step: max(speeds[step] for speeds in rounds) for step in measurements}


speeds, free_speeds = best_of_rounds(steps), best_of_rounds(free_steps)
slowest = speeds["plain Python"]
for step, speed in speeds.items():
    alone = f"; without the network {free_speeds[step]:9,.0f}" if step in free_speeds else ""
    print(f"{step:16} {speed:8,.0f} simulations/s, × {speed / slowest:5.1f}{alone}")

# %% [markdown]
# With the network in the loop the first steps hardly show: nearly all time goes into evaluating positions one by one.
# Without it (the pale bars) rules and search show what they gained. Only together do they matter: once evaluations come in
# batches, a search in plain Python would be what everything waits for. Threads gain as much as there are cores free: next
# to nothing if the machine has other work, as it had when this page was written.

# %% [markdown]
# ## The same run
#
# Lesson 6's loop with boardzero's parts, judged in the same positions. First with as many games as there, then with four
# times as many.


# %%
def play_generation(workers: list[SelfPlayWorker], replay: Replay, model: bytes, generation: int, games: int) -> None:
    """Play at least so many games into the memory."""
    missing = games

    def take_in(finished: list) -> bool:
        nonlocal missing
        replay.add(finished)
        missing -= len(finished)
        return missing <= 0

    play_games(workers, lambda: OnnxEvaluator(model), generation, take_in)


def share_of_mistakes(judge, game, model: bytes) -> float:
    """The share of mistakes of a network alone."""
    evaluate = OnnxEvaluator(model)
    return judge.mistakes(lambda state: int(evaluate(game.encoded(state)[None])[0][0, game.legal_actions(state)].argmax()))


def learn(generations: int, games: int) -> list[tuple[float, float]]:
    """After each generation: the seconds of self-play and training, and the share of mistakes of the network alone."""
    lesson, game = definitions("6_alphazero"), find_game(GAME_NAME)
    judge = lesson.Judge(game, JUDGED, random.Random(SEED))
    learner = Learner(new_network(), TrainingSettings(batch=128, learning_rate=2e-3), "cpu")
    workers = make_workers(SIMULATIONS, max(1, min(BATCH, games) // CORES), 1 << 17, CORES)
    window = WindowSettings(kind="generations", generations=6, generations_step=0)
    stream, seconds = new_stream(SEED), 0.0
    model = export_onnx(learner.playing, game)
    history = [(seconds, share_of_mistakes(judge, game, model))]
    with tempfile.TemporaryDirectory() as folder:
        replay = Replay(game, ReplaySettings(window=window), Path(folder))
        for generation in range(generations):
            begin = time.perf_counter()
            play_generation(workers, replay, model, generation, games)
            steps = max(1, min(replay.positions // 48, MOST_STEPS))
            learner.train(lambda: replay.sample(128, stream), steps, generation / generations)
            model = export_onnx(learner.playing, game)
            seconds += time.perf_counter() - begin
            history.append((seconds, share_of_mistakes(judge, game, model)))
    return history


runs = {plan: learn(*plan) for plan in PLANS}
for (generations, games), history in runs.items():
    print(f"{generations * games:6} games: {history[-1][0]:5.1f} s, mistakes {history[0][1]:.0%} → {history[-1][1]:.0%}")

# %%
figure, axes = plt.subplots(1, 2, figsize=(13, 4.6), width_ratios=(1.25, 1), layout="constrained")
names = list(speeds)[::-1]
places = np.arange(len(names))
bars = axes[0].barh(places + 0.2, [speeds[name] for name in names], 0.4, color=BLUE, label="with the network")
axes[0].bar_label(bars, [f" {speeds[name]:,.0f}/s · × {speeds[name] / slowest:.3g}" for name in names], fontsize=8)
pale = [free_speeds.get(name, math.nan) for name in names]
bars = axes[0].barh(places - 0.2, pale, 0.4, color="#bcd0e8", label="without it")
axes[0].bar_label(bars, [f" {speed:,.0f}/s" if speed == speed else "" for speed in pale], fontsize=8, color=GREY)
largest = max(*speeds.values(), *free_speeds.values())
axes[0].set(xscale="log", xlim=(slowest / 3, 14 * largest), xlabel="simulations a second (logarithmic)")
axes[0].set_yticks(places, names)
axes[0].legend(loc="upper right")
axes[0].set_title(f"self-play of {GAME_NAME}, step upon step")
for ((generations, games), history), colour in zip(runs.items(), (ORANGE, BLUE), strict=False):
    seconds, shares = np.array(history).T
    axes[1].plot(seconds, 100 * shares, color=colour, marker="o", markersize=3, label=f"{generations * games} games")
axes[1].set(title="learning with boardzero's parts", xlabel="seconds of self-play and training", ylim=(0, None))
axes[1].set_ylabel("mistakes of the network alone (%)")
axes[1].legend()
save_picture(figure, "6_faster.png")

# %% [markdown]
# **Next:** [lesson 7](7_elo.py), how strong is it?
