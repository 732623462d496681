"""Paths of data: absolute in memory, relative to the project in its documents."""

import pytest

from engine.graph.model import Graph
from engine.project import Project
from engine.project.document import ProjectDocument
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec, RunSpec


def spec_of(path) -> RunSpec:
    return RunSpec(data=DataSpec(source=Choice(type="table", params={"path": str(path)})))


def path_of(spec: RunSpec) -> str:
    return str(spec.data.source.params["path"])


def test_that_data_in_a_project_moves_with_it(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    project = Project.create(first, "iris-mlp")
    project.spec = spec_of(first / "data" / "表 1.csv")
    project.save()
    run = RunFolder.create(first, Graph(), project.spec)
    assert '"path": "data/表 1.csv"' in project.file.read_text(encoding="utf-8")
    first.rename(second)
    assert path_of(Project.open(second).spec) == str(second / "data" / "表 1.csv")
    moved = RunFolder.open(second / "runs" / run.id)
    assert path_of(moved.document.spec) == str(second / "data" / "表 1.csv")


@pytest.mark.parametrize("place", ["elsewhere.csv", "first-data/a.csv"])
def test_that_data_elsewhere_stays_where_it_is(tmp_path, place):
    document = ProjectDocument(spec=spec_of(tmp_path / place))
    Project.create_from(tmp_path / "first", document)
    (tmp_path / "first").rename(tmp_path / "second")
    assert path_of(Project.open(tmp_path / "second").spec) == str(tmp_path / place)


def test_that_a_project_with_data_is_not_modified_by_opening_it(tmp_path):
    Project.create_from(tmp_path / "a", ProjectDocument(spec=spec_of(tmp_path / "a" / "b.csv")))
    assert not Project.open(tmp_path / "a").is_modified()
