"""Self-play: legal games, right results, and each game what its number says, whatever is played beside it."""

import numpy as np
import pytest
from replay_records import FIRST_PLAYER_RESULT, same_games
from selfplay_helpers import QUICK, constant, first_games, opinionated, play

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game, Outcome, Planes, State
from boardzero.replay.columns import GameColumns
from boardzero.replay.record import SearchKind, SelfPlayGame
from boardzero.search.forest import Evaluator
from boardzero.selfplay.pool import play_games
from boardzero.selfplay.progress import GameInProgress
from boardzero.selfplay.worker import SelfPlayWorker
from boardzero.settings.search import PlayoutCap, SearchSettings
from boardzero.settings.selfplay import SelfPlaySettings
from boardzero.training.resigning import count_resignable

GAMES = ["tictactoe", "connect4:rows=5,columns=5", "othello:size=4", "gomoku:size=5", "latrunculi:size=6"]


def last_state(game: Game, record: SelfPlayGame) -> State:
    """Where the moves lead; each has to be legal."""
    state = record.start
    for action in record.actions:
        assert game.outcome(state) is Outcome.GOING_ON
        assert action in game.legal_actions(state)
        state = game.next_state(state, int(action))
    return state


@pytest.mark.parametrize("name", GAMES)
def test_records_are_legal_games_with_right_results_and_policies(name: str) -> None:
    game = find_game(name)
    for record in first_games(name, QUICK, 20):
        end = last_state(game, record)
        assert game.outcome(end) is not Outcome.GOING_ON
        assert record.result == FIRST_PLAYER_RESULT[game.winner(end)]
        assert not record.resigned
        assert (record.learned == (record.kinds == SearchKind.FULL)).all()
        policies = record.policies.to_dense(game.action_count)
        assert np.allclose(policies[record.learned].sum(1), 1, atol=1e-5)
        assert not policies[~record.learned].any()
        assert (np.abs(record.values) <= 1).all()


@pytest.mark.parametrize("keep_tree", [True, False])
def test_policies_are_on_legal_moves_only(keep_tree: bool) -> None:
    game = find_game("connect4:rows=5,columns=5")
    settings = QUICK.model_copy(update={"keep_tree": keep_tree})
    for record in first_games(game.specification, settings, 20):
        state = record.start
        for policy, action in zip(record.policies.to_dense(game.action_count), record.actions, strict=True):
            assert set(np.flatnonzero(policy)) <= set(game.legal_actions(state))
            state = game.next_state(state, int(action))


@pytest.mark.parametrize("search", [{}, {"root": "gumbel"}, {"transpositions": True}, {"leaves": 3}])
def test_a_game_is_the_same_with_4_or_16_games_in_flight(search: dict[str, object]) -> None:
    few, many = (
        first_games("connect4:rows=5,columns=5", QUICK.model_copy(update={"games": games, "opening_share": 0.5}), 40, **search)
        for games in (4, 16)
    )
    assert [game.number for game in few] == list(range(40))
    assert same_games(GameColumns.from_games(few), GameColumns.from_games(many))


def test_a_game_is_the_same_without_the_cache() -> None:
    with_it, without = (first_games("tictactoe", QUICK.model_copy(update={"cache": cache}), 40) for cache in (1 << 10, 0))
    assert same_games(GameColumns.from_games(with_it), GameColumns.from_games(without))


def test_games_of_another_number_or_seed_differ() -> None:
    games = first_games("connect4:rows=5,columns=5", QUICK, 30)
    assert len({game.actions.tobytes() for game in games}) > 25


def test_opening_moves_are_random_and_not_learned_from() -> None:
    settings = QUICK.model_copy(update={"opening_share": 1.0, "opening_plies": 3})
    games = first_games("connect4:rows=5,columns=5", settings, 60)
    lengths = [int((game.kinds == SearchKind.NONE).sum()) for game in games]
    assert set(lengths) == {1, 2, 3}
    for game, length in zip(games, lengths, strict=True):
        assert (game.kinds[:length] == SearchKind.NONE).all()
        assert np.isnan(game.values[:length]).all()
        assert not game.learned[:length].any()
        assert np.isfinite(game.values[length:]).all()
    assert {int(game.actions[0]) for game in games} == set(range(5))


def test_a_game_never_begins_after_its_end() -> None:
    settings = QUICK.model_copy(update={"opening_share": 1.0, "opening_plies": 30})
    game = find_game("tictactoe")
    for record in first_games("tictactoe", settings, 50):
        assert game.outcome(last_state(game, record)) is not Outcome.GOING_ON
        assert record.kinds[-1] != SearchKind.NONE


def test_full_searches_come_as_often_as_the_settings_say() -> None:
    settings = QUICK.model_copy(update={"cap": PlayoutCap(full_probability=0.25, full_simulations=12, fast_simulations=4)})
    kinds = np.concatenate([game.kinds for game in first_games("connect4:rows=5,columns=5", settings, 100)])
    assert len(kinds) > 1000
    assert np.mean(kinds == SearchKind.FULL) == pytest.approx(0.25, abs=0.05)


# -- games that end early ---------------------------------------------------------------------------------------------
def resigning(checked: float) -> SelfPlaySettings:
    return QUICK.model_copy(update={"resign_below": -0.5, "resign_checked_share": checked})


def lost_for_the_second(game: Game) -> Evaluator:
    """The first player is believed to win, whoever is to move."""

    def evaluate(planes: Planes) -> tuple[Planes, Planes]:
        stones = planes[:, :2].sum(axis=(2, 3))
        first_to_move = stones[:, 0] == stones[:, 1]
        return np.zeros((len(planes), game.action_count), np.float32), np.where(first_to_move, 0.9, -0.9).astype(np.float32)

    return evaluate


def test_the_side_that_looks_lost_twice_resigns() -> None:
    game = find_game("connect4:rows=5,columns=5")
    worker = SelfPlayWorker(game, resigning(0.0), SearchSettings(exact=False), seed=3)
    games = play(worker, lost_for_the_second(game), lambda done: len(done) >= 30)
    resigned = [record for record in games if record.resigned]
    assert len(resigned) > 25
    for record in resigned:
        assert record.result == 1
        assert record.plies == 4  # the second player's second own move
        assert game.outcome(last_state(game, record)) is Outcome.GOING_ON
    assert worker.counts.early == len(resigned)
    assert worker.counts.resignable == 0


def test_checked_games_are_played_on_and_wrong_resignations_counted() -> None:
    game = find_game("connect4:rows=5,columns=5")
    worker = SelfPlayWorker(game, resigning(1.0), SearchSettings(exact=False), seed=3)
    games = play(worker, lost_for_the_second(game), lambda done: len(done) >= 60)
    assert not any(record.resigned for record in games)
    assert worker.counts.resignable > 50
    not_lost = sum(record.result <= 0 for record in games)
    assert 0 < worker.counts.wrongly_resignable <= not_lost
    assert not_lost - worker.counts.wrongly_resignable <= worker.counts.games - worker.counts.resignable


@pytest.mark.parametrize("checked_share", [0.0, 0.3, 1.0])
def test_wrong_resignations_can_be_counted_from_the_records(checked_share: float) -> None:
    game = find_game("connect4:rows=5,columns=5")
    settings = resigning(checked_share).model_copy(update={"opening_share": 0.5, "opening_plies": 5})
    worker = SelfPlayWorker(game, settings, SearchSettings(exact=False), seed=3)
    games = play(worker, lost_for_the_second(game), lambda done: len(done) >= 60)
    counted = count_resignable(games, settings.resign_below)
    assert counted == (worker.counts.resignable, worker.counts.wrongly_resignable)
    assert (counted[0] > 0) == (checked_share > 0)


def test_a_part_of_the_games_is_checked() -> None:
    game = find_game("connect4:rows=5,columns=5")
    worker = SelfPlayWorker(game, resigning(0.3), SearchSettings(exact=False), seed=3)
    games = play(worker, lost_for_the_second(game), lambda done: len(done) >= 300)
    assert np.mean([not record.resigned for record in games]) == pytest.approx(0.3, abs=0.1)


def test_nobody_resigns_unless_the_settings_say_so() -> None:
    game = find_game("tictactoe")
    worker = SelfPlayWorker(game, QUICK, SearchSettings(exact=False), seed=3)
    games = play(worker, constant(game, -0.99), lambda done: len(done) >= 20)
    assert not any(record.resigned for record in games)


def test_games_end_with_the_proven_result() -> None:
    """From where a proof ends a game of tic-tac-toe, best play by both sides gives just that result."""
    game = find_game("tictactoe")
    settings = QUICK.model_copy(
        update={"end_when_proven": True, "cap": PlayoutCap(full_simulations=200), "opening_share": 1.0, "opening_plies": 4}
    )
    early = [record for record in first_games("tictactoe", settings, 60) if record.resigned]
    assert len(early) > 20
    assert {record.result for record in early} == {-1, 0, 1}
    for record in early:
        state = record.start
        for action in record.actions[:-1]:
            state = game.next_state(state, int(action))
        own = 1 if game.turn(state) == 0 else -1
        assert record.result == own * best_result(game, state)


def best_result(game: Game, state: State) -> int:
    """What the side to move can reach, by looking at everything."""
    results = []
    for action in game.legal_actions(state):
        successor = game.next_state(state, action)
        outcome = game.outcome(successor)
        if outcome is Outcome.GOING_ON:
            results.append(-best_result(game, successor))
        else:
            results.append({Outcome.DRAW: 0, Outcome.MOVER_WON: 1, Outcome.MOVER_LOST: -1}[outcome])
    return max(results)


# -- going on ---------------------------------------------------------------------------------------------------------
def test_unfinished_games_go_on_with_the_next_network() -> None:
    game = find_game("connect4:rows=5,columns=5")
    worker = SelfPlayWorker(game, QUICK, SearchSettings(), seed=1)
    play(worker, opinionated(game), lambda done: len(done) >= 10)
    later = play(worker, opinionated(game, seed=1), lambda done: len(done) >= 10, generation=1)
    assert all(record.generation == 1 for record in later)
    assert {record.first_generation for record in later} == {0, 1}


def test_counts_add_up() -> None:
    game = find_game("connect4:rows=5,columns=5")
    worker = SelfPlayWorker(game, QUICK, SearchSettings(), seed=1)
    games = play(worker, opinionated(game), lambda done: len(done) >= 25)
    assert worker.counts.games == len(games)
    assert worker.counts.plies == sum(record.plies for record in games)
    assert worker.counts.learned == sum(int(record.learned.sum()) for record in games)


@pytest.mark.parametrize("count", [1, 3])
def test_workers_hand_over_every_game_once(count: int) -> None:
    game = find_game("tictactoe")
    workers = [SelfPlayWorker(game, QUICK, SearchSettings(), 1, index, count) for index in range(count)]
    games: list[SelfPlayGame] = []

    def take_in(finished: list[SelfPlayGame]) -> bool:
        games.extend(finished)
        return len(games) >= 50

    play_games(workers, lambda: opinionated(game), 0, take_in)
    assert len(games) == sum(worker.counts.games for worker in workers) >= 50
    assert len({record.number for record in games}) == len(games)


def test_a_worker_that_fails_says_so_and_the_others_games_are_handed_over() -> None:
    game = find_game("tictactoe")
    workers = [SelfPlayWorker(game, QUICK, SearchSettings(), 1, index, 2) for index in range(2)]
    games: list[SelfPlayGame] = []
    evaluators = [opinionated(game), failing_after(opinionated(game), 100)]

    def take_in(finished: list[SelfPlayGame]) -> bool:
        games.extend(finished)
        return False

    with pytest.raises(BadInput, match="no more"):
        play_games(workers, evaluators.pop, 0, take_in)
    assert len(games) == sum(worker.counts.games for worker in workers) > 0


def test_nobody_begins_to_play_if_one_network_cannot_be_read() -> None:
    """Who has begun would not hear of it, and play for ever."""
    game = find_game("tictactoe")
    workers = [SelfPlayWorker(game, QUICK, SearchSettings(), 1, index, 2) for index in range(2)]
    read = iter([failing_after(opinionated(game), 0)])

    def evaluator() -> Evaluator:
        if (found := next(read, None)) is None:
            raise BadInput("It cannot be read.")
        return found

    with pytest.raises(BadInput, match="cannot be read"):
        play_games(workers, evaluator, 0, lambda games: False)
    assert [worker.generation for worker in workers] == [-1, -1]


def failing_after(evaluate: Evaluator, calls: int) -> Evaluator:
    left = iter(range(calls))

    def fail_at_last(planes: Planes) -> tuple[Planes, Planes]:
        if next(left, None) is None:
            raise BadInput("There is no more.")
        return evaluate(planes)

    return fail_at_last


def test_a_single_worker_that_fails_hands_over_what_it_has_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    game, taken = find_game("tictactoe"), list[SelfPlayGame]()
    worker = SelfPlayWorker(game, QUICK, SearchSettings(), seed=5)
    begin = worker._new_game

    def fail_after_a_game(lane: int) -> GameInProgress:
        if worker.counts.games:
            raise BadInput("It is broken.")
        return begin(lane)

    def take_in(games: list[SelfPlayGame]) -> bool:
        taken.extend(games)
        return False

    monkeypatch.setattr(worker, "_new_game", fail_after_a_game)
    with pytest.raises(BadInput, match="broken"):
        play_games([worker], lambda: opinionated(game), 0, take_in)
    assert len(taken) == worker.counts.games == 1


def test_a_proven_position_has_its_proven_value() -> None:
    """Near the end of tic-tac-toe every search proves the result; the record's value is that result, not a mean."""
    settings = QUICK.model_copy(update={"cap": PlayoutCap(full_simulations=100)})
    for record in first_games("tictactoe", settings, 10):
        assert record.values[-1] in (0, 1)  # the last move wins or fills the board: both are proven


def test_searches_grow_with_the_run() -> None:
    game = find_game("tictactoe")
    settings = QUICK.model_copy(update={"cap": PlayoutCap(full_simulations=10), "growth": 4.0, "keep_tree": False})
    simulations = []
    for share in (0.0, 0.5, 1.0):
        worker = SelfPlayWorker(game, settings, SearchSettings(exact=False), seed=1)
        worker.set_share_done(share)
        play(worker, constant(game, 0.0), lambda games: len(games) >= 20)
        simulations.append(worker.forest.counts().simulations / worker.counts.plies)
    assert simulations[1] / simulations[0] == pytest.approx(2, rel=0.3)
    assert simulations[2] / simulations[0] == pytest.approx(4, rel=0.3)
