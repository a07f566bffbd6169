"""Runs in other storage: a folder here, and a copy there that any machine can go on from."""

import json
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from training_runs import begin, game_numbers, run

from boardzero.cluster import mirror as mirror_module
from boardzero.cluster.mirror import Mirror, is_remote, local_folder, refuse_existing
from boardzero.cluster.ownership import OWNER, TOKEN, TakenOver
from boardzero.errors import BadInput
from boardzero.training.lock import FolderLock
from boardzero.training.run_folder import RunFolder

fsspec = pytest.importorskip("fsspec", reason="other storage needs fsspec: pip install 'boardzero[cluster]'")


@contextmanager
def mirrored(
    url: str, folder: Path, said: list[str] | None = None, stop: Callable[[], None] = lambda: None
) -> Iterator[Mirror]:
    """What is said must be expected: otherwise nothing may be."""
    heard = [] if said is None else said
    with Mirror(url, folder, heard.append, stop) as mirror:
        yield mirror
    assert said is not None or heard == []


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return tmp_path / "there"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "here"
    folder.mkdir()
    (folder / "settings.json").write_text("{}")
    return folder


def url_of(folder: Path) -> str:
    return f"file://{folder}"


def test_addresses_of_storage_are_told_from_paths_and_from_each_other() -> None:
    assert is_remote("s3://bucket/run") and not is_remote("runs/here")
    assert local_folder("s3://bucket/my run") == Path("runs/s3-bucket-my-run")
    assert local_folder("gs://bucket/run") != local_folder("s3://bucket/run")


def test_a_run_is_resumed_on_a_machine_that_has_only_the_copy(tmp_path: Path) -> None:
    url = f"memory://{uuid4().hex}/run"
    first, second = begin(tmp_path / "first", generations=2), RunFolder(tmp_path / "second")
    with mirrored(url, first.path):
        run(first)
    with mirrored(url, second.path):
        assert game_numbers(second) == game_numbers(first)
        settings = second.settings().model_copy(update={"generations": 3})
        (second.path / "settings.json").write_text(settings.model_dump_json())
        run(second)
    assert set(game_numbers(first)) < set(game_numbers(second))
    with mirrored(url, tmp_path / "third"):
        assert game_numbers(RunFolder(tmp_path / "third")) == game_numbers(second)


def test_what_is_removed_here_is_removed_there(here: Path, there: Path) -> None:
    with mirrored(url_of(there), here) as mirror:
        (here / "old").write_text("old")
        mirror.copy()
        assert (there / "old").is_file()
        (here / "old").unlink()
    assert not (there / "old").exists() and (there / "settings.json").is_file() and not (there / OWNER).exists()


def test_a_journal_that_is_sealed_during_a_copy_stays_there_until_its_shard_is_copied(
    here: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "1.journal").write_text("games")
    with mirrored(url_of(there), here) as mirror:
        mirror.copy()
        (here / "0.network").write_text("new")  # is copied first
        write = mirror._storage.pipe_file

        def seal_meanwhile(path: str, content: bytes) -> None:
            write(path, content)
            if path.endswith("0.network"):
                (here / "1.journal").rename(here / "1.shard")

        monkeypatch.setattr(mirror._storage, "pipe_file", seal_meanwhile)
        mirror.copy()
        assert (there / "1.journal").read_text() == "games"
        mirror.copy()
        assert not (there / "1.journal").exists() and (there / "1.shard").is_file()


# -- which one is newer ------------------------------------------------------------------------------------------------------
def test_an_old_folder_does_not_overwrite_a_copy_that_another_machine_has_worked_on(here: Path, there: Path) -> None:
    (here / "events.jsonl").write_text("a long story that was told first")
    with mirrored(url_of(there), here):
        pass
    other = here.with_name("other")
    with mirrored(url_of(there), other):
        (other / "events.jsonl").write_text("short")
    said: list[str] = []
    with mirrored(url_of(there), here, said):
        assert (here / "events.jsonl").read_text() == "short"
    assert (there / "events.jsonl").read_text() == "short"
    assert len(said) == 1 and "renamed to 'here-before-1'" in said[0]
    assert (here.with_name("here-before-1") / "events.jsonl").read_text().startswith("a long story")


def test_what_a_killed_driver_had_not_copied_yet_is_not_lost(here: Path, there: Path) -> None:
    with mirrored(url_of(there), here):
        pass
    (here / "events.jsonl").write_text("newer")
    with mirrored(url_of(there), here):
        assert (here / "events.jsonl").read_text() == "newer"
    assert (there / "events.jsonl").read_text() == "newer"


def test_a_folder_in_which_somebody_works_is_not_renamed(here: Path, there: Path) -> None:
    shutil.copytree(here, there)
    lock = FolderLock(here)
    with pytest.raises(BadInput, match="Another process is training"), mirrored(url_of(there), here):
        pass
    lock.release()


# -- one driver at a time ----------------------------------------------------------------------------------------------------
def owned_by_another(there: Path, seconds_ago: float) -> None:
    there.mkdir(exist_ok=True)
    content = {"owner": "another:1", "token": "another", "seconds": time.time() - seconds_ago}
    (there / OWNER).write_text(json.dumps(content))


def test_two_drivers_do_not_share_a_copy(here: Path, there: Path) -> None:
    owned_by_another(there, seconds_ago=0)
    with pytest.raises(BadInput, match="another:1 is training in"), mirrored(url_of(there), here):
        pass
    owned_by_another(there, seconds_ago=100)
    with mirrored(url_of(there), here):
        pass


def test_a_driver_that_was_taken_for_dead_stops_and_copies_nothing_more(
    here: Path, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mirror_module, "SIGN_SECONDS", 0.05)
    stopped, said = threading.Event(), list[str]()
    with mirrored(url_of(there), here, said, stopped.set):
        owned_by_another(there, seconds_ago=0)
        (there / TOKEN).write_text('{"token": "another"}')
        assert stopped.wait(120)
        (here / "events.jsonl").write_text("of the one that was taken for dead")
    assert said == [f"another:1 has taken over '{url_of(there)}': nothing more is copied there, and this run ends."]
    assert not (there / "events.jsonl").exists()
    assert json.loads((there / OWNER).read_text())["token"] == json.loads((there / TOKEN).read_text())["token"] == "another"


def test_nothing_is_copied_over_the_work_of_another_driver(here: Path, there: Path) -> None:
    said: list[str] = []
    with mirrored(url_of(there), here, said) as mirror:
        owned_by_another(there, seconds_ago=0)
        with pytest.raises(TakenOver):
            mirror.copy()
    assert not (there / "settings.json").exists() and len(said) == 1


# -- trouble -----------------------------------------------------------------------------------------------------------------
class StorageTrouble(Exception):
    """Not one of Python's own."""


def test_storage_that_nobody_knows_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot be reached"):
        Mirror("nowhere://run", tmp_path, print, lambda: None)


def test_any_error_of_a_storage_at_the_beginning_becomes_a_sentence(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> Any:
        raise StorageTrouble("who are you?")

    sentence = r"cannot be reached: who are you\?\."
    monkeypatch.setattr(fsspec.get_filesystem_class("memory"), "pipe_file", fail)
    with pytest.raises(BadInput, match=sentence), mirrored("memory://bucket/run", here):
        pass
    monkeypatch.setattr(fsspec.get_filesystem_class("memory"), "exists", fail)
    with pytest.raises(BadInput, match=sentence):
        refuse_existing("memory://bucket/run")


def test_a_copy_that_fails_is_said_once_and_tried_again(here: Path, there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mirror_module, "COPY_SECONDS", 0.02)
    said: list[str] = []
    tries = 0
    with mirrored(url_of(there), here, said) as mirror:
        write = mirror._storage.pipe_file

        def fail_at_first(path: str, content: bytes) -> None:
            nonlocal tries
            if path.endswith("settings.json"):
                tries += 1
                if tries < 4:
                    raise StorageTrouble("too many requests")
            write(path, content)

        monkeypatch.setattr(mirror._storage, "pipe_file", fail_at_first)
        end = time.monotonic() + 120
        while not (there / "settings.json").is_file() and time.monotonic() < end:
            time.sleep(0.02)
    assert len(said) == 1 and "cannot be copied" in said[0] and "too many requests" in said[0]
    assert (there / "settings.json").is_file()


def test_what_could_not_be_copied_at_the_end_is_said(here: Path, there: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    with mirrored(url_of(there), here, said) as mirror:

        def fail(path: str, content: bytes) -> None:
            raise StorageTrouble("the bucket is gone")

        monkeypatch.setattr(mirror._storage, "pipe_file", fail)
    assert len(said) == 1 and "the bucket is gone" in said[0] and "boardzero resume" in said[0]
