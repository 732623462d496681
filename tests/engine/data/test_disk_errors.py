"""A disk that fails, or was pulled, at any call while data is read; and one that is full where what
was found about data is kept.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace

from engine.data.load.load import load_data
from engine.data.source.registry import forget_sources
from engine.diagnostics import DiagnosticError, sentence
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.spec.run import DataSpec, LoaderSpec
from tests.played_disk import DiskCall, played_disk, refusal
from tests.user_data import SOURCES

MOST_CALLS = 10


class FailingDisk:
    """Counts the files that are opened, or folders that are listed, below a folder, and lets one
    fail; of those for ``writing`` all from that on.
    """

    def __init__(self, folder: Path, number: int, fails_at: int, *, writing: bool) -> None:
        self.folder = folder
        self.number = number
        self.fails_at = fails_at
        self.writing = writing
        self.calls = 0

    def visit(self, call: DiskCall) -> None:
        if call.kind == "status" or call.writes is not self.writing:
            return
        if not call.path.is_relative_to(self.folder):
            return
        self.calls += 1
        if self.calls == self.fails_at or (self.writing and self.calls > self.fails_at):
            raise refusal(self.number, call.path)


@contextmanager
def failing(folder: Path, number: int, fails_at: int, *, writing: bool) -> Iterator[FailingDisk]:
    disk = FailingDisk(folder, number, fails_at, writing=writing)
    with played_disk(disk.visit):
        yield disk


def read_all(data: DataSpec) -> int:
    """Return the number of samples of the training part, all of them read."""
    loaded = load_data(data)
    return len(next(iter(loaded.tensors("train").values())))


@pytest.mark.fault("F04", "F08")
@pytest.mark.parametrize("name", [name for name in SOURCES if name != "sqlite"])
def test_that_a_disk_that_fails_at_any_call_is_told_and_the_next_try_reads_all(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / "in").mkdir()
    made, _ = SOURCES[name](tmp_path / "in")
    data = propose_data(ProposeData(path=str(made))).spec.data
    data = replace(data, loader=LoaderSpec())
    forget_sources()
    samples = read_all(data)
    for fails_at in range(1, MOST_CALLS):
        forget_sources()
        if made.is_file():  # else a table that was read is known
            os.utime(made, (fails_at, fails_at))
        with failing(tmp_path / "in", errno.EIO, fails_at, writing=False) as disk:
            try:
                count = read_all(data)
            except DiagnosticError as error:
                count = samples
                for problem in error.problems:
                    assert str(tmp_path / "in") in sentence(problem) or problem.params
                    assert "{" not in sentence(problem, "zh_CN")
        assert count <= samples
        if disk.calls < fails_at:
            break
        forget_sources()
        assert read_all(data) == samples
    assert fails_at > 1


@pytest.mark.fault("F04", "F05")
@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EROFS, errno.EACCES])
@pytest.mark.parametrize(
    "name", ["csv", "pictures", "masks", "sounds", "text", "mixed_table", "coco"]
)
def test_that_data_is_read_where_nothing_can_be_kept_about_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, number: int
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "in").mkdir()
    (tmp_path / "cache").mkdir()
    made, _ = SOURCES[name](tmp_path / "in")
    with failing(tmp_path, number, 1, writing=True):
        proposal = propose_data(ProposeData(path=str(made)))
        data = replace(proposal.spec.data, loader=LoaderSpec())
        samples = read_all(data)
    assert samples
    left = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert left == []
    forget_sources()
    assert read_all(data) == samples
