"""Where the time of a run goes."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from boardzero.network.evaluator import Floats, NetworkEvaluator


class Stopwatch:
    """Seconds spent on each part of a run since this was made."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.current: str | None = None  # the part that is under way
        self._evaluators: list[list[float]] = []

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """Count what happens inside as time of this part."""
        begun, self.current = time.perf_counter(), name
        try:
            yield
        finally:
            self.current = None
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - begun

    def timed(self, evaluate: NetworkEvaluator) -> NetworkEvaluator:
        """The same evaluator, whose time counts as evaluation; each thread needs its own."""
        spent = [0.0]
        self._evaluators.append(spent)

        def evaluate_and_count(planes: Floats) -> tuple[Floats, Floats]:
            begun = time.perf_counter()
            answer = evaluate(planes)
            spent[0] += time.perf_counter() - begun
            return answer

        return evaluate_and_count

    @property
    def evaluation(self) -> float:
        """Seconds of all threads together that evaluators took."""
        return sum(spent[0] for spent in self._evaluators)
