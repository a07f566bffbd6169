"""What measure_players.py found, as Markdown: tables of games, mistakes and ratings, also in the networks' cards."""

from collections.abc import Sequence
from pathlib import Path

from player_entries import SEED, Entry, Kept

from boardzero.arena.match import MatchResult, MatchSettings
from boardzero.arena.scores import score_interval
from boardzero.evaluation.page import TableOnPage
from boardzero.events.games import GameRecord
from boardzero.network.shipped import shipped_network
from boardzero.network.weights import write_whole

MEASURED = "<!-- measured -->"  # what stands behind it in a card is written anew
HEADINGS = ("what", "player", "opponent", "games", "wins – draws – losses", "score", "95 % interval", "first / second", "asked")


def rows_of(entry: Entry, key: str, folder: Path) -> list[list[str]]:
    """Of the table of games."""
    records = Kept(folder, entry).records(key)
    played = [records[number] for number in sorted(records)]
    if not played:
        return []
    if entry.kind == "decided":
        return [_decided_row(entry, played)]
    settings = MatchSettings(max(1, len(played)), SEED)
    if entry.kind == "first":
        return [_first_row(entry, key, folder, played)]
    match = MatchResult(entry.game, (entry.player, entry.opponent), settings, tuple(played), len(played), None)
    score, (low, high) = match.total.score or 0.0, match.interval
    sides = [f"{tally.score:.0%}" for tally in (match.moving_first, match.moving_second) if tally.score is not None]
    tally = match.total
    return [
        [f"{entry.name}: {entry.game}{_faults(match)}", *_with_times(entry, key, folder), str(tally.games),
         f"{tally.wins} – {tally.draws} – {tally.losses}", f"{score:.1%}", f"{low:.1%} to {high:.1%}", " / ".join(sides),
         entry.goal]
    ]  # fmt: skip


def _faults(match: MatchResult) -> str:
    """Games that were not lost by the rules must not be taken for wins in play."""
    return f" ({len(match.faults)} lost by faults: {match.faults[0]})" if match.faults else ""


def _first_row(entry: Entry, key: str, folder: Path, played: Sequence[GameRecord]) -> list[str]:
    """Always moving first: every game is an observation of its own, as far as games differ."""
    points = [0.5 if record.winner is None else float(record.winner == 0) for record in played]
    low, high = score_interval([(point,) for point in points])
    counts = " – ".join(str(points.count(value)) for value in (1.0, 0.5, 0.0))
    different = len({record.moves for record in played})
    return [
        f"{entry.name}: {entry.game}, {different} different games", *_with_times(entry, key, folder), str(len(played)), counts,
        f"{sum(points) / len(points):.1%}", f"{low:.1%} to {high:.1%}", "first only", entry.goal,
    ]  # fmt: skip


def _decided_row(entry: Entry, played: Sequence[GameRecord]) -> list[str]:
    decided = [float(record.winner is not None) for record in played]
    low, high = score_interval([(one,) for one in decided])
    plies = sum(record.plies for record in played) / len(played)
    wins = [sum(record.winner == side for record in played) for side in (0, 1)]
    return [
        f"{entry.name}: {entry.game}, {plies:.0f} plies a game", f"`{entry.player}`", "itself", str(len(played)),
        f"{wins[0]} – {len(played) - sum(wins)} – {wins[1]} (first side)", f"decided {sum(decided) / len(decided):.1%}",
        f"{low:.1%} to {high:.1%}", "", entry.goal,
    ]  # fmt: skip


def _with_times(entry: Entry, key: str, folder: Path) -> list[str]:
    """The two players, and how long a move of each takes alone."""
    times = Kept(folder, entry).figure(key, "seconds") or [0.0, 0.0]
    return [
        f"`{name}`" + (f", {seconds:.2f} s" if seconds >= 0.1 else f", {1000 * seconds:.2g} ms" if seconds else "")
        for name, seconds in zip((entry.player, entry.opponent), times, strict=True)
    ]


def text_of(entry: Entry, key: str, folder: Path) -> str:
    """Markdown: a table, or nothing if nothing has been measured."""
    kept = Kept(folder, entry)
    if entry.kind == "rating":
        lines = [line["figure"] for line in kept.lines(key) if line.get("name") == "rating"]
        if not lines:
            return ""
        table = TableOnPage("", ["player", "rating", "95 % interval", "games"], lines[-1]["rows"], frozenset({1}))
        return f"{entry.name}: {entry.game}, {lines[-1]['games']} games\n\n{table.to_markdown()}"
    if entry.kind in ("mistakes", "sets"):
        figures = {player: kept.figure(key, player) for player in entry.players}
        found = {player: figure for player, figure in figures.items() if figure}
        if not found:
            return ""
        names = list(next(iter(found.values())))
        rows = [
            [f"`{player}`", *(f"{100 * wrong / count:.1f} % of {count}" for wrong, count in figure.values())]
            for player, figure in found.items()
        ]
        return f"{entry.name}: mistakes, {entry.game}\n\n{TableOnPage('', ['player', *names], rows).to_markdown()}"
    rows = rows_of(entry, key, folder)
    return TableOnPage("", HEADINGS, rows).to_markdown() if rows else ""


def joined(texts: Sequence[str]) -> str:
    """Tables of games become one."""
    heads = TableOnPage("", HEADINGS, []).to_markdown()
    games = [text.removeprefix(heads).strip() for text in texts if text.startswith(heads)]
    others = [text for text in texts if text and not text.startswith(heads)]
    return "\n\n".join(([heads + "\n" + "\n".join(games)] if games else []) + others)


def write_cards(texts: Sequence[tuple[Entry, str]]) -> None:
    """Results of each network behind the mark in its card."""
    by_card: dict[Path, list[str]] = {}
    for entry, text in texts:
        network = shipped_network(entry.rules)
        if network is not None and text:
            by_card.setdefault(network.with_suffix(".md"), []).append(text)
    for card, found in by_card.items():
        before = card.read_text(encoding="utf-8").partition(MEASURED)[0].rstrip()
        write_whole(card, f"{before}\n\n{MEASURED}\n\n{joined(found)}\n".encode())
