"""A log of 100,000 games answers in under a second."""

import random
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import postgres_server

from boardzero.events.games import GameRecord, Result
from boardzero.storage.database import Database
from boardzero.storage.entries import StoredGame, id_of
from boardzero.storage.importing import import_games
from boardzero.storage.queries import GameFilter, games_page

COUNT = 100_000
RESULTS: tuple[Result, ...] = ("first", "second", "draw")
QUESTIONS = {
    "all": GameFilter(),
    "game": GameFilter(game="othello"),
    "rare game": GameFilter(game="tictactoe"),
    "player": GameFilter(player="mcts:sims=7"),
    "player, any": GameFilter(player="mcts"),
    "pattern": GameFilter(player="*sims=9*"),
    "player won": GameFilter(player="alphazero", result="won"),
    "draws": GameFilter(result="draw"),
    "source": GameFilter(source="play"),
    "month": GameFilter(since="2030-03", until="2030-03"),
    "long games": GameFilter(shortest=59),
    "all at once": GameFilter("gomoku", "mcts", result="won", source="match", since="2030-02", shortest=10, longest=50),
    "none": GameFilter(player="nobody"),
}


def many_games() -> Iterator[StoredGame]:
    draw = random.Random(1)
    for number in range(COUNT):
        game = draw.choice(["connect4", "othello", "gomoku", "gomoku:size=9"]) if number % 1000 else "tictactoe"
        players = [f"{draw.choice(['mcts', 'alphazero'])}:sims={draw.randrange(100)}" for _ in range(2)]
        plies = draw.randrange(5, 60)
        moves = " ".join(f"{draw.choice('abcdefgh')}{draw.randrange(1, 9)}" for _ in range(plies))
        ended = f"2030-{draw.randrange(1, 13):02}-{draw.randrange(1, 28):02}T{draw.randrange(24):02}:00:00Z"
        record = GameRecord(
            game, (players[0], players[1]), "." * 64, moves, 0, plies, draw.choice(RESULTS), "rules", (1.0, 2.0), ended
        )
        source = draw.choice(["match", "self-play", "self-play", "self-play"]) if number % 500 else "play"
        yield StoredGame(id_of(number), record, source)


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_100000_games_are_listed_and_filtered_in_under_a_second(kind: str, tmp_path: Path) -> None:
    if kind == "sqlite":
        measure(str(tmp_path / "games.sqlite"))
    else:
        with postgres_server() as server:
            measure(server.new_database())


def measure(url: str) -> None:
    database = Database(url)
    begun = time.perf_counter()
    assert import_games(database, many_games(), print) == COUNT
    print(f"\n{database.name}: {COUNT:,} games written in {time.perf_counter() - begun:.1f} s")
    slow = {}
    for name, which in QUESTIONS.items():
        begun, used = time.perf_counter(), time.process_time()
        with database.reading() as connection:
            shown, total = games_page(connection, which, 20)
        seconds, used = time.perf_counter() - begun, time.process_time() - used
        print(f"{name:12} {total:7,} games  {1000 * seconds:7.1f} ms, of which this process computed {1000 * used:.1f}")
        assert len(shown) == min(20, total)
        if seconds >= 1:
            slow[name] = seconds
    database.close()
    assert not slow
