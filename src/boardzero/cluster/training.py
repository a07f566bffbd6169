"""A run whose games are played on a cluster; everything else about it is as on one machine."""

from types import TracebackType
from typing import Any

from boardzero.cluster.learning import make_learner
from boardzero.cluster.matches import RemoteGate, RemoteStrengthMeter, Tasks
from boardzero.cluster.selfplay import ClusterSelfPlay
from boardzero.cluster.status import StatusBoard
from boardzero.cluster.workforce import Workforce
from boardzero.events.cluster import ClusterListener, ClusterState
from boardzero.events.training import Listener
from boardzero.network.model import Network
from boardzero.training.gate import Gate
from boardzero.training.learner import Learner
from boardzero.training.loop import Training
from boardzero.training.run_folder import RunFolder
from boardzero.training.strength import StrengthMeter


class ClusterTraining(Training):
    """with connected(address) as ray, ClusterTraining(folder, listen, ray, players, tell) as training:
    training.run()
    """

    def __init__(
        self, folder: RunFolder, listen: Listener, ray: Any, players: int, tell: ClusterListener, cores_here: int = 0
    ) -> None:
        """players: how many, or 0 for as many as there is room for; cores_here: how many of them play on this machine."""
        self._ray, self._players, self._tell_cluster, self._cores_here = ray, players, tell, cores_here
        self._board: StatusBoard | None = None
        super().__init__(folder, listen)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Let the players go, too."""
        assert isinstance(self.selfplay, ClusterSelfPlay)
        self.selfplay.workforce.dismiss()
        assert self._board is not None
        self._board.close()
        super().__exit__(kind, error, trace)

    def _make_selfplay(self, first: int) -> ClusterSelfPlay:
        self._board = StatusBoard(self._ray, str(self.folder.path), self.settings.game)
        workforce = Workforce(self._ray, self.settings, self._players or self.settings.selfplay.workers)
        return ClusterSelfPlay(
            self._ray, workforce, self.settings.seed, first, self.folder.network, self._show_cluster, self._cores_here
        )

    def _show_cluster(self, state: ClusterState) -> None:
        self._tell_cluster(state)
        assert self._board is not None
        self._board.show(state)

    def _make_learner(self, network: Network) -> Learner:
        return make_learner(network, self.settings, self._ray)

    def _make_gate(self, threads: int) -> Gate:
        return RemoteGate(self.settings, self.folder, threads, self._tasks())

    def _make_strength(self, threads: int) -> StrengthMeter:
        spent = self.progress.evaluation_seconds
        return RemoteStrengthMeter(self.settings, self.folder, threads, spent, self.check, self._tasks())

    def _tasks(self) -> Tasks:
        return Tasks(self._ray, self.settings, self.folder, lambda: len(self.workers))
