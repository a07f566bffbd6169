"""Networks that grow and go on computing the same, and runs whose network grows."""

from pathlib import Path
from typing import Any

import pytest
import torch
from training_runs import begin, checkpoint_of, run, settings_of

from boardzero.errors import BadInput
from boardzero.events.training import GenerationDone, NetworksCompared
from boardzero.games.catalogue import find_game
from boardzero.network.build import build_network
from boardzero.network.growing import grown
from boardzero.network.model import Network
from boardzero.network.weights import StoredNetwork, load_network, read_header, save_network
from boardzero.settings.changes import apply_changes
from boardzero.settings.growth import GrowthSettings
from boardzero.settings.network import NetworkSettings
from boardzero.settings.presets import default_values
from boardzero.settings.run import RunSettings
from boardzero.training.beginning import with_shape_of
from boardzero.training.loop import Training
from boardzero.training.run_folder import Progress, RunFolder

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
    with pytest.raises(BadInput, match=r"only become larger; growth\.share=0 lets it stay"):
        settings_of("growth.share=0.5", "growth.channels=4")


def stored_network(path: Path, blocks: int, channels: int) -> StoredNetwork:
    save_network(path, build_network(NetworkSettings(blocks=blocks, channels=channels), GAME, 1), GAME)
    return load_network(path)


def test_run_that_begins_with_a_grown_network_stays_with_it(tmp_path: Path) -> None:
    """Connect Four grows to 6 × 64, which its finished networks have already."""
    values = default_values("connect4")
    grown_one = with_shape_of(stored_network(tmp_path / "large.safetensors", 6, 64), values)
    settings = apply_changes(RunSettings, grown_one, [])
    assert (settings.network.blocks, settings.network.channels, settings.growth.share) == (6, 64, 0)
    small_one = with_shape_of(stored_network(tmp_path / "small.safetensors", 2, 16), values)
    settings = apply_changes(RunSettings, small_one, [])
    assert (settings.network.blocks, settings.network.channels) == (2, 16)
    assert settings.growth == GrowthSettings(**values["growth"])


@pytest.mark.parametrize("mode", ["alternating", "concurrent"])
def test_averaged_weights_that_play_and_the_newest_both_grow(tmp_path: Path, mode: str) -> None:
    folder = begin(tmp_path / "run", *GROWTH, f"mode={mode}", "training.averaging=0.9", "keep_every=1", generations=4)
    run(folder)
    assert sizes(folder)[-1] == (2, 12)
    _, state = checkpoint_of(folder)
    stored = load_network(folder.network(4)).network.state_dict()
    assert all(torch.equal(state[f"playing.{name}"], tensor) for name, tensor in stored.items())
    assert not torch.equal(state["network.policy.0.0.weight"], stored["policy.0.0.weight"])


def test_gated_run_compares_a_grown_network_with_a_small_one(tmp_path: Path) -> None:
    gate = ("gate.kind=percentage", "gate.percentage=1", "gate.games=4")
    folder = begin(tmp_path / "run", *GROWTH, *gate, "keep_every=1", generations=4)
    compared = [event.generation for event in run(folder) if isinstance(event, NetworksCompared)]
    assert compared == [1, 2, 3, 4]
    assert sizes(folder) == [(1, 8), (1, 8), (1, 8), (2, 12), (2, 12)]


def test_kill_between_growing_and_the_checkpoint_does_no_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The network on disk is grown, the run stands before it: it grows again."""
    folder = begin(tmp_path / "run", *GROWTH, "keep_every=1", generations=4)
    save = RunFolder.save_checkpoint

    def fail_when_grown(self: RunFolder, progress: Progress, *rest: Any) -> None:
        if progress.grown:
            raise InterruptedError
        save(self, progress, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "save_checkpoint", fail_when_grown)
        with pytest.raises(InterruptedError):
            run(folder)
    assert sizes(folder)[-1] == (2, 12)
    with Training(folder, lambda _: None) as training:
        assert not training.progress.grown and training.progress.generation == 2
    run(folder)
    assert sizes(folder) == [(1, 8), (1, 8), (1, 8), (2, 12), (2, 12)]
