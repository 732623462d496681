"""Files of each source that are lost, cut off, replaced or forbidden: a sentence and its place, in
both languages, in the proposal and in the data that was chosen before.
"""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.data.source.registry import forget_sources
from engine.diagnostics import DiagnosticError, sentence
from engine.query.data.answer import describe_data
from engine.query.data.peek import peek_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import DescribeData, PeekData, ProposeData
from engine.spec.run import DataSpec
from tests.played_disk import DiskCall, played_disk, refusal
from tests.user_data import SOURCES, Made


def gone(made: Made) -> None:
    root, _ = made
    if root.is_dir():
        shutil.rmtree(root)
    else:
        root.unlink()


def cut_off(made: Made) -> None:
    content = made[1].read_bytes()
    made[1].write_bytes(content[: len(content) // 2])


def empty(made: Made) -> None:
    made[1].write_bytes(b"")


def web_page(made: Made) -> None:
    made[1].write_bytes(b"<!DOCTYPE html><html><body>404 not found</body></html>\n" * 3)


def loop(made: Made) -> None:
    made[1].unlink()
    made[1].symlink_to(made[1])


def pipe(made: Made) -> None:
    made[1].unlink()
    os.mkfifo(made[1])


FAULTS: tuple[Callable[[Made], None], ...] = (gone, cut_off, empty, web_page, loop, pipe)
CODES = {"D021", "D055"}
"""That there is no permission, or that it cannot be read."""
HARMLESS = {"text", "text_folder", "csv", "json_lines", "yolo"}
"""What may be cut off and is still whole: lines."""


@cache
def proposed(name: str, folder: Path) -> DataSpec:
    """Return what is proposed for data of a kind that lies in a folder."""
    made = SOURCES[name](folder)
    return propose_data(ProposeData(path=str(made[0]))).spec.data


def data_of(name: str, folder: Path, anywhere: Path) -> tuple[Made, DataSpec]:
    """Return data in a folder and what was proposed for it, as for the same in another folder."""
    made = SOURCES[name](folder)
    data = proposed(name, anywhere / name)
    params = {
        key: value.replace(str(anywhere / name), str(folder)) if isinstance(value, str) else value
        for key, value in data.source.params.items()
    }
    return made, replace(data, source=replace(data.source, params=params))


@pytest.fixture(scope="module")
def anywhere(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a folder for each kind of data."""
    folder = tmp_path_factory.mktemp("proposed")
    for name in SOURCES:
        (folder / name).mkdir()
    return folder


def told(act: Callable[[], object]) -> str:
    """Return the codes of what is told, each sentence looked at."""
    try:
        result = act()
        info = getattr(result, "info", result)
        problems = getattr(info, "problems", ())
    except DiagnosticError as error:
        problems = error.problems
    for problem in problems:
        for language in ("en", "zh_CN"):
            text = sentence(problem, language)
            assert text
            assert "{" not in text
            assert "Error" not in text
    return " ".join(problem.code for problem in problems)


@pytest.mark.fault("B04", "B11", "B12", "F08")
@pytest.mark.parametrize("fault", FAULTS, ids=[fault.__name__ for fault in FAULTS])
@pytest.mark.parametrize("name", list(SOURCES))
def test_that_a_spoiled_file_is_told_by_the_proposal_and_by_the_data(
    tmp_path: Path, anywhere: Path, name: str, fault: Callable[[Made], None]
) -> None:
    made, data = data_of(name, tmp_path, anywhere)
    fault(made)
    forget_sources()
    anew = told(lambda: propose_data(ProposeData(path=str(made[0]))))
    told(lambda: peek_data(PeekData(path=str(made[0]))))
    forget_sources()
    again = told(lambda: describe_data(DescribeData(data=data)))
    if made[0] == made[1] and not (fault is cut_off and name in HARMLESS):
        assert anew or (name == "text" and fault is web_page)  # which is a text
        assert again or (name == "text" and fault is web_page)
    if fault is gone:
        assert anew
        assert again


@pytest.fixture
def forbidden() -> Iterator[list[Path]]:
    """Return what may not be opened or listed: tests may run as a user who may all."""
    paths: list[Path] = []

    def check(call: DiskCall) -> None:
        if call.kind == "status" and call.path in paths:
            return  # that it is there can be seen
        if call.path in paths or not set(paths).isdisjoint(call.path.parents):
            raise refusal(errno.EACCES, call.path)

    with played_disk(check):
        yield paths


@pytest.mark.fault("B12", "F08")
@pytest.mark.parametrize("which", ["what was chosen", "the folder above"])
@pytest.mark.parametrize("name", list(SOURCES))
def test_that_data_that_may_not_be_read_is_told(tmp_path, anywhere, forbidden, name, which):
    (tmp_path / "in").mkdir()
    made, data = data_of(name, tmp_path / "in", anywhere)
    forbidden.append(made[0] if which == "what was chosen" else tmp_path / "in")
    forget_sources()
    assert told(lambda: propose_data(ProposeData(path=str(made[0])))).split()[0] in CODES
    told(lambda: peek_data(PeekData(path=str(made[0]))))
    forget_sources()
    told(lambda: describe_data(DescribeData(data=data)))
    forbidden.clear()
    forget_sources()
    assert told(lambda: describe_data(DescribeData(data=data))) == ""


@pytest.mark.fault("B13")
@pytest.mark.parametrize("name", ["x" * 300, "x" * 300 + ".csv", f"{'x' * 300}/a.npy", "a\0b.txt"])
def test_that_a_name_that_no_file_can_have_is_told(tmp_path: Path, name: str) -> None:
    path = str(tmp_path / name)
    assert told(lambda: propose_data(ProposeData(path=path))) in CODES | {"D020", "D130", "D131"}
    told(lambda: peek_data(PeekData(path=path)))
