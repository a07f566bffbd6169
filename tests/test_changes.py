"""Settings changed from a command line, and what is said about those that cannot be."""

import pytest

from boardzero.errors import BadInput
from boardzero.settings.changes import apply_changes
from boardzero.settings.run import RunSettings
from boardzero.settings.specification import parse_parameters


def test_changes_reach_every_depth_and_type() -> None:
    settings = apply_changes(
        RunSettings,
        {"game": "tictactoe", "generations": 4},
        ["seed=7", "network.blocks=6", "selfplay.cap.full_probability=0.25", "training.value.target=q", "selfplay.noise=false"],
    )
    assert settings.game == "tictactoe"
    assert settings.seed == 7
    assert settings.network.blocks == 6
    assert settings.selfplay.cap.full_probability == 0.25
    assert settings.training.value.target == "q"
    assert settings.selfplay.noise is False


def test_what_is_not_changed_stays() -> None:
    assert apply_changes(RunSettings, {}, []) == RunSettings()
    assert apply_changes(RunSettings, {}, ["training.batch=64"]).training.positions == RunSettings().training.positions


def test_later_changes_win_and_spaces_do_not_matter() -> None:
    assert apply_changes(RunSettings, {}, ["seed=1", " seed = 2 "]).seed == 2


def test_none_takes_a_value_back() -> None:
    assert apply_changes(RunSettings, {"minutes": 10}, ["minutes=none", "generations=3"]).minutes is None


def test_settings_written_and_read_are_the_same() -> None:
    settings = apply_changes(RunSettings, {}, ["replay.window.kind=games", "network.value=wdl"])
    assert RunSettings.model_validate_json(settings.model_dump_json()) == settings


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("netwrok.blocks=6", r"no setting 'netwrok\.blocks' \(did you mean 'network'\?\)"),
        ("network.block=6", r"no setting 'network\.block' \(did you mean 'blocks'\?\)"),
        ("selfplay.cap.full_simulation=6", r"\(did you mean 'full_simulations'\?\)"),
        ("training.xyz=6", r"no setting 'training\.xyz'; there are positions, first_positions"),
        ("network=6", r"'network' is a group of settings: network\.NAME with one of kind, blocks"),
        ("seed.x=6", r"no setting 'seed\.x': 'seed' has no parts"),
        ("seed", r"'seed' is not of the form key=value"),
        ("seed=", r"'seed=' is not of the form key=value"),
        ("=5", r"'=5' is not of the form key=value"),
        ("network.blocks=many", r"network\.blocks=many is not allowed: network\.blocks should be a valid integer"),
        ("network.blocks=-1", r"network\.blocks=-1 is not allowed: network\.blocks should be greater than or equal to 0"),
        ("training.optimizer=adamm", r"training\.optimizer=adamm is not allowed: .*'sgd', 'adam' or 'adamw'"),
        ("selfplay.cap.full_probability=2", r"selfplay\.cap\.full_probability=2 is not allowed"),
        ("network.policy_kernel=2", r"policy_kernel should be 1 or 3"),
        ("network.blocks=none", r"network\.blocks=None is not allowed"),
    ],
)
def test_what_is_unknown_or_wrong_is_refused_with_what_is_right(change: str, said: str) -> None:
    with pytest.raises(BadInput, match=said) as refusal:
        apply_changes(RunSettings, {}, [change])
    assert "\n" not in str(refusal.value)


def test_an_unknown_setting_in_a_file_is_named_with_its_group() -> None:
    with pytest.raises(BadInput, match=r"run network has no parameter 'bloks' \(did you mean 'blocks'\?\)"):
        parse_parameters(RunSettings, {"network": {"bloks": 4}}, "run")
