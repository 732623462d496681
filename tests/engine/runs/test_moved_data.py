"""Runs whose data was moved: they follow it where the project finds it."""

import pytest
from msgspec.structs import replace

from engine.graph.model import Graph
from engine.runs.folder import RunFolder
from engine.runs.moved_data import follow_data_of_all
from engine.spec.run import Choice, DataSpec, RunSpec


def spec_at(path) -> RunSpec:
    return RunSpec(data=DataSpec(source=Choice(type="image_folder", params={"path": str(path)})))


@pytest.mark.fault("F08")
def test_that_all_runs_on_data_that_was_moved_follow_it_and_no_others(tmp_path):
    before, now, other = (tmp_path / name for name in ("photos", "相片", "other"))
    for folder in (before, other):
        folder.mkdir()
    spec = spec_at(before)
    runs = [RunFolder.create(tmp_path, Graph(), each) for each in (spec, spec, spec_at(other))]
    assert follow_data_of_all(tmp_path, spec_at(now)) == 0
    before.rename(now)
    assert follow_data_of_all(tmp_path, spec_at(now)) == 2
    found = [RunFolder.open(run.path).document.spec.data.source.params["path"] for run in runs]
    assert found == [str(now), str(now), str(other)]
    assert follow_data_of_all(tmp_path, spec_at(now)) == 0


def test_that_runs_with_other_settings_of_their_data_stay(tmp_path):
    run = RunFolder.create(tmp_path, Graph(), spec_at(tmp_path / "gone"))
    now = spec_at(tmp_path)
    source = replace(now.data.source, params=now.data.source.params | {"size": 8})
    assert follow_data_of_all(tmp_path, replace(now, data=replace(now.data, source=source))) == 0
    assert RunFolder.open(run.path).document == run.document
