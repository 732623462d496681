"""Whoever waits for data to be read is told how far it is, and can give it up."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from PIL import Image

from engine.data.read.listening import listening
from engine.data.read.table import read_table
from engine.data.source import image_cache
from engine.data.source.image_cache import load_index
from engine.data.source.image_index import build_index
from engine.diagnostics import DiagnosticError

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
