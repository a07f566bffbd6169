"""What a person sees of a training: on a terminal a live picture, elsewhere a line for everything that happened."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.live import Live
from rich.markup import escape

from boardzero.cli.cluster import summary
from boardzero.cli.training_panel import (
    TrainingPanel,
    clock,
    counted,
    curriculum_lines,
    learning_line,
    network_line,
    selfplay_line,
    until,
)
from boardzero.events.cluster import ClusterState
from boardzero.events.training import (
    DamageFound,
    GenerationDone,
    NetworksCompared,
    PerfectPlayMeasured,
    Remark,
    StrengthMeasured,
    TrainingEvent,
)

if TYPE_CHECKING:
    from boardzero.training.loop import Training

PICTURES_A_SECOND = 4


class TrainingView:
    """Shows the events of one run."""

    def __init__(self, verbose: bool, console: Console | None = None) -> None:
        self.verbose = verbose
        self.console = console or Console(soft_wrap=True)  # a program that reads the lines finds each in one piece
        self._training: Training | None = None
        self._panel: TrainingPanel | None = None
        self._live: Live | None = None
        self._cluster_seen = (0, 0, 0)

    @contextmanager
    def following(self, training: "Training") -> Iterator[None]:
        """Say what begins, and show how far it is."""
        self._training = training
        self._panel = TrainingPanel(training)
        if self.console.is_terminal:
            self._live = Live(self._panel, console=self.console, refresh_per_second=PICTURES_A_SECOND)
            self._live.start()
        else:
            self._say_beginning(training)
        if training.progress.generation:
            self.console.print(f"going on from generation {training.progress.generation}")
        try:
            yield
        finally:
            self._end_picture()

    def _say_beginning(self, training: "Training") -> None:
        settings = training.settings
        self.console.print(
            f"{settings.game}, {until(settings)}, in {escape(str(training.folder.path))}\n"
            f"network: {network_line(training)}\n"
            f"self-play: {selfplay_line(training)}\n{curriculum_lines(settings)}"
            f"learning: {learning_line(settings)}"
        )

    def show(self, event: TrainingEvent) -> None:
        if self._panel is not None:
            self._panel.take(event)
        if self._live is None or self.verbose or isinstance(event, DamageFound | Remark):
            self._say(event)

    def _say(self, event: TrainingEvent) -> None:
        match event:
            case ClusterState():
                self._say_cluster(event)
            case GenerationDone():
                self._say_generation(event)
            case PerfectPlayMeasured():
                share = 100 * event.mistakes / event.positions
                self.console.print(
                    f"  against perfect play: {share:.1f} % mistakes"
                    f" ({event.mistakes} of {event.positions} drawn positions, {event.simulations} simulations)"
                )
            case StrengthMeasured():
                low, high = (100 * end for end in event.interval)
                self.console.print(
                    f"  against {event.opponent}: {100 * event.score:.0f} % ({low:.0f}–{high:.0f}),"
                    f" moving first {counted(event.moving_first)}, second {counted(event.moving_second)}"
                )
            case NetworksCompared():
                result = counted((event.wins, event.draws, event.losses))
                verdict = "it takes over" if event.promoted else f"generation {event.best} goes on playing"
                self.console.print(f"  generation {event.generation} against {event.best}: {result}; {verdict}")
            case DamageFound() | Remark():
                self.console.print(escape(event.sentence))

    def _say_cluster(self, state: ClusterState) -> None:
        """Only when machines or workers came or went."""
        seen = len(state.machines), state.playing, state.restarts
        if seen != self._cluster_seen:
            self._cluster_seen = seen
            self.console.print(f"  cluster: {summary(state)}", highlight=False)

    def _say_generation(self, event: GenerationDone) -> None:
        played = f"  {event.game}" if event.game else ""
        self.console.print(
            f"generation {event.generation:3}  {event.seconds / 60:6.1f} min  {event.games:,} games{played} "
            f" policy {event.policy_loss:.3f}  value {event.value_loss:.3f}  {event.evaluations_per_second:,.0f} evaluations/s"
        )
        if self.verbose:
            others = {"plies left": event.plies_left_loss, "final board": event.final_board_loss}
            others["held out"] = event.validation_loss
            losses = "".join(f", {name} {loss:.3f}" for name, loss in others.items() if loss is not None)
            wrong = f"; resigning {event.resignable} games that went on would have been wrong in {event.wrongly_resignable}"
            self.console.print(
                f"  {event.positions:,} positions, {event.window:,} in the window, {event.mean_plies:.1f} plies a game,"
                f" {100 * event.drawn:.0f} % drawn;"
                f" self-play {event.selfplay_seconds:.1f} s ({event.simulations_per_second:,.0f} simulations/s,"
                f" {100 * event.cache_hits:.0f} % of leaves from the cache), training {event.training_seconds:.1f} s"
                f" (step {event.steps:,}, learning rate {event.learning_rate:.2g}{losses})"
                + (wrong if event.resignable else "")
            )

    # -- the end -------------------------------------------------------------------------------------------------------
    def timing(self, training: "Training") -> None:
        """Seconds of each part since this process began with the run."""
        self._end_picture()
        seconds = training.stopwatch.seconds
        total = max(sum(seconds.values()), 1e-9)
        for part, spent in seconds.items():
            self.console.print(f"{part:10} {spent:9.1f} s  {100 * spent / total:5.1f} %")
        playing = seconds.get("self-play", 0.0) * len(training.workers)
        if playing:
            share = 100 * training.stopwatch.evaluation / playing
            self.console.print(f"Of self-play, {share:.1f} % was the network's evaluation, the rest search and bookkeeping.")

    def stopped(self) -> None:
        self._end_picture()
        assert self._training is not None
        path = escape(str(self._training.folder.path))
        self.console.print(f"Stopped; nothing is lost. Go on with: boardzero resume {path}")

    def finished(self) -> None:
        """What the run reached, and how to play it."""
        self._end_picture()
        assert self._training is not None and self._panel is not None
        progress, path = self._training.progress, escape(str(self._training.folder.path))
        self.console.print(
            f"[bold]Done[/bold]: {progress.generation} generation{'' if progress.generation == 1 else 's'},"
            f" {progress.games:,} games,"
            f" {progress.positions:,} positions in {clock(progress.seconds)} of playing and learning."
        )
        if self._panel.perfect:
            last = self._panel.perfect[-1]
            share = 100 * last.mistakes / last.positions
            self.console.print(f"It makes {share:.1f} % mistakes against perfect play at {last.simulations} simulations.")
        scores = [
            f"{100 * event.score:.0f} % against {event.opponent}"
            for event in self._panel.strength.values()
            if event.kind != "previous"
        ]
        if scores:
            self.console.print(f"It scores {', '.join(scores)}.")
        promoted = self._training.promotions.promoted
        if promoted and promoted[-1] < progress.generation:
            self.console.print(f"Generation {promoted[-1]} is the last that passed the gate.")
            path = escape(str(self._training.folder.network(promoted[-1])))
        self.console.print(f"Play it: boardzero play {self._training.settings.game} --second alphazero:network={path}")

    def _end_picture(self) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None
