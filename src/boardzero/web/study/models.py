"""Analyses, reviews and trees in JSON. Values are −1 … +1 for the side to move, win probabilities 0 … 1."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from boardzero.web.limits import BOARD_LENGTH, MOST_TREE_SIMULATIONS, MOVES_LENGTH, SPECIFICATION_LENGTH
from boardzero.web.live.models import Request

MoveClass = Literal["best", "excellent", "good", "inaccuracy", "mistake", "blunder"]
Exact = Literal[-1, 0, 1]


class Place(BaseModel):
    """A move, and where it happens on the board."""

    action: int
    move: str
    source: int | None = None
    target: int | None = None
    column: int | None = None


class Candidate(Place):
    """What the search thinks of a move."""

    visits: int | None = None
    share: float | None = Field(None, description="of all visits")
    value: float | None = None
    win_probability: float | None = None
    prior: float | None = None
    exact: Exact | None = None
    line: list[str] = []


class AnalysisReport(BaseModel):
    """What is known of a position so far, the best move first."""

    final: bool
    player: str
    simulations: int | None
    seconds: float
    turn: int
    value: float | None
    win_probability: float | None
    exact: Exact | None
    moves: list[Candidate]
    remarks: list[str]


class ExactMove(Place):
    """A move whose result is known."""

    exact: Exact
    score: int = Field(description="in the game's own measure: how soon Connect Four is won, discs in Othello")
    text: str


class ExactReport(BaseModel):
    """The exact result of every move."""

    turn: int
    value: Exact
    score: int
    moves: list[ExactMove]


class PolicyMove(Place):
    """What the network alone thinks of a move."""

    probability: float


class PolicyReport(BaseModel):
    """The network's first thought, before any search."""

    network: str
    value: float
    win_probability: float
    moves: list[PolicyMove]
    cells: list[float | None] = Field(description="probability that a move ends on a cell")


class PlyReport(BaseModel):
    """One position of a review."""

    ply: int
    turn: int
    value: float
    first: float = Field(description="win probability of the first side")
    best: str | None
    line: list[str]
    exact: Exact | None


class JudgedMove(BaseModel):
    """A move and what it cost; probabilities are those of the side that moved."""

    model_config = ConfigDict(populate_by_name=True)

    ply: int
    move: str
    side: int
    kind: MoveClass = Field(alias="class")
    lost: float = Field(description="win probability that a better move would have kept")
    before: float
    after: float
    best: str
    best_line: list[str]


class SideReview(BaseModel):
    """How well a side played."""

    side: int
    accuracy: float | None = Field(description="0 to 100; none if it made no move")
    moves: int
    classes: dict[MoveClass, int]


class ReviewReport(BaseModel):
    """A whole game, judged."""

    players: tuple[SideReview, SideReview]
    moves: list[JudgedMove]
    graph: list[float] = Field(description="win probability of the first side, from ply 0 on")
    by: str


class NewTree(Request):
    """Search a position and keep the tree."""

    game: str = Field("connect4", max_length=SPECIFICATION_LENGTH)
    moves: str = Field("", max_length=MOVES_LENGTH)
    start: str | None = Field(None, max_length=BOARD_LENGTH)
    player: str | None = Field(None, max_length=SPECIFICATION_LENGTH)
    simulations: int = Field(200, ge=1, le=MOST_TREE_SIMULATIONS)


class TreeChild(BaseModel):
    """An edge of the tree; its value is for the side that would move."""

    action: int
    move: str
    visits: int
    share: float
    value: float | None
    win_probability: float | None
    prior: float | None = Field(description="none where no network says it")
    exact: Exact | None
    score: float | None = Field(description="what the next simulation compares; none where nothing is left to try")
    expandable: bool


class TreeNode(BaseModel):
    """A node of the tree; its value is for the side to move there."""

    path: list[int]
    moves: list[str]
    visits: int
    value: float
    win_probability: float
    exact: Exact | None
    turn: int
    terminal: bool
    children: list[TreeChild]


class TreeReport(BaseModel):
    """A tree that was made, and its root."""

    id: str
    simulations: int
    root: TreeNode
