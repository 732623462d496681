"""Dialog to train on another machine over SSH: which one, how it is reached, what is used there."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QLineEdit,
    QProgressBar,
    QWidget,
)

from studio.i18n import translate
from studio.train.remote.presenter import RemoteForm
from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip


class RemoteDialog(Dialog):
    """``machine_chosen`` carries the index of a known machine; the other signals are requests."""

    machine_chosen = Signal(int)
    edited = Signal()
    browse_requested = Signal()
    test_requested = Signal()
    start_requested = Signal()

    def __init__(self, parent: QWidget, machines: Sequence[str]) -> None:
        title = translate("Remote", "Train on another machine")
        super().__init__(parent, "dialog.remote", title, size=(640, 370))
        self._words = parts.label(
            self,
            "dialog.remote.text",
            title,
            translate(
                "Remote",
                "The model and recipe are sent over SSH. The run trains there, and you "
                "follow it here like any other, including its curves and checkpoints. It "
                "continues even if you turn off this computer.",
            ),
            wraps=True,
        )
        self._machine = self._build_machine(machines)
        self._key = self._line(
            "key",
            translate("Remote", "Key"),
            translate("Remote", "from the SSH configuration"),
            translate(
                "Remote", "The file of your private key, whose public key is on the machine."
            ),
        )
        self._python = self._line(
            "python",
            translate("Remote", "Remote Python"),
            "python3",
            translate("Remote", "A Python interpreter with PyTorch, such as ~/venv/bin/python"),
        )
        self._folder = self._line(
            "folder",
            translate("Remote", "Remote folder"),
            "~/trellis",
            translate("Remote", "The folder for Trellis and the runs. It is created if necessary."),
        )
        self._note, self._bar = self._build_progress()
        self._lay_out()
        self.set_busy(is_busy=False)

    def _build_progress(self) -> tuple[PlainLabel, QProgressBar]:
        note = parts.label(self, "dialog.remote.note", translate("Remote", "Result"), wraps=True)
        bar = parts.progress_bar(self, "dialog.remote.progress", translate("Remote", "Progress"))
        bar.setRange(0, 0)
        return note, bar

    def form(self) -> RemoteForm:
        """Return what is typed."""
        return RemoteForm(
            machine=self._machine.currentText(),
            key=self._key.text(),
            python=self._python.text(),
            folder=self._folder.text(),
        )

    def show_form(self, form: RemoteForm) -> None:
        """Put texts into the fields."""
        self._machine.setEditText(form.machine)
        for field, text in (
            (self._key, form.key),
            (self._python, form.python),
            (self._folder, form.folder),
        ):
            field.setText(text)

    def set_note(self, text: str, *, is_error: bool = False) -> None:
        """Say what was found, or what is wrong."""
        self._note.setText(text)
        self._note.setProperty("role", "error" if is_error else "muted")
        self._note.style().polish(self._note)

    def set_busy(self, *, is_busy: bool) -> None:
        """Take no second request while something is under way."""
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._bar.setSizePolicy(policy)
        self._bar.setVisible(is_busy)
        for button in (self._test, self._start):
            button.setEnabled(not is_busy)

    def _build_machine(self, machines: Sequence[str]) -> QComboBox:
        box = parts.combo(self, "dialog.remote.machine", translate("Remote", "Machine"))
        box.setToolTip(
            plain_tip(
                translate(
                    "Remote",
                    "user@host:port, or a host of your SSH configuration. The host key must be "
                    "known (~/.ssh/known_hosts), so connect once in a terminal first.",
                )
            )
        )
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.addItems(list(machines))
        line = box.lineEdit()
        assert line is not None
        line.setObjectName("dialog.remote.machine.text")
        line.setAccessibleName(box.accessibleName())
        line.setPlaceholderText(translate("Remote", "user@host:port"))
        line.textEdited.connect(lambda _: self.edited.emit())
        box.activated.connect(self.machine_chosen)
        return box

    def _line(self, name: str, title: str, hint: str, tip: str) -> QLineEdit:
        line = parts.line_edit(self, f"dialog.remote.{name}", title, placeholder=hint, tip=tip)
        line.textEdited.connect(lambda _: self.edited.emit())
        return line

    def _lay_out(self) -> None:
        browse = parts.button(self, "dialog.remote.browse", translate("Remote", "Choose…"))
        browse.clicked.connect(self.browse_requested)
        self._test = parts.button(
            self, "dialog.remote.test", translate("Remote", "Test connection")
        )
        self._test.clicked.connect(self.test_requested)
        self._start = parts.button(
            self, "dialog.remote.start", translate("Remote", "Train there"), is_primary=True
        )
        self._start.clicked.connect(self.start_requested)
        close = parts.button(
            self, "dialog.remote.close", translate("Dialog", "Close"), clicked=self.accept
        )
        key = parts.row((self._key, 1), browse)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self._machine.accessibleName(), self._machine)
        form.addRow(self._key.accessibleName(), key)
        for field in (self._python, self._folder):
            form.addRow(field.accessibleName(), field)
        buttons = parts.row(self._test, None, self._start, close)
        parts.column(
            self._words,
            form,
            self._bar,
            self._note,
            None,
            buttons,
            margins=(16, 14, 16, 14),
            spacing=10,
            parent=self,
        )
