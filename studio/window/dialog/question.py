"""Question with a few answers, in the window's own style; it never blocks the program."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.window.dialog.dialog import Dialog
from widgets.common import parts
from widgets.common.icons import pixmap
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


class Question(Dialog):
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
        super().__init__(parent, f"question.{name}", title, is_modal=True)
        parts.column(
            self._words(name, title, text),
            self._answers(name, answers, cancel, is_cautious=is_cautious),
            margins=(20, 18, 20, 16),
            spacing=18,
            parent=self,
        )

    def _words(self, name: str, title: str, text: str) -> QHBoxLayout:
        heading = parts.label(self, f"question.{name}.title", text=title)
        heading.setFont(scaled_font(1.15, bold=True))
        body = parts.label(self, f"question.{name}.text", text=text, wraps=True)
        body.setMinimumWidth(400)
        mark = parts.label(self, f"question.{name}.icon", title)
        mark.setPixmap(pixmap("help", current_theme().accent, 32, self.devicePixelRatioF()))
        words = parts.column(heading, body, spacing=8)
        top = QHBoxLayout()
        top.setSpacing(16)
        top.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        top.addLayout(words, 1)
        return top

    def _answers(
        self, name: str, answers: tuple[Answer, ...], cancel: str, *, is_cautious: bool
    ) -> QHBoxLayout:
        row = parts.row(None, spacing=8)
        stay = parts.button(self, f"question.{name}.cancel", cancel, tip="", clicked=self.reject)
        stay.setDefault(is_cautious)
        row.addWidget(stay)
        for answer in reversed(answers):
            button = parts.button(
                self, f"question.{name}.{answer.name}", answer.text, tip=answer.help
            )
            button.clicked.connect(lambda _=False, chosen=answer: self._answer(chosen))
            row.addWidget(button)
            if answer is answers[0] and not is_cautious:
                button.setDefault(True)
        return row

    def _answer(self, answer: Answer) -> None:
        self.accept()
        answer.act()
