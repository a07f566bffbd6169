"""The folder of a run. Every file is complete or absent, but for those that only ever grow: journals and lines of JSON.

settings.json                   everything the run was begun with
games/                          journals and shards of self-play; of other games of a curriculum in folders within
networks/generation-00012.*     networks, as safetensors and as ONNX
checkpoint.safetensors          where the run stands: progress, the learner's state, and the settings once more
checkpoint-before.safetensors   where it stood a generation earlier, in case the newest is damaged
promotions.json                 with a gate: which networks were chosen to play
clock.json                      how long the run had been at work when it last took in games
events.jsonl, tensorboard/      what happened
sittings.jsonl                  by which commands and on which machines it was worked on
progress.json                   what is under way, while it is
lock                            held by the process that trains here
log-id                          the run's id in game logs, and where it was given
ratings.*, perfect.*, report.*  what boardzero rate, perfect --run and report leave
"""

import errno
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from safetensors import SafetensorError
from safetensors.torch import load as load_tensors
from safetensors.torch import save as save_tensors
from torch import Tensor

from boardzero.errors import BadInput
from boardzero.network.weights import ONNX_SUFFIX, SUFFIX, checksum_of, write_whole
from boardzero.replay.shards import DAMAGED, set_aside
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
    evaluation_seconds: float = 0.0  # spent on finding out how strong it is
    grown: bool = False  # has the network grown, as the settings say?


@dataclass(frozen=True)
class Promotions:
    """What the gate has decided so far."""

    promoted: tuple[int, ...] = ()  # generations of the networks that were chosen, increasing; the last one plays
    compared: int = 0  # the newest generation that has been compared
    seconds: float = 0.0  # of the run when the last one was chosen
    cleared: int = 0  # no window reaches back to files of games up to this number

    @property
    def best(self) -> int:
        """The generation of the network that plays; 0 is the untrained one."""
        return self.promoted[-1] if self.promoted else 0

    def up_to(self, generation: int) -> "Promotions":
        """Without what was decided about later generations, which are to come again."""
        kept = tuple(number for number in self.promoted if number <= generation)
        return replace(self, promoted=kept, compared=min(self.compared, generation))


Checkpoint = tuple[Progress, dict[str, Tensor]]  # how far the run has come, and the learner's state there
Say = Callable[[str], None]


class RunFolder:
    """Paths and files of one run."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.networks = path / "networks"
        self.games = path / "games"
        self.checkpoint = path / f"checkpoint{SUFFIX}"
        self.checkpoint_before = path / f"checkpoint-before{SUFFIX}"
        self.promotions = path / "promotions.json"
        self.events = path / "events.jsonl"
        self.progress = path / "progress.json"

    @property
    def exists(self) -> bool:
        return (self.path / "settings.json").is_file()

    def refuse_existing(self) -> None:
        if self.exists:
            raise BadInput(f"There is a run in '{self.path}' already; go on with it by: boardzero resume {self.path}")

    def create(self, settings: RunSettings) -> None:
        """Begin a run; from now on it can be resumed."""
        self.refuse_existing()
        self.networks.mkdir(parents=True, exist_ok=True)
        self.save_settings(settings)

    def save_settings(self, settings: RunSettings) -> None:
        write_whole(self.path / "settings.json", settings.model_dump_json(indent=2).encode())

    def settings(self) -> RunSettings:
        """What is to be learned, and how; if the file is damaged, as the newest checkpoint that can be read has it."""
        path = self.path / "settings.json"
        if not path.is_file():
            raise BadInput(f"There is no run in '{self.path}': it has no settings.json.")
        try:
            content = _json_object(path.read_bytes())
        except ValueError as error:
            content = self._settings_of_checkpoint()
            if not content:
                raise BadInput(f"The settings '{path}' are damaged, and no checkpoint has them: {error}.") from None
        return parse_parameters(RunSettings, content, str(path))

    def mend_settings(self, settings: RunSettings, say: Say) -> None:
        """Write them anew if their file is damaged; only who holds the lock may do this."""
        path = self.path / "settings.json"
        try:
            _json_object(content := path.read_bytes())
        except ValueError as error:
            aside = path.with_name(path.name + DAMAGED)
            write_whole(aside, content)  # a copy: without settings there would be no run, should it be killed now
            self.save_settings(settings)
            say(f"The settings '{path}' are damaged ({error}): the checkpoint's are used; the file was kept as '{aside.name}'.")

    def _settings_of_checkpoint(self) -> dict[str, Any]:
        for path in (self.checkpoint, self.checkpoint_before):
            with suppress(OSError, ValueError, KeyError, TypeError):
                return _json_object(_labels_of(path.read_bytes())["settings"])
        return {}

    def tidy(self) -> None:
        """Remove what a killed process was writing; only who holds the lock may do this."""
        for folder in (self.path, self.networks):
            for unfinished in folder.glob(".*.part"):
                unfinished.unlink()

    # -- networks ------------------------------------------------------------------------------------------------------
    def network(self, generation: int) -> Path:
        return self.networks / f"generation-{generation:05}{SUFFIX}"

    def network_generations(self) -> list[int]:
        """Those whose networks are there, increasing."""
        names = (path.stem.removeprefix("generation-") for path in self.networks.glob(f"generation-*{SUFFIX}"))
        return sorted(int(name) for name in names if name.isdecimal())

    def newest_network(self) -> Path:
        generations = self.network_generations()
        if not generations:
            raise BadInput(f"There is no network in '{self.path}': a run's folder has them under networks/.")
        return self.network(generations[-1])

    def forget_network(self, generation: int) -> None:
        path = self.network(generation)
        path.with_suffix(ONNX_SUFFIX).unlink(missing_ok=True)
        path.unlink(missing_ok=True)

    # -- where it stands -----------------------------------------------------------------------------------------------
    def save_checkpoint(self, progress: Progress, learner: dict[str, Tensor], settings: RunSettings) -> None:
        """Progress and learner's state in one file, so that they always belong together; the one before is kept.

        The settings come along, should their own file be damaged.
        """
        labels = {"progress": json.dumps(asdict(progress)), "checksum": checksum_of(learner)}
        content = save_tensors(learner, metadata={**labels, "settings": settings.model_dump_json()})
        if self.checkpoint.is_file():
            self.checkpoint.replace(self.checkpoint_before)
        write_whole(self.checkpoint, content)

    def load_checkpoint(self, say: Say) -> Checkpoint | None:
        """The newest that can be read; one that cannot is set aside, and a sentence is said about it."""
        for path in (self.checkpoint, self.checkpoint_before):
            if path.is_file():
                try:
                    return _read_checkpoint(path)
                except (ValueError, KeyError, TypeError, SafetensorError) as error:
                    say(f"The checkpoint '{path}' is damaged ({error}); it was renamed to '{set_aside(path).name}'.")
        return None

    def save_promotions(self, promotions: Promotions) -> None:
        write_whole(self.promotions, json.dumps(asdict(promotions)).encode())

    def load_promotions(self, say: Say) -> Promotions:
        """A damaged file is set aside, and a sentence is said about it: the gate then begins anew."""
        if not self.promotions.is_file():
            return Promotions()
        try:
            content = json.loads(self.promotions.read_bytes())
            return Promotions(**{**content, "promoted": tuple(map(int, content["promoted"]))})
        except (ValueError, KeyError, TypeError) as error:
            aside = set_aside(self.promotions).name
            say(f"The promotions '{self.promotions}' are damaged ({error}); they were renamed to '{aside}'.")
            return Promotions()

    # -- what happened -------------------------------------------------------------------------------------------------
    def append_event(self, event: object) -> None:
        append_line(self.events, {"event": type(event).__name__, **asdict(event)})  # type: ignore[call-overload]

    def read_events(self) -> list[dict[str, Any]]:
        """All events, oldest first, without lines that a crash tore."""
        events = []
        for line in self.events.read_bytes().splitlines() if self.events.is_file() else []:
            try:
                events.append(json.loads(line))
            except ValueError:
                continue
        return events


def append_line(path: Path, content: dict[str, Any]) -> None:
    """Add a line of JSON to a file; after a line that a crash tore, a new one is begun."""
    line = json.dumps(content) + "\n"
    with path.open("ab+") as file:
        if file.tell():
            file.seek(-1, 2)
            line = line if file.read(1) == b"\n" else "\n" + line
        file.write(line.encode())


def _json_object(content: bytes | str) -> dict[str, Any]:
    """ValueError if it is anything else."""
    parsed = json.loads(content)
    if not isinstance(parsed, dict):
        raise ValueError("it is not a JSON object")
    return parsed


def _read_checkpoint(path: Path) -> Checkpoint:
    content = path.read_bytes()
    tensors, labels = load_tensors(content), _labels_of(content)
    if labels.get("checksum", checksum := checksum_of(tensors)) != checksum:
        raise ValueError("its tensors do not match their checksum")
    return Progress(**json.loads(labels["progress"])), tensors


def _labels_of(content: bytes) -> Any:
    """What stands in a safetensors file beside the tensors."""
    length = int.from_bytes(content[:8], "little")
    return json.loads(content[8 : 8 + length])["__metadata__"]


@contextmanager
def troubles_of_the_disk_said(path: Path) -> Iterator[None]:
    """A full disk, or one that fails, ends in a sentence (BadInput) that says what to do."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise BadInput(
                f"The disk is full. What was written is safe: make room, then go on with: boardzero resume {path}"
            ) from error
        raise BadInput(f"The run in '{path}' cannot go on: {error}.") from error
