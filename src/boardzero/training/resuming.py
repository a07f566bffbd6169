"""Where a run goes on: at its newest checkpoint; if none can be read, at its newest network; otherwise at the beginning."""

from pathlib import Path

from boardzero.errors import BadInput
from boardzero.network.weights import load_network
from boardzero.replay.replay import Replay
from boardzero.replay.shards import set_aside
from boardzero.training.learner import Learner
from boardzero.training.run_folder import Progress, RunFolder, Say


def find_start(folder: RunFolder, learner: Learner, replay: Replay, say: Say) -> Progress:
    """Bring the learner to where the run goes on, and say how far that is; every damaged file on the way is set aside."""
    checkpoint = folder.load_checkpoint(say)
    if checkpoint is not None:
        progress, tensors = checkpoint
        learner.restore(tensors)
        return progress
    for generation in reversed(folder.network_generations()):
        path = folder.network(generation)
        if network_is_sound(path, say):
            return _start_at_network(path, generation, learner, replay)
    return Progress()


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


def _start_at_network(path: Path, generation: int, learner: Learner, replay: Replay) -> Progress:
    """Begin with a network's weights and no memory of how they were found."""
    stored = load_network(path)
    learner.begin_with(stored.network)
    every, later = replay.totals(), replay.totals(generation)
    seconds = float(stored.header.details.get("seconds", 0.0)) if generation else 0.0
    return Progress(generation, seconds, every.games - later.games, every.positions - later.positions, every.next_number)
