"""A run whose games are played on a cluster; everything else about it is as on one machine."""

from dataclasses import replace
from queue import SimpleQueue
from types import TracebackType
from typing import Any

from boardzero.cluster.broadcast import Broadcast
from boardzero.cluster.learner_gpus import LearnerGpus
from boardzero.cluster.learning import make_learner
from boardzero.cluster.matches import RemoteGate, RemoteStrengthMeter, Tasks
from boardzero.cluster.selfplay import ClusterSelfPlay
from boardzero.cluster.status import StatusBoard
from boardzero.cluster.workforce import Workforce, this_machine
from boardzero.errors import BadInput
from boardzero.events.cluster import ClusterListener, ClusterState
from boardzero.events.training import Listener
from boardzero.network.model import Network
from boardzero.replay.record import SelfPlayGame
from boardzero.training.gate import Gate
from boardzero.training.learner import Learner
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder
from boardzero.training.strength import StrengthMeter


class ClusterTraining(Training):
    """with connected(address) as ray, ClusterTraining(folder, listen, ray, players, tell) as training:
    training.run()
    """

    def __init__(self, folder: RunFolder, listen: Listener, ray: Any, players: int, tell: ClusterListener) -> None:
        """players: how many, or 0 for as many as there is room for."""
        if folder.settings().curriculum:
            raise BadInput("A run with a curriculum is played on one machine; with curriculum=none a cluster can play it.")
        self._ray, self._players, self._tell_cluster = ray, players, tell
        self._broadcast = Broadcast(ray, folder.network)
        self._sentences: SimpleQueue[str] = SimpleQueue()  # about what went wrong, from any thread
        self._board: StatusBoard | None = None
        self._gpus: LearnerGpus | None = None
        super().__init__(folder, listen)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Let the players go, too."""
        self._tell_sentences()
        assert isinstance(self.selfplay, ClusterSelfPlay)
        self.selfplay.workforce.dismiss()
        assert self._board is not None and self._gpus is not None
        self._board.close()
        super().__exit__(kind, error, trace)
        self._gpus.release()

    def take_in(self, games: list[SelfPlayGame]) -> None:
        super().take_in(games)
        self._tell_sentences()

    def _tell_sentences(self) -> None:
        """In the main thread, as everything is told."""
        while not self._sentences.empty():
            self._tell_damage(self._sentences.get())

    def _make_selfplay(self, first: int) -> ClusterSelfPlay:
        self._board = StatusBoard(self._ray, str(self.folder.path), self.settings.game)
        assert self._gpus is not None
        wanted = self._players or self.settings.selfplay.workers
        workforce = Workforce(self._ray, self.settings, wanted, self._sentences.put, taken_gpus=self._gpus.reserved)
        here = this_machine(self._ray)
        cores = here.cores if here else 0
        return ClusterSelfPlay(
            self._ray, workforce, self.settings.seed, first, self._broadcast, self._show_cluster, self._sentences.put,
            cores_here=min(wanted or cores, cores),
        )  # fmt: skip

    def _show_cluster(self, state: ClusterState) -> None:
        state = replace(state, backlog=self.quota.counted, wanted=self.quota.wanted, unit=self.quota.unit)
        self._tell_cluster(state)
        assert self._board is not None
        self._board.show(state)

    def _make_learner(self, network: Network) -> Learner:
        if self._gpus is None:
            self._gpus = LearnerGpus(self._ray, self._sentences.put)
        return make_learner(network, self.settings, self._ray, self._gpus, self._sentences.put)

    def _make_gate(self, threads: int) -> Gate:
        return RemoteGate(self.settings, self.folder, threads, self._tasks())

    def _make_strength(self, threads: int) -> StrengthMeter:
        spent = self.progress.evaluation_seconds
        return RemoteStrengthMeter(self.settings, self.folder, threads, spent, self.check, self._tasks())

    def _tasks(self) -> Tasks:
        return Tasks(self._ray, self.settings, self._broadcast, lambda: len(self.workers), self._sentences.put)
