"""Where a run goes on: at its newest checkpoint; if none can be read, at its newest network; otherwise at the beginning."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from boardzero.errors import BadInput
from boardzero.network.weights import load_network
from boardzero.replay.replay import GameTotals
from boardzero.replay.shards import set_aside
from boardzero.training.learner import Learner
from boardzero.training.run_clock import kept_seconds
from boardzero.training.run_folder import Progress, Promotions, RunFolder, Say


def find_start(folder: RunFolder, make_learner: Callable[[bool], Learner], say: Say) -> tuple[Learner, Progress]:
    """The learner where the run goes on, and how far that is; every damaged file on the way is set aside.

    make_learner(grown): with a new network, of the size that it has at first or when it has grown.
    """
    checkpoint = folder.load_checkpoint(say)
    if checkpoint is not None:
        progress, tensors = checkpoint
        learner = make_learner(progress.grown)
        learner.restore(tensors)
        return learner, progress
    for generation in reversed(folder.network_generations()):
        path = folder.network(generation)
        if network_is_sound(path, say):
            return _start_at_network(path, generation, make_learner)
    return make_learner(False), Progress()


def network_is_sound(path: Path, say: Say) -> bool:
    """Is the network there, complete? A damaged one is set aside."""
    if not path.is_file():
        return False
    try:
        load_network(path)
    except BadInput as error:
        say(f"{error} It was renamed to '{set_aside(path).name}'.")
        return False
    return True


def find_best(folder: RunFolder, generation: int, say: Say) -> Promotions:
    """What the gate decided up to this generation, without networks that cannot be read any more."""
    promotions = folder.load_promotions(say).up_to(generation)
    while promotions.promoted and not network_is_sound(folder.network(promotions.best), say):
        promotions = replace(promotions, promoted=promotions.promoted[:-1])
    if not network_is_sound(folder.network(promotions.best), say):  # not even the first one is there
        promotions = replace(promotions, promoted=(generation,))
    return promotions


def games_since(progress: Progress, every: GameTotals) -> tuple[Progress, GameTotals]:
    """The games that came after the checkpoint; and the progress, without games that were lost by damage."""
    games, positions, number = every.games, every.positions, max(progress.next_number, every.next_number)
    progress = replace(progress, games=min(progress.games, games), positions=min(progress.positions, positions))
    return progress, GameTotals(games - progress.games, positions - progress.positions, number)


def seconds_at_work(folder: RunFolder, progress: Progress, waiting: GameTotals, say: Say) -> float:
    """Seconds that a run has been at work: up to its checkpoint, and for the games that came after it, which stay.

    What else was done after the checkpoint is done again, so its time counts then.
    """
    kept = kept_seconds(folder, say)
    return max(progress.seconds, kept) if waiting.games else progress.seconds


def _start_at_network(path: Path, generation: int, make_learner: Callable[[bool], Learner]) -> tuple[Learner, Progress]:
    """Begin with a network's weights and no memory of how they were found; its header says how far the run was."""
    stored = load_network(path)
    progress = Progress(**stored.header.details["progress"]) if generation else Progress()
    learner = make_learner(progress.grown)
    learner.begin_with(stored.network)
    return learner, progress
