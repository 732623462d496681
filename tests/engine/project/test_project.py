import json
import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import DiagnosticError, sentence
from engine.graph.model import Graph
from engine.project import Project


def code_of(error: pytest.ExceptionInfo[DiagnosticError]) -> str:
    return error.value.problems[0].code


def test_that_what_is_saved_is_what_is_opened(project, graph):
    opened = Project.open(project.path)
    assert (opened.graph, opened.spec) == (graph, project.spec)
    assert list(opened.graph.nodes) == list(graph.nodes)
    assert opened.name == "my project"
    assert not opened.is_modified()
    assert opened.runs_folder == project.path / "runs"


def test_that_the_file_in_the_folder_opens_the_folder(project):
    assert Project.open(project.file).path == project.path


@pytest.mark.row("P29")
def test_that_a_round_trip_leaves_the_text_as_it_was(project):
    before = project.file.read_bytes()
    opened = Project.open(str(project.path))
    opened.save()
    assert project.file.read_bytes() == before


def test_that_the_text_suits_git(project):
    text = project.file.read_text(encoding="utf-8")
    document = json.loads(text)
    assert list(document) == sorted(document)
    assert all(list(node) == sorted(node) for node in document["graph"]["nodes"])
    lines = [line for line in text.splitlines() if '"id": "fc1"' in line]
    assert len(lines) == 1
    assert "层" in lines[0]
    assert str(project.path) not in text
    assert text.endswith("}\n")


def test_that_a_node_of_an_unknown_type_and_unknown_entries_are_kept(project):
    document = json.loads(project.file.read_text(encoding="utf-8"))
    document["notes"] = {"zoom": 1.5}
    project.file.write_text(json.dumps(document), encoding="utf-8")
    opened = Project.open(project.path)
    assert opened.graph.nodes["odd"].type == "os.system"
    opened.save()
    saved = json.loads(project.file.read_text(encoding="utf-8"))
    assert saved == document


def test_that_a_newer_project_opens_for_reading_only(project):
    document = json.loads(project.file.read_text(encoding="utf-8"))
    document["format"] = 2
    document["run"]["quantum"] = True
    project.file.write_text(json.dumps(document), encoding="utf-8")
    before = project.file.read_bytes()
    opened = Project.open(project.path)
    assert opened.is_read_only
    assert [problem.code for problem in opened.notices] == ["P017"]
    assert opened.spec.epochs == 7
    with pytest.raises(DiagnosticError) as error:
        opened.save()
    assert code_of(error) == "P022"
    assert project.file.read_bytes() == before


def test_that_a_taken_folder_and_an_unknown_template_are_refused(tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "work.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for name in ("taken", "file"):
        with pytest.raises(DiagnosticError) as error:
            Project.create(tmp_path / name)
        assert code_of(error) == "P019"
    with pytest.raises(DiagnosticError) as error:
        Project.create(tmp_path / "new", "no-such")
    assert code_of(error) == "P020"
    assert "iris-mlp" in str(error.value)
    assert not (tmp_path / "new").exists()


def test_that_a_project_made_from_a_template_opens(tmp_path):
    made = Project.create(tmp_path / "iris", "iris-mlp")
    opened = Project.open(tmp_path / "iris")
    assert opened.graph == made.graph != Graph()
    assert opened.spec == made.spec


def test_that_what_is_no_project_is_said_to_be_none(tmp_path):
    for path in (tmp_path, tmp_path / "missing", tmp_path / ("x" * 300), "a\0b"):
        with pytest.raises(DiagnosticError) as error:
            Project.open(path)
        assert code_of(error) in ("P010", "P011")


def test_that_a_change_by_another_program_is_found_and_not_overwritten(project):
    other = Project.open(project.path)
    other.spec = msgspec.structs.replace(other.spec, epochs=99)
    other.save()
    assert project.has_changed_on_disk()
    project.spec = msgspec.structs.replace(project.spec, epochs=5)
    with pytest.raises(DiagnosticError) as error:
        project.save()
    assert code_of(error) == "P023"
    assert Project.open(project.path).spec.epochs == 99
    project.save(overwrite=True)
    assert Project.open(project.path).spec.epochs == 5
    assert not project.has_changed_on_disk()


def test_that_a_touched_file_has_not_changed(project):
    os.utime(project.file, (1, 1))
    assert not project.has_changed_on_disk()


def test_that_unsaved_work_is_found_after_a_crash_and_gone_after_a_save(project):
    assert project.recoveries() == ()
    project.autosave()
    assert not (project.state_folder / "autosave.json").exists()
    project.spec = msgspec.structs.replace(project.spec, epochs=42)
    project.autosave()
    (found,) = Project.open(project.path).recoveries()
    assert found.spec.epochs == 42
    assert Project.open(project.path).spec.epochs == 7
    project.save()
    assert Project.open(project.path).recoveries() == ()
    assert not (project.state_folder / "autosave.json").exists()


def test_that_an_autosave_of_what_was_saved_is_no_recovery(project):
    saved = project.spec
    project.spec = msgspec.structs.replace(saved, epochs=42)
    project.autosave()
    left = (project.state_folder / "autosave.json").read_bytes()
    project.save()
    (project.state_folder / "autosave.json").write_bytes(left)
    assert Project.open(project.path).recoveries() == ()


def test_that_a_damaged_autosave_is_no_recovery(project):
    project.state_folder.mkdir()
    (project.state_folder / "autosave.json").write_bytes(b'{"graph": [')
    assert project.recoveries() == ()


def test_that_a_copy_is_a_project_of_its_own(project, tmp_path):
    project.is_read_only = True
    copy = project.save_as(tmp_path / "copy")
    assert (copy.graph, copy.spec) == (project.graph, project.spec)
    assert Project.open(tmp_path / "copy").graph == project.graph


def test_that_a_copy_brings_the_weights_that_it_starts_from(project, tmp_path):
    project.spec = msgspec.structs.replace(project.spec, weights="weights/own.safetensors")
    (project.path / "weights").mkdir()
    (project.path / "weights" / "own.safetensors").write_bytes(b"weights")
    copy = project.save_as(tmp_path / "copy")
    assert (copy.path / copy.spec.weights).read_bytes() == b"weights"


@pytest.mark.real
def test_that_a_second_program_may_only_read(project):
    code = (
        "import sys; from engine.project import Project\n"
        "project = Project.open(sys.argv[1]); print(project.claim() is None, flush=True)\n"
        "sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(project.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path.cwd(),
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "True\n"
        problem = project.claim()
        assert problem is not None
        assert problem.code == "P021"
        assert str(other.pid) in sentence(problem)
        assert project.is_read_only
        other.kill()
    taken = Project.open(project.path)
    assert taken.claim() is None
    assert not taken.is_read_only
    taken.release()
    assert not (project.state_folder / "lock").exists()


def test_that_a_lock_of_another_computer_is_respected_and_a_torn_one_is_not(project):
    project.state_folder.mkdir()
    lock = project.state_folder / "lock"
    lock.write_text('{"pid": 1, "created": 1.0, "host": "elsewhere"}')
    problem = project.claim()
    assert problem is not None
    assert "elsewhere" in sentence(problem)
    lock.write_text('{"pid": 1')
    assert Project.open(project.path).claim() is None


def test_that_temporaries_of_the_dead_go_when_a_project_is_claimed(project):
    left = project.path / ".project.json.999999999.tmp"
    left.write_bytes(b"half")
    assert project.claim() is None
    assert not left.exists()
    project.release()


@pytest.mark.fault("B14")
def test_that_a_file_in_the_place_of_the_state_folder_is_told(project):
    project.state_folder.write_text("not a folder")
    problem = project.claim()
    assert problem is not None
    assert problem.code == "P025"
    assert str(project.state_folder) in sentence(problem)
    project.spec = msgspec.structs.replace(project.spec, epochs=8)
    project.is_read_only = False
    with pytest.raises(DiagnosticError):
        project.autosave()
    project.save()
    assert Project.open(project.path).spec.epochs == 8
