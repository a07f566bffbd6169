"""The grammar that names games and players everywhere: `name`, or `name:key=value,key=value`."""

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from boardzero.errors import BadInput


class Parameters(BaseModel):
    """What may stand behind the colon: typed fields with defaults; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def to_text(self) -> str:
        """The fields that differ from their defaults, as `key=value,key=value` (empty if none does)."""
        said = self.model_dump(exclude_defaults=True)
        return ",".join(f"{key}={value}" for key, value in said.items())


DRIVE = re.compile(r"[A-Za-z]:[\\/]")  # how a path of Windows begins

ParametersT = TypeVar("ParametersT", bound=Parameters)


def split_specification(text: str) -> tuple[str, str]:
    """`connect4:rows=5` → (`connect4`, `rows=5`); without a colon the second part is empty.

    The colon behind a drive's letter belongs to the name: `C:\\games\\mine.py:size=5`.
    """
    text = text.strip()
    drive = text[:2] if DRIVE.match(text) else ""
    name, _, rest = text.removeprefix(drive).partition(":")
    return drive + name.strip(), rest.strip()


def split_pairs(text: str, specification: str) -> dict[str, str]:
    """`rows=5,columns=6` → {"rows": "5", "columns": "6"}."""
    pairs: dict[str, str] = {}
    for item in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (part.strip() for part in item.partition("="))
        if not (equals and key and value):
            raise BadInput(f"'{item}' in '{specification}' is not of the form key=value.")
        if key in pairs:
            raise BadInput(f"'{key}' is given twice in '{specification}'.")
        pairs[key] = value
    return pairs


def parse_parameters(model: type[ParametersT], values: Mapping[str, Any], owner: str) -> ParametersT:
    """Check values against their model; what is wrong becomes one sentence about `owner`."""
    try:
        return model(**values)
    except ValidationError as error:
        raise BadInput(_sentence(error, model, owner)) from None


def nearest(word: str, known: Iterable[str]) -> str:
    """` (did you mean 'columns'?)`, or nothing where no known word is near."""
    near = difflib.get_close_matches(word, list(known), n=1)
    return f" (did you mean '{near[0]}'?)" if near else ""


def describe_field(name: str, field: FieldInfo) -> dict[str, Any]:
    """Name, default, meaning and allowed values of one parameter, for lists that people read."""
    return {"name": name, "default": field.default, "meaning": field.description or "", "allowed": _allowed(field)}


def _allowed(field: FieldInfo) -> str:
    choices = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    if choices:
        return " | ".join(map(str, choices))
    bounds = {type(limit).__name__: limit for limit in field.metadata}
    low, high = getattr(bounds.get("Ge"), "ge", None), getattr(bounds.get("Le"), "le", None)
    step = getattr(bounds.get("MultipleOf"), "multiple_of", None)
    kind = "" if step is None else "even, " if step == 2 else f"a multiple of {step}, "
    if low is not None and high is not None:
        return f"{kind}{low} to {high}"
    return kind + (f"at least {low}" if low is not None else f"at most {high}" if high is not None else "any")


def _sentence(error: ValidationError, model: type[Parameters], owner: str) -> str:
    first = error.errors()[0]
    if first["type"] == "value_error":  # raised by the model's own validator, already a sentence
        return f"{owner}: {first['ctx']['error']}"
    *groups, key = [str(part) for part in first["loc"]]
    if first["type"] == "extra_forbidden":
        known = list(_group(model, groups).model_fields)
        allowed = f"it takes {', '.join(known)}" if known else "it takes no parameters"
        return f"{' '.join([owner, *groups])} has no parameter '{key}'{nearest(key, known)}; {allowed}."
    requirement = first["msg"].removeprefix("Input should be ")
    name = ".".join([*groups, key])
    return f"{owner}: {name}={first['input']} is not allowed: {name} should be {requirement}."


def _group(model: type[BaseModel], names: list[str]) -> type[BaseModel]:
    """The model of a group of settings within a model; in a row of groups, a number follows the name."""
    for name in names:
        if name.isdecimal():
            continue
        inner = model.model_fields[name].annotation
        if get_origin(inner) is tuple:
            inner = get_args(inner)[0]
        assert isinstance(inner, type) and issubclass(inner, BaseModel)
        model = inner
    return model
