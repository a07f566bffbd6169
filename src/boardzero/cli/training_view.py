"""What a person sees of a training: a line a generation; on a terminal also the progress of self-play."""

from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from boardzero.events.training import GenerationDone, PerfectPlayMeasured, SelfPlayProgress

if TYPE_CHECKING:
    from boardzero.training.loop import Training


class TrainingView:
    """Shows the events of one run."""

    def __init__(self, verbose: bool) -> None:
        self.verbose = verbose
        self.console = Console()
        self._training: Training | None = None
        self._bar: Progress | None = None
        self._last: PerfectPlayMeasured | None = None

    def begin(self, training: "Training") -> None:
        settings = training.settings
        self._training = training
        parameters = sum(parameter.numel() for parameter in training.learner.network.parameters())
        until = f"{settings.minutes:g} minutes" if settings.minutes else f"{settings.generations} generations"
        self.console.print(
            f"[bold]{settings.game}[/bold], {until}, in {training.folder.path}\n"
            f"network: {settings.network.blocks} blocks × {settings.network.channels} channels, {parameters:,} parameters;"
            f" self-play: {len(training._workers)} workers × {settings.selfplay.games} games"
        )
        if training.progress.generation:
            self.console.print(f"going on from generation {training.progress.generation}")
        if self.console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn(), console=self.console, transient=True
            )
            self._bar.start()
            self._task = self._bar.add_task("self-play", total=1.0)

    def show(self, event: SelfPlayProgress | GenerationDone | PerfectPlayMeasured) -> None:
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

    def stopped(self, path: Path) -> None:
        self._end_bar()
        self.console.print(f"Stopped; nothing is lost. Go on with: boardzero resume {path}")

    def finished(self, path: Path, training: "Training") -> None:
        self._end_bar()
        progress = training.progress
        minutes = progress.seconds / 60
        self.console.print(
            f"[bold]Done[/bold]: {progress.generation} generations, {progress.games:,} games in {minutes:.1f} minutes."
        )
        if self._last is not None:
            share = 100 * self._last.mistakes / self._last.positions
            self.console.print(f"It makes {share:.1f} % mistakes against perfect play at {self._last.simulations} simulations.")
        self.console.print(f"Play it: boardzero play {training.settings.game} --second alphazero:network={path}")

    def _end_bar(self) -> None:
        if self._bar is not None:
            self._bar.stop()
