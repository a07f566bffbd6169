"""Games between players: referee, clocks, openings, matches, tournaments, statistics and saved games."""

import json
import time
from itertools import combinations
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from boardzero.arena.clock import Clock
from boardzero.arena.game import play_game
from boardzero.arena.match import Match, MatchResult, MatchSettings, points_of
from boardzero.arena.openings import Openings, is_open
from boardzero.arena.saved_games import SavedGames, position_of, read_games
from boardzero.arena.scores import Tally, elo_from_score, pairs_of, score_from_elo, score_interval
from boardzero.arena.sequential import PAIR_SCORES, SequentialTest, log_likelihood_ratio
from boardzero.arena.tournament import Tournament
from boardzero.errors import BadInput
from boardzero.events.games import GamePlayed, GameRecord
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.players.answers import LeftGame, Resigned, TookBack
from boardzero.players.catalogue import find_player
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


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
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


# -- one game ----------------------------------------------------------------------------------------------------------
def test_a_game_is_recorded_with_its_start_moves_and_result() -> None:
    record = play_game((TestPlayer(TICTACTOE), Highest(TICTACTOE)), Position(TICTACTOE, "b2"))
    assert (record.game, record.players, record.opening) == ("tictactoe", ("lowest", "highest"), 1)
    assert record.start == TICTACTOE.board_to_text(TICTACTOE.initial_state())
    assert position_of(record).over
    assert record.result == ("draw", "first", "second")[[None, 0, 1].index(position_of(record).winner)]
    assert record.reason == "rules" and record.plies == len(position_of(record).actions)


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


# -- matches -----------------------------------------------------------------------------------------------------------
def play(first: Player, second: Player, games: int, seed: int = 0, clock: Clock | None = None) -> MatchResult:
    return Match((first, second), MatchSettings(games, seed, clock or Clock())).play()


def opening_of(record: GameRecord) -> tuple[str, list[int]]:
    return record.start, position_of(record).actions[: record.opening]


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


class Choosy(TestPlayer):
    """Refuses to move in some of its moves, counted from 1 over all games."""

    name = "choosy"
    refused: tuple[int, ...] = ()

    def pick(self, position: Position) -> int:
        if len(self.told) in self.refused:
            raise BadInput("Not with me.")
        return super().pick(position)


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


class Broken(TestPlayer):
    def pick(self, position: Position) -> int:
        raise RuntimeError


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


# -- statistics --------------------------------------------------------------------------------------------------------
PAIR_POINTS = [(0.0, 0.0), (0.5, 0.0), (0.5, 0.5), (1.0, 0.5), (1.0, 1.0)]


@pytest.mark.parametrize(
    ("distribution", "pairs"),
    [
        ([0.10, 0.20, 0.40, 0.20, 0.10], 50),  # equal players
        ([0.02, 0.02, 0.92, 0.02, 0.02], 50),  # openings decide
        ([0.00, 0.02, 0.10, 0.28, 0.60], 20),  # much stronger
        ([0.50, 0.00, 0.00, 0.00, 0.50], 25),  # pairs all or nothing: twice the variance of single games
        ([0.00, 0.00, 0.02, 0.08, 0.90], 10),  # hardly ever beaten, few games
        ([0.05, 0.15, 0.30, 0.30, 0.20], 4),
    ],
)
def test_the_interval_covers_the_true_score(distribution: list[float], pairs: int) -> None:
    draw = np.random.default_rng(7)
    truth = float(np.dot(distribution, PAIR_SCORES))
    trials, covered = 1500, 0
    for outcomes in draw.choice(5, (trials, pairs), p=distribution):
        low, high = score_interval([PAIR_POINTS[outcome] for outcome in outcomes])
        covered += low <= truth <= high
    assert covered / trials > 0.93


def test_the_interval_uses_that_pairs_vary_less_than_games() -> None:
    split = [(1.0, 0.0)] * 99 + [(1.0, 1.0)]  # the opening decides nearly every game
    low, high = score_interval(split)
    assert high - low < 0.03
    independent = [(1.0, 1.0)] * 25 + [(0.0, 0.0)] * 25 + [(1.0, 0.0)] * 50
    low, high = score_interval(independent)
    assert high - low == pytest.approx(2 * 1.96 * 0.5 / np.sqrt(200), rel=0.02)


def test_a_clean_sweep_is_not_certain() -> None:
    low, high = score_interval([(1.0, 1.0)] * 10)
    assert high == 1 and 0.6 < low < 0.8
    low, high = score_interval([(1.0,)])
    assert high == 1 and low < 0.3
    assert score_interval([]) == (0, 1)


def test_elo_and_score_are_inverse() -> None:
    assert elo_from_score(0.5) == pytest.approx(0)
    assert elo_from_score(score_from_elo(123)) == pytest.approx(123)
    assert elo_from_score(1.0) is None and elo_from_score(0.0) is None


def test_pairs_of_an_odd_number_of_games_end_with_a_single_game() -> None:
    assert pairs_of([1, 0, 0.5]) == [(1, 0), (0.5,)]


def test_the_likelihood_ratio_agrees_with_a_search_over_distributions() -> None:
    """Two pair scores only: the mean fixes the distribution, so the ratio can be written down."""
    counts, low, high = [30, 0, 0, 0, 70], 0.5, 0.6
    expected = 70 * np.log(high / low) + 30 * np.log((1 - high) / (1 - low))
    assert log_likelihood_ratio(counts, low, high) == pytest.approx(expected, abs=0.01)


@pytest.mark.parametrize(("elo", "right"), [(0, "accept H0"), (120, "accept H1")])
def test_the_sequential_test_keeps_its_error_rates(elo: float, right: str) -> None:
    test = SequentialTest(0, 120, alpha=0.05, beta=0.05)
    draws, score = 0.3, score_from_elo(elo)
    win, loss = score - draws / 2, 1 - score - draws / 2
    draw = np.random.default_rng(11)
    trials, wrong, pairs_used = 200, 0, 0
    for _ in range(trials):
        pairs: list[tuple[float, ...]] = []
        decision = "undecided"
        while decision == "undecided":
            first, second = draw.choice([1.0, 0.5, 0.0], 2, p=[win, draws, loss])
            pairs.append((first, second))
            decision = test.judge(pairs).decision
        wrong += decision != right
        pairs_used += len(pairs)
    assert wrong / trials < 0.09  # 5 % and three standard deviations of 200 trials make 9.6 %
    assert pairs_used / trials < 40


# -- saved games -------------------------------------------------------------------------------------------------------
def some_games(count: int) -> list[GameRecord]:
    return list(play(Dice(TICTACTOE), Dice(TICTACTOE), count).records)


def test_saved_games_are_read_back(tmp_path: Path) -> None:
    games = some_games(3)
    for record in games:
        SavedGames(tmp_path / "games.jsonl").append(record)
    assert read_games(tmp_path / "games.jsonl") == (games, [])


@pytest.mark.parametrize(
    "name", ["latrunculi:size=4,start=random", "othello:size=4", "openspiel:breakthrough,rows=4,columns=3"]
)
def test_a_saved_game_can_be_played_through_again(name: str, tmp_path: Path) -> None:
    if name.startswith("openspiel"):
        pytest.importorskip("pyspiel")
    game = find_game(name)
    path = tmp_path / "games.jsonl"
    for record in play(Dice(game), Dice(game), 4).records:
        SavedGames(path).append(record)
    records, _ = read_games(path)
    assert len(records) == 4
    for record in records:
        position = position_of(record)
        assert position.over and position.winner == record.winner


def test_a_last_line_cut_short_is_skipped_and_named_and_appending_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = some_games(3)
    for record in games[:2]:
        SavedGames(path).append(record)
    whole = path.read_bytes()
    for length in range(len(whole) // 2 + 10, len(whole) - 1, 37):
        path.write_bytes(whole[:length])
        records, damaged = read_games(path)
        assert records == games[:1]
        assert damaged == [f"Line 2 of '{path}' is damaged and was skipped."]
        SavedGames(path).append(games[2])
        records, damaged = read_games(path)
        assert records == [games[0], games[2]] and len(damaged) == 1


def test_games_are_not_added_to_another_kind_of_file(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ann,\nthank you.\n")
    with pytest.raises(BadInput, match="something else than saved games"):
        SavedGames(path)
    assert path.read_text() == "Dear Ann,\nthank you.\n"


def test_files_that_cannot_be_written_or_read_are_refused(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "missing" / "games.jsonl"):
        with pytest.raises(BadInput, match="cannot be saved"):
            SavedGames(path)
    with pytest.raises(BadInput, match="cannot be read"):
        read_games(tmp_path / "none.jsonl")


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
