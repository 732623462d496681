"""Whoever waits for data to be read is told how far it is, and can give it up."""

import sqlite3
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from engine.data.read import stored
from engine.data.read.listening import listening
from engine.data.read.table import read_table
from engine.data.source import image_cache
from engine.data.source.image_cache import load_index
from engine.data.source.image_index import build_index
from engine.data.source.registry import forget_sources, load_source
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice
from tests.engine.data.source.test_detection_folder import as_coco, as_table, as_voc, as_yolo
from tests.sound_files import sound_folder
from tests.table_files import workbook
from tests.unconfined import unconfine

pytestmark = pytest.mark.row("P13")


def never() -> bool:
    return False


@pytest.fixture
def folder(tmp_path):
    for name in ("a", "b", "c"):
        (tmp_path / "p" / name).mkdir(parents=True)
        for number in range(3):
            Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(
                tmp_path / "p" / name / f"{number}.png"
            )
    return tmp_path / "p"


def test_that_the_files_of_a_folder_are_counted(folder):
    told = []
    with listening(told.append, never):
        assert len(load_index(folder)) == 9
    assert {each.path for each in told} == {str(folder)}
    assert sorted(each.done for each in told) == [each.done for each in told]
    assert told[-1].done >= 9
    told.clear()
    load_index(folder)  # nobody listens any more
    assert told == []


def test_that_a_folder_that_is_given_up_leaves_nothing_half_done(folder):
    asked = []
    with (
        listening(lambda _progress: None, lambda: asked.append(0) or len(asked) > 1),
        pytest.raises(DiagnosticError) as caught,
    ):
        load_index(folder)
    assert caught.value.problems[0].code == "D073"
    assert caught.value.problems[0].field == "data.source.path"
    assert len(load_index(folder)) == 9


def test_that_the_rows_of_a_table_are_counted_and_can_be_given_up(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "".join(f"{n},{n}\n" for n in range(10_000)))
    told = []
    with listening(told.append, never):
        table = read_table(path)
    assert told[-1].done == table.rows == 10_000
    assert told[0].done < 10_000
    with listening(told.append, lambda: True), pytest.raises(DiagnosticError) as caught:
        read_table(path)
    assert caught.value.problems[0].code == "D274"


def test_that_a_folder_is_indexed_once_for_two_who_want_it(folder, monkeypatch):
    began, may_go = threading.Event(), threading.Event()
    built = []

    def slow_index(*args, **options):
        built.append(args)
        began.set()
        assert may_go.wait(60)
        return build_index(*args, **options)

    monkeypatch.setattr(image_cache, "build_index", slow_index)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(load_index, folder)
        assert began.wait(60)
        second = pool.submit(load_index, folder)
        may_go.set()
        assert len(first.result(60)) == len(second.result(60)) == 9
    assert len(built) == 1


def test_that_who_waits_for_another_can_give_up_too(folder, monkeypatch):
    began, may_go = threading.Event(), threading.Event()

    def slow_index(*args, **options):
        began.set()
        assert may_go.wait(60)
        return build_index(*args, **options)

    monkeypatch.setattr(image_cache, "build_index", slow_index)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(load_index, folder)
        assert began.wait(60)
        with (
            listening(lambda _progress: None, lambda: True),
            pytest.raises(DiagnosticError) as caught,
        ):
            load_index(folder)
        may_go.set()
        assert len(first.result(60)) == 9
    assert caught.value.problems[0].code == "D073"


def test_that_who_comes_after_does_not_read_what_was_given_up(folder):
    def asked(*, begins: bool, is_given_up: bool) -> str:
        try:
            with listening(lambda _progress: None, lambda: is_given_up, begins=begins):
                return str(len(load_index(folder)))
        except DiagnosticError as error:
            return error.problems[0].code

    assert asked(begins=True, is_given_up=True) == "D073"
    assert asked(begins=False, is_given_up=False) == "D073"
    assert asked(begins=True, is_given_up=False) == "9"
    assert asked(begins=False, is_given_up=False) == "9"


def sqlite_file(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a REAL, b REAL)")
        connection.executemany("INSERT INTO t VALUES (?, ?)", ((n, n) for n in range(ROWS)))


def parquet_file(path):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    parquet.write_table(pa.table({"a": np.arange(ROWS), "b": np.arange(ROWS)}), path)


def workbook_file(path):
    path.write_bytes(workbook({"One": [["a", "b"], *([n, n] for n in range(ROWS))]}))


ROWS = 10_000
WRITTEN = {"t.db": sqlite_file, "t.parquet": parquet_file, "t.xlsx": workbook_file}


@pytest.mark.parametrize("name", WRITTEN)
def test_that_the_rows_of_every_kind_of_table_are_counted(tmp_path, monkeypatch, name):
    unconfine(monkeypatch)
    WRITTEN[name](tmp_path / name)
    told = []
    with listening(told.append, never):
        read_table(tmp_path / name)
    assert told[-1].done in (ROWS, ROWS + 1)  # the header of a sheet is a row
    with listening(told.append, lambda: True), pytest.raises(DiagnosticError) as caught:
        read_table(tmp_path / name)
    assert caught.value.problems[0].code == "D274"


@pytest.mark.real
def test_that_a_confined_reader_counts_and_ends_when_it_is_given_up(tmp_path):
    path = tmp_path / "t.xlsx"
    workbook_file(path)
    told = []
    with listening(told.append, never):
        assert read_table(path).rows == ROWS
    assert told[-1].done == told[-1].total == ROWS + 1
    given_up = time.monotonic()
    with listening(told.append, lambda: True), pytest.raises(DiagnosticError) as caught:
        read_table(path)
    assert caught.value.problems[0].code == "D274"
    assert time.monotonic() - given_up < 60


def numbers_file(path):
    np.savez(path, x=np.zeros((ROWS, 4), np.float32), y=np.arange(ROWS) % 2)


def series_file(path):
    path.write_text("a,b\n" + "".join(f"{n},{n}\n" for n in range(ROWS)))


def texts_folder(path):
    for name in ("one", "two"):
        (path / name).mkdir(parents=True)
        for number in range(3):
            (path / name / f"{number}.txt").write_text("the cat sat on the mat")


def boxes_folder(write):
    def made(path):
        path.mkdir()
        write(path)

    return made


SOURCES = {
    "arrays": ("arrays", "a.npz", numbers_file, {}, "bytes"),
    "series": ("series", "s.csv", series_file, {"length": 4}, "rows"),
    "texts": ("text", "t", texts_folder, {"task": "classification"}, "files"),
    "sounds": ("sound_folder", "s", sound_folder, {}, "files"),
    "coco": ("detection_folder", "b", boxes_folder(as_coco), {}, "rows"),
    "voc": ("detection_folder", "b", boxes_folder(as_voc), {}, "files"),
    "yolo": ("detection_folder", "b", boxes_folder(as_yolo), {}, "files"),
    "table": ("detection_folder", "b", boxes_folder(as_table), {}, "rows"),
}


@pytest.mark.parametrize("name", SOURCES)
def test_that_every_source_tells_how_far_it_is_and_can_be_given_up(tmp_path, monkeypatch, name):
    kind, file, write, more, unit = SOURCES[name]
    monkeypatch.setattr(stored, "_TOLD_BYTES", 1 << 12)
    write(tmp_path / file)
    choice = Choice(type=kind, params={"path": str(tmp_path / file), **more})
    told = []
    with listening(told.append, lambda: True), pytest.raises(DiagnosticError) as caught:
        load_source(choice)
    assert caught.value.problems[0].code in ("D073", "D274")
    forget_sources()
    with listening(told.append, never):
        load_source(choice)
    assert unit in {each.unit for each in told}


def test_that_the_hashes_of_files_are_counted(tmp_path):
    folder = sound_folder(tmp_path / "s")
    source = load_source(Choice(type="sound_folder", params={"path": str(folder)}))
    told = []
    with listening(told.append, never):
        source.keys(range(source.samples))
    assert {(each.unit, each.total) for each in told} == {("files", source.samples)}
