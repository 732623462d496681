"""``data/overlay.json``: edits of the data beside a project, read with care and written whole."""

import errno
import json
import os
from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.project import Project
from engine.spec.data_edits import DataEdits

EDITS = (
    DataEdits(source="digits")
    .excluding(["3", "cats/黑.png"], is_excluded=True)
    .relabelled(["5"], "8")
    .moved(["9"], "test")
    .tagged(["3"], "blurred")
)


def edit(project: Project, edits: DataEdits) -> None:
    data = msgspec.structs.replace(project.spec.data, edits=edits)
    project.spec = msgspec.structs.replace(project.spec, data=data)


def overlay(project: Project) -> Path:
    return project.path / "data" / "overlay.json"


@pytest.fixture(name="saved")
def _saved(project: Project) -> Project:
    edit(project, EDITS)
    project.save()
    return project


def codes(project: Project) -> list[str]:
    return [problem.code for problem in project.notices]


def test_that_edits_stand_beside_the_project_and_come_back(saved: Project):
    again = Project.open(saved.path)
    assert again.spec.data.edits == EDITS
    assert again.notices == ()
    assert not again.is_modified()
    assert "overlay" not in saved.file.read_text()
    assert "edits" not in json.loads(saved.file.read_bytes())["data"]


def test_that_each_sample_has_a_line_of_its_own_and_the_text_is_always_the_same(saved: Project):
    lines = overlay(saved).read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if "cats/黑.png" in line] == [
        '  "cats/黑.png": {"excluded": true}'
    ]
    before = overlay(saved).read_bytes()
    backwards = dict(reversed(EDITS.samples.items()))
    edit(saved, msgspec.structs.replace(EDITS, samples=backwards))
    saved.save()
    assert overlay(saved).read_bytes() == before


def test_that_a_project_without_edits_has_no_file(saved: Project):
    edit(saved, saved.spec.data.edits.without(EDITS.samples))
    saved.save()
    assert not overlay(saved).exists()
    assert Project.open(saved.path).spec == saved.spec


def test_that_a_copy_takes_the_edits_along(saved: Project, tmp_path: Path):
    copy = saved.save_as(tmp_path / "copy")
    assert overlay(copy).read_bytes() == overlay(saved).read_bytes()
    assert Project.open(copy.path).spec.data.edits == EDITS


def test_that_unsaved_edits_are_recovered(saved: Project):
    more = EDITS.excluding(["77"], is_excluded=True)
    edit(saved, more)
    saved.autosave()
    (left,) = Project.open(saved.path).recoveries()
    assert left.spec.data.edits == more
    saved.save()
    assert Project.open(saved.path).recoveries() == ()


def test_that_what_another_program_wrote_is_not_overwritten_unless_it_is_asked_for(saved: Project):
    theirs = overlay(saved).read_text(encoding="utf-8").replace('"9"', '"10"')
    overlay(saved).write_text(theirs, encoding="utf-8")
    edit(saved, EDITS.without(["9"]))
    with pytest.raises(DiagnosticError) as raised:
        saved.save()
    assert raised.value.problems[0].code == "P023"
    assert overlay(saved).read_text(encoding="utf-8") == theirs
    saved.save(overwrite=True)
    assert Project.open(saved.path).spec.data.edits == EDITS.without(["9"])


def _deep() -> str:
    return '{"samples": ' + '{"a": ' * 100_000 + "1" + "}" * 100_001


def _many() -> str:
    return '{"samples": {' + ",".join(f'"{number}":{{}}' for number in range(1_000_001)) + "}}"


LARGE = {"deep": _deep, "many": _many}
HOSTILE = {
    "cut off": '{"format": 1, "samples": {"a": {"exc',
    "no object": "[1, 2]",
    "newer": '{"format": 2, "samples": {}}',
    "no number": '{"format": "1", "samples": {}}',
    "wrong kind": '{"samples": {"a": {"excluded": "yes"}}}',
    "unknown": '{"samples": {"a": {"delete": true}}}',
    "no part": '{"samples": {"a": {"part": "../../etc"}}}',
    "long name": json.dumps({"samples": {"a" * 2000: {}}}),
    "long label": json.dumps({"samples": {"a": {"label": "b" * 2000}}}),
    "tags": json.dumps({"samples": {"a": {"tags": ["b"] * 50}}}),
    "half a character": '{"samples": {"\\ud800": {}}}',
    "binary": "\0\1\2",
    "empty": "",
}


@pytest.mark.parametrize("name", [*HOSTILE, *LARGE])
def test_that_a_file_that_is_none_is_told_and_left_as_it_is(saved: Project, name: str):
    content = LARGE[name]() if name in LARGE else HOSTILE[name]
    overlay(saved).write_text(content, encoding="utf-8")
    again = Project.open(saved.path)
    assert codes(again) == ["D184"]
    assert again.spec.data.edits == DataEdits()
    again.spec = msgspec.structs.replace(again.spec, epochs=9)
    again.save()
    assert overlay(saved).read_text(encoding="utf-8") == content
    edit(again, EDITS)
    with pytest.raises(DiagnosticError) as raised:
        again.save()
    assert raised.value.problems[0].code == "D185"
    assert overlay(saved).read_text(encoding="utf-8") == content
    again.save(overwrite=True)
    assert Project.open(saved.path).spec.data.edits == EDITS


def test_that_a_file_of_gigabytes_is_not_read(saved: Project):
    with overlay(saved).open("wb") as stream:
        stream.truncate(4 << 30)
    assert codes(Project.open(saved.path)) == ["D184"]


def test_that_a_link_is_neither_read_nor_written_through(saved: Project, tmp_path: Path):
    other = tmp_path / "other.json"
    other.write_bytes(overlay(saved).read_bytes())
    overlay(saved).unlink()
    overlay(saved).symlink_to(other)
    again = Project.open(saved.path)
    assert codes(again) == ["D184"]
    before = other.read_bytes()
    edit(again, EDITS.without(["3"]))
    with pytest.raises(DiagnosticError):
        again.save()
    again.save(overwrite=True)
    assert other.read_bytes() == before
    assert Project.open(saved.path).spec.data.edits == EDITS.without(["3"])


def test_that_a_folder_that_is_a_link_is_not_written_into(project: Project, tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project.path / "data").symlink_to(elsewhere)
    again = Project.open(project.path)
    assert again.notices == ()  # data of the user may lie anywhere
    edit(again, EDITS)
    with pytest.raises(DiagnosticError):
        again.save()
    with pytest.raises(DiagnosticError) as raised:
        again.save(overwrite=True)
    assert raised.value.problems[0].code == "P031"
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_that_a_full_disk_leaves_the_edits_that_were_and_a_retry_saves(
    saved: Project, monkeypatch: pytest.MonkeyPatch, number: int
):
    before = overlay(saved).read_bytes(), saved.file.read_bytes()
    edit(saved, EDITS.without(["3"]))
    saved.spec = msgspec.structs.replace(saved.spec, epochs=99)

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", fail)
        with pytest.raises(DiagnosticError):
            saved.save()
    assert (overlay(saved).read_bytes(), saved.file.read_bytes()) == before
    assert saved.is_modified()
    saved.save()
    assert Project.open(saved.path).spec.data.edits == EDITS.without(["3"])
