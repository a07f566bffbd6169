"""How a network learns from games: one line of meaning for each setting."""

from typing import Literal

from pydantic import Field, model_validator

from boardzero.settings.precision import TrainingPrecision
from boardzero.settings.specification import Parameters


class ValueTargetSettings(Parameters):
    """What the value head learns: the result of the game (z), the value that the search found (q), or something between."""

    target: Literal["z", "q", "average", "mixed"] = Field("average", description="mixed: from z at first to q, step by step")
    steps: int = Field(600, ge=1, description="mixed: training steps until only q is left")

    def mix_at(self, step: int) -> float:
        """The share of q in the target at this training step; the rest is z."""
        if self.target == "mixed":
            return min(step / self.steps, 1.0)
        return {"z": 0.0, "average": 0.5, "q": 1.0}[self.target]


class TrainingSettings(Parameters):
    """The defaults are first guesses for two cores; Connect Four has its own, chosen by measurement: see defaults."""

    positions: int = Field(12_000, ge=1, description="new positions to learn from that make a generation")
    first_positions: int = Field(24_000, ge=1, description="positions before the first training, and after a clearing")
    games: int = Field(0, ge=0, description="instead of positions: new games that make a generation, the first one too")
    passes: float = Field(4, gt=0, description="how often each position is used on average, as it is new")
    steps: int = Field(0, ge=0, description="instead of passes: training steps of each generation")
    epochs: int = Field(0, ge=0, description="instead of passes: each generation goes so often through the whole window")
    held_out: float = Field(
        0,
        ge=0,
        le=0.9,
        description="with epochs: share of positions that are only tested on; the best epoch's weights stay",
    )
    batch: int = Field(512, ge=1, description="positions in a training step")
    precision: TrainingPrecision = Field(
        "auto", description="of products, on processors: auto takes bfloat16 (16 bits) where the processor is fast with it"
    )
    optimizer: Literal["sgd", "adam", "adamw"] = Field("adamw", description="how weights follow their gradients")
    learning_rate: float = Field(2e-3, gt=0, description="at the beginning")
    momentum: float = Field(0.9, ge=0, lt=1, description="of sgd")
    weight_decay: float = Field(1e-4, ge=0, description="pull of every weight towards 0")
    schedule: Literal["constant", "cosine", "steps"] = Field(
        "cosine", description="the learning rate over the run: as it is; falling smoothly; to a third at 60 % and at 85 %"
    )
    final_rate: float = Field(0.03, gt=0, le=1, description="where the cosine ends, as a share of the learning rate")
    clip: float = Field(0, ge=0, description="largest norm of a gradient; 0: any")
    policy_loss: Literal["cross_entropy", "kl", "mse", "mse_logits"] = Field(
        "cross_entropy", description="how policies are compared; mse_logits: the network's before the softmax"
    )
    legal_only: bool = Field(False, description="leave illegal actions out of the policy loss")
    value_weight: float = Field(1.0, ge=0, description="weight of the value loss against the policy loss")
    plies_left_weight: float = Field(0.1, ge=0, description="weight of the loss of network.plies_left, if there is that head")
    final_board_weight: float = Field(
        0.5, ge=0, description="weight of the loss of network.final_board (a mean over cells), if there is that head"
    )
    value: ValueTargetSettings = Field(ValueTargetSettings(), description="what the value head learns")
    averaging: float = Field(0.99, ge=0, lt=1, description="decay of the averaged weights that play; 0: the newest play")

    @model_validator(mode="after")
    def length_of_a_training_is_clear(self) -> "TrainingSettings":
        if self.held_out and not self.epochs:
            raise ValueError("held_out needs epochs: without them there is no best epoch to choose.")
        if self.steps and self.epochs:
            raise ValueError("steps and epochs exclude each other: they say how long a training is.")
        return self
