"""The left side of the lab: a lesson, the code, and what it printed."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QMenu,
    QPlainTextEdit,
    QPushButton,
    QToolButton,
    QWidget,
)

from studio.i18n import translate
from widgets.code.code_editor import CodeEditor
from widgets.code.mark import MarkView
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.common.theme import mono_font, theme_signals


class LabCode(QWidget):
    """Lets code be chosen, typed, run and stopped. ``array_requested`` says whether the array of a
    file is to share its memory with the tensor.
    """

    lesson_chosen = Signal(str)
    run_requested = Signal()
    stop_requested = Signal()
    restart_requested = Signal()
    reset_requested = Signal()
    text_settled = Signal(str)
    array_requested = Signal(bool)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        parts.named(self, "lab.left", translate("Lab", "Lab code"))
        self.lessons = parts.combo(
            self,
            "lab.lesson",
            translate("Lab", "Lesson"),
            translate("Lab", "A lesson to run and edit, or your own code"),
        )
        self.lessons.setMaxVisibleItems(30)
        self.lessons.setMinimumContentsLength(12)
        policy = QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        self.lessons.setSizeAdjustPolicy(policy)
        self.lessons.activated.connect(
            lambda _: self.lesson_chosen.emit(self.lessons.currentData())
        )
        text = translate("Lab", "Restore the lesson's code")
        self.reset = parts.tool_button(
            self, "lab.reset", text, icon="reset", clicked=self.reset_requested
        )
        title = translate("Lab", "What this lesson shows")
        self.note = parts.label(self, "lab.note", title, role="muted", wraps=True)
        self._build_arrays()
        self._build_buttons()
        self._build_texts()
        self._lay_out()
        self._connect()

    def _build_arrays(self) -> None:
        text = translate("Lab", "Import a NumPy array from a file")
        self.arrays = parts.tool_button(self, "lab.array", text, icon="open")
        self.arrays.setText(translate("Lab", "Import array"))
        self.arrays.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.arrays.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        menu = QMenu(self.arrays)
        parts.named(menu, "lab.array.menu", text)
        menu.setToolTipsVisible(True)
        for name, words, meaning, is_shared in (
            (
                "share",
                translate("Lab", "Share memory (torch.from_numpy)…"),
                translate("Lab", "The tensor shares the memory of the array, so add_ changes both"),
                True,
            ),
            (
                "copy",
                translate("Lab", "Copy (torch.tensor)…"),
                translate(
                    "Lab", "The tensor has its own memory; changing one does not affect the other"
                ),
                False,
            ),
        ):
            action = menu.addAction(words)
            action.setObjectName(f"lab.array.{name}")
            action.setToolTip(plain_tip(meaning))
            action.triggered.connect(partial(self.array_requested.emit, is_shared))
        self.arrays.setMenu(menu)

    def _build_buttons(self) -> None:
        self.run = self._button(
            "run",
            translate("Lab", "Run"),
            translate("Lab", "Run the code"),
            translate("Lab", "Run the code from the start in a separate process (Ctrl+Enter)"),
        )
        self.run.setProperty("primary", "true")
        self.stop = self._button(
            "stop",
            translate("Lab", "Stop"),
            translate("Lab", "Stop the code"),
            translate("Lab", "Stop the code and end its process"),
        )
        self.restart = self._button(
            "restart",
            translate("Lab", "Restart"),
            translate("Lab", "Restart the process"),
            translate("Lab", "End the process and run the code in a new one"),
        )
        tip = translate("Lab", "Run everything under torch.no_grad(), so no graph is built")
        self.no_grad = parts.check_box(self, "lab.noGrad", "no_grad", tip)
        self.no_grad.setAccessibleName(translate("Lab", "Run under torch.no_grad()"))

    def _button(self, name: str, text: str, accessible: str, tip: str) -> QPushButton:
        return parts.named(QPushButton(text, self), f"lab.{name}", accessible, tip)

    def _build_texts(self) -> None:
        self.editor = CodeEditor(self, "lab.editor")
        self.editor.set_title(translate("Lab", "Lab code"))
        self.output = parts.named(QPlainTextEdit(self), "lab.output", translate("Lab", "Output"))
        self.output.setReadOnly(True)
        self.output.setProperty("frameless", "true")
        self.output.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.output.setPlaceholderText(
            translate("Lab", "Printed output and expression values, by line")
        )
        self.state = parts.label(self, "lab.state", translate("Lab", "State"), wraps=True)
        self._restyle()
        theme_signals().changed.connect(self._restyle)

    def _lay_out(self) -> None:
        title = translate("Lab", "Code and output")
        split = parts.splitter(self, "lab.codeSplitter", title, is_vertical=True)
        split.addWidget(self.editor)
        split.addWidget(self.output)
        split.setSizes([330, 150])
        parts.column(
            parts.row((self.lessons, 1), self.reset),
            self.note,
            parts.row(self.run, self.stop, self.restart, self.no_grad, None, self.arrays),
            (split, 1),
            self.state,
            margins=(12, 8, 4, 8),
            spacing=6,
            parent=self,
        )

    def _connect(self) -> None:
        self.run.clicked.connect(self._run)
        self.editor.apply_requested.connect(self.run_requested)
        self.editor.text_settled.connect(self.text_settled)
        self.stop.clicked.connect(self.stop_requested)
        self.restart.clicked.connect(self.restart_requested)
        self.no_grad.toggled.connect(lambda _: self._run())

    def _run(self) -> None:
        self.editor.flush()
        self.run_requested.emit()

    def _restyle(self) -> None:
        self.output.setFont(mono_font())

    def set_lessons(self, titles: Sequence[tuple[str, str]]) -> None:
        """Offer lessons, by name, in words."""
        for name, title in titles:
            self.lessons.addItem(title, name)

    def show_lesson(self, name: str, note: str, code: str) -> None:
        """Show a lesson, or with an empty name one's own code."""
        with QSignalBlocker(self.lessons):
            self.lessons.setCurrentIndex(self.lessons.findData(name))
        self.note.setText(note)
        self.editor.open_text(code)
        self.editor.set_marks(())
        self.editor.highlight_lines(())

    def set_running(self, *, is_running: bool) -> None:
        """Let run, or stop, what can be."""
        self.run.setEnabled(not is_running)
        self.stop.setEnabled(is_running)
        self.output.setEnabled(not is_running)

    def show_state(self, text: str, role: str) -> None:
        """Say how things stand: ``muted`` or ``error``."""
        self.state.setText(text)
        self.state.setVisible(bool(text))
        if self.state.property("role") != role:
            self.state.setProperty("role", role)
            self.state.style().unpolish(self.state)
            self.state.style().polish(self.state)

    def show_output(self, text: str, marks: Sequence[MarkView]) -> None:
        """Show what came out, and what is wrong at lines."""
        self.output.setPlainText(text)
        self.editor.set_marks(marks)
        self.editor.highlight_lines(())
