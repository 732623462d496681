"""Buttons that edit the selected samples, and the line that tells how many are edited."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu, QPushButton, QWidget

from studio.i18n import filled, translate
from studio.view.data import PARTS, split_title
from widgets.common import parts
from widgets.common.text import plain_tip


class EditBar(QWidget):
    """Buttons for the selected samples. ``move_requested`` names a part, empty for the one that the
    split says.
    """

    exclude_requested = Signal()
    include_requested = Signal()
    relabel_requested = Signal()
    move_requested = Signal(str)
    tag_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        parts.named(self, "data.edit", translate("Samples", "Edit the selected samples"))
        self._build_buttons()
        self.exclude.clicked.connect(self.exclude_requested)
        self.include.clicked.connect(self.include_requested)
        self.relabel.clicked.connect(self.relabel_requested)
        self.tag.clicked.connect(self.tag_requested)
        self.move_to.setMenu(self._move_menu())
        buttons = (self.exclude, self.include, self.relabel, self.move_to, self.tag)
        parts.row(*buttons, margins=(0, 0, 0, 0), spacing=6, parent=self)

    def _build_buttons(self) -> None:
        self.exclude = self._button(
            "exclude",
            translate("Samples", "Exclude"),
            "eye-off",
            translate(
                "Samples",
                "Leave the selected samples out of all sets (Ctrl+Shift+X). The files stay as "
                "they are.",
            ),
        )
        self.include = self._button(
            "include",
            translate("Samples", "Include"),
            "eye",
            translate("Samples", "Bring excluded samples back (Ctrl+Shift+I)"),
        )
        self.relabel = self._button(
            "relabel",
            translate("Samples", "Relabel…"),
            "edit",
            _relabel_tip(can_relabel=True),
        )
        self.move_to = self._button(
            "move",
            translate("Samples", "Move to"),
            "arrow-right",
            translate(
                "Samples",
                "Put the selected samples into another set. All others stay where they are.",
            ),
        )
        self.tag = self._button(
            "tag",
            translate("Samples", "Tag…"),
            "pin",
            translate(
                "Samples", "Mark the selected samples with a word to find them by (Ctrl+Shift+T)"
            ),
        )

    def set_choices(self, *, can_include: bool, can_relabel: bool) -> None:
        """Say what can be done: something is excluded, samples have classes."""
        self.include.setEnabled(can_include)
        self.relabel.setEnabled(can_relabel)
        self.relabel.setToolTip(plain_tip(_relabel_tip(can_relabel=can_relabel)))

    def fill_menu(self, menu: QMenu) -> None:
        """Add what the buttons do to a menu."""
        menu.addSeparator()
        for button in (self.exclude, self.include, self.relabel):
            menu.addAction(button.text(), button.click).setEnabled(button.isEnabled())
        moves = menu.addMenu(self.move_to.text())
        for action in self.move_to.menu().actions():
            moves.addAction(action.text(), action.trigger)
        menu.addAction(self.tag.text(), self.tag.click)

    def _button(self, name: str, text: str, icon: str, tip: str) -> QPushButton:
        return parts.button(self, f"data.edit.{name}", text, icon=icon, tip=tip)

    def _move_menu(self) -> QMenu:
        menu = QMenu(self.move_to)
        menu.setObjectName("data.edit.move.menu")
        for part in (*PARTS, ""):
            title = split_title(part) if part else translate("Samples", "Set of the split")
            action = menu.addAction(title)
            action.setObjectName(f"data.edit.move.{part or 'split'}")
            action.triggered.connect(lambda _=False, part=part: self.move_requested.emit(part))
        return menu


class EditsLine(QWidget):
    """Tells how many samples are edited; not to be seen where none are. ``show_requested`` asks for
    those alone, or for all again.
    """

    show_requested = Signal(bool)
    reset_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        parts.named(self, "data.edits", translate("Samples", "Edited samples"))
        tip = translate("Samples", "Show the edited samples only")
        self.shown = parts.button(self, "data.edits.shown", tip=tip)
        self.shown.setCheckable(True)
        self.shown.clicked.connect(self.show_requested)
        self.others = parts.label(
            self, "data.edits.others", translate("Samples", "Edits of other data"), role="muted"
        )
        tip = translate(
            "Samples", "Use all samples as the files have them. Undo brings the edits back."
        )
        self.reset = parts.button(
            self, "data.edits.reset", translate("Samples", "Reset all"), icon="reset", tip=tip
        )
        self.reset.clicked.connect(self.reset_requested)
        items = (self.shown, self.others, self.reset)
        parts.row(*items, margins=(0, 0, 0, 0), spacing=6, parent=self)
        self.set_counts(0, 0)

    def set_counts(self, edited: int, others: int) -> None:
        """Show how many samples are edited, and how many edits are of other data."""
        text = filled(translate("Samples", "{count} edited"), count=f"{edited:,}")
        self.shown.setText(text)
        self.shown.setAccessibleName(text)
        self.shown.setVisible(edited > 0)
        text = translate("Samples", "{count} {count|edit|edits} of other data")
        self.others.setText(filled(text, count=others))
        self.others.setVisible(others > 0)
        self.setVisible(edited + others > 0)


def _relabel_tip(*, can_relabel: bool) -> str:
    if not can_relabel:
        return translate(
            "Samples",
            "Samples with several labels, and numbers, can only be corrected in the files.",
        )
    return translate(
        "Samples",
        "Give the selected samples another class (Ctrl+Shift+R). The files stay as they are.",
    )
