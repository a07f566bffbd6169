"""Experiments as files: variants of one base, each trained for an equal time with several seeds; or matches; or both."""

import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

from pydantic import Field, model_validator

from boardzero.errors import BadInput
from boardzero.games.catalogue import find_game
from boardzero.settings.changes import apply_changes
from boardzero.settings.presets import default_values, preset_values
from boardzero.settings.run import RunSettings
from boardzero.settings.specification import Parameters, parse_parameters

SHIPPED = "experiments"
Setting = str | int | float | bool


class Base(Parameters):
    """What all variants have in common. Exactly one of minutes, generations and positions is each run's equal share."""

    game: str | None = Field(None, description="the game that is learned; unsaid, the preset's, or connect4")
    preset: str | None = Field(None, description="a published system to begin from, instead of the game's defaults")
    minutes: float | None = Field(None, gt=0, description="minutes of each run")
    generations: int | None = Field(None, ge=1, description="generations of each run")
    positions: int | None = Field(None, ge=1, description="positions that each run learns from, rounded up to generations")
    seeds: tuple[int, ...] = Field((1, 2, 3), min_length=1, description="every variant is trained with each of them")
    settings: dict[str, Setting] = Field({}, description="settings by name, like selfplay.games")


class Variant(Parameters):
    """One way to train; the first one in a file is what the others are compared with, unless they name another."""

    name: str = Field(description="a short name", pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$")
    about: str = Field("", description="what it changes")
    against: str | None = Field(None, description="the variant that it is compared with, if not the first")
    settings: dict[str, Setting] = Field({}, description="what differs from the base")


class MatchPlan(Parameters):
    """A match between two players that need no training."""

    player: str
    opponent: str
    games: int = Field(100, ge=2)
    document: str = Field("", description="what the source reports")


class Measure(Parameters):
    """How the runs are compared at the end."""

    rating_games: int = Field(240, ge=0, description="games between the final networks and anchors; 0: none")
    simulations: int = Field(50, ge=1, description="a move, in those games")
    anchors: tuple[str, ...] = Field(("random", "mcts:sims=100"), description="players that never change")
    matrix_games: int = Field(0, ge=0, description="games between every two networks of a run; 0: none")
    matrix_networks: int = Field(12, ge=2, description="at most so many of a run's kept networks, evenly spread")


class Experiment(Parameters):
    """All of a file."""

    title: str
    question: str = ""
    base: Base = Base()
    variant: tuple[Variant, ...] = ()
    match: tuple[MatchPlan, ...] = ()
    measure: Measure = Measure()
    seed: int = Field(0, ge=0, description="of matches and ratings")

    @model_validator(mode="after")
    def has_something_to_do(self) -> "Experiment":
        if not self.variant and not self.match:
            raise ValueError("it has neither a [[variant]] nor a [[match]].")
        names = [variant.name for variant in self.variant]
        if len(set(names)) < len(names):
            raise ValueError("two variants have the same name.")
        if len(set(self.base.seeds)) < len(self.base.seeds):
            raise ValueError("two of its seeds are the same.")
        budgets = [self.base.minutes, self.base.generations, self.base.positions]
        if self.variant and sum(budget is not None for budget in budgets) != 1:
            raise ValueError("the base needs exactly one of minutes, generations and positions.")
        return self

    @model_validator(mode="after")
    def variants_can_be_compared(self) -> "Experiment":
        """What is wrong in any of them is said before anything is trained."""
        known: dict[str, RunSettings] = {}
        for variant in self.variant:
            settings = self.settings_of(variant, self.base.seeds[0])
            same = next((name for name, other in known.items() if other == settings), None)
            if same is not None:
                raise ValueError(f"the variants '{same}' and '{variant.name}' have the same settings.")
            known[variant.name] = settings
        for variant in self.variant:
            if variant.against is not None and (variant.against not in known or variant.against == variant.name):
                raise ValueError(f"the variant '{variant.name}' cannot be compared with '{variant.against}'.")
        return self

    @property
    def game(self) -> str:
        """The game's specification."""
        base = self.base
        return find_game(base.game or (preset_values(base.preset)["game"] if base.preset else "connect4")).specification

    def settings_of(self, variant: Variant, seed: int) -> RunSettings:
        """The complete settings of one run; unknown settings are refused (BadInput)."""
        base, game = self.base, self.game
        values: dict[str, Any] = preset_values(base.preset) if base.preset else default_values(game)
        values |= {"game": game, "seed": seed, "minutes": base.minutes, "generations": base.generations or 1}
        if base.minutes is not None:
            values["generations"] = None
        changes = [f"{key}={_written(value)}" for key, value in {**base.settings, **variant.settings}.items()]
        settings = apply_changes(RunSettings, values, changes)
        if base.positions is None:
            return settings
        training = settings.training
        if training.games:
            raise BadInput(
                f"positions cannot end runs whose generations are counted in games (training.games={training.games}):"
                " say minutes or generations."
            )
        later = max(0, base.positions - training.first_positions)
        return settings.model_copy(update={"generations": 1 + -(-later // training.positions)})


def _written(value: Setting) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def shipped_experiments() -> list[str]:
    folder = resources.files("boardzero.evaluation") / SHIPPED
    return sorted(path.name.removesuffix(".toml") for path in folder.iterdir() if path.name.endswith(".toml"))


def read_experiment(name: str) -> Experiment:
    """From a file, or one that is shipped, by its name; what is wrong in it is refused (BadInput)."""
    path = Path(name)
    if path.is_file():
        try:
            text = path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInput(f"The experiment '{name}' cannot be read: {error}.") from None
    elif name in shipped_experiments():
        text = (resources.files("boardzero.evaluation") / SHIPPED / f"{name}.toml").read_text(encoding="utf-8")
    else:
        raise BadInput(f"There is no experiment file '{name}'; shipped are {', '.join(shipped_experiments())}.")
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"The experiment '{name}' is not TOML: {error}.") from None
    return parse_parameters(Experiment, content, f"The experiment '{name}'")
