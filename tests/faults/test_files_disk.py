"""Errors of the disk at every call, full disks and short writes, while a project is saved."""

import errno
import io
import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.diagnostics import DiagnosticError, sentence
from engine.files import (
    FileWriteError,
    atomic_write,
    remove_stale_temporaries,
    remove_unfinished,
)
from engine.project import Project
from tests.played_disk import DiskCall, played_disk


class Disk:
    """Counts the calls that reach the disk and lets one of them fail."""

    def __init__(self, fails_at: int, number: int) -> None:
        self.fails_at = fails_at
        self.number = number
        self.calls = 0

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **options: Any) -> Any:
            self.calls += 1
            if self.calls == self.fails_at:
                raise OSError(self.number, os.strerror(self.number))
            return function(*arguments, **options)

        return called


class Stream(io.FileIO):
    """A file whose calls are counted."""

    disk: Disk

    def write(self, data: Any) -> int:
        return self.disk(super().write)(data)

    def flush(self) -> None:
        return self.disk(super().flush)()


@contextmanager
def used(disk: Disk) -> Iterator[None]:
    real_fdopen = os.fdopen

    def opened(call: DiskCall) -> None:
        if call.flags & os.O_WRONLY:
            disk(lambda: None)()

    def stream_counted(descriptor: int, mode: str = "r", *rest: Any, **options: Any) -> Any:
        if mode != "wb":
            return real_fdopen(descriptor, mode, *rest, **options)
        stream = Stream(descriptor, mode)
        stream.disk = disk
        return stream

    with played_disk(opened), pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setattr(os, "fdopen", stream_counted)
        monkeypatch.setattr(os, "fsync", disk(os.fsync))
        monkeypatch.setattr(os, "replace", disk(os.replace))
        yield


def changed(path: Path, epochs: int) -> Project:
    project = Project.open(path)
    project.spec = msgspec.structs.replace(project.spec, epochs=epochs)
    return project


@pytest.mark.fault("F04")
@pytest.mark.parametrize("number", [errno.EIO, errno.ENOSPC, errno.EACCES, errno.EROFS])
def test_that_an_error_at_any_call_leaves_the_old_project_and_a_retry_saves(tmp_path, number):
    path = Project.create(tmp_path / "project").path
    failures: list[DiagnosticError] = []
    epochs = Project.open(path).spec.epochs
    for fails_at in range(1, 30):
        before = (path / "project.json").read_bytes()
        project = changed(path, 100 + fails_at)
        disk = Disk(fails_at, number)
        with used(disk):
            try:
                project.save()
            except DiagnosticError as error:
                failures.append(error)
        if disk.calls < fails_at:
            break
        was_replaced = (path / "project.json").read_bytes() != before
        assert Project.open(path).spec.epochs == (100 + fails_at if was_replaced else epochs)
        project.save(overwrite=True)
        epochs = 100 + fails_at
        assert Project.open(path).spec.epochs == epochs
    assert len(failures) == fails_at - 1
    assert all(str(path) in sentence(error.problems[0]) for error in failures)
    assert len(failures) >= 5
    assert [file.name for file in path.iterdir()] == ["project.json"]


@pytest.mark.fault("F05")
def test_that_a_full_disk_is_told_with_the_folder_and_nothing_is_lost(tmp_path):
    path = Project.create(tmp_path / "project").path
    before = (path / "project.json").read_bytes()
    project = changed(path, 3)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, hard))
    try:
        with pytest.raises(DiagnosticError) as error:
            project.save()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    problem = error.value.problems[0]
    assert problem.code == "P002"
    assert str(path) in sentence(problem)
    assert (path / "project.json").read_bytes() == before
    assert [file.name for file in path.iterdir()] == ["project.json"]
    project.save()
    assert Project.open(path).spec.epochs == 3


@pytest.mark.fault("F06")
def test_that_a_short_write_never_takes_the_place_of_the_project(tmp_path, monkeypatch):
    path = Project.create(tmp_path / "project").path
    before = (path / "project.json").read_bytes()
    project = changed(path, 3)

    class Short(io.FileIO):
        def write(self, data: Any) -> int:
            return super().write(data[: len(data) // 2])

    real_fdopen = os.fdopen
    monkeypatch.setattr(
        os,
        "fdopen",
        lambda descriptor, mode="r", *rest, **options: (
            Short(descriptor, mode)
            if mode == "wb"
            else real_fdopen(descriptor, mode, *rest, **options)
        ),
    )
    with pytest.raises(DiagnosticError) as error:
        project.save()
    assert error.value.problems[0].code == "P002"
    monkeypatch.undo()
    assert (path / "project.json").read_bytes() == before
    assert [file.name for file in path.iterdir()] == ["project.json"]


@pytest.mark.fault("F06")
def test_that_a_write_that_lies_about_its_length_is_found(tmp_path, monkeypatch):
    path = Project.create(tmp_path / "project").path
    project = changed(path, 3)

    class Liar(io.FileIO):
        def write(self, data: Any) -> int:
            super().write(data[: len(data) // 2])
            return len(data)

    real_fdopen = os.fdopen
    monkeypatch.setattr(
        os,
        "fdopen",
        lambda descriptor, mode="r", *rest, **options: (
            Liar(descriptor, mode)
            if mode == "wb"
            else real_fdopen(descriptor, mode, *rest, **options)
        ),
    )
    with pytest.raises(DiagnosticError):
        project.save()
    monkeypatch.undo()
    assert Project.open(path).spec.epochs == 10


@pytest.mark.fault("B14")
def test_that_a_folder_that_cannot_be_written_is_told(tmp_path):
    path = Project.create(tmp_path / "project").path
    project = changed(path, 3)
    path.chmod(0o500)
    try:
        if os.access(path, os.W_OK):
            pytest.skip("this user may write everywhere")
        with pytest.raises(DiagnosticError) as error:
            project.save()
    finally:
        path.chmod(0o700)
    assert error.value.problems[0].code == "P003"


def test_that_a_device_or_a_pipe_is_not_replaced_by_a_file(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(FileWriteError) as error:
        atomic_write(pipe, b"x")
    assert error.value.problems[0].code == "P007"
    assert "pipe" in sentence(error.value.problems[0])
    assert [path.name for path in tmp_path.iterdir()] == ["pipe"]
    assert pipe.is_fifo()


def test_that_what_an_ended_process_left_of_a_file_is_removed_and_nothing_else(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    kept = [f".o.csv.{os.getpid()}.ab.tmp", f".other.csv.{gone.pid}.ab.tmp", ".o.csv.mine.tmp"]
    for name in (*kept, f".o.csv.{gone.pid}.ab.tmp"):
        (tmp_path / name).write_text("x")
    (tmp_path / f".o.csv.{gone.pid}.cd.tmp").mkdir()
    remove_unfinished(tmp_path, "o.csv")
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)


def test_that_names_of_digits_are_read_as_they_are_meant_when_old_files_are_removed(tmp_path):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    kept = [f".own.json.{os.getpid()}.{'7' * 16}.tmp", f".foreign.{'9' * 12}.tmp"]
    for name in (*kept, f".old.json.{gone.pid}.{'7' * 16}.tmp"):
        (tmp_path / name).write_text("x")
    remove_stale_temporaries(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)
