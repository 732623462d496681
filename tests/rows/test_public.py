"""The public surface as a script of a stranger uses it: text paths, fields by name, every mode."""

import json
import os

import msgspec
import pytest
from torch import nn

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup, Value
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.model.source import to_source
from engine.project import Project
from engine.runs.record.store import RunStore
from engine.runtime import start_run
from engine.spec.fields import fields, set_text
from engine.spec.run import RunSpec
from tests.tiny_run import curves


@pytest.fixture
def project(tmp_path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Return a project whose path was given as text, relative to the current folder."""
    Project.create(str(tmp_path / "mine"), "iris-mlp")
    monkeypatch.chdir(tmp_path)
    return Project.open("mine")


@pytest.mark.row("P29")
def test_that_a_script_opens_changes_and_saves_a_project_by_a_text_path(project: Project) -> None:
    before = project.file.read_bytes()
    project.save()
    assert project.file.read_bytes() == before
    project.spec = msgspec.structs.replace(project.spec, epochs=2)
    project.save()
    assert Project.open("mine/project.json").spec.epochs == 2
    source, module = to_source(project.graph), to_module(project.graph)
    assert "class Model(nn.Module):" in source
    assert isinstance(module, nn.Module)
    analysis = analyse(project.graph)
    assert analysis.is_ok()
    assert analysis.parameters == sum(weight.numel() for weight in module.parameters())


def as_text(value: Value) -> str:
    """Return a value as one writes it after ``--set NAME=``."""
    if isinstance(value, tuple):
        return ",".join(map(as_text, value))
    return "none" if value is None else json.dumps(value) if value is True else str(value)


def changed_by_their_own_text(spec: RunSpec) -> list[str]:
    """Return the fields that do not take the text of the value they have."""
    return [
        name
        for name, field in fields(spec).items()
        if set_text(spec, name, as_text(field.read(spec))) != spec
    ]


@pytest.mark.row("P29", "S163", "S175")
@pytest.mark.parametrize(
    ("part", "group"), [("optimizer", EntryGroup.OPTIMIZER), ("scheduler", EntryGroup.SCHEDULER)]
)
def test_that_every_field_is_reached_by_name_whatever_is_chosen(
    project: Project, part: str, group: EntryGroup
) -> None:
    for entry in catalog().group(group):
        assert changed_by_their_own_text(set_text(project.spec, part, entry.key)) == []


@pytest.mark.real
@pytest.mark.row("N25", "P29", "S301")
@pytest.mark.timeout(400)  # two processes load torch, perhaps on a busy machine
def test_that_a_process_and_a_thread_compute_the_same_to_the_last_bit(project: Project) -> None:
    spec = msgspec.structs.replace(project.spec, epochs=3, threads=1, seed=4)
    runs = []
    for mode in ("thread", "process"):
        chosen = msgspec.structs.replace(spec, mode=mode)
        handle = start_run(project.path, project.graph, chosen, problems=())
        assert handle.wait(300)
        assert handle.exit_reason == "finished"
        runs.append(handle.folder)
    assert curves(runs[0]) == curves(runs[1])
    with RunStore.open(os.fspath(runs[0].path)) as by_folder:
        losses = by_folder.scalars("train.loss").values
    with RunStore.open(str(runs[1].path / "events.db")) as by_file:
        assert by_file.scalars("train.loss").values.tobytes() == losses.tobytes()
