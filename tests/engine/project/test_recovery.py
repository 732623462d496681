"""Unsaved work beside the project: every session has a file of its own and takes no other's."""

import os
import sys
from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.project import AUTOSAVE_NAMES, Project


def change(project: Project, epochs: int) -> None:
    project.spec = msgspec.structs.replace(project.spec, epochs=epochs)
    project.autosave()


def leave_behind(project: Project, epochs: int, name: str, *, age_s: float = 0.0) -> Path:
    """Leave unsaved work of a session that was killed and return its file."""
    other = Project.open(project.path)
    other.spec = msgspec.structs.replace(other.spec, epochs=epochs)
    before = set(files_of(project))
    other.autosave()
    (made,) = set(files_of(project)) - before
    file = (project.state_folder / made).rename(project.state_folder / name)
    os.utime(file, (file.stat().st_atime, file.stat().st_mtime - age_s))
    return file


def files_of(project: Project) -> list[str]:
    return sorted(path.name for path in project.state_folder.glob("autosave*"))


def epochs_of(project: Project) -> list[int]:
    return [recovery.spec.epochs for recovery in Project.open(project.path).recoveries()]


def test_that_what_was_taken_back_leaves_no_unsaved_work(project: Project):
    saved = project.spec
    change(project, 42)
    assert files_of(project)
    project.spec = saved
    project.autosave()
    assert files_of(project) == []


def test_that_a_session_never_writes_over_what_another_left(project: Project):
    leave_behind(project, 42, "autosave.json")
    change(project, 43)
    assert sorted(epochs_of(project)) == [42, 43]
    change(project, 44)
    assert sorted(epochs_of(project)) == [42, 44]


def test_that_a_session_forgets_its_own_work_only(project: Project):
    left = leave_behind(project, 42, "autosave.json")
    content = left.read_bytes()
    for forget in (project.save, project.discard_autosave):
        change(project, project.spec.epochs + 36)
        forget()
        assert left.read_bytes() == content
        assert files_of(project) == [left.name]


def test_that_all_of_it_is_offered_the_newest_first(project: Project):
    leave_behind(project, 50, "autosave.json", age_s=20)
    leave_behind(project, 60, "autosave-2.json", age_s=10)
    leave_behind(project, 70, "autosave-3.json", age_s=30)
    assert epochs_of(project) == [60, 50, 70]


def test_that_discarding_one_leaves_the_others(project: Project):
    leave_behind(project, 50, "autosave.json", age_s=20)
    leave_behind(project, 60, "autosave-2.json", age_s=10)
    project.discard(project.recoveries()[0])
    assert epochs_of(project) == [50]


def test_that_the_same_work_is_offered_once_and_discarded_with_its_copies(project: Project):
    leave_behind(project, 50, "autosave.json", age_s=20)
    leave_behind(project, 50, "autosave-2.json", age_s=10)
    (recovery,) = project.recoveries()
    project.discard(recovery)
    assert files_of(project) == []


def test_that_what_is_saved_by_now_goes_when_the_project_is_one_s_own(project: Project):
    left = leave_behind(project, 50, "autosave.json")
    project.spec = msgspec.structs.replace(project.spec, epochs=50)
    project.save()
    opened = Project.open(project.path)
    assert opened.recoveries() == ()
    assert left.exists()  # another window could hold the project
    assert opened.claim() is None
    assert opened.recoveries() == ()
    assert not left.exists()
    opened.release()


def test_that_a_full_folder_is_told_and_nothing_in_it_is_lost(project: Project):
    for number, name in enumerate(AUTOSAVE_NAMES):
        leave_behind(project, 100 + number, f"kept-{name}")
    for name in AUTOSAVE_NAMES:
        (project.state_folder / f"kept-{name}").rename(project.state_folder / name)
    before = {name: (project.state_folder / name).read_bytes() for name in AUTOSAVE_NAMES}
    with pytest.raises(DiagnosticError) as raised:
        change(project, 42)
    assert str(project.state_folder) in sentence(raised.value.problems[0])
    assert {name: (project.state_folder / name).read_bytes() for name in before} == before
    project.discard(project.recoveries()[-1])
    change(project, 42)
    assert 42 in epochs_of(project)


def test_that_what_cannot_be_read_is_told_and_stays(project: Project):
    leave_behind(project, 50, "autosave.json")
    damaged = project.state_folder / "autosave-2.json"
    damaged.write_bytes(b'{"graph": [')
    problems: list[Diagnostic] = []
    assert [found.spec.epochs for found in project.recoveries(problems)] == [50]
    (problem,) = problems
    assert damaged.name in sentence(problem)
    change(project, 60)
    assert damaged.read_bytes() == b'{"graph": ['
    assert 60 in epochs_of(project)


def test_that_nothing_is_written_into_a_project_for_reading_only(project: Project):
    change(project, 42)
    other = Project.open(project.path)
    other.is_read_only = True
    change(other, 43)
    other.discard_autosave()
    assert epochs_of(project) == [42]


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_that_links_in_the_place_of_unsaved_work_are_neither_read_nor_followed(
    project: Project, tmp_path: Path
):
    outside = leave_behind(project, 50, "autosave.json").rename(tmp_path / "outside.json")
    content = outside.read_bytes()
    (project.state_folder / "autosave.json").symlink_to(outside)
    (project.state_folder / "autosave-2.json").symlink_to(tmp_path / "not there")
    assert project.recoveries() == ()
    change(project, 60)
    project.discard_autosave()
    assert outside.read_bytes() == content
    assert not (tmp_path / "not there").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="links need a right there")
def test_that_nothing_is_written_or_removed_through_a_folder_that_became_a_link(
    project: Project, tmp_path: Path
):
    left = leave_behind(project, 50, "autosave.json")
    (recovery,) = project.recoveries()
    outside = project.state_folder.rename(tmp_path / "outside")
    project.state_folder.symlink_to(outside)
    with pytest.raises(DiagnosticError):
        project.discard(recovery)
    with pytest.raises(DiagnosticError):
        change(project, 60)
    assert [path.name for path in outside.iterdir()] == [left.name]


def test_that_files_of_gigabytes_hold_nothing_up(project: Project):
    leave_behind(project, 50, "autosave.json", age_s=10)
    for name in AUTOSAVE_NAMES[1:5]:
        with (project.state_folder / name).open("wb") as stream:
            stream.truncate(1 << 40)  # sparse: it takes no room on the disk
    problems: list[Diagnostic] = []
    assert [found.spec.epochs for found in project.recoveries(problems)] == [50]
    assert len(problems) == 4


def test_that_a_time_that_no_calendar_knows_is_shown_as_some_time(project: Project):
    left = leave_behind(project, 50, "autosave.json")
    os.utime(left, (0, -(1 << 33)))
    (recovery,) = project.recoveries()
    assert recovery.saved >= 0
