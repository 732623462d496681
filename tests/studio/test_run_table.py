"""What the Runs workspace says about several runs."""

import pytest

from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runs.state import RunState
from engine.spec.fields import set_text
from studio.presenters.run_table import RunRecord, present_differences


@pytest.fixture
def record(tmp_path):
    """Return a function that makes runs of one project with other settings."""
    project = Project.create(tmp_path / "p", "digits-mlp")

    def make(name: str, **settings: str) -> RunRecord:
        spec = project.spec
        for field, text in settings.items():
            spec = set_text(spec, field.replace("__", "."), text)
        folder = RunFolder.create(project.path, project.graph, spec, name)
        return RunRecord(folder=folder, state=RunState(), sizes={})

    return make


def test_that_only_the_settings_that_differ_are_shown_side_by_side(qapp, record):
    table = present_differences(
        [record("a", optimizer__lr="0.5"), record("b", optimizer__lr="0.25", seed="7")], "en"
    )
    assert [column.title for column in table.columns][1:] == ["a", "b"]
    cells = {row.id: row.cells[1:] for row in table.rows}
    assert cells["optimizer.lr"] == ("0.5", "0.25")
    assert cells.keys() == {"optimizer.lr", "seed"}


def test_that_settings_of_another_choice_stand_only_in_its_column(qapp, record):
    table = present_differences([record("a", optimizer="SGD"), record("b", optimizer="Adam")], "en")
    cells = {row.id: row.cells for row in table.rows}
    assert cells["optimizer"][1:] == ("SGD", "Adam")
    assert cells["optimizer.betas"][1] == ""
    assert cells["optimizer.momentum"][2] == ""


def test_that_runs_of_the_same_model_and_settings_say_so(qapp, record):
    table = present_differences([record("a"), record("b")], "en")
    assert table.rows == ()
    assert "same" in table.empty_text
