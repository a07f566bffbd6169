#!/usr/bin/env python3
"""Makes the network of a finished run one of those that come with the program: weights, ONNX file and card, by one command.

    python tools/ship_network.py runs/othello              # → src/boardzero/network/shipped/othello.{safetensors,onnx,md}
    python tools/ship_network.py runs/gomoku               # learned several sizes: gomoku_any
    python tools/ship_network.py runs/othello/networks/generation-00120.safetensors

Where a network of that name is shipped already, the two meet first: it is replaced only by one that scores more than half
(`--anyway` replaces it whatever came of the match). Results that stand in the card stay if its weights are the same.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from boardzero.cli.export import export
from boardzero.errors import BadInput
from boardzero.evaluation.experiment import play_match
from boardzero.evaluation.experiment_file import MatchPlan
from boardzero.games.catalogue import find_game
from boardzero.network.header import ONNX_SUFFIX, SUFFIX, read_header
from boardzero.network.shipped import ANY, FOLDER, shipped_name
from boardzero.training.run_folder import RunFolder

MOST_BYTES = 25_000_000  # of all shipped networks together
SIMULATIONS, SEED = 100, 1  # of the match


def name_of(run: Path) -> str:
    """What the network of a run is called among the shipped ones."""
    settings = RunFolder(run).settings()
    game = find_game(settings.game)
    boards = {(one.rows, one.columns) for stage in settings.curriculum for one in map(find_game, stage.games)}
    return f"{game.name}_{ANY}" if settings.network.size_free and len(boards) > 1 else shipped_name(game)


def score_against(network: Path, shipped: Path, games: int) -> float:
    """Of a network against the one that is shipped; told as it stands."""
    players = [f"alphazero:network={path},sims={SIMULATIONS}" for path in (network, shipped)]
    plan = MatchPlan(player=players[0], opponent=players[1], games=games)
    match = play_match(read_header(network).game, plan, SEED)
    assert match.total.score is not None
    low, high = match.interval
    print(
        f"against {shipped.name}: {match.total}, {match.total.score:.1%} ({low:.1%} to {high:.1%}), {SIMULATIONS} simulations"
    )
    return match.total.score


def ship(source: Path, folder: Path, name: str | None, games: int, anyway: bool) -> None:
    network = RunFolder(source).newest_network() if source.is_dir() else source
    name = name or name_of(network.parent.parent)
    files = {suffix: folder / f"{name}{suffix}" for suffix in (SUFFIX, ONNX_SUFFIX, ".md")}
    shipped = files[SUFFIX]
    if shipped.is_file() and read_header(shipped).checksum != read_header(network).checksum and games:
        score = score_against(network, shipped, games)
        if score <= 0.5 and not anyway:
            raise BadInput(f"'{network}' is not better than the shipped {name}, which stays; --anyway replaces it.")
    export(network, onnx=files[ONNX_SUFFIX], safetensors=shipped, card=files[".md"])
    total = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())
    print(f"All shipped networks together: {total / 1e6:.2f} of {MOST_BYTES / 1e6:.0f} MB")
    if total > MOST_BYTES:
        raise BadInput(f"The shipped networks take {total / 1e6:.1f} MB; together they should take {MOST_BYTES / 1e6:.0f} MB.")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="a run's folder (its newest network), or a network file in one")
    parser.add_argument("--name", help="what its files are called (default: the game, or GAME_any)")
    parser.add_argument("--games", type=int, default=100, help="of the match with the shipped one (100); 0: none")
    parser.add_argument("--anyway", action="store_true", help="replace the shipped one even if it is better")
    parser.add_argument("--folder", type=Path, default=FOLDER, help="where the shipped networks are")
    asked = parser.parse_args(arguments)
    ship(asked.run, asked.folder, asked.name, asked.games, asked.anyway)


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        print(error, file=sys.stderr)
        sys.exit(2)
