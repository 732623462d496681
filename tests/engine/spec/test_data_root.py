"""Named roots of data: where they are on this computer, and paths by their name."""

import pytest

from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.graph.model import Graph
from engine.project import Project
from engine.project.document import ProjectDocument
from engine.runs.folder import RunFolder
from engine.spec.data_path import used_roots, with_absolute_paths, with_relative_paths
from engine.spec.data_root import VARIABLE, DataRoots, known_roots, moved_root, root_of
from engine.spec.run import Choice, DataSpec, RunSpec


@pytest.fixture(autouse=True)
def _settings(tmp_path, monkeypatch):
    """Give a test settings of its own."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(VARIABLE, raising=False)


def spec_of(path) -> RunSpec:
    return RunSpec(data=DataSpec(source=Choice(type="table", params={"path": str(path)})))


def path_of(spec: RunSpec) -> str:
    return str(spec.data.source.params["path"])


def test_that_a_project_finds_its_data_on_another_computer(tmp_path):
    here, there = tmp_path / "here" / "photos", tmp_path / "there" / "bilder 图片"
    DataRoots().set({"photos": str(here)})
    spec = spec_of(here / "cats" / "a.csv")
    project = Project.create_from(tmp_path / "project", ProjectDocument(spec=spec))
    run = RunFolder.create(project.path, Graph(), project.spec)
    for file in (project.file, run.path / "run.json"):
        text = file.read_text(encoding="utf-8")
        assert '"path": "${photos}/cats/a.csv"' in text
        assert str(here) not in text
    DataRoots().set({"photos": str(there)})  # what the settings of the other computer say
    moved = Project.open(project.path)
    assert path_of(moved.spec) == str(there / "cats" / "a.csv")
    assert not moved.is_modified()
    assert path_of(RunFolder.open(run.path).document.spec) == path_of(moved.spec)


def test_that_a_path_with_an_unknown_root_stays_and_is_explained(tmp_path):
    spec = with_absolute_paths(spec_of("${photos}/cats/a.csv"), tmp_path)
    assert path_of(spec) == "${photos}/cats/a.csv"
    assert used_roots(spec) == ("photos",)
    with pytest.raises(DiagnosticError) as raised:
        load_source(spec.data.source)
    (problem,) = raised.value.problems
    assert (problem.code, problem.field) == ("D340", "data.source.path")
    assert problem.params["root"] == "photos"
    document = ProjectDocument(spec=spec)
    project = Project.create_from(tmp_path / "project", document)
    assert '"path": "${photos}/cats/a.csv"' in project.file.read_text(encoding="utf-8")


def test_that_the_folder_of_the_project_goes_before_a_root(tmp_path):
    roots = {"all": str(tmp_path)}
    spec = with_relative_paths(spec_of(tmp_path / "p" / "a.csv"), tmp_path / "p", roots=roots)
    assert path_of(spec) == "a.csv"


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ("/data/photos/cats", "${photos}/cats"),
        ("/data/photos", "${photos}"),
        ("/data/photos-2/cats", "${data}/photos-2/cats"),
        ("/elsewhere/cats", "/elsewhere/cats"),
    ],
)
def test_that_the_innermost_root_counts(tmp_path, path, written):
    roots = {"data": "/data", "photos": "/data/photos", "again": "/data"}
    roots = {"zoo": "/data", **roots} | {"again": "/other"}
    written_spec = with_relative_paths(spec_of(path), tmp_path, roots=roots)
    assert path_of(written_spec) == written
    assert path_of(with_absolute_paths(written_spec, tmp_path, roots=roots)) == path


def test_that_the_environment_goes_before_the_settings(tmp_path, monkeypatch):
    DataRoots().set({"photos": "/settings", "sounds": "/sounds"})
    monkeypatch.setenv(VARIABLE, '{"photos": "/environment", "1": "/bad", "b": "not whole"}')
    assert known_roots() == {"photos": "/environment", "sounds": "/sounds"}
    monkeypatch.setenv(VARIABLE, '["photos"]')
    assert known_roots() == {"photos": "/settings", "sounds": "/sounds"}


def test_that_each_machine_has_roots_of_its_own():
    roots = DataRoots()
    roots.set({"photos": "/here"})
    roots.set({"photos": "~/there"}, "me@gpu:22")
    assert (roots.roots(), roots.roots("me@gpu:22")) == (
        {"photos": "/here"},
        {"photos": "~/there"},
    )
    roots.set({}, "me@gpu:22")
    assert (roots.roots(), roots.roots("me@gpu:22")) == ({"photos": "/here"}, {})


@pytest.mark.parametrize(
    ("name", "path", "code"),
    [
        ("", "/a", "D341"),
        ("1st", "/a", "D341"),
        ("a/b", "/a", "D341"),
        ("a" * 41, "/a", "D341"),
        ("photos", "", "D342"),
        ("photos", "relative", "D342"),
        ("photos", "/a\n", "D342"),
        ("photos", "/" + "a" * 1024, "D342"),
    ],
)
def test_that_what_is_no_root_is_refused(name, path, code):
    with pytest.raises(DiagnosticError) as raised:
        DataRoots().set({name: path})
    assert raised.value.problems[0].code == code
    assert DataRoots().roots() == {}


@pytest.mark.parametrize("content", ["", "[]", '{"here": {"a": 1}}', '{"here": {"1": "/a"}}'])
def test_that_a_damaged_list_of_roots_is_an_empty_one(tmp_path, content):
    file = tmp_path / "data_roots.json"
    file.write_text(content)
    assert DataRoots(file).roots() == {}


@pytest.mark.parametrize("path", ["$photos/a", "${}/a", "${photos", "a/${photos}/b", "${1}/a"])
def test_that_other_paths_name_no_root(path):
    assert root_of(path) == ""


@pytest.mark.parametrize(
    ("chosen", "root"),
    [
        ("/new/pics/cats/a", ("photos", "/new/pics")),
        ("/new/pics/dogs/a", None),
        ("/cats/a", ("photos", "/")),
        ("cats/a", None),
    ],
)
@pytest.mark.parametrize("path", ["${photos}/cats/a", "/gone/photos/cats/a"])
def test_that_what_was_chosen_tells_where_a_root_is(path, chosen, root):
    roots = {} if path.startswith("$") else {"photos": "/gone/photos"}
    assert moved_root(path, chosen, roots) == root


def test_that_a_root_that_is_there_does_not_move(tmp_path):
    roots = {"photos": str(tmp_path)}
    assert moved_root(str(tmp_path / "cats"), "/new/pics/cats", roots) is None
