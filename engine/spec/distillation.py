"""Distillation: the outputs of a model that are matched with those of a teacher, and rules for it.

"Distilling the Knowledge in a Neural Network" (Hinton et al., 2015).
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Literal

from engine.catalog.spec import EntryGroup, PortContent, Value
from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.spec.choice import NO_CODE, Code, entry_of_key
from engine.spec.output import MODEL_OUTPUT
from engine.spec.phase import phase_list, terms_at
from engine.spec.run import RunSpec

DISTANCE = "loss.distillation"
"""The series of the distance to the teacher, in the training part of a record."""

FIELD = "distillation.teacher"
CHECKPOINT_ENDING = ".ckpt"
Match = Literal["classes", "binary", "values"]
"""How two outputs are compared: scores of classes by the Kullback-Leibler divergence of their
softmax over axis 1, scores of one class by that of their sigmoid, numbers by the mean squared
error.
"""

_RUN = re.compile(r"[^/\\:]{1,200}(:[^/\\:]{1,200})?")
_MATCHES: dict[PortContent, Match] = {
    PortContent.LOGITS: "classes",
    PortContent.LOG_PROBABILITIES: "classes",
    PortContent.BINARY_LOGITS: "binary",
}


def names_file(teacher: str) -> bool:
    """Return whether a teacher is a file in the project, not a run."""
    return teacher.endswith(CHECKPOINT_ENDING)


def check_teacher(value: Value) -> Diagnostic | None:
    """Return R525 for what is neither a run nor a checkpoint file inside the project."""
    text = str(value)
    path = PurePosixPath(text)
    is_inside = not path.is_absolute() and ".." not in path.parts
    is_file = names_file(text) and is_inside and "\\" not in text and ":" not in text
    if not text or is_file or (_RUN.fullmatch(text) and not names_file(text)):
        return None
    return Diagnostic(code="R525", params={"value": text[:100]})


def matched_outputs(spec: RunSpec, code: Code = NO_CODE) -> dict[str, Match]:
    """Return how each output that a loss reads is matched, by its name, in the order of the losses.
    What a loss reads as scores in one term and as numbers in another are scores.
    """
    found: dict[str, Match] = {}
    for term in spec.losses:
        entry = entry_of_key(EntryGroup.LOSS, term.loss.type, code)
        if entry is None or term.loss.type == MODEL_OUTPUT:
            continue
        contents = {port.name: port.content for port in entry.inputs}
        for port, binding in term.inputs.items():
            kind, _, name = binding.partition(".")
            content = contents.get(port)
            match = "values" if content is None else _MATCHES.get(content, "values")
            if kind == "model" and found.get(name, "values") == "values":
                found[name] = match
    return found


def matched_in(spec: RunSpec, terms: Iterable[int], matches: Iterable[str]) -> tuple[str, ...]:
    """Return which of the matched outputs the loss terms of a step (from 0) read, in their order:
    in the steps of a phase the teacher has a share of its loss where that reads one.
    """
    bound = {binding for number in terms for binding in spec.losses[number].inputs.values()}
    return tuple(name for name in matches if f"model.{name}" in bound)


def check_distillation(spec: RunSpec, graph: Graph) -> Iterator[Diagnostic]:
    """Yield R526 where no output can be matched, R527 where a recipe of several phases has none in
    whose loss there is one.
    """
    if not spec.distillation.teacher:
        return
    matches = matched_outputs(spec, graph.code)
    rules, count = phase_list(spec), len(spec.losses)
    known = [terms_at(rules, (index,), count) for index in range(len(rules))]
    terms = [number for one in known for number in one if number < count]
    if matches and not matched_in(spec, terms, matches):
        yield Diagnostic.of("R527", field=FIELD, outputs=", ".join(matches))
    if spec.losses and not matches:
        yield Diagnostic.of("R526", field=FIELD)
