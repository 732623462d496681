"""Text of the methods that compute metrics of own code, in a class that trains itself."""

from collections.abc import Mapping, Sequence
from string import Template
from typing import NamedTuple

import torch

from engine.catalog.code.target import written_target
from engine.export.job import ExportJob
from engine.export.loss_text import LossText
from engine.spec.choice import NO_CODE, Code
from engine.spec.data import FieldInfo
from engine.spec.judged import Judged, judged_outputs, split_metric
from engine.spec.run import RunSpec
from engine.spec.series import is_custom_metric
from engine.syntax.format import INDENT
from engine.train.custom_metric import CustomMetric, Measured

METRIC_NAMES = frozenset(("compared", "custom_metrics"))
"""The methods that other classes do not have."""
_BINARY = ("BCELoss", "BCEWithLogitsLoss")
_MOST_NAMES = 1000
_ONE = Template('''
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
        for name, metric in metrics.items():''')
_SEVERAL = Template('''
    def compared(self, outputs, batch):
        """Return predictions and targets of a batch for each output with custom metrics, as these
        take them.
        """
        found = {}
$compared
        return found

    @staticmethod
    def custom_metrics(compared):
        """Return the values of custom metrics over all samples of several batches."""
        metrics = {
$made
        }
        found = {}
        for name, (output, classes, metric) in metrics.items():
            pairs = [batch[output] for batch in compared]
            predicted, target = (torch.cat(values) for values in zip(*pairs))''')
_VALUES = Template("""
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
""")


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


class _Compared(NamedTuple):
    """What own metrics judge: an output by its name, the text of predictions and of targets, in
    the form that metrics take, the classes, and the metrics, with what makes each.
    """

    output: str
    given: str
    target: str
    prepared: str
    classes: tuple[str, ...]
    made: dict[str, str]


def custom_metrics(spec: RunSpec, code: Code = NO_CODE) -> tuple[str, ...]:
    """Return the metrics of own code of a run, those of further outputs after their names."""
    return tuple(
        judged.series(name)
        for judged in judged_outputs(spec, code)
        for name in judged.chosen_of(spec.metrics)
        if is_custom_metric(name)
    )


def metric_files(spec: RunSpec, code: Code = NO_CODE) -> list[str]:
    """Return the files of own code that have them."""
    names = (split_metric(name)[1] for name in custom_metrics(spec, code))
    return list(dict.fromkeys(f"{name.partition('.')[0]}.py" for name in names))


def metric_text(job: ExportJob, terms: Sequence[LossText]) -> MetricText:
    """Return the text of the own metrics of a run, which compare what terms of its loss do. Raises
    :class:`DiagnosticError` as :class:`~engine.train.custom_metric.CustomMetric` does.
    """
    judged = () if job.boxes else judged_outputs(job.spec, job.graph.code)
    found = [_compared(job, one, terms[one.term]) for one in judged]
    measured = [each for each in found if each is not None]
    if not measured:
        return MetricText()
    is_first = not measured[0].output and not measured[1:]
    return MetricText(
        methods=_of_one(measured[0]) if is_first else _of_several(measured),
        begin=f"\n{INDENT * 2}compared = []",
        each=f"\n{INDENT * 3}compared.append(self.compared(outputs, batch))",
        result=" | self.custom_metrics(compared)",
    )


def _compared(job: ExportJob, judged: Judged, term: LossText) -> _Compared | None:
    """Return what the own metrics of an output judge; None where it has none, or nothing can be
    compared.
    """
    names = [name for name in judged.chosen_of(job.spec.metrics) if is_custom_metric(name)]
    given, target = term.bound.get("input"), term.bound.get("target")
    if not names or given is None or not given.startswith("outputs") or target is None:
        return None
    info = _info(job, term.term.inputs["target"].removeprefix("data."))
    classes = () if info is None else info.classes
    ignored = term.term.loss.params.get("ignore_index")
    left_out = ignored if isinstance(ignored, int) and ignored >= 0 else None
    measured = Measured(classes, left_out)
    return _Compared(
        judged.name,
        given,
        target,
        _prepared(term, is_classes=bool(classes)),
        classes if len(classes) <= _MOST_NAMES else (),
        {judged.series(name): _made(name, job.graph.code, measured) for name in names},
    )


def _of_one(one: _Compared) -> str:
    made = [f'{INDENT * 3}"{name}": {text},' for name, text in one.made.items()]
    head = _ONE.substitute(
        given=one.given, target=one.target, prepared=one.prepared, made="\n".join(made)
    )
    return head + _VALUES.substitute(names=repr(one.classes))


def _of_several(several: Sequence[_Compared]) -> str:
    lines: list[str] = []
    made: list[str] = []
    for each in several:
        lines += [
            f"{INDENT * 2}predicted, target = {each.given}, {each.target}",
            f'{INDENT * 2}found["{each.output}"] = {each.prepared}',
        ]
        made += [
            f'{INDENT * 3}"{name}": ("{each.output}", {each.classes!r}, {text}),'
            for name, text in each.made.items()
        ]
    head = _SEVERAL.substitute(compared="\n".join(lines), made="\n".join(made))
    return head + _VALUES.substitute(names="classes")


def _info(job: ExportJob, name: str) -> FieldInfo | None:
    known = job.named if job.data is None else job.data.info.fields
    return next((info for info in known if info.name == name), None)


def _made(name: str, code: Mapping[str, str], measured: Measured) -> str:
    """Return the text that makes a metric, with what the run gave its constructor."""
    given = CustomMetric(name, code, measured, torch.device("cpu")).given
    arguments = ", ".join(f"{key}={value!r}" for key, value in given.items())
    return f"{written_target(f'code:{name}')}({arguments})"


def _prepared(term: LossText, *, is_classes: bool) -> str:
    """Return predictions and targets in the form in which a run gives them to metrics."""
    if is_classes:
        return "predicted, target"
    if term.entry.key in _BINARY:
        chances = "predicted.sigmoid()" if term.entry.key == _BINARY[1] else "predicted"
        return f"{chances}.flatten(), target.flatten().long()"
    return "predicted.reshape(len(target), -1), target.reshape(len(target), -1)"
