"""Feature of help: finding commands, the manual, the tour, and what is chosen once."""

from studio.command.actions import ActionSet
from studio.command.command import Command
from studio.command.context import Context
from studio.command.feature import Feature
from studio.help.controller import HelpController
from studio.i18n import QT_TRANSLATE_NOOP
from studio.model.inspector.dock import Inspector
from studio.model.palette.dock import Palette
from studio.process.settings import SettingsStore
from studio.project.project import ProjectController
from studio.run_control.leaving import LeavingController
from studio.services import Services
from widgets.common.theme import SCALES

_THEME = QT_TRANSLATE_NOOP("Action", "Theme")
_LANGUAGE = QT_TRANSLATE_NOOP("Action", "Language")


def _build(context: Context) -> None:
    services = context[Services]
    controller = context.add(
        HelpController(
            services,
            context[ProjectController],
            inspector=context[Inspector],
            actions=context[ActionSet],
            on_setting=lambda name: _apply(context, name),
        )
    )
    context[Palette].help_requested.connect(controller.manual.show_entry)
    context.closing.connect(controller.dispose)


def _check_installation(context: Context) -> None:
    from studio.help.installation.controller import InstallationController

    services, parent = context[Services], context[HelpController]
    controller = context.once(
        InstallationController, lambda: InstallationController(services, parent)
    )
    controller.show()


def _apply(context: Context, name: str) -> None:
    """Take over a setting that was changed."""
    if name == "language":
        context[Services].apply_language()
    elif name in ("theme", "text_scale"):
        context[Services].apply_look()
    else:
        context.settings_changed.emit()


def _theme(verb: str, title: str, words: str) -> Command:
    def choose(context: Context) -> None:
        context[SettingsStore].change(theme=verb)
        context[Services].apply_look()
        context[ActionSet].update()

    return Command(
        id=f"action.view.theme_{verb}",
        title=title,
        words=words,
        group=3,
        submenu=_THEME,
        run=choose,
        is_checked=lambda context: context[SettingsStore].value.theme == verb,
    )


def _language(code: str, title: str, words: str) -> Command:
    def choose(context: Context) -> None:
        context[SettingsStore].change(language=code)
        context[Services].apply_language()

    return Command(
        id=f"action.view.language_{code.lower()}",
        title=title,
        words=words,
        group=3,
        submenu=_LANGUAGE,
        run=choose,
        is_checked=lambda context: context[SettingsStore].value.language == code,
    )


def _scale(context: Context, direction: int) -> None:
    settings = context[SettingsStore]
    nearest = min(range(len(SCALES)), key=lambda i: abs(SCALES[i] - settings.value.text_scale))
    index = max(0, min(len(SCALES) - 1, nearest + direction)) if direction else SCALES.index(1.0)
    settings.change(text_scale=SCALES[index])
    context[Services].apply_look()


def _create(context: Context) -> None:
    context[LeavingController].leave_then(context[HelpController].ask_new)


_SETTINGS = (
    Command(
        id="action.file.new",
        title=QT_TRANSLATE_NOOP("Action", "New project…"),
        keys=("Ctrl+N",),
        words="create template",
        run=_create,
    ),
    Command(
        id="action.file.preferences",
        title=QT_TRANSLATE_NOOP("Action", "Preferences…"),
        keys=("Ctrl+,",),
        words="settings options language theme",
        group=2,
        position=2,
        run=lambda context: context[HelpController].show_preferences(),
    ),
    Command(
        id="action.view.commands",
        title=QT_TRANSLATE_NOOP("Action", "Command palette…"),
        keys=("Ctrl+K",),
        words="palette search action",
        run=lambda context: context[HelpController].show_commands(),
    ),
    _theme("system", QT_TRANSLATE_NOOP("Action", "System theme"), "appearance color"),
    _theme("light", QT_TRANSLATE_NOOP("Action", "Light theme"), "appearance bright"),
    _theme("dark", QT_TRANSLATE_NOOP("Action", "Dark theme"), "appearance night"),
    _language("auto", QT_TRANSLATE_NOOP("Action", "System language"), "语言"),
    _language("en", QT_TRANSLATE_NOOP("Action", "Language: English"), "语言 英文"),
    _language("zh_CN", QT_TRANSLATE_NOOP("Action", "Language: 简体中文"), "语言 chinese"),
    Command(
        id="action.view.text_larger",
        title=QT_TRANSLATE_NOOP("Action", "Larger text"),
        keys=(
            "Ctrl+Alt++",
            "Ctrl+Alt+=",
        ),
        words="font size zoom",
        group=4,
        run=lambda context: _scale(context, +1),
    ),
    Command(
        id="action.view.text_smaller",
        title=QT_TRANSLATE_NOOP("Action", "Smaller text"),
        keys=("Ctrl+Alt+-",),
        words="font size",
        group=4,
        run=lambda context: _scale(context, -1),
    ),
    Command(
        id="action.view.text_normal",
        title=QT_TRANSLATE_NOOP("Action", "Normal text size"),
        keys=("Ctrl+Alt+0",),
        words="font reset",
        group=4,
        run=lambda context: _scale(context, 0),
    ),
)

_HELP = (
    Command(
        id="action.help.topic",
        title=QT_TRANSLATE_NOOP("Action", "Help on selection"),
        keys=("F1",),
        words="documentation manual",
        run=lambda context: context[HelpController].show_topic(),
    ),
    Command(
        id="action.help.manual",
        title=QT_TRANSLATE_NOOP("Action", "Manual"),
        words="help contents pages glossary guide",
        run=lambda context: context[HelpController].manual.show_page("welcome"),
    ),
    Command(
        id="action.help.tour",
        title=QT_TRANSLATE_NOOP("Action", "Take the tour"),
        words="introduction begin tutorial",
        run=lambda context: context[HelpController].start_tour(),
    ),
    Command(
        id="action.help.shortcuts",
        title=QT_TRANSLATE_NOOP("Action", "Keyboard shortcuts"),
        words="keys",
        run=lambda context: context[HelpController].manual.show_page("keyboard"),
    ),
    Command(
        id="action.help.installation",
        title=QT_TRANSLATE_NOOP("Action", "Check installation"),
        words="environment packages PyTorch CUDA driver GPU verify doctor wheel",
        group=1,
        run=_check_installation,
    ),
    Command(
        id="action.help.crash_report",
        title=QT_TRANSLATE_NOOP("Action", "Show last crash report"),
        words="error diagnostics",
        group=1,
        run=lambda context: context[HelpController].show_last_report(),
    ),
    Command(
        id="action.help.diagnostics",
        title=QT_TRANSLATE_NOOP("Action", "Copy diagnostics"),
        words="version system report",
        group=1,
        run=lambda context: context[HelpController].copy_diagnostics(),
    ),
    Command(
        id="action.help.about",
        title=QT_TRANSLATE_NOOP("Action", "About Trellis"),
        words="version licence",
        group=1,
        run=lambda context: context[HelpController].show_about(),
    ),
)

FEATURE = Feature(build=_build, commands=_SETTINGS + _HELP)
