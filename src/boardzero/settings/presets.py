"""Settings from files of the package: presets (whole systems, as their documents describe them) and defaults of games."""

import tomllib
from collections.abc import Mapping
from importlib import resources
from importlib.resources.abc import Traversable
from typing import Any

from boardzero.errors import BadInput
from boardzero.settings.run import RunSettings
from boardzero.settings.specification import nearest, split_specification

SUFFIX = ".toml"


def preset_names() -> list[str]:
    return sorted(path.name.removesuffix(SUFFIX) for path in _folder("presets").iterdir() if path.name.endswith(SUFFIX))


def describe_preset(name: str) -> str:
    """What a preset is: the first line of its file."""
    return _text("presets", name).splitlines()[0].removeprefix("#").strip()


def preset_values(name: str) -> dict[str, Any]:
    """All settings of a run with this preset, as values that can be changed further; an unknown name is refused (BadInput)."""
    names = preset_names()
    if name not in names:
        raise BadInput(f"There is no preset '{name}'{nearest(name, names)}; there are {', '.join(names)}.")
    content = tomllib.loads(_text("presets", name))
    extended = content.pop("extends", None)  # another preset, from which this one tells the differences
    values = preset_values(extended) if extended else RunSettings().model_dump()
    if "minutes" in content or "generations" in content:  # its own end, instead of the other one's
        values |= {"minutes": None, "generations": None}
    return _merged(values, content)


def default_values(game: str) -> dict[str, Any]:
    """All settings of a run of this game (its specification) where no preset is asked for.

    A curriculum is for the games that it ends with: others are played from the beginning to the end.
    """
    values, name = RunSettings().model_dump(), split_specification(game)[0]
    if not _folder("defaults").joinpath(name + SUFFIX).is_file():
        return values
    values = _merged(values, tomllib.loads(_text("defaults", name)))
    if values["curriculum"] and game not in values["curriculum"][-1]["games"]:
        values["curriculum"] = ()
    return values


def _folder(name: str) -> Traversable:
    return resources.files("boardzero.settings") / name


def _text(folder: str, name: str) -> str:
    return (_folder(folder) / (name + SUFFIX)).read_text(encoding="utf-8")


def _merged(values: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """The values with these changes, group by group."""
    merged = dict(values)
    for key, value in changes.items():
        both_groups = isinstance(value, Mapping) and isinstance(merged.get(key), Mapping)
        merged[key] = _merged(merged[key], value) if both_groups else value
    return merged
