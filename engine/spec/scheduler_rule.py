"""Rules for the scheduler beside the optimizer and the length of the run."""

from collections.abc import Iterator

from engine.catalog.spec import Entry, EntryGroup, Need
from engine.diagnostics import Diagnostic, Severity
from engine.spec.choice import chosen_entry
from engine.spec.data import DataInfo
from engine.spec.length import steps_per_epoch
from engine.spec.run import RunSpec

Params = dict[str, str | int | float]


def check_scheduler(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield the findings about the scheduler."""
    entry = chosen_entry(EntryGroup.SCHEDULER, spec.scheduler)
    if entry is None:
        return
    yield from _check_interval(spec, entry)
    yield from _check_momentum(spec, entry)
    yield from _check_rates(spec, entry)
    steps = scheduler_steps(spec, info)
    if steps is not None:
        yield from _check_length(spec, entry, steps)


def scheduler_steps(spec: RunSpec, info: DataInfo | None) -> int | None:
    """Return how often the scheduler is stepped in the whole run; None while it is not known."""
    if spec.scheduler_interval == "epoch":
        return spec.epochs
    train = None if info is None else info.part("train")
    if train is None or spec.data.batch_size < 1:
        return None
    return spec.epochs * steps_per_epoch(train.samples, spec)


def _value(spec: RunSpec, entry: Entry, name: str) -> object:
    return None if spec.scheduler is None else entry.value(spec.scheduler.params, name)


def _check_interval(spec: RunSpec, entry: Entry) -> Iterator[Diagnostic]:
    params: Params = {"scheduler": entry.key}
    if Need.METRIC in entry.needs:
        if spec.scheduler_interval == "step":
            yield Diagnostic(code="R060", field="scheduler_interval", params=params)
        if _value(spec, entry, "mode") != spec.checkpoint.mode:
            params["monitor"] = spec.checkpoint.monitor
            params["mode"] = spec.checkpoint.mode
            yield Diagnostic(
                code="R061", severity=Severity.WARNING, field="scheduler.mode", params=params
            )
    elif Need.EVERY_STEP in entry.needs and spec.scheduler_interval == "epoch":
        yield Diagnostic(
            code="R062", severity=Severity.WARNING, field="scheduler_interval", params=params
        )


def _check_momentum(spec: RunSpec, entry: Entry) -> Iterator[Diagnostic]:
    optimizer = chosen_entry(EntryGroup.OPTIMIZER, spec.optimizer)
    if _value(spec, entry, "cycle_momentum") is not True or optimizer is None:
        return
    if optimizer.param("momentum") is None and optimizer.param("betas") is None:
        params: Params = {"scheduler": entry.key, "optimizer": optimizer.key}
        yield Diagnostic(code="R063", field="scheduler.cycle_momentum", params=params)
        return
    lowest, highest = (_value(spec, entry, f"{end}_momentum") for end in ("base", "max"))
    if isinstance(lowest, int | float) and isinstance(highest, int | float) and lowest > highest:
        params = {"base": float(lowest), "max": float(highest)}
        yield Diagnostic(code="R068", field="scheduler.base_momentum", params=params)


def _check_rates(spec: RunSpec, entry: Entry) -> Iterator[Diagnostic]:
    lowest, highest = _value(spec, entry, "base_lr"), _value(spec, entry, "max_lr")
    if isinstance(lowest, int | float) and isinstance(highest, int | float) and lowest > highest:
        params: Params = {"base": float(lowest), "max": float(highest)}
        yield Diagnostic(
            code="R064", severity=Severity.WARNING, field="scheduler.base_lr", params=params
        )


def _check_length(spec: RunSpec, entry: Entry, steps: int) -> Iterator[Diagnostic]:
    total = _value(spec, entry, "total_steps")
    params: Params = {"scheduler": entry.key, "steps": steps}
    yield from _check_rise(spec, entry, total if isinstance(total, int) else steps)
    if isinstance(total, int) and not isinstance(total, bool) and total < steps:
        params["total"] = total
        yield Diagnostic(code="R065", field="scheduler.total_steps", params=params)
    milestones = _value(spec, entry, "milestones")
    if isinstance(milestones, int):
        milestones = (milestones,)
    if isinstance(milestones, tuple) and milestones:
        ordered = [int(item) for item in milestones if isinstance(item, int)]
        if ordered != sorted(set(ordered)):
            yield Diagnostic(code="R066", field="scheduler.milestones", params=params)
        elif ordered[0] >= steps:
            params["first"] = ordered[0]
            yield Diagnostic(
                code="R067", severity=Severity.WARNING, field="scheduler.milestones", params=params
            )


def _check_rise(spec: RunSpec, entry: Entry, total: int) -> Iterator[Diagnostic]:
    """Refuse a rise that is over with its first step: OneCycleLR divides by its length, 0."""
    share = _value(spec, entry, "pct_start")
    if isinstance(share, int | float) and share * total == 1:
        params: Params = {"scheduler": entry.key, "share": float(share), "total": total}
        yield Diagnostic(code="R069", field="scheduler.pct_start", params=params)
