"""Every network against every other, as a picture: the newer ones should win below the diagonal."""

from collections.abc import Mapping, Sequence
from typing import Any

from boardzero.evaluation.charts import Chart, layout
from boardzero.evaluation.run_history import RunHistory

# Of the score: lost, even, won; all three can be told apart on a light and on a dark page, and by who sees no red or green.
COLOURS = [[0.0, "#d9480f"], [0.5, "#e9ecef"], [1.0, "#3257c4"]]
MOST_WORDS = 16  # networks, beyond which cells are too small for figures
LEAST_MET = 0.5  # of all pairs of networks, for a picture that is worth looking at


def matrix_chart(key: str, title: str, content: Mapping[str, Any]) -> Chart:
    """content: as `Matrix.as_dict` gives it."""
    names, scores = content["players"], content["scores"]
    one_run = len({name.rpartition(" ")[0] for name in names}) == 1
    labels = [name.rpartition(" ")[2] if one_run else name for name in names]
    shown = [[None if score is None else 100 * score for score in row] for row in scores]
    said = [
        [f"{a} against {b}: {_score(score)} of {games} games" for b, score, games in zip(names, row, counts, strict=True)]
        for a, row, counts in zip(names, shown, content["games"], strict=True)
    ]
    trace = {
        "type": "heatmap", "x": labels, "y": labels, "z": shown, "zmin": 0, "zmax": 100, "colorscale": COLOURS,
        "xgap": 1, "ygap": 1, "hoverongaps": False, "text": said, "hovertemplate": "%{text}<extra></extra>",
        "colorbar": {"ticksuffix": " %", "thickness": 12, "outlinewidth": 0},
        **({"texttemplate": "%{z:.0f}"} if len(names) <= MOST_WORDS else {}),
    }  # fmt: skip
    axes = layout(
        "against generation" if one_run else "against",
        "generation" if one_run else "",
        height=420,
        hovermode="closest",
        xaxis={"type": "category", "showgrid": False},
        yaxis={"type": "category", "showgrid": False, "autorange": "reversed", "rangemode": "normal"},
    )
    return Chart(key, title, "Score of the row against the column, in per cent; below the diagonal newer meet older.",
                 [trace], axes)  # fmt: skip


def matrices(runs: Sequence[RunHistory]) -> list[Chart]:
    """Of each run whose networks have met each other, most of them, in the games of `boardzero rate`."""
    charts = []
    for number, run in enumerate(runs, 1):
        content = _own(run)
        if content is not None:
            title = "Every network against every other" if len(runs) == 1 else f"{run.label}: network against network"
            charts.append(matrix_chart("matrix" if len(runs) == 1 else f"matrix-{number}", title, content))
    return charts


def _own(run: RunHistory) -> dict[str, Any] | None:
    """The part of what was kept that is about this run's networks."""
    kept = (run.ratings or {}).get("matrix")
    own = {player["name"] for player in run.own_ratings()}
    places = [place for place, name in enumerate(kept["players"] if kept else []) if name in own]
    if kept is None or len(places) < 2:
        return None
    parts = {key: [[kept[key][row][column] for column in places] for row in places] for key in ("scores", "games")}
    met = sum(games > 0 for row in parts["games"] for games in row)
    if met < LEAST_MET * len(places) * (len(places) - 1):
        return None
    return {"players": [kept["players"][place] for place in places], **parts}


def _score(score: float | None) -> str:
    return "–" if score is None else f"{score:.0f} %"
