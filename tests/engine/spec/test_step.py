"""Whatever the checks accept builds and takes a step: optimizers, schedulers, losses."""

import warnings

import msgspec
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torch import nn

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, EntryGroup, Need, ParamKind, ParamSpec, Value
from engine.catalog.validate import check_value
from engine.graph.analysis import Analysis, NodeReport
from engine.graph.model import Graph, Node
from engine.spec.data import DataInfo, SplitInfo
from engine.spec.optimizer_rule import check_optimizer
from engine.spec.run import Choice, RunSpec
from engine.spec.scheduler_rule import check_scheduler
from engine.train.optim import build_optimizer
from engine.train.schedule import Schedule

NODE = Node(id="linear", type="Linear", name="linear", params={"bias": False})
GRAPH = Graph(nodes={"linear": NODE})
ANALYSIS = Analysis(nodes={"linear": NodeReport(parameters=6)}, parameters=6)
ONE_BATCH = DataInfo(  # an epoch is one step, as it is in take_steps
    source="",
    samples=1,
    task="regression",
    fields=(),
    splits=(SplitInfo(name="train", samples=1),),
)
OPTIMIZERS = [entry.key for entry in catalog().group(EntryGroup.OPTIMIZER)]
EXPRESSIONS = (
    "1 / (1 + 0.1 * step)", "0.9 ** step", "step / total", "1 if step < 2 else 0.1", "1 / step",
    "exp(1000 * step)", "-1", "", "step >", "step.real", "__import__('os')",
)  # fmt: skip
SCHEDULERS = [entry.key for entry in catalog().group(EntryGroup.SCHEDULER)]


def values(param: ParamSpec) -> st.SearchStrategy[Value]:
    """Return values of a parameter, bad ones among them."""
    low = -2.0 if param.minimum is None else param.minimum
    high = 2.0 if param.maximum is None else param.maximum
    edges = st.sampled_from([low, high, 0.0, 1.0, 0.5, 1e-4])
    floats = edges | st.floats(min(low, 0.0), min(high, 10.0))
    whole = st.integers(max(int(low), -5), 8) | st.sampled_from([int(low), 1, 30])
    count = param.length or 3
    found: dict[ParamKind, st.SearchStrategy[Value]] = {
        ParamKind.BOOL: st.booleans(),
        ParamKind.INT: whole,
        ParamKind.FLOAT: floats,
        ParamKind.CHOICE: st.sampled_from([*param.choices, "other"]),
        ParamKind.INTS: whole | st.tuples(*[whole] * count),
        ParamKind.FLOATS: floats | st.tuples(*[floats] * count),
        ParamKind.STR: st.sampled_from(EXPRESSIONS),
        ParamKind.SHAPE: st.lists(whole, max_size=3).map(tuple),
    }
    special = [st.none()] if param.optional else []
    return st.one_of(found[param.kind], *special, *([st.just(AUTO)] if param.auto else []))


@st.composite
def choices(draw: st.DrawFn, group: EntryGroup, keys: list[str]) -> Choice:
    """Return a choice with some parameters that the catalogue accepts."""
    entry = catalog().entry(group, draw(st.sampled_from(keys)))
    assert entry is not None
    params = entry.initial_params()
    for param in entry.params:
        if draw(st.booleans()):
            value = draw(values(param))
            if check_value(param, value) is None:
                params[param.name] = value
    return Choice(type=entry.key, params=params)


def take_steps(spec: RunSpec, steps: int) -> None:
    """Build what a specification describes and step it."""
    sparse = spec.optimizer.type == "SparseAdam"
    model = nn.Embedding(4, 2, sparse=True) if sparse else nn.Linear(3, 2, bias=False)
    optimizer = build_optimizer(spec.optimizer, model)
    schedule = Schedule(spec, optimizer, steps_per_epoch=1)

    def closure() -> torch.Tensor:
        optimizer.zero_grad()
        loss = model(torch.tensor([1, 2]) if sparse else torch.ones(2, 3)).square().sum()
        loss.backward()
        return loss

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a rate of 1000 may overflow; that is not the claim
        for _ in range(steps):
            optimizer.step(closure)  # type: ignore[arg-type]
            schedule.step_done(0)
            schedule.epoch_done(1.0, 0)


@pytest.mark.fault("B09")
@settings(max_examples=150, deadline=None)
@given(choices(EntryGroup.OPTIMIZER, OPTIMIZERS))
def test_that_an_accepted_optimizer_builds_and_takes_a_step(choice):
    spec = RunSpec(optimizer=choice)
    graph = GRAPH
    if choice.type == "SparseAdam":
        node = msgspec.structs.replace(NODE, type="Embedding", params={"sparse": True})
        graph = Graph(nodes={"linear": node})
    if not list(check_optimizer(spec, graph, ANALYSIS)):
        take_steps(spec, 2)


@pytest.mark.fault("B09")
@settings(max_examples=150, deadline=None)
@example(Choice(type="OneCycleLR", params={"max_lr": 0.01, "pct_start": 0.5}), "SGD", "epoch", 2)
@example(Choice(type="OneCycleLR", params={"max_lr": 0.01, "pct_start": 0.5}), "SGD", "step", 2)
@given(
    choices(EntryGroup.SCHEDULER, SCHEDULERS),
    st.sampled_from(["SGD", "Adam", "Adagrad", "RMSprop"]),
    st.sampled_from(["epoch", "step"]),
    st.integers(1, 12),
)
def test_that_an_accepted_scheduler_builds_and_lasts_the_run(choice, optimizer, interval, epochs):
    spec = RunSpec(
        optimizer=Choice(type=optimizer),
        scheduler=choice,
        scheduler_interval=interval,
        epochs=epochs,
    )
    errors = [item for item in check_scheduler(spec, ONE_BATCH) if item.severity == "error"]
    if not errors:
        take_steps(spec, epochs)


@pytest.mark.parametrize("key", SCHEDULERS)
def test_that_every_scheduler_lasts_a_run_as_it_starts(key):
    entry = catalog().entry(EntryGroup.SCHEDULER, key)
    assert entry is not None
    interval = "step" if Need.EVERY_STEP in entry.needs else "epoch"
    choice = Choice(type=key, params=entry.initial_params())
    spec = RunSpec(scheduler=choice, scheduler_interval=interval)
    assert not list(check_scheduler(spec, None))
    take_steps(spec, spec.epochs)
