"""`boardzero export`: a network as one file, for boardzero or for other programs, and its card."""

from pathlib import Path
from typing import Annotated

import typer


def export(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run's folder (its newest network), or a network file.")],
    onnx: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the network as ONNX, for other programs.")] = None,
    safetensors: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write weights and settings, for boardzero and PyTorch.")
    ] = None,
    card: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write how it was learned and how strong it is (.md); results written there stay."),
    ] = None,
) -> None:
    """Write a network to a file, and its card."""
    from boardzero.errors import BadInput
    from boardzero.evaluation.card import header_with_learned, write_card
    from boardzero.network.onnx_export import check_export, export_onnx
    from boardzero.network.weights import HEADER_KEY, ONNX_SUFFIX, SUFFIX, load_network, weights_of, write_whole
    from boardzero.training.run_folder import RunFolder

    if onnx is None and safetensors is None and card is None:
        raise BadInput("Say what to write: --onnx FILE, --safetensors FILE, --card FILE, or several of them.")
    for file, suffix in ((onnx, ONNX_SUFFIX), (safetensors, SUFFIX), (card, ".md")):
        if file is not None and file.suffix != suffix:
            raise BadInput(f"'{file}' should be called name{suffix}.")
    path = RunFolder(run).newest_network() if run.is_dir() else run
    stored = load_network(path)
    header = header_with_learned(stored.header, path)
    try:
        if onnx is not None:
            model = export_onnx(stored.network, stored.game, {HEADER_KEY: header.to_text()})
            difference = check_export(stored.network, model, stored.game)
            if not difference.passed:
                raise BadInput(f"The network '{path}' cannot be exported: ONNX Runtime and PyTorch differ ({difference}).")
            write_whole(onnx, model)
            print(f"{onnx}: {stored.header.game}, as ONNX; differs from PyTorch by at most {difference.logits:.1e} in logits")
        if safetensors is not None:
            write_whole(safetensors, weights_of(stored.network, header))
            print(f"{safetensors}: {stored.header.game}, weights and settings")
        if card is not None:
            write_card(card, path)
            print(f"{card}: how it was learned, and what was measured")
    except OSError as error:
        raise BadInput(f"The network cannot be written: {error}.") from None
