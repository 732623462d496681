"""First look at the data in the dialog of a new project: pictures or rows, and their classes."""

from collections.abc import Sequence

from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.data.start.drawn_preview import DrawnPreview
from studio.data.start.view_model import DrawnView
from studio.i18n import translate
from widgets.common import parts
from widgets.common.progress import ProgressPanel, ProgressView
from widgets.images.gallery import GalleryView
from widgets.images.view_model import ImageView
from widgets.plots.bar_chart import BarChart
from widgets.plots.view_model import BarsView
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

_ALWAYS_FILTERED = 1 << 30


class StartPreview(QWidget):
    """Fills as files are read; ``progress.cancel_requested`` says that it is enough."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        parts.named(self, "dialog.data.preview", translate("DataProject", "Preview"))
        self.gallery = GalleryView("dialog.data.pictures", self)
        self.rows = TableView("dialog.data.rows", self, filtered_from=_ALWAYS_FILTERED)
        self.balance = BarChart("dialog.data.balance", self)
        self.progress = ProgressPanel("dialog.data.progress", self)
        self._problem = parts.label(
            self,
            "dialog.data.unread",
            translate("DataProject", "Problem"),
            role="error",
            wraps=True,
        )
        self._problem.hide()
        self._stack = QStackedWidget(self)
        self._stack.addWidget(self.rows)
        self._stack.addWidget(self.gallery)
        self.drawn = DrawnPreview(self)
        self._stack.addWidget(self.drawn)
        self._splitter = parts.splitter(
            self, "dialog.data.splitter", translate("DataProject", "Samples and classes")
        )
        self._splitter.addWidget(self._stack)
        self._splitter.addWidget(self.balance)
        self._splitter.setSizes([520, 260])
        parts.column(
            (self._splitter, 1),
            self._problem,
            self.progress,
            margins=(0, 0, 0, 0),
            spacing=4,
            parent=self,
        )
        self._bars = BarsView(labels=(), values=())
        self.balance.hide()
        self.set_progress(None)

    def set_images(self, images: Sequence[ImageView], total: int) -> None:
        """Show pictures, the first of ``total``."""
        self.gallery.set_images(images, total=total)
        self._show(self.gallery)

    def set_rows(self, rows: TableData) -> None:
        """Show rows, or why there are none."""
        self.rows.set_data(rows)
        self._show(self.rows)

    def set_problem(self, text: str) -> None:
        """Say what is wrong with the first file that cannot be shown; nothing where all can."""
        self._problem.setText(text)
        self._problem.setVisible(bool(text))

    def set_drawn(self, view: DrawnView) -> None:
        """Show training samples after the transforms; the classes leave them their room."""
        self.drawn.set_view(view)
        self._show(self.drawn)

    def _show(self, widget: QWidget) -> None:
        self._stack.setCurrentWidget(widget)
        self._fit_balance()

    def _fit_balance(self) -> None:
        is_drawn = self._stack.currentWidget() is self.drawn
        self.balance.setVisible(bool(self._bars.labels) and not is_drawn)

    def set_balance(self, bars: BarsView) -> None:
        """Show how many samples each class has; nothing where there are no classes."""
        self._bars = bars
        self.balance.set_view(bars)
        self._fit_balance()

    def set_progress(self, view: ProgressView | None) -> None:
        """Show how far reading is; None where nothing is being read."""
        if view is not None:
            self.progress.set_view(view)
        self.progress.setVisible(view is not None)
