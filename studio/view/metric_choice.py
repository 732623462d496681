"""Choice of the metrics of a run: what fits what is predicted first, the others with the reason."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, Entry, EntryGroup
from engine.catalog.text import entry_label
from engine.graph.code import code_names
from engine.spec.choice import Code
from engine.spec.data import DataInfo
from engine.spec.defaults import auto_metrics
from engine.spec.metric_rule import fitting_metrics
from engine.spec.retrieval import RETRIEVAL_METRICS, fits_ranking, query_column
from engine.spec.run import RunSpec
from engine.spec.series import (
    fits_classes,
    fits_numbers,
    fits_texts,
    measured_outputs,
    metric_classes,
    metric_numbers,
    metric_task,
)
from studio.i18n import listed, translate
from widgets.forms.view_model import FieldView

_BOX_TASKS = ("detection", "instances")


@dataclass(frozen=True, kw_only=True)
class _Predicted:
    """What is predicted: a task, how many classes (0: none), and of which data."""

    spec: RunSpec
    task: str
    classes: int
    numbers: int
    data: DataInfo | None


def metrics_view(
    view: FieldView, spec: RunSpec, data: DataInfo | None, code: Code, language: str
) -> FieldView:
    """Offer "by the task" and all metrics, those of the user's ``code``, too; ``data`` is None
    where it is not known.
    """
    view = _of_first(view, spec, data, code, language)
    if data is None:
        return view
    return replace(view, choices=(*view.choices, *_of_others(spec, data, code, language)))


def _of_others(
    spec: RunSpec, data: DataInfo, code: Code, language: str
) -> Iterator[tuple[str, str]]:
    """Yield the metrics that fit further outputs, each with the name of its output."""
    text = translate("Run", "{measure}, {output}")
    entries = {entry.key: entry for entry in catalog().group(EntryGroup.METRIC)}
    for judged in measured_outputs(spec, data, code)[1:]:
        for key in fitting_metrics(spec, data, judged):
            label = entry_label(entries[key], language)
            yield judged.series(key), text.format(measure=label, output=judged.name)
        for key in code_names(code, "metrics"):
            yield judged.series(key), text.format(measure=key, output=judged.name)


def _of_first(
    view: FieldView, spec: RunSpec, data: DataInfo | None, code: Code, language: str
) -> FieldView:
    task = metric_task(spec, data) if data else ""
    classes = len(metric_classes(spec, data)) if data else 0
    numbers = len(metric_numbers(spec, data)) if data else 0
    predicted = _Predicted(spec=spec, task=task, classes=classes, numbers=numbers, data=data)
    entries = catalog().group(EntryGroup.METRIC)
    reasons = {entry.key: _reason(entry, predicted) for entry in entries}
    unfit = {key: reason for key, reason in reasons.items() if reason}
    ordered = sorted(entries, key=lambda entry: entry.key in unfit)
    by_task = translate("Train", "automatic")
    if automatic := auto_metrics(task, classes, numbers):
        names = listed(entry_label(e, language) for e in entries if e.key in automatic)
        by_task = translate("Train", "automatic ({metrics})").format(metrics=names)
    own = code_names(code, "metrics")
    if task in _BOX_TASKS:
        unfit |= dict.fromkeys(own, translate("Train", "not for boxes"))
    choices = (
        (AUTO, by_task),
        *((name, name) for name in own if name not in unfit),
        *((entry.key, entry_label(entry, language)) for entry in ordered),
        *((name, name) for name in own if name in unfit),
    )
    return replace(
        view,
        kind="several",
        choices=choices,
        unfit=tuple(unfit.items()),
        lone_choice=AUTO,
        default_text=translate("Train", "automatic"),
        label=translate("Train", "Metrics"),
        help=translate(
            "Train", "What to measure besides the loss after each epoch. You can choose several."
        ),
    )


def _reason(metric: Entry, predicted: _Predicted) -> str:
    """Return why a metric does not fit, nothing where it does."""
    key, task = metric.key, predicted.task
    if task not in ("", *metric.tasks):
        return _purpose(metric)
    if not fits_classes(key, predicted.classes):
        return translate("Train", "there are no more classes")
    if predicted.data is not None and not fits_texts(key, predicted.data):
        return translate("Train", "the model writes no text of its own")
    return _reason_of_rows(key, predicted)


def _reason_of_rows(key: str, predicted: _Predicted) -> str:
    task = predicted.task
    if predicted.data is not None and not fits_numbers(key, predicted.numbers):
        return translate("Train", "for several numbers only")
    if task and not fits_ranking(key, task, predicted.classes):
        return translate("Train", "for two classes only")
    if task and key in RETRIEVAL_METRICS and not query_column(predicted.spec.data):
        return translate("Train", "needs a split by groups, by the column of the queries")
    return ""


def _purpose(metric: Entry) -> str:
    """Return what a metric is for, where that is not what is predicted."""
    if metric.key in RETRIEVAL_METRICS:
        return translate("Train", "for rankings only")
    if "regression" in metric.tasks:
        return translate("Train", "for regression only")
    if metric.tasks == ("segmentation",):
        return translate("Train", "for masks only")
    return translate("Train", "for classification only")
