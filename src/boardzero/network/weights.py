"""Network files: safetensors with a JSON header, and the same network as ONNX beside it. Complete or absent, never pickled."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
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
from boardzero.network.model import Network
from boardzero.network.onnx_export import export_onnx
from boardzero.settings.network import NetworkSettings
from boardzero.settings.specification import parse_parameters

SUFFIX, ONNX_SUFFIX = ".safetensors", ".onnx"
HEADER_KEY, FORMAT = "boardzero", 1


@dataclass(frozen=True)
class NetworkHeader:
    """What a network file says about itself."""

    settings: NetworkSettings
    game: str  # the specification of the game it was built for
    checksum: str  # of the weights
    details: dict[str, Any] = field(default_factory=dict)  # generation, training time, seed: whatever its maker noted

    def to_text(self) -> str:
        """As JSON, for the file."""
        content = {
            "format": FORMAT,
            "settings": self.settings.model_dump(),
            "game": self.game,
            "checksum": self.checksum,
            "details": self.details,
        }
        return json.dumps(content, ensure_ascii=False)


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
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in network.state_dict().items()}
    header = NetworkHeader(network.settings, game.specification, checksum_of(tensors), dict(details or {}))
    labels = {HEADER_KEY: header.to_text()}
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path.with_suffix(ONNX_SUFFIX), export_onnx(network, game, labels))
    write_whole(path, safetensors.torch.save(tensors, labels))
    return header


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
        with safe_open(_existing(path), framework="pt") as file:
            metadata, tensors = file.metadata(), {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise _damaged(path, error) from None
    header = parse_header(metadata, str(path))
    if checksum_of(tensors) != header.checksum:
        raise BadInput(f"The network file '{path}' is damaged: its weights do not match their checksum.")
    game = find_game(header.game)
    network = build_network(header.settings, game)
    _check_tensors(tensors, network, path)
    network.load_state_dict(tensors)
    return StoredNetwork(network.eval(), game, header)


def read_header(path: Path) -> NetworkHeader:
    """What a network file says about itself, without its weights."""
    try:
        with safe_open(_existing(path), framework="pt") as file:
            metadata = file.metadata()
    except (SafetensorError, OSError) as error:
        raise _damaged(path, error) from None
    return parse_header(metadata, str(path))


def parse_header(metadata: Mapping[str, str] | None, origin: str) -> NetworkHeader:
    """The header among a file's labels; `origin` names the file in what is said about a bad one."""
    text = (metadata or {}).get(HEADER_KEY)
    if text is None:
        raise BadInput(f"'{origin}' is not a network of boardzero: it lacks the header that boardzero writes.")
    try:
        content = json.loads(text)
        version = content["format"]
        if version != FORMAT:
            raise BadInput(f"The network '{origin}' has format {version}; this boardzero reads format {FORMAT}.")
        settings, game, checksum, details = (content[key] for key in ("settings", "game", "checksum", "details"))
    except (json.JSONDecodeError, KeyError, TypeError):
        raise BadInput(f"The network '{origin}' is damaged: its header cannot be read.") from None
    if not (isinstance(settings, dict) and isinstance(game, str) and isinstance(details, dict)):
        raise BadInput(f"The network '{origin}' is damaged: its header cannot be read.")
    return NetworkHeader(parse_parameters(NetworkSettings, settings, f"The network '{origin}'"), game, checksum, details)


def _existing(path: Path) -> Path:
    if not path.is_file():
        raise BadInput(f"There is no network file '{path}'.")
    return path


def _damaged(path: Path, error: Exception) -> BadInput:
    return BadInput(f"'{path}' is damaged or not a network file (safetensors): {error}.")


def _check_tensors(tensors: Mapping[str, Tensor], network: Network, path: Path) -> None:
    expected = network.state_dict()
    odd = sorted(expected.keys() ^ tensors.keys()) or [
        name for name, tensor in tensors.items() if (tensor.shape, tensor.dtype) != (expected[name].shape, expected[name].dtype)
    ]
    if odd:
        raise BadInput(f"The network file '{path}' does not match its own header: its weights differ at '{odd[0]}'.")
