"""What the system refused is told as what it was: read, written, removed or moved."""

import errno
import os
from pathlib import Path

import msgspec
import pytest

from engine.archive.tensor_archive import read_archive
from engine.archive.weights import read_safetensors
from engine.diagnostics import DiagnosticError, sentence
from engine.events import Stop
from engine.files import (
    FileWriteError,
    NoFileError,
    TooLargeError,
    copy_file,
    describe_os_error,
    open_append,
    remove_file,
)
from engine.graph.library import BlockLibrary
from engine.graph.model import Graph
from engine.importer.archive import read_exported
from engine.model.module import load_model_file
from engine.project import Project
from engine.project.picture import read_picture as read_project_in_picture
from engine.runs.document import append_command
from engine.runs.queue import RunQueue
from engine.runs.record.step_files import StepFiles
from engine.sandbox.reading import read_picture
from engine.spec.run import RunSpec
from studio.session.lab import Drafts, Lab
from studio.session.run_trash import RunTrash

posix = pytest.mark.skipif(os.name != "posix", reason="a link in a circle, which POSIX refuses")

WORDS = {
    "en": {
        "write": "written|write",
        "read": "read",
        "remove": "removed|remove",
        "move": "moved|move",
    },
    "zh_CN": {"write": "写入", "read": "读取", "remove": "删除", "move": "移出"},
}
WRITTEN = {"P001", "P002", "P003"}


class Content(msgspec.Struct, frozen=True):
    number: int


KIND = StepFiles(Content, folder="kind", ending="one", kept=1, unreadable="R151")


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize("task", WORDS["en"])
@pytest.mark.parametrize("number", [errno.EIO, errno.EACCES, errno.EPERM, errno.EROFS, 0])
def test_that_an_error_of_the_system_is_told_as_what_was_to_be_done(language, task, number):
    error = OSError(number, "Refused")
    problem = describe_os_error(error, Path("/data/models/net.pt"), task)
    told = sentence(problem, language)
    assert [word for word in ("net.pt", "/data/models") if word not in told] == []
    assert any(word in told for word in WORDS[language][task].split("|")), told
    others = {"write": "written", "remove": "removed", "move": "moved out"}
    assert [word for kind, word in others.items() if kind != task and word in told] == []
    assert "Refused" in problem.detail


@pytest.mark.parametrize("language", WORDS)
@pytest.mark.parametrize(
    "error",
    [
        FileNotFoundError(errno.ENOENT, "-"),
        IsADirectoryError(errno.EISDIR, "-"),
        NotADirectoryError(errno.ENOTDIR, "-"),
        OSError(errno.ENAMETOOLONG, "-"),
        TooLargeError(Path("net.pt"), 1 << 20),
        NoFileError(Path("net.pt")),
    ],
    ids=lambda error: type(error).__name__,
)
def test_that_what_cannot_be_read_is_never_told_as_not_written(language, error):
    told = sentence(describe_os_error(error, Path("/data/net.pt"), "read"), language)
    assert "net.pt" in told
    assert [
        word for word in ("writ", "写入", "Choose another folder", "其他文件夹") if word in told
    ] == []


@posix
def test_that_nothing_is_written_to_what_is_no_file_is_told_as_such(tmp_path):
    (tmp_path / "here").touch()
    (tmp_path / "link").symlink_to("here")
    with pytest.raises(NoFileError) as caught:
        open_append(tmp_path / "link")
    problem = describe_os_error(caught.value, tmp_path / "link", "write")
    assert "was not overwritten" in sentence(problem)


READERS = {
    "project in a picture": read_project_in_picture,
    "picture": read_picture,
    "exported program": read_exported,
    "archive": read_archive,
    "weights": read_safetensors,
    "class": load_model_file,
}


@posix
@pytest.mark.fault("B14")
@pytest.mark.parametrize("reader", READERS)
def test_that_a_file_that_cannot_be_read_is_told_as_such(tmp_path, reader):
    path = tmp_path / "circle.x"
    path.symlink_to(path.name)
    with pytest.raises(DiagnosticError) as caught:
        READERS[reader](path)
    (problem,) = caught.value.problems
    assert "could not be read" in sentence(problem)
    assert problem.params["file"] == path.name


@posix
@pytest.mark.fault("B14")
def test_that_drafts_that_cannot_be_read_are_told_as_such(tmp_path):
    lab = Lab(tmp_path)
    (tmp_path / "lab.json").symlink_to("lab.json")
    with pytest.raises(DiagnosticError) as caught:
        lab.read()
    assert "could not be read" in sentence(caught.value.problems[0])


@posix
@pytest.mark.fault("B14")
def test_that_the_source_of_a_copy_is_told_and_not_its_target(tmp_path):
    source, target = tmp_path / "circle.pt", tmp_path / "copy.pt"
    source.symlink_to(source.name)
    with pytest.raises(FileWriteError) as caught:
        copy_file(source, target)
    (problem,) = caught.value.problems
    assert (problem.params["file"], "could not be read" in sentence(problem)) == (source.name, True)
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


@pytest.mark.fault("B14")
def test_that_a_file_that_cannot_be_removed_is_told_as_such(tmp_path):
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(FileWriteError) as caught:
        remove_file(tmp_path / "folder.json")
    assert "could not be removed" in sentence(caught.value.problems[0])
    remove_file(tmp_path / "nothing")


def refuse(*_: object, **__: object) -> None:
    raise PermissionError(errno.EACCES, "Refused")


@pytest.mark.fault("B14")
def test_that_a_block_and_an_entry_that_cannot_be_removed_are_told_as_such(tmp_path, monkeypatch):
    queue = RunQueue(tmp_path / "queue")
    entry = queue.add(tmp_path, Graph(), RunSpec())
    library = BlockLibrary(tmp_path / "blocks")
    monkeypatch.setattr(Path, "unlink", refuse)
    for remove in (lambda: queue.remove([entry.id]), lambda: library.remove("Block")):
        with pytest.raises(DiagnosticError) as caught:
            remove()
        assert "do not have permission to remove" in sentence(caught.value.problems[0])


@pytest.mark.fault("B14")
def test_that_an_old_file_of_a_run_that_cannot_be_removed_is_told_and_the_new_one_is_there(
    tmp_path,
):
    (tmp_path / "kind" / "000000001.one").mkdir(parents=True)
    with pytest.raises(FileWriteError) as caught:
        KIND.write(tmp_path, 7, Content(7))
    (problem,) = caught.value.problems
    assert (problem.params["file"], "removed" in sentence(problem)) == ("000000001.one", True)
    assert KIND.read(tmp_path / "kind" / "000000007.one") == Content(7)


@pytest.mark.fault("B14")
def test_that_a_run_that_cannot_be_moved_is_told_as_such(tmp_path, monkeypatch):
    runs, state = tmp_path / "runs", tmp_path / "state"
    trash = RunTrash(state, runs)
    for name in ("run-0001", "run-0002"):
        (runs / name).mkdir(parents=True)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse)
        gone, (problem,) = trash.move_in([runs / "run-0001"])
    assert (gone, problem.params["file"]) == ([], "run-0001")
    assert "do not have permission to move" in sentence(problem)
    gone, problems = trash.move_in([runs / "run-0001", runs / "missing", runs / "run-0002"])
    assert (gone, [problem.params["file"] for problem in problems]) == (["run-0001"], ["missing"])
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", refuse)
        back, (problem,) = trash.bring_back()
    assert (back, "do not have permission to move" in sentence(problem)) == ([], True)
    assert trash.bring_back() == (["run-0001"], [])


@pytest.mark.fault("B14")
def test_that_a_folder_that_cannot_be_made_is_told_as_not_written(tmp_path):
    (tmp_path / "file").touch()
    gone, (problem,) = RunTrash(tmp_path / "file", tmp_path).move_in([tmp_path])
    assert gone == []
    assert problem.code not in {"P041", "P042"}
    with pytest.raises(DiagnosticError) as caught:
        append_command(tmp_path / "file" / "commands.jsonl", Stop())
    assert caught.value.problems[0].code == "P004"


@posix
@pytest.mark.fault("B14")
def test_that_a_project_that_cannot_be_looked_at_is_told_as_not_read(tmp_path):
    with pytest.raises(DiagnosticError) as caught:
        Project.open(tmp_path / "project.json" / ("x" * 300))
    assert not {problem.code for problem in caught.value.problems} & WRITTEN


@pytest.mark.fault("B14")
@pytest.mark.parametrize("place", ["file", "file/below", "x" * 300])
def test_that_drafts_whose_folder_cannot_be_made_are_told_as_not_written_and_tried_again(
    tmp_path, place
):
    (tmp_path / "file").touch()
    lab = Lab(tmp_path / place)
    lab.change(Drafts(lesson="own"))
    for _ in range(2):
        with pytest.raises(DiagnosticError) as caught:
            lab.keep()
        assert caught.value.problems[0].params["file"] == "lab.json"
    if place.startswith("file"):
        (tmp_path / "file").unlink()
        lab.keep()
        assert lab.read() == Drafts(lesson="own")
