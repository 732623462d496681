"""Teacher of a run: the model of a checkpoint, ready to be asked on the batches of another run."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import torch
from torch import Tensor, nn

from engine.custom.trust import is_trusted
from engine.data.source.registry import load_source
from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.graph import codec as graph_codec
from engine.graph.code import runs_code
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.spec import codec as spec_codec
from engine.spec.data import FieldInfo
from engine.spec.data_path import with_absolute_paths
from engine.spec.data_version import version_of
from engine.spec.distillation import FIELD
from engine.spec.run import RunSpec
from engine.train.checkpoint.difference import unfit_checkpoint
from engine.train.checkpoint.file import load_checkpoint
from engine.train.losses import Outputs

_SHOWN = 80


@dataclass(frozen=True, kw_only=True)
class Teacher:
    """A trained model. ``model`` is in evaluation mode and has no gradients; ``inputs`` are the
    fields of the data that it reads, ``outputs`` the names of what it gives, each in order;
    ``graph`` and ``spec`` are what it was trained by.
    """

    model: nn.Module
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    graph: Graph
    spec: RunSpec

    def placed(self, model: nn.Module) -> "Teacher":
        """Return the teacher with its model on another device or in another precision."""
        return replace(self, model=model)


def read_teacher(file: Path, graph: Graph, project: Path | None = None) -> Teacher:
    """Return the teacher in a checkpoint, on the CPU in float32 or as it was trained. No number is
    taken from the global random state: the run draws the same ones as without a teacher.

    ``project`` is where the paths of its data begin, for one of a run of that project. The file may
    be a stranger's. It holds tensors and plain values alone, and the class of the
    model is generated from its graph; custom code in that runs only where the user trusts it, and
    it is that of the ``graph`` of the run.

    Raises :class:`DiagnosticError`: R533 for custom code that is not, K012 for weights that are not
    of the graph, else what is wrong with the file.
    """
    content = load_checkpoint(file)
    try:
        taught = graph_codec.from_document(decode_json(content.graph, object))
        spec = spec_codec.from_document(decode_json(content.spec, object))
        if project is not None:
            spec = with_absolute_paths(spec, project, taught.code)
    except (msgspec.MsgspecError, ValueError) as error:
        params: dict[str, str | int | float] = {"file": file.name, "folder": str(file.parent)}
        raise DiagnosticError(Diagnostic(code="K007", params=params, detail=str(error))) from error
    if runs_code(taught) and not _is_known(taught, graph):
        raise DiagnosticError.of("R533", field=FIELD, files=", ".join(sorted(taught.code))[:_SHOWN])
    with torch.random.fork_rng(devices=[]):
        model = to_module(taught)
    if any(value.dtype == torch.float64 for value in content.model.values()):
        model = model.double()
    try:
        model.load_state_dict(content.model)
    except (RuntimeError, TypeError, AttributeError) as error:
        raise unfit_checkpoint(file.name, content.model, model.state_dict(), error) from error
    nodes = list(taught.nodes.values())
    return Teacher(
        model=model.eval().requires_grad_(requires_grad=False),
        inputs=tuple(str(node.params.get("field", "")) for node in nodes if node.type == "Input"),
        outputs=tuple(node.name for node in nodes if node.type == "Output"),
        graph=taught,
        spec=spec,
    )


def by_name(outputs: Outputs, names: tuple[str, ...]) -> dict[str, Tensor]:
    """Return the outputs of a model by their names; one alone is returned bare."""
    values = (outputs,) if len(names) == 1 and isinstance(outputs, Tensor) else tuple(outputs)
    return dict(zip(names, values, strict=True))


def require_same_classes(
    teacher: Teacher, spec: RunSpec, fields: Mapping[str, FieldInfo], graph: Graph
) -> Diagnostic | None:
    """Return a warning R534 where a teacher learnt from data prepared in another way.

    Raises :class:`DiagnosticError` R532 where its classes are others, or in another order: the
    scores of its outputs would be taken for those of other classes. That is known as far as its
    data are still there.
    """
    for name, classes in _classes(teacher, spec, graph).items():
        own = fields[name].classes if name in fields else ()
        for number, (theirs, ours) in enumerate(zip(classes, own, strict=False)):
            if theirs != ours:
                shown = {"theirs": theirs[:_SHOWN], "own": ours[:_SHOWN]}
                raise DiagnosticError.of("R532", field=FIELD, number=number, **shown)
    here = version_of(spec.data, "", graph.code)
    there = version_of(teacher.spec.data, "", teacher.graph.code)
    if here.source == there.source and here.transforms == there.transforms:
        return None
    params: dict[str, str | int | float] = {"parts": ", ".join(_other_parts(teacher.spec, spec))}
    return Diagnostic(code="R534", severity=Severity.WARNING, field=FIELD, params=params)


def _other_parts(theirs: RunSpec, own: RunSpec) -> list[str]:
    """Return the settings of the data that differ, as they are called on the command line."""
    names = ("source", "normalization", "transforms", "batch_transforms", "collate")
    return [
        f"data.{name}" for name in names if getattr(theirs.data, name) != getattr(own.data, name)
    ]


def _classes(teacher: Teacher, spec: RunSpec, graph: Graph) -> dict[str, tuple[str, ...]]:
    """Return the names of the classes that a teacher learnt, by field; none where it learnt from
    the data of the run, where its data are not here any more or in an unknown project, or are read
    by custom code that may not run.
    """
    source, code = teacher.spec.data.source, teacher.graph.code
    is_nowhere = with_absolute_paths(teacher.spec, Path.cwd(), code) != teacher.spec
    if source == spec.data.source or is_nowhere or (code and not _is_known(teacher.graph, graph)):
        return {}
    try:
        infos = load_source(source, code).infos
    except (DiagnosticError, OSError, ValueError):
        return {}
    return {info.name: info.classes for info in infos if info.role == "target" and info.classes}


def _is_known(taught: Graph, graph: Graph) -> bool:
    """Return whether all custom code of a teacher is that of the run, which may run."""
    if is_trusted(taught.code):
        return True
    is_same = all(graph.code.get(file) == text for file, text in taught.code.items())
    return is_same and is_trusted(graph.code)
