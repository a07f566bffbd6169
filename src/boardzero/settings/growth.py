"""When and how a run's network becomes larger: one line of meaning for each setting."""

from pydantic import Field

from boardzero.settings.network import NetworkSettings
from boardzero.settings.specification import Parameters


class GrowthSettings(Parameters):
    """A small network is fast and learns the beginnings; a larger one that begins where it stood goes further."""

    share: float = Field(0, ge=0, lt=1, description="of the run, after which the network grows; 0: never")
    blocks: int = Field(6, ge=0, le=80, description="of the tower from then on")
    channels: int = Field(64, ge=1, le=1024, description="of the tower from then on")

    def is_due(self, share_done: float) -> bool:
        return 0 < self.share <= share_done

    def applied(self, network: NetworkSettings) -> NetworkSettings:
        """The shape of this network when it has grown."""
        return network.model_copy(update={"blocks": self.blocks, "channels": self.channels})

    def refusal(self, network: NetworkSettings) -> str | None:
        """Why a network of this shape cannot grow so; None if it can."""
        if network.kind not in ("residual", "convolutional"):
            return f"A network of kind={network.kind} cannot grow: only residual and convolutional ones can."
        more = self.blocks + self.channels > network.blocks + network.channels
        if not more or self.blocks < network.blocks or self.channels < network.channels:
            return (
                f"A network of {network.blocks} blocks × {network.channels} channels cannot grow to {self.blocks} × "
                f"{self.channels}: it can only become larger."
            )
        if self.blocks > network.blocks and network.activation != "relu":
            return "Only a network with activation=relu can get more blocks: others would no longer compute the same."
        if network.global_pooling_every:
            return "A network with global_pooling_every cannot grow."
        return None
