"""`boardzero train`, `resume`, `export` and `perfect`, as people run them."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from training_runs import SMALL, checkpoint_of, game_numbers

from boardzero.cli.main import main
from boardzero.network.weights import load_network, read_header
from boardzero.training.run_folder import RunFolder
from boardzero.training.strength import StrengthMeter

COMMAND = str(Path(sys.executable).with_name("boardzero"))
CHANGES = [part for change in SMALL for part in ("--set", change)]


def boardzero(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run of two generations."""
    path = tmp_path_factory.mktemp("runs") / "run"
    done = boardzero("train", "tictactoe", "--generations", "2", "--run", path, "--timing", "--verbose", *CHANGES)
    assert done.returncode == 0, done.stderr
    for expected in ("tictactoe, 2 generations", "generation   2", "self-play", "training", "Play it:", "in the window"):
        assert expected in done.stdout
    assert "% was the network's evaluation" in done.stdout
    return path


def test_a_finished_run_plays(trained: Path) -> None:
    done = boardzero("match", "tictactoe", f"alphazero:network={trained}", "random", "--games", "6", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)


def test_a_finished_run_is_resumed_to_no_purpose(trained: Path) -> None:
    done = boardzero("resume", trained)
    assert done.returncode == 0, done.stderr
    assert "going on from generation 2" in done.stdout
    assert "Done: 2 generations" in done.stdout


def test_a_run_is_not_begun_over_another(trained: Path) -> None:
    done = boardzero("train", "tictactoe", "--generations", "2", "--run", trained)
    assert done.returncode == 2
    assert done.stderr.startswith(f"boardzero: There is a run in '{trained}' already")


def test_a_network_is_exported(trained: Path, tmp_path: Path) -> None:
    done = boardzero("export", trained, "--onnx", tmp_path / "n.onnx", "--safetensors", tmp_path / "n.safetensors")
    assert done.returncode == 0, done.stderr
    assert load_network(tmp_path / "n.safetensors").header == read_header(RunFolder(trained).network(2))
    match = boardzero("match", "tictactoe", f"alphazero:network={tmp_path / 'n.onnx'}", "random", "--games", "2")
    assert match.returncode == 0, match.stderr


def test_a_run_begins_with_the_games_and_the_network_of_another(trained: Path, tmp_path: Path) -> None:
    """The games are learned from at once; the network plays from the beginning, with its own shape."""
    path = tmp_path / "run"
    changes = [part for part in CHANGES if part != "--set" and not part.startswith("network.")]
    sets = [part for change in changes for part in ("--set", change)]
    sources = ("--games-from", trained, "--network-from", trained)
    done = boardzero("train", "tictactoe", "--generations", "1", "--run", path, *sources, *sets)
    assert done.returncode == 0, done.stderr
    origin, folder = RunFolder(trained), RunFolder(path)
    assert read_header(folder.network(0)).checksum == read_header(origin.network(2)).checksum
    assert sorted(game_numbers(folder)) == sorted(game_numbers(origin))
    assert checkpoint_of(folder)[0].games == checkpoint_of(origin)[0].games
    assert folder.settings().network == origin.settings().network


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["train", "tictactoe", "--set", "network.block=2"], "did you mean 'blocks'?"),
        (["train", "tictactoe", "--minutes", "1", "--generations", "1"], "not both"),
        (["train", "tictactoe", "--minutes", "1", "--set", "generations=1"], "not both"),
        (["train", "tictactoe", "--minutes", "-1"], "minutes=-1.0 is not allowed"),
        (["train", "tictactoe", "--seed", "-1"], "seed=-1 is not allowed"),
        (["train", "tictacto"], "tictactoe"),
        (["train", "connect4", "--games-from", "RUN"], "are of tictactoe, not of connect4"),
        (["train", "connect4", "--network-from", "RUN"], "cannot play connect4"),
        (["train", "tictactoe", "--network-from", "RUN", "--set", "network.blocks=7"], "has its own shape"),
        (["train", "tictactoe", "--games-from", "EMPTY"], "There are no games in"),
        (["resume", "EMPTY"], "There is no run in"),
        (["resume", "EMPTY", "--minutes", "5"], "There is no run in"),
        (["resume", "RUN", "--generations", "2"], "has 2 generations behind it"),
        (["resume", "RUN", "--minutes", "5", "--generations", "5"], "not both"),
        (["resume", "RUN", "--minutes", "0"], "minutes=0.0 is not allowed"),
        (["resume", "RUN", "--set", "seed=3"], "cannot be changed in a run that has begun"),
        (["export", "RUN"], "--onnx FILE, --safetensors FILE"),
        (["export", "EMPTY", "--onnx", "a.onnx"], "There is no network in"),
        (["export", "RUN", "--onnx", "a.txt"], "should be called name.onnx"),
        (["perfect"], "Name a game and --player"),
        (["perfect", "gomoku", "--player", "random"], "Perfect play of gomoku is not known; it is known for tictactoe"),
        (["perfect", "connect4", "--run", "RUN"], "instead of a game"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    trained: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    said: str,
) -> None:
    folders = {"RUN": str(trained), "EMPTY": str(tmp_path)}
    full = [folders.get(argument, argument) for argument in arguments]
    if full[0] == "train":
        full += ["--run", str(tmp_path / "new")]
    monkeypatch.setattr(sys, "argv", ["boardzero", *full])
    with pytest.raises(SystemExit) as end:
        main()
    complaint = capsys.readouterr().err
    assert end.value.code == 2
    assert said in complaint
    assert complaint.count("\n") == 1
    assert not (tmp_path / "new").exists()


def test_ctrl_c_ends_cleanly_and_resume_goes_on(tmp_path: Path) -> None:
    folder = RunFolder(tmp_path / "run")
    arguments = ["train", "tictactoe", "--generations", "100000", "--run", str(folder.path), *CHANGES]
    process = subprocess.Popen([COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_generation(folder, 2)
    with_lock = boardzero("resume", folder.path)
    assert with_lock.returncode == 2
    assert "Another process is training" in with_lock.stderr
    process.send_signal(signal.SIGINT)
    said, complaints = process.communicate(timeout=180)
    assert process.returncode == 130
    assert f"Stopped; nothing is lost. Go on with: boardzero resume {folder.path}" in said
    assert complaints == ""
    generation, games = checkpoint_of(folder)[0].generation, game_numbers(folder)
    again = subprocess.Popen([COMMAND, "resume", str(folder.path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for_generation(folder, generation + 2)
    again.send_signal(signal.SIGINT)
    said, _ = again.communicate(timeout=180)
    assert again.returncode == 130
    assert f"going on from generation {generation}" in said
    numbers = game_numbers(folder)
    assert set(games) < set(numbers)
    assert len(set(numbers)) == len(numbers)


def test_ctrl_c_while_strength_is_measured_at_the_end_is_no_failure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(meter: StrengthMeter, *_: object) -> None:
        signal.raise_signal(signal.SIGINT)
        meter._check()

    monkeypatch.setattr(StrengthMeter, "measure", interrupted)
    arguments = [
        "train",
        "tictactoe",
        "--generations",
        "1",
        "--run",
        str(tmp_path / "run"),
        *CHANGES,
        "--set",
        "evaluation.every=0",
    ]
    monkeypatch.setattr(sys, "argv", ["boardzero", *arguments])
    before = signal.getsignal(signal.SIGINT)
    try:
        with pytest.raises(SystemExit) as end:
            main()
    finally:
        signal.signal(signal.SIGINT, before)
    assert end.value.code == 130
    said = capsys.readouterr()
    assert "Stopped; nothing is lost" in said.out and said.err == ""


def wait_for_generation(folder: RunFolder, generation: int) -> None:
    for _ in range(3000):
        if folder.networks.is_dir() and max(folder.network_generations(), default=0) >= generation:
            return
        time.sleep(0.1)
    raise AssertionError(f"generation {generation} did not come")


def test_every_kept_network_of_a_run_is_compared_with_perfect_play(tmp_path: Path) -> None:
    path = tmp_path / "run"
    game = "connect4:rows=4,columns=4,connect=3"
    sets = [*CHANGES, "--set", "evaluation.share=0"]
    done = boardzero("train", game, "--generations", "2", "--run", path, *sets)
    assert done.returncode == 0, done.stderr
    answer = json.loads(boardzero("perfect", "--run", path, "--sims", "20", "--draw", "20", "--json").stdout)
    assert [entry["generation"] for entry in answer["networks"]] == [0, 1, 2]
    assert all(entry["positions"] == 20 and 0 <= entry["mistakes"] <= 20 for entry in answer["networks"])
