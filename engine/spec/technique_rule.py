"""Rules for the techniques of training."""

import math
from collections.abc import Iterator

from engine.catalog.spec import EntryGroup, Need
from engine.diagnostics import Diagnostic, Severity
from engine.spec.choice import chosen_entry, has_need
from engine.spec.data import DataInfo
from engine.spec.length import known_batches, planned_steps, steps_per_epoch
from engine.spec.mode_rule import check_mode
from engine.spec.run import RunSpec
from engine.spec.series import LATEST
from engine.spec.view_rule import check_views

_MOST_OF_START = 0.1
"""The share of an average, at the end of a run, that may be the weights of its start."""
_ENOUGH = 0.01


def check_techniques(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield what does not go together with the mode of the run, and what has no effect."""
    yield from check_mode(spec)
    yield from _check_grouping(spec)
    yield from check_views(spec, info)
    if spec.non_finite == "skip" and has_need(EntryGroup.OPTIMIZER, spec.optimizer, Need.CLOSURE):
        yield Diagnostic.of("R478", field="non_finite", optimizer=spec.optimizer.type)
    if spec.teacher_forcing.is_on and has_need(EntryGroup.OPTIMIZER, spec.optimizer, Need.CLOSURE):
        yield Diagnostic.of("R541", field="teacher_forcing.ratio", optimizer=spec.optimizer.type)
    if spec.teacher_forcing.is_on and info is not None and not _has_tokens(info):
        yield Diagnostic.of("R540", field="teacher_forcing.ratio")
    start = spec.averaging.start
    epochs = _epochs(spec, info)
    yield from _check_decay(spec, info)
    if spec.early_stopping.patience and spec.checkpoint.monitor == LATEST:
        yield Diagnostic.of("R584", field="checkpoint.monitor", what="early_stopping.patience")
    if spec.averaging.kind == "swa" and epochs is not None and start >= epochs:
        params: dict[str, str | int | float] = {"start": start, "epochs": epochs}
        yield Diagnostic(
            code="R433", severity=Severity.WARNING, field="averaging.start", params=params
        )
    train = None if info is None else info.part("train")
    if train is None or not train.samples:
        return
    batches = known_batches(spec.data, info)
    if batches is not None and spec.accumulation.batches > max(batches, 1):
        params = {
            "batches": spec.accumulation.batches,
            "there": batches,
        }
        yield Diagnostic(
            code="R430", severity=Severity.WARNING, field="accumulation.batches", params=params
        )


def _check_decay(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield an average that is made of the weights of the start more than of what is learned."""
    averaging = spec.averaging
    steps = planned_steps(spec, steps_per_epoch(known_batches(spec.data, info) or 0, spec))
    if averaging.kind != "ema" or not steps or not 0 < averaging.decay < 1:
        return
    share = averaging.decay**steps
    if share > _MOST_OF_START:
        yield Diagnostic.of(
            "R585",
            severity=Severity.WARNING,
            field="averaging.decay",
            steps=steps,
            decay=f"{averaging.decay:g}",
            share=round(100 * share),
            least=math.ceil(math.log(_MOST_OF_START) / math.log(averaging.decay)),
            fitting=f"{math.floor(100 * _ENOUGH ** (1 / steps)) / 100:g}",
        )


def _has_tokens(info: DataInfo) -> bool:
    """Return whether there is a text to read and a row of tokens to predict."""
    is_read = any(field.role == "input" and field.words for field in info.fields)
    return is_read and any(
        field.role == "target" and field.kind == "sequence" for field in info.fields
    )


def _epochs(spec: RunSpec, info: DataInfo | None) -> int | None:
    """Return how many epochs a run finishes; None where that is not known."""
    if spec.length == "epochs":
        return spec.epochs
    per_epoch = steps_per_epoch(known_batches(spec.data, info) or 0, spec)
    return spec.steps // per_epoch if spec.length == "steps" and per_epoch else None


def _check_grouping(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield an optimizer that takes one group alone, and a weight decay that is none."""
    is_alone = has_need(EntryGroup.OPTIMIZER, spec.optimizer, Need.CLOSURE)
    fields = {
        "no_decay.biases_and_norms": spec.no_decay.biases_and_norms,
        "layer_rates.decay": spec.layer_rates.is_on,
    }
    for field, is_on in fields.items():
        if is_on and is_alone:
            yield Diagnostic.of("R435", field=field, optimizer=spec.optimizer.type)
    if not spec.no_decay.biases_and_norms or is_alone:
        return
    entry = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    decay = 0 if entry is None else entry.value(spec.optimizer.params, "weight_decay")
    others = (group.params.get("weight_decay") for group in spec.groups)
    if not decay and not any(others):
        yield Diagnostic.of(
            "R434",
            severity=Severity.WARNING,
            field="no_decay.biases_and_norms",
            optimizer=spec.optimizer.type,
        )
