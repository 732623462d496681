"""What the outputs of a model stand for: how its numbers become an answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.export.job import ExportJob
from engine.spec.data import FieldInfo
from engine.spec.run import LossTerm

THRESHOLD = 0.5
_ACTIVATIONS = {
    "CrossEntropyLoss": "softmax",
    "NLLLoss": "exp",
    "BCEWithLogitsLoss": "sigmoid",
}
_YES_OR_NO = ("BCEWithLogitsLoss", "BCELoss")


@dataclass(frozen=True, kw_only=True)
class AnswerForm:
    """The output ``name``: the ``activation`` that makes chances of it ("softmax" and "exp" along
    axis 1, "sigmoid"; empty: none), the ``classes`` along axis 1, or the ``labels`` of which any
    number is true, each where its chance is at least ``threshold`` (None: no such answer).
    """

    name: str
    activation: str = ""
    classes: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    threshold: float | None = None


def answer_forms(job: ExportJob) -> tuple[AnswerForm, ...]:
    """Return what each output stands for, in order: what the first term of the loss that reads it
    compares it with.
    """
    names = [node.name for node in job.graph.nodes.values() if node.type == "Output"]
    fields = job.named if job.data is None else job.data.info.fields
    return tuple(_form(name, job.spec.losses, fields) for name in names)


def _form(name: str, terms: Sequence[LossTerm], fields: Sequence[FieldInfo]) -> AnswerForm:
    term = next((each for each in terms if each.inputs.get("input") == f"model.{name}"), None)
    if term is None:
        return AnswerForm(name=name)
    target = term.inputs.get("target", "").removeprefix("data.")
    info = next((field for field in fields if field.name == target), None)
    loss = term.loss.type
    activation = _ACTIVATIONS.get(loss, "")
    if activation in ("softmax", "exp"):
        classes = () if info is None else info.classes or info.words
        return AnswerForm(name=name, activation=activation, classes=classes)
    if loss in _YES_OR_NO:
        labels = () if info is None else info.entry_names
        return AnswerForm(name=name, activation=activation, labels=labels, threshold=THRESHOLD)
    return AnswerForm(name=name)
