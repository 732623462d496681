"""Pipeline page: the part above, its way to the model, and below what it means for the memory."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Signal

from studio.data.pipeline.presenter import PipelineView
from studio.i18n import translate
from studio.view.part_combo import part_combo
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.flow.flow_view import FlowView


class PipelinePage(PageWidget):
    """``box_chosen`` carries the key of a stage that is pressed."""

    part_changed = Signal(str)
    box_chosen = Signal(str)
    measure_requested = Signal()

    def __init__(self) -> None:
        super().__init__("data.page.pipeline", translate("Pipeline", "Pipeline"))

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self._part = part_combo(
            self,
            "pipeline.part",
            translate("Pipeline", "Part"),
            translate("Pipeline", "The part of the data whose way to the model is shown"),
            self.part_changed.emit,
        )
        self.summary = parts.label(
            self, "pipeline.summary", translate("Pipeline", "An epoch"), wraps=True
        )
        column.addLayout(
            parts.row(self._part, (self.summary, 1), margins=(12, 10, 12, 2), spacing=10)
        )
        yield
        self.flow = FlowView("pipeline.flow", self)
        self.flow.setAccessibleName(translate("Pipeline", "Way from the files to the model"))
        self.flow.box_chosen.connect(self.box_chosen)
        column.addWidget(self.flow, 1)
        yield
        self.volume = parts.label(
            self,
            "pipeline.volume",
            translate("Pipeline", "Amount of data"),
            role="muted",
            wraps=True,
        )
        self.measure = parts.button(
            self,
            "pipeline.measure",
            translate("Pipeline", "Suggest workers…"),
            icon="speed",
            tip=translate(
                "Pipeline", "Measure with how many workers batches come fastest on this machine"
            ),
            clicked=self.measure_requested,
        )
        column.addLayout(
            parts.row((self.volume, 1), self.measure, margins=(12, 4, 12, 10), spacing=10)
        )

    def set_view(self, view: PipelineView) -> None:
        """Show the way of a part."""
        with QSignalBlocker(self._part):
            self._part.setCurrentIndex(self._part.findData(view.part))
        self.summary.setText(view.summary)
        self.flow.set_lanes(view.lanes)
        self.volume.setText(view.volume)
        self.volume.setVisible(bool(view.volume))
