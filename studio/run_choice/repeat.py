"""Running a run once more: its model and recipe, and what was changed while it went on."""

from engine.diagnostics import sentence
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from engine.runs.replay import changes_of, not_repeated
from engine.runtime import start_run
from studio.i18n import translate
from studio.run_control.controller import RunController
from studio.services import Services


def can_repeat(state: RunState) -> bool:
    """Return whether there are changes to repeat, of a run that is over."""
    return state.status.is_over() and any(mark.origin != "technique" for mark in state.knobs)


def repeat_run(services: Services, folder: RunFolder, state: RunState) -> None:
    """Train the model and recipe of a run again, with its changes at their very steps."""
    runs, project = services.runs, services.session.project
    if project is None or runs.is_running or runs.is_starting or runs.is_waiting:
        return
    document = folder.document
    changes = changes_of(folder, state)
    trusted = services.trust.covers_resume(project.path, folder.id)
    if (problem := not_repeated(state)) is not None:
        services.notifications.tell(sentence(problem, services.language_code()), "warning")
    text = translate("Run", "{name} again")
    name = text.format(name=document.name)[:100]
    path = project.path
    runs.begin(
        lambda: start_run(
            path,
            document.graph,
            document.spec,
            name,
            problems=(),  # they were looked at when it trained
            trusted=trusted,
            changes=changes,
        )
    )


def repeat_followed(services: Services) -> None:
    """Repeat the run that is followed."""
    update = services.session.run
    if update is not None:
        repeat_run(services, update.folder, update.state)


def can_repeat_followed(runs: RunController, services: Services) -> bool:
    """Return whether the run that is followed can be repeated now."""
    update = services.session.run
    is_busy = runs.is_running or runs.is_starting or runs.is_waiting
    return update is not None and not is_busy and can_repeat(update.state)
