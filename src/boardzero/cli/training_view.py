"""What a person sees of a training: a line a generation; on a terminal also the progress of self-play."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from boardzero.events.training import DamageFound, GenerationDone, PerfectPlayMeasured, SelfPlayProgress, TrainingEvent

if TYPE_CHECKING:
    from boardzero.training.loop import Training


class TrainingView:
    """Shows the events of one run."""

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.console = Console(soft_wrap=True)  # whoever reads the lines with a program finds each in one piece
        self._training: Training | None = None
        self._bar: Progress | None = None
        self._last: PerfectPlayMeasured | None = None

    @contextmanager
    def following(self, training: "Training") -> Iterator[None]:
        """Say what begins, and show how far it is."""
        settings = training.settings
        self._training = training
        parameters = sum(parameter.numel() for parameter in training.learner.network.parameters())
        until = f"{settings.minutes:g} minutes" if settings.minutes else f"{settings.generations} generations"
        self.console.print(
            f"[bold]{settings.game}[/bold], {until}, in {escape(str(training.folder.path))}\n"
            f"network: {settings.network.blocks} blocks × {settings.network.channels} channels, {parameters:,} parameters;"
            f" self-play: {len(training.workers)} workers × {settings.selfplay.games} games"
        )
        if training.progress.generation:
            self.console.print(f"going on from generation {training.progress.generation}")
        if self.console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=self.console, transient=True
            )
            self._bar.start()
            self._task = self._bar.add_task("self-play", total=1.0)
        try:
            yield
        finally:
            self._end_bar()

    def show(self, event: TrainingEvent) -> None:
        match event:
            case SelfPlayProgress():
                self._show_progress(event)
            case GenerationDone():
                self._show_generation(event)
            case PerfectPlayMeasured():
                self._last = event
                share = 100 * event.mistakes / event.positions
                self.console.print(
                    f"  against perfect play: {share:.1f} % mistakes"
                    f" ({event.mistakes} of {event.positions} drawn positions, {event.simulations} simulations)"
                )
            case DamageFound():
                self.console.print(escape(event.sentence))

    def _show_progress(self, event: SelfPlayProgress) -> None:
        if self._bar is not None and self._training is not None:
            speed = event.evaluations / max(event.seconds, 1e-9)
            text = (
                f"generation {event.generation + 1}: {event.positions:,}/{event.wanted:,} positions, {speed:,.0f} evaluations/s"
            )
            self._bar.update(self._task, description=text, completed=min(1.0, self._training.share_done))

    def _show_generation(self, event: GenerationDone) -> None:
        self.console.print(
            f"generation {event.generation:3}  {event.seconds / 60:6.1f} min  {event.games:,} games "
            f" policy {event.policy_loss:.3f}  value {event.value_loss:.3f}  {event.evaluations_per_second:,.0f} evaluations/s"
        )
        if self.verbose:
            self.console.print(
                f"  {event.positions:,} positions, {event.window:,} in the window, {event.mean_plies:.1f} plies a game;"
                f" self-play {event.selfplay_seconds:.1f} s ({event.simulations_per_second:,.0f} simulations/s,"
                f" {100 * event.cache_hits:.0f} % of leaves from the cache), training {event.training_seconds:.1f} s"
                f" (step {event.steps:,}, learning rate {event.learning_rate:.2g})"
            )

    # -- the end -------------------------------------------------------------------------------------------------------
    def timing(self, training: "Training") -> None:
        """Seconds of each part since this process began with the run."""
        self._end_bar()
        seconds = training.stopwatch.seconds
        total = max(sum(seconds.values()), 1e-9)
        for part, spent in seconds.items():
            self.console.print(f"{part:10} {spent:9.1f} s  {100 * spent / total:5.1f} %")
        playing = seconds.get("self-play", 0.0) * len(training.workers)
        if playing:
            share = 100 * training.stopwatch.evaluation / playing
            self.console.print(f"Of self-play, {share:.1f} % was the network's evaluation, the rest search and bookkeeping.")

    def stopped(self) -> None:
        self._end_bar()
        assert self._training is not None
        path = escape(str(self._training.folder.path))
        self.console.print(f"Stopped; nothing is lost. Go on with: boardzero resume {path}")

    def finished(self) -> None:
        self._end_bar()
        assert self._training is not None
        progress, path = self._training.progress, escape(str(self._training.folder.path))
        minutes = progress.seconds / 60
        self.console.print(
            f"[bold]Done[/bold]: {progress.generation} generations, {progress.games:,} games in {minutes:.1f} minutes."
        )
        if self._last is not None:
            share = 100 * self._last.mistakes / self._last.positions
            self.console.print(f"It makes {share:.1f} % mistakes against perfect play at {self._last.simulations} simulations.")
        self.console.print(f"Play it: boardzero play {self._training.settings.game} --second alphazero:network={path}")

    def _end_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
