import errno
import math
import sqlite3
import threading
from contextlib import ExitStack, closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import (
    CheckpointSaved,
    EpochDone,
    KnobChanged,
    RunEnded,
    RunStarted,
    StepDone,
    Warned,
)
from engine.runs.record.journal import RunJournal
from engine.runs.record.series import Curve
from engine.runs.record.store import RunStore


def started(step: int = 0) -> RunStarted:
    return RunStarted(
        pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=10, parameters=3, step=step
    )


def saved(step: int) -> CheckpointSaved:
    return CheckpointSaved(file=f"{step}.ckpt", sha256="", step=step, epoch=0, tags=())


def names_of(store: RunStore) -> list[str]:
    return [type(stored.event).__name__ for stored in store.events()]


def test_that_what_was_told_is_read_back_in_order(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    journal.append(started())
    journal.extend("train.loss", [1, 2], [0.5, 0.25])
    journal.append(EpochDone(epoch=1, step=2, metrics={"train.loss": 0.4}))
    with RunStore.open(tmp_path) as store:
        assert names_of(store) == ["RunStarted", "EpochDone"]
        assert store.series_names() == ["train.loss"]
        assert store.scalars("train.loss").values.tolist() == [0.5, 0.25]
    journal.close()


def test_that_only_the_newest_progress_is_kept(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    for step in range(1, 6):
        journal.append(StepDone(step=step, epoch=0))
        journal.commit()
    with RunStore.open(tmp_path) as store:
        events = store.events()
    journal.close()
    assert [stored.event for stored in events] == [StepDone(step=5, epoch=0)]
    assert events[0].id == 5


def test_that_nan_lives_in_curves_and_not_in_events(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    journal.extend("train.loss", [1], [math.nan])
    journal.append(EpochDone(epoch=1, step=1, metrics={"a": math.nan, "b": 1.0}))
    with RunStore.open(tmp_path) as store:
        event = store.events()[0].event
        assert isinstance(event, EpochDone)
        assert event.metrics == {"b": 1.0}
        assert math.isnan(store.scalars("train.loss").values[0])
    journal.close()


def test_that_going_back_removes_what_came_after_the_mark(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    journal.append(started())
    journal.extend("train.loss", [1, 2], [1.0, 2.0])
    journal.append(KnobChanged(step=2, name="optimizer.lr", value=0.1))
    mark = journal.mark()
    journal.append(saved(2))
    journal.extend("train.loss", [3, 4], [3.0, 4.0])
    journal.append(KnobChanged(step=3, name="optimizer.lr", value=0.2))
    journal.append(saved(4))
    journal.append(Warned(problem=Diagnostic(code="R130"), step=4))
    journal.truncate(mark, 2)
    with RunStore.open(tmp_path) as store:
        assert names_of(store) == ["RunStarted", "KnobChanged", "CheckpointSaved", "Warned"]
        assert store.scalars("train.loss").steps.tolist() == [1, 2]
    journal.close()


def test_that_going_back_waits_for_somebody_who_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A run that goes on must not fail because a slow disk keeps another one from the end."""
    monkeypatch.setattr("engine.runs.record.journal._BUSY_S", 0.05)
    journal = RunJournal(tmp_path)
    journal.append(started())
    mark = journal.mark()
    journal.extend("train.loss", [1], [1.0])
    journal.commit()
    other = sqlite3.connect(tmp_path / "events.db", isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")
    end = threading.Timer(1.0, lambda: other.execute("ROLLBACK"))
    end.start()
    journal.truncate(mark, 0)
    end.join()
    other.close()
    with RunStore.open(tmp_path) as store:
        assert store.scalars("train.loss").steps.tolist() == []
    journal.close()


def test_that_each_step_stands_once_after_going_back_whatever_the_mark_says(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    journal.extend("train.loss", [1, 2, 3, 4], [1.0, 2.0, 3.0, 4.0])
    journal.extend("validation.loss", [4], [0.5])
    journal.commit()
    journal.truncate(journal.mark(), 2)
    journal.extend("train.loss", [3, 4], [30.0, 40.0])
    journal.commit()
    with RunStore.open(tmp_path) as store:
        assert store.scalars("train.loss").steps.tolist() == [1, 2, 3, 4]
        assert store.scalars("train.loss").values.tolist() == [1.0, 2.0, 30.0, 40.0]
        assert store.scalars("validation.loss").steps.tolist() == []
    journal.close()


def test_that_a_follower_reads_the_curve_of_a_run_that_went_back(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    journal.extend("train.loss", [1, 2], [1.0, 2.0])
    journal.commit()
    mark = journal.mark()
    journal.extend("train.loss", [3, 4], [3.0, 4.0])
    journal.commit()
    curve = Curve("train.loss")
    with RunStore.open(tmp_path) as store:
        assert curve.update(store)
        journal.truncate(mark, 2)
        assert not curve.update(store)
        journal.extend("train.loss", [3], [30.0])
        journal.commit()
        assert curve.update(store)
    journal.close()
    assert curve.steps.tolist() == [1, 2, 3]
    assert curve.values.tolist() == [1.0, 2.0, 30.0]


def test_that_two_that_find_a_dead_worker_write_one_end(tmp_path: Path) -> None:
    first, second = RunJournal(tmp_path), RunJournal(tmp_path)
    first.append(started())
    after = first.last_id()
    end = RunEnded(reason="died", step=1, epoch=0)
    assert first.end(end, after)
    assert second.end(end, after)
    first.close()
    second.close()
    with RunStore.open(tmp_path) as store:
        assert names_of(store) == ["RunStarted", "RunEnded"]


def test_that_a_resume_ends_once_more(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    journal.end(RunEnded(reason="stopped", step=1, epoch=0), 0)
    journal.end(RunEnded(reason="finished", step=2, epoch=1), journal.last_id())
    journal.close()
    with RunStore.open(tmp_path) as store:
        assert names_of(store) == ["RunEnded", "RunEnded"]


@settings(max_examples=15, deadline=None)
@given(sizes=st.lists(st.integers(0, 50), min_size=1, max_size=8), data=st.data())
def test_that_no_point_is_lost_however_they_are_committed(
    tmp_path_factory: pytest.TempPathFactory, sizes: list[int], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("run")
    curve = Curve("x")
    total = 0
    with ExitStack() as opened:  # a drawing may end the example in the middle
        journal = opened.enter_context(closing(RunJournal(folder)))
        store: RunStore | None = None
        for size in sizes:
            if size:
                steps = list(range(total + 1, total + size + 1))
                journal.extend("x", steps, [step / 7 for step in steps])
                total += size
            if data.draw(st.booleans()):
                journal.commit()
                store = store or opened.enter_context(RunStore.open(folder))
                curve.update(store)
        journal.close()
        curve.update(store or opened.enter_context(RunStore.open(folder)))
    assert curve.steps.tolist() == list(range(1, total + 1))
    assert np.array_equal(curve.values, np.arange(1, total + 1) / 7)


def test_that_a_record_that_was_only_just_made_is_no_record_yet(tmp_path: Path) -> None:
    (tmp_path / "events.db").touch()
    with pytest.raises(DiagnosticError) as caught:
        RunStore.open(tmp_path)
    assert caught.value.problems[0].code == "R150"


@pytest.mark.parametrize(
    "content", [b"not a database" * 500, b"SQLite format 3\0" + b"\xff" * 8192]
)
def test_that_a_damaged_record_is_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "events.db").write_bytes(content)
    with pytest.raises(DiagnosticError) as caught:
        RunStore.open(tmp_path)
    assert caught.value.problems[0].code == "R151"


def test_that_a_missing_record_is_told(tmp_path: Path) -> None:
    with pytest.raises(DiagnosticError) as caught:
        RunStore.open(tmp_path)
    assert caught.value.problems[0].code == "R150"


def test_that_a_locked_record_is_told(tmp_path: Path) -> None:
    RunJournal(tmp_path).close()
    blocker = sqlite3.connect(tmp_path / "events.db", isolation_level=None)
    blocker.execute("PRAGMA locking_mode = EXCLUSIVE")
    blocker.execute("BEGIN EXCLUSIVE")
    blocker.execute("DELETE FROM meta WHERE key = 'none'")
    try:
        with pytest.raises(DiagnosticError) as caught:
            RunStore.open(tmp_path, timeout_s=0.05)
        assert caught.value.problems[0].code == "R152"
    finally:
        blocker.close()


def test_that_a_record_in_a_read_only_folder_can_be_read(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    journal = RunJournal(folder)
    journal.append(started())
    journal.close()
    folder.chmod(0o555)
    try:
        with RunStore.open(folder) as store:
            assert names_of(store) == ["RunStarted"]
    finally:
        folder.chmod(0o755)


def test_that_the_reserve_goes_with_the_journal(tmp_path: Path) -> None:
    journal = RunJournal(tmp_path)
    assert (tmp_path / ".reserve").stat().st_size > 0
    journal.close()
    assert not (tmp_path / ".reserve").exists()


@pytest.mark.fault("F05")
def test_that_a_full_disk_is_told_with_the_room_that_was_kept_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = RunJournal(tmp_path)
    write = journal._write

    def write_if_there_is_room() -> None:
        if (tmp_path / ".reserve").exists():
            raise sqlite3.OperationalError("database or disk is full")
        write()

    monkeypatch.setattr(journal, "_write", write_if_there_is_room)
    journal.extend("train.loss", [1], [1.0])
    journal.append(Warned(problem=Diagnostic(code="P002"), step=1))
    assert journal.problem is not None
    assert journal.problem.code == "R154"
    with RunStore.open(tmp_path) as store:
        assert names_of(store) == ["Warned"]
        assert store.scalars("train.loss").steps.tolist() == [1]
    monkeypatch.undo()
    assert journal.keep_reserve()
    assert journal.commit()
    assert journal.problem is None
    journal.close()


@pytest.mark.fault("F05")
def test_that_points_wait_in_memory_until_the_disk_takes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = RunJournal(tmp_path)

    def fail() -> None:
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr(journal, "_write", fail)
    journal.extend("x", [1, 2], [1.0, 2.0])
    assert not journal.commit()
    journal.extend("x", [3], [3.0])
    assert not journal.commit()
    monkeypatch.undo()
    assert journal.commit()
    with RunStore.open(tmp_path) as store:
        assert store.scalars("x").values.tolist() == [1.0, 2.0, 3.0]
    journal.close()


def test_that_a_reserve_that_cannot_be_removed_is_told_as_the_full_disk_that_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = RunJournal(tmp_path)
    assert journal.keep_reserve()
    journal.extend("train.loss", [1], [1.0])

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        patched.setattr(RunJournal, "_write", full)
        assert not journal.commit()
    assert journal.problem is not None
    assert journal.commit()  # nothing is lost when the disk is back
    journal.close()


def full(_: RunJournal) -> None:
    raise sqlite3.OperationalError("database or disk is full")
