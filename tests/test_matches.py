"""Matches and tournaments."""

import json

import numpy as np
import pytest
from arena_players import (
    CONNECT4,
    TICTACTOE,
    Broken,
    Cheat,
    Choosy,
    Crasher,
    Dice,
    Highest,
    TestPlayer,
    clock_by_hand,
    opening_of,
    play,
    some_games,
)

from boardzero.arena.clock import Clock
from boardzero.arena.match import Match, MatchSettings, points_of
from boardzero.arena.scores import Tally
from boardzero.arena.sequential import SequentialTest
from boardzero.arena.tournament import Tournament
from boardzero.errors import BadInput
from boardzero.events.games import GamePlayed
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position


def test_each_opening_is_played_twice_with_colours_swapped() -> None:
    result = play(TestPlayer(CONNECT4), Highest(CONNECT4), 21)
    assert [record.players for record in result.records] == ([("lowest", "highest"), ("highest", "lowest")] * 11)[:21]
    openings = [opening_of(record) for record in result.records]
    assert openings[0:20:2] == openings[1::2]
    assert len({str(opening) for opening in openings}) == result.different_openings == 11
    assert len({record.moves for record in result.records}) == 21, "players who always answer the same repeat no game"


def test_random_starts_are_paired_too() -> None:
    game = find_game("latrunculi:size=4,start=random")
    result = play(Dice(game), Dice(game), 8)
    starts = [record.start for record in result.records]
    assert starts[0::2] == starts[1::2]
    assert len(set(starts)) == 4


def test_a_match_is_reproducible_from_its_seed() -> None:
    runs = [play(Dice(CONNECT4), Dice(CONNECT4), 10, seed) for seed in (3, 3, 4)]
    moves = [[record.moves for record in run.records] for run in runs]
    assert moves[0] == moves[1] != moves[2]


def test_a_crash_or_an_illegal_choice_loses_that_game_only() -> None:
    result = play(Cheat(TICTACTOE), Crasher(TICTACTOE), 6)
    assert [record.reason for record in result.records] == ["illegal move", "failure", *["rules"] * 4]
    assert [record.result for record in result.records[:2]] == ["second", "second"]
    assert result.faults[0] == "Game 1: cheat chose action -1, which does not exist."
    assert result.faults[1] == "Game 2: crasher failed: RuntimeError: out of memory."


@pytest.mark.parametrize("side", [0, 1])
def test_what_a_player_refuses_in_its_first_move_ends_the_match(side: int) -> None:
    choosy = Choosy(CONNECT4)
    choosy.refused = (1,)
    players = (choosy, TestPlayer(CONNECT4)) if side == 0 else (TestPlayer(CONNECT4), choosy)
    with pytest.raises(BadInput, match="Not with me"):
        Match(players, MatchSettings(4)).play()
    choosy = Choosy(CONNECT4)
    choosy.refused = (1,)
    with pytest.raises(BadInput, match="Not with me"):
        Tournament([TestPlayer(CONNECT4), Highest(CONNECT4), choosy], MatchSettings(2)).play()


def test_what_a_player_refuses_later_loses_that_game_only() -> None:
    choosy = Choosy(CONNECT4)
    choosy.refused = (2,)
    result = play(choosy, TestPlayer(CONNECT4), 3)
    assert [record.reason for record in result.records] == ["failure", "rules", "rules"]
    assert result.faults == ["Game 1: choosy failed: Not with me."]


def test_a_match_counts_by_colour_and_reports_each_game() -> None:
    events: list[GamePlayed] = []
    players = (TestPlayer(TICTACTOE), Highest(TICTACTOE))
    result = Match(players, MatchSettings(10), on_game=events.append).play()
    assert result.total == result.moving_first + result.moving_second
    assert result.moving_first.games == result.moving_second.games == 5
    wins = sum(record.winner is not None and record.players[record.winner] == "lowest" for record in result.records)
    assert result.total.wins == wins
    assert [event.number for event in events] == list(range(1, 11))
    assert events[-1].points == (result.total.points, 10 - result.total.points)


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    return clock_by_hand(monkeypatch)


def test_what_a_player_loads_when_first_asked_is_not_its_thinking(now: list[float]) -> None:
    class Loader(TestPlayer):
        name = "loader"
        loaded = False

        def pick(self, position: Position) -> int:
            if not self.loaded:
                now[0] += 0.6
                self.loaded = True
            return super().pick(position)

    result = play(Loader(TICTACTOE), TestPlayer(TICTACTOE), 2, clock=Clock(per_move=0.4))
    assert not result.faults


def test_a_sequential_test_ends_a_match_early() -> None:
    settings = MatchSettings(1000, test=SequentialTest(0, 50))
    result = Match((TestPlayer(CONNECT4), Broken(CONNECT4)), settings).play()
    assert result.verdict is not None and result.verdict.decision == "accept H1"
    assert result.total.games < 200 and result.total.games % 2 == 0
    assert result.verdict.ratio >= result.verdict.upper == pytest.approx(np.log(19))


# -- tournaments -------------------------------------------------------------------------------------------------------
def test_a_tournament_is_a_round_robin_sorted_by_score() -> None:
    players = [Broken(TICTACTOE), TestPlayer(TICTACTOE), Highest(TICTACTOE), TestPlayer(TICTACTOE)]
    result = Tournament(players, MatchSettings(4)).play()
    assert len(result.matches) == 6 and all(match.total.games == 4 for match in result.matches)
    assert {standing.player for standing in result.standings} == {"lowest", "lowest (2)", "highest", "lowest (3)"}
    scores = [standing.total.score or 0 for standing in result.standings]
    assert scores == sorted(scores, reverse=True)
    last = result.standings[-1]
    assert (last.player, last.total) == ("lowest", Tally(0, 0, 12))
    assert last.interval[0] == 0
    assert sum(standing.total.points for standing in result.standings) == 24
    for standing in result.standings:
        assert sum(standing.against.values(), Tally()) == standing.total
    json.dumps(result.as_dict())


def test_all_pairs_of_a_tournament_meet_in_the_same_openings() -> None:
    result = Tournament([Dice(CONNECT4), TestPlayer(CONNECT4), Highest(CONNECT4)], MatchSettings(6)).play()
    first, *others = ([opening_of(record) for record in match.records] for match in result.matches)
    assert all(other == first for other in others)


# -- settings ----------------------------------------------------------------------------------------------------------
def test_settings_that_make_no_sense_are_refused() -> None:
    for make in (
        lambda: MatchSettings(0),
        lambda: MatchSettings(10, seed=-1),
        lambda: Clock(per_move=0),
        lambda: Clock(per_game=float("nan")),
        lambda: SequentialTest(10, 10),
        lambda: SequentialTest(alpha=0.7),
        lambda: Tournament([TestPlayer(TICTACTOE)], MatchSettings(2)),
    ):
        with pytest.raises(BadInput):
            make()


def test_points_of_a_game() -> None:
    record = some_games(1)[0]
    assert points_of(record, 0) + points_of(record, 1) == 1
