"""The GPUs of the driver's machine that are the learner's for as long as the run lasts."""

from typing import Any

import torch

from boardzero.cluster.workforce import Say, machines_of, this_machine

START_SECONDS = 120.0


class LearnerGpus:
    """They are set aside once, so that no player takes the GPU of a helper that is started anew.

    Where there are no other machines, players share the GPU of the learner itself; its helpers have theirs alone.
    """

    def __init__(self, ray: Any, say: Say, known: int | None = None) -> None:
        """known: GPUs that PyTorch sees, if that is not to be asked."""
        self._ray, self.group = ray, None
        here = this_machine(ray)
        self.count = min(torch.cuda.device_count() if known is None else known, here.gpus if here else 0)
        own = 0 if len(machines_of(ray)) == 1 else 1
        self.reserved: dict[str, int] = {}  # by machine
        if here is None or self.count - 1 + own < 1:
            return
        set_aside = self.count - 1 + own
        bundle = {"GPU": set_aside, f"node:{ray.util.get_node_ip_address()}": 0.001}  # the latter: on this machine
        self.group = ray.util.placement_group([bundle])
        try:
            ray.get(self.group.ready(), timeout=START_SECONDS)
            self.reserved = {here.identity: set_aside}
        except ray.exceptions.RayError:
            say(f"{set_aside} of this machine's GPUs are in use by others: the learner has one process only.")
            self.release()
            self.count = min(self.count, 1)

    def release(self) -> None:
        if self.group is not None:
            self._ray.util.remove_placement_group(self.group)
            self.group = None
