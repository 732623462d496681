"""Difficulty of the training samples: what each costs under the model of an earlier run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import torch
from msgspec.structs import replace as replace_struct
from torch import Tensor

from engine.data.load.loader import in_order
from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.teacher import DIFFICULTY
from engine.spec.curriculum import RUN_FIELD
from engine.spec.run import ProcessSpec
from engine.train.losses import Batch, Outputs
from engine.train.model_placement import placed_model
from engine.train.technique.teacher import Teacher, by_name, read_teacher
from engine.train.training import Training


def read_judge(folder: RunFolder) -> Teacher | None:
    """Return the model whose losses say how difficult samples are; None where a column does, or
    nothing. Raises :class:`DiagnosticError` R593 where its copy is gone.
    """
    data = folder.document.spec.data
    if data.sampler != "curriculum" or not data.curriculum.run or data.has_custom_batches:
        return None
    file = folder.path / DIFFICULTY
    if not file.is_file():
        raise _unfit(data.curriculum.run)
    return read_teacher(file, folder.document.graph, folder.project)


def with_difficulty(training: Training, judge: Teacher) -> Training:
    """Return a training that draws its samples by the losses of a model; as it is where it knows
    them already. Raises :class:`DiagnosticError` R593 for a model of other fields.
    """
    data = training.data
    if not data.sampler.needs_losses or data.sampler.values is not None:
        return training
    losses = sample_losses(training, judge)
    return replace(training, data=replace(data, sampler=data.sampler.with_losses(losses)))


@torch.no_grad()
def sample_losses(training: Training, judge: Teacher) -> list[float]:
    """Return what each training sample costs under a model, as it is evaluated, in their order."""
    part = training.data.parts["train"]
    names = training.loss.terms[0].output_names
    read = {binding for term in training.loss.terms for binding in term.bindings.values()}
    wanted = [name for name in names if f"model.{name}" in read]
    if not {*judge.inputs} <= {*part.names} or not {*wanted} <= {*judge.outputs}:
        raise _unfit(training.spec.data.curriculum.run)
    plain = replace_struct(
        training.spec,
        compute=replace_struct(training.spec.compute, placement=""),
        processes=ProcessSpec(),
    )
    model = placed_model(judge.model.float(), plain, training.device).eval()
    found: list[float] = []
    for read_batch in in_order(part, training.spec.data.batch_size):
        batch = training.placed_batch(read_batch)
        inputs = [batch[name] for name in judge.inputs]
        given = by_name(training.precision.forward(model, inputs), judge.outputs)
        rows = len(inputs[0])
        found += [_loss(training, names, given, batch, row) for row in range(rows)]
    return found


def _loss(
    training: Training, names: Sequence[str], given: Mapping[str, Tensor], batch: Batch, row: int
) -> float:
    one = slice(row, row + 1)
    values = tuple(given[name][one] if name in given else torch.empty(0) for name in names)
    outputs: Outputs = values[0] if len(names) == 1 else values
    return float(training.loss(outputs, {name: each[one] for name, each in batch.items()})[0])


def _unfit(run: str) -> DiagnosticError:
    return DiagnosticError.of("R593", field=RUN_FIELD, run=run[:100])
