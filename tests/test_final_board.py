"""Whose each cell is at the end of a game: what networks may learn besides policy and value."""

import math
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch
from replay_records import random_record, random_records
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from training_runs import begin, checkpoint_of, run, run_generations

from boardzero.errors import BadInput
from boardzero.evaluation import charts
from boardzero.evaluation.run_history import read_history
from boardzero.events.training import GenerationDone, TrainingEvent
from boardzero.games.catalogue import find_game
from boardzero.games.owners import owner_rule
from boardzero.games.position import Position
from boardzero.games.randomness import new_stream
from boardzero.games.rules import Game, Outcome, State
from boardzero.network.build import build_network
from boardzero.network.cost import count_multiply_adds
from boardzero.network.growing import grown
from boardzero.network.onnx_export import export_onnx
from boardzero.network.positions import random_positions
from boardzero.network.quantizing import quantized
from boardzero.replay.columns import GameColumns
from boardzero.replay.endings import UNKNOWN
from boardzero.replay.positions import PositionMemory, Positions
from boardzero.replay.record import SelfPlayGame
from boardzero.replay.replay import Replay
from boardzero.replay.sampler import Batch, BatchMaker
from boardzero.replay.several import Replays
from boardzero.settings.growth import GrowthSettings
from boardzero.settings.network import NetworkSettings
from boardzero.settings.replay import ReplaySettings, WindowSettings
from boardzero.settings.run import RunSettings
from boardzero.settings.training import TrainingSettings
from boardzero.training.curriculum import Curriculum
from boardzero.training.learner import Learner
from boardzero.training.loop import Training
from boardzero.training.losses import final_board_loss

# Which planes show men of the side to move, and which those of the other side.
OWN_AND_OTHER = {"latrunculi": ((0, 1), (2, 3))}
GAMES = ["tictactoe", "connect4:rows=4,columns=5", "othello:size=4", "othello:size=6,first=white", "gomoku:size=6"]
GAMES += ["latrunculi:size=4,limit=60", "latrunculi:size=4,start=random,limit=60"]
SMALL = NetworkSettings(blocks=1, channels=8, policy_channels=4, value_channels=2, value_hidden=16)
WITH_HEAD = SMALL.model_copy(update={"final_board": True})


def seen_by_mover(game: Game, state: State) -> npt.NDArray[np.int8]:
    """[cells]: 0 nobody's, 1 of the side to move, 2 the other's; told by the planes."""
    planes = game.encoded(state)
    own, other = (planes[list(those)].sum(0) for those in OWN_AND_OTHER.get(game.name, ((0,), (1,))))
    return (own + 2 * other).reshape(-1).astype(np.int8)


def final_state(game: Game, record: SelfPlayGame) -> State:
    state = record.start
    for action in record.actions:
        state = game.next_state(state, int(action))
    return state


def swapped(board: npt.NDArray[np.int8]) -> npt.NDArray[np.int8]:
    """As the other side sees it."""
    return np.array([0, 2, 1], np.int8)[board]


def remembered(game: Game, records: list[SelfPlayGame], final_boards: bool = True) -> Positions:
    memory = PositionMemory(game, final_boards=final_boards)
    memory.add(GameColumns.from_games(records))
    return memory.positions()


def batch_of(positions: Positions, game: Game, repeats: int = 1, symmetries: bool = True) -> Batch:
    indices = np.repeat(np.arange(positions.size), repeats)
    return BatchMaker(game, symmetries).make(positions, indices, new_stream(1))


# -- whose a cell is ---------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("specification", GAMES)
def test_owners_are_those_that_the_planes_show(specification: str) -> None:
    game = find_game(specification)
    owners, held = owner_rule(game), 0
    for record in random_records(specification, 3):
        state = record.start
        for action in record.actions:
            state = game.next_state(state, int(action))
            first_sees = seen_by_mover(game, state) if game.turn(state) == 0 else swapped(seen_by_mover(game, state))
            assert np.array_equal(owners(state).reshape(-1), first_sees)
            held += int((game.cells(state) > 2).sum())
    assert (held > 0) == (game.name == "latrunculi"), "captured men are among them where there are any"


def test_owners_by_hand() -> None:
    game = find_game("tictactoe")
    assert owner_rule(game)(Position(game, "a3 b2").state).tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 0]]


GAME_FILE = """
from boardzero.games.rules import EMPTY, Piece
from boardzero.games.tictactoe import TicTacToe as Base

class Kings(Base):
    name, title = "kings", "Kings"
    pieces = (EMPTY, Piece("K", "red"), Piece("k", "blue"))
    {more}
"""


def game_in_file(path: Path, more: str) -> Game:
    path.write_text(GAME_FILE.format(more=more), encoding="utf-8")
    return find_game(str(path))


def test_a_game_that_does_not_tell_whose_its_pieces_are_is_refused(tmp_path: Path) -> None:
    game = game_in_file(tmp_path / "silent.py", "")
    with pytest.raises(BadInput, match=r"Kings .* 'K'"):
        owner_rule(game)
    settings = RunSettings(game=game.specification, generations=1, network=WITH_HEAD)
    with pytest.raises(BadInput, match="Kings"):
        Curriculum(settings)
    Curriculum(settings.model_copy(update={"network": SMALL}))


def test_a_game_may_tell_itself_whose_its_cells_are(tmp_path: Path) -> None:
    game = game_in_file(tmp_path / "telling.py", "owners = Base.cells")
    assert owner_rule(game)(Position(game, "a3 b2").state).tolist() == [[1, 0, 0], [0, 2, 0], [0, 0, 0]]


def test_games_of_openspiel_are_refused() -> None:
    pytest.importorskip("pyspiel")
    with pytest.raises(BadInput, match="The boards"):
        owner_rule(find_game("openspiel:tic_tac_toe"))


# -- targets -----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("specification", GAMES)
def test_targets_are_the_boards_that_games_ended_with_under_every_symmetry(specification: str) -> None:
    game = find_game(specification)
    records = random_records(specification, 2, first=5)
    positions = remembered(game, records)
    batch = batch_of(positions, game, repeats=16)
    ends = [final_state(game, record) for record in records]
    seen = set()
    for sample, index in enumerate(np.repeat(np.arange(positions.size), 16)):
        state, end = positions.states[index], ends[positions.games[index]]
        board = seen_by_mover(game, end) if game.turn(end) == game.turn(state) else swapped(seen_by_mover(game, end))
        views = [
            symmetry
            for symmetry in game.symmetries
            if np.array_equal(batch.planes[sample], game.encoded(game.transformed(state, symmetry)))
        ]
        fitting = [view.name for view in views if np.array_equal(batch.final_board[sample], view.apply_to_cells(board))]
        assert fitting, f"the final board of sample {sample} is not that of its game"
        seen.update(fitting if len(views) == 1 else [])
    assert seen == {symmetry.name for symmetry in game.symmetries}, "every symmetry occurs"


def test_games_that_the_rules_did_not_end_have_no_final_board() -> None:
    game = find_game("connect4")
    records = [random_record(game, 3, resign_after=6), random_record(game, 4)]
    positions = remembered(game, records)
    boards = batch_of(positions, game).final_board
    early = positions.games == 0
    assert early.sum() == 6 and (boards[early] == UNKNOWN).all()
    assert (boards[~early] != UNKNOWN).all() and len(boards[~early]) == records[1].plies


def test_batches_are_otherwise_the_same() -> None:
    game = find_game("othello:size=4")
    records = random_records("othello:size=4", 5)
    on, off = (batch_of(remembered(game, records, final_boards), game, 2) for final_boards in (True, False))
    assert off.final_board.shape == (len(off), 0) and on.final_board.shape == (len(on), 16)
    for name in vars(on).keys() - {"final_board"}:
        assert np.array_equal(getattr(on, name), getattr(off, name)), name


def test_final_boards_follow_the_window(tmp_path: Path) -> None:
    game, records = find_game("tictactoe"), random_records("tictactoe", 30)
    window = ReplaySettings(window=WindowSettings(kind="games", games=10), symmetries=False)
    replay = Replay(game, window, tmp_path, final_boards=True)
    for first in range(0, 30, 3):
        replay.add(records[first : first + 3])
    (batch,) = replay.epoch(replay.positions, new_stream(0))
    expected = batch_of(remembered(game, records[20:]), game, symmetries=False)
    assert replay.games == 10 and len(batch) == len(expected)
    rows = [sorted(zip(b.q.tolist(), b.final_board.tolist(), strict=True)) for b in (batch, expected)]
    assert rows[0] == rows[1]


def test_a_merged_position_shows_the_final_boards_of_all_its_games(tmp_path: Path) -> None:
    game, records = find_game("tictactoe"), random_records("tictactoe", 12)
    records[3] = random_record(game, 3, resign_after=3)
    replay = Replay(game, ReplaySettings(duplicates="merge", symmetries=False), tmp_path, final_boards=True)
    replay.add(records)
    batch = BatchMaker(game, symmetries=False).make(replay.content(), np.zeros(400, np.int64), new_stream(2))
    assert not batch.planes.any(), "all games begin with the empty board"
    ends = [final_state(game, record) for record in records]
    owners = owner_rule(game)
    unknown = np.full(9, UNKNOWN)
    boards = [unknown if game.outcome(end) is Outcome.GOING_ON else owners(end).reshape(-1) for end in ends]
    assert {row.tobytes() for row in batch.final_board} == {board.astype(np.int8).tobytes() for board in boards}
    once = replay.content().size - 1  # nothing of the rest of the last game had been seen before
    last = BatchMaker(game, symmetries=False).make(replay.content(), np.full(50, once), new_stream(2)).final_board
    assert len({row.tobytes() for row in last}) == 1


# -- the loss ----------------------------------------------------------------------------------------------------------
def test_loss_by_hand() -> None:
    chances = torch.tensor([[[0.5, 0.2], [0.25, 0.2], [0.25, 0.6]], [[0.1, 0.1], [0.1, 0.1], [0.8, 0.8]]])
    logits = chances.log().reshape(2, 3, 1, 2)
    target = torch.tensor([[0, 2], [2, 1]], dtype=torch.int8)
    each = -(math.log(0.5) + math.log(0.6)) / 2, -(math.log(0.8) + math.log(0.1)) / 2
    loss, ended = final_board_loss(logits, target, torch.tensor([3.0, 1.0]))
    assert loss.item() == pytest.approx((3 * each[0] + each[1]) / 4, rel=1e-5) and ended.item() == 1
    target[1] = UNKNOWN
    loss, ended = final_board_loss(logits, target, torch.tensor([3.0, 1.0]))
    assert loss.item() == pytest.approx(3 * each[0] / 4, rel=1e-5) and ended.item() == 0.75


def test_unknown_boards_have_no_gradient() -> None:
    logits = torch.randn(4, 3, 2, 2, requires_grad=True)
    loss, ended = final_board_loss(logits, torch.full((4, 4), UNKNOWN, dtype=torch.int8), torch.ones(4))
    loss.backward()  # type: ignore[no-untyped-call]
    assert loss.item() == ended.item() == 0 and logits.grad is not None and not logits.grad.any()


# -- learning ----------------------------------------------------------------------------------------------------------
def learner_of(network: NetworkSettings, game: Game, **settings: float) -> Learner:
    torch.set_num_threads(1)
    return Learner(build_network(network, game, seed=1), TrainingSettings(averaging=0, **settings), device="cpu")


def test_final_boards_are_learned() -> None:
    game = find_game("othello:size=4")
    batch = batch_of(remembered(game, random_records("othello:size=4", 3)), game, symmetries=False)
    learner = learner_of(WITH_HEAD, game, learning_rate=0.01)
    reports = [learner.train(lambda: batch, 40, 0.0).final_board for _ in range(3)]
    assert reports[0] is not None and reports[-1] is not None
    assert reports[-1] < 0.35 < reports[0] < 1.3
    assert learner_of(SMALL, game).train(lambda: batch, 1, 0.0).final_board is None


def test_the_loss_told_is_that_of_games_that_were_played_out() -> None:
    game = find_game("tictactoe")
    played, resigned = random_records("tictactoe", 3), [random_record(game, n, resign_after=3) for n in range(3, 9)]
    losses = []
    for records in (played, played + resigned):
        learner = learner_of(NetworkSettings(blocks=1, channels=8, batch_norm=False, final_board=True), game)
        batch = batch_of(remembered(game, records), game, symmetries=False)
        losses.append(learner.train(lambda: batch, 1, 0.0).final_board)  # noqa: B023
    assert losses[0] == pytest.approx(losses[1], rel=1e-5)
    batch = batch_of(remembered(game, resigned), game)
    assert learner_of(WITH_HEAD, game).train(lambda: batch, 1, 0.0).final_board is None, "there was nothing to learn from"


def test_a_learner_goes_on_as_if_nothing_had_happened() -> None:
    game = find_game("tictactoe")
    batch = batch_of(remembered(game, random_records("tictactoe", 8)), game)
    whole, first, second = (learner_of(WITH_HEAD, game) for _ in range(3))
    whole.train(lambda: batch, 4, 0.0)
    first.train(lambda: batch, 2, 0.0)
    second.restore(first.state())
    second.train(lambda: batch, 2, 0.0)
    assert all(torch.equal(tensor, second.state()[name]) for name, tensor in whole.state().items())


@pytest.mark.parametrize("weight", [0.0, 0.5])
def test_the_tower_learns_from_final_boards_by_their_weight(weight: float) -> None:
    game = find_game("tictactoe")
    batch = batch_of(remembered(game, random_records("tictactoe", 8)), game)
    towers = []
    for network in (SMALL, WITH_HEAD):
        learner = learner_of(network, game, final_board_weight=weight)
        learner.train(lambda: batch, 3, 0.0)
        towers.append(learner.network.tower.state_dict())
    assert all(torch.equal(towers[0][name], towers[1][name]) for name in towers[0]) == (weight == 0)


def test_boards_of_several_sizes_and_rules_are_learned(tmp_path: Path) -> None:
    names = ("gomoku:size=5", "gomoku:size=5,rule=standard", "gomoku:size=6")
    games = [find_game(name) for name in names]
    replay = Replays(games, ReplaySettings(), tmp_path, final_boards=True)
    for name in names:
        replay.add(random_records(name, 3))
    replay.learn_from(games)
    network = NetworkSettings(kind="convolutional", blocks=1, channels=8, final_board=True)
    learner, stream, sizes = learner_of(network, games[0]), new_stream(1), set()
    for _ in range(12):
        batch = replay.sample(16, stream)
        sizes.add(batch.final_board.shape)
        empty = (batch.planes[:, :2].sum(1) == 0).reshape(len(batch), -1)
        own, other = (batch.planes[:, plane].reshape(len(batch), -1) == 1 for plane in (0, 1))
        assert (batch.final_board[own] == 1).all() and (batch.final_board[other] == 2).all(), "stones stay where they are"
        assert (batch.final_board[empty] > 0).any(), "and others come"
        report = learner.train(lambda: batch, 1, 0.0)  # noqa: B023
        assert report.final_board is not None and 0 < report.final_board < 3
    assert sizes == {(16, 25), (16, 36)}


# -- networks ----------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("kind", ["residual", "convolutional"])
@pytest.mark.parametrize("plies_left", [False, True])
def test_the_head_changes_nothing_else(kind: str, plies_left: bool) -> None:
    game = find_game("othello:size=6")
    shape = SMALL.model_copy(update={"kind": kind, "plies_left": plies_left})
    without, network = (
        build_network(shape.model_copy(update={"final_board": final_board}), game, seed=2) for final_board in (False, True)
    )
    planes = random_positions(game, 20)
    *others, board = network(torch.from_numpy(planes))
    assert len(others) == 2 + plies_left and board.shape == (20, 3, 6, 6)
    sum(output.square().sum() for output in (*others, board)).backward()
    assert all(parameter.grad is not None for parameter in network.parameters()), "every weight learns"
    models = [export_onnx(build_network(one.settings, game, seed=2), game) for one in (without, network)]
    assert models[0] == models[1], "who plays does not have it"
    assert quantized(models[0], planes) == quantized(models[1], planes)
    assert count_multiply_adds(network, game) == count_multiply_adds(without, game)


def test_a_grown_network_foresees_the_same() -> None:
    game = find_game("othello:size=6")
    network = build_network(NetworkSettings(blocks=1, channels=8, plies_left=True, final_board=True), game, 1).eval()
    larger = grown(network, GrowthSettings(blocks=2, channels=16), game, 2).eval()
    planes = torch.from_numpy(random_positions(game, 8))
    with torch.no_grad():
        outputs = [one(planes) for one in (network, larger)]
    assert larger.settings.final_board and [len(some) for some in outputs] == [4, 4]
    for before, after in zip(*outputs, strict=True):
        torch.testing.assert_close(before, after, atol=1e-5, rtol=1e-5)


# -- runs --------------------------------------------------------------------------------------------------------------
def test_a_run_that_learns_final_boards_goes_on_after_a_stop(tmp_path: Path) -> None:
    """Its network has grown by then, with the head."""
    changes = "network.final_board=true", "growth.share=0.3", "growth.blocks=2", "growth.channels=12"
    folder, events = begin(tmp_path / "run", *changes, generations=3), list[TrainingEvent]()
    run_generations(folder, 2)
    stopped = checkpoint_of(folder)[1]
    with Training(folder, events.append) as training:
        state = training.learner.state()
        assert any("final_board" in name for name in state) and state.keys() == stopped.keys()
        assert all(torch.equal(tensor, stopped[name]) for name, tensor in state.items())
        assert training.learner.network.settings.channels == 12
        training.run()
    losses = [event["final_board_loss"] for event in folder.read_events() if event["event"] == "GenerationDone"]
    assert len(losses) == 3 and all(0 < loss < 1.5 for loss in losses)
    log = EventAccumulator(str(folder.path / "tensorboard"))
    log.Reload()
    assert [point.step for point in log.Scalars("loss/final_board_loss")] == [1, 2, 3]
    (drawn,) = (trace for trace in charts.losses([read_history(folder.path, "run")]).traces if trace["name"] == "final board")
    assert drawn["y"] == losses


def test_epochs_through_merged_positions_learn_final_boards(tmp_path: Path) -> None:
    changes = "network.final_board=true", "replay.duplicates=merge", "training.epochs=2", "training.held_out=0.2"
    done = [event for event in run(begin(tmp_path / "run", *changes, generations=1)) if isinstance(event, GenerationDone)]
    assert [event.final_board_loss is not None and event.validation_loss is not None for event in done] == [True]


def test_settings_of_runs_that_were_begun_before_are_read() -> None:
    settings = RunSettings(game="tictactoe", generations=1).model_dump()
    del settings["network"]["final_board"], settings["training"]["final_board_weight"]
    read = RunSettings.model_validate(settings)
    assert not read.network.final_board and read == RunSettings(game="tictactoe", generations=1)
