"""`boardzero bench engine`: what it measures, with short times."""

import json
import sys

import pytest

from boardzero.cli.main import main
from boardzero.engines.benchmark import FirstAnswer, _first_answer, measure_game
from boardzero.errors import BadInput


def test_a_game_is_measured_beside_one_tree_alone() -> None:
    speed = measure_game(size=9, seconds=0.6, moves=2, player="heuristic")
    assert speed.moves == 2 and speed.player == "heuristic" and 0 < speed.longest < 30
    assert (speed.leaves, speed.threads) == (8, 1)
    assert speed.evaluations_per_second > 0 and speed.alone_evaluations_per_second > 0 and speed.ratio > 0
    assert speed.simulations_per_second >= speed.evaluations_per_second and speed.nodes > 1


def test_players_without_a_tree_are_refused() -> None:
    with pytest.raises(BadInput, match="'minimax' searches no tree"):
        measure_game(size=9, seconds=0.5, moves=1, player="minimax")


@pytest.mark.parametrize("protocol", ["gomocup", "gtp", "nboard"])
def test_first_answers_are_measured(protocol: str) -> None:
    answer = _first_answer(protocol, 1.0, {}, is_cold=False)
    assert isinstance(answer, FirstAnswer) and answer.protocol == protocol
    assert 0 < answer.answer < 60 and 0 < answer.move < 60


def test_the_report_is_for_people_or_for_programs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "engine", "--no-start", "--seconds", "0.5", "--moves", "1", "--size", "7", "--player", "heuristic"]
    for more in ([], ["--json"]):
        monkeypatch.setattr(sys, "argv", ["boardzero", *words, *more])
        with pytest.raises(SystemExit) as ended:
            main()
        output = capsys.readouterr().out
        assert not ended.value.code
        if more:
            assert json.loads(output)["game"]["moves"] == 1
        else:
            assert "one tree alone" in output and "% of the evaluations" in output
