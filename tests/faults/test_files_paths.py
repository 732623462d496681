"""Names that people give to folders and files, and names that should not be."""

import sys
from pathlib import Path

import msgspec
import pytest

from engine.api import export
from engine.diagnostics import DiagnosticError
from engine.files import atomic_write
from engine.project import Project
from engine.runtime import start_run
from tests.tiny_run import PATIENCE_S

NAMES = {
    "Chinese": "手写数字 项目",
    "emoji": "🌱 net 🧠",
    "spaces": "  my  net ",
    "quotes": 'it\'s "mine"',
    "percent": "100%s %d %(x)s",
    "braces": "{0.__class__} {file}",
    "dash": "-rf",
    "two dashes": "--debug",
    "dot": "trailing.",
    "newline": "two\nlines",
    "tab": "a\tb",
    "backslash": "a\\b",
    "right to left": "\u202egnp.exe",
    "decomposed": "e\u0301cole",
    "255 bytes": "ü" * 127 + "x",
}
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="names that Windows refuses")


@posix_only
@pytest.mark.fault("B13")
@pytest.mark.parametrize("kind", NAMES)
def test_that_a_project_with_an_odd_name_is_made_saved_and_opened(tmp_path, kind):
    path = tmp_path / NAMES[kind]
    project = Project.create(path, "iris-mlp")
    assert project.claim() is None
    project.spec = msgspec.structs.replace(project.spec, epochs=2)
    project.autosave()
    assert len(Project.open(path).recoveries()) == 1
    project.save()
    opened = Project.open(str(path))
    assert opened.spec.epochs == 2
    assert opened.name == NAMES[kind]
    project.release()


@posix_only
@pytest.mark.fault("B13")
@pytest.mark.parametrize("kind", NAMES)
def test_that_a_file_with_an_odd_name_is_written(tmp_path, kind):
    target = tmp_path / NAMES[kind]
    atomic_write(target, b"content")
    assert target.read_bytes() == b"content"
    assert [path.name for path in tmp_path.iterdir()] == [NAMES[kind]]


@pytest.mark.fault("B13")
@pytest.mark.parametrize("name", ["x" * 256, "y" * 5000, "a\0b"])
def test_that_an_impossible_name_is_refused_in_a_sentence(tmp_path, name):
    with pytest.raises(DiagnosticError) as error:
        Project.create(tmp_path / name)
    assert error.value.problems[0].code in ("P005", "P026")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.fault("B13")
def test_that_a_relative_path_stays_right_when_the_folder_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project = Project.create("here")
    monkeypatch.chdir("/")
    project.save()
    assert project.path == tmp_path / "here"
    assert Project.open(Path(tmp_path, "here")).name == "here"


@posix_only
@pytest.mark.fault("B13")
@pytest.mark.parametrize(
    "kind", ["Chinese", "emoji", "quotes", "percent", "dash", "newline", "255 bytes"]
)
def test_that_a_project_with_an_odd_name_trains_and_exports(tmp_path, kind):
    folder = tmp_path / NAMES[kind]
    project = Project.create(folder, "iris-mlp")
    spec = msgspec.structs.replace(project.spec, epochs=1, threads=1, mode="thread")
    handle = start_run(folder, project.graph, spec, problems=())
    assert handle.wait(PATIENCE_S)
    assert handle.exit_reason == "finished"
    output = folder / NAMES[kind]
    assert export(handle.folder.path, "safetensors", output).largest_difference == 0
    assert export(handle.folder.path, "python", folder / "模型 'a'.py").largest_difference == 0
