"""The Data workspace: the choice of the data at the left, pages that look at them at the right."""

from collections.abc import Iterator

from PySide6.QtWidgets import QFormLayout, QFrame, QVBoxLayout, QWidget
from typing_extensions import override

from studio.i18n import translate
from studio.view.fit_bar import FitBar
from studio.window.paged import PagedWorkspace
from widgets.common import parts
from widgets.common.progress import ProgressPanel, ProgressView
from widgets.forms.form import FormWidget


class DataWorkspace(PagedWorkspace):
    """Holds the form of the chosen data with their facts, and the pages."""

    def __init__(self) -> None:
        title = translate("Data", "Data workspace")
        super().__init__("data", title, translate("Data", "Data pages"))

    @override
    def _arrange(self, pages: QVBoxLayout) -> None:
        self._splitter = parts.splitter(
            self, "data.splitter", translate("Data", "Data source and samples")
        )
        self.fit = FitBar(self)
        self.reading = ProgressPanel("data.reading", self)
        self.reading.setContentsMargins(12, 4, 8, 4)
        self.reading.hide()
        self._choice = QWidget(self._splitter)
        parts.named(self._choice, "data.choice", translate("Data", "Data source"))
        right = QWidget(self._splitter)
        right.setObjectName("data.right")
        right.setLayout(pages)
        parts.column(
            self.fit,
            self.reading,
            (self._splitter, 1),
            margins=(0, 0, 0, 0),
            spacing=0,
            parent=self,
        )
        self._splitter.setStretchFactor(1, 1)
        self._splitter.setSizes([400, 1000])

    def build(self) -> Iterator[None]:
        """Put the choice together, in short steps."""
        self.form = FormWidget(self._choice)
        parts.named(self.form, "data.form", translate("Data", "Data source"))
        self.form.setFrameShape(QFrame.Shape.NoFrame)
        self._facts = QFormLayout()
        self._facts.setContentsMargins(14, 6, 14, 10)
        self._facts.setSpacing(6)
        self._facts.setVerticalSpacing(3)
        self._heading = heading = parts.label(
            self._choice, "data.facts", text=translate("Data", "Data of the next run"), role="muted"
        )
        heading.setContentsMargins(14, 6, 14, 0)
        heading.hide()
        parts.column(
            (self.form, 1),
            heading,
            self._facts,
            margins=(0, 0, 0, 0),
            spacing=0,
            parent=self._choice,
        )
        yield

    def set_reading(self, view: ProgressView | None) -> None:
        """Show how far the reading of the data is; None where nothing is read."""
        if view is not None:
            self.reading.set_view(view)
        self.reading.setVisible(view is not None)

    def set_facts(self, facts: tuple[tuple[str, str], ...]) -> None:
        """Show facts about the data."""
        self._heading.setVisible(bool(facts))
        while self._facts.rowCount():
            self._facts.removeRow(0)
        for index, (name, text) in enumerate(facts):
            self._facts.addRow(*parts.fact(self, f"data.fact{index}", name, text))
