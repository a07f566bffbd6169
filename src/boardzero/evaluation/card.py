"""The card of a network: how it was learned, on what, and how strong it is; the same for every network that is shipped."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from boardzero.errors import BadInput
from boardzero.evaluation.run_history import RunHistory, read_history
from boardzero.games.catalogue import find_game
from boardzero.network.cost import count_parameters
from boardzero.network.header import LEARNED, NetworkHeader, noted_lessons
from boardzero.network.learned import never_seen
from boardzero.network.weights import load_network
from boardzero.settings.changes import said_setting, single_settings
from boardzero.settings.presets import default_values
from boardzero.settings.run import RunSettings
from boardzero.training.sittings import read_sittings

RESULTS = "## Results"  # what stands from here on in a card that is written again is kept
DIGITS = 12  # of the weights' checksum
WEIGHTS = re.compile(rf"SHA-256 ([0-9a-f]{{{DIGITS}}})")
SAID_OTHERWISE = ("game", "curriculum", "seed", "minutes", "generations")  # settings that the card has elsewhere


def write_card(path: Path, network: Path) -> None:
    """The card of a network that is in its run's folder.

    Results that somebody wrote into an earlier card stay, unless that was the card of other weights.
    """
    text = card_of(network)
    if path.is_file():
        before, line, results = path.read_text(encoding="utf-8").partition(f"\n{RESULTS}\n")
        weights = WEIGHTS.search(before)
        if line and (weights is None or weights[1] in text):
            text = text.partition(f"\n{RESULTS}\n")[0] + line + results
    path.write_text(text, encoding="utf-8")


def card_of(network: Path) -> str:
    """As Markdown."""
    run = network.parent.parent
    if not (run / "settings.json").is_file():
        raise BadInput(f"A card needs the run that the network is of: '{network}' is not in the folder of one.")
    history = read_history(run, run.name)
    rows = "\n".join(f"| {name} | {text} |" for name, text in _facts(history, network))
    commands = "\n".join(f"    {command}" for command in _commands(run) or [_command(history.settings)])
    results = "\n\n".join(filter(None, _results(history))) or "Nothing has been measured."
    title = find_game(history.settings.game).title
    return f"# {title[0].upper()}{title[1:]}\n\n| | |\n|---|---|\n{rows}\n\n{commands}\n\n{RESULTS}\n\n{results}\n"


# -- how it was learned ------------------------------------------------------------------------------------------------------
def _facts(history: RunHistory, network: Path) -> Iterator[tuple[str, str]]:
    stored, settings = load_network(network), history.settings
    shape, first = stored.header.settings, settings.network
    done = _played(history, stored.header)[-1]
    grown = (shape.blocks, shape.channels) != (first.blocks, first.channels)
    begun = f" ({first.blocks} × {first.channels} for the first {100 * settings.growth.share:g} % of the run)" if grown else ""
    yield "game", ", ".join(dict.fromkeys(settings.curriculum[-1].games)) if settings.curriculum else settings.game
    for stage in settings.curriculum[:-1]:
        yield f"until {100 * stage.until:g} %", ", ".join(dict.fromkeys(stage.games))
    if shape.size_free and (unseen := never_seen(_learned(history, stored.header))):
        yield "never seen", f"{unseen}: it plays there by what it learned elsewhere"
    size = f"{shape.blocks} blocks × {shape.channels} channels{begun}, {count_parameters(stored.network):,} parameters"
    yield "network", f"{shape.kind}, {size}"
    yield "settings", ", ".join(f"`{change}`" for change in _changes(settings)) or "the game's defaults"
    yield "learned", f"from self-play alone in {done['seconds'] / 60:.1f} minutes, seed {settings.seed}"
    yield "played", f"{done['generation']} generations, {done['games']:,} games, {done['positions']:,} positions"
    sittings = read_sittings(history.folder.path)
    for machine in dict.fromkeys(f"{sitting.machine}, Python {sitting.python}" for sitting in sittings):
        yield "machine", machine
    for program in dict.fromkeys(sitting.program for sitting in sittings):
        yield "program", program
    if sittings:
        yield "begun", sittings[0].begun[:10]
    yield "weights", f"SHA-256 {stored.header.checksum[:DIGITS]}…"


def header_with_learned(header: NetworkHeader, network: Path) -> NetworkHeader:
    """The header of a network that is in its run's folder, with the games that it had learned from by then."""
    run = network.parent.parent
    if not header.settings.size_free or not header.details.get("generation") or not (run / "settings.json").is_file():
        return header
    learned = _learned(read_history(run, run.name), header)
    return replace(header, details={**header.details, LEARNED: learned})


def _learned(history: RunHistory, header: NetworkHeader) -> list[str]:
    """The games of all generations so far, and those that the network it began with had learned, small boards first."""
    played = {one.get("game") or history.settings.game for one in _played(history, header)}
    played.update(noted_lessons(history.folder.network(0))[0])
    return sorted(played, key=lambda name: (find_game(name).action_count, name))


def _played(history: RunHistory, header: NetworkHeader) -> list[dict[str, Any]]:
    """The generations up to that of the network; all of them where it does not say which it is of."""
    generation = header.details.get("generation")
    numbers = [one["generation"] for one in history.generations]
    return history.generations[: numbers.index(generation) + 1] if generation in numbers else history.generations


def _changes(settings: RunSettings) -> list[str]:
    """Settings that differ from the game's defaults, as `--set` takes them."""
    usual = single_settings(RunSettings(**default_values(settings.game)).model_dump())
    own = single_settings(settings.model_dump())
    return [f"{key}={said_setting(own[key])}" for key in own if own[key] != usual[key] and key not in SAID_OTHERWISE]


def _commands(run: Path) -> list[str]:
    """By which it was begun and gone on with, each once; the run's folder is called `runs/NAME` there, wherever it is."""
    found = []
    for sitting in read_sittings(run):
        words = shlex.split(sitting.command)
        found.append(shlex.join(f"runs/{run.name}" if _is_run(word, run) else word for word in words))
    return list(dict.fromkeys(found))


def _is_run(word: str, run: Path) -> bool:
    return Path(word).name == run.name and Path(word).resolve() == run.resolve()


def _command(settings: RunSettings) -> str:
    """What begins such a run, for runs whose command is not known; settings that were changed are in the run's folder."""
    end = f"--minutes {settings.minutes:g}" if settings.minutes else f"--generations {settings.generations}"
    return f"boardzero train {settings.game} {end} --seed {settings.seed}"


# -- how strong it is --------------------------------------------------------------------------------------------------------
def _results(history: RunHistory) -> Iterator[str]:
    yield _ratings(history.ratings)
    if history.perfect:
        last = history.perfect[-1]
        share = 100 * last["mistakes"] / last["positions"]
        yield (
            f"Mistakes against perfect play while training, last: {share:.1f} % of {last['positions']} drawn positions"
            f" ({last['simulations']} simulations)."
        )
    yield _matches(history.strengths)


def _ratings(ratings: dict[str, Any] | None) -> str:
    if ratings is None:
        return ""
    rows = [
        f"| {one['name']} | {one['rating']:.0f} | {one['interval'][0]:.0f} to {one['interval'][1]:.0f} | {one['games']} |"
        for one in ratings["players"]
    ]
    heading = f"Ratings on {ratings['game']} (`boardzero rate`, {ratings['games']} games):"
    return "\n".join([heading, "", "| player | rating | 95 % interval | games |", "|---|---|---|---|", *rows])


def _matches(strengths: list[dict[str, Any]]) -> str:
    """The last match against each opponent that has a name of its own."""
    last = {one["opponent"]: one for one in strengths if one["kind"] != "previous"}
    if not last:
        return ""
    rows = [
        f"| {one['opponent']} | {one['generation']} | {one['simulations']} | {100 * one['score']:.0f} %"
        f" | {100 * one['interval'][0]:.0f} to {100 * one['interval'][1]:.0f} % |"
        for one in last.values()
    ]
    heading = "While training, last match against each opponent:"
    columns = "| opponent | generation | simulations | score | 95 % interval |"
    return "\n".join([heading, "", columns, "|---|---|---|---|---|", *rows])
