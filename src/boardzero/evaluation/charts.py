"""Charts of runs, as plain dictionaries that plotly draws. Colours of text and grid are the page's: it is light or dark."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boardzero.arena.scores import score_interval, share_interval
from boardzero.errors import BadInput
from boardzero.evaluation.run_history import RunHistory
from boardzero.settings.network import BESIDES

PALETTE = ("#4269d0", "#e8590c", "#2f9e44", "#a463f2", "#d6336c", "#0c8599", "#b08900", "#868e96")
DASHES = ("solid", "dot", "dash", "dashdot")
KINDS = {"random": "random", "mcts": "rollout MCTS", "minimax": "minimax", "previous": "previous networks"}
SCALES = {"elo": "Elo", "wandhoven": "Wandhoven's scale (base e)"}
MOST_POINTS = 1000  # of a line; longer ones are thinned out


@dataclass(frozen=True)
class Chart:
    """A figure with its heading and a sentence that says how to read it."""

    key: str
    title: str
    caption: str
    traces: list[dict[str, Any]]
    layout: dict[str, Any]

    def figure(self) -> dict[str, Any]:
        return {"data": self.traces, "layout": self.layout}


def colour(number: int) -> str:
    return PALETTE[number % len(PALETTE)]


def line(
    x: Sequence[Any], y: Sequence[Any], name: str, shade: str, dash: str = "solid", hover: str = "%{y:.3f}", **more: Any
) -> dict[str, Any]:
    step = -(-len(x) // MOST_POINTS) or 1
    mode = "lines+markers" if len(x) <= 40 else "lines"
    points = {"x": x, "y": y, **({"text": more.pop("text")} if "text" in more else {})}
    return {
        "type": "scatter",
        **{key: [*values[:-1:step], values[-1]] if len(values) else [] for key, values in points.items()},
        "name": name,
        "mode": mode,
        "line": {"color": shade, "width": 2.2, "dash": dash},
        "marker": {"size": 5, "color": shade},
        "hovertemplate": f"{hover}<extra>{name}</extra>",
        **more,
    }


def band(x: Sequence[float], low: Sequence[float], high: Sequence[float], shade: str, group: str) -> dict[str, Any]:
    """The area between two lines."""
    red, green, blue = (int(shade[place : place + 2], 16) for place in (1, 3, 5))
    return {
        "type": "scatter",
        "x": [*x, *reversed(list(x))],
        "y": [*high, *reversed(list(low))],
        "mode": "lines",
        "fill": "toself",
        "fillcolor": f"rgba({red},{green},{blue},0.15)",
        "line": {"width": 0},
        "hoverinfo": "skip",
        "showlegend": False,
        "legendgroup": group,
    }


def layout(x: str, y: str, **more: Any) -> dict[str, Any]:
    return {
        "margin": more.pop("margin", {"l": 58, "r": 12, "t": 10, "b": 44}),
        "height": 320,
        "hovermode": "x unified" if "barmode" not in more else "closest",
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        "xaxis": {"title": {"text": x}, "zeroline": False, **more.pop("xaxis", {})},
        "yaxis": {"title": {"text": y}, "zeroline": False, "rangemode": "tozero", **more.pop("yaxis", {})},
        **more,
    }


def charts_of(runs: Sequence[RunHistory]) -> list[Chart]:
    """All that there is something to show for."""
    drawn = [
        *ratings(runs),
        mistakes(runs),
        habits(runs),
        *win_rates(runs),
        gate(runs),
        losses(runs),
        learning_rate(runs),
        speeds(runs),
        games(runs),
    ]
    return [chart for chart in drawn if chart.traces]


def _named(runs: Sequence[RunHistory], run: RunHistory, what: str) -> str:
    return what if len(runs) == 1 else f"{run.label}: {what}"


def losses(runs: Sequence[RunHistory]) -> Chart:
    traces = []
    for number, run in enumerate(runs):
        x = [one["generation"] for one in run.generations]
        policy, value = ([one[key] for one in run.generations] for key in ("policy_loss", "value_loss"))
        total = [a + run.settings.training.value_weight * b for a, b in zip(policy, value, strict=True)]
        besides = [(name.replace("_", " "), [one.get(f"{name}_loss") for one in run.generations]) for name in BESIDES]
        told = [(name, y) for name, y in besides if any(loss is not None for loss in y)]
        for part, (name, y) in enumerate((("total", total), ("policy", policy), ("value", value), *told)):
            shade = colour(part if len(runs) == 1 else number)
            dash = "solid" if len(runs) == 1 else DASHES[part % len(DASHES)]
            traces.append(line(x, y, _named(runs, run, name), shade, dash))
    note = "Means over each generation's training; the total is of policy and value, with the value's weight in training."
    return Chart("losses", "Losses", note, traces, layout("generation", "loss"))


def learning_rate(runs: Sequence[RunHistory]) -> Chart:
    traces = _over_generations(runs, "learning_rate", "learning rate", "%{y:.2e}")
    return Chart("rate", "Learning rate", "What each generation's training used.", traces,
                 layout("generation", "learning rate", yaxis={"tickformat": ".1e"}))  # fmt: skip


def ratings(runs: Sequence[RunHistory]) -> list[Chart]:
    """The rating curves, from what `boardzero rate` left: a chart for each scale and anchor, as only these can be compared."""
    groups: dict[tuple[str, str, float], list[tuple[int, RunHistory]]] = {}
    for number, run in enumerate(runs):
        if run.ratings is not None and run.own_ratings():
            group = (run.ratings["scale"], run.ratings.get("anchor", ""), run.ratings.get("anchor_rating", 0.0))
            groups.setdefault(group, []).append((number, run))
    charts: list[Chart] = []
    for (scale, anchor, points), members in groups.items():
        more = f", {anchor} at {points:g}" if len(groups) > 1 else ""
        key = "ratings" if not charts else f"ratings-{len(charts) + 1}"
        charts.append(_rating_chart(key, f"Rating{more}", SCALES[scale], members))
    return charts


def _rating_chart(key: str, title: str, scale: str, members: Sequence[tuple[int, RunHistory]]) -> Chart:
    """members: runs, and their numbers among all that are shown."""
    traces: list[dict[str, Any]] = []
    anchors: dict[str, dict[str, Any]] = {}
    for number, run in members:
        own = [(minutes, one) for one in run.own_ratings() if (minutes := run.minutes_at(one["generation"])) is not None]
        x = [minutes for minutes, _ in own]
        low, high = ([one["interval"][end] for _, one in own] for end in range(2))
        traces.append(band(x, low, high, colour(number), run.label))
        names = [f"generation {one['generation']}" for _, one in own]
        y = [one["rating"] for _, one in own]
        traces.append(line(x, y, run.label, colour(number), hover="%{text}: %{y:.0f}", text=names))
        for one in run.ratings["players"] if run.ratings else ():
            if one["generation"] is None:
                anchors.setdefault(one["name"], one)
    shapes, notes = _anchor_lines(list(anchors.values()))
    thought = sorted({one["simulations"] for _, run in members for one in run.own_ratings() if one.get("simulations")})
    how = f", networks with {' and '.join(map(str, thought))} simulations a move" if thought else ""
    return Chart(key, title, f"With 95 % intervals{how}; dotted lines are players that never change. From boardzero rate.",
                 traces, layout("minutes of training", scale, shapes=shapes, annotations=notes,
                                yaxis={"rangemode": "normal"}, height=420,
                                margin={"l": 58, "r": 112, "t": 10, "b": 44}))  # fmt: skip


def _anchor_lines(players: Sequence[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """A dotted line for each player, named beside the chart; names that would overlap share a line of text."""
    shapes = [
        {"type": "line", "xref": "paper", "x0": 0, "x1": 1, "y0": one["rating"], "y1": one["rating"],
         "line": {"width": 1, "dash": "dot", "color": "#868e96"}}
        for one in players
    ]  # fmt: skip
    ranked = sorted(players, key=lambda one: one["rating"])
    apart = (ranked[-1]["rating"] - ranked[0]["rating"]) / 25 if ranked else 0
    groups: list[list[dict[str, Any]]] = []
    for one in ranked:
        if groups and one["rating"] - groups[-1][-1]["rating"] < apart:
            groups[-1].append(one)
        else:
            groups.append([one])
    notes = [
        {"xref": "paper", "x": 1, "xanchor": "left", "y": sum(one["rating"] for one in group) / len(group), "showarrow": False,
         "text": "<br>".join(one["name"] for one in reversed(group)), "font": {"size": 11}, "align": "left"}
        for group in groups
    ]  # fmt: skip
    return shapes, notes


def mistakes(runs: Sequence[RunHistory]) -> Chart:
    traces = []
    for number, run in enumerate(runs):
        by_simulations: dict[int, list[dict[str, Any]]] = {}
        for event in run.perfect:
            by_simulations.setdefault(event["simulations"], []).append(event)
        for part, (simulations, events) in enumerate(sorted(by_simulations.items())):
            x = [event["seconds"] / 60 for event in events]
            y = [100 * event["mistakes"] / event["positions"] for event in events]
            name = _named(runs, run, f"{simulations} simulations, while training")
            if len(runs) == 1:
                ends = [share_interval(event["mistakes"], event["positions"]) for event in events]
                low, high = ([100 * end[side] for end in ends] for side in range(2))
                traces.append(band(x, low, high, colour(number), name))
            traces.append(line(x, y, name, colour(number), DASHES[part % 4], hover="%{y:.1f} %", legendgroup=name))
        if run.measured is not None:
            traces += measured_lines(run, runs, number)
    caption = "Share of positions in which another move has a better result than the one chosen; lower is better."
    if len(runs) == 1 and run.perfect:
        caption += " The band is the 95 % interval for positions of this kind."
    return Chart("mistakes", "Mistakes against perfect play", caption, traces, layout("minutes of training", "% mistakes"))


def measured_lines(run: RunHistory, runs: Sequence[RunHistory], number: int) -> list[dict[str, Any]]:
    """Mistakes by set of positions, from what `boardzero perfect --run` left."""
    assert run.measured is not None
    networks = run.measured["networks"]
    x = [run.minutes_at(network["generation"]) for network in networks]
    traces = []
    for part, name in enumerate(file["file"] for file in networks[0]["files"]) if networks else ():
        sets = [network["files"][part] for network in networks]
        y = [100 * one["mistakes"] / max(1, one["positions"]) for one in sets]
        simulations = networks[0]["simulations"]
        label = _named(runs, run, f"{Path(name).name}, {simulations} simulation{'s' * (simulations != 1)}")
        shade = colour(number + 1 + part if len(runs) == 1 else number)
        traces.append(line(x, y, label, shade, "dash", hover="%{y:.1f} %"))
    return traces


def habits(runs: Sequence[RunHistory]) -> Chart:
    """Wins not taken and threats not parried, from what `boardzero perfect --run` left."""
    traces = []
    for number, run in enumerate(runs):
        networks = [one for one in (run.measured or {}).get("networks", []) if one.get("habits")]
        x = [run.minutes_at(network["generation"]) for network in networks]
        kinds = (
            ("missed_wins", "missed", "wins not taken at once"),
            ("missed_wins", "costly", "wins thrown away by that"),
            ("missed_blocks", "missed", "threats not blocked"),
        )
        for part, (key, count, name) in enumerate(kinds if networks else ()):
            y = [100 * one["habits"][key][count] / max(1, one["habits"][key]["positions"]) for one in networks]
            shade = colour(part if len(runs) == 1 else number)
            traces.append(line(x, y, _named(runs, run, name), shade, DASHES[part], hover="%{y:.1f} %"))
    return Chart("habits", "Wins missed, threats not blocked",
                 "Of positions with a win at once, and with a threat that can be parried. From boardzero perfect --run.",
                 traces, layout("minutes of training", "% missed"))  # fmt: skip


def win_rates(runs: Sequence[RunHistory]) -> list[Chart]:
    """A chart for each kind of opponent: scores moving first and second, with intervals."""
    kinds = list(dict.fromkeys(event["kind"] for run in runs for event in run.strengths))
    charts = []
    for kind in kinds:
        traces: list[dict[str, Any]] = []
        for number, run in enumerate(runs):
            events = joined([event for event in run.strengths if event["kind"] == kind])
            x = [event["seconds"] / 60 for event in events]
            for part, side in enumerate(("first", "second")):
                shade = colour(part if len(runs) == 1 else number)
                name = _named(runs, run, f"moving {side}")
                low, high = ([100 * event[f"{side}_interval"][end] for event in events] for end in range(2))
                if len(runs) == 1:
                    traces.append(band(x, low, high, shade, name))
                y = [100 * event[f"{side}_score"] for event in events]
                traces.append(line(x, y, name, shade, DASHES[part], hover="%{y:.0f} %", legendgroup=name))
        name = KINDS.get(kind, kind)
        met = [event for run in runs for event in run.strengths if event["kind"] == kind]
        caption = f"{whom_they_met(met)}; points a game by colour{', with 95 % intervals' if len(runs) == 1 else ''}."
        charts.append(Chart(f"wins-{kind}", f"Score against {name}", caption, traces,
                            layout("minutes of training", "score, %", yaxis={"range": [-3, 103]})))  # fmt: skip
    return charts


def whom_they_met(events: Sequence[dict[str, Any]]) -> str:
    """Whom the networks met, with how many simulations of their own, and how many games each time."""
    names = {event["opponent"] for event in events}
    who = f"{names.pop()}: " if len(names) == 1 and events[0]["kind"] != "previous" else ""
    simulations = {event["simulations"] for event in events}
    games = {sum(event["moving_first"]) + sum(event["moving_second"]) for event in events}
    said = ["/".join(map(str, sorted(some))) for some in (simulations, games)]
    return f"{who}{said[0]} simulations, {said[1]} games each"


def gate(runs: Sequence[RunHistory]) -> Chart:
    """Matches that decided whether a new network takes over self-play."""
    traces: list[dict[str, Any]] = []
    for number, run in enumerate(runs):
        shade = colour(number)
        for promoted, name, symbol in ((True, "taken", "circle"), (False, "turned down", "circle-open")):
            events = [event for event in run.comparisons if event["promoted"] is promoted]
            if not events:
                continue
            counts = [[event[key] for key in ("wins", "draws", "losses")] for event in events]
            said = [f"{event['generation']} against {event['best']}: {wins}–{draws}–{losses}"
                    for event, (wins, draws, losses) in zip(events, counts, strict=True)]  # fmt: skip
            y = [100 * (wins + draws / 2) / max(1, wins + draws + losses) for wins, draws, losses in counts]
            x = [event["seconds"] / 60 for event in events]
            named = _named(runs, run, name)
            traces.append(line(x, y, named, shade, hover="%{text}", text=said, mode="markers",
                               marker={"size": 9, "color": shade, "symbol": symbol}))  # fmt: skip
    return Chart("gate", "Matches of the gate", "Score of each new network against the one that played: taken, or turned down.",
                 traces, layout("minutes of training", "score, %", yaxis={"range": [-3, 103]}, showlegend=True))  # fmt: skip


def joined(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """One event for each evaluation: matches against several opponents of one kind are taken together.

    Of these the scores are right, and the intervals of each side; that of both sides would need the pairs of games.
    """
    groups: dict[int, list[dict[str, Any]]] = {}
    for event in events:
        groups.setdefault(event["generation"], []).append(event)
    together = []
    for group in groups.values():
        one = dict(group[-1])
        if len(group) > 1:
            for side in ("first", "second"):
                wins, draws, losses = (sum(event[f"moving_{side}"][place] for event in group) for place in range(3))
                points = [*[(1.0,)] * wins, *[(0.5,)] * draws, *[(0.0,)] * losses]
                one[f"{side}_score"] = (wins + draws / 2) / max(1, len(points))
                one[f"{side}_interval"] = score_interval(points)
            one["score"] = _score_of_all(group)
        together.append(one)
    return together


def _score_of_all(events: Sequence[dict[str, Any]]) -> float:
    """Points a game, moving first and second, in all of these matches."""
    counts = [event[f"moving_{side}"] for event in events for side in ("first", "second")]
    return sum(wins + draws / 2 for wins, draws, _ in counts) / max(1, sum(map(sum, counts)))


def speeds(runs: Sequence[RunHistory]) -> Chart:
    traces = []
    for number, run in enumerate(runs):
        x = [one["generation"] for one in run.generations]
        for part, (key, name) in enumerate(
            (("simulations_per_second", "simulations"), ("evaluations_per_second", "evaluations"))
        ):
            shade = colour(part if len(runs) == 1 else number)
            y = [one[key] for one in run.generations]
            traces.append(line(x, y, _named(runs, run, f"{name}/s"), shade, DASHES[part], hover="%{y:,.0f}/s"))
    return Chart("speeds", "Speed of self-play", "Simulations need no evaluation where the cache or the rules know the answer.",
                 traces, layout("generation", "a second"))  # fmt: skip


def games(runs: Sequence[RunHistory]) -> Chart:
    traces = _over_generations(runs, "mean_plies", "plies a game", "%{y:.1f}")
    return Chart("games", "Length of games", "Mean number of plies of the games of self-play.", traces,
                 layout("generation", "plies"))  # fmt: skip


def _over_generations(runs: Sequence[RunHistory], key: str, name: str, hover: str) -> list[dict[str, Any]]:
    """A line for each run: what its generations noted under this key."""
    return [
        line([one["generation"] for one in run.generations], [one[key] for one in run.generations],
             _named(runs, run, name), colour(number), hover=hover)
        for number, run in enumerate(runs)
    ]  # fmt: skip


def write_pictures(charts: Sequence[Chart], folder: Path, stem: str) -> list[Path]:
    """Each chart as a PNG file; needs kaleido and a Chromium."""
    paths = [folder / f"{stem}-{chart.key}.png" for chart in charts]
    figures: list[dict[str, Any]] = []
    for chart in charts:
        own: dict[str, Any] = {
            "title": {"text": f"{chart.title}<br><sup>{chart.caption}</sup>" if chart.caption else chart.title},
            "template": "plotly_white",
            "margin": {"l": 70, "r": 18 + chart.layout["margin"]["r"], "t": 110, "b": 60},
        }
        figures.append({"data": chart.traces, "layout": {**chart.layout, **own}})
    try:
        import plotly.io

        plotly.io.write_images(figures, paths, width=1000, height=560, scale=2)
    except Exception as error:  # whatever keeps the browser from drawing is one thing for the user
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise BadInput(
            f"Pictures need Chromium and the package kaleido (pip install 'boardzero[pictures]'): {reason}"
        ) from None
    return paths
