"""A match: many games of two players, each opening played twice with colours swapped."""

from contextlib import suppress
from dataclasses import asdict, dataclass
from typing import Any

from boardzero.arena.clock import NO_CLOCK, Clock
from boardzero.arena.game import derived_seed, play_game
from boardzero.arena.openings import Openings
from boardzero.arena.scores import INTERVAL_METHOD, Tally, elo_from_score, pairs_of, score_interval, tally_points
from boardzero.arena.sequential import SequentialTest, Verdict
from boardzero.errors import BadInput
from boardzero.events.games import GameListener, GamePlayed, GameRecord
from boardzero.players.player import Player

READY_SECONDS = 0.1  # what a player is told to think before the first clock runs


@dataclass(frozen=True)
class MatchSettings:
    """How a match is played."""

    games: int = 100  # at most, where a sequential test may end it sooner
    seed: int = 0  # openings and the players' random choices follow from it
    clock: Clock = NO_CLOCK
    test: SequentialTest | None = None

    def __post_init__(self) -> None:
        if self.games < 1:
            raise BadInput(f"A match of {self.games} games is none; it needs at least 1.")
        if self.seed < 0:
            raise BadInput(f"The seed is {self.seed}; a seed is a whole number from 0.")


@dataclass(frozen=True)
class MatchResult:
    """What a match has come to so far; all that is counted is counted for the first of the two players."""

    game: str
    players: tuple[str, str]
    settings: MatchSettings
    records: tuple[GameRecord, ...]  # game 1 with the first player's colours first, then swapped, and so on
    different_openings: int
    verdict: Verdict | None  # of the sequential test

    @property
    def points(self) -> list[float]:
        """Of the first player, in each game."""
        return [points_of(record, number % 2) for number, record in enumerate(self.records)]

    @property
    def pairs(self) -> list[tuple[float, ...]]:
        return pairs_of(self.points)

    @property
    def moving_first(self) -> Tally:
        return tally_points(self.points[0::2])

    @property
    def moving_second(self) -> Tally:
        return tally_points(self.points[1::2])

    @property
    def total(self) -> Tally:
        return self.moving_first + self.moving_second

    @property
    def interval(self) -> tuple[float, float]:
        """Where the first player's true score lies, with 95 % confidence."""
        return score_interval(self.pairs)

    @property
    def seconds(self) -> tuple[float, float]:
        """How long each player thought."""
        first = sum(record.seconds[number % 2] for number, record in enumerate(self.records))
        return first, sum(sum(record.seconds) for record in self.records) - first

    @property
    def faults(self) -> list[str]:
        return [f"Game {number}: {record.remark}." for number, record in enumerate(self.records, 1) if record.is_fault]

    @property
    def repeated_openings(self) -> bool:
        """Did openings have to come again, so that players who always answer the same repeat their games?"""
        return len(self.pairs) > self.different_openings

    def as_dict(self) -> dict[str, Any]:
        total = self.total
        counts = [sum(1 for pair in self.pairs if len(pair) == 2 and round(2 * sum(pair)) == points) for points in range(5)]
        return {
            "game": self.game,
            "players": list(self.players),
            "games": total.games,
            "wins": total.wins,
            "draws": total.draws,
            "losses": total.losses,
            "score": total.score,
            "interval": list(self.interval),
            "interval_method": INTERVAL_METHOD,
            "elo": None if total.score is None else elo_from_score(total.score),
            "elo_interval": [elo_from_score(end) for end in self.interval],
            "moving_first": self.moving_first.as_dict(),
            "moving_second": self.moving_second.as_dict(),
            "pairs": dict(zip(("0", "0.5", "1", "1.5", "2"), counts, strict=True)),
            "openings": self.different_openings,
            "faults": self.faults,
            "seconds": list(self.seconds),
            "seed": self.settings.seed,
            "clock": asdict(self.settings.clock),
            "sprt": self.verdict.as_dict() if self.verdict else None,
        }


class Match:
    """Two players meet; the first of them has the first side in games 1, 3, 5, …"""

    def __init__(
        self,
        players: tuple[Player, Player],
        settings: MatchSettings,
        *,
        names: tuple[str, str] | None = None,
        openings: Openings | None = None,
        on_game: GameListener | None = None,
    ) -> None:
        """names: what the players are called in reports (their specifications); openings: shared with other matches."""
        self.players, self.settings, self._on_game = players, settings, on_game
        self.game = players[0].game
        self.names = names or (players[0].specification, players[1].specification)
        self._openings = openings or Openings(self.game, settings.seed)
        self._records: list[GameRecord] = []

    @property
    def finished(self) -> bool:
        return len(self._records) >= self.settings.games or self._decided

    def play(self) -> MatchResult:
        """Play all that is left."""
        while not self.finished:
            self.play_next()
        return self.result()

    def play_next(self) -> GameRecord:
        """Play one more game."""
        number = len(self._records)
        if number == 0 and self.settings.clock.runs:
            self._get_ready()
        colours = self.players if number % 2 == 0 else (self.players[1], self.players[0])
        position = self._openings[number // 2].position(self.game)
        seed = derived_seed(self.settings.seed, number)
        record = play_game(colours, position, clock=self.settings.clock, seed=seed, is_first=number == 0)
        self._records.append(record)
        self._report(record)
        return record

    def result(self) -> MatchResult:
        """What has been played so far."""
        verdict = self._verdict() if self.settings.test else None
        different = self._openings.different((len(self._records) + 1) // 2)
        return MatchResult(self.game.specification, self.names, self.settings, tuple(self._records), different, verdict)

    @property
    def _decided(self) -> bool:
        """Has the sequential test ended the match? Asked after whole pairs only."""
        verdict = self._verdict() if self.settings.test and len(self._records) % 2 == 0 else None
        return verdict is not None and verdict.decision != "undecided"

    def _verdict(self) -> Verdict | None:
        points = [points_of(record, number % 2) for number, record in enumerate(self._records)]
        return self.settings.test.judge(pairs_of(points)) if self.settings.test else None

    def _report(self, record: GameRecord) -> None:
        if self._on_game is None:
            return
        points = sum(points_of(record, number % 2) for number, record in enumerate(self._records))
        played = len(self._records)
        self._on_game(GamePlayed(self.names, played, self.settings.games, (points, played - points), record))

    def _get_ready(self) -> None:
        """One move that no clock sees: what a player compiles, loads or starts when first asked is not its thinking."""
        for player in self.players:
            with suppress(Exception):  # it will fail again in the game, and lose it
                player.start_game(0)
                player.choose(self._openings[0].position(self.game), READY_SECONDS)


def points_of(record: GameRecord, side: int) -> float:
    """What a side (0 = first, 1 = second) got from a game: 1, ½ or 0."""
    return 0.5 if record.winner is None else float(record.winner == side)
