"""Curves of a search, its suggestions and what is chosen, in words."""

from collections.abc import Sequence

import numpy as np

from engine.diagnostics import sentence
from engine.query.finder.request import BatchMeasured, RateFound, RateMeasured
from engine.query.finder.suggestion import fastest_size
from engine.query.reading.request import BatchSizeFound
from engine.spec.fields import field_names, get_value
from engine.spec.phase import rate_field
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.train.finder.dialog import POINTS, FinderView
from studio.view.wording import size_text
from widgets.plots.view_model import XyLine, XyView

BATCH = "data.batch_size"


def rate_names(spec: RunSpec, phase: int = 0) -> tuple[str, ...]:
    """Return the settings that a rate of a phase (from 0) is written to: OneCycleLR rises to one of
    its own.
    """
    rate = rate_field(phase)
    peak = rate.replace("optimizer.lr", "scheduler.max_lr")
    return (rate, peak) if peak in field_names(spec) else (rate,)


def present_rates(
    measured: Sequence[RateMeasured], found: RateFound | None, chosen: float | None
) -> FinderView:
    """Return the losses over the rates."""
    x = np.log10([each.rate for each in measured]) if measured else np.empty(0)
    smoothed = np.array([each.smoothed for each in measured])
    lines = [
        XyLine(name="raw", label=translate("Finder", "loss"), x=x, y=_raw(measured), kind="guide"),
        XyLine(name="smoothed", label=translate("Finder", "smoothed"), x=x, y=smoothed),
        XyLine(name=POINTS, label=translate("Finder", "tried"), x=x, y=smoothed, kind="points"),
        *_mark(chosen, smoothed),
    ]
    chart = XyView(
        lines=tuple(lines) if measured else (),
        x_label=translate("Finder", "Learning rate"),
        y_label=translate("Finder", "Loss"),
        empty_text=translate("Finder", "The loss at each learning rate appears here."),
        is_log_x=True,
        has_legend=False,
    )
    return FinderView(
        charts=(chart,),
        choices=() if found is None else rate_choices(found),
        chosen="" if chosen is None else _chosen_text(f"{chosen:.3g}"),
    )


def rate_choices(found: RateFound) -> tuple[tuple[float, str], ...]:
    """Return the suggested rates in words."""
    texts = (
        (found.steepest, translate("Finder", "Steepest descent: {value}")),
        (found.tenth, translate("Finder", "Minimum / 10: {value}")),
    )
    return tuple(
        (value, text.format(value=f"{value:.3g}")) for value, text in texts if value is not None
    )


def present_rate_end(found: RateFound) -> str:
    """Return what came of a search for a rate."""
    if found.steepest is None:
        return translate(
            "Finder",
            "The loss does not fall at any of these rates. Search a wider range with more steps, "
            "or look at the model, the data and the loss.",
        )
    if found.is_diverged:
        return translate(
            "Finder",
            "The loss fell and then diverged, where the search ended. Choose a rate on the falling "
            "part: a suggestion, or a point of the curve.",
        )
    return translate("Finder", "Choose a suggestion, or a point of the curve.")


def present_batch_end(measured: Sequence[BatchMeasured], language: str) -> str:
    """Return what came of a search for a batch size."""
    choose = translate("Finder", "Choose a suggestion, or a point of the curve.")
    failed = min((m for m in measured if m.problem is not None), key=lambda m: m.size, default=None)
    if failed is None or failed.problem is None:
        return choose
    text = translate("Finder", "Batches of {size}: {reason}")
    reason = sentence(failed.problem, language)
    told = text.format(size=f"{failed.size:,}", reason=reason)
    return f"{told} {choose}" if len(measured) > 1 else told


def _raw(measured: Sequence[RateMeasured]) -> np.ndarray:
    """Return the losses as they are, those far above the smoothed ones left out."""
    most = max((each.smoothed for each in measured), default=0.0)
    return np.array([each.loss if each.loss <= most else np.nan for each in measured])


def _mark(chosen: float | None, values: np.ndarray) -> list[XyLine]:
    if chosen is None or not len(values):
        return []
    x = np.log10([chosen, chosen])
    ends = np.array([values.min(), values.max()])
    return [XyLine(name="chosen", label="", x=x, y=ends, color=1, dash="dash")]


def _chosen_text(value: str) -> str:
    return translate("Finder", "Chosen: {value}").format(value=value)


def present_batches(
    measured: Sequence[BatchMeasured], spec: RunSpec, chosen: int | None
) -> FinderView:
    """Return speed and memory over the batch size."""
    fitting = sorted((m for m in measured if m.problem is None), key=lambda each: each.size)
    x = np.log10([each.size for each in fitting]) if fitting else np.empty(0)
    speeds = np.array([each.samples_per_s for each in fitting])
    memory = np.array([each.memory / 2**20 for each in fitting])
    charts = (
        _batch_chart(x, speeds, chosen, translate("Finder", "Samples/s")),
        _batch_chart(x, memory, chosen, translate("Finder", "Memory (MiB)")),
    )
    return FinderView(
        charts=charts,
        choices=_batch_choices(fitting),
        chosen="" if chosen is None else _chosen_text(f"{chosen:,}"),
        offered=_scaled_text(spec, chosen),
    )


def _batch_chart(x: np.ndarray, y: np.ndarray, chosen: int | None, label: str) -> XyView:
    lines = (
        XyLine(name="line", label=label, x=x, y=y),
        XyLine(name=POINTS, label=label, x=x, y=y, kind="points"),
        *_mark(chosen, y),
    )
    return XyView(
        lines=lines if len(x) else (),
        x_label=translate("Finder", "Batch size"),
        y_label=label,
        empty_text=translate("Finder", "Each batch size that was tried appears here."),
        is_log_x=True,
        has_legend=False,
    )


def _batch_choices(fitting: Sequence[BatchMeasured]) -> tuple[tuple[float, str], ...]:
    if not fitting:
        return ()
    fastest = fastest_size([(each.size, each.samples_per_s) for each in fitting])
    assert fastest is not None
    texts = [(fitting[-1].size, translate("Finder", "Largest: {value}"))]
    if fastest != fitting[-1].size:
        texts.insert(0, (fastest, translate("Finder", "Smallest of the fastest: {value}")))
    return tuple((float(value), text.format(value=f"{value:,}")) for value, text in texts)


def scaled_rates(spec: RunSpec, size: int) -> dict[str, float]:
    """Return the learning rates, by their settings, that a batch size asks for by the linear
    scaling rule (P. Goyal et al., Accurate, large minibatch SGD, 2017, arXiv:1706.02677).
    """
    known, found = field_names(spec), dict[str, float]()
    for index in range(1 + len(spec.phases)):
        name = rate_field(index)
        rate = get_value(spec, name) if name in known else None
        if isinstance(rate, int | float):
            found[name] = float(f"{rate * size / spec.data.batch_size:.6g}")
    return found


def _scaled_text(spec: RunSpec, chosen: int | None) -> str:
    rates = {} if chosen in (None, spec.data.batch_size) else scaled_rates(spec, chosen or 1)
    if not rates:
        return ""
    text = translate(
        "Finder", "Also set the learning rate to {rate}, by as much (linear scaling rule)"
    )
    return text.format(rate=", ".join(f"{rate:.3g}" for rate in rates.values()))


def present_estimate(guess: BatchSizeFound, size: int) -> str:
    """Return which size is tried, beside the estimate."""
    text = translate("Finder", "Trying batches of {size}…").format(size=f"{size:,}")
    if guess.problem is not None or not guess.largest:
        return text
    estimate = translate(
        "Finder", "By the estimate, {largest} fit into {free} free on {device}."
    ).format(largest=f"{guess.largest:,}", free=size_text(guess.free_bytes), device=guess.device)
    return f"{text} {estimate}"
