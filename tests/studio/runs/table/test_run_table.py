"""What the Runs workspace says about several runs."""

import pytest

from engine.project import Project
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from engine.spec.fields import set_text
from studio.i18n import Language
from studio.runs.rows import RunRecord, present_differences


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


def titles(records, language: str = "en") -> dict[str, str]:
    return {row.id: row.cells[0] for row in present_differences(records, language).rows}


GROUP = {"groups__0__match": "layer4"}


@pytest.mark.parametrize(
    ("language", "title"),
    [
        ("en", "Parameter group 1 (layer4) · Learning rate"),
        ("zh_CN", "参数组 1（layer4）· 学习率"),
    ],
)
def test_that_a_setting_of_a_group_is_not_taken_for_that_of_the_optimizer(
    qapp, record, language, title
):
    words = Language(qapp)
    words.switch(language)
    try:
        first = record("a", **GROUP, groups__0__lr="0.001")
        second = record("b", **GROUP, groups__0__lr="0.0001")
        assert titles([first, second], language) == {"groups.0.lr": title}
    finally:
        words.switch("en")


def test_that_groups_of_other_parameters_are_not_called_after_those_of_one_run(qapp, record):
    first = record("a", **GROUP, groups__0__lr="0.001")
    second = record("b", groups__0__match="fc", groups__0__lr="0.0001")
    found = titles([first, second])
    assert found["groups.0.lr"] == "Parameter group 1 · Learning rate"
    assert found["groups.0.match"].startswith("Parameter group 1 · ")
    without = titles([record("c"), first])
    assert without["groups.0.lr"] == "Parameter group 1 (layer4) · Learning rate"


def test_that_a_group_of_many_names_leaves_room_for_the_setting(qapp, record):
    many = {"groups__0__match": ", ".join(f"layer{number}.conv" for number in range(60))}
    table = [record("a", **many), record("b", **many, groups__0__lr="0.5")]
    title = titles(table)["groups.0.lr"]
    assert title.startswith("Parameter group 1 (layer0.conv, ")
    assert title.endswith("…) · Learning rate")
    assert len(title) < 100
