"""The live picture of a training: what it is, how far, how fast, what it has learned and how strong it is."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.box import ROUNDED, SIMPLE_HEAD
from rich.columns import Columns
from rich.console import Group, RenderableType
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from boardzero.cli.cluster import machine_table, summary
from boardzero.events.cluster import ClusterState
from boardzero.events.training import (
    GenerationDone,
    LearningProgress,
    NetworksCompared,
    PerfectPlayMeasured,
    SelfPlayProgress,
    StrengthMeasured,
    TrainingEvent,
)

if TYPE_CHECKING:
    from boardzero.settings.run import RunSettings
    from boardzero.training.loop import Training

KEPT_EVENTS = (GenerationDone, PerfectPlayMeasured, NetworksCompared, StrengthMeasured)
BARS = "▁▂▃▄▅▆▇█"
CURVE = 24  # points of a small curve
EARLIER_NETWORKS = 5
MATCHES = {"comparing": "against the best", "measuring": "measuring its strength"}  # by the part of the stopwatch


def kept_event(content: dict[str, Any]) -> TrainingEvent | None:
    """The event that a line of events.jsonl tells of, if the picture shows it."""
    fields: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in content.items()}
    name = fields.pop("event", None)
    kind = next((kind for kind in KEPT_EVENTS if kind.__name__ == name), None)
    if kind is None:
        return None
    try:
        return kind(**fields)
    except TypeError:  # of another version
        return None


def network_line(training: "Training") -> str:
    """The network as it is now, and what becomes of it."""
    network, growth = training.learner.network, training.settings.growth
    shape, parameters = network.settings, sum(parameter.numel() for parameter in network.parameters())
    size = "" if shape.kind == "briden" else f", {shape.blocks} blocks × {shape.channels} channels"
    grows = growth.share and shape == training.settings.network
    later = f"; {growth.blocks} × {growth.channels} after {100 * growth.share:.0f} % of the run" if grows else ""
    return f"{shape.kind}{size}, {parameters:,} parameters{later}"


def selfplay_line(training: "Training") -> str:
    settings = training.settings
    cap = settings.selfplay.cap
    simulations = f"{cap.full_simulations}"
    if cap.full_probability < 1:
        simulations += f" simulations in {100 * cap.full_probability:.0f} % of moves, else {cap.fast_simulations}"
    else:
        simulations += " simulations a move"
    return f"{len(training.workers)} × {settings.selfplay.games} games at once, {settings.search.root}, {simulations}"


def curriculum_lines(settings: "RunSettings") -> str:
    """A line for each stage; nothing where only one game is played."""
    return "".join(f"until {100 * stage.until:g} %: {' '.join(stage.games)}\n" for stage in settings.curriculum)


def learning_line(settings: "RunSettings") -> str:
    training = settings.training
    often = f"{training.epochs} epochs" if training.epochs else f"{training.passes:g} passes"
    gate = "" if settings.gate.kind == "none" else f", gate by {settings.gate.kind}"
    return (
        f"{training.optimizer} {training.learning_rate:g} {training.schedule}, batch {training.batch}, {often},"
        f" value {training.value.target}, window {settings.replay.window.kind}{gate}, {settings.mode}"
    )


def until(settings: "RunSettings") -> str:
    return f"{settings.minutes:g} minutes" if settings.minutes else f"{settings.generations} generations"


def curve(values: Sequence[float]) -> str:
    """A row of bars, the highest value being the tallest."""
    if len(values) < 2:
        return ""
    step = max(1, len(values) / CURVE)
    chosen = [values[min(len(values) - 1, round(index * step))] for index in range(min(CURVE, len(values)))]
    chosen[-1] = values[-1]
    low, high = min(chosen), max(chosen)
    return "".join(BARS[round((value - low) / max(high - low, 1e-12) * (len(BARS) - 1))] for value in chosen)


def clock(seconds: float) -> str:
    """`4:05`, or `1:04:05`."""
    whole = max(0, int(seconds))
    hours, minutes = whole // 3600, whole // 60 % 60
    return f"{hours}:{minutes:02}:{whole % 60:02}" if hours else f"{minutes}:{whole % 60:02}"


def counted(result: tuple[int, int, int]) -> str:
    return f"+{result[0]} ={result[1]} −{result[2]}"


class TrainingPanel:
    """Keeps what has happened, and draws it whenever it is asked to."""

    def __init__(self, training: "Training") -> None:
        self.training = training
        self.generations: list[GenerationDone] = []
        self.perfect: list[PerfectPlayMeasured] = []
        self.strength: dict[str, StrengthMeasured] = {}  # by opponent, the newest
        self.compared: list[NetworksCompared] = []
        self._playing: SelfPlayProgress | None = None
        self._learning: LearningProgress | None = None
        self._cluster: ClusterState | None = None
        for content in training.folder.read_events():
            event = kept_event(content)
            if event is not None and getattr(event, "generation", 0) <= training.progress.generation:
                self.take(event)

    def take(self, event: TrainingEvent) -> None:
        match event:
            case SelfPlayProgress():
                self._playing, self._learning = event, None
            case LearningProgress():
                self._learning = event
            case GenerationDone():
                self.generations.append(event)
                self._learning = None
            case PerfectPlayMeasured():
                self.perfect.append(event)
            case NetworksCompared():
                self.compared.append(event)
            case StrengthMeasured():
                self.strength[event.opponent] = event
            case ClusterState():
                self._cluster = event

    # -- drawing -------------------------------------------------------------------------------------------------------
    def __rich__(self) -> RenderableType:
        settings = self.training.settings
        parts: list[RenderableType] = [self._progress(), Text()]  # first what matters most: a low window cuts off the rest
        parts.append(Columns([self._speeds(), self._losses()], padding=(0, 4)))
        if self._cluster is not None:
            parts += [Text(), machine_table(self._cluster), Text(summary(self._cluster), style="dim")]
        if self.strength or self.perfect or self.compared:
            parts += [Text(), self._strength()]
        parts += [Text(), self._about()]
        title = f"[bold]{settings.game}[/bold] · {until(settings)}"
        return Panel(
            Group(*parts), title=title, title_align="left", border_style="cyan", box=ROUNDED, padding=(1, 2), width=100
        )

    def _about(self) -> RenderableType:
        rows = Table.grid(padding=(0, 2))
        rows.add_column(style="dim", min_width=9)
        rows.add_column()
        rows.add_row("network", network_line(self.training))
        rows.add_row("self-play", selfplay_line(self.training))
        if self.training.curriculum.has_stages:
            rows.add_row("playing", f"{self.training.curriculum.playing.specification}, in turn with others")
        rows.add_row("learning", learning_line(self.training.settings))
        rows.add_row("folder", Text(str(self.training.folder.path), overflow="fold"))
        return rows

    def _speeds(self) -> RenderableType:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column("self-play", style="dim", min_width=12)
        table.add_column("a second", justify="right", min_width=9)
        playing, last = self._playing, self.generations[-1] if self.generations else None
        if playing is not None and playing.seconds > 0:
            seconds = playing.seconds
            learned = self.training.speeds.since_restart()
            leaves = max(1, playing.evaluations + playing.cache_hits)
            figures = [
                learned.games / learned.seconds, learned.positions / learned.seconds, playing.simulations / seconds,
                playing.evaluations / seconds, playing.cache_hits / leaves,
            ]  # fmt: skip
        elif last is not None:
            figures = [
                last.games_per_second, last.positions_per_second, last.simulations_per_second,
                last.evaluations_per_second, last.cache_hits,
            ]  # fmt: skip
        else:
            figures = []
        for name in () if figures else ("games", "positions", "simulations", "evaluations"):
            table.add_row(name, "…")
        for name, figure in zip(("games", "positions", "simulations", "evaluations"), figures, strict=False):
            table.add_row(name, f"{figure:,.1f}" if figure < 100 else f"{figure:,.0f}")
        table.add_row("cache hits", f"{100 * figures[4]:.0f} %" if figures else "…")
        return table

    def _losses(self) -> RenderableType:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column("losses", style="dim", min_width=8)
        table.add_column("", justify="right", min_width=6)
        table.add_column("", style="cyan", no_wrap=True)
        if not self.generations:
            table.add_row("policy", "…", "")
            table.add_row("value", "…", "")
            return table
        last = self.generations[-1]
        for name in ("policy", "value"):
            values = [getattr(event, f"{name}_loss") for event in self.generations]
            table.add_row(name, f"{values[-1]:.3f}", curve(values))
        total = last.policy_loss + self.training.settings.training.value_weight * last.value_loss
        table.add_row("total", f"{total:.3f}", "")
        if last.plies_left_loss is not None:
            table.add_row("plies left", f"{last.plies_left_loss:.3f}", "")
        if last.final_board_loss is not None:
            table.add_row("final board", f"{last.final_board_loss:.3f}", "")
        if last.validation_loss is not None:
            table.add_row("held out", f"{last.validation_loss:.3f}", "")
        table.add_row("rate", f"{last.learning_rate:.2g}", f"[dim]step {last.steps:,}[/dim]")
        return table

    def _strength(self) -> RenderableType:
        table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
        table.add_column("strength", min_width=18)
        for name in ("as first", "as second", "score", "95 %", "generation"):
            table.add_column(name, justify="right")
        players = [event for event in self.strength.values() if event.kind != "previous"]
        networks = [event for event in self.strength.values() if event.kind == "previous"]
        newest = max((event.generation for event in networks), default=0)
        networks = [event for event in networks if event.generation == newest]
        networks.sort(key=lambda event: -int(event.opponent.rpartition(" ")[2]))
        for event in [*players, *networks[:EARLIER_NETWORKS]]:
            low, high = event.interval
            colour = "green" if low > 0.5 else "red" if high < 0.5 else "yellow"
            table.add_row(
                event.opponent,
                counted(event.moving_first),
                counted(event.moving_second),
                f"[{colour}]{100 * event.score:.0f} %[/{colour}]",
                f"[dim]{100 * low:.0f}–{100 * high:.0f}[/dim]",
                f"[dim]{event.generation}[/dim]",
            )
        lines: list[RenderableType] = [table] if self.strength else []
        if self.perfect:
            last = self.perfect[-1]
            shares = [event.mistakes / event.positions for event in self.perfect]
            lines.append(
                Text.from_markup(
                    f"perfect play: [bold]{100 * shares[-1]:.1f} %[/bold] mistakes at {last.simulations} simulations"
                    f" [cyan]{curve(shares)}[/cyan] [dim]generation {last.generation}[/dim]"
                )
            )
        if self.compared:
            last_match = self.compared[-1]
            said = "takes over" if last_match.promoted else f"generation {last_match.best} goes on playing"
            result = counted((last_match.wins, last_match.draws, last_match.losses))
            promoted = sum(event.promoted for event in self.compared)
            lines.append(
                Text.from_markup(
                    f"gate: generation {last_match.generation} {result} against {last_match.best}: {said}"
                    f" [dim]({promoted} promoted so far)[/dim]"
                )
            )
        return Group(*lines)

    def _progress(self) -> RenderableType:
        training = self.training
        done = min(1.0, training.share_done)
        left = training.seconds * (1 - done) / done if done > 0.01 else None
        rows = Table.grid(padding=(0, 2))
        rows.add_column(min_width=38)
        rows.add_column()
        rows.add_column(justify="right")
        small = self._step_share()
        rows.add_row(self._doing(), ProgressBar(total=1, completed=small, width=26), f"{100 * small:.0f} %")
        time_left = ", done" if done == 1 else "" if left is None else f", about {clock(left)} left"
        rows.add_row(
            f"the run: {clock(training.seconds)}{time_left}",
            ProgressBar(total=1, completed=done, width=26, complete_style="green"),
            f"{100 * done:.0f} %",
        )
        return rows

    def _doing(self) -> str:
        generation = self.training.progress.generation + 1
        if self.training.stopwatch.current in MATCHES:
            return f"generation {generation - 1}: {MATCHES[self.training.stopwatch.current]}"
        if self._learning is not None:
            return f"generation {generation}: learning, step {self._learning.step:,} of {self._learning.steps:,}"
        if self._playing is None:
            return f"generation {generation}: beginning"
        return f"generation {generation}: {self._playing.positions:,} of {self._playing.wanted:,} {self._playing.unit}"

    def _step_share(self) -> float:
        if self._learning is not None:
            return self._learning.step / max(1, self._learning.steps)
        if self._playing is None or self.training.stopwatch.current in MATCHES:
            return 1.0 if self.generations else 0.0
        return min(1.0, self._playing.positions / max(1, self._playing.wanted))
