"""Which games a run plays on its way to the one that it learns: one line of meaning for each setting."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from pydantic import Field

from boardzero.settings.specification import Parameters


class Stage(Parameters):
    """A part of the run: small boards first, say, then all sizes in turn."""

    until: float = Field(gt=0, le=1, description="share of the run at which the stage ends")
    games: tuple[str, ...] = Field(min_length=1, description="one in each generation, in turn; learned from together")


def stages_from_text(text: str) -> list[dict[str, Any]]:
    """`0.2 gomoku:size=7; 1 gomoku:size=9 gomoku` → two stages."""
    stages = []
    for part in filter(None, (part.strip() for part in text.split(";"))):
        until, *games = part.split()
        try:
            stages.append({"until": float(until), "games": games})
        except ValueError:
            raise ValueError(
                f"'{part}' in curriculum is no stage: it should be the share of the run at which it ends, then its games,"
                " like `0.2 gomoku:size=7; 1 gomoku:size=9 gomoku`."
            ) from None
    return stages


def order_refusal(stages: Sequence[Stage]) -> str | None:
    """Why these stages do not make up a run; None if they do."""
    ends = [stage.until for stage in stages]
    if any(end <= before for before, end in pairwise(ends)):
        return f"The stages of curriculum end at {', '.join(map(str, ends))} of the run: each should end later than the last."
    if ends and ends[-1] != 1:
        return f"The last stage of curriculum ends at {ends[-1]:g} of the run; it should end at 1."
    return None
