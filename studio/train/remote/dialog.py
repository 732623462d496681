"""Training on another machine over SSH: which machine, how it is reached, what is used there."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QVBoxLayout,
    QWidget,
)

from studio.i18n import translate
from studio.window.dialog.part import dialog_button, dialog_label


class RemoteDialog(QDialog):
    """``machine_chosen`` carries the place of a known machine; the other signals are wishes."""

    machine_chosen = Signal(int)
    edited = Signal()
    browse_requested = Signal()
    test_requested = Signal()
    start_requested = Signal()

    def __init__(self, parent: QWidget, known: Sequence[str]) -> None:
        super().__init__(parent)
        self.setObjectName("dialog.remote")
        title = translate("Remote", "Train on another machine")
        self.setAccessibleName(title)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.resize(640, 370)
        self._words = dialog_label(self, "dialog.remote.text", title)
        self._words.setText(
            translate(
                "Remote",
                "Model and recipe are sent over SSH, the run trains there and is followed here "
                "like any other; curves, checkpoints and all else are fetched. It goes on when "
                "this machine is switched off.",
            )
        )
        self.machine = self._machine(known)
        self.key = self._line(
            "key",
            translate("Remote", "Key"),
            translate("Remote", "as in the SSH configuration"),
            translate("Remote", "The file of your private key; its public half stands there."),
        )
        self.python = self._line(
            "python",
            translate("Remote", "Python there"),
            "python3",
            translate("Remote", "An interpreter that has PyTorch, such as ~/venv/bin/python"),
        )
        self.folder = self._line(
            "folder",
            translate("Remote", "Folder there"),
            "~/trellis",
            translate("Remote", "Where the program and the runs are put; it is made."),
        )
        self._note = dialog_label(self, "dialog.remote.note", translate("Remote", "Result"))
        self._bar = QProgressBar(self)
        self._bar.setObjectName("dialog.remote.progress")
        self._bar.setAccessibleName(translate("Remote", "Progress"))
        self._bar.setRange(0, 0)
        self._bar.setTextVisible(False)
        self._bar.setFixedHeight(6)
        self._lay_out()
        self.set_busy(is_busy=False)

    def set_note(self, text: str, *, is_error: bool = False) -> None:
        """Say what was found, or what is wrong."""
        self._note.setText(text)
        self._note.setProperty("role", "error" if is_error else "muted")
        self._note.style().polish(self._note)

    def set_busy(self, *, is_busy: bool) -> None:
        """Take no second wish while something is under way."""
        policy = self._bar.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self._bar.setSizePolicy(policy)
        self._bar.setVisible(is_busy)
        for button in (self._test, self._start):
            button.setEnabled(not is_busy)

    def _machine(self, known: Sequence[str]) -> QComboBox:
        box = QComboBox(self)
        box.setObjectName("dialog.remote.machine")
        box.setAccessibleName(translate("Remote", "Machine"))
        box.setEditable(True)
        box.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        box.addItems(list(known))
        box.setToolTip(
            translate(
                "Remote",
                "user@host:port, or a name of your SSH configuration. The machine has to be known "
                "(~/.ssh/known_hosts): connect once in a terminal before.",
            )
        )
        line = box.lineEdit()
        assert line is not None
        line.setObjectName("dialog.remote.machine.text")
        line.setAccessibleName(box.accessibleName())
        line.setPlaceholderText(translate("Remote", "user@host:port"))
        line.textEdited.connect(lambda _: self.edited.emit())
        box.activated.connect(self.machine_chosen)
        return box

    def _line(self, name: str, title: str, hint: str, tip: str) -> QLineEdit:
        line = QLineEdit(self)
        line.setObjectName(f"dialog.remote.{name}")
        line.setAccessibleName(title)
        line.setPlaceholderText(hint)
        line.setToolTip(tip)
        line.textEdited.connect(lambda _: self.edited.emit())
        return line

    def _lay_out(self) -> None:
        browse = dialog_button(self, "dialog.remote.browse", translate("Remote", "Choose…"))
        browse.clicked.connect(self.browse_requested)
        self._test = dialog_button(
            self, "dialog.remote.test", translate("Remote", "Test the connection")
        )
        self._test.clicked.connect(self.test_requested)
        self._start = dialog_button(self, "dialog.remote.start", translate("Remote", "Train there"))
        self._start.setProperty("primary", "true")
        self._start.clicked.connect(self.start_requested)
        close = dialog_button(self, "dialog.remote.close", translate("Dialog", "Close"))
        close.clicked.connect(self.accept)
        key = QHBoxLayout()
        key.addWidget(self.key, 1)
        key.addWidget(browse)
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        form.addRow(self.machine.accessibleName(), self.machine)
        form.addRow(self.key.accessibleName(), key)
        for field in (self.python, self.folder):
            form.addRow(field.accessibleName(), field)
        buttons = QHBoxLayout()
        buttons.addWidget(self._test)
        buttons.addStretch(1)
        buttons.addWidget(self._start)
        buttons.addWidget(close)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 14, 16, 14)
        column.setSpacing(10)
        column.addWidget(self._words)
        column.addLayout(form)
        column.addWidget(self._bar)
        column.addWidget(self._note)
        column.addStretch(1)
        column.addLayout(buttons)
