"""Batch norms become SyncBatchNorm, in the model and in its blocks."""

import pytest
import torch
from torch import nn

from engine.graph.edit.block_edits import GroupNodes
from engine.graph.edit.edits import apply
from engine.graph.error import GraphError
from engine.graph.node_state.synchronizing import synchronized
from engine.model.analysis import analyse
from engine.model.module import to_module
from tests.tiny_run import iris_graph, node

NORMS = (
    node("BatchNorm1d", "norm", momentum=0.3),
    node("Linear", "square", out_features=8),
    node("BatchNorm1d", "inner", affine=False),
)


@pytest.mark.row("S085")
def test_that_all_batch_norms_are_converted_as_torch_converts_them():
    graph = apply(GroupNodes(ids=("square", "inner"), name="part"), iris_graph(*NORMS))
    found = synchronized(graph)
    assert analyse(found).is_ok()
    with torch.random.fork_rng(devices=[]):
        ours = to_module(found)
        theirs = nn.SyncBatchNorm.convert_sync_batchnorm(to_module(graph))
    kinds = [type(module) for module in ours.modules()]
    assert kinds.count(nn.SyncBatchNorm) == 2
    assert [str(m) for m in ours.modules() if isinstance(m, nn.SyncBatchNorm)] == [
        str(m) for m in theirs.modules() if isinstance(m, nn.SyncBatchNorm)
    ]
    assert list(ours.state_dict()) == list(theirs.state_dict())
    theirs.load_state_dict(ours.state_dict())
    value = torch.rand(4, 4, generator=torch.Generator().manual_seed(0))
    assert torch.equal(ours(value), theirs(value))  # in one process as a plain batch norm


def test_that_a_model_without_batch_norms_says_so():
    with pytest.raises(GraphError) as caught:
        synchronized(iris_graph())
    assert caught.value.problems[0].code == "G129"
