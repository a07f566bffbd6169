"""What every player can do: choose a move, and say what it thinks of a position."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from boardzero.errors import BadInput
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.settings.specification import Parameters as BaseParameters


@dataclass(frozen=True)
class MoveOpinion:
    """What a player thinks of one legal move; every value is for the side to move."""

    action: int
    value: float | None = None  # expected result of playing it, −1 (lost) to +1 (won)
    visits: int | None = None  # simulations that went through it
    prior: float | None = None  # probability before searching
    exact: int | None = None  # proven result: −1, 0 or +1
    score: int | None = None  # exact score in the game's own measure (how soon Connect Four is won, discs in Othello)
    line: tuple[int, ...] = ()  # the expected continuation, this move first


@dataclass(frozen=True)
class Analysis:
    """What a player thinks of a position: its choice first, then the other moves from best to worst."""

    moves: tuple[MoveOpinion, ...]
    value: float | None = None  # expected result for the side to move, −1 to +1
    exact: int | None = None  # proven result for the side to move
    remarks: tuple[str, ...] = field(default=())  # depth reached, simulations, a full tree, …

    @property
    def action(self) -> int:
        """The move that the player would make."""
        return self.moves[0].action


class Player(ABC):
    """One side of a game. A player belongs to one game (rules and size) and may keep what it learned of the position."""

    name: ClassVar[str]  # as in the grammar: `mcts`
    Parameters: ClassVar[type[BaseParameters]] = BaseParameters
    needs_person: ClassVar[bool] = False
    starts_program: ClassVar[bool] = False  # does its name hold a command that is run? Not to be taken from strangers.

    def __init__(self, game: Game, parameters: BaseParameters, seed: int = 0) -> None:
        self.game = game
        self.parameters = parameters
        self.seed = seed
        self.caution = ""  # a sentence for people, where its play says less than usual about its strength
        self.seconds_taken: float | None = None  # by the last choice, where the player knows it better than who asked
        self.seconds_left: float | None = None  # of the game's time, where a clock runs; set by whoever leads the game

    @property
    def specification(self) -> str:
        """The player's name in the grammar, parameters at their defaults left out."""
        said = self.parameters.to_text()
        return f"{self.name}:{said}" if said else self.name

    def start_game(self, seed: int) -> None:
        """A new game begins: forget the last one; random choices follow from the seed."""
        self.seed = seed

    @abstractmethod
    def analyse(self, position: Position, seconds: float | None = None) -> Analysis:
        """Think about a position that is not over, for at most this long where a clock runs; the best move comes first."""

    def choose(self, position: Position, seconds: float | None = None) -> int:
        """The action to play."""
        return self.analyse(position, seconds).action

    def interrupt(self) -> None:  # noqa: B027 - most players answer soon
        """Said by another thread while this one chooses: answer now, with the best that is known."""

    def close(self) -> None:  # noqa: B027 - most players hold nothing
        """Let go of processes and memory."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.specification} for {self.game.specification}>"


def refuse_game(player: str, game: Game, playable: str) -> BadInput:
    """The error for a player that cannot play a game."""
    return BadInput(f"The player '{player}' cannot play {game.specification}; it plays {playable}.")
