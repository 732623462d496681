"""Changes of runs while they go on, and runs that repeat them, from the command line."""

from argparse import Namespace

from engine import runtime
from engine.diagnostics import DiagnosticError
from engine.events import SetValue
from engine.project import Project
from engine.query.model.request import Check
from engine.runs.folder import find_run
from engine.runs.follow import read_state
from engine.runs.replay import changes_of, not_repeated
from engine.runtime import RunHandle, Standby
from engine.spec.fields import get_value, set_text
from engine.spec.live import DROPOUT, LiveValue, changed, layer_setting, live_value
from engine.spec.run import RunSpec
from studio.cli.asking import ask
from studio.cli.interrupt import Interrupts
from studio.cli.output import in_words, summary, write, write_error
from studio.cli.parser import UsageError
from studio.cli.run_command import project_folder
from studio.cli.trusting import trust_run
from studio.cli.wording import said

_TRUE, _FALSE = ("true", "yes", "1", "on"), ("false", "no", "0", "off")


def set_values(options: Namespace) -> int:
    """Change values of a run that goes on: each takes effect after the step that is running."""
    run = find_run(project_folder(options.project), options.run)
    if not run.is_alive():
        raise UsageError(
            said("{run} does not train; only a run that goes on can be changed", run=run.id)
        )
    spec = run.document.spec
    wanted: list[tuple[str, LiveValue]] = []
    for text in options.values:
        name, separator, value = text.partition("=")
        if not separator or not name:
            raise UsageError(
                said("{given}: expected KEY=VALUE, such as optimizer.lr=0.001", given=text)
            )
        spec, parsed = _parsed(spec, name, value)
        wanted.append((name, parsed))
    for name, value in wanted:
        run.send(SetValue(name=name, value=value))
    write(
        said(
            "{run}: {count} to be set after the step that is running", run=run.id, count=len(wanted)
        )
    )
    return 0


def _parsed(spec: RunSpec, name: str, text: str) -> tuple[RunSpec, LiveValue]:
    """Return what a text stands for, and the specification with it. Raises :class:`UsageError`."""
    layers = layer_setting(name)
    try:
        if layers is None:
            value = live_value(get_value(set_text(spec, name, text), name))
            return changed(spec, name, value), value
        return spec, _number(text) if layers.what == DROPOUT else _truth(text)
    except DiagnosticError as error:
        raise UsageError(f"{name}={text}: {summary(error.problems)}") from error
    except ValueError as error:
        raise UsageError(f"{name}={text}: {error}") from error


def _number(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError(said("expected a number from 0 to 1"))
    return value


def _truth(text: str) -> bool:
    word = text.strip().casefold()
    if word not in (*_TRUE, *_FALSE):
        raise ValueError(said("expected true or false"))
    return word in _TRUE


def repeat(
    project: Project,
    options: Namespace,
    changes: list[tuple[str, str]],
    standby: Standby,
    interrupts: Interrupts,
) -> RunHandle:
    """Start a run that repeats another one, with what was changed while it went on."""
    fixed = [name for name, _ in changes]
    if fixed or options.resume or options.on:
        what = ", ".join(fixed) or said("settings")
        raise UsageError(
            said(
                "a run is repeated with its own {what}; --replay goes with --name alone", what=what
            )
        )
    run = find_run(project.path, options.replay)
    document, state = run.document, read_state(run)
    made = changes_of(run, state)
    problem = not_repeated(state)
    if not (options.quiet or options.json):
        write_error(
            said("repeating {run}: {count} changes while it went on", run=run.id, count=len(made))
        )
        if problem is not None:
            write_error(in_words(problem))
    is_trusted = trust_run(run, options)
    checked = ask(Check(graph=document.graph, spec=document.spec))
    interrupts.hold()
    return runtime.start_run(
        project.path,
        document.graph,
        document.spec,
        options.name,
        problems=checked.problems,
        standby=standby,
        trusted=is_trusted,
        changes=made,
    )
