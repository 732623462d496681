"""The page of what a model answers all over the plane of its two inputs, as it learns."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QHBoxLayout, QSlider, QVBoxLayout, QWidget

from studio.i18n import translate
from widgets.common.empty_state import EmptyState
from widgets.common.plain_label import PlainLabel
from widgets.plots.scatter_view import ScatterView


class SurfacePage(QWidget):
    """Shows a surface of the recorded ones; ``frame_chosen`` names one by its number."""

    frame_chosen = Signal(int)
    live_changed = Signal(bool)
    start_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspect.surface")
        self.setAccessibleName(translate("Surface", "Decision surface"))

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        self._bar = QWidget(self)
        self._bar.setObjectName("surface.bar")
        self._bar.setAccessibleName(translate("Surface", "Steps"))
        self._fill_bar(QHBoxLayout(self._bar))
        column.addWidget(self._bar)
        yield
        self.plane = ScatterView("surface.plane", self)
        self.plane.setAccessibleName(translate("Surface", "Decision surface"))
        column.addWidget(self.plane, 1)
        yield
        self.empty = EmptyState("scatter", self, name="surface.empty")
        self.empty.setAccessibleName(translate("Surface", "No surface yet"))
        self.empty.action_requested.connect(self.start_requested)
        column.addWidget(self.empty, 1)
        self.set_empty(translate("Surface", "No surface yet"))

    def set_empty(self, title: str, text: str = "", action: str = "") -> None:
        """Say why there is no surface and what to do; with no title there is one."""
        self.empty.set_texts(title, text, action)
        self.empty.setVisible(bool(title))
        self.plane.setVisible(not title)
        self._bar.setVisible(not title)

    def set_frames(self, count: int, shown: int) -> None:
        """Offer the recorded surfaces, one of them shown."""
        with QSignalBlocker(self.steps):
            self.steps.setRange(0, max(count - 1, 0))
            self.steps.setValue(shown)
        self.steps.setEnabled(count > 1)

    def _fill_bar(self, row: QHBoxLayout) -> None:
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(8)
        self.live = QCheckBox(translate("Surface", "Live"), self)
        self.live.setObjectName("surface.live")
        self.live.setAccessibleName(self.live.text())
        self.live.setToolTip(
            translate("Surface", "Draw the surface again and again while the model learns")
        )
        self.live.setChecked(True)
        self.live.toggled.connect(self.live_changed)
        self.steps = QSlider(Qt.Orientation.Horizontal, self)
        self.steps.setObjectName("surface.steps")
        self.steps.setAccessibleName(translate("Surface", "Recorded step"))
        self.steps.setToolTip(translate("Surface", "Go back to how the model was at earlier steps"))
        self.steps.valueChanged.connect(self.frame_chosen)
        self.told = PlainLabel(self)
        self.told.setObjectName("surface.told")
        self.told.setAccessibleName(translate("Surface", "Step that is shown"))
        self.told.setProperty("role", "muted")
        row.addWidget(self.live)
        row.addWidget(self.steps, 1)
        row.addWidget(self.told)
