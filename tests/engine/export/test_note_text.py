"""What exported training code says that it does not do as its run did."""

from types import SimpleNamespace

import pytest

from engine.export.note_text import note_text
from engine.runs.record.state import RunState
from engine.spec.run import RunSpec
from tests.engine.graph.builder import model


@pytest.mark.parametrize(("layer", "says"), [("BatchNorm1d", "losses differ"), ("ReLU", "last")])
def test_that_a_run_of_several_processes_names_batch_norms_that_saw_a_part(layer, says):
    params = {"num_features": 8} if layer == "BatchNorm1d" else {}
    graph = model((8,), (layer, params), ("Linear", {"in_features": 8, "out_features": 2}))
    job = SimpleNamespace(spec=RunSpec(mode="ddp", nproc=2), graph=graph, data=None)
    note = note_text(job, SimpleNamespace(), RunState(), has_start=False)  # type: ignore[arg-type]
    assert "mode ddp" in note
    assert says in note
