#!/usr/bin/env python3
"""How strong the shipped networks are: plays and counts everything that players.toml names, and writes it as Markdown.

    python tools/measure_players.py --plan                     # what there is, how much is left and how long that may take
    python tools/measure_players.py --only othello-mcts        # one entry; several: --only A --only B
    python tools/measure_players.py --cards                    # all, and the results into the networks' cards

Everything is kept in runs/players, each game when it is over: stopped at any moment, the same command goes on. Figures belong
to the weights: of a network that has been replaced nothing counts any more. Every process plays its part of the games, as many
at once as the players allow; without --parallel there is one process a core.
"""

import argparse
import multiprocessing
import sys
import time
import tomllib
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from pathlib import Path

from player_entries import SEED, Entry, Kept, key_of
from player_tables import joined, text_of, write_cards

from boardzero.arena.game import derived_seed
from boardzero.arena.match import READY_SECONDS
from boardzero.arena.openings import Opening, Openings
from boardzero.arena.perfect_play import chooser_of, count_mistakes, draw_solved_positions, read_positions
from boardzero.arena.solved_games import find_solver
from boardzero.cores import usable_cores
from boardzero.errors import BadInput
from boardzero.evaluation.batched_games import PlannedGame, play_together
from boardzero.evaluation.entrants import gather, is_run
from boardzero.evaluation.rating import Rating
from boardzero.evaluation.rating_games import RatingGames
from boardzero.evaluation.rating_scales import scale_named
from boardzero.events.games import GameRecord
from boardzero.games.compiling import compiling_alone
from boardzero.games.position import Position
from boardzero.games.rules import Game
from boardzero.network.weights import write_whole
from boardzero.players.catalogue import find_player
from boardzero.players.engine_process import EngineFault
from boardzero.players.player import Player
from boardzero.settings.specification import parse_parameters

HERE = Path(__file__).resolve().parent
SETS = {  # of Pascal Pons
    "Begin-Easy": "Test_L1_R1", "Begin-Medium": "Test_L1_R2", "Begin-Hard": "Test_L1_R3",
    "Middle-Easy": "Test_L2_R1", "Middle-Medium": "Test_L2_R2", "End-Easy": "Test_L3_R1",
}  # fmt: skip
DRAWN_SEED = 7  # of positions that no training is measured on
TIMED_MOVES = 4  # by which it is found how long a player thinks
Task = Callable[[], None]


# -- games -------------------------------------------------------------------------------------------------------------------
def key_here(entry: Entry) -> str:
    """The key of what can be measured here (BadInput where it cannot). Programs of others are started once: one that is not
    installed ends with a sentence, and would lose all its games by that."""
    key = key_of(entry)
    for name in (*entry.players, entry.opponent):
        player = find_player(name, entry.rules) if name else None
        if player is None or not player.starts_program:
            continue
        try:
            player.start_game(SEED)
        except EngineFault as fault:
            raise BadInput(f"The engine {fault}.") from None
        finally:
            player.close()
    return key


def planned(entry: Entry, number: int, players: tuple[Player, Player], openings: Openings) -> PlannedGame:
    """The game with this number. In a match each opening is played from both sides; against itself, a player that always
    answers the same would only repeat its game. Against perfect play, which chooses among its best moves, games differ."""
    opening = Opening() if entry.kind == "first" else openings[number // 2 if entry.kind == "match" else number]
    colours = (players[1], players[0]) if entry.kind == "match" and number % 2 else players
    return PlannedGame(colours, opening.position(entry.rules), derived_seed(SEED, number))


def get_ready(players: Sequence[Player], game: Game) -> None:
    """A first move of each, for which one of the processes compiles."""
    with compiling_alone():
        for player in players:
            with suppress(BadInput):  # not in so short a time
                player.start_game(SEED)
                player.choose(Openings(game, SEED)[0].position(game), READY_SECONDS)


def play_part(entry: Entry, key: str, numbers: Sequence[int], folder: Path) -> None:
    """Games with these numbers; each is kept when it is over."""
    game, kept = entry.rules, Kept(folder, entry)
    player = find_player(entry.player, game)
    other = find_player(entry.opponent, game) if entry.opponent else player
    openings = Openings(game, SEED)
    get_ready([player, other], game)
    games = [planned(entry, number, (player, other), openings) for number in numbers]
    try:
        play_together(games, lambda place, record: kept.append(key, number=numbers[place], record=asdict(record)))
    finally:
        for one in (player, other):
            one.close()


def missing_numbers(entry: Entry, key: str, folder: Path) -> list[int]:
    done = Kept(folder, entry).records(key)
    return [number for number in range(entry.games // 2 * 2) if number not in done]


def parts_of(numbers: Sequence[int], count: int) -> list[list[int]]:
    """As many of equal size, the two games of an opening together; none is empty."""
    parts = [[number for number in numbers if number // 2 % count == part] for part in range(count)]
    return [part for part in parts if part]


# -- everything else that is measured ---------------------------------------------------------------------------------------
def count_all_mistakes(entry: Entry, key: str, player: str, folder: Path) -> None:
    """Of one player, in all its positions."""
    game, kept = entry.rules, Kept(folder, entry)
    if kept.figure(key, player) is not None:
        return
    if entry.kind == "sets":
        solver, data = find_solver(game), HERE.parent / "tests" / "data" / "connect4"
        sets = {name: read_positions(data / file, game, solver) for name, file in SETS.items()}
    else:
        sets = {"drawn": draw_solved_positions(game, entry.positions, DRAWN_SEED)}
    choose = chooser_of(find_player(player, game))
    figure = {name: [count_mistakes(choose, entries), len(entries)] for name, entries in sets.items()}
    kept.append(key, name=player, figure=figure)


def rate(entry: Entry, key: str, folder: Path, runs: Path) -> None:
    """The shipped network, the run's earlier ones, and the anchors; games go on from those of the file."""
    shipped = f"alphazero:sims={entry.simulations},precision=float"
    run = [str(runs / entry.run)] if entry.run and is_run(str(runs / entry.run)) else []
    game, entrants = gather([*run, shipped, *entry.others], entry.simulations, entry.networks, None, entry.rules)
    get_ready([entrant.player(game) for entrant in entrants], game)
    names = [entrant.name for entrant in entrants]
    rating = Rating(
        game, entrants, RatingGames(folder / f"{entry.name}.games.jsonl", game.specification), names.index("random")
    )
    rating.play(max(0, entry.games - rating.games), lambda _: None)
    answer = rating.ratings(scale_named("elo"))
    rows = [
        [one.entrant.name, f"{one.rating:.0f}", f"{one.interval[0]:.0f} to {one.interval[1]:.0f}", str(one.games)]
        for one in answer.rated
    ]
    Kept(folder, entry).append(key, name="rating", figure={"rows": rows, "games": answer.games})


def seconds_in(records: Sequence[GameRecord], player: int) -> float:
    """Of a move, in games that were played one by one; 0 where many were played at once. player: 0, or 1 for the opponent."""
    seconds = moves = 0.0
    for number, record in enumerate(records):
        seconds += record.seconds[(number + player) % 2]
        moves += (record.plies - record.opening) / 2
    return seconds / max(1.0, moves)


def seconds_of(name: str, game: Game, records: Sequence[GameRecord]) -> float:
    """Of a move by one core, alone: from the middle of games that were played."""
    player, taken = find_player(name, game), []
    for number, record in enumerate(records[:TIMED_MOVES]):
        position = Position(game, record.moves, board=record.start)
        for _ in range((record.plies - record.opening) * (number + 1) // (TIMED_MOVES + 1) or 1):
            position.undo()
        player.start_game(SEED)
        if number == 0:
            player.choose(position)  # compiles and loads
            player.start_game(SEED)
        begun = time.perf_counter()
        player.choose(position)
        taken.append(time.perf_counter() - begun)
    player.close()
    return sum(taken) / max(1, len(taken))


# -- the command ------------------------------------------------------------------------------------------------------------
def tasks_of(entry: Entry, key: str, folder: Path, runs: Path, parallel: int) -> list[Task]:
    """What is left to be done, in parts that may be done at the same time."""
    if entry.kind in ("mistakes", "sets"):
        return [partial(count_all_mistakes, entry, key, player, folder) for player in entry.players]
    if entry.kind == "rating":
        return [partial(rate, entry, key, folder, runs)]
    return [partial(play_part, entry, key, part, folder) for part in parts_of(missing_numbers(entry, key, folder), parallel)]


def measure_times(entry: Entry, key: str, folder: Path) -> None:
    """How long moves take, where games were played many at once."""
    kept = Kept(folder, entry)
    if entry.kind not in ("match", "first") or kept.figure(key, "seconds") is not None:
        return
    records = list(kept.records(key).values())
    alone = [seconds_in(records, side) for side in (0, 1)]
    times = alone if any(alone) else [seconds_of(name, entry.rules, records) for name in (entry.player, entry.opponent)]
    kept.append(key, name="seconds", figure=times)


def with_keys(entries: Sequence[Entry], say: Callable[[str], None]) -> list[tuple[Entry, str]]:
    """Those that can be measured here; of the others it is said why not."""
    found = []
    for entry in entries:
        try:
            found.append((entry, key_here(entry)))
        except BadInput as error:
            say(f"{entry.name}: left out. {error}")
    return found


def measure(
    entries: Sequence[tuple[Entry, str]], folder: Path, runs: Path, parallel: int, say: Callable[[str], None]
) -> list[str]:
    """The text of each entry; what is missing is measured before, in this order and by so many processes at once."""
    texts = []
    pool: Executor = ThreadPoolExecutor(1)
    if parallel > 1:
        pool = ProcessPoolExecutor(parallel, multiprocessing.get_context("spawn"))
    with pool:
        waiting = [[pool.submit(task) for task in tasks_of(entry, key, folder, runs, parallel)] for entry, key in entries]
        try:
            for (entry, key), futures in zip(entries, waiting, strict=True):
                for future in futures:
                    future.result()
                measure_times(entry, key, folder)
                texts.append(text_of(entry, key, folder))
                say(f"{entry.name} is measured.")
                print(f"{texts[-1]}\n", flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return texts


def show_plan(entries: Sequence[Entry], folder: Path) -> None:
    minutes = 0.0
    for entry in entries:
        left, about = 1.0, str(entry.kind)
        try:
            key = key_here(entry)
            if entry.kind in ("match", "first", "decided"):
                left = len(missing_numbers(entry, key, folder)) / entry.games
            else:
                left = float(not text_of(entry, key, folder))
        except BadInput as error:
            about = str(error)
        minutes += left * entry.minutes
        print(f"{entry.name:24} {100 * (1 - left):4.0f} % done  {left * entry.minutes:5.1f} minutes left  {about}")
    print(f"about {minutes:.0f} minutes on two cores")


def say_time(text: str) -> None:
    print(f"{time.strftime('%H:%M:%S')}  {text}", file=sys.stderr, flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", action="append", metavar="NAME", help="only this entry; repeatable")
    parser.add_argument("--games", type=int, help="other than players.toml says, to try something out")
    parser.add_argument("--out", type=Path, default=Path("runs/players"), help="where everything is kept (runs/players)")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="where the runs are whose networks are rated (runs)")
    parser.add_argument("--players", type=Path, default=HERE / "players.toml", help="what is measured")
    parser.add_argument("--parallel", type=int, default=len(usable_cores()), help="processes (one a core)")
    parser.add_argument("--plan", action="store_true", help="only say what is left, and how long it may take")
    parser.add_argument("--cards", action="store_true", help="write the results into the cards of the networks")
    asked = parser.parse_args(arguments)
    content = tomllib.loads(asked.players.read_text(encoding="utf-8"))["measure"]
    entries = [parse_parameters(Entry, one, f"An entry of '{asked.players}'") for one in content]
    known = [entry.name for entry in entries]
    for name in asked.only or []:
        if name not in known:
            raise BadInput(f"There is nothing called '{name}' to be measured; there are {', '.join(known)}.")
    entries = [entry for entry in entries if not asked.only or entry.name in asked.only]
    if asked.games:
        entries = [entry.model_copy(update={"games": asked.games}) for entry in entries]
    if asked.plan:
        show_plan(entries, asked.out)
        return
    measurable = with_keys(entries, say_time)
    texts = measure(measurable, asked.out, asked.runs, asked.parallel, say_time)
    asked.out.mkdir(parents=True, exist_ok=True)  # also where nothing could be measured
    write_whole(asked.out / "results.md", f"{joined(texts)}\n".encode())
    say_time(f"All tables are in {asked.out / 'results.md'}.")
    if asked.cards:
        write_cards([(entry, text) for (entry, _), text in zip(measurable, texts, strict=True)])


if __name__ == "__main__":
    try:
        main()
    except BadInput as error:
        say_time(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        say_time("Stopped; nothing is lost. The same command goes on.")
        sys.exit(130)
