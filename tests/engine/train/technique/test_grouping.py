"""Weight decay by kind and learning rates by layer are those of a plain script."""

import copy
from pathlib import Path

import msgspec
import pytest
import torch
from torch import nn

from engine.api import check
from engine.events import RunStarted
from engine.graph.depth import weight_depths
from engine.graph.model import Edge, Graph
from engine.model.module import to_module
from engine.query.ask import ask
from engine.query.rate.request import PreviewGroups, PreviewLr
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.spec.run import Choice, ParameterGroup, RunSpec
from engine.spec.technique import LayerRatesSpec, NoDecaySpec
from engine.spec.trained_group import rate_groups
from engine.train.checkpoint.lookup import open_checkpoint
from engine.train.loop import train_epoch
from engine.train.technique.grouping import Grouping, divided
from engine.train.training import Training, build_training
from tests.engine.train.test_resume import assert_same_run, stop_at
from tests.tiny_run import RANDOM_LAYERS, chain, iris_graph, iris_spec, make_run, node, train

DECAY = Choice(type="AdamW", params={"lr": 0.01, "weight_decay": 0.5})
SKIP = NoDecaySpec(biases_and_norms=True)
HALF = LayerRatesSpec(decay=0.5)
HEAD = ParameterGroup(match="head", params={"lr": 0.03})


def new_training(spec: RunSpec) -> Training:
    torch.manual_seed(0)
    return build_training(iris_graph(*RANDOM_LAYERS), spec, to_module(iris_graph(*RANDOM_LAYERS)))


def trained_plainly(spec: RunSpec, groups: "dict[str, tuple[float, float]]") -> nn.Module:
    """Train as a script would, with the learning rate and weight decay of each parameter."""
    batches = new_training(spec)
    model = copy.deepcopy(batches.model).train()
    named = dict(model.named_parameters())
    optimizer = torch.optim.AdamW(
        [{"params": [named[name]], "lr": lr, "weight_decay": d} for name, (lr, d) in groups.items()]
    )
    schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.9)
    torch.manual_seed(1)
    for epoch in range(spec.epochs):
        for batch in batches.epoch_batches(epoch, 0):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(batch["features"]), batch["label"])
            loss.backward()
            optimizer.step()
        schedule.step()
    return model


CASES = {
    "no decay": (
        {"no_decay": SKIP},
        {
            "hidden.weight": (0.01, 0.5),
            "hidden.bias": (0.01, 0.0),
            "norm.weight": (0.01, 0.0),
            "norm.bias": (0.01, 0.0),
            "head.weight": (0.01, 0.5),
            "head.bias": (0.01, 0.0),
        },
    ),
    "rates": (
        {"layer_rates": HALF},
        {
            "hidden.weight": (0.005, 0.5),
            "hidden.bias": (0.005, 0.5),
            "norm.weight": (0.005, 0.5),
            "norm.bias": (0.005, 0.5),
            "head.weight": (0.01, 0.5),
            "head.bias": (0.01, 0.5),
        },
    ),
    "all": (
        {"no_decay": SKIP, "layer_rates": HALF, "groups": (HEAD,)},
        {
            "hidden.weight": (0.005, 0.5),
            "hidden.bias": (0.005, 0.0),
            "norm.weight": (0.005, 0.0),
            "norm.bias": (0.005, 0.0),
            "head.weight": (0.03, 0.5),
            "head.bias": (0.03, 0.0),
        },
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_that_the_weights_are_those_of_a_plain_script(case: str) -> None:
    changes, groups = CASES[case]
    exponential = Choice(type="ExponentialLR", params={"gamma": 0.9})
    spec = iris_spec(optimizer=DECAY, scheduler=exponential, **changes)
    training = new_training(spec)
    torch.manual_seed(1)
    for epoch in range(spec.epochs):
        list(train_epoch(training, epoch, 0, training.new_meter()))
        training.schedule.epoch_done(None, epoch)
    other = trained_plainly(spec, groups).state_dict()
    assert all(torch.equal(own, other[key]) for key, own in training.model.state_dict().items())


@pytest.mark.parametrize("case", CASES)
def test_that_a_stopped_run_ends_where_an_unbroken_one_does(tmp_path: Path, case: str) -> None:
    changes, _ = CASES[case]
    cycle = Choice(type="OneCycleLR", params={"max_lr": 0.05})
    runs = [
        make_run(tmp_path, optimizer=DECAY, scheduler=cycle, scheduler_interval="step", **changes)
        for _ in range(2)
    ]
    assert train(runs[0]).status is RunStatus.FINISHED
    stop_at(runs[1], 6)
    assert train(runs[1], "latest").status is RunStatus.FINISHED
    assert_same_run(runs[1], runs[0])


def test_that_norms_of_several_axes_and_biases_of_any_name_do_not_decay() -> None:
    model = nn.ModuleDict(
        {
            "norm": nn.LayerNorm((3, 4)),
            "rms": nn.RMSNorm((3, 4)),
            "attention": nn.MultiheadAttention(4, 2, add_bias_kv=True),
            "rnn": nn.GRU(4, 4),
            "conv": nn.Conv2d(1, 1, 3),
        }
    )
    members = divided(model, (), Grouping(skips_small=True))
    assert [member.group.decays for member in members] == [True, False]
    assert set(members[0].weights) == {
        *("attention.in_proj_weight", "attention.out_proj.weight"),
        *("rnn.weight_ih_l0", "rnn.weight_hh_l0", "conv.weight"),
    }
    assert sum(len(member.weights) for member in members) == len(list(model.parameters()))


def depths_of(graph: Graph) -> dict[str, int]:
    shapes = {name: tuple(w.shape) for name, w in to_module(graph).named_parameters()}
    return weight_depths(graph, shapes)


def test_that_depth_counts_the_layers_to_the_output() -> None:
    """A norm is with the layer before it; of two ways the longer one counts."""
    found = depths_of(
        iris_graph(node("BatchNorm1d", "norm"), node("Linear", "more", out_features=5))
    )
    assert {name.partition(".")[0]: depth for name, depth in found.items()} == {
        "hidden": 2,
        "norm": 2,
        "more": 1,
        "head": 0,
    }
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "first", out_features=4),
        node("Linear", "second", out_features=4),
        node("add", "sum"),
        node("Output", "logits"),
    )
    skip = Edge(source="features", source_port="output", target="sum", target_port="other")
    found = depths_of(msgspec.structs.replace(graph, edges=(*graph.edges, skip)))
    assert (found["first.weight"], found["second.weight"]) == (1, 0)


def test_that_each_layer_has_its_curve_and_groups_that_learn_alike_share_one(
    tmp_path: Path,
) -> None:
    run = make_run(tmp_path, optimizer=DECAY, no_decay=SKIP, layer_rates=HALF)
    state = train(run)
    assert [(g.depth, g.decays, g.tensors) for g in state.groups] == [
        (0, True, 1),
        (1, True, 1),
        (0, False, 1),
        (1, False, 3),
    ]
    with RunStore.open(run.path) as store:
        names = [name for name in store.series_names() if name.startswith("lr")]
        assert sorted(names) == ["lr.0", "lr.1"]
        assert set(store.scalars("lr.0").values) == {0.01}
        assert set(store.scalars("lr.1").values) == {0.005}
        assert any(isinstance(one.event, RunStarted) for one in store.events())
    saved = open_checkpoint(run, "last").optimizer["param_groups"]
    assert [group["weight_decay"] for group in saved] == [0.5, 0.5, 0.0, 0.0]


def test_that_the_groups_and_their_rates_are_told_before_the_run() -> None:
    spec = iris_spec(optimizer=DECAY, no_decay=SKIP, layer_rates=HALF)
    groups = ask(PreviewGroups(graph=iris_graph(*RANDOM_LAYERS), spec=spec)).groups
    assert [group.parameters for group in groups] == [8 * 3, 4 * 8, 3, 8 + 8 + 8]
    assert groups[1].parts == ("hidden",)
    rates = ask(PreviewLr(spec=spec, groups=rate_groups(groups), steps_per_epoch=2)).values
    assert [set(values) for values in rates] == [{0.01}, {0.005}]


def test_that_what_cannot_be_or_changes_nothing_is_told() -> None:
    cases = [
        ({"optimizer": Choice(type="LBFGS"), "no_decay": SKIP}, "R435"),
        ({"optimizer": Choice(type="LBFGS"), "layer_rates": HALF}, "R435"),
        ({"optimizer": Choice(type="Adam"), "no_decay": SKIP}, "R434"),
        ({"optimizer": Choice(type="Rprop"), "no_decay": SKIP}, "R434"),
        ({"optimizer": DECAY, "no_decay": SKIP, "layer_rates": HALF}, None),
    ]
    for changes, code in cases:
        problems = check(iris_graph(), iris_spec(**changes)).problems
        assert [one.code for one in problems] == ([code] if code else [])
