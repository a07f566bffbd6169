"""Networks that grow and go on computing the same, and runs whose network grows."""

from pathlib import Path

import pytest
import torch
from training_runs import begin, checkpoint_of, run, settings_of

from boardzero.errors import BadInput
from boardzero.events.training import GenerationDone
from boardzero.games.catalogue import find_game
from boardzero.network.build import build_network
from boardzero.network.growing import grown
from boardzero.network.model import Network
from boardzero.network.weights import read_header
from boardzero.settings.growth import GrowthSettings
from boardzero.settings.network import NetworkSettings
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder

GAME = find_game("connect4")


def trained_a_little(network: Network) -> Network:
    """With normalisations that are no longer as they were made."""
    network.train()
    with torch.no_grad():
        for _ in range(3):
            network(torch.rand(16, len(GAME.planes), GAME.rows, GAME.columns))
    return network.eval()


@pytest.mark.parametrize(
    "settings",
    [
        NetworkSettings(blocks=2, channels=8),
        NetworkSettings(blocks=2, channels=8, batch_norm=False),
        NetworkSettings(blocks=2, channels=8, value="wdl", policy_head="dense"),
        NetworkSettings(kind="convolutional", blocks=1, channels=8),
    ],
    ids=["normalised", "plain", "wdl", "convolutional"],
)
def test_grown_network_computes_the_same(settings: NetworkSettings) -> None:
    network = trained_a_little(build_network(settings, GAME, 1))
    larger = grown(network, GrowthSettings(blocks=4, channels=24), GAME, 2).eval()
    planes = torch.rand(8, len(GAME.planes), GAME.rows, GAME.columns)
    with torch.no_grad():
        for before, after in zip(network(planes), larger(planes), strict=True):
            torch.testing.assert_close(before, after, atol=1e-5, rtol=1e-5)
    assert (larger.settings.blocks, larger.settings.channels) == (4, 24)


def test_everything_new_learns() -> None:
    """Two steps move every weight: what was still at first is reached by the second."""
    network = trained_a_little(build_network(NetworkSettings(blocks=1, channels=8), GAME, 1))
    larger = grown(network, GrowthSettings(blocks=2, channels=16), GAME, 2).train()
    before = {name: weight.clone() for name, weight in larger.named_parameters()}
    optimizer = torch.optim.Adam(larger.parameters(), 1e-2)
    for _ in range(2):
        logits, value = larger(torch.rand(32, len(GAME.planes), GAME.rows, GAME.columns))
        optimizer.zero_grad()
        (logits.square().mean() + (value - 1).square().mean()).backward()
        optimizer.step()
    still = [name for name, weight in larger.named_parameters() if torch.equal(weight, before[name])]
    assert still == []


@pytest.mark.parametrize(
    ("settings", "blocks", "channels", "said"),
    [
        (NetworkSettings(blocks=2, channels=8), 1, 8, "only become larger"),
        (NetworkSettings(blocks=2, channels=8), 2, 8, "only become larger"),
        (NetworkSettings(blocks=2, channels=8), 2, 4, "only become larger"),
        (NetworkSettings(blocks=2, channels=8, activation="leaky"), 3, 8, "activation=relu"),
        (NetworkSettings(blocks=2, channels=8, global_pooling_every=1), 2, 16, "global_pooling_every"),
        (NetworkSettings(kind="slavka", blocks=2, channels=8), 2, 16, "kind=slavka"),
    ],
)
def test_network_that_cannot_grow_is_refused(settings: NetworkSettings, blocks: int, channels: int, said: str) -> None:
    with pytest.raises(BadInput, match=said):
        grown(build_network(settings, GAME, 1), GrowthSettings(blocks=blocks, channels=channels), GAME, 2)


# -- runs -------------------------------------------------------------------------------------------------------------
GROWTH = ["growth.share=0.4", "growth.blocks=2", "growth.channels=12"]  # of four generations: with the third


def sizes(folder: RunFolder) -> list[tuple[int, int]]:
    """Blocks and channels of every network that the run kept."""
    networks = [read_header(folder.network(generation)).settings for generation in folder.network_generations()]
    return [(network.blocks, network.channels) for network in networks]


def test_network_of_a_run_grows_on_the_way(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *GROWTH, "keep_every=1", generations=4)
    run(folder)
    assert sizes(folder) == [(1, 8), (1, 8), (1, 8), (2, 12), (2, 12)]
    progress, _ = checkpoint_of(folder)
    assert progress.grown


def test_run_that_is_stopped_after_every_generation_grows_as_well(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *GROWTH, "keep_every=1", generations=4)
    for _ in range(4):
        stop_after_a_generation(folder)
    assert sizes(folder) == [(1, 8), (1, 8), (1, 8), (2, 12), (2, 12)]


def stop_after_a_generation(folder: RunFolder) -> None:
    with Training(folder, lambda event: training.stop() if isinstance(event, GenerationDone) else None) as training:
        training.run()


def test_run_without_its_checkpoints_goes_on_with_the_grown_network(tmp_path: Path) -> None:
    folder = begin(tmp_path / "run", *GROWTH, generations=4)
    run(folder)
    folder.checkpoint.unlink()
    folder.checkpoint_before.unlink()
    with Training(folder, lambda event: None) as training:
        assert training.progress.grown
        assert training.learner.network.settings.channels == 12


def test_growth_that_is_none_is_refused_before_the_run_begins() -> None:
    with pytest.raises(BadInput, match="only become larger"):
        settings_of("growth.share=0.5", "growth.channels=4")
