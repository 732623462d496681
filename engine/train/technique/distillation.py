"""Knowledge distillation: a model learns the outputs of a trained one besides the targets.

"Distilling the Knowledge in a Neural Network" (Hinton et al., 2015).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import kl_div, logsigmoid, mse_loss
from typing_extensions import override

from engine.diagnostics import DiagnosticError
from engine.graph.memory_report import KeptModel
from engine.spec.distillation import DISTANCE, FIELD, Match, matched_in
from engine.spec.run import RunSpec
from engine.spec.technique import DistillationSpec
from engine.train.losses import Batch, Outputs
from engine.train.precision import Precision
from engine.train.technique.base import Mixed, Technique
from engine.train.technique.teacher import Teacher, by_name


@dataclass(frozen=True, kw_only=True)
class Lesson:
    """What a teacher is asked: ``matches`` are the outputs that are compared, and how; ``outputs``
    are the names of those of the model that learns, ``spec`` is its recipe.
    """

    spec: RunSpec
    teacher: Teacher
    matches: Mapping[str, Match]
    outputs: tuple[str, ...]
    precision: Precision

    def matches_in(self, terms: Sequence[int]) -> dict[str, Match]:
        """Return what is compared in a step that minimizes these terms of the loss."""
        names = matched_in(self.spec, terms, self.matches)
        return {name: self.matches[name] for name in names}

    def answers(self, batch: Batch) -> dict[str, Tensor]:
        """Return what the teacher gives for a batch, by name: in evaluation mode, without
        gradients, in the precision of the run.
        """
        inputs = [batch[field] for field in self.teacher.inputs]
        with torch.no_grad():
            outputs = self.precision.forward(self.teacher.model, inputs)
        return by_name(outputs, self.teacher.outputs)


class Distillation(Technique):
    """Takes (1 - w) times the loss of a batch and w times the distance to the teacher's outputs.

    Scores of classes, z of the model and t of the teacher, are compared by T² KL(softmax(t / T) ‖
    softmax(z / T)), the mean over samples (and positions); scores of one class likewise by their
    sigmoid; numbers by the mean squared error. Of several outputs it is the sum. In the steps of a
    phase it is of the outputs that its terms of the loss read; without one its loss stays as it
    is. The record shows the loss without it and the distance, unweighted, as a series of its own.

    Without a lesson, in what is measured of a recipe outside of runs, it changes nothing.
    """

    def __init__(self, spec: DistillationSpec) -> None:
        self._spec = spec
        self._lesson: Lesson | None = None

    def begin(self, lesson: Lesson) -> None:
        """Learn from a teacher from now on."""
        self._lesson = lesson

    @override
    def configure(self, spec: RunSpec) -> None:
        self._spec = spec.distillation

    @override
    def kept_models(self) -> Mapping[KeptModel, nn.Module]:
        return {} if self._lesson is None else {"teacher": self._lesson.teacher.model}

    @override
    def part_names(self) -> tuple[str, ...]:
        return () if self._lesson is None else (DISTANCE,)

    @override
    def mixed(
        self, loss: Tensor, outputs: Outputs, batch: Batch, terms: Sequence[int] = ()
    ) -> Mixed:
        lesson = self._lesson
        matches = {} if lesson is None else lesson.matches_in(terms)
        if lesson is None or not matches:
            return Mixed(loss)
        answers, own = lesson.answers(batch), by_name(outputs, lesson.outputs)
        apart = [
            distance(own[name], answers[name], match, self._spec.temperature)
            for name, match in matches.items()
        ]
        total = apart[0]
        for each in apart[1:]:
            total = total + each
        weight = self._spec.weight
        return Mixed((1 - weight) * loss + weight * total, (total.detach(),))


def distance(own: Tensor, answer: Tensor, match: Match, temperature: float) -> Tensor:
    """Return how far an output is from that of a teacher, both (samples, ...): a scalar."""
    answer = answer.to(own)
    if match == "values":
        return mse_loss(own, answer)
    student, teacher = own / temperature, answer / temperature
    if match == "classes":
        apart = kl_div(
            student.log_softmax(1), teacher.log_softmax(1), reduction="none", log_target=True
        ).sum(1)
        return apart.mean() * temperature**2
    chance = teacher.sigmoid()
    yes = chance * (logsigmoid(teacher) - logsigmoid(student))
    no = (1 - chance) * (logsigmoid(-teacher) - logsigmoid(-student))
    return (yes + no).mean() * temperature**2


def require_fitting(
    lesson: Lesson, model: nn.Module, fields: tuple[str, ...], batch: Batch
) -> None:
    """Try a teacher and the ``model`` that reads ``fields`` on a batch; neither takes a number from
    the random state of the CPU.

    Raises :class:`DiagnosticError`: R529 where the teacher lacks an output, R531 where it cannot
    compute on the data, R530 where an output has another shape.
    """
    teacher = lesson.teacher
    for name in lesson.matches:
        if name not in teacher.outputs:
            known = ", ".join(teacher.outputs)
            raise DiagnosticError.of("R529", field=FIELD, output=name, known=known)
    was_training = model.training
    model.eval()
    try:
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            inputs = [batch[field] for field in fields]
            own = by_name(lesson.precision.forward(model, inputs), lesson.outputs)
            answers = _tried(lesson, batch)
    finally:
        model.train(was_training)
    for name in lesson.matches:
        if answers[name].shape != own[name].shape:
            raise DiagnosticError.of(
                "R530",
                field=FIELD,
                output=name,
                theirs=_shape(answers[name]),
                own=_shape(own[name]),
            )


def _tried(lesson: Lesson, batch: Batch) -> dict[str, Tensor]:
    try:
        return lesson.answers(batch)
    except (RuntimeError, ValueError, TypeError, IndexError) as error:
        fields = ", ".join(lesson.teacher.inputs)
        raise DiagnosticError.of("R531", field=FIELD, detail=str(error), fields=fields) from error


def _shape(value: Tensor) -> str:
    """Return a shape without its samples."""
    return "×".join(map(str, value.shape[1:])) or "()"
