"""Views of a run: its state in words, its progress, the names of its curves."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.catalog.text import entry_label
from engine.diagnostics import Diagnostic, sentence
from engine.events import Warned
from engine.runs.record.state import RunState, RunStatus
from engine.runs.record.store import StoredEvent
from engine.spec.defaults import TOP_METRICS
from engine.spec.distillation import DISTANCE
from engine.spec.group import is_rate
from engine.spec.judged import split_metric
from engine.spec.length import RunLength, run_length
from engine.spec.live import as_number, phase_setting
from engine.spec.phase import PHASE_LOSS
from engine.spec.series import is_custom_metric, measured_class
from engine.spec.view_rule import OVER_VIEWS
from studio.i18n import filled, language_code, translate
from studio.session.run_follower import RunUpdate
from studio.view.rate import LiveRate, live_rates, rate_curves, rate_number
from studio.view.wording import duration_text, metric_text

SCALE = "train.scale"
LENGTH = "length"
"""The live value that is called by what a run ends by: epochs, steps, minutes."""
_REFUSED = ("A010", "A014")  # a value that was typed in the debugger
_MISSED = "A016"  # a breakpoint that waits for a Function that is not there
METRIC_KINDS = ("metric", "error", "squared_error", "relative_error", "perplexity")
"""The charts of metrics: shares up to 1, then those of other scales."""

_SHORT = {"map": "mAP", "iou": "IoU", "bleu": "BLEU"}
_SCALES = {
    "mae": "error",
    "rmse": "error",
    "mse": "squared_error",
    "mape": "relative_error",
    "smape": "relative_error",
    "perplexity": "perplexity",
}
TESTED = ("test.", f"{OVER_VIEWS.format(part='test')}.")
"""What names of measures of the test part begin with."""
_OF_LOSS = "train.loss."  # the loss of a process, of a phase or of one of several terms
_OF_RANK = _OF_LOSS + "rank"


@dataclass(frozen=True, kw_only=True)
class LiveView:
    """The values of a run that can be set, by the names of their settings; none: nothing can.
    ``rates`` are the titles and helps of the learning rates, one for each phase; ``length_title``
    says what the run ends by.
    """

    values: Mapping[str, str] = field(default_factory=dict)
    rates: Mapping[str, LiveRate] = field(default_factory=dict)
    length_title: str = ""
    error: str = ""


@dataclass(frozen=True, kw_only=True)
class ProgressView:
    """Progress of a run; ``permille`` of 0 to 1000."""

    title: str = ""
    text: str = ""
    permille: int = 0
    throughput: str = ""
    time: str = ""
    metrics: tuple[tuple[str, str], ...] = ()
    problem: str = ""
    where: str = ""


def status_text(status: RunStatus) -> str:
    """Return a status in the user's words."""
    return {
        RunStatus.STARTING: translate("Run", "starting"),
        RunStatus.RUNNING: translate("Run", "running"),
        RunStatus.PAUSED: translate("Run", "paused"),
        RunStatus.STALLED: translate("Run", "not responding"),
        RunStatus.FINISHED: translate("Run", "finished"),
        RunStatus.STOPPED: translate("Run", "stopped"),
        RunStatus.FAILED: translate("Run", "failed"),
        RunStatus.DIED: translate("Run", "ended unexpectedly"),
    }[status]


def refusals(events: Iterable[StoredEvent]) -> list[Diagnostic]:
    """Return why values that were typed in the debugger were not taken: said at their field."""
    return [problem for problem in _warnings(events) if problem.code in _REFUSED]


def misses(events: Iterable[StoredEvent]) -> list[Diagnostic]:
    """Return which breakpoints wait for what is not there: said at their field too."""
    return [problem for problem in _warnings(events) if problem.code == _MISSED]


def reported_problems(events: Iterable[StoredEvent]) -> list[Diagnostic]:
    """Return what a run warned of and no page says at its place."""
    return [problem for problem in _warnings(events) if problem.code not in _REFUSED]


def _warnings(events: Iterable[StoredEvent]) -> list[Diagnostic]:
    return [each.event.problem for each in events if isinstance(each.event, Warned)]


def present_progress(update: RunUpdate | None, language: str) -> ProgressView:
    """Return how far the run is that is followed."""
    if update is None:
        return ProgressView(text=translate("Run", "No run yet"))
    state = update.state
    return ProgressView(
        title=f"{update.folder.document.name} · {status_text(state.status)}",
        text=_place_text(state),
        permille=round(1000 * state.share),
        throughput=_throughput_text(state),
        time=_time_text(state),
        metrics=tuple((name, metric_text(value)) for name, value in sorted(state.metrics.items())),
        problem=sentence(state.problem, language) if state.problem else "",
        where=where_text(state),
    )


def present_waiting() -> ProgressView:
    """Return what is said while a run waits for the check of the model."""
    return ProgressView(
        title=translate("Run", "Waiting"),
        text=translate(
            "Run", "Training starts as soon as PyTorch is loaded and the model has been checked."
        ),
    )


def present_live(update: RunUpdate, error: str) -> LiveView:
    """Return the values that can be changed while the run goes on."""
    rates = live_rates(update.folder.document.spec)
    values = {name: _rate_text(update, name) for name in rates}
    return LiveView(
        values={**values, LENGTH: f"{length_of_run(update).total:.10g}"},
        length_title=length_titles()[length_of_run(update).unit],
        rates=rates,
        error=error,
    )


def _rate_text(update: RunUpdate, name: str) -> str:
    """Return the learning rate of a phase as it is now, by the name of its setting."""
    rates = rate_curves(update).get(rate_number(update, phase_setting(name)[0]))
    rate = rates[1][-1] if rates is not None else None
    set_by_hand = [mark for mark in update.state.knobs if mark.name == name]
    if set_by_hand and (rates is None or set_by_hand[-1].step >= rates[0][-1]):
        rate = as_number(set_by_hand[-1].value)  # the curve has it after the next step
    return "" if rate is None else f"{rate:.6g}"


def length_titles() -> dict[str, str]:
    """Return what a run can end by, in words."""
    return {
        "epochs": translate("Train", "Epochs"),
        "steps": translate("Train", "Steps"),
        "minutes": translate("Train", "Minutes"),
    }


def length_of_run(update: RunUpdate) -> RunLength:
    """Return how long a run is, as its recipe has it until its worker has told."""
    state = update.state
    return state.length if state.length.total else run_length(update.folder.document.spec, 1)


def length_text(state: RunState, length: RunLength) -> str:
    """Return how much of a run is done: 3 / 10 epochs, without the word, or steps or minutes."""
    if length.unit == "epochs":
        return f"{state.epoch} / {length.epochs}"
    if length.unit == "steps":
        text = translate("Run", "{done} / {all} steps")
        return text.format(done=state.step, all=length.steps)
    text = translate("Run", "{done} / {all} min")
    return text.format(done=f"{state.elapsed_s / 60:.1f}", all=f"{length.minutes:g}")


def longer_text(length: RunLength) -> str:
    """Return to what a finished run can be trained on, with the keys."""
    texts = {
        "epochs": translate("Train", "Continue this run up to {total} epochs in total (Ctrl+F5)"),
        "steps": translate("Train", "Continue this run up to {total} steps in total (Ctrl+F5)"),
        "minutes": translate("Train", "Continue this run up to {total} min in total (Ctrl+F5)"),
    }
    return texts[length.unit].format(total=f"{length.total:.10g}")


def chart_title(kind: str) -> str:
    """Return the heading of a chart."""
    return {
        "loss": translate("Run", "Loss"),
        "metric": translate("Run", "Metrics"),
        "error": translate("Run", "Errors"),
        "squared_error": translate("Run", "Squared errors"),
        "relative_error": translate("Run", "Relative errors"),
        "perplexity": translate("Run", "Perplexity"),
    }[kind]


def chart_empty_text(kind: str, *, is_unmeasured: bool = False) -> str:
    """Return what an empty chart says; ``is_unmeasured`` of a run that measures nothing but the
    loss.
    """
    if kind == "loss":
        return translate("Run", "Training and validation loss appear here.")
    if is_unmeasured:
        return translate(
            "Run",
            "This run measures no metrics. Choose some under Metrics in the recipe; the next run "
            "measures them.",
        )
    return translate("Run", "Metrics appear after the first epoch.")


def kind_of(name: str) -> str:
    """Return in which chart a series belongs; what is measured once at the end is in none."""
    measure = split_metric(name.partition(".")[2])[1]
    last = measure.rpartition(".")[2]
    if is_rate(name):
        return "rate"
    if name == SCALE:
        return "scale"
    if name.startswith(TESTED):
        return "final"
    if name.startswith(_OF_LOSS):
        return "loss"
    if measured_class(measure):
        last = measure.partition(".")[0]
    elif measure.count(".") > 1:  # of own metrics with several numbers
        return "metric"
    return "loss" if "loss" in last else _SCALES.get(last, "metric")


def series_label(name: str) -> str:
    """Return ``training loss`` for ``train.loss``."""
    part, _, rest = name.partition(".")
    words = _part_words()
    if part not in words:
        return name
    if name.startswith(_OF_LOSS):
        return _part_of_loss(name)
    output, rest = split_metric(rest)
    label = _measured_label(words[part], rest)
    return _of_output(label, output) if output else label


def short_labels(names: Sequence[str]) -> dict[str, str]:
    """Return short names of curves that stand beside each other: ``train r2 center_x`` for that of
    a number of an output, which is named where another one has the like.
    """
    bare = [_bare(name) for name in names]
    return {name: _shortened(name, has_output=bare.count(_bare(name)) > 1) for name in names}


def _bare(name: str) -> str:
    part, _, rest = name.partition(".")
    return f"{part}.{split_metric(rest)[1]}"


def _shortened(name: str, *, has_output: bool) -> str:
    part, _, rest = name.partition(".")
    words = {
        "train": translate("Run", "train"),
        "validation": translate("Run", "val."),
        "test": translate("Run", "test"),
    }
    if part not in words:
        return series_label(name)
    output, rest = split_metric(rest)
    of_class = measured_class(rest)
    kind = rest.partition(".")[0] if of_class else rest
    measure = kind if is_custom_metric(kind) else measure_label(kind)
    label = " ".join(text for text in (words[part], measure, of_class) if text)
    return _of_output(label, output) if output and has_output else label


def _of_output(label: str, output: str) -> str:
    return translate("Run", "{measure}, {output}").format(measure=label, output=output)


def _measured_label(part: str, rest: str) -> str:
    if of_class := measured_class(rest):
        text = translate("Run", "{part} {measure} of {name}")
        kind = rest.partition(".")[0]
        measure = translate("Run", "IoU") if kind == "iou" else measure_label(kind)
        return text.format(part=part, measure=measure, name=of_class)
    measure = rest if is_custom_metric(rest) else measure_label(rest)
    if measure[:1].isascii():  # Latin letters stand apart in Chinese, too
        return f"{part} {measure}"
    return translate("Run", "{part} {measure}").format(part=part, measure=measure)


def _part_of_loss(name: str) -> str:
    """Return ``training loss, MSELoss`` for ``train.loss.MSELoss``, which is weighted."""
    if (rank := name.removeprefix(_OF_RANK)).isdigit():
        return translate("Run", "training loss of rank {rank}").format(rank=rank)
    if name == f"train.{DISTANCE}":
        return translate("Run", "training distance to the teacher")
    text = translate("Run", "training loss, {phase}")
    if (number := name.removeprefix(PHASE_LOSS)).isdigit():
        return text.format(phase=translate("Train", "Phase {number}").format(number=number))
    return text.format(phase=name.removeprefix(_OF_LOSS).replace(".", " "))


def measure_label(name: str) -> str:
    """Return what is measured: ``f1`` for ``f1``, ``mAP 50`` for ``map_50``; in other languages by
    its whole name.
    """
    output, bare = split_metric(name)
    if output:
        return _of_output(measure_label(bare), output)
    if name == "loss":
        return translate("Run", "loss")
    metric = catalog().entry(EntryGroup.METRIC, name)
    if metric is not None and language_code() != "en":
        return entry_label(metric, language_code())
    if name in TOP_METRICS:
        return f"top-{TOP_METRICS[name]} accuracy"
    if is_custom_metric(name):
        return name
    words = name.split("_")
    return " ".join(_SHORT.get(word, word) for word in words)


def part_label(name: str) -> str:
    """Return ``training`` for ``train.loss``."""
    part = name.partition(".")[0]
    return _part_words().get(part, part)


def _part_words() -> dict[str, str]:
    return {
        "train": translate("Run", "training"),
        "validation": translate("Run", "validation"),
        "test": translate("Run", "test"),
        OVER_VIEWS.format(part="test"): translate("Run", "test (mean over views)"),
    }


def _place_text(state: RunState) -> str:
    if not state.steps_per_epoch:
        is_over = state.status.is_over()
        return "" if is_over else translate("Run", "loading PyTorch and the data…")
    if state.total_steps:
        epoch = min(state.step // state.steps_per_epoch + 1, state.epochs) if state.step else 1
        place = translate("Run", "epoch {epoch} of {epochs}, step {step} of {steps}").format(
            epoch=epoch,
            epochs=state.epochs,
            step=state.step,
            steps=state.total_steps,
        )
    else:
        epoch = max(1, -(-state.step // state.steps_per_epoch))
        place = translate("Run", "epoch {epoch}, step {step}, for {minutes} min").format(
            epoch=epoch, step=state.step, minutes=f"{state.minutes:g}"
        )
    more = _result_text(state)
    if state.status is RunStatus.PAUSED and state.stop is not None:
        more = translate("Run", "paused within a step (Inspect › Debugger)")
    return f"{place} · {more}" if more else place


def _result_text(state: RunState) -> str:
    """Return what a finished run is worth: a measure of the test part, its loss where no other."""
    tested = sorted(name for name in state.metrics if name.startswith("test."))
    if state.status is not RunStatus.FINISHED or not tested:
        return ""
    name = next(
        (name for name in tested if kind_of(f"validation.{name[5:]}") == "metric"), tested[0]
    )
    return f"{series_label(name)} {metric_text(state.metrics[name])}"


def where_text(state: RunState) -> str:
    """Return device and CPU threads of a run, as its worker told them; empty before that."""
    if not state.device:
        return ""
    device = "CPU" if state.device == "cpu" else state.device
    text = translate("Run", "{device}, {threads} {threads|thread|threads}")
    return filled(text, device=device, threads=state.threads)


def _throughput_text(state: RunState) -> str:
    if state.steps_per_s <= 0:
        return ""
    return translate("Run", "{steps} steps/s, {samples} samples/s").format(
        steps=f"{state.steps_per_s:,.0f}"
        if state.steps_per_s >= 10
        else f"{state.steps_per_s:.1f}",
        samples=f"{state.samples_per_s:,.0f}",
    )


def _time_text(state: RunState) -> str:
    if state.status is RunStatus.STARTING and not state.elapsed_s:
        return ""
    elapsed = duration_text(state.elapsed_s)
    if state.status.is_over() or state.eta_s is None:
        return elapsed
    return translate("Run", "{elapsed}, {left} left").format(
        elapsed=elapsed, left=duration_text(state.eta_s)
    )
