"""Contents of the window, put together from the features in the language that is switched on."""

from PySide6.QtWidgets import QApplication

from studio.app.features import features
from studio.command.actions import ActionSet
from studio.command.context import Context
from studio.services import Services
from studio.welcome.page import WelcomePage
from studio.window.main_window import Contents
from widgets.forms.editors import TextEditor

_TOOLS = (
    ("action.edit.undo", "undo"),
    ("action.edit.redo", "redo"),
    ("action.run.start", "play"),
    ("action.run.pause", "pause"),
    ("action.run.stop", "stop"),
    ("action.view.commands", "search"),
)


def place_contents(services: Services) -> Context:
    """Build everything in the window and the controllers behind it, and return the context that
    they are found in; another language has them built anew.
    """
    context = Context(services.window, services, *vars(services).values())
    announced = features()
    commands = [command for feature in announced for command in feature.commands]
    actions = context.add(ActionSet(commands, context, services.window))
    docks = sorted((dock for each in announced for dock in each.docks), key=lambda d: d.position)
    widgets = [context.add(dock.build()) for dock in docks]
    context.flush_requested.connect(_flush_field)
    for feature in announced:
        if feature.build is not None:
            feature.build(context)
    services.window.place(
        Contents(
            welcome=context[WelcomePage],
            workspaces=[each.workspace for each in announced if each.workspace is not None],
            docks=list(zip(docks, widgets, strict=True)),
            actions=actions,
            context=context,
            tool_actions=_TOOLS,
            flipped_docks=services.settings.value.docks,
        )
    )
    context.settings_changed.connect(actions.update)
    context.placed.emit()
    context.settings_changed.emit()
    return context


def _flush_field() -> None:
    field = QApplication.focusWidget()  # a field that is left tells it by itself
    if isinstance(field, TextEditor):
        field.flush()
