"""What is told of a run that goes on: that it is over, what it keeps, what another mode means."""

from collections.abc import Sequence

from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.project import Project
from engine.runs.difference import project_difference
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.record.state import RunStatus
from engine.spec.difference import listed
from studio.cli.output import in_words, write_error
from studio.cli.wording import said


def tell_of_mode(problems: Sequence[Diagnostic], *, is_quiet: bool) -> None:
    """Tell what another mode means to a run that goes on. Raises :class:`DiagnosticError` for what
    keeps it from that.
    """
    if errors := [problem for problem in problems if problem.severity == "error"]:
        raise DiagnosticError(*errors)
    for problem in () if is_quiet else problems:
        if problem.severity == "warning":
            write_error(in_words(problem))


def tell_kept(run: RunFolder, project: Project, *, has_mode: bool) -> None:
    """List what the project has otherwise than a run that goes on; with ``has_mode`` in a mode or
    number of processes that it was given.
    """
    own, spec = run.document.spec, project.spec
    if has_mode:
        spec = replace(spec, mode=own.mode, nproc=own.nproc)
    others = project_difference(run.document, project.graph, spec, "another model")
    if others:
        write_error(
            said(
                "{run} continues with the model and settings it began with; the project has "
                "others: {others}; train without --resume to use them",
                run=run.id,
                others=listed(others),
            )
        )


def tell_finished(run: RunFolder) -> None:
    """Say how a run that has nothing left to train trains on."""
    state = read_state(run)
    if state.status is RunStatus.FINISHED:
        unit, total = state.length.unit, state.length.total
        write_error(
            said(
                "{run} has already trained all of its {total} {unit}; "
                "--{unit} {twice} would train as long again",
                run=run.id,
                total=f"{total:g}",
                unit=unit,
                twice=f"{2 * total:g}",
            )
        )
