"""Feature of the Model workspace: the page with the canvas."""

from studio.command.context import Context
from studio.command.feature import Feature, Page
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.workspace.page import ModelWorkspace
from studio.process.settings import SettingsStore
from studio.view.command import workspace_command


def _build(context: Context) -> None:
    page = context.add(ModelWorkspace())
    canvas = context.add(page.canvas)
    page.keep_shares(context[SettingsStore])
    context.flush_requested.connect(canvas.take_typed)


FEATURE = Feature(
    build=_build,
    workspace=Page(
        name="model",
        area="Window",
        title=QT_TRANSLATE_NOOP("Window", "Model"),
        help=QT_TRANSLATE_NOOP("Window", "Build the model (Ctrl+1)"),
        build=lambda context: iter((context[ModelWorkspace],)),
    ),
    commands=(
        workspace_command(
            "model",
            QT_TRANSLATE_NOOP("Action", "Model workspace"),
            keys="Ctrl+1",
            words="canvas graph",
        ),
    ),
)
