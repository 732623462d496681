"""Text of the methods that compute metrics of own code, in a class that trains itself."""

from collections.abc import Mapping
from string import Template
from typing import NamedTuple

import torch

from engine.catalog.code.target import written_target
from engine.export.job import ExportJob
from engine.export.loss_text import LossText
from engine.spec.data import FieldInfo
from engine.spec.judged import judged_outputs
from engine.spec.run import RunSpec
from engine.spec.series import is_custom_metric
from engine.syntax.format import INDENT
from engine.train.custom_metric import CustomMetric, Measured

METRIC_NAMES = frozenset(("compared", "custom_metrics"))
"""The methods that other classes do not have."""
_BINARY = ("BCELoss", "BCEWithLogitsLoss")
_MOST_NAMES = 1000
_METHODS = Template('''
    def compared(self, outputs, batch):
        """Return predictions and targets of a batch, as custom metrics take them."""
        predicted, target = $given, $target
        return $prepared

    @staticmethod
    def custom_metrics(compared):
        """Return the values of custom metrics over all samples of several batches."""
        predicted, target = (torch.cat(values) for values in zip(*compared))
        metrics = {
$made
        }
        found = {}
        for name, metric in metrics.items():
            metric.to(predicted.device).update(predicted.clone(), target.clone())
            value = metric.compute()
            if isinstance(value, torch.Tensor):
                value = value.tolist() if value.ndim == 1 else value.item()
            if isinstance(value, (list, tuple)):
                keys = $names
                if len(keys) != len(value):
                    keys = range(1, len(value) + 1)
                value = dict(zip(keys, value))
            if isinstance(value, dict):
                found |= {f"{name}.{key}": float(each) for key, each in value.items()}
            else:
                found[name] = float(value)
        return found
''')


class MetricText(NamedTuple):
    """The methods of own metrics, and what ``evaluate`` has besides: a list to begin with, a line
    for each batch, and what is added to the result; all empty where a run has no own metric.
    """

    methods: str = ""
    begin: str = ""
    each: str = ""
    result: str = ""

    def evaluation(self) -> dict[str, str]:
        """Return the parts by the names that the class has for them."""
        return {
            "metric_methods": self.methods,
            "metrics_begin": self.begin,
            "metrics_each": self.each,
            "metrics_result": self.result,
        }


def custom_metrics(spec: RunSpec) -> tuple[str, ...]:
    """Return the metrics of own code of a run."""
    first = judged_outputs(spec)[0]
    return tuple(name for name in first.chosen_of(spec.metrics) if is_custom_metric(name))


def metric_files(spec: RunSpec) -> list[str]:
    """Return the files of own code that have them."""
    return [f"{name.partition('.')[0]}.py" for name in custom_metrics(spec)]


def metric_text(job: ExportJob, term: LossText) -> MetricText:
    """Return the text of the own metrics of a run, which compare what the first term of its loss
    does. Raises :class:`DiagnosticError` as
    :class:`~engine.train.custom_metric.CustomMetric` does.
    """
    names = custom_metrics(job.spec)
    given, target = term.bound.get("input"), term.bound.get("target")
    if not names or job.boxes or given is None or not given.startswith("outputs"):
        return MetricText()
    if target is None:
        return MetricText()
    info = _info(job, term.term.inputs["target"].removeprefix("data."))
    classes = () if info is None else info.classes
    ignored = term.term.loss.params.get("ignore_index")
    left_out = ignored if isinstance(ignored, int) and ignored >= 0 else None
    measured = Measured(classes, left_out)
    made = [_made(name, job.graph.code, measured) for name in names]
    methods = _METHODS.substitute(
        given=given,
        target=target,
        prepared=_prepared(term, is_classes=bool(classes)),
        made="\n".join(f"{INDENT * 3}{line}," for line in made),
        names=repr(classes if len(classes) <= _MOST_NAMES else ()),
    )
    return MetricText(
        methods=methods,
        begin=f"\n{INDENT * 2}compared = []",
        each=f"\n{INDENT * 3}compared.append(self.compared(outputs, batch))",
        result=" | self.custom_metrics(compared)",
    )


def _info(job: ExportJob, name: str) -> FieldInfo | None:
    known = job.named if job.data is None else job.data.info.fields
    return next((info for info in known if info.name == name), None)


def _made(name: str, code: Mapping[str, str], measured: Measured) -> str:
    """Return the line that makes a metric, with what the run gave its constructor."""
    given = CustomMetric(name, code, measured, torch.device("cpu")).given
    arguments = ", ".join(f"{key}={value!r}" for key, value in given.items())
    return f'"{name}": {written_target(f"code:{name}")}({arguments})'


def _prepared(term: LossText, *, is_classes: bool) -> str:
    """Return predictions and targets in the form in which a run gives them to metrics."""
    if is_classes:
        return "predicted, target"
    if term.entry.key in _BINARY:
        chances = "predicted.sigmoid()" if term.entry.key == _BINARY[1] else "predicted"
        return f"{chances}.flatten(), target.flatten().long()"
    return "predicted.reshape(len(target), -1), target.reshape(len(target), -1)"
