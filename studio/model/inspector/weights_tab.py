"""Tab of the inspector about weights: their initialisation and their histograms."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QWidget
from typing_extensions import override

from studio.i18n import translate
from studio.model.inspector.initialisation import InitialView
from widgets.common import parts
from widgets.common.text import plain_tip
from widgets.forms.form import FormWidget
from widgets.plots.histogram import Histogram, HistogramView


class WeightsPanel(QWidget):
    """A form over histograms. ``shown`` tells that it has come to the eye: only then the numbers
    are worth drawing.
    """

    value_changed = Signal(str, str)
    reset_requested = Signal(str)
    field_focused = Signal(str)
    browse_requested = Signal(str)
    alike_requested = Signal()
    shown = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector.weights")
        self.setAccessibleName(translate("Inspector", "Weights"))
        self._view = InitialView()
        self._form = parts.named(
            FormWidget(self),
            "inspector.weights.form",
            translate("Initial", "Weight initialization"),
        )
        self._form.setFrameShape(QFrame.Shape.NoFrame)
        self._form.value_changed.connect(self.value_changed)
        self._form.reset_requested.connect(self.reset_requested)
        self._form.browse_requested.connect(self.browse_requested)
        self._form.field_focused.connect(self.field_focused)
        self._alike = parts.named(
            QPushButton(self),
            "inspector.weights.alike",
            translate("Initial", "Initialize all layers of this type"),
        )
        self._alike.setToolTip(
            plain_tip(
                translate(
                    "Initial",
                    "Use this initialization for every layer of this type, including those in "
                    "blocks",
                )
            )
        )
        self._alike.clicked.connect(self.alike_requested)
        self._note = parts.label(
            self, "inspector.weights.note", translate("Initial", "Values"), role="muted"
        )
        self._note.setWordWrap(True)
        self._histograms: list[Histogram] = []
        self._area = parts.named(
            QScrollArea(self),
            "inspector.weights.values",
            translate("Initial", "Weight values"),
        )
        self._area.setWidgetResizable(True)
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        content = QWidget()
        content.setProperty("role", "surface")
        content.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._list = parts.column(None, margins=(4, 4, 4, 4), spacing=2, parent=content)
        self._area.setWidget(content)
        self._lay_out()
        self.set_view(self._view)

    def _lay_out(self) -> None:
        column = parts.column((self._form, 3), margins=(0, 0, 0, 4), spacing=4, parent=self)
        below = parts.column(self._alike, self._note, margins=(12, 0, 8, 0))
        column.addLayout(below)
        column.addWidget(self._area, 2)

    def set_view(self, view: InitialView) -> None:
        """Show how the weights of the selection begin."""
        self._view = view
        self._form.set_view(view.form)
        self._alike.setText(view.alike)
        self._alike.setVisible(bool(view.alike))

    def has_fields(self) -> bool:
        """Return whether there is something to choose."""
        return bool(self._view.form.groups)

    def set_values(self, views: Sequence[HistogramView], note: str) -> None:
        """Show the numbers of each parameter, or say why there are none."""
        while len(self._histograms) > len(views):
            gone = self._histograms.pop()
            self._list.removeWidget(gone)
            gone.hide()
            gone.deleteLater()
        for index, view in enumerate(views):
            if index == len(self._histograms):
                made = Histogram(f"inspector.weights.histogram{index}", self._area.widget())
                self._histograms.append(made)
                self._list.insertWidget(index, made)
            self._histograms[index].set_view(view)
        self._note.setText(note)
        self._note.setVisible(bool(note))
        self._area.setVisible(bool(views))

    def focus_first(self) -> None:
        """Put the caret into the first field."""
        self._form.focus_first()

    def focus_field(self, name: str) -> None:
        """Put the caret into a field."""
        self._form.focus_field(name)

    @override
    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.shown.emit()
