"""What ``check`` tells about the weights that a run would begin with, and about what is frozen."""

import msgspec
import pytest

from engine.archive.weights import write_weights
from engine.graph.edit.edits import Batch, RenameNode, apply
from engine.graph.edit.surgery import ReplaceHeads
from engine.graph.node_state.freezing import FreezeNodes
from engine.model.module import to_module
from engine.project import Project


@pytest.fixture
def started(project):
    """Return a project with a file of weights, a frozen and renamed layer and a new head."""
    opened = Project.open(project)
    (project / "weights").mkdir()
    write_weights(to_module(opened.graph).state_dict(), project / "weights" / "a.safetensors")
    edits = (RenameNode(id="hidden", name="body"), FreezeNodes(ids=("hidden",)))
    graph = apply(Batch(edits=(*edits, ReplaceHeads(size=5))), opened.graph)
    opened.graph = graph
    opened.spec = msgspec.structs.replace(
        opened.spec, weights="weights/a.safetensors", renamed={"body": "hidden"}
    )
    opened.save()
    return project


@pytest.mark.row("S122")
def test_that_check_tells_which_weights_are_kept_dropped_and_new(run, started):
    document = run("check", started, "--json").json()
    report = document["weights"]
    assert report["file"] == "a.safetensors"
    assert report["kept"] == ["body.weight", "body.bias"]
    assert len(report["other_shape"]) == 2
    assert report["new"] == report["dropped"] == []
    assert document["frozen"] == 4 * 16 + 16
    text = run("check", started).out
    assert "80 frozen" in text
    assert "a.safetensors: 2 weights loaded" in text
    assert "2 new (different shape in the file)" in text


def test_that_a_file_that_is_not_there_is_told_in_one_line(run, started):
    (started / "weights" / "a.safetensors").unlink()
    done = run("check", started)
    assert done.code == 1
    assert "a.safetensors" in done.err
