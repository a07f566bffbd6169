"""The card of a network: how it was learned, on what, and how strong it is; the same for every network that is shipped."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from boardzero.errors import BadInput
from boardzero.evaluation.run_history import RunHistory, read_history
from boardzero.games.catalogue import find_game
from boardzero.network.cost import count_parameters
from boardzero.network.weights import load_network
from boardzero.settings.run import RunSettings
from boardzero.training.sittings import read_sittings

RESULTS = "## Results"  # what stands from here on in a card that is written again is kept
DIGITS = 12  # of the weights' checksum


def write_card(path: Path, network: Path) -> None:
    """The card of a network that is in its run's folder; results that somebody wrote into an earlier card stay."""
    text = card_of(network)
    if path.is_file():
        _, line, results = path.read_text(encoding="utf-8").partition(f"\n{RESULTS}\n")
        if line:
            text = text.partition(f"\n{RESULTS}\n")[0] + line + results
    path.write_text(text, encoding="utf-8")


def card_of(network: Path) -> str:
    """As Markdown."""
    run = network.parent.parent
    if not (run / "settings.json").is_file():
        raise BadInput(f"A card needs the run that the network is of: '{network}' is not in the folder of one.")
    history = read_history(run, run.name)
    rows = "\n".join(f"| {name} | {text} |" for name, text in _facts(history, network))
    command = next((sitting.command for sitting in read_sittings(run)), None) or _command(history.settings)
    results = "\n\n".join(filter(None, _results(history))) or "Nothing has been measured."
    title = find_game(history.settings.game).title
    return f"# {title[0].upper()}{title[1:]}\n\n| | |\n|---|---|\n{rows}\n\n    {command}\n\n{RESULTS}\n\n{results}\n"


# -- how it was learned ------------------------------------------------------------------------------------------------------
def _facts(history: RunHistory, network: Path) -> Iterator[tuple[str, str]]:
    stored, settings = load_network(network), history.settings
    shape, first = stored.header.settings, settings.network
    generation = stored.header.details.get("generation")
    done = next((one for one in history.generations if one["generation"] == generation), history.generations[-1])
    grown = (shape.blocks, shape.channels) != (first.blocks, first.channels)
    begun = f" ({first.blocks} × {first.channels} for the first {100 * settings.growth.share:g} % of the run)" if grown else ""
    yield "game", ", ".join(settings.curriculum[-1].games if settings.curriculum else [settings.game])
    for stage in settings.curriculum[:-1]:
        yield f"until {100 * stage.until:g} %", ", ".join(stage.games)
    size = f"{shape.blocks} blocks × {shape.channels} channels{begun}, {count_parameters(stored.network):,} parameters"
    yield "network", f"{shape.kind}, {size}"
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
