"""Pages: one self-contained HTML file with charts (plotly inside), tables and boards, light or dark as the reader's screen."""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from importlib import resources
from pathlib import Path
from typing import Any

from boardzero.errors import BadInput
from boardzero.evaluation.charts import Chart
from boardzero.network.weights import write_whole

WIDE = ("ratings",)  # charts that take the whole width


@dataclass
class Page:
    """What stands on a page, from top to bottom."""

    title: str
    subtitle: str
    tiles: Sequence[tuple[str, str]] = ()  # a figure and what it says
    charts: Sequence[Chart] = ()
    games: Sequence[dict[str, Any]] = ()
    tables: Sequence["TableOnPage"] = ()
    remarks: Sequence[str] = ()
    wide: frozenset[str] = field(default=frozenset(WIDE))

    def to_html(self) -> str:
        data = {"charts": [{"key": chart.key, **chart.figure()} for chart in self.charts], "games": list(self.games)}
        charts = "".join(self._chart(chart) for chart in self.charts)
        games = "".join(_game(number, game) for number, game in enumerate(self.games))
        return (
            f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{_text(self.title)}</title>\n'
            '<meta name="viewport" content="width=device-width, initial-scale=1"><link rel="icon" href="data:,">\n'
            f"<style>{_part('report.css')}</style></head>\n<body><main><header><h1>{_text(self.title)}</h1>"
            f'<p class="soft">{_text(self.subtitle)}</p></header>\n{self._tiles()}'
            + "".join(f"<p>{_text(remark)}</p>" for remark in self.remarks)
            + "".join(table.to_html() for table in self.tables if table.first)
            + (f'<h2>Curves</h2><div class="charts">{charts}</div>\n' if charts else "")
            + (f'<h2>Games of self-play</h2>{_GAMES_SAID}<div class="games">{games}</div>\n' if games else "")
            + "".join(table.to_html() for table in self.tables if not table.first)
            + f"</main>\n<script>{_plotly()}</script>\n"
            f'<script type="application/json" id="report">{_embedded(data)}</script>\n<script>{_part("report.js")}</script>\n'
            "</body></html>\n"
        )

    def write(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, self.to_html().encode())
        except OSError as error:
            raise BadInput(f"The page cannot be written to '{path}': {error.strerror or error}.") from None

    def _tiles(self) -> str:
        tiles = "".join(
            f'<div class="tile"><b>{_text(figure)}</b><span>{_text(said)}</span></div>' for figure, said in self.tiles
        )
        return f'<section class="tiles">{tiles}</section>\n' if tiles else ""

    def _chart(self, chart: Chart) -> str:
        wide = ' class="wide"' if chart.key.partition("-")[0] in self.wide else ""
        return (
            f"<figure{wide}><h3>{_text(chart.title)}</h3><figcaption>{_text(chart.caption)}</figcaption>"
            f'<div class="plot" id="chart-{chart.key}"></div></figure>\n'
        )


@dataclass
class TableOnPage:
    """A table with a heading; columns of figures are right-aligned. Before the curves, or folded at the end."""

    title: str
    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    figures: frozenset[int] = frozenset()  # numbers of the columns that hold figures
    first: bool = True
    folded: bool = False

    def to_html(self) -> str:
        def row(cells: Sequence[str], tag: str) -> str:
            marks = (' class="number"' if number in self.figures else "" for number in range(len(cells)))
            return (
                "<tr>"
                + "".join(f"<{tag}{mark}>{_text(cell)}</{tag}>" for cell, mark in zip(cells, marks, strict=True))
                + "</tr>"
            )

        body = "".join(row(one, "td") for one in self.rows)
        content = f"<table><thead>{row(self.headings, 'th')}</thead><tbody>{body}</tbody></table>"
        if self.folded:
            return f'<h2>{_text(self.title)}</h2><div class="card"><details><summary>Show</summary>{content}</details></div>\n'
        return f'<h2>{_text(self.title)}</h2><div class="card">{content}</div>\n'

    def to_markdown(self) -> str:
        """Without its title."""

        def row(cells: Sequence[str]) -> str:
            return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

        marks = ["---:" if number in self.figures else "---" for number in range(len(self.headings))]
        return "\n".join([row(self.headings), f"|{'|'.join(marks)}|", *map(row, self.rows)])


_GAMES_SAID = (
    '<p class="soft">Numbers on stones say when they were placed; numbers on free cells how often, in per cent, the search'
    " would play there. The line under a board is the expected result for the first player, move by move.</p>"
)


def _game(number: int, game: dict[str, Any]) -> str:
    title = _text(game["title"])
    return (
        f'<section class="game" id="game-{number}"><h3>{title}</h3><svg role="img" aria-label="board of {title}"></svg>'
        f'<svg role="img" aria-label="expected result, move by move"></svg><div class="steps">'
        f'<button type="button" aria-label="one move back">‹</button><input type="range" min="0" value="0" aria-label="move">'
        f'<button type="button" aria-label="one move on">›</button></div><div class="opinion" aria-live="polite"></div>'
        f'<p class="moves">{_text(game["moves"])}</p></section>\n'
    )


def _text(text: str) -> str:
    return html.escape(text)


def _part(name: str) -> str:
    return resources.files("boardzero.evaluation").joinpath("page", name).read_text(encoding="utf-8")


def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    return str(get_plotlyjs())


def _embedded(data: Any) -> str:
    """JSON that may stand inside a page: nothing in it can end the script."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
