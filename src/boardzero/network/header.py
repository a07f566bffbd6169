"""What network files say about themselves, and what the parts of an ONNX file are called.

Reading it needs no PyTorch, which takes a second or two to import: an engine starts without.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from safetensors import SafetensorError, safe_open

from boardzero.errors import BadInput
from boardzero.settings.network import NetworkSettings
from boardzero.settings.specification import parse_parameters

SUFFIX, ONNX_SUFFIX = ".safetensors", ".onnx"
HEADER_KEY, FORMAT = "boardzero", 1
INPUT, OUTPUTS = "planes", ("logits", "values")
LEARNED, ODDS, VALUE_SPREAD = "learned", "odds", "value_spread"  # among the details


@dataclass(frozen=True)
class NetworkHeader:
    """What a network file says about itself."""

    settings: NetworkSettings
    game: str  # the specification of the game it was built for
    checksum: str  # of the weights
    details: dict[str, Any] = field(default_factory=dict)  # generation, training time, seed: whatever its maker noted

    @property
    def learned(self) -> tuple[str, ...]:
        """The games that it has learned from, where its maker noted them."""
        return tuple(map(str, self.details.get(LEARNED, ())))

    @property
    def value_spread(self) -> float:
        """How far apart its values are, as the searches of its games were told (SearchSettings); 1 where nothing is noted."""
        noted = self.details.get(VALUE_SPREAD)
        return float(noted) if isinstance(noted, int | float) and 0 < noted <= 1 else 1.0

    @property
    def knows_odds(self) -> bool:
        """Has it learned games in which one side must win (`games.odds`)?"""
        return self.details.get(ODDS) is True

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


def read_header(path: Path) -> NetworkHeader:
    """What a network file says about itself, without its weights."""
    try:
        with safe_open(existing_file(path), framework="np") as file:
            metadata = file.metadata()
    except (SafetensorError, OSError) as error:
        raise damaged_file(path, error) from None
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


def noted_lessons(path: Path) -> tuple[tuple[str, ...], bool]:
    """The games that the network of a file notes as learned, and whether it knows odds; nothing where it cannot be read."""
    try:
        header = read_header(path)
    except BadInput:
        return (), False
    return header.learned, header.knows_odds


def existing_file(path: Path) -> Path:
    """The path; BadInput where there is no file."""
    if not path.is_file():
        raise BadInput(f"There is no network file '{path}'.")
    return path


def damaged_file(path: Path, error: Exception) -> BadInput:
    """What is said of a file that cannot be read as a network."""
    return BadInput(f"'{path}' is damaged or not a network file (safetensors): {error}.")
