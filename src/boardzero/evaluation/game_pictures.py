"""Example games as pictures: the board at the moment that the page shows first, and what the search expected, move by move."""

from collections.abc import Sequence
from typing import Any

from boardzero.evaluation.charts import Chart, colour

SIDES, ON_SIDES = ("#d9480f", "#f2b705"), ("#ffffff", "#2b2100")  # stones, and numbers on them; all colours are the page's
BOARD, CELL, INK, SOFT = "#2f5fc4", "#f3f5f9", "#1d2430", "#5b6575"
STONES = 340  # pixels that a row of stones takes, beside each other
LEAST_SHARE = 0.02  # of the search's choice that is named


def game_charts(games: Sequence[dict[str, Any]]) -> list[Chart]:
    """games: as `example_games.described` gives them."""
    return [_chart(f"game-{number}", game) for number, game in enumerate(games, 1)]


def _chart(key: str, game: dict[str, Any]) -> Chart:
    ply = game["shown"]
    frame = game["frames"][ply]
    moves = ", ".join(f"{move}: {100 * share:.0f} %" for move, share in frame.get("moves", ()))
    said = f"After move {ply}: {game['players'][frame['turn']]} to move, plays {frame['played']}" if "played" in frame else ""
    title = f"{game['title']}<br><sup>{said}{'. Search: ' if moves else ''}{moves}</sup>"
    return Chart(key, title, "", [*_stones(game, frame), *_opinions(game, frame), *_values(game, ply)], _layout(game))


def _stones(game: dict[str, Any], frame: dict[str, Any]) -> list[dict[str, Any]]:
    """Free cells, and pieces with the number of the move that placed them; those that are captured (Latrunculi) are paler."""
    size = _size(game)
    free = [cell for cell, piece in enumerate(frame["cells"]) if piece == 0]
    traces = [_at(game, free, {"size": size, "color": CELL, "opacity": 1}, [""] * len(free), {})]
    for side, (shade, ink) in enumerate(zip(SIDES, ON_SIDES, strict=True)):
        cells = [cell for cell, piece in enumerate(frame["cells"]) if piece and (piece - 1) % 2 == side]
        marker = {
            "size": size,
            "color": shade,
            "opacity": [0.5 if frame["cells"][cell] > 2 else 1.0 for cell in cells],
            "line": {"color": INK, "width": [2.5 if cell in frame["last"] else 0 for cell in cells]},
        }
        numbers = [str(frame["numbers"][cell] or "") for cell in cells]
        traces.append(_at(game, cells, marker, numbers, {"color": ink, "size": size / 2.4}))
    return traces


def _opinions(game: dict[str, Any], frame: dict[str, Any]) -> list[dict[str, Any]]:
    """Where the search would play, larger for what it likes more."""
    shares = [(cell, share) for cell, share in frame.get("policy", ()) if frame["cells"][cell] == 0]
    size = _size(game)
    marker = {
        "size": [max(4.0, size * share**0.5) for _, share in shares],
        "color": SIDES[frame["turn"]],
        "opacity": 0.45,
    }
    words = [f"{100 * share:.0f}" if share >= LEAST_SHARE else "" for _, share in shares]
    return [_at(game, [cell for cell, _ in shares], marker, words, {"color": INK, "size": size / 2.8})]


def _size(game: dict[str, Any]) -> float:
    """Of a stone, in pixels."""
    return float(STONES / max(game["rows"], game["columns"]))


def _at(
    game: dict[str, Any], cells: Sequence[int], marker: dict[str, Any], words: Sequence[str], font: dict[str, Any]
) -> dict[str, Any]:
    """Markers with words in them, on cells of the board."""
    return {
        "type": "scatter",
        "x": [cell % game["columns"] for cell in cells],
        "y": [cell // game["columns"] for cell in cells],
        "mode": "markers+text",
        "marker": marker,
        "text": list(words),
        "textfont": font,
        "showlegend": False,
    }


def _values(game: dict[str, Any], ply: int) -> list[dict[str, Any]]:
    """The expected result for the first player, and a line at the moment that the board shows."""
    known = [(number, frame["value"]) for number, frame in enumerate(game["frames"]) if frame.get("value") is not None]
    common = {"type": "scatter", "mode": "lines", "xaxis": "x2", "yaxis": "y2", "showlegend": False}
    return [
        {**common, "x": [number for number, _ in known], "y": [value for _, value in known], "line": {"color": colour(0)}},
        {**common, "x": [ply, ply], "y": [-1, 1], "line": {"color": SOFT, "dash": "dash", "width": 1}},
    ]


def _layout(game: dict[str, Any]) -> dict[str, Any]:
    columns, rows, bare = game["columns"], game["rows"], {"showgrid": False, "zeroline": False, "constrain": "domain"}
    ranks = {"tickvals": list(range(rows)), "ticktext": [str(rank) for rank in game["ranks"]]} if game["ranks"] else {}
    files = {"tickvals": list(range(columns)), "ticktext": game["files"]}
    board = {"x0": -0.6, "x1": columns - 0.4, "y0": -0.6, "y1": rows - 0.4}
    return {
        "margin": {"l": 58, "r": 12, "t": 10, "b": 44},
        "shapes": [{"type": "rect", **board, "fillcolor": BOARD, "line": {"width": 0}, "layer": "below"}],
        "xaxis": {**bare, **files, "domain": [0, 0.5], "range": [-0.6, columns - 0.4]},
        "yaxis": {**bare, **(ranks or {"showticklabels": False}), "range": [rows - 0.4, -0.6], "scaleanchor": "x"},
        "xaxis2": {"domain": [0.62, 1], "title": {"text": "move"}, "anchor": "y2", "zeroline": False, "rangemode": "tozero"},
        "yaxis2": {"title": {"text": f"expected result for {game['players'][0]}"}, "anchor": "x2", "range": [-1.05, 1.05]},
    }
