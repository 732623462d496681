"""What the outputs of a model stand for: how its numbers become an answer."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from engine.catalog.spec import EntryGroup, PortContent
from engine.export.job import ExportJob
from engine.spec.choice import entry_of_key
from engine.spec.data import FieldInfo
from engine.spec.run import LossTerm

THRESHOLD = 0.5
_INDICES = (PortContent.CLASS_INDEX, PortContent.CLASS_INDEX_OR_PROBABILITIES)
_BINARY = (PortContent.BINARY_LOGITS, PortContent.PROBABILITIES)
_LOG_PROBABILITIES = "NLLLoss"
_PAIR = 2

AnswerKind = Literal["class", "labels", "two", "mask", "places", "numbers"]
"""One class, any number of labels, yes or no, a class for each pixel or for each place of a
sequence, or plain numbers.
"""


@dataclass(frozen=True, kw_only=True)
class AnswerForm:
    """The output ``name``: the ``activation`` that makes chances of it ("softmax" and "exp" along
    axis 1, "sigmoid"; empty: none), the ``classes`` along axis 1, or the ``labels`` of which any
    number is true, each where its chance is at least ``threshold`` (None: no such answer).
    ``target`` is the field that it is compared with (empty: none).
    """

    name: str
    activation: str = ""
    classes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    threshold: float | None = None
    target: str = ""
    kind: AnswerKind = "numbers"


def answer_forms(job: ExportJob) -> tuple[AnswerForm, ...]:
    """Return what each output stands for, in order: what the first term of the loss that reads it
    compares it with.
    """
    names = [node.name for node in job.graph.nodes.values() if node.type == "Output"]
    fields = job.named if job.data is None else job.data.info.fields
    return tuple(_form(job, name, fields) for name in names)


def _form(job: ExportJob, name: str, fields: Sequence[FieldInfo]) -> AnswerForm:
    terms = job.spec.losses
    term = next((each for each in terms if each.inputs.get("input") == f"model.{name}"), None)
    if term is None:
        return AnswerForm(name=name)
    target = term.inputs.get("target", "").removeprefix("data.")
    info = next((field for field in fields if field.name == target), None)
    contents = _contents(job, term)
    if contents.get("target") in _INDICES:
        activation = "exp" if term.loss.type == _LOG_PROBABILITIES else "softmax"
        classes = () if info is None else info.classes or info.words
        kind = _kind_of_classes(info)
        return AnswerForm(
            name=name, activation=activation, classes=classes, target=target, kind=kind
        )
    if contents.get("input") in _BINARY:
        is_logit = contents["input"] is PortContent.BINARY_LOGITS
        return AnswerForm(
            name=name,
            activation="sigmoid" if is_logit else "",
            labels=() if info is None else info.entry_names,
            threshold=THRESHOLD,
            target=target,
            kind=_kind_of_chances(info),
        )
    return AnswerForm(name=name, target=target)


def _contents(job: ExportJob, term: LossTerm) -> Mapping[str, PortContent | None]:
    entry = entry_of_key(EntryGroup.LOSS, term.loss.type, job.graph.code)
    return {} if entry is None else {port.name: port.content for port in entry.inputs}


def _kind_of_classes(info: FieldInfo | None) -> AnswerKind:
    if info is None:
        return "numbers"
    if info.kind == "mask":
        return "mask"
    if info.words or info.kind == "sequence":
        return "places"
    return "class" if info.classes and info.kind != "box_classes" else "numbers"


def _kind_of_chances(info: FieldInfo | None) -> AnswerKind:
    if info is None or info.kind in ("mask", "image"):
        return "numbers"
    if math.prod(info.shape) > 1:
        return "labels"
    return "two"
