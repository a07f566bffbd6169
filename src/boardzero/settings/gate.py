"""When a new network takes the place of the one that plays: one line of meaning for each setting."""

from typing import Literal

from pydantic import Field

from boardzero.settings.specification import Parameters


class GateSettings(Parameters):
    """Self-play uses the best network; a new one becomes the best when it has beaten it in a match."""

    kind: Literal["none", "ratio", "percentage"] = Field(
        "none", description="none: the newest network always plays; ratio: enough wins for each loss; percentage: enough points"
    )
    factor: float = Field(1.3, gt=0, description="ratio: the new network needs more wins than this many times its losses")
    percentage: float = Field(60, gt=0, le=100, description="percentage: of all points (a draw is half a point), at least this")
    games: int = Field(20, ge=2, le=10_000, description="games of the match, half of them with each side")
    simulations: int = Field(0, ge=0, description="a move; 0: as many as a full search of self-play")
    temperature: float = Field(0, ge=0, description="moves are drawn by visits ^ (1 / temperature) at first; 0: the best")
    temperature_plies: int = Field(6, ge=0, description="for this many plies after the opening")
    openings: bool = Field(True, description="each pair of games begins with moves of its own, so that no two games are alike")
    every: int = Field(1, ge=1, description="generations between two matches")
    wait_minutes: float = Field(0, ge=0, description="no match for so long after a new best network was chosen")

    def is_passed(self, wins: int, draws: int, losses: int) -> bool:
        """Is the new network, with this result, better than the best?"""
        if self.kind == "ratio":
            return wins > self.factor * losses
        return wins + draws / 2 >= self.percentage / 100 * (wins + draws + losses)
