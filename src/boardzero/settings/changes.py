"""Settings one by one, as a command line names them: `network.blocks=6`."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from boardzero.errors import BadInput
from boardzero.settings.specification import Parameters, ParametersT, nearest, parse_parameters


def apply_changes(model: type[ParametersT], values: Mapping[str, Any], changes: Sequence[str]) -> ParametersT:
    """The settings with these values, then changed by `key.key=value` each; what is unknown or wrong is refused."""
    content = parse_parameters(model, values, "settings").model_dump()
    for change in changes:
        path, equals, value = change.partition("=")
        if not equals or not path.strip() or not value.strip():
            raise BadInput(f"'{change}' is not of the form key=value, like network.blocks=6.")
        _change(model, content, path.strip().split("."), value.strip(), path.strip())
    return parse_parameters(model, content, "settings")


def _change(model: type[BaseModel], content: dict[str, Any], keys: list[str], value: str, path: str) -> None:
    key, *rest = keys
    if key not in model.model_fields:
        raise BadInput(f"There is no setting '{path}'{nearest(key, model.model_fields)}; there are {_names(model)}.")
    kind = model.model_fields[key].annotation
    if isinstance(kind, type) and issubclass(kind, Parameters):
        if not rest:
            raise BadInput(f"'{path}' is a group of settings: {path}.NAME with one of {_names(kind)}.")
        _change(kind, content[key], rest, value, path)
    elif rest:
        raise BadInput(f"There is no setting '{path}': '{key}' has no parts.")
    else:
        content[key] = None if value == "none" else value


def single_settings(values: Mapping[str, Any], group: str = "") -> dict[str, Any]:
    """The settings of all groups by their names: {"network": {"blocks": 6}} → {"network.blocks": 6}."""
    single: dict[str, Any] = {}
    for key, value in values.items():
        single |= single_settings(value, f"{group}{key}.") if isinstance(value, Mapping) else {f"{group}{key}": value}
    return single


def said_setting(value: Any) -> str:
    """As a command line has it."""
    if isinstance(value, tuple | list):
        return " ".join(map(str, value)) or "none"
    return "none" if value is None else str(value).lower() if isinstance(value, bool) else f"{value}"


def _names(model: type[BaseModel]) -> str:
    return ", ".join(model.model_fields)
