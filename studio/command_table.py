"""Every command of the program; menus, shortcuts and the Ctrl+K palette are projections."""

from studio.command import ActionState, Command
from studio.i18n import QT_TRANSLATE_NOOP


def _project(state: ActionState) -> bool:
    return state.has_project


def _model(state: ActionState) -> bool:
    return state.has_project and state.is_model


def _selection(state: ActionState) -> bool:
    return _model(state) and state.has_selection


MENUS: tuple[tuple[str, str], ...] = (
    ("file", QT_TRANSLATE_NOOP("Action", "&File")),
    ("edit", QT_TRANSLATE_NOOP("Action", "&Edit")),
    ("view", QT_TRANSLATE_NOOP("Action", "&View")),
    ("model", QT_TRANSLATE_NOOP("Action", "&Model")),
    ("run", QT_TRANSLATE_NOOP("Action", "&Run")),
    ("help", QT_TRANSLATE_NOOP("Action", "&Help")),
)

_FILE = (
    Command(
        id="action.file.new",
        title=QT_TRANSLATE_NOOP("Action", "New project…"),
        keys=("Ctrl+N",),
        words="create template",
    ),
    Command(
        id="action.file.open",
        title=QT_TRANSLATE_NOOP("Action", "Open project…"),
        keys=("Ctrl+O",),
        words="load folder",
    ),
    Command(
        id="action.file.welcome",
        title=QT_TRANSLATE_NOOP("Action", "Welcome page"),
        words="start home templates recent",
    ),
    Command(
        id="action.file.save",
        title=QT_TRANSLATE_NOOP("Action", "Save"),
        keys=("Ctrl+S",),
        group=1,
        enabled=_project,
    ),
    Command(
        id="action.file.save_as",
        title=QT_TRANSLATE_NOOP("Action", "Save a copy as…"),
        keys=("Ctrl+Shift+S",),
        words="duplicate project",
        group=1,
        enabled=_project,
    ),
    Command(
        id="action.file.reveal",
        title=QT_TRANSLATE_NOOP("Action", "Show the project folder"),
        words="open folder explorer finder",
        group=1,
        enabled=_project,
    ),
    Command(
        id="action.file.picture",
        title=QT_TRANSLATE_NOOP("Action", "Copy a picture of the window"),
        words="screenshot clipboard",
        group=2,
    ),
    Command(
        id="action.file.preferences",
        title=QT_TRANSLATE_NOOP("Action", "Preferences…"),
        keys=("Ctrl+,",),
        words="settings options language theme",
        group=2,
    ),
    Command(
        id="action.file.close",
        title=QT_TRANSLATE_NOOP("Action", "Close the project"),
        keys=("Ctrl+W",),
        group=3,
        enabled=_project,
    ),
    Command(
        id="action.file.quit",
        title=QT_TRANSLATE_NOOP("Action", "Quit"),
        keys=("Ctrl+Q",),
        words="exit",
        group=3,
    ),
)

_EDIT = (
    Command(
        id="action.edit.undo",
        title=QT_TRANSLATE_NOOP("Action", "Undo"),
        keys=("Ctrl+Z",),
        enabled=lambda state: state.can_undo,
    ),
    Command(
        id="action.edit.redo",
        title=QT_TRANSLATE_NOOP("Action", "Redo"),
        keys=("Ctrl+Shift+Z", "Ctrl+Y"),
        enabled=lambda state: state.can_redo,
    ),
    Command(
        id="action.edit.cut",
        title=QT_TRANSLATE_NOOP("Action", "Cut"),
        keys=("Ctrl+X",),
        group=1,
        enabled=_selection,
    ),
    Command(
        id="action.edit.copy",
        title=QT_TRANSLATE_NOOP("Action", "Copy"),
        keys=("Ctrl+C",),
        group=1,
        enabled=_selection,
    ),
    Command(
        id="action.edit.paste",
        title=QT_TRANSLATE_NOOP("Action", "Paste"),
        keys=("Ctrl+V",),
        group=1,
        enabled=_model,
    ),
    Command(
        id="action.edit.duplicate",
        title=QT_TRANSLATE_NOOP("Action", "Duplicate"),
        keys=("Ctrl+D",),
        group=1,
        enabled=_selection,
    ),
    Command(
        id="action.edit.delete",
        title=QT_TRANSLATE_NOOP("Action", "Delete"),
        keys=("Del",),
        words="remove",
        group=1,
        enabled=_selection,
    ),
    Command(
        id="action.edit.select_all",
        title=QT_TRANSLATE_NOOP("Action", "Select all"),
        keys=("Ctrl+A",),
        group=2,
        enabled=_model,
    ),
)

_VIEW = (
    Command(
        id="action.view.commands",
        title=QT_TRANSLATE_NOOP("Action", "Find a command…"),
        keys=("Ctrl+K",),
        words="palette search action",
    ),
    Command(
        id="action.view.model",
        title=QT_TRANSLATE_NOOP("Action", "Model workspace"),
        keys=("Ctrl+1",),
        words="canvas graph",
        group=1,
        enabled=_project,
    ),
    Command(
        id="action.view.data",
        title=QT_TRANSLATE_NOOP("Action", "Data workspace"),
        keys=("Ctrl+2",),
        words="dataset preview split",
        group=1,
        enabled=_project,
    ),
    Command(
        id="action.view.train",
        title=QT_TRANSLATE_NOOP("Action", "Train workspace"),
        keys=("Ctrl+3",),
        words="recipe optimizer loss",
        group=1,
        enabled=_project,
    ),
    Command(
        id="action.view.runs",
        title=QT_TRANSLATE_NOOP("Action", "Runs workspace"),
        keys=("Ctrl+4",),
        words="compare checkpoints history",
        group=1,
        enabled=_project,
    ),
    Command(
        id="action.view.export",
        title=QT_TRANSLATE_NOOP("Action", "Export workspace"),
        keys=("Ctrl+5",),
        words="weights code safetensors",
        group=1,
        enabled=_project,
    ),
    Command(
        id="action.view.palette",
        title=QT_TRANSLATE_NOOP("Action", "Palette"),
        words="layers panel show hide",
        group=2,
        checkable=True,
    ),
    Command(
        id="action.view.inspector",
        title=QT_TRANSLATE_NOOP("Action", "Inspector"),
        words="properties panel show hide",
        group=2,
        checkable=True,
    ),
    Command(
        id="action.view.problems",
        title=QT_TRANSLATE_NOOP("Action", "Problems"),
        keys=("Ctrl+Shift+M",),
        words="errors warnings panel show hide",
        group=2,
        checkable=True,
    ),
    Command(
        id="action.view.log",
        title=QT_TRANSLATE_NOOP("Action", "Log"),
        words="messages panel show hide",
        group=2,
        checkable=True,
    ),
    Command(
        id="action.view.code",
        title=QT_TRANSLATE_NOOP("Action", "Code"),
        words="source python panel show hide",
        group=2,
        checkable=True,
    ),
    Command(
        id="action.view.reset_layout",
        title=QT_TRANSLATE_NOOP("Action", "Reset the layout"),
        words="panels docks default",
        group=2,
    ),
    Command(
        id="action.view.theme_system",
        title=QT_TRANSLATE_NOOP("Action", "Theme: as the system"),
        words="appearance color",
        group=3,
        checkable=True,
        submenu=QT_TRANSLATE_NOOP("Action", "Theme"),
    ),
    Command(
        id="action.view.theme_light",
        title=QT_TRANSLATE_NOOP("Action", "Theme: light"),
        words="appearance bright",
        group=3,
        checkable=True,
        submenu=QT_TRANSLATE_NOOP("Action", "Theme"),
    ),
    Command(
        id="action.view.theme_dark",
        title=QT_TRANSLATE_NOOP("Action", "Theme: dark"),
        words="appearance night",
        group=3,
        checkable=True,
        submenu=QT_TRANSLATE_NOOP("Action", "Theme"),
    ),
    Command(
        id="action.view.language_auto",
        title=QT_TRANSLATE_NOOP("Action", "Language: as the system"),
        words="语言",
        group=3,
        checkable=True,
        submenu=QT_TRANSLATE_NOOP("Action", "Language"),
    ),
    Command(
        id="action.view.language_en",
        title=QT_TRANSLATE_NOOP("Action", "Language: English"),
        words="语言 英文",
        group=3,
        checkable=True,
        submenu=QT_TRANSLATE_NOOP("Action", "Language"),
    ),
    Command(
        id="action.view.language_zh_cn",
        title=QT_TRANSLATE_NOOP("Action", "Language: 简体中文"),
        words="语言 chinese",
        group=3,
        checkable=True,
        submenu=QT_TRANSLATE_NOOP("Action", "Language"),
    ),
    Command(
        id="action.view.text_larger",
        title=QT_TRANSLATE_NOOP("Action", "Larger text"),
        keys=("Ctrl+Alt++", "Ctrl+Alt+="),
        words="font size zoom",
        group=4,
    ),
    Command(
        id="action.view.text_smaller",
        title=QT_TRANSLATE_NOOP("Action", "Smaller text"),
        keys=("Ctrl+Alt+-",),
        words="font size",
        group=4,
    ),
    Command(
        id="action.view.text_normal",
        title=QT_TRANSLATE_NOOP("Action", "Normal text size"),
        keys=("Ctrl+Alt+0",),
        words="font reset",
        group=4,
    ),
    Command(
        id="action.view.full_screen",
        title=QT_TRANSLATE_NOOP("Action", "Full screen"),
        keys=("F11",),
        group=4,
        checkable=True,
    ),
)

_MODEL = (
    Command(
        id="action.model.add",
        title=QT_TRANSLATE_NOOP("Action", "Add a layer…"),
        keys=("Ctrl+Space",),
        words="insert node search operator",
        enabled=_model,
    ),
    Command(
        id="action.model.rename",
        title=QT_TRANSLATE_NOOP("Action", "Rename the layer"),
        keys=("F2",),
        words="name node",
        enabled=_selection,
    ),
    Command(
        id="action.model.arrange",
        title=QT_TRANSLATE_NOOP("Action", "Arrange"),
        keys=("Ctrl+L",),
        words="layout automatic align",
        group=1,
        enabled=_model,
    ),
    Command(
        id="action.model.fit",
        title=QT_TRANSLATE_NOOP("Action", "Fit the model to the window"),
        keys=("Ctrl+0",),
        words="zoom all",
        group=2,
        enabled=_model,
    ),
    Command(
        id="action.model.zoom_in",
        title=QT_TRANSLATE_NOOP("Action", "Zoom in"),
        keys=("Ctrl++", "Ctrl+="),
        group=2,
        enabled=_model,
    ),
    Command(
        id="action.model.zoom_out",
        title=QT_TRANSLATE_NOOP("Action", "Zoom out"),
        keys=("Ctrl+-",),
        group=2,
        enabled=_model,
    ),
    Command(
        id="action.model.snap",
        title=QT_TRANSLATE_NOOP("Action", "Snap to the grid"),
        words="align magnet",
        group=3,
        checkable=True,
    ),
    Command(
        id="action.model.minimap",
        title=QT_TRANSLATE_NOOP("Action", "Mini-map"),
        words="overview",
        group=3,
        checkable=True,
    ),
    Command(
        id="action.model.copy_code",
        title=QT_TRANSLATE_NOOP("Action", "Copy the code"),
        keys=("Ctrl+Shift+C",),
        words="python source class clipboard",
        group=4,
        enabled=_project,
    ),
)

_RUN = (
    Command(
        id="action.run.start",
        title=QT_TRANSLATE_NOOP("Action", "Start training"),
        keys=("F5",),
        words="run train go",
        enabled=lambda state: state.can_start,
    ),
    Command(
        id="action.run.pause",
        title=QT_TRANSLATE_NOOP("Action", "Pause or go on"),
        keys=("F6",),
        words="continue resume wait",
        enabled=lambda state: state.is_running,
    ),
    Command(
        id="action.run.step",
        title=QT_TRANSLATE_NOOP("Action", "Take one step"),
        keys=("F10",),
        words="single",
        enabled=lambda state: state.is_running and state.is_paused,
    ),
    Command(
        id="action.run.stop",
        title=QT_TRANSLATE_NOOP("Action", "Stop, keeping everything"),
        keys=("Shift+F5",),
        words="end cancel",
        enabled=lambda state: state.is_running or state.is_waiting,
    ),
    Command(
        id="action.run.resume",
        title=QT_TRANSLATE_NOOP("Action", "Resume the last run"),
        keys=("Ctrl+F5",),
        words="continue checkpoint",
        group=1,
        enabled=lambda state: state.can_resume,
    ),
)

_HELP = (
    Command(
        id="action.help.topic",
        title=QT_TRANSLATE_NOOP("Action", "Help on what is selected"),
        keys=("F1",),
        words="documentation manual",
    ),
    Command(
        id="action.help.manual",
        title=QT_TRANSLATE_NOOP("Action", "Manual"),
        words="help contents pages glossary guide",
    ),
    Command(
        id="action.help.tour",
        title=QT_TRANSLATE_NOOP("Action", "Take the tour"),
        words="introduction begin tutorial",
    ),
    Command(
        id="action.help.shortcuts",
        title=QT_TRANSLATE_NOOP("Action", "Keyboard shortcuts"),
        words="keys",
    ),
    Command(
        id="action.help.crash_report",
        title=QT_TRANSLATE_NOOP("Action", "Show the last crash report"),
        words="error diagnostics",
        group=1,
    ),
    Command(
        id="action.help.diagnostics",
        title=QT_TRANSLATE_NOOP("Action", "Copy diagnostics"),
        words="version system report",
        group=1,
    ),
    Command(
        id="action.help.about",
        title=QT_TRANSLATE_NOOP("Action", "About Trellis"),
        words="version licence",
        group=1,
    ),
)

COMMANDS: tuple[Command, ...] = (*_FILE, *_EDIT, *_VIEW, *_MODEL, *_RUN, *_HELP)
