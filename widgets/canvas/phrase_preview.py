"""Preview of what a phrase such as ``conv 32 3 | relu`` would add, below the search field."""

from html import escape

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QLabel, QWidget

from widgets.canvas.view_model import PhraseView
from widgets.common.theme import current_theme

translate = QCoreApplication.translate


class PhrasePreview(QLabel):
    """The nodes in a row; a part that is not understood is marked, with the reason below."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("canvas.search.preview")
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setMargin(4)
        self.hide()

    def show_phrase(self, view: PhraseView) -> None:
        """Write what would be added, or what is not understood."""
        theme = current_theme()
        parts: list[str] = []
        for part in view.parts:
            text = escape(part.text)
            if part.problem:
                text = f'<span style="color:{theme.error}"><u>{text}</u></span>'
            parts.append(text)
        arrow = f' <span style="color:{theme.muted}">→</span> '
        lines = [arrow.join(parts)] if parts else []
        if not parts:
            hint = translate(
                "Canvas",
                "Separate layers with |. Add parameters after the name, in order or as "
                "name=value: conv 32 3 stride=2 | relu | pool 2",
            )
            lines.append(f'<span style="color:{theme.muted}">{escape(hint)}</span>')
        lines += [
            f'<span style="color:{theme.error}">{escape(part.problem)}</span>'
            for part in view.parts
            if part.problem
        ]
        self.setText("<br>".join(lines))
        self.setAccessibleName(
            "; ".join(part.problem or part.text for part in view.parts)
            or translate("Canvas", "Preview")
        )
