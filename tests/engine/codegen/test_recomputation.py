"""Nodes whose activations are recomputed: the code, the way back from it, the same bits."""

import pytest
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from engine.custom.trust import set_trust
from engine.graph.codec import from_document, to_document
from engine.graph.comparison import diff
from engine.graph.edit.block_edits import GroupNodes, SetRepeat
from engine.graph.edit.edits import Batch, EditBlock, apply
from engine.graph.error import GraphError
from engine.graph.model import Graph
from engine.graph.node_state.recomputation import RecomputeNodes
from engine.model.module import to_module
from tests.engine.graph.builder import model
from tests.engine.reader.test_follow import plain, require_same, typed, written


def classifier(*, has_norm: bool = True) -> Graph:
    norm = (("BatchNorm1d", {}, "norm"),) if has_norm else ()
    graph = model(
        (6,),
        ("Linear", {"out_features": 8}, "first"),
        ("Linear", {"out_features": 8}, "wide"),
        *norm,
        ("Tanh", {}, "act"),
        ("Dropout", {"p": 0.5}, "drop"),
        ("Linear", {"out_features": 3}, "last"),
    )
    ids = tuple(i for i in ("wide", "norm", "act", "drop") if i in graph.nodes)
    return apply(GroupNodes(ids=ids, name="Body"), graph)


def marked(graph: Graph, *ids: str) -> Graph:
    return apply(RecomputeNodes(ids=ids or ("body",)), graph)


def steps(module: nn.Module, count: int = 3) -> list[Tensor]:
    """Train some steps and return the losses, all weights and buffers, and a random number."""
    torch.manual_seed(1)
    module.train()
    optimizer = torch.optim.Adam(module.parameters())
    losses = []
    for _ in range(count):
        loss = module(torch.randn(16, 6)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return [*losses, *module.state_dict().values(), torch.rand(1)]


def seeded(graph: Graph) -> nn.Module:
    torch.manual_seed(0)
    return to_module(graph)


def test_that_the_code_is_that_of_pytorch_s_documentation() -> None:
    source = written(marked(classifier(has_norm=False))).source
    assert "from torch.utils.checkpoint import checkpoint\n" in source
    assert "= checkpoint(self.body, first, use_reentrant=False)\n" in source


@pytest.mark.parametrize("has_norm", [False, True])
def test_that_training_has_the_same_bits_and_updates_statistics_once(has_norm: bool) -> None:
    graph = classifier(has_norm=has_norm)
    kept, recomputed = steps(seeded(graph)), steps(seeded(marked(graph)))
    assert all(map(torch.equal, kept, recomputed))
    if has_norm:
        assert int(seeded(graph).state_dict()["body.norm.num_batches_tracked"]) == 0
        assert 3 in [int(value) for value in recomputed if not value.is_floating_point()]


def test_that_plain_checkpoint_would_update_statistics_twice() -> None:
    """What the helper in the code is for."""
    module = seeded(classifier())
    body = module.get_submodule("body")
    forward = body.forward
    body.forward = lambda x: checkpoint(forward, x, use_reentrant=False)
    assert 6 in [int(value) for value in steps(module) if not value.is_floating_point()]


def test_that_every_copy_of_a_repeated_layer_is_recomputed() -> None:
    graph = model(
        (6,), ("Linear", {"out_features": 6}, "fc"), ("Linear", {"out_features": 3}, "last")
    )
    graph = apply(SetRepeat(id="fc", repeat=3), graph)
    recomputed = marked(graph, "fc")
    assert "fc = checkpoint(layer, fc, use_reentrant=False)" in written(recomputed).source
    assert all(map(torch.equal, steps(seeded(graph)), steps(seeded(recomputed))))
    require_same(recomputed)
    require_same(marked(apply(SetRepeat(id="fc", repeat=3, tied=True), graph), "fc"))


@pytest.mark.parametrize("has_norm", [False, True])
def test_that_the_code_is_read_back(has_norm: bool) -> None:
    graph = classifier(has_norm=has_norm)
    require_same(marked(graph))
    require_same(marked(graph, "first", "last"))


def test_that_checkpoint_may_be_typed_and_taken_away_again() -> None:
    graph = classifier(has_norm=False)
    text = written(graph).source
    call = "checkpoint(self.body, first, use_reentrant=False)"
    after = typed(graph, text.replace("self.body(first)", f"torch.utils.checkpoint.{call}"))
    assert plain(after) == marked(graph)
    assert plain(typed(after, text)) == graph


def test_that_another_kind_of_checkpoint_stays_the_code_that_it_is() -> None:
    graph = classifier(has_norm=False)
    text = written(marked(graph)).source.replace("use_reentrant=False", "use_reentrant=True")
    after = typed(graph, text)
    assert not any(node.recompute for node in after.nodes.values())
    assert "use_reentrant=True" in "".join(after.code.values())


@pytest.mark.parametrize("has_norm", [False, True])
def test_that_a_mark_comes_into_a_typed_text_and_goes_again(has_norm: bool) -> None:
    graph = classifier(has_norm=has_norm)
    graph = typed(graph, written(graph).source + "# mine\n")
    after = marked(graph)
    text = written(after).source
    assert text.endswith("# mine\n")
    assert "(self.body, first" in text
    again = typed(after, text)
    assert plain(again) == plain(after)
    set_trust(again.code, trusted=True)
    assert all(map(torch.equal, steps(seeded(plain(graph))), steps(seeded(again))))
    back = apply(RecomputeNodes(ids=("body",), recompute=False), again)
    assert "self.body(first)" in written(back).source


def test_that_the_mark_is_kept_in_files_and_seen_by_comparisons() -> None:
    graph = marked(classifier())
    assert from_document(to_document(graph)) == graph
    assert diff(classifier(), graph).changed == ("body",)


def test_that_what_no_forward_calls_is_refused() -> None:
    graph = classifier()
    with pytest.raises(GraphError) as error:
        marked(graph, "x")
    assert error.value.problems[0].code == "V031"
    inside = EditBlock(block="Body", edit=RecomputeNodes(ids=("wide",)))
    with pytest.raises(GraphError) as error:
        apply(inside, graph)
    assert error.value.problems[0].code == "V030"
    both = apply(Batch(edits=(RecomputeNodes(ids=("x", "first")),)), graph)
    assert both.nodes["first"].recompute
    assert not both.nodes["x"].recompute
