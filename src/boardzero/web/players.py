"""Players that clients may choose: the usual grammar, without paths and commands, within limits.

Engines, which are commands that are run, are named by the operator; clients choose them by those names: `engine-NAME`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pydantic import Field

from boardzero.errors import BadInput
from boardzero.games.connect4 import ConnectFour
from boardzero.games.gomoku import Gomoku
from boardzero.games.othello import Othello
from boardzero.games.rules import Game
from boardzero.games.tictactoe import TicTacToe
from boardzero.players.engine import DIALOGUES
from boardzero.players.engine_name import EngineName, parse_engine
from boardzero.players.engine_process import check_command
from boardzero.settings.specification import Parameters, nearest, parse_parameters, split_pairs, split_specification
from boardzero.web.describing.models import Level, PlayerOffer
from boardzero.web.limits import (
    MOST_DEPTH,
    MOST_ROLLOUTS,
    MOST_SECONDS,
    MOST_SIMULATIONS,
    MOST_TEMPERATURE,
    SPECIFICATION_LENGTH,
)
from boardzero.web.networks import NetworkShelf, no_network

HUMAN = "human"
ENGINE_PREFIX = "engine-"
ENGINE_NAME = re.compile("[a-z0-9][a-z0-9-]{0,29}")


class SearchChoice(Parameters):
    """How long a search may think."""

    sims: int | None = Field(None, ge=1, le=MOST_SIMULATIONS)
    seconds: float | None = Field(None, gt=0, le=MOST_SECONDS)
    temperature: float = Field(0, ge=0, le=MOST_TEMPERATURE)


class NetworkChoice(SearchChoice):
    """The same, and with which network."""

    network: str = ""


class RolloutChoice(Parameters):
    sims: int | None = Field(None, ge=1, le=MOST_ROLLOUTS)
    seconds: float | None = Field(None, gt=0, le=MOST_SECONDS)


class MinimaxChoice(Parameters):
    depth: int | None = Field(None, ge=1, le=MOST_DEPTH)
    seconds: float | None = Field(None, gt=0, le=MOST_SECONDS)


class NoChoice(Parameters):
    pass


@dataclass(frozen=True)
class Kind:
    """A kind of player: what may be chosen about it, and what people are told."""

    title: str
    about: str
    choice: type[Parameters]
    usual: str


KINDS = {
    HUMAN: Kind("Human", "A person at this or another browser.", NoChoice, "human"),
    "alphazero": Kind("AlphaZero", "The search, guided by what a network learned.", NetworkChoice, "alphazero:sims=200"),
    "mcts": Kind("MCTS", "Monte-Carlo tree search with random games; has learned nothing.", RolloutChoice, "mcts:sims=2000"),
    "minimax": Kind("Minimax", "Looks ahead with alpha-beta and a hand-written heuristic.", MinimaxChoice, "minimax:depth=5"),
    "heuristic": Kind("Lines", "The search, guided by a hand-written sense for lines.", SearchChoice, "heuristic:sims=500"),
    "perfect": Kind("Perfect", "Knows the exact result of every move.", NoChoice, "perfect"),
    "random": Kind("Random", "Plays any legal move.", NoChoice, "random"),
}
DEFAULT_SIMULATIONS = {"alphazero": 200, "heuristic": 500}


@dataclass(frozen=True)
class PlayerChoice:
    """A player that a client chose, checked."""

    name: str
    parameters: Parameters
    text: str  # canonical

    @property
    def is_human(self) -> bool:
        return self.name == HUMAN

    @property
    def engine(self) -> str | None:
        """The name of an engine that the operator should know; None for all other players."""
        return self.name.removeprefix(ENGINE_PREFIX) if self.name.startswith(ENGINE_PREFIX) else None

    @property
    def network(self) -> str:
        return getattr(self.parameters, "network", "")

    @property
    def temperature(self) -> float:
        return float(getattr(self.parameters, "temperature", 0.0))

    @property
    def seconds(self) -> float | None:
        return getattr(self.parameters, "seconds", None)

    @property
    def simulations(self) -> int | None:
        """None: only the clock ends the search."""
        said: int | None = getattr(self.parameters, "sims", None)
        return said if said is not None or self.seconds is not None else DEFAULT_SIMULATIONS.get(self.name)

    @property
    def title(self) -> str:
        """`AlphaZero, 100 simulations`."""
        said = [KINDS[self.name].title if self.engine is None else self.engine]
        if self.network:
            said.append(self.network)
        depth = getattr(self.parameters, "depth", None)
        if self.simulations is not None:
            said.append(f"{self.simulations} simulations")
        if depth is not None:
            said.append(f"depth {depth}")
        if self.seconds is not None:
            said.append(f"{self.seconds:g} s")
        if self.temperature:
            said.append(f"temperature {self.temperature:g}")
        return ", ".join(said)


@lru_cache(maxsize=4096)
def parse_player(text: str) -> PlayerChoice:
    """The player that a client named; a path or anything beyond the limits is refused (BadInput)."""
    if len(text) > SPECIFICATION_LENGTH:
        raise BadInput(f"The name of a player has at most {SPECIFICATION_LENGTH} characters.")
    name, rest = split_specification(text)
    if ENGINE_NAME.fullmatch(name.removeprefix(ENGINE_PREFIX)) and name.startswith(ENGINE_PREFIX):
        return PlayerChoice(name, parse_parameters(NoChoice, split_pairs(rest, text), name), name)
    if name not in KINDS:
        raise BadInput(f"There is no player '{name}' on this server{nearest(name, KINDS)}; there are {', '.join(KINDS)}.")
    parameters = parse_parameters(KINDS[name].choice, split_pairs(rest, text), name)
    said = parameters.to_text()
    return PlayerChoice(name, parameters, f"{name}:{said}" if said else name)


def refuse_impossible(choice: PlayerChoice, game: Game, shelf: NetworkShelf) -> None:
    """Refuse (BadInput) a player that can never play this game here."""
    reason = why_not(choice.name, game) if choice.engine is None else why_not_engine(choice.engine, game, shelf.engines)
    if reason:
        raise BadInput(reason)
    if choice.name == "alphazero":
        shelf.find(choice.network, game)


def why_not(name: str, game: Game) -> str:
    """Why a kind of player cannot play a game; empty if it can."""
    if name == "heuristic" and not isinstance(game, TicTacToe | ConnectFour | Gomoku):
        return f"'heuristic' plays the games that lines win, not {game.title}."
    if name == "perfect" and solver_of(game) == "never":
        return f"No solver knows {game.specification}."
    return ""


def why_not_engine(name: str, game: Game, engines: Mapping[str, EngineName]) -> str:
    """Why an engine cannot play a game here; empty if it can."""
    if name not in engines:
        return f"There is no engine '{name}' on this server."
    dialogue = DIALOGUES[engines[name].protocol]
    return "" if dialogue.can_play(game) else f"The engine '{name}' plays {dialogue.playable}, not {game.specification}."


def parse_engines(texts: Sequence[str]) -> dict[str, EngineName]:
    """What the operator says, `NAME=engine:PROTOCOL:COMMAND` each; what can never be an engine is refused (BadInput)."""
    engines: dict[str, EngineName] = {}
    for text in texts:
        name, _, specification = text.partition("=")
        kind, _, rest = specification.partition(":")
        if not ENGINE_NAME.fullmatch(name) or kind != "engine":
            raise BadInput(
                f"'{text}' is not of the form NAME=engine:PROTOCOL:COMMAND; a name has up to 30 of a-z, 0-9 and dashes."
            )
        if name in engines:
            raise BadInput(f"There are two engines with the name '{name}'.")
        engines[name] = parse_engine(rest)
        check_command(engines[name].command)
    return engines


def solver_of(game: Game) -> str:
    """`always`, `late` (only the end of the game) or `never`: are exact results to be had?"""
    if isinstance(game, TicTacToe) or (isinstance(game, ConnectFour) and (game.rows + 1) * game.columns <= 64):
        return "always"
    return "late" if isinstance(game, Othello) else "never"


def offers(game: Game, shelf: NetworkShelf) -> list[PlayerOffer]:
    """Every kind of player, and whether it plays this game here."""
    shipped, of_runs = shelf.shipped_for(game), shelf.fitting(game)
    listed = []
    for name, kind in KINDS.items():
        remark, usual = why_not(name, game), kind.usual
        available = not remark
        if name == "alphazero" and shipped is None:
            remark = no_network(game)
            available = bool(of_runs)
            usual = f"alphazero:network={of_runs[0].id},sims=200" if of_runs else usual
        if name == "perfect" and solver_of(game) == "late":
            remark = "Only the last 16 cells of Othello can be solved; before that it cannot move."
        takes = list(kind.choice.model_fields)
        listed.append(
            PlayerOffer(
                name=name, title=kind.title, about=kind.about, available=available, remark=remark, takes=takes, usual=usual
            )
        )
    return listed + [_engine_offer(name, game, shelf.engines) for name in shelf.engines]


def _engine_offer(name: str, game: Game, engines: Mapping[str, EngineName]) -> PlayerOffer:
    remark, text = why_not_engine(name, game, engines), ENGINE_PREFIX + name
    about = f"Another program, which takes {engines[name].parameters.seconds:g} s a move."
    return PlayerOffer(name=text, title=name, about=about, available=not remark, remark=remark, takes=[], usual=text)


TITLES = {"beginner": "Beginner", "easy": "Easy", "medium": "Medium", "strong": "Strong", "strongest": "Strongest"}
NETWORK_LEVELS = ("sims=1,temperature=2", "sims=8,temperature=1", "sims=50", "sims=200", "sims=1000")
PLAIN_LEVELS = {
    "mcts": ("sims=10", "sims=100", "sims=1000", "sims=10000", "sims=50000"),
    "heuristic": ("sims=1,temperature=2", "sims=10,temperature=1", "sims=100", "sims=500", "sims=3000"),
}


def analyst_of(game: Game, shelf: NetworkShelf) -> str:
    """Who analyses this game if nobody else is named."""
    if shelf.shipped_for(game) is not None:
        return "alphazero"
    return "heuristic" if isinstance(game, Gomoku) else "mcts"


def levels(game: Game, shelf: NetworkShelf) -> list[Level]:
    """A few named strengths."""
    name = analyst_of(game, shelf)
    strengths = NETWORK_LEVELS if name == "alphazero" else PLAIN_LEVELS[name]
    return [
        Level(name=level, title=title, player=f"{name}:{strength}")
        for (level, title), strength in zip(TITLES.items(), strengths, strict=True)
    ]
