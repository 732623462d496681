"""Records that were torn, doubled or shuffled, and very long ones: what can be read is read."""

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from engine.diagnostics import DiagnosticError, sentence
from engine.events import RunStarted
from engine.runs.record.journal import RunJournal
from engine.runs.record.series import Curve, decimate
from engine.runs.record.store import RunStore
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.train.checkpoint.lookup import open_checkpoint
from tests.tiny_run import curves, make_run, train

pytestmark = pytest.mark.fault("F27")


def written(folder: Path, pieces: int, points: int) -> RunJournal:
    """Return the open journal of a record with so many pieces of so many points; the value of a
    step is a seventh of it.
    """
    journal = RunJournal(folder)
    journal.append(
        RunStarted(pid=1, device="cpu", threads=1, epochs=2, steps_per_epoch=10, parameters=3)
    )
    for piece in range(pieces):
        steps = range(piece * points + 1, (piece + 1) * points + 1)
        journal.extend("train.loss", steps, [step / 7 for step in steps])
        journal.commit()
    return journal


def test_that_a_log_that_was_torn_anywhere_gives_what_was_committed_before(tmp_path: Path) -> None:
    """The end of the write-ahead log is what a loss of power or a full disk leaves behind."""
    (tmp_path / "run").mkdir()
    journal = written(tmp_path / "run", 30, 10)
    log = (tmp_path / "run" / "events.db-wal").read_bytes()
    found = set()
    for length in [*range(0, len(log), len(log) // 40), len(log)]:
        copy = tmp_path / f"torn {length}"
        copy.mkdir()
        shutil.copy(tmp_path / "run" / "events.db", copy)
        (copy / "events.db-wal").write_bytes(log[:length])
        curve = Curve("train.loss")
        store = RunStore.find(copy)
        if store is not None:  # else nothing was committed
            with store:
                curve.update(store)
        assert not curve.is_repaired
        assert curve.steps.tolist() == list(range(1, len(curve.steps) + 1))
        assert np.array_equal(curve.values, curve.steps / 7)
        found.add(len(curve.steps))
    journal.close()
    assert max(found) == 300
    assert len(found) > 10


def test_that_points_that_are_doubled_or_shuffled_are_shown_in_order_with_a_note(
    tmp_path: Path,
) -> None:
    written(tmp_path, 12, 5).close()
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection, connection:
        columns = "series, first, last, steps, points"
        rows = connection.execute(f"SELECT {columns} FROM chunks").fetchall()
        connection.execute("DELETE FROM chunks")
        rows += rows[3:6]
        random.Random(0).shuffle(rows)
        connection.executemany(f"INSERT INTO chunks ({columns}) VALUES (?, ?, ?, ?, ?)", rows)
        connection.execute(
            "INSERT INTO events (kind, step, data) SELECT kind, step, data FROM events"
        )
    curve = Curve("train.loss")
    with RunStore.open(tmp_path) as store:
        assert curve.update(store)
        assert len(store.events()) == 2
    assert curve.is_repaired
    assert curve.steps.tolist() == list(range(1, 61))
    assert np.array_equal(curve.values, np.arange(1, 61) / 7)


def test_that_a_run_whose_record_was_cut_off_still_gives_its_checkpoints(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    train(run)
    best = find_checkpoint(run, "last").file
    record = run.path / "events.db"
    record.write_bytes(record.read_bytes()[: record.stat().st_size // 2])
    with pytest.raises(DiagnosticError) as caught:
        curves(run)
    assert caught.value.problems[0].code == "R151"
    assert "检查点" in sentence(caught.value.problems[0], "zh_CN")
    assert find_checkpoint(run, "best").file == best
    assert open_checkpoint(run, "last").position.step == 12
    with pytest.raises(DiagnosticError) as caught:  # and says of the same what it is
        RunJournal(run.path)
    assert caught.value.problems[0].code == "R151"


@pytest.mark.parametrize("most", [1, 20, 1000])
@pytest.mark.parametrize("order", ["shuffled", "overlapping", "false"])
def test_that_what_is_read_bit_by_bit_is_the_same_in_whatever_order_it_was_written(
    tmp_path: Path, order: str, most: int
) -> None:
    """Of a step that is there several times the value that was written last counts."""
    chance = random.Random(most)
    starts = [10 * piece for piece in range(40)]
    starts += chance.choices(starts, k=10)
    chance.shuffle(starts)
    if order == "overlapping":
        starts = [start + chance.randrange(10) for start in starts]
    written(tmp_path, 1, 1).close()
    wanted = {1: 1 / 7}
    with closing(sqlite3.connect(tmp_path / "events.db")) as connection, connection:
        for number, start in enumerate(starts):
            steps = list(range(start + 2, start + 12))
            values = [number + step / 1000 for step in steps]
            wanted |= dict(zip(steps, values, strict=True))
            shown = (0, 1) if order == "false" else (steps[0], steps[-1])
            row = (*shown, np.array(steps, "<i8").tobytes(), np.array(values, "<f8").tobytes())
            query = "INSERT INTO chunks (series, first, last, steps, points) VALUES (1, ?, ?, ?, ?)"
            connection.execute(query, row)
    found: dict[int, float] = {}
    with RunStore.open(tmp_path) as store:
        for block in store.blocks("train.loss", most=most):
            assert bool((np.diff(block.steps) > 0).all())
            found = {step: value for step, value in found.items() if step < block.steps[0]}
            found |= dict(zip(block.steps.tolist(), block.values.tolist(), strict=True))
        whole = store.scalars("train.loss")
        assert len(store.events()) == 1  # no transaction is left open
    assert found == wanted
    assert dict(zip(whole.steps.tolist(), whole.values.tolist(), strict=True)) == wanted
    assert whole.steps.tolist() == sorted(wanted)
    assert whole.is_repaired


def test_that_a_growing_curve_stays_within_its_room_and_keeps_every_peak(tmp_path: Path) -> None:
    most, peaks = 1024, [700, 7_003, 31_337]
    journal = written(tmp_path, 1, 1)
    curve = Curve("train.loss", most)
    handed_out: list[tuple[list[int], np.ndarray]] = []
    with RunStore.open(tmp_path) as store:
        for start in range(2, 40_000, 90):
            steps = range(start, start + 90)
            journal.extend("train.loss", steps, [9.0 if s in peaks else s % 3 for s in steps])
            journal.commit()
            curve.update(store)
            assert len(curve.steps) <= most
            handed_out = [*handed_out[-3:], (curve.steps.tolist(), curve.steps)]
            assert all(np.array_equal(*pair) for pair in handed_out)  # another thread draws them
        assert curve.thinnings > 5
        assert not curve.is_repaired
        assert curve.steps[curve.values == 9.0].tolist() == peaks
        assert bool((np.diff(curve.steps) > 0).all())
        assert np.diff(curve.steps).max() < 40_000 / (most / 8)  # as dense at the beginning
        curve.truncate(20_000)
        journal.extend("train.loss", [20_001], [5.0])
        journal.commit()
        curve.update(store)
    journal.close()
    assert (curve.steps[-1], curve.values[-1]) == (20_001, 5.0)
    assert curve.steps[curve.values == 9.0].tolist() == peaks[:2]


@pytest.mark.parametrize(
    "megabytes", [8, pytest.param(200, marks=pytest.mark.nightly)], ids=["short", "long"]
)
def test_that_a_long_curve_is_read_whole_and_drawn_by_its_peaks(
    tmp_path: Path, megabytes: int
) -> None:
    points = 1 << 15
    pieces = (megabytes << 20) // (16 * points)
    journal = written(tmp_path, 1, 1)
    peak = pieces * points // 2
    for piece in range(pieces):
        steps = np.arange(piece * points, (piece + 1) * points) + 2
        values = np.sin(steps / 1000.0)
        values[steps == peak] = 9.0
        journal.extend("train.loss", steps.tolist(), values.tolist())
        journal.commit()
    journal.close()
    curve = Curve("train.loss")
    with RunStore.open(tmp_path) as store:
        curve.update(store)
    assert len(curve.steps) == pieces * points + 1 if megabytes == 8 else curve.thinnings
    assert not curve.is_repaired
    steps, values = decimate(curve.steps, curve.values, 500)
    assert len(steps) <= 2 * 500 + 3
    assert steps[np.argmax(values)] == peak
    assert bool((np.diff(steps) > 0).all())
