"""What longer runs have in their folders: events, and ratings."""

import json
from pathlib import Path

from boardzero.events.training import GenerationDone, StrengthMeasured


def generation_done(generation: int) -> GenerationDone:
    return GenerationDone(
        generation=generation, seconds=60.0 * generation, games=100 * generation, positions=900 * generation, window=900,
        mean_plies=20.0, selfplay_seconds=50.0, training_seconds=10.0, simulations_per_second=2e4,
        evaluations_per_second=1e4, cache_hits=0.3, steps=7 * generation, policy_loss=1 + 1 / generation,
        value_loss=0.2, learning_rate=1e-3,
    )  # fmt: skip


def strength(generation: int, kind: str, opponent: str) -> StrengthMeasured:
    return StrengthMeasured(
        generation=generation, seconds=60.0 * generation, opponent=opponent, kind=kind, simulations=50,
        moving_first=(12, 1, 2), moving_second=(9, 2, 4), score=0.75, interval=(0.6, 0.9), first_score=0.83,
        first_interval=(0.6, 0.95), second_score=0.67, second_interval=(0.4, 0.85), match_seconds=3.0,
    )  # fmt: skip


def rated(path: Path, scale: str, anchor: str, *players: tuple[Path, int, float]) -> None:
    """Leave ratings in a run's folder, as `boardzero rate` does."""
    listed = [
        {"name": f"{run.name} {generation}", "run": str(run), "generation": generation, "rating": rating,
         "interval": [rating - 9, rating + 9], "games": 40, "simulations": 32, "places": [[str(run), generation]]}
        for run, generation, rating in players
    ]  # fmt: skip
    content = {"game": "tictactoe", "games": 80, "scale": scale, "anchor": anchor, "anchor_rating": 0.0, "players": listed}
    (path / "ratings.json").write_text(json.dumps(content))
