"""Players that clients may choose: the usual grammar, without paths, within limits."""

from dataclasses import dataclass
from functools import lru_cache

from pydantic import Field

from boardzero.errors import BadInput
from boardzero.games.connect4 import ConnectFour
from boardzero.games.gomoku import Gomoku
from boardzero.games.othello import Othello
from boardzero.games.rules import Game
from boardzero.games.tictactoe import TicTacToe
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
        said = [KINDS[self.name].title]
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
    if name not in KINDS:
        raise BadInput(f"There is no player '{name}' on this server{nearest(name, KINDS)}; there are {', '.join(KINDS)}.")
    parameters = parse_parameters(KINDS[name].choice, split_pairs(rest, text), name)
    said = parameters.to_text()
    return PlayerChoice(name, parameters, f"{name}:{said}" if said else name)


def refuse_impossible(choice: PlayerChoice, game: Game, shelf: NetworkShelf) -> None:
    """Refuse (BadInput) a player that can never play this game here."""
    reason = why_not(choice.name, game)
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
    return listed


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
