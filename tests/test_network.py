"""Networks as PyTorch modules: shapes, sizes that the documents give, and what each kind promises."""

import copy
import itertools

import numpy as np
import pytest
import torch

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.network.build import build_network
from boardzero.network.cost import count_multiply_adds, count_parameters
from boardzero.network.documented import absolute_colours
from boardzero.network.heads import MoveLogits
from boardzero.network.layers import FIRST_BATCHES
from boardzero.network.model import Inference, Network
from boardzero.network.onnx_export import check_export, export_onnx
from boardzero.network.positions import random_positions
from boardzero.settings.network import DOCUMENTED_NETWORKS, NetworkSettings
from boardzero.settings.specification import parse_parameters

torch.set_num_threads(1)  # PyTorch's threads wait busily, which is slow where tests share the cores

GAMES = ["tictactoe", "connect4", "connect4:rows=5,columns=8", "othello:size=6", "gomoku:size=7", "latrunculi:size=4"]
# Not narrower: a head of a few ReLU units can be silent everywhere before it has learned.
SMALL = {"blocks": 2, "channels": 8, "policy_channels": 8, "value_channels": 4, "value_hidden": 32}
VARIANTS = [
    NetworkSettings(**SMALL),
    NetworkSettings(**SMALL, value="wdl", activation="leaky"),
    NetworkSettings(**SMALL, batch_norm=False, policy_kernel=3),
    NetworkSettings(**SMALL, policy_head="dense", global_pooling_every=2),
    NetworkSettings(**SMALL, kind="convolutional", value="wdl", global_pooling_every=1),
    NetworkSettings(kind="slavka", blocks=2, channels=8, head_layers=1),
]


def outputs(network: Network, planes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    with torch.inference_mode():
        logits, values = Inference(network).eval()(torch.from_numpy(planes))
    return logits.numpy(), values.numpy()


def planes_after(game: Game, moves: str) -> np.ndarray:
    return game.encoded(Position(game, moves).state)[None]


@pytest.mark.parametrize("specification", GAMES)
@pytest.mark.parametrize("settings", VARIANTS, ids=lambda settings: settings.to_text())
def test_every_network_plays_every_game(specification: str, settings: NetworkSettings) -> None:
    game = find_game(specification)
    network = build_network(settings, game)
    planes = random_positions(game, 20)
    logits, values = outputs(network, planes)
    assert logits.shape == (20, game.action_count) and values.shape == (20,)
    assert np.isfinite(logits).all() and (np.abs(values) < 1).all()
    assert len(np.unique(values)) > 1, "the value depends on the position"
    assert (np.ptp(logits, axis=0) > 0).all(), "each logit depends on the position"
    logits_in_training, value = network.train()(torch.from_numpy(planes))
    assert value.shape == ((20, 3) if settings.value == "wdl" else (20,))
    (logits_in_training.square().sum() + value.square().sum()).backward()
    assert all(parameter.grad is not None for parameter in network.parameters()), "every weight learns"


def test_games_without_geometry_are_played() -> None:
    pytest.importorskip("pyspiel")
    game = find_game("openspiel:breakthrough,rows=6,columns=6")
    for settings in (NetworkSettings(**SMALL), NetworkSettings(**SMALL, kind="convolutional")):
        logits, _ = outputs(build_network(settings, game), random_positions(game, 2))
        assert logits.shape == (2, game.action_count)


def test_value_of_win_draw_loss_is_chance_of_winning_less_chance_of_losing() -> None:
    game = find_game("tictactoe")
    network = build_network(NetworkSettings(**SMALL, value="wdl"), game)
    planes = random_positions(game, 5)
    with torch.inference_mode():
        chances = network.eval()(torch.from_numpy(planes))[1].softmax(1).numpy()
    assert np.allclose(outputs(network, planes)[1], chances[:, 0] - chances[:, 2], atol=1e-6)


def test_move_logits_are_numbered_from_cell_to_cell() -> None:
    """What a network says of a move depends on the features of its two cells, in the layout's order: from · cells + to."""
    game = find_game("latrunculi:size=4,start=rows")
    network = build_network(NetworkSettings(**SMALL), game).eval()
    head = network.policy.get_submodule("1.parts.0")
    assert isinstance(head, MoveLogits)
    features = torch.randn(1, SMALL["policy_channels"], 4, 4)
    with torch.inference_mode():
        logits = head(features).reshape(16, 16)
        changed = features.clone()
        changed[0, :, 1, 2] += 1.0  # cell 6
        difference = (head(changed).reshape(16, 16) - logits).abs() > 1e-6
        start = head.start(features).flatten(2)[0, :, 5]
        end = head.end(features).flatten(2)[0, :, 11]
    assert all(
        difference[source, target] == (6 in (source, target)) for source, target in itertools.product(range(16), repeat=2)
    )
    assert logits[5, 11].item() == pytest.approx((start @ end).item() / 4, abs=1e-5)


def test_column_logits_stand_in_the_order_of_the_columns() -> None:
    game = find_game("connect4")
    for kind in ("residual", "convolutional"):
        network = build_network(parse_parameters(NetworkSettings, {"kind": kind, "blocks": 0}, "network"), game)
        empty, one_stone = outputs(network, planes_after(game, ""))[0], outputs(network, planes_after(game, "7"))[0]
        far = np.abs(empty - one_stone)[0]
        assert (far[:5] == 0).all() and (far[5:] > 0).all(), "one 3×3 layer sees a stone in column 7 from columns 6 and 7"


@pytest.mark.parametrize("kind", ["residual", "convolutional"])
def test_a_third_head_learns_how_many_plies_are_left_and_changes_nothing_else(kind: str) -> None:
    game = find_game("connect4")
    without, network = (
        build_network(NetworkSettings.model_validate({**SMALL, "kind": kind, "plies_left": plies_left}), game, seed=2)
        for plies_left in (False, True)
    )
    planes = random_positions(game, 20)
    logits, value, plies_left = network(torch.from_numpy(planes))
    assert plies_left.shape == (20,) and (plies_left > 0).all() and plies_left.unique().numel() > 1
    (logits.square().sum() + value.square().sum() + plies_left.sum()).backward()
    assert all(parameter.grad is not None for parameter in network.parameters()), "every weight learns"
    assert len(without(torch.from_numpy(planes))) == 2
    assert export_onnx(build_network(network.settings, game, seed=2), game) == export_onnx(
        build_network(without.settings, game, seed=2), game
    ), "who plays does not have it"
    assert count_multiply_adds(network, game) == count_multiply_adds(without, game)


def test_seed_decides_the_weights() -> None:
    game = find_game("tictactoe")
    one, same, other = (build_network(NetworkSettings(), game, seed).state_dict() for seed in (1, 1, 2))
    assert all(torch.equal(one[name], same[name]) for name in one)
    assert any(not torch.equal(one[name], other[name]) for name in one)


def test_building_a_network_leaves_the_global_random_stream_alone() -> None:
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    build_network(NetworkSettings(), find_game("tictactoe"), seed=9)
    assert torch.equal(torch.rand(3), expected)


@pytest.mark.parametrize(
    "settings", [NetworkSettings(kind="convolutional", global_pooling_every=2), NetworkSettings(kind="slavka")]
)
@pytest.mark.parametrize(
    "specification", ["gomoku:size={}", "connect4:rows={},columns=9", "latrunculi:size={}", "othello:size={}"]
)
def test_same_weights_serve_every_size(settings: NetworkSettings, specification: str) -> None:
    small, large = (find_game(specification.format(size)) for size in (6, 8))
    network, twin = build_network(settings, small), build_network(settings, large)
    twin.load_state_dict(network.state_dict())
    for game in (small, large):
        planes = random_positions(game, 3)
        for one, other in zip(outputs(network, planes), outputs(twin, planes), strict=True):
            assert np.array_equal(one, other)
        assert outputs(network, planes)[0].shape == (3, game.action_count)


def test_global_pooling_carries_news_across_the_board() -> None:
    game = find_game("gomoku:size=15")
    corner, planes = game.action_from_text("a1"), random_positions(game, 1)
    planes[:] = 0
    news = planes.copy()
    news[0, 0, 0, 14] = 1  # the opposite corner
    seen = {}
    for every in (0, 1):
        network = build_network(NetworkSettings(blocks=1, global_pooling_every=every), game)
        seen[every] = bool(outputs(network, planes)[0][0, corner] != outputs(network, news)[0][0, corner])
    assert seen == {0: False, 1: True}


# -- the documents ------------------------------------------------------------------------------------------------------
def test_briden_network_has_the_published_size_only_if_its_input_is_read_channels_last() -> None:
    game = find_game("connect4")
    sizes = {
        name: count_parameters(build_network(settings, game))
        for name, settings in DOCUMENTED_NETWORKS.items()
        if "briden" in name
    }
    assert sizes == {"briden-connect4": 298_644, "briden-connect4-published": 265_108}


@pytest.mark.parametrize(("name", "millions", "convolutions"), [("katafanga-large", 22.4, 42), ("katafanga-small", 3.2, 26)])
def test_katafanga_towers_have_the_size_that_follows_from_their_blocks(name: str, millions: float, convolutions: int) -> None:
    with torch.device("meta"):
        network = build_network(DOCUMENTED_NETWORKS[name], find_game("othello"))
    found = [module for module in network.modules() if isinstance(module, torch.nn.Conv2d)]
    assert len(found) == convolutions
    weights = sum(module.weight.numel() for module in found[1:-3])  # without the entry to the tower and the heads
    assert round(weights / 1e6, 1) == millions


def test_wandhoven_network_is_as_documented() -> None:
    game = find_game("connect4")
    network = build_network(DOCUMENTED_NETWORKS["wandhoven-connect4"], game)
    tower = 2 * 9 * 75 + 12 * 9 * 75 * 75 + 13 * 2 * 75  # convolutions without bias, and their normalisation
    value = 75 * 10 + 10 + 420 * 210 + 210 + 210 + 1
    policy = 75 * 2 + 2 + 84 * 42 + 42
    assert count_parameters(network) == tower + value + policy
    slopes = {module.negative_slope for module in network.modules() if isinstance(module, torch.nn.LeakyReLU)}
    assert slopes == {0.3}


def test_wandhoven_column_has_the_logit_of_the_cell_where_its_stone_lands() -> None:
    game = find_game("connect4")
    network = build_network(DOCUMENTED_NETWORKS["wandhoven-connect4"], game).eval()
    planes = planes_after(game, "4444443")  # column 4 is full, column 3 has one stone
    with torch.inference_mode():
        cells = network.policy(network.tower(torch.from_numpy(planes))).numpy().reshape(6, 7)
    logits = outputs(network, planes)[0][0]
    assert logits[3] == -1000
    assert logits[2] == pytest.approx(cells[4, 2]) and logits[0] == pytest.approx(cells[5, 0])


def test_wandhoven_network_gives_occupied_cells_minus_1000() -> None:
    game = find_game("tictactoe")
    network = build_network(DOCUMENTED_NETWORKS["wandhoven-connect4"], game)
    state = Position(game, "a1 b2").state
    logits = outputs(network, game.encoded(state)[None])[0][0]
    assert {action for action in range(9) if logits[action] != -1000} == set(game.legal_actions(state))


def test_slavka_network_has_four_layers_two_a_head_and_16_channels() -> None:
    network = build_network(DOCUMENTED_NETWORKS["slavka-gomoku"], find_game("gomoku:size=13"))
    convolutions = [module for module in network.modules() if isinstance(module, torch.nn.Conv2d)]
    wide = [module for module in convolutions if module.out_channels == 16]
    assert len(wide) == 4 + 2 + 2 and all(module.kernel_size == (3, 3) for module in wide)
    assert [(module.kernel_size, module.out_channels) for module in convolutions if module not in wide] == [((1, 1), 1)] * 2


def test_absolute_colours_show_the_first_player_first_whoever_is_to_move() -> None:
    game = find_game("connect4")
    for moves, turn in (("4453", 1), ("44533", -1), ("", 1), ("4", -1)):
        state = Position(game, moves).state
        seen = absolute_colours(torch.from_numpy(game.encoded(state)[None])).numpy()[0]
        cells = game.cells(state)
        assert np.array_equal(seen[0], cells == 1) and np.array_equal(seen[1], cells == 2)
        assert (seen[2] == turn).all()


@pytest.mark.parametrize("kind", ["wandhoven", "briden"])
def test_networks_that_count_stones_refuse_games_that_take_them_away(kind: str) -> None:
    with pytest.raises(BadInput, match="each turn adds one stone"):
        build_network(parse_parameters(NetworkSettings, {"kind": kind}, "network"), find_game("othello"))


def test_briden_network_refuses_boards_that_it_cannot_pool() -> None:
    with pytest.raises(BadInput, match="2×2"):
        build_network(NetworkSettings(kind="briden"), find_game("connect4:rows=1,columns=7,connect=4"))


# -- settings and cost ----------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "values",
    [
        {"kind": "briden", "blocks": 3},
        {"kind": "slavka", "value": "wdl"},
        {"kind": "wandhoven", "plies_left": True},
        {"kind": "slavka", "final_board": True},
        {"kind": "wandhoven", "policy_channels": 3},
        {"channels_last": True},
        {"policy_kernel": 2},
        {"kind": "convolutional", "policy_head": "dense"},
        {"global_pooling_every": 1, "channels": 1},
        {"chanels": 3},
        {"kind": "transformer"},
        {"slope": 0},
    ],
)
def test_settings_that_would_do_nothing_or_harm_are_refused(values: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        parse_parameters(NetworkSettings, values, "The network")


def test_settings_survive_the_way_through_json() -> None:
    for settings in (*DOCUMENTED_NETWORKS.values(), *VARIANTS):
        assert NetworkSettings.model_validate_json(settings.model_dump_json()) == settings


def test_default_network_has_four_blocks_of_32_channels_and_its_arithmetic_is_counted() -> None:
    game = find_game("connect4")
    network = build_network(NetworkSettings(), game).train()
    cells, hidden = 42, 64
    tower = cells * 9 * (2 * 32 + 8 * 32 * 32)
    heads = cells * 32 * (16 + 8) + 16 * cells + 8 * cells * hidden + hidden
    assert count_multiply_adds(network, game) == tower + heads
    assert network.training, "counting leaves the network as it was"


# -- renormalisation ---------------------------------------------------------------------------------------------------
def renormalised(game_name: str) -> Network:
    """With running means that two sizes of board have made."""
    settings = NetworkSettings(kind="convolutional", blocks=2, channels=16, renormalised=True)
    network = build_network(settings, find_game(game_name)).train()
    with torch.no_grad():
        for number in range(2 * FIRST_BATCHES):
            size = 6 if number % 2 else 12
            network(torch.from_numpy(random_positions(find_game(f"gomoku:size={size}"), 16, number)))
    return network


def test_a_renormalised_network_computes_in_training_what_it_computes_in_play() -> None:
    network = renormalised("gomoku:size=6")
    for size in (6, 12):
        planes = torch.from_numpy(random_positions(find_game(f"gomoku:size={size}"), 64, 7))
        twin = copy.deepcopy(network).eval()
        with torch.no_grad():
            for one, other in zip(network(planes), twin(planes), strict=True):
                assert torch.allclose(one, other, atol=1e-4)


def test_a_renormalised_network_learns_with_all_its_weights_and_is_exported() -> None:
    game = find_game("gomoku:size=6")
    network = renormalised("gomoku:size=6")
    logits, value = network(torch.from_numpy(random_positions(game, 32)))
    (logits.square().mean() + (value - 1).square().mean()).backward()
    assert all(weight.grad is not None and weight.grad.abs().sum() > 0 for weight in network.parameters())
    network.eval()
    assert check_export(network, export_onnx(network, game), game).passed
