"""Simple players for tests of the arena, and matches between them."""

from types import SimpleNamespace

import numpy as np
import pytest

from boardzero.arena.clock import Clock
from boardzero.arena.match import Match, MatchResult, MatchSettings
from boardzero.arena.saved_games import position_of
from boardzero.errors import BadInput
from boardzero.events.games import GameRecord
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.player import Analysis, MoveOpinion, Player
from boardzero.settings.specification import Parameters

TICTACTOE = find_game("tictactoe")
CONNECT4 = find_game("connect4")


class TestPlayer(Player):
    """Plays the first legal move; knows what it was told."""

    __test__ = False
    name = "lowest"

    def __init__(self, game: Game) -> None:
        super().__init__(game, Parameters())
        self.told: list[float | None] = []

    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        self.told.append(seconds)
        return Analysis((MoveOpinion(self.pick(position)),))

    def pick(self, position: Position) -> int:
        return position.legal_actions()[0]


class Highest(TestPlayer):
    name = "highest"

    def pick(self, position: Position) -> int:
        return position.legal_actions()[-1]


class Dice(TestPlayer):
    """Draws from the seed of the game."""

    name = "dice"

    def start_game(self, seed: int) -> None:
        self.draw = np.random.default_rng(seed)

    def pick(self, position: Position) -> int:
        return int(self.draw.choice(position.legal_actions()))


class Sleeper(TestPlayer):
    """Takes its time, by a clock that is moved by hand."""

    name = "sleeper"
    pause = 0.2

    def __init__(self, game: Game, now: list[float]) -> None:
        super().__init__(game)
        self.now = now

    def pick(self, position: Position) -> int:
        self.now[0] += self.pause
        return super().pick(position)


def clock_by_hand(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The moment that games are measured by: it only changes where a test changes it, however busy the machine."""
    moment = [0.0]
    monkeypatch.setattr("boardzero.arena.game.time", SimpleNamespace(perf_counter=lambda: moment[0]))
    return moment


class Cheat(TestPlayer):
    """Plays an illegal move in its first game only."""

    name = "cheat"
    wrong_action = -1
    games = 0

    def start_game(self, seed: int) -> None:
        self.games += 1

    def pick(self, position: Position) -> int:
        return self.wrong_action if self.games == 1 else super().pick(position)


class Crasher(TestPlayer):
    """Fails in its second game only."""

    name = "crasher"
    games = 0

    def start_game(self, seed: int) -> None:
        self.games += 1

    def pick(self, position: Position) -> int:
        if self.games == 2:
            raise RuntimeError("out of\nmemory")
        return super().pick(position)


class Choosy(TestPlayer):
    """Refuses to move in some of its moves, counted from 1 over all games."""

    name = "choosy"
    refused: tuple[int, ...] = ()

    def pick(self, position: Position) -> int:
        if len(self.told) in self.refused:
            raise BadInput("Not with me.")
        return super().pick(position)


class Broken(TestPlayer):
    def pick(self, position: Position) -> int:
        raise RuntimeError


def play(first: Player, second: Player, games: int, seed: int = 0, clock: Clock | None = None) -> MatchResult:
    return Match((first, second), MatchSettings(games, seed, clock or Clock())).play()


def opening_of(record: GameRecord) -> tuple[str, list[int]]:
    return record.start, position_of(record).actions[: record.opening]


def some_games(count: int) -> list[GameRecord]:
    return list(play(Dice(TICTACTOE), Dice(TICTACTOE), count).records)
