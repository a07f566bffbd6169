"""Single games between players: referee, clocks and openings."""

import time
from itertools import combinations
from types import SimpleNamespace

import pytest
from arena_players import CONNECT4, TICTACTOE, Cheat, Highest, Sleeper, TestPlayer, clock_by_hand

from boardzero.arena.clock import Clock
from boardzero.arena.game import play_game
from boardzero.arena.openings import Openings, is_open
from boardzero.arena.saved_games import position_of
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.players.answers import LeftGame, Resigned, TookBack
from boardzero.players.catalogue import find_player
from boardzero.players.player import Player


# -- one game ----------------------------------------------------------------------------------------------------------
def test_a_game_is_recorded_with_its_start_moves_and_result() -> None:
    record = play_game((TestPlayer(TICTACTOE), Highest(TICTACTOE)), Position(TICTACTOE, "b2"))
    assert (record.game, record.players, record.opening) == ("tictactoe", ("lowest", "highest"), 1)
    assert record.start == TICTACTOE.board_to_text(TICTACTOE.initial_state())
    assert position_of(record).over
    assert record.result == ("draw", "first", "second")[[None, 0, 1].index(position_of(record).winner)]
    assert record.reason == "rules" and record.plies == len(position_of(record).actions)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    return clock_by_hand(monkeypatch)


def test_a_player_that_oversteps_its_seconds_for_a_move_loses_on_time(now: list[float]) -> None:
    sleeper, other = Sleeper(TICTACTOE, now), TestPlayer(TICTACTOE)
    record = play_game((other, sleeper), Position(TICTACTOE), clock=Clock(per_move=0.1))
    assert (record.result, record.reason) == ("first", "time")
    assert "sleeper took" in record.remark
    assert record.seconds[1] >= 0.2


def test_a_player_that_oversteps_its_seconds_for_the_game_loses_on_time(now: list[float]) -> None:
    record = play_game((Sleeper(CONNECT4, now), TestPlayer(CONNECT4)), Position(CONNECT4), clock=Clock(per_game=0.55))
    assert (record.result, record.reason, record.plies) == ("second", "time", 4)


def test_players_are_told_to_use_less_than_the_limit(now: list[float]) -> None:
    player = TestPlayer(CONNECT4)
    play_game((player, Highest(CONNECT4)), Position(CONNECT4), clock=Clock(per_move=1.0, per_game=8.0))
    assert player.told[0] == pytest.approx(8.0 / 20)
    assert all(seconds is not None and 0 < seconds < 1 for seconds in player.told)
    play_game((player, Highest(CONNECT4)), Position(CONNECT4))
    assert player.told[-1] is None


@pytest.mark.parametrize(("limit", "told"), [(0.01, 0.005), (0.05, 0.035), (0.1, 0.085), (1.0, 0.9), (3.0, 2.7), (60.0, 59.5)])
def test_a_clock_keeps_back_what_a_busy_machine_may_take(limit: float, told: float) -> None:
    assert Clock(per_move=limit).advice(0.0, 20) == pytest.approx(told)


@pytest.mark.parametrize("limit", [0.01, 0.05, 0.1])
def test_searching_players_keep_short_limits(limit: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Usually: of thirty moves three may come late. Waiting for a core does not count: others may be using the machine."""
    monkeypatch.setattr("boardzero.arena.game.time", SimpleNamespace(perf_counter=time.thread_time))
    game = find_game("gomoku")
    lost = 0
    for specification in ("mcts:seconds=1", "minimax", "heuristic:seconds=1"):
        players = (find_player(specification, game), find_player(specification, game))
        for player in players:
            player.choose(Position(game), 0.01)
        for seed in range(5):
            lost += play_until(players, Position(game), Clock(per_move=limit), seed, plies=2)
    assert lost <= 3


def play_until(players: tuple[Player, Player], position: Position, clock: Clock, seed: int, plies: int) -> bool:
    """Play so many plies; was a limit overstepped?"""

    class Enough(Exception):
        pass

    def stop(after: Position, _: float) -> None:
        if len(after.actions) >= plies:
            raise Enough

    try:
        return play_game(players, position, clock=clock, seed=seed, on_move=stop).reason == "time"
    except Enough:
        return False


@pytest.mark.parametrize("wrong_action", [-1, 9, 4])
def test_an_illegal_choice_loses_the_game(wrong_action: int) -> None:
    cheat = Cheat(TICTACTOE)
    cheat.wrong_action = wrong_action
    record = play_game((cheat, TestPlayer(TICTACTOE)), Position(TICTACTOE, "b2 a1"))
    assert (record.result, record.reason) == ("second", "illegal move")
    assert "cheat chose" in record.remark


def test_resigning_leaving_and_taking_back_are_answers() -> None:
    class Person(TestPlayer):
        name = "person"
        answers: tuple[Exception | int, ...] = (8, TookBack(), 7, Resigned())

        def pick(self, position: Position) -> int:
            answer, *rest = self.answers
            self.answers = tuple(rest)
            if isinstance(answer, Exception):
                raise answer
            return answer

    record = play_game((Person(TICTACTOE), TestPlayer(TICTACTOE)), Position(TICTACTOE))
    assert (record.result, record.reason, record.plies) == ("second", "resignation", 2)
    assert position_of(record).actions == [7, 0]
    person = Person(TICTACTOE)
    person.answers = (3, LeftGame())
    record = play_game((person, TestPlayer(TICTACTOE)), Position(TICTACTOE))
    assert (record.result, record.reason, record.winner) == ("unfinished", "stopped", None)


# -- openings ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello:size=6", "gomoku:size=9", "latrunculi:size=6,start=random"])
def test_openings_are_different_even_when_turned_and_open(name: str) -> None:
    game = find_game(name)
    openings = Openings(game, seed=5)
    positions = [openings[number].position(game) for number in range(40)]
    forms = [{game.transformed(p.state, symmetry).tobytes() for symmetry in game.symmetries} for p in positions]
    assert all(one.isdisjoint(other) for one, other in combinations(forms, 2))
    assert all(is_open(position) for position in positions)
    assert openings.different(40) == 40


def test_openings_follow_from_the_seed() -> None:
    one, same, other = (Openings(CONNECT4, seed) for seed in (1, 1, 2))
    assert [one[number] for number in range(20)] == [same[number] for number in range(20)]
    assert [one[number] for number in range(20)] != [other[number] for number in range(20)]


def test_openings_come_again_where_a_game_has_no_more() -> None:
    openings = Openings(find_game("connect4:rows=2,columns=2,connect=2"), 0)
    assert openings[0] == openings[openings.different(1000)]


@pytest.mark.parametrize(
    ("moves", "expected"),
    [
        ("", True),
        ("17273", True),  # O must play 4, and can
        ("172737", False),  # X wins with 4
        ("37475", False),  # X has three in a row with both ends free, and O cannot stop it
        ("1727374", False),  # X has won
    ],
)
def test_a_position_is_open_unless_it_is_decided_at_once(moves: str, expected: bool) -> None:
    assert is_open(Position(CONNECT4, moves)) is expected
