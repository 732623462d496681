"""Teacher of a run that distils: the checkpoint it names, and the copy that the run keeps.

The copy is made with the run, so that a run waits, goes on and is exported also when the run of its
teacher is deleted meanwhile.
"""

import shutil
from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.files import confined, copy_file
from engine.graph.model import Graph
from engine.runs.checkpoint_folder import checkpoint_folder
from engine.runs.folder import RunFolder, find_run
from engine.runs.record.shard_folder import SUFFIX
from engine.runs.recorded_checkpoint import find_checkpoint
from engine.spec.curriculum import RUN_FIELD as JUDGE_FIELD
from engine.spec.distillation import FIELD, names_file
from engine.spec.live import LiveChange
from engine.spec.run import RunSpec

NAME = "teacher.ckpt"
DIFFICULTY = "difficulty.ckpt"
"""The copy of the checkpoint whose losses say how difficult samples are."""
_MISSING = ("R157", "R158", "R161", "R162", "K013", "K015")


def teacher_files(run: Path) -> list[Path]:
    """Return the files of the copy in the folder of a run: those of its shards, too."""
    return _files(run / NAME)


def copied_files(run: Path) -> list[Path]:
    """Return the files of all copies of checkpoints in the folder of a run."""
    return [*teacher_files(run), *_files(run / DIFFICULTY)]


def _files(file: Path) -> list[Path]:
    return [path for path in (file, *_shards(file)) if path.is_file()]


def create_run(
    project: Path,
    graph: Graph,
    spec: RunSpec,
    name: str | None = None,
    changes: tuple[LiveChange, ...] = (),
) -> RunFolder:
    """Make the next run of a project as :meth:`RunFolder.create` does, with a copy of its teacher
    where it has one.

    Raises :class:`DiagnosticError`: R528 where the teacher is not there, R593 where the run is not
    whose losses say how difficult samples are, P034 for a file outside
    the project, or what keeps the folder from being written.
    """
    teacher, data = spec.distillation.teacher, spec.data
    source = teacher_source(project, teacher) if teacher else None
    judge = data.curriculum.run if data.sampler == "curriculum" else ""
    judged = _judge(project, judge) if judge else None
    run = RunFolder.create(project, graph, spec, name, changes)
    try:
        if source is not None:
            _copy(source, run.path / NAME)
        if judged is not None:
            _copy(judged, run.path / DIFFICULTY)
    except BaseException:
        shutil.rmtree(run.path, ignore_errors=True)  # it could never begin
        raise
    return run


def _copy(source: Path, target: Path) -> None:
    copy_file(source, target)
    for shard in _shards(source):
        copy_file(shard, target.with_suffix(SUFFIX) / shard.name)


def teacher_source(project: Path, teacher: str) -> Path:
    """Return the checkpoint that a project's teacher is. Raises :class:`DiagnosticError` R528 where
    there is none, P034 for a file outside the project.
    """
    if names_file(teacher):
        file = confined(project, teacher)
        if not file.is_file():
            raise _missing(teacher)
        return file
    name, _, wanted = teacher.partition(":")
    try:
        run = find_run(project, name)
        info = find_checkpoint(run, wanted or "best")
    except DiagnosticError as error:
        if error.problems[0].code not in _MISSING:
            raise
        raise _missing(teacher) from error
    return checkpoint_folder(run.path) / info.file


def _judge(project: Path, run: str) -> Path:
    """Return the checkpoint whose losses say how difficult samples are."""
    try:
        return teacher_source(project, run)
    except DiagnosticError as error:
        if error.problems[0].code != "R528":
            raise
        raise DiagnosticError.of("R593", field=JUDGE_FIELD, run=run[:100]) from error


def _missing(teacher: str) -> DiagnosticError:
    return DiagnosticError.of("R528", field=FIELD, teacher=teacher)


def _shards(file: Path) -> list[Path]:
    folder = file.with_suffix(SUFFIX)
    return sorted(path for path in folder.glob("*") if path.is_file())
