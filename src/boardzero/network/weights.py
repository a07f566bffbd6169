"""Network files: safetensors with a JSON header, and the same network as ONNX beside it. Complete or absent, never pickled."""

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from uuid import uuid4

import safetensors.torch
from safetensors import SafetensorError, safe_open
from torch import Tensor

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.games.rules import Game
from boardzero.network.build import build_network
from boardzero.network.header import (
    HEADER_KEY,
    ONNX_SUFFIX,
    SUFFIX,
    NetworkHeader,
    damaged_file,
    existing_file,
    parse_header,
    read_header,
)
from boardzero.network.model import Network
from boardzero.network.onnx_export import export_onnx

__all__ = [
    "HEADER_KEY",
    "ONNX_SUFFIX",
    "SUFFIX",
    "NetworkHeader",
    "StoredNetwork",
    "checksum_of",
    "load_network",
    "parse_header",
    "read_header",
    "save_network",
    "weights_of",
    "write_whole",
]


@dataclass(frozen=True)
class StoredNetwork:
    """A network read from a file, ready to evaluate, with the game that it was built for."""

    network: Network
    game: Game
    header: NetworkHeader


# -- writing ----------------------------------------------------------------------------------------------------------
def save_network(path: Path, network: Network, game: Game, details: Mapping[str, Any] | None = None) -> NetworkHeader:
    """Write `name.safetensors` and, beside it, `name.onnx`."""
    if path.suffix != SUFFIX:
        raise BadInput(f"A network file is called name{SUFFIX}, not '{path.name}'.")
    header = NetworkHeader(network.settings, game.specification, checksum_of(_tensors(network)), dict(details or {}))
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path.with_suffix(ONNX_SUFFIX), export_onnx(network, game, {HEADER_KEY: header.to_text()}))
    write_whole(path, weights_of(network, header))
    return header


def weights_of(network: Network, header: NetworkHeader) -> bytes:
    """What `name.safetensors` holds."""
    return safetensors.torch.save(_tensors(network), {HEADER_KEY: header.to_text()})


def _tensors(network: Network) -> dict[str, Tensor]:
    return {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that, whatever happens meanwhile, its name stands for all of the content or for what was there before."""
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.part")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    if os.name == "posix":  # the new name is on the disk only when its folder is
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def checksum_of(tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of all weights, by name."""
    digest = hashlib.sha256()
    for name in sorted(tensors):
        digest.update(name.encode())
        digest.update(tensors[name].numpy().tobytes())
    return digest.hexdigest()


# -- reading ----------------------------------------------------------------------------------------------------------
def load_network(path: Path) -> StoredNetwork:
    """The network of a file; what is not one, or is damaged, is refused (BadInput)."""
    try:
        with safe_open(existing_file(path), framework="pt") as file:
            metadata, tensors = file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise damaged_file(path, error) from None
    header = parse_header(metadata, str(path))
    if checksum_of(tensors) != header.checksum:
        raise BadInput(f"The network file '{path}' is damaged: its weights do not match their checksum.")
    game = find_game(header.game)
    network = build_network(header.settings, game)
    _check_tensors(tensors, network, path)
    network.load_state_dict(tensors)
    return StoredNetwork(network.eval(), game, header)


def _check_tensors(tensors: Mapping[str, Tensor], network: Network, path: Path) -> None:
    expected = network.state_dict()
    odd = sorted(expected.keys() ^ tensors.keys()) or [
        name for name, tensor in tensors.items() if (tensor.shape, tensor.dtype) != (expected[name].shape, expected[name].dtype)
    ]
    if odd:
        raise BadInput(
            f"The network file '{path}' does not match its own header, or was made for another version of the game:"
            f" its weights differ at '{odd[0]}'."
        )
