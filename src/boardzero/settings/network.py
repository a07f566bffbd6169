"""How a network is built: one line of meaning for each setting, and the networks of the source documents."""

from typing import Any, Literal

from pydantic import Field, model_validator

from boardzero.settings.specification import Parameters

SIZE_FREE_KINDS = ("convolutional", "slavka")  # the same weights serve every size of the board
BESIDES = ("plies_left", "final_board")  # heads that only training has


class NetworkSettings(Parameters):
    """The shape of a network; the defaults suit two CPU cores."""

    kind: Literal["residual", "convolutional", "wandhoven", "briden", "slavka"] = Field(
        "residual",
        description="residual: a tower and heads for one board size; convolutional: for any size; the others: as documented",
    )
    blocks: int = Field(4, ge=0, le=80, description="residual blocks of the tower (slavka: plain layers)")
    channels: int = Field(32, ge=1, le=1024, description="channels of every layer of the tower")
    activation: Literal["relu", "leaky"] = Field("relu", description="what follows each layer")
    slope: float = Field(0.3, gt=0, lt=1, description="of the leaky activation below zero")
    batch_norm: bool = Field(True, description="normalise after each convolution of tower and heads")
    renormalised: bool = Field(
        False, description="normalise in training as in play, by running means: for batches of different sizes of board"
    )
    global_pooling_every: int = Field(
        0, ge=0, description="every k-th block also sees means and maxima over the whole board, as in KataGo; 0: none does"
    )
    policy_head: Literal["geometric", "dense"] = Field(
        "geometric", description="logits from the features where the action is, or each from the features of all cells"
    )
    policy_channels: int = Field(16, ge=1, le=1024, description="channels of the policy head")
    policy_kernel: int = Field(1, ge=1, le=3, description="1 or 3: side of the policy head's convolution")
    value: Literal["scalar", "wdl"] = Field(
        "scalar", description="the value is one number (tanh), or chances of a win, a draw and a loss"
    )
    value_channels: int = Field(8, ge=1, le=1024, description="channels of the value head")
    value_hidden: int = Field(64, ge=1, le=4096, description="width of the value head's hidden layer")
    plies_left: bool = Field(
        False, description="a third head learns how many plies are left: for the tower to learn from, nobody else asks it"
    )
    final_board: bool = Field(
        False, description="a head learns whose each cell is when the game is over: for the tower to learn from, as plies_left"
    )
    head_layers: int = Field(2, ge=1, le=8, description="slavka: layers of each head")
    channels_last: bool = Field(
        False, description="briden: read planes × rows × columns as height × width × channels, as the document's program did"
    )

    @property
    def besides(self) -> tuple[str, ...]:
        """What is learned besides policy and value, in the order of the network's outputs; searches do without."""
        return tuple(name for name in BESIDES if getattr(self, name))

    @property
    def size_free(self) -> bool:
        """Do the same weights serve every size of the board?"""
        return self.kind in SIZE_FREE_KINDS

    @model_validator(mode="after")
    def kind_takes_settings(self) -> "NetworkSettings":
        for name in IGNORED.get(self.kind, ()):
            if getattr(self, name) != type(self).model_fields[name].default:
                raise ValueError(f"kind={self.kind} takes no {name}.")
        if self.policy_kernel == 2:
            raise ValueError("policy_kernel=2 is not allowed: policy_kernel should be 1 or 3.")
        if self.kind == "convolutional" and self.policy_head == "dense":
            raise ValueError("policy_head=dense needs kind=residual: it knows one size of the board.")
        if self.renormalised and not self.batch_norm:
            raise ValueError("renormalised=true needs batch_norm=true.")
        if self.global_pooling_every and self.channels < 2:
            raise ValueError("global_pooling_every needs at least 2 channels.")
        return self


_OWN_HEADS = ("policy_head", "policy_channels", "policy_kernel", "value", "value_channels", "value_hidden", *BESIDES)
_OWN_TOWER = ("blocks", "activation", "slope", "batch_norm", "renormalised", "global_pooling_every")

# What a kind does not read must stay at its default, so that nobody believes to have changed something.
IGNORED: dict[str, tuple[str, ...]] = {
    "residual": ("head_layers", "channels_last"),
    "convolutional": ("head_layers", "channels_last"),
    "wandhoven": (*_OWN_HEADS, "head_layers", "channels_last"),
    "briden": (*_OWN_HEADS, *_OWN_TOWER, "head_layers"),
    "slavka": (*_OWN_HEADS, "global_pooling_every", "channels_last"),
}


def _katafanga(blocks: int, channels: int) -> dict[str, Any]:
    """Two convolutions in the policy head and one in the value head: with them the large network has the document's 42.

    The slope of the activation is not given: 0.3 is what Keras, which it used, takes unasked.
    """
    return {
        "blocks": blocks,
        "channels": channels,
        "activation": "leaky",
        "policy_channels": channels,
        "policy_kernel": 3,
        "value_channels": 1,
        "value_hidden": 256,
    }


# agz-connect4: the document gives no size. This one has AlphaGo Zero's heads and a tower that two cores can train.
DOCUMENTED_NETWORKS: dict[str, NetworkSettings] = {
    "wandhoven-connect4": NetworkSettings(kind="wandhoven", blocks=6, channels=75, activation="leaky", slope=0.3),
    "briden-connect4": NetworkSettings(kind="briden", channels=64),
    "briden-connect4-published": NetworkSettings(kind="briden", channels=64, channels_last=True),
    "katafanga-large": NetworkSettings(**_katafanga(19, 256)),
    "katafanga-small": NetworkSettings(**_katafanga(11, 128)),
    "agz-connect4": NetworkSettings(
        blocks=5, channels=64, policy_head="dense", policy_channels=2, value_channels=1, value_hidden=256
    ),
    "slavka-gomoku": NetworkSettings(kind="slavka", blocks=4, channels=16, head_layers=2),
}
