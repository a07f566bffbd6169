"""Ratings: play what tells most, fit all games together, say how sure it is."""

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from boardzero.arena.game import derived_seed
from boardzero.arena.openings import Openings
from boardzero.errors import BadInput
from boardzero.evaluation.batched_games import PlannedGame, play_together
from boardzero.evaluation.entrants import Entrant
from boardzero.evaluation.pairings import Pairing, choose_pairings
from boardzero.evaluation.rating_games import RatingGames, opening_text
from boardzero.evaluation.rating_model import Fit, bootstrap_intervals, fit_strengths, scatter_of_pairs
from boardzero.evaluation.rating_scales import Scale, wandhoven_difference
from boardzero.events.games import GameRecord
from boardzero.games.rules import Game

UNIT_PAIRS = 2  # pairs of games that are planned together
BATCH_UNITS = 16  # units at least that are planned before the ratings are fitted anew; as many as players, if those are more
MOST_PAIRS = 500  # of the same two players
LEAST_STRETCH = 1.1  # of differences by draws, that is worth a sentence
DURABLE_SECONDS = 5.0  # after which games of a batch are written, should the whole of it never end
GameReport = Callable[[GameRecord], None]


@dataclass(frozen=True)
class Rated:
    """One line of the table."""

    entrant: Entrant
    rating: float
    interval: tuple[float, float]  # 95 %, against the anchor
    games: int
    points: float
    stronger: float | None  # chance that it is stronger than the next one in the table; None for the last

    @property
    def half_width(self) -> float:
        """Of the interval."""
        return (self.interval[1] - self.interval[0]) / 2

    def as_dict(self) -> dict[str, Any]:
        return {
            **self.entrant.as_dict(),
            "rating": self.rating,
            "interval": list(self.interval),
            "games": self.games,
            "points": self.points,
            "stronger_than_next": self.stronger,
        }


@dataclass(frozen=True)
class NotRated:
    """Somebody whose games, if there are any, do not lead to the anchor, not even over others: a rating would be made up."""

    entrant: Entrant
    games: int

    def as_dict(self) -> dict[str, Any]:
        return {**self.entrant.as_dict(), "games": self.games}


@dataclass(frozen=True)
class Step:
    """How much a network gained over the one before it: by the fit of all games, and by their own match alone."""

    run: str
    before: int
    after: int
    fitted: float
    score: float | None  # of the later one against the earlier, if they met
    by_match: float | None  # Wandhoven's Δr from that score

    def as_dict(self) -> dict[str, Any]:
        by_match = self.by_match if self.by_match is None or np.isfinite(self.by_match) else None
        return {**vars(self), "by_match": by_match}


@dataclass(frozen=True)
class Ratings:
    """All ratings, the highest first."""

    game: str
    scale: Scale
    anchor: str
    rated: tuple[Rated, ...]
    not_rated: tuple[NotRated, ...]
    games: int  # that the fit is of
    advantage: float  # of moving first, in points of the scale
    draw_share: float  # of all games
    stretch: float  # how many times as large small differences are as Elo's formula would have them, draws being half wins
    scatter: float  # of pairs of games, against what single games say
    steps: tuple[Step, ...]

    def rates_trained_networks_of(self, run: Path) -> bool:
        """Any of them? The untrained one may be that of other runs, too, and says nothing about this one."""
        here = str(run.resolve())
        return any(folder == here and generation > 0 for one in self.rated for folder, generation in one.entrant.places)

    def said_simulations(self) -> str:
        """With how many the networks of runs play; nothing where there are none."""
        everyone = [*(one.entrant for one in self.rated), *(one.entrant for one in self.not_rated)]
        numbers = sorted({entrant.simulations for entrant in everyone if entrant.simulations is not None})
        if not numbers:
            return ""
        return f"networks of runs with {' and '.join(map(str, numbers))} simulation{'s' * (numbers != [1])} a move"

    def said_stretch(self) -> str:
        """Nothing where draws are rare."""
        if self.stretch < LEAST_STRETCH:
            return ""
        return f"For these draws, differences are {self.stretch:.1f} × what scores alone would say."

    def as_dict(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "scale": self.scale.name,
            "anchor": self.anchor,
            "anchor_rating": self.scale.anchor_rating,
            "players": [one.as_dict() for one in self.rated],
            "not_rated": [one.as_dict() for one in self.not_rated],
            "games": self.games,
            "first_mover_advantage": self.advantage,
            "draw_share": self.draw_share,
            "draw_stretch": self.stretch,
            "pair_scatter": self.scatter,
            "steps": [step.as_dict() for step in self.steps],
        }


@dataclass(frozen=True)
class Matrix:
    """Scores of every network against every other, the oldest first: row against column; NaN where they have not met."""

    names: tuple[str, ...]
    scores: np.ndarray
    games: np.ndarray
    first_score: float | None  # of who moved first, whoever it was; None if none have met

    @property
    def label(self) -> str:
        """Of the run that its first network is of."""
        return self.names[0].rpartition(" ")[0]

    def as_dict(self) -> dict[str, Any]:
        scores = [[None if np.isnan(score) else float(score) for score in row] for row in self.scores]
        return {
            "players": list(self.names),
            "scores": scores,
            "games": self.games.tolist(),
            "first_mover_score": self.first_score,
        }


class Rating:
    """Players, the games they have played, and what to play next.

    anchor    the number of the player whose strength is 0
    compared  are the networks to be compared with each other, rather than everyone with the anchor?
    """

    def __init__(
        self, game: Game, entrants: Sequence[Entrant], file: RatingGames, anchor: int, seed: int = 0, compared: bool = False
    ) -> None:
        self.game, self.entrants, self.file, self.anchor, self.seed = game, list(entrants), file, anchor, seed
        self._compared = self._networks() if compared else []
        self.keys = [entrant.key for entrant in entrants]
        self._openings = Openings(game, seed)
        self._openings[MOST_PAIRS - 1]  # all that there are, up to the most that anybody can need
        different = range(self._openings.different(MOST_PAIRS))
        self._opening_texts = [opening_text(self._openings[number].position(game)) for number in different]

    @property
    def games(self) -> int:
        return sum(self.file.played(self.keys).values())

    def fit(self) -> Fit:
        return fit_strengths(self.file.results(self.keys), self.anchor)

    # -- playing -------------------------------------------------------------------------------------------------------
    def play(self, games: int, on_game: GameReport) -> None:
        """At least so many more games: first those that connect everyone, then those that tell most."""
        goal = self.games + games
        while (missing := goal - self.games) > 0:
            plan = self._connecting()
            if not plan:
                units = max(1, min(max(BATCH_UNITS, len(self.keys)), missing // (2 * UNIT_PAIRS)))
                plan = dict(choose_pairings(self.fit(), units, 2 * UNIT_PAIRS, self._units_left(), self._compared))
            if not plan:
                break  # every opening has been played by everyone
            self._play({pairing: units * UNIT_PAIRS for pairing, units in plan.items()}, on_game)

    def complete_matrix(self, games: int, on_game: GameReport) -> None:
        """Let every two networks meet in at least so many games."""
        played = self.file.played(self.keys)
        pairings = itertools.combinations(self._networks(), 2)
        missing = {pairing: -(-(games - played.get(pairing, 0)) // 2) for pairing in pairings}
        self._play({pairing: pairs for pairing, pairs in missing.items() if pairs > 0}, on_game)

    def _connecting(self) -> dict[Pairing, int]:
        """A unit between neighbours in the list wherever players are not yet connected by games."""
        group, plan = self._groups(), {}
        for number in range(1, len(group)):
            if group[number] != group[number - 1]:
                plan[number - 1, number] = 1
                group = _joined(group, number - 1, number)
        return plan

    def _groups(self) -> list[int]:
        """[players]: the same number for all whom games connect, if only over others."""
        group = list(range(len(self.keys)))
        for a, b in self.file.played(self.keys):
            group = _joined(group, a, b)
        return group

    def _units_left(self) -> Callable[[int, int], int]:
        """Two players who meet again from an opening may only repeat themselves: each opening is played once."""
        played = self.file.openings()
        return lambda a, b: sum(1 for _ in self._unplayed((a, b), played)) // (2 * UNIT_PAIRS)

    def _unplayed(self, pairing: Pairing, played: Mapping[tuple[str, str], set[str]]) -> Iterator[tuple[int, int, int]]:
        """Games that these two have not played: the opening's number, who moves first and who second.

        A pairing that was interrupted lacks some of both colours, anywhere.
        """
        a, b = pairing
        sides = [
            (first, second, played.get((self.keys[first], self.keys[second]), set())) for first, second in ((a, b), (b, a))
        ]
        for number, text in enumerate(self._opening_texts):
            for first, second, done in sides:
                if text not in done:
                    yield number, first, second

    def _play(self, plan: dict[Pairing, int], on_game: GameReport) -> None:
        """Pairs of games of each pairing, from openings that these two have not played; all of them at once."""
        played = self.file.openings()
        games: list[PlannedGame] = []
        keys: list[tuple[str, str]] = []
        for (a, b), pairs in plan.items():
            for number, first, second in itertools.islice(self._unplayed((a, b), played), 2 * pairs):
                seed = derived_seed(self.seed, a, b, number, int(first > second))
                players = (self.entrants[first].player(self.game), self.entrants[second].player(self.game))
                games.append(PlannedGame(players, self._openings[number].position(self.game), seed))
                keys.append((self.keys[first], self.keys[second]))
        finished: list[tuple[tuple[str, str], GameRecord]] = []
        written = time.monotonic()

        def keep() -> None:
            nonlocal written
            kept, finished[:] = finished.copy(), []
            written = time.monotonic()
            if kept:
                self.file.append(kept)

        def take(number: int, record: GameRecord) -> None:
            finished.append((keys[number], record))
            on_game(record)
            if time.monotonic() - written > DURABLE_SECONDS:
                keep()

        try:
            play_together(games, take)
        finally:  # what is finished is kept, whatever ended the rest
            keep()

    # -- answers -------------------------------------------------------------------------------------------------------
    def ratings(self, scale: Scale, replicates: int = 1000) -> Ratings:
        """From all games so far of those whom games connect with the anchor; nothing is known about the others."""
        group = self._groups()
        members = [number for number in range(len(group)) if group[number] == group[self.anchor]]
        keys = [self.keys[number] for number in members]
        results = self.file.results(keys)
        if not len(results.games):
            raise BadInput(self._said_nothing())
        fit = fit_strengths(results, members.index(self.anchor))
        scatter = scatter_of_pairs(results, fit, *self.file.pairs(keys))
        intervals = bootstrap_intervals(results, fit, self.seed, replicates, scatter=scatter)
        points, games = results.totals()
        ranked = sorted(range(len(members)), key=lambda number: -fit.strengths[number])
        below: list[int | None] = [*ranked[1:], None]
        rated = [
            Rated(
                self.entrants[members[number]],
                scale.rating(fit.strengths[number]),
                (scale.rating(intervals[number, 0]), scale.rating(intervals[number, 1])),
                int(games[number]),
                float(points[number]),
                None if other is None else fit.chance_stronger(number, other, scatter),
            )
            for number, other in zip(ranked, below, strict=True)
        ]
        return Ratings(
            self.game.specification,
            scale,
            self.entrants[self.anchor].name,
            tuple(rated),
            tuple(self._not_rated(members)),
            int(results.games.sum()),
            scale.points * fit.advantage,
            float(results.counts[:, 1].sum() / results.games.sum()),
            fit.stretch,
            scatter,
            tuple(self._steps(dict(zip(members, fit.strengths.tolist(), strict=True)), scale)),
        )

    def _said_nothing(self) -> str:
        if not self.games:
            return "No games have been played yet, so nothing can be rated."
        name = self.entrants[self.anchor].name
        return f"The anchor {name} has no games, so nothing can be rated; play some (--games) or choose another (--anchor)."

    def _not_rated(self, members: Sequence[int]) -> Iterator[NotRated]:
        """Everyone else."""
        _, games = self.file.results(self.keys).totals()
        for number, entrant in enumerate(self.entrants):
            if number not in members:
                yield NotRated(entrant, int(games[number]))

    def _steps(self, strengths: Mapping[int, float], scale: Scale) -> list[Step]:
        """From network to network of each run; strengths: by number, of those who are rated."""
        matrix, steps = self.matrix(), []
        rows = {number: row for row, number in enumerate(self._networks())}
        runs: dict[str, list[tuple[int, int]]] = {}  # generation and number of each network
        for number in strengths:
            for run, generation in self.entrants[number].places:
                runs.setdefault(run, []).append((generation, number))
        for run, networks in runs.items():
            for (before, a), (after, b) in itertools.pairwise(sorted(networks)):
                found = matrix.scores[rows[b], rows[a]]
                score = None if np.isnan(found) else float(found)
                by_match = None if score is None else wandhoven_difference(score)
                fitted = scale.points * (strengths[b] - strengths[a])
                steps.append(Step(run, before, after, fitted, score, by_match))
        return steps

    def _networks(self) -> list[int]:
        """Their numbers."""
        return [number for number, entrant in enumerate(self.entrants) if entrant.is_network]

    def matrix(self) -> Matrix:
        """The networks' games among themselves."""
        networks = [self.entrants[number] for number in self._networks()]
        results = self.file.results([entrant.key for entrant in networks])
        points, games = np.zeros((len(networks),) * 2), np.zeros((len(networks),) * 2, np.int64)
        for first, second, counts in zip(results.first, results.second, results.counts, strict=True):
            score = counts[0] + counts[1] / 2
            points[first, second] += score
            points[second, first] += counts.sum() - score
            games[first, second] += int(counts.sum())
            games[second, first] += int(counts.sum())
        scores = np.where(games > 0, points / np.maximum(games, 1), np.nan)
        first_points, played = results.counts[:, 0].sum() + results.counts[:, 1].sum() / 2, results.counts.sum()
        first_score = float(first_points / played) if played else None
        return Matrix(tuple(entrant.name for entrant in networks), scores, games, first_score)


def _joined(group: Sequence[int], a: int, b: int) -> list[int]:
    """[players]: the groups of a and b made one."""
    return [group[a] if one == group[b] else one for one in group]
