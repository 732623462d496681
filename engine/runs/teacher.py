"""Teacher of a run that distils: the checkpoint it names, and the copy that the run keeps.

The copy is made with the run, so that a run waits, goes on and is exported also when the run of its
teacher is deleted meanwhile.
"""

from pathlib import Path

from engine.diagnostics import DiagnosticError
from engine.files import confined, copy_file
from engine.runs.checkpoint_folder import checkpoint_folder
from engine.runs.record.shard_folder import SUFFIX
from engine.spec.distillation import FIELD, names_file

NAME = "teacher.ckpt"
_MISSING = ("R157", "R158", "R161", "R162", "K013", "K015")


def teacher_files(run: Path) -> list[Path]:
    """Return the files of the copy in the folder of a run: those of its shards, too."""
    file = run / NAME
    return [path for path in (file, *_shards(file)) if path.is_file()]


def copy_teacher(project: Path, run: Path, teacher: str) -> None:
    """Copy the checkpoint that a run names as its teacher into its folder.

    Raises :class:`DiagnosticError`: R528 where it is not there, P034 for a file outside the
    project, or what keeps it from being copied.
    """
    source = _source(project, teacher)
    target = run / NAME
    copy_file(source, target)
    for shard in _shards(source):
        copy_file(shard, target.with_suffix(SUFFIX) / shard.name)


def _source(project: Path, teacher: str) -> Path:
    if names_file(teacher):
        file = confined(project, teacher)
        if not file.is_file():
            raise _missing(teacher)
        return file
    from engine.runs.folder import find_run  # it makes the copies
    from engine.runs.recorded_checkpoint import find_checkpoint

    name, _, wanted = teacher.partition(":")
    try:
        run = find_run(project, name)
        info = find_checkpoint(run, wanted or "best")
    except DiagnosticError as error:
        if error.problems[0].code not in _MISSING:
            raise
        raise _missing(teacher) from error
    return checkpoint_folder(run.path) / info.file


def _missing(teacher: str) -> DiagnosticError:
    return DiagnosticError.of("R528", field=FIELD, teacher=teacher)


def _shards(file: Path) -> list[Path]:
    folder = file.with_suffix(SUFFIX)
    return sorted(path for path in folder.glob("*") if path.is_file())
