"""A question with a few answers, in the window's own style; it never blocks the program."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from studio.window.dialog.part import dialog_button, dialog_label
from widgets.common.icons import pixmap
from widgets.common.plain_label import PlainLabel
from widgets.common.theme import current_theme, scaled_font


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One answer: its button and what it does. The first one is the default, but where staying
    is the safe way.
    """

    name: str
    text: str
    act: Callable[[], object]
    help: str = ""


class Question(QDialog):
    """Asks once. Escape and closing give no answer: everything stays as it is."""

    def __init__(
        self,
        parent: QWidget,
        name: str,
        *,
        title: str,
        text: str,
        answers: tuple[Answer, ...],
        cancel: str,
        is_cautious: bool = False,
    ) -> None:
        super().__init__(parent)
        self.setObjectName(f"question.{name}")
        self.setAccessibleName(title)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setModal(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 18, 20, 16)
        column.setSpacing(18)
        column.addLayout(self._words(name, title, text))
        column.addLayout(self._answers(name, answers, cancel, is_cautious=is_cautious))

    def _words(self, name: str, title: str, text: str) -> QHBoxLayout:
        heading = PlainLabel(title, self)
        heading.setObjectName(f"question.{name}.title")
        heading.setAccessibleName(title)
        heading.setFont(scaled_font(1.15, bold=True))
        heading.setTextFormat(Qt.TextFormat.PlainText)
        body = dialog_label(self, f"question.{name}.text", text)
        body.setText(text)
        body.setMinimumWidth(400)
        mark = PlainLabel(self)
        mark.setObjectName(f"question.{name}.icon")
        mark.setAccessibleName(title)
        mark.setPixmap(pixmap("help", current_theme().accent, 32, self.devicePixelRatioF()))
        words = QVBoxLayout()
        words.setSpacing(8)
        words.addWidget(heading)
        words.addWidget(body)
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)
        return top

    def _answers(
        self, name: str, answers: tuple[Answer, ...], cancel: str, *, is_cautious: bool
    ) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addStretch(1)
        stay = self._button(f"question.{name}.cancel", cancel, "")
        stay.clicked.connect(self.reject)
        stay.setDefault(is_cautious)
        row.addWidget(stay)
        for answer in reversed(answers):
            button = self._button(f"question.{name}.{answer.name}", answer.text, answer.help)
            button.clicked.connect(lambda _=False, chosen=answer: self._answer(chosen))
            row.addWidget(button)
            if answer is answers[0] and not is_cautious:
                button.setDefault(True)
        return row

    def _button(self, name: str, text: str, help_text: str) -> QPushButton:
        button = dialog_button(self, name, text)
        button.setToolTip(help_text)
        return button

    def _answer(self, answer: Answer) -> None:
        self.accept()
        answer.act()
