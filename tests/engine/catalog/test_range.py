"""The ends of every range are values that torch takes: what is accepted works."""

import math
from collections.abc import Iterator

import pytest
import torch
from torch import nn, optim
from torch.optim import lr_scheduler

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, Entry, EntryGroup, Need, ParamKind, ParamSpec, Value
from engine.catalog.validate import check_value
from engine.spec.run import Choice, RunSpec
from engine.spec.schedule import COMPOSED, DRAWN
from engine.train.schedule import Schedule
from tests.each import for_each

FLOATING = (ParamKind.FLOAT, ParamKind.FLOATS)
# What has to agree with another value (spec.optimizer_rule checks that), or is a count of work.
LEFT_OUT = {
    "etas", "step_sizes", "milestones", "weight", "pos_weight", "max_iter", "max_eval", "ns_steps",
}  # fmt: skip


def ends(param: ParamSpec) -> Iterator[Value]:
    """Yield the smallest and largest numbers that a parameter accepts."""
    if param.minimum is None or param.maximum is None or param.name in LEFT_OUT:
        return
    for bound, toward, is_excluded in (
        (param.minimum, math.inf, param.exclusive_minimum),
        (param.maximum, -math.inf, param.exclusive_maximum),
    ):
        if param.kind in FLOATING:
            number: Value = math.nextafter(bound, toward) if is_excluded else float(bound)
        else:
            number = int(bound)
        alone = param.single or param.kind not in (ParamKind.FLOATS, ParamKind.INTS)
        yield number if alone else (number,) * param.length


def cases(group: EntryGroup) -> list[tuple[Entry, str, Value]]:
    return [
        (entry, param.name, value)
        for entry in catalog().group(group)
        for param in entry.params
        for value in ends(param)
    ]


def name_of(value: object) -> str:
    return value.key if isinstance(value, Entry) else str(value)


def values_of(entry: Entry, name: str, value: Value) -> dict[str, Value]:
    param = entry.param(name)
    assert param is not None
    assert check_value(param, value) is None
    given = {each.name: each.default for each in entry.params if not each.required}
    return {
        key: 20 if chosen == AUTO else chosen
        for key, chosen in (given | entry.initial_params() | {name: value}).items()
    }


@pytest.mark.fault("B09")
@for_each("entry, name, value", cases(EntryGroup.OPTIMIZER), name_of)
def test_that_an_optimizer_steps_at_the_ends_of_its_ranges(entry, name, value):
    weight = nn.Parameter(torch.ones(2, 2))
    optimizer = getattr(optim, entry.key)([weight], **values_of(entry, name, value))

    def closure() -> torch.Tensor:
        loss = weight.square().sum()
        loss.backward()
        if Need.SPARSE_GRADIENTS in entry.needs:
            weight.grad = torch.ones(2, 2).to_sparse()
        return loss

    closure()
    optimizer.step(closure) if Need.CLOSURE in entry.needs else optimizer.step()


@pytest.mark.fault("B09")
@for_each("entry, name, value", cases(EntryGroup.SCHEDULER), name_of)
def test_that_a_scheduler_steps_at_the_ends_of_its_ranges(entry, name, value):
    optimizer = optim.SGD([nn.Parameter(torch.ones(1))], lr=0.1, momentum=0.9)
    if entry.key in (*COMPOSED, DRAWN):
        spec = RunSpec(
            epochs=3, scheduler=Choice(type=entry.key, params=values_of(entry, name, value))
        )
        schedule = Schedule(spec, optimizer, 1)
        for epoch in range(3):
            optimizer.step()
            schedule.epoch_done(None, epoch)
        return
    scheduler = getattr(lr_scheduler, entry.key)(optimizer, **values_of(entry, name, value))
    length = values_of(entry, name, value).get("total_steps", 3)
    for _ in range(min(3, int(str(length)))):
        optimizer.step()
        scheduler.step(*([1.0] if Need.METRIC in entry.needs else []))


@pytest.mark.fault("B09")
@for_each("entry, name, value", cases(EntryGroup.LOSS), name_of)
def test_that_a_loss_builds_at_the_ends_of_its_ranges(entry, name, value):
    getattr(nn, entry.key)(**values_of(entry, name, value))
