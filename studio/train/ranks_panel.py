"""Equality light of a run with several ranks, and a line about each of them."""

from PySide6.QtWidgets import QWidget

from studio.i18n import translate
from studio.train.ranks import RanksView
from widgets.common import parts
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
        self._light = parts.label(self, "train.ranks.light", translate("Ranks", "Weight equality"))
        self._text = parts.label(
            self, "train.ranks.text", translate("Ranks", "Whether the weights are equal")
        )
        self._rows = parts.label(
            self, "train.ranks.rows", translate("Ranks", "Each process"), role="muted"
        )
        head = parts.row(self._light, (self._text, 1), spacing=6)
        parts.column(head, self._rows, margins=(0, 0, 0, 0), spacing=2, parent=self)
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
            "Every 50 steps, the processes compare a checksum of their weights. The "
            "process that waits least for the others is the slowest.",
        )
        self.setToolTip(plain_tip("\n".join((help_text, "", *view.rows))))
        self._restyle()

    def _restyle(self) -> None:
        theme = current_theme()
        color = theme.success if self._view.is_equal else theme.error
        self._light.setStyleSheet(f"color: {color};")
