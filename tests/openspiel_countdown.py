"""A tiny game registered with OpenSpiel from Python: its player 1 begins, and it can be told to lie about its length.

Five matches; each move takes one or two; whoever takes the last one wins.
"""

from typing import Any

import numpy as np
import pyspiel

KIND = pyspiel.GameType(
    short_name="boardzero_countdown",
    long_name="Countdown",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=False,
    provides_observation_tensor=True,
    parameter_specification={"longest": 5},
)


class Countdown(pyspiel.Game):  # type: ignore[misc]
    def __init__(self, parameters: dict[str, Any]) -> None:
        sizes = pyspiel.GameInfo(
            num_distinct_actions=2,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=parameters["longest"],
        )
        super().__init__(KIND, sizes, parameters)

    def new_initial_state(self) -> "CountdownState":
        return CountdownState(self)

    def make_py_observer(self, *ignored: Any) -> "MatchesLeft":
        return MatchesLeft()


class CountdownState(pyspiel.State):  # type: ignore[misc]
    def __init__(self, game: Countdown) -> None:
        super().__init__(game)
        self.left, self.player = 5, 1

    def current_player(self) -> Any:
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else self.player

    def _legal_actions(self, player: int) -> list[int]:
        return [0, 1] if self.left > 1 else [0]

    def _apply_action(self, action: int) -> None:
        self.left -= 1 + action
        self.player = 1 - self.player

    def _action_to_string(self, player: int, action: int) -> str:
        return f"take{1 + action}"

    def is_terminal(self) -> bool:
        return self.left == 0

    def returns(self) -> list[float]:
        if not self.is_terminal():
            return [0.0, 0.0]
        return [1.0, -1.0] if self.player == 1 else [-1.0, 1.0]

    def __str__(self) -> str:
        return f"{self.left} left"


class MatchesLeft:
    """What networks see of it."""

    def __init__(self) -> None:
        self.tensor = np.zeros(1, np.float32)
        self.dict = {"left": self.tensor}

    def set_from(self, state: CountdownState, player: int) -> None:
        self.tensor[0] = state.left

    def string_from(self, state: CountdownState, player: int) -> str:
        return str(state)


pyspiel.register_game(KIND, Countdown)
