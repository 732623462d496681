"""The equality light of a run of several processes, and a line about each of them."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from studio.i18n import translate
from studio.train.ranks import RanksView
from widgets.common.plain_label import PlainLabel
from widgets.common.text import plain_tip
from widgets.common.theme import current_theme, theme_signals

_SHOWN = 4  # processes with a line of their own; all are in the tooltip


class RanksLight(QWidget):
    """Green while all processes have the same weights; nothing to be seen for one process."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("train.ranks")
        self.setAccessibleName(translate("Ranks", "Processes of the run"))
        self._view = RanksView()
        self._light = self._label("light", translate("Ranks", "Equality light"))
        self._text = self._label("text", translate("Ranks", "Whether the weights are equal"))
        self._rows = self._label("rows", translate("Ranks", "Each process"))
        self._rows.setProperty("role", "muted")
        head = QHBoxLayout()
        head.setSpacing(6)
        head.addWidget(self._light)
        head.addWidget(self._text, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(head)
        column.addWidget(self._rows)
        self.setVisible(False)
        theme_signals().changed.connect(self._restyle)
        self._restyle()

    def set_view(self, view: RanksView) -> None:
        """Show what the processes told last."""
        if view == self._view:
            return
        self._view = view
        self.setVisible(bool(view.text))
        self._light.setText("●" if view.is_equal else "▲")
        self._text.setText(view.text)
        self._rows.setText("\n".join(view.rows[:_SHOWN]))
        help_text = translate(
            "Ranks",
            "Every 50 steps the processes compare a checksum of their weights. Which one waits "
            "least for the others is the slowest.",
        )
        self.setToolTip(plain_tip("\n".join((help_text, "", *view.rows))))
        self._restyle()

    def _label(self, name: str, accessible: str) -> QLabel:
        label = PlainLabel(self)
        label.setObjectName(f"train.ranks.{name}")
        label.setAccessibleName(accessible)
        label.setTextFormat(Qt.TextFormat.PlainText)
        return label

    def _restyle(self) -> None:
        theme = current_theme()
        color = theme.success if self._view.is_equal else theme.error
        self._light.setStyleSheet(f"color: {color};")
