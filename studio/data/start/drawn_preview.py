"""Training samples as they come out of the chosen transforms, with a button for another draw."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.data.start.view_model import DrawnView
from studio.i18n import translate
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.images.gallery import GalleryView

_SIDE = 120  # pixels of a picture: what was changed is to be seen


class DrawnPreview(QWidget):
    """``draw_requested`` asks for the samples with other random numbers."""

    draw_requested = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        parts.named(self, "dialog.data.drawn", translate("DataProject", "Samples as drawn"))
        self._words = parts.label(
            self,
            "dialog.data.drawn.words",
            translate("DataProject", "What is shown"),
            role="muted",
            wraps=True,
        )
        self._problem = parts.label(
            self,
            "dialog.data.drawn.problem",
            translate("DataProject", "Problem"),
            role="error",
            wraps=True,
        )
        self._problem.hide()
        self.draw = parts.button(
            self,
            "dialog.data.draw",
            translate("DataProject", "New draw"),
            icon="refresh",
            clicked=self.draw_requested.emit,
        )
        self.draw.setShortcut("R")
        self.gallery = GalleryView("dialog.data.drawn.pictures", self)
        self.gallery.zoom.setValue(_SIDE)
        parts.column(
            parts.row((self._words, 1), self.draw, margins=(10, 4, 10, 0), spacing=8),
            parts.row((self._problem, 1), margins=(10, 0, 10, 0)),
            (self.gallery, 1),
            margins=(0, 0, 0, 0),
            spacing=2,
            parent=self,
        )

    def set_view(self, view: DrawnView) -> None:
        """Show samples, or why there are none."""
        self._words.setText(view.words)
        self._problem.setText(view.problem)
        self._problem.setVisible(bool(view.problem))
        self.draw.setEnabled(view.can_draw)
        self.draw.setToolTip(plain_tip(view.tip))
        self.gallery.set_images(view.images, view.empty_text)
