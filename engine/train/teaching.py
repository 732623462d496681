"""Training of a run folder, with the teacher that the run learns from beside the targets."""

from msgspec.structs import replace as replace_struct
from torch import nn

from engine.data.load.fit import DataFit
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.teacher import NAME, teacher_files
from engine.spec.distillation import FIELD, matched_outputs, names_file
from engine.spec.run import ProcessSpec
from engine.train.judging import read_judge, with_difficulty
from engine.train.model_placement import placed_model
from engine.train.ranks.world import World
from engine.train.technique.distillation import Distillation, Lesson, require_fitting
from engine.train.technique.registry import DISTILLATION
from engine.train.technique.teacher import Teacher, read_teacher, require_same_classes
from engine.train.training import Training, build_training


def build_run_training(
    folder: RunFolder, model: nn.Module, world: World, known: DataFit
) -> tuple[Training, Diagnostic | None]:
    """Put together what trains the model of a run, as :func:`build_training` does; second, a
    warning about its teacher, where there is one. All processes of a run come here.

    Raises :class:`DiagnosticError` with what does not fit: R528 where the copy of the teacher is
    gone, R529 to R533 for one of another kind.
    """
    graph, spec = folder.document.graph, folder.document.spec
    teacher, judge = _teacher(folder), read_judge(folder)
    fields = [name for one in (teacher, judge) if one is not None for name in one.inputs]
    training = build_training(graph, spec, model, world, known=known, more_fields=fields)
    if judge is not None:
        training = with_difficulty(training, judge)
    if teacher is None:
        return training, None
    infos = {info.name: info for info in training.data.info.fields}
    if missing := [name for name in teacher.inputs if name not in infos]:
        raise DiagnosticError.of("R531", field=FIELD, fields=", ".join(missing))
    warning = require_same_classes(teacher, spec, infos, graph)
    _teach(training, folder, teacher)
    return training, warning


def _teacher(folder: RunFolder) -> Teacher | None:
    spec = folder.document.spec.distillation
    if not spec.teacher:
        return None
    if not teacher_files(folder.path):
        raise DiagnosticError.of("R528", field=FIELD, teacher=f"runs/{folder.id}/{NAME}")
    project = None if names_file(spec.teacher) else folder.project
    return read_teacher(folder.path / NAME, folder.document.graph, project)


def _teach(training: Training, folder: RunFolder, teacher: Teacher) -> None:
    """Put a teacher on the device of a run, in its precision, and have the run learn from it."""
    spec, graph = training.spec, folder.document.graph
    technique = training.techniques[DISTILLATION]
    assert isinstance(technique, Distillation)
    compute = replace_struct(spec.compute, placement="")
    plain = replace_struct(spec, compute=compute, processes=ProcessSpec())
    lesson = Lesson(
        spec=spec,
        teacher=teacher.placed(placed_model(teacher.model.float(), plain, training.device)),
        matches=matched_outputs(spec, graph.code),
        outputs=tuple(node.name for node in graph.nodes.values() if node.type == "Output"),
        precision=training.precision,
    )
    forms = {name: training.data.parts["train"].form(name) for name in _fields(training, teacher)}
    batch = {
        name: form.new_zeros(2, *form.shape[1:], device=training.device)
        for name, form in forms.items()
    }
    require_fitting(lesson, training.model, training.input_fields, batch)
    technique.begin(lesson)


def _fields(training: Training, teacher: Teacher) -> list[str]:
    return list(dict.fromkeys((*training.input_fields, *teacher.inputs)))
