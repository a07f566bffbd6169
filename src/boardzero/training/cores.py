"""Who works on the cores of this machine: threads that play, that learn and that play matches."""

from collections.abc import Callable

from boardzero.cores import usable_cores
from boardzero.games.rules import Game
from boardzero.search.forest import Evaluator
from boardzero.selfplay.source import LocalSelfPlay, SelfPlaySource
from boardzero.selfplay.turns import SelfPlayInTurn
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.run import RunSettings
from boardzero.training.curriculum import Curriculum

EvaluatorOf = Callable[[int, Game], Callable[[], Evaluator]]  # makes evaluators with a generation's network, one a thread


def selfplay_here(settings: RunSettings, curriculum: Curriculum, first: int, evaluator_of: EvaluatorOf) -> SelfPlaySource:
    """Workers whose games have numbers from this one on, which no game of the run has had."""
    count = settings.selfplay.workers or _most_workers(settings)
    step = count * len(curriculum.games)

    def playing(game: Game) -> LocalSelfPlay:
        """Its workers share the numbers with those of all other games of the run."""
        own = first + curriculum.number(game) * count
        workers = [
            SelfPlayWorker(game, settings.selfplay, settings.search, settings.seed, own + index, step) for index in range(count)
        ]
        return LocalSelfPlay(workers, lambda generation: evaluator_of(generation, game))

    if not curriculum.has_stages:
        return playing(curriculum.games[0])
    return SelfPlayInTurn(playing, lambda: curriculum.playing, lambda: curriculum.coming)


def threads_of_training(settings: RunSettings, selfplay: SelfPlaySource) -> int:
    """Alone, all cores, unless one worker says that the run is to be the same again; beside self-play, the others."""
    cores = len(usable_cores())
    if settings.mode == "concurrent":
        return max(1, cores - selfplay.cores_here)
    return 1 if len(selfplay.workers) == 1 else cores


def threads_of_matches(settings: RunSettings, selfplay: SelfPlaySource) -> int:
    """All cores when nobody plays meanwhile, unless one worker says that the run is to be the same again."""
    alone = settings.mode == "alternating" and len(selfplay.workers) > 1
    return len(usable_cores()) if alone else 1


def _most_workers(settings: RunSettings) -> int:
    """One a core; beside self-play the learner needs one."""
    cores = len(usable_cores())
    return max(1, cores - 1) if settings.mode == "concurrent" else cores
