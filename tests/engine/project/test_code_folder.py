"""``code/`` of a project: saved as plain files, read as text, nothing lost and nothing run."""

import json
import sys
from pathlib import Path

import msgspec
import pytest

from engine.catalog.code.file import MAXIMUM_BYTES
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.project import Project

TEXT = "# Grüße\r\nclass Norm:\n    pass\n"


@pytest.fixture(name="saved")
def _saved(project: Project) -> Project:
    set_code(project, {"layers.py": TEXT, "tools.py": "x = 1\n"})
    project.save()
    return project


def set_code(project: Project, code: dict[str, str]) -> None:
    project.graph = msgspec.structs.replace(project.graph, code=code)


def codes(project: Project) -> list[str]:
    return [problem.code for problem in project.notices]


def test_that_texts_are_files_and_the_document_holds_their_hashes(saved: Project):
    assert (saved.path / "code" / "layers.py").read_bytes() == TEXT.encode()
    document = json.loads(saved.file.read_bytes())
    assert set(document["code"]) == {"layers.py", "tools.py"}
    assert "code" not in document["graph"]
    again = Project.open(saved.path)
    assert again.graph == saved.graph
    assert again.notices == ()
    assert not again.is_modified()
    before = saved.file.read_bytes()
    again.save()
    assert saved.file.read_bytes() == before


def test_that_a_file_edited_by_hand_is_taken_and_told(saved: Project):
    (saved.path / "code" / "tools.py").write_text("x = 2\n")
    again = Project.open(saved.path)
    assert again.graph.code["tools.py"] == "x = 2\n"
    assert codes(again) == ["U024"]
    again.save()
    assert codes(Project.open(saved.path)) == []


def _missing(path: Path) -> None:
    path.unlink()


def _not_text(path: Path) -> None:
    path.write_bytes(b"\xff\xfe\x00")


def _huge(path: Path) -> None:
    path.write_bytes(b"#" * (MAXIMUM_BYTES + 1))


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _link(path: Path) -> None:
    path.unlink()
    path.symlink_to(__file__)


@pytest.mark.parametrize(
    ("spoil", "code"),
    [
        (_missing, "U020"),
        (_not_text, "U021"),
        (_huge, "U018"),
        (_folder, "U022"),
        (_link, "U022"),
    ],
)
def test_that_what_cannot_be_read_is_told_kept_and_never_overwritten(saved: Project, spoil, code):
    path = saved.path / "code" / "tools.py"
    spoil(path)
    again = Project.open(saved.path)
    assert set(again.graph.code) == {"layers.py"}
    assert codes(again) == [code]
    again.spec = msgspec.structs.replace(again.spec, epochs=9)
    again.save()
    assert "tools.py" in json.loads(saved.file.read_bytes())["code"]
    if code == "U020":
        return
    left = path.read_bytes() if path.is_file() else None
    set_code(again, {**again.graph.code, "tools.py": "mine = 1\n"})
    with pytest.raises(DiagnosticError) as raised:
        again.save()
    assert raised.value.problems[0].code == "U025"
    assert (path.read_bytes() if path.is_file() else None) == left


def test_that_removing_a_file_deletes_it_and_only_it(saved: Project):
    other = saved.path / "code" / "notes.txt"
    other.write_text("mine")
    set_code(saved, {"layers.py": TEXT})
    saved.save()
    assert [path.name for path in sorted((saved.path / "code").iterdir())] == [
        "layers.py",
        "notes.txt",
    ]


def test_that_another_programs_change_is_seen_and_not_overwritten(saved: Project):
    path = saved.path / "code" / "tools.py"
    assert saved.changed_code() == {}
    path.write_text("theirs = 1\n")
    assert saved.changed_code() == {"tools.py": "theirs = 1\n"}
    set_code(saved, {"layers.py": TEXT, "tools.py": "mine = 1\n"})
    with pytest.raises(DiagnosticError) as raised:
        saved.save()
    assert raised.value.problems[0].code == "U025"
    assert path.read_text() == "theirs = 1\n"
    saved.take_code(saved.changed_code())
    saved.save()
    assert path.read_text() == "mine = 1\n"
    path.unlink()
    assert saved.changed_code() == {"tools.py": None}


def test_that_unsaved_code_is_recovered(saved: Project):
    set_code(saved, {"layers.py": TEXT + "# more\n"})
    saved.autosave()
    (left,) = Project.open(saved.path).recoveries()
    assert left.graph.code == {"layers.py": TEXT + "# more\n"}
    saved.save()
    assert Project.open(saved.path).recoveries() == ()


def test_that_a_copy_takes_the_code_along(saved: Project, tmp_path: Path):
    copy = saved.save_as(tmp_path / "copy")
    assert Project.open(copy.path).graph.code == saved.graph.code


@pytest.mark.parametrize("listed", [[], {"a.py": 1}, "x"])
def test_that_a_damaged_list_of_files_is_refused(saved: Project, listed):
    document = json.loads(saved.file.read_bytes()) | {"code": listed}
    saved.file.write_text(json.dumps(document))
    with pytest.raises(DiagnosticError) as raised:
        Project.open(saved.path)
    assert raised.value.problems[0].code == "P012"


@pytest.mark.fault("S03")
def test_that_names_that_lead_out_of_the_folder_are_not_looked_for(saved: Project, tmp_path: Path):
    outside = tmp_path / "secret.py"
    outside.write_text("secret = 1")
    document = json.loads(saved.file.read_bytes())
    document["code"]["../../secret.py"] = "0"
    saved.file.write_text(json.dumps(document))
    again = Project.open(saved.path)
    assert set(again.graph.code) == {"layers.py", "tools.py"}
    assert "torch" not in again.graph.code
    assert isinstance(again.graph, Graph)
    assert str(saved.path) not in sys.path
