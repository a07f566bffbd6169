"""The network that `boardzero bench network` measures, and its report for people."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from boardzero.errors import BadInput

if TYPE_CHECKING:
    from boardzero.games.rules import Game
    from boardzero.network.model import Network


def chosen_network(
    game_name: str | None,
    blocks: int | None,
    channels: int | None,
    preset: str | None,
    file: Path | None,
    changes: Sequence[str] = (),
) -> "tuple[Network, Game]":
    """The network that the options describe, new or from a file, and the game to measure it on."""
    from boardzero.games.catalogue import find_game
    from boardzero.network.build import build_network
    from boardzero.network.fitting import check_fits
    from boardzero.network.weights import load_network
    from boardzero.settings.changes import apply_changes
    from boardzero.settings.network import DOCUMENTED_NETWORKS, NetworkSettings
    from boardzero.settings.specification import nearest

    sizes = {name: size for name, size in (("blocks", blocks), ("channels", channels)) if size is not None}
    if sum(map(bool, (sizes or changes, preset, file))) > 1:
        raise BadInput("Settings of a new network (--blocks, --channels, --set), --preset and --file exclude each other.")
    if file:
        stored = load_network(file)
        game = find_game(game_name) if game_name else stored.game
        check_fits(stored.header, game, str(file))
        return stored.network, game
    if preset and preset not in DOCUMENTED_NETWORKS:
        known = ", ".join(DOCUMENTED_NETWORKS)
        raise BadInput(f"There is no network '{preset}'{nearest(preset, DOCUMENTED_NETWORKS)}; there are {known}.")
    settings = DOCUMENTED_NETWORKS[preset] if preset else apply_changes(NetworkSettings, sizes, changes)
    game = find_game(game_name or "connect4")
    return build_network(settings, game), game


def print_report(report: dict[str, Any]) -> None:
    console = Console()
    settings = ", ".join(f"{key}={value}" for key, value in report["settings"].items()) or "the default network"
    console.print(
        f"{report['game']}: {settings}\n"
        f"{report['parameters']:,} parameters; {report['multiply_adds']:,} multiply-adds "
        f"({report['flops']:,} FLOPs) a position\n"
        f"export to ONNX: {1000 * report['export_seconds']:.0f} ms, greatest difference {report['export_difference']:.1e}\n",
        highlight=False,
    )
    table = Table("positions/s", box=None, pad_edge=False, header_style="bold")
    for heading in ("batch", "ONNX Runtime", "GFLOP/s", f"PyTorch ({report['pytorch_device']})", "ratio"):
        table.add_column(heading, justify="right")
    for speed in report["speeds"]:
        table.add_row(
            f"{speed['threads']} thread{'s' if speed['threads'] > 1 else ''}",
            str(speed["batch"]),
            f"{speed['onnx_runtime']:,.0f}",
            f"{speed['onnx_runtime'] * report['flops'] / 1e9:,.0f}",
            f"{speed['pytorch']:,.0f}",
            f"{speed['ratio']:.1f} ×",
        )
    console.print(table)
