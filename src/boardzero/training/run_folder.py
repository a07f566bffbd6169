"""The folder of a run: settings, networks, games, the learner's state, events. Every file is complete or absent."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from boardzero.errors import BadInput
from boardzero.network.weights import ONNX_SUFFIX, SUFFIX, write_whole
from boardzero.settings.run import RunSettings
from boardzero.settings.specification import parse_parameters


@dataclass(frozen=True)
class Progress:
    """How far a run has come, at the end of a generation."""

    generation: int = 0  # of the newest network; 0 is the untrained one
    seconds: float = 0.0  # spent so far
    games: int = 0
    positions: int = 0  # to learn from, that have been played
    next_number: int = 0  # of the next game


class RunFolder:
    """Paths and files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.networks = path / "networks"
        self.games = path / "games"

    @property
    def exists(self) -> bool:
        return (self.path / "settings.json").is_file()

    def create(self, settings: RunSettings) -> None:
        if self.exists:
            raise BadInput(f"There is a run in '{self.path}' already; go on with it by: boardzero resume {self.path}")
        self.networks.mkdir(parents=True, exist_ok=True)
        write_whole(self.path / "settings.json", settings.model_dump_json(indent=2).encode())

    def settings(self) -> RunSettings:
        path = self.path / "settings.json"
        if not path.is_file():
            raise BadInput(f"There is no run in '{self.path}': it has no settings.json.")
        return parse_parameters(RunSettings, json.loads(path.read_text(encoding="utf-8")), str(path))

    # -- networks ------------------------------------------------------------------------------------------------------
    def network(self, generation: int) -> Path:
        return self.networks / f"generation-{generation:05}{SUFFIX}"

    def network_generations(self) -> list[int]:
        """Those whose networks are there, increasing."""
        return sorted(int(path.stem.removeprefix("generation-")) for path in self.networks.glob(f"generation-*{SUFFIX}"))

    def forget_network(self, generation: int) -> None:
        path = self.network(generation)
        path.with_suffix(ONNX_SUFFIX).unlink(missing_ok=True)
        path.unlink(missing_ok=True)

    # -- where it stands -----------------------------------------------------------------------------------------------
    def save_checkpoint(self, progress: Progress, learner: dict[str, Tensor]) -> None:
        """Progress and learner's state in one file, so that they always belong together."""
        content = save_tensors(learner, metadata={"progress": json.dumps(asdict(progress))})
        write_whole(self.path / "checkpoint.safetensors", content)

    def load_checkpoint(self) -> tuple[Progress, dict[str, Tensor]] | None:
        path = self.path / "checkpoint.safetensors"
        if not path.is_file():
            return None
        content = path.read_bytes()
        length = int.from_bytes(content[:8], "little")
        header: dict[str, Any] = json.loads(content[8 : 8 + length])
        return Progress(**json.loads(header["__metadata__"]["progress"])), load_tensors(content)

    def append_event(self, event: object) -> None:
        line = json.dumps({"event": type(event).__name__, **asdict(event)}) + "\n"  # type: ignore[call-overload]
        with (self.path / "events.jsonl").open("a", encoding="utf-8") as file:
            file.write(line)
