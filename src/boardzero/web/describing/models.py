"""Games and positions in JSON. Cells are numbered row by row from the top left; side 0 begins, side 1 follows."""

from typing import Literal

from pydantic import BaseModel, Field

MoveKind = Literal["drop", "place", "move", "remove", "pass", "other"]


class Problem(BaseModel):
    """What every refusal answers."""

    error: str = Field(description="one sentence that says what was wrong and what is allowed")


class Side(BaseModel):
    """One of the two sides of a game."""

    letter: str = Field(description="as in boards written as text")
    name: str
    colour: str = Field(description="red, yellow, black, white, blue or orange")


class PieceDescription(BaseModel):
    """What a number in `cells` stands for."""

    index: int
    letter: str
    name: str
    side: int | None
    captured: bool = False


class MoveDescription(BaseModel):
    """A move and the cells it touches."""

    action: int
    move: str = Field(description="in the game's notation")
    kind: MoveKind
    source: int | None = Field(None, description="the cell that a man leaves")
    target: int | None = Field(None, description="the cell where something is put, taken or lands")
    column: int | None = Field(None, description="where stones are dropped into columns")
    jump: bool = False
    path: list[int] = Field([], description="of a jump: every cell it lands on, the target last")
    changes: list[int] = Field([], description="other cells that change: discs turned, men captured or set free")


class PlayedMove(MoveDescription):
    """The last move, and whose it was."""

    side: int


class Board(BaseModel):
    """What stands where."""

    text: str = Field(description="one line that can be given as `start`")
    cells: list[int] = Field(description="numbers into `pieces`")
    details: dict[str, str] = Field(description="counters that the cells do not show")


class PositionDescription(BaseModel):
    """Everything that is needed to draw a position and to move in it."""

    game: str
    start: str | None = Field(description="the board before the first move, where it is not the usual one")
    moves: str
    plies: int
    board: Board
    turn: int
    over: bool
    winner: int | None
    result: str
    sentence: str = Field(description="the state of the game, for people and screen readers")
    legal: list[MoveDescription]
    last: PlayedMove | None
    lines: list[list[int]] = Field(description="the cells of every winning line, from one end to the other")
    stones: tuple[int, int]
    remarks: list[str]


class PositionGlance(BaseModel):
    """One position of a whole game."""

    ply: int
    cells: list[int]
    board: str
    last: PlayedMove | None
    turn: int
    over: bool
    winner: int | None
    result: str


class PositionRow(BaseModel):
    """Every position of a game, from its start."""

    positions: list[PositionGlance]


class ParameterDescription(BaseModel):
    """A parameter of a game."""

    name: str
    default: str
    allowed: str
    meaning: str
    choices: list[str]


class SizeDescription(BaseModel):
    """One of the usual variants of a game."""

    title: str
    game: str


class GameSummary(BaseModel):
    """A game among those to choose from."""

    name: str
    title: str
    about: str
    network: str | None = Field(description="the id of the shipped network")
    sizes: list[SizeDescription]
    parameters: list[ParameterDescription]


class Limits(BaseModel):
    """How much one may ask for."""

    simulations: int
    rollouts: int
    seconds: float
    depth: int
    analysis_seconds: float
    review_simulations: int
    tree_simulations: int


class Catalogue(BaseModel):
    """The games, and what this server allows."""

    version: str
    training: bool
    limits: Limits
    games: list[GameSummary]


class NetworkName(BaseModel):
    """A network that can be played with."""

    id: str
    title: str
    run: str | None = None
    generation: int | None = None


class PlayerOffer(BaseModel):
    """A player that can be chosen for a side."""

    name: str
    title: str
    about: str
    available: bool
    remark: str = Field(description="why it is not available, or what it cannot do")
    takes: list[str] = Field(description="the parameters that this server lets one choose")
    usual: str = Field(description="the player with its usual strength, as a text for `players`")


class Level(BaseModel):
    """A named strength."""

    name: str
    title: str
    player: str


class GameDescription(BaseModel):
    """Everything about one game at one size that does not change while it is played."""

    game: str
    name: str
    title: str
    rows: int
    columns: int
    surface: Literal["holes", "points", "felt", "squares"]
    input: Literal["columns", "cells", "moves"]
    sides: tuple[Side, Side]
    pieces: list[PieceDescription]
    column_labels: list[str]
    row_labels: list[str]
    cell_names: list[str]
    notation: str
    move_separator: str
    start: str
    network: NetworkName | None
    network_remark: str
    networks: list[NetworkName]
    players: list[PlayerOffer]
    levels: list[Level]
    analyst: str
    solver: Literal["always", "late", "never"]
