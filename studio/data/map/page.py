"""Page of the map: what is mapped above, the points at the left, what is selected at the right."""

from collections.abc import Iterator

import numpy as np
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QComboBox, QMenu, QStackedWidget, QWidget

from studio.data.map.presenter import Listed
from studio.data.map.state import Choices, MapPageView
from studio.i18n import translate
from studio.run_choice.bar import RunChoice
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.elided_label import ElidedLabel
from widgets.common.empty_state import EmptyState
from widgets.common.progress import ProgressPanel
from widgets.images.gallery import GalleryView
from widgets.plots.point_map import PointMap
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

_NO_CHOICES: Choices = ()


class MapPage(PageWidget):
    """Shows a map. ``chosen`` carries what was chosen in one of the lists: its name (``what``,
    ``layer``, ``method``, ``x``, ``y``, ``part``, ``count``, ``color``) and the choice;
    ``counted`` whether all samples are to be counted;
    ``select_requested`` one of the choices of the button Select; ``sample_chosen`` the number of a
    sample in the list.
    """

    chosen = Signal(str, str)
    counted = Signal(bool)
    compute_requested = Signal()
    cancel_requested = Signal()
    select_requested = Signal(str)
    show_requested = Signal()
    sample_chosen = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("data.page.map", translate("Map", "Map of the samples"), parent)
        self._points: object = None
        self._picture: object = None
        self._listed: object = None
        self._selection: tuple[int, ...] = ()
        self._selections = _NO_CHOICES

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        for bar in self._build_bars():
            column.addWidget(bar)
        yield
        self.progress = ProgressPanel("map.progress", self)
        self.progress.setContentsMargins(12, 0, 12, 4)
        self.progress.cancel_requested.connect(self.cancel_requested)
        self.progress.hide()
        column.addWidget(self.progress)
        title = translate("Map", "Points and selected samples")
        self._halves = parts.splitter(self, "map.splitter", title)
        column.addWidget(self._halves, 1)
        self.map = PointMap("map.points", self._halves)
        self.map.setAccessibleName(translate("Map", "Samples as points"))
        yield
        yield from self._build_selection()
        self._halves.setStretchFactor(0, 1)
        self._halves.setSizes([620, 280])
        title = translate("Map", "No map yet")
        self.add_empty(column, "scatter", "map.empty", title, instead_of=(self._halves,))

    def set_view(self, view: MapPageView) -> None:
        """Show the map, or why there is none; points and samples that are shown stay as drawn."""
        self.set_empty(view.empty)
        self._show_choices(view)
        if view.progress is not None:
            self.progress.set_view(view.progress)
        self.progress.setVisible(view.progress is not None)
        self.summary.setText(view.summary)
        self.stale.setText(view.stale)
        self.stale.setVisible(bool(view.stale))
        if view.points is not None and view.points is not self._points:
            self._points = view.points
            self.map.set_view(view.points)
            self._selection = ()
        if view.picture is not self._picture:
            self._picture = view.picture
            self.map.set_density(view.picture)
        if view.selection != self._selection:
            self._selection = view.selection
            self.map.set_selection(np.asarray(view.selection, np.int64))
        self.told.setText(view.told)
        self.show_samples.setEnabled(view.can_show)
        if view.listed is not self._listed:
            self._listed = view.listed
            self._show_listed(view.listed)

    def _show_choices(self, view: MapPageView) -> None:
        parts.set_choices(self.what, view.whats, view.what)
        parts.set_choices(self.layer, view.layers, view.layer)
        parts.set_choices(self.method, view.methods, view.method)
        for combo, axis in zip((self.across, self.up), view.axes, strict=True):
            parts.set_choices(combo, view.columns, axis)
        self._axes.setVisible(view.has_axes)
        parts.set_choices(self.part, view.parts, view.part)
        parts.set_choices(self.count, view.counts, view.count)
        parts.set_choices(self.color, view.colors, view.color)
        self.density.setVisible(view.can_count)
        self.density.setChecked(view.is_counted)
        self._run.setVisible(view.has_run)
        self.compute.setEnabled(view.can_compute)
        self._shown.setVisible(view.empty is None)
        if view.selections != self._selections:
            self._selections = view.selections
            self._fill_menu(view.selections)

    def _show_listed(self, listed: Listed | None) -> None:
        if isinstance(listed, TableData) and listed.rows:
            self.table.set_data(listed)
            self._samples.setCurrentWidget(self.table)
        elif listed and not isinstance(listed, TableData):
            self.gallery.set_images(listed)
            self._samples.setCurrentWidget(self.gallery)
        else:
            self._samples.setCurrentWidget(self.hint)

    def _build_bars(self) -> Iterator[QWidget]:
        self.what = self._combo("what", translate("Map", "What the samples are compared by"))
        self.method = self._combo(
            "method",
            translate("Map", "Projection"),
            translate(
                "Map",
                "PCA shows the two directions in which the samples differ most; it is quick and "
                "distances keep their meaning. t-SNE puts neighbors together and so shows groups; "
                "distances between groups mean little. Two columns puts every sample where two of "
                "its own numbers say.",
            ),
        )
        self._build_axes()
        self.part = self._combo("part", translate("Map", "Split to draw from"))
        self.count = self._combo(
            "count",
            translate("Map", "Number of samples"),
            translate("Map", "If there are more samples, so many are drawn at random"),
        )
        self.compute = parts.button(
            self,
            "map.compute",
            translate("Map", "Compute"),
            icon="resume",
            tip=translate("Map", "Read the samples and lay them out anew"),
            clicked=self.compute_requested,
        )
        bar = parts.named(QWidget(self), "map.bar", translate("Map", "What to map"))
        items = (self.what, self.part, self.count, self.method, None, self.compute)
        parts.row(*items, margins=(12, 10, 12, 2), spacing=8, parent=bar)
        yield bar
        yield self._build_run()
        yield self._build_summary()

    def _build_axes(self) -> None:
        """Make the choice of the two columns, for the bar."""
        self._axes = parts.named(QWidget(self), "map.axes", translate("Map", "Columns of the axes"))
        self.across = self._combo("x", translate("Map", "Column from left to right"))
        self.up = self._combo("y", translate("Map", "Column from bottom to top"))
        for combo in (self.across, self.up):
            combo.setMaximumWidth(120)
        parts.row(self.across, self.up, margins=(0, 0, 0, 0), spacing=8, parent=self._axes)

    def _build_run(self) -> QWidget:
        self.choice = RunChoice("map", self)
        self.layer = self._combo(
            "layer", translate("Map", "Layer"), translate("Map", "Layer whose output is mapped")
        )
        self._run = parts.named(QWidget(self), "map.of_run", translate("Map", "Run and layer"))
        margins = (12, 2, 12, 2)
        parts.row(self.choice, self.layer, None, margins=margins, spacing=8, parent=self._run)
        return self._run

    def _build_summary(self) -> QWidget:
        title = translate("Map", "Color")
        self.color_title = parts.label(self, "map.color_title", text=title, role="muted")
        self.color = self._combo("color", translate("Map", "What the points are colored by"))
        self.color.setMaximumWidth(260)
        self.density = parts.check_box(
            self,
            "map.density",
            translate("Map", "Density"),
            translate(
                "Map",
                "Count all samples in the cells of the plane, not only the points drawn at random. "
                "Zoom in to count finer cells; points are drawn where few samples are left. "
                "A line drawn by hand selects among the points.",
            ),
        )
        self.density.clicked.connect(self.counted)
        self.summary = parts.named(ElidedLabel(self), "map.summary", translate("Map", "Summary"))
        self.summary.setProperty("role", "muted")
        self.summary.setMinimumWidth(40)
        self.stale = parts.label(self, "map.stale", translate("Map", "Out of date"), role="warning")
        title = translate("Map", "Color and summary")
        self._shown = parts.named(QWidget(self), "map.shown", title)
        items = (
            self._axes,
            self.density,
            self.color_title,
            self.color,
            (self.summary, 1),
            self.stale,
        )
        parts.row(*items, margins=(12, 2, 12, 4), spacing=8, parent=self._shown)
        return self._shown

    def _combo(self, name: str, title: str, tip: str = "") -> QComboBox:
        combo = parts.combo(self, f"map.{name}", title, tip)
        combo.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        combo.setMaximumWidth(190)
        combo.activated.connect(lambda _: self.chosen.emit(name, str(combo.currentData())))
        return combo

    def _build_selection(self) -> Iterator[None]:
        right = parts.named(
            QWidget(self._halves), "map.selection", translate("Map", "Selected samples")
        )
        self.select = parts.button(
            right,
            "map.select",
            translate("Map", "Select"),
            tip=translate("Map", "Select samples without the mouse"),
        )
        self._menu = QMenu(self.select)
        self.select.setMenu(self._menu)
        title = translate("Map", "Number of selected samples")
        self.told = parts.label(right, "map.told", title, role="muted", wraps=True)
        self.show_samples = parts.button(
            right,
            "map.show_samples",
            translate("Map", "Show in Samples"),
            tip=translate(
                "Map",
                "List the selected samples on the Samples page, alone",
            ),
            clicked=self.show_requested,
        )
        buttons = parts.row(self.select, self.show_samples, None, margins=(0, 0, 0, 0), spacing=8)
        head = parts.column(buttons, self.told, margins=(10, 4, 12, 4), spacing=4)
        title = translate("Map", "Selected samples")
        self._samples = parts.named(QStackedWidget(right), "map.samples", title)
        parts.column(head, (self._samples, 1), margins=(0, 0, 0, 0), spacing=0, parent=right)
        yield
        self._build_hint()
        self.gallery = GalleryView("map.gallery", self._samples)
        self.gallery.setAccessibleName(translate("Map", "Selected samples as images"))
        self.gallery.image_activated.connect(self.sample_chosen)
        self.gallery.selection_changed.connect(self.sample_chosen)
        self._samples.addWidget(self.gallery)
        yield
        self.table = TableView("map.table", self._samples)
        self.table.setAccessibleName(translate("Map", "Selected samples as a table"))
        self._samples.addWidget(self.table)
        yield

    def _build_hint(self) -> None:
        self.hint = EmptyState("select", self._samples, name="map.hint")
        self.hint.setAccessibleName(translate("Map", "How to select samples"))
        self.hint.set_texts(
            translate("Map", "Nothing selected"),
            translate(
                "Map",
                "Draw a line around points with the left mouse button. Shift adds, Alt or Ctrl "
                "takes away. With the keys: arrows go from point to point, Space selects, N adds "
                "the nearest, Ctrl+A selects all, Esc nothing.",
            ),
        )
        self._samples.addWidget(self.hint)

    def _fill_menu(self, choices: Choices) -> None:
        menu = self._menu
        menu.clear()
        for key, text in choices:
            action = menu.addAction(text)
            action.setObjectName(f"map.select.{key}")
            action.triggered.connect(lambda _=False, key=key: self.select_requested.emit(key))
