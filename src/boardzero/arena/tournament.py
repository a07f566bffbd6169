"""A round robin: every player meets every other, and a table says who did how well against whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from boardzero.arena.match import Match, MatchResult, MatchSettings
from boardzero.arena.openings import Openings
from boardzero.arena.scores import Tally, score_interval
from boardzero.errors import BadInput
from boardzero.events.games import GameListener
from boardzero.players.player import Player


@dataclass(frozen=True)
class Standing:
    """One player's row of the table."""

    player: str
    total: Tally
    interval: tuple[float, float]  # of its score, with 95 % confidence
    against: dict[str, Tally]  # by opponent

    def as_dict(self) -> dict[str, Any]:
        return {
            "player": self.player,
            **self.total.as_dict(),
            "games": self.total.games,
            "score": self.total.score,
            "interval": list(self.interval),
            "against": {name: tally.as_dict() for name, tally in self.against.items()},
        }


@dataclass(frozen=True)
class TournamentResult:
    """What a tournament has come to so far."""

    game: str
    seed: int
    matches: tuple[MatchResult, ...]
    standings: tuple[Standing, ...]  # the best score first

    @property
    def faults(self) -> list[str]:
        return [f"{' – '.join(match.players)}, {fault}" for match in self.matches for fault in match.faults]

    def as_dict(self) -> dict[str, Any]:
        return {
            "game": self.game,
            "seed": self.seed,
            "standings": [standing.as_dict() for standing in self.standings],
            "matches": [match.as_dict() for match in self.matches],
            "faults": self.faults,
        }


class Tournament:
    """Matches of all pairs, from the same openings; they advance together, a pair of games at a time.

    So a tournament that is stopped early has still given everyone about as many games.
    """

    def __init__(self, players: Sequence[Player], settings: MatchSettings, *, on_game: GameListener | None = None) -> None:
        """settings.games: of each pair of players."""
        if len(players) < 2:
            raise BadInput("A tournament needs at least two players.")
        self.game = players[0].game
        self.settings = settings
        self.names = distinct_names([player.specification for player in players])
        openings = Openings(self.game, settings.seed)
        self._matches = [
            Match((players[a], players[b]), settings, names=(self.names[a], self.names[b]), openings=openings, on_game=on_game)
            for a, b in combinations(range(len(players)), 2)
        ]

    def play(self) -> TournamentResult:
        """Play all that is left."""
        while not all(match.finished for match in self._matches):
            for match in self._matches:
                for _ in range(2):
                    if not match.finished:
                        match.play_next()
        return self.result()

    def result(self) -> TournamentResult:
        """What has been played so far."""
        results = tuple(match.result() for match in self._matches)
        standings = [_standing(name, results) for name in self.names]
        standings.sort(key=lambda standing: standing.total.score or 0.0, reverse=True)
        return TournamentResult(self.game.specification, self.settings.seed, results, tuple(standings))


def distinct_names(specifications: Sequence[str]) -> list[str]:
    """The specifications; one that comes again is numbered: `random`, `random (2)`."""
    names: list[str] = []
    for number, specification in enumerate(specifications):
        times = list(specifications[:number]).count(specification) + 1
        names.append(specification if times == 1 else f"{specification} ({times})")
    return names


def _standing(name: str, results: Sequence[MatchResult]) -> Standing:
    against: dict[str, Tally] = {}
    pairs: list[tuple[float, ...]] = []
    for result in results:
        if name == result.players[0]:
            against[result.players[1]] = result.total
            pairs += result.pairs
        elif name == result.players[1]:
            against[result.players[0]] = Tally(result.total.losses, result.total.draws, result.total.wins)
            pairs += [tuple(1 - points for points in pair) for pair in result.pairs]
    return Standing(name, sum(against.values(), Tally()), score_interval(pairs), against)
