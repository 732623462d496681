"""Preferences: one form, each change in force at once."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.process.settings import Settings
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.common.theme import SCALES
from widgets.forms.form import FormWidget
from widgets.forms.view_model import FieldView, FormView, GroupView


def present_preferences(value: Settings) -> FormView:
    """Return the settings of the user as a form."""
    return FormView(
        key="preferences",
        groups=(
            GroupView(
                name="look", title=translate("Preferences", "Appearance"), fields=_look(value)
            ),
            GroupView(
                name="canvas",
                title=translate("Preferences", "Canvas"),
                fields=(
                    _field(value, "snap", translate("Preferences", "Snap to grid"), "bool"),
                    _field(value, "minimap", translate("Preferences", "Minimap"), "bool"),
                ),
            ),
            GroupView(
                name="code", title=translate("Preferences", "Custom code"), fields=_code(value)
            ),
            GroupView(
                name="safety", title=translate("Preferences", "Security"), fields=_safety(value)
            ),
        ),
    )


def _field(value: Settings, name: str, label: str, kind: str, **more: object) -> FieldView:
    now, usual = _text(getattr(value, name)), _text(getattr(Settings(), name))
    return FieldView(
        name=name,
        label=label,
        kind=kind,  # type: ignore[arg-type]
        text=now,
        default_text=usual,
        is_modified=now != usual,
        **more,  # type: ignore[arg-type]
    )


def _look(value: Settings) -> tuple[FieldView, ...]:
    themes = (
        ("system", translate("Preferences", "System")),
        ("Light", translate("Preferences", "Light")),
        ("Dark", translate("Preferences", "Dark")),
    )
    languages = (
        ("auto", translate("Preferences", "System")),
        ("en", "English"),
        ("zh_CN", "简体中文"),
    )
    return (
        _field(
            value, "language", translate("Preferences", "Language"), "choice", choices=languages
        ),
        _field(value, "theme", translate("Preferences", "Theme"), "choice", choices=themes),
        _field(
            value,
            "text_scale",
            translate("Preferences", "Text size"),
            "choice",
            choices=tuple((str(scale), f"{scale:.0%}") for scale in SCALES),
        ),
    )


def _code(value: Settings) -> tuple[FieldView, ...]:
    return (
        _field(
            value,
            "outside_editor",
            translate("Preferences", "External editor"),
            "str",
            help=translate(
                "Preferences",
                "The command that Code › Open in external editor runs, such as code -g "
                "{file}:{line} or xterm -e vim {file}. The file must be a separate "
                "argument and must not be passed to a shell or batch file, because folder "
                "names could be run as commands. Leave empty to use the system's default "
                "application for Python files.",
            ),
        ),
    )


def _safety(value: Settings) -> tuple[FieldView, ...]:
    return (
        _field(
            value,
            "autosave_s",
            translate("Preferences", "Autosave interval"),
            "int",
            minimum=5,
            maximum=3600,
            unit="s",
            help=translate(
                "Preferences",
                "Unsaved work is saved beside the project at this interval and shortly "
                "after each change. After a crash, you can restore it.",
            ),
        ),
    )


class PreferencesDialog(Dialog):
    """``value_changed`` carries name and text of a setting; ``machines_requested`` asks for the
    list of the machines that are known.
    """

    value_changed = Signal(str, str)
    reset_requested = Signal(str)
    machines_requested = Signal()

    def __init__(self, parent: QWidget, value: Settings) -> None:
        title = translate("Preferences", "Preferences")
        super().__init__(parent, "dialog.preferences", title, size=(460, 460))
        self._form = parts.named(FormWidget(self), "dialog.preferences.form", title)
        self._form.value_changed.connect(self.value_changed)
        self._form.reset_requested.connect(self.reset_requested)
        close = parts.button(
            self, "dialog.preferences.close", translate("Preferences", "Close"), clicked=self.accept
        )
        close.setDefault(True)
        machines = parts.button(
            self, "dialog.preferences.machines", translate("Preferences", "Known machines…")
        )
        machines.clicked.connect(self.machines_requested)
        machines.setToolTip(
            plain_tip(
                translate(
                    "Preferences",
                    "View and remove the machines that your SSH keys can sign in to",
                )
            )
        )
        row = parts.row(machines, None, close, margins=(14, 0, 14, 0))
        parts.column((self._form, 1), row, margins=(0, 0, 0, 12), parent=self)
        self.set_value(value)

    def set_value(self, value: Settings) -> None:
        """Show settings."""
        self._form.set_view(present_preferences(value))


def _text(value: object) -> str:
    return ("true" if value else "false") if isinstance(value, bool) else str(value)
