"""Page of the samples: all of them above, how many there are of each class below."""

from collections.abc import Iterator

from PySide6.QtCore import QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QMenu, QStackedWidget, QTabBar, QVBoxLayout, QWidget
from typing_extensions import override

from studio.data.samples.balance import ClassBalance
from studio.data.samples.details import DetailsPanel, DetailsView
from studio.data.samples.edit_bar import EditsLine
from studio.data.samples.prediction_bar import PredictionBar
from studio.data.samples.reading_pane import ReadingPane
from studio.data.samples.state import (
    GALLERY,
    POINTS,
    TABLE,
    TEXT,
    SamplesView,
    part_title,
)
from studio.i18n import translate
from studio.view.data import PARTS
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.icons import set_icon
from widgets.common.text import plain_tip
from widgets.paged.browser import PagedBrowser
from widgets.paged.filter_bar import FilterBar
from widgets.paged.filter_view import FilterValue
from widgets.plots.scatter_view import ScatterView
from widgets.plots.view_model import PointsView

_SEARCH_WIDTH, _LEAST_SEARCH = 220, 80
_LETTERS = 5  # of a combo box, at least


class SamplesPage(PageWidget):
    """Shows samples in a form, an order and under conditions.

    ``selection`` are the indices in the source of the samples that are selected;
    ``samples_selected`` tells of a change. Whoever can do something with them puts a button into
    ``acts`` and entries into the menu that ``menu_filled`` hands out with them.
    """

    form_changed = Signal(str)
    part_changed = Signal(str)
    sort_changed = Signal(str, bool)
    search_changed = Signal(str)
    values_requested = Signal(str)
    condition_added = Signal(FilterValue)
    condition_removed = Signal(int)
    conditions_cleared = Signal()
    menu_requested = Signal(QPoint)
    menu_filled = Signal(QMenu, tuple)
    samples_selected = Signal(tuple)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("data.page.samples", translate("Data", "Samples"), parent)
        self.selection: tuple[int, ...] = ()

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps: each part is made where it stays, because a move
        has all of it styled again.
        """
        column = self.add_column()
        halves = parts.splitter(
            self, "data.views", translate("Data", "Samples and class balance"), is_vertical=True
        )
        column.addWidget(halves, 1)
        sides = parts.splitter(halves, "data.sides", translate("Samples", "Samples and details"))
        top = parts.named(QWidget(sides), "data.preview", translate("Data", "Samples"))
        inner = parts.column(margins=(0, 0, 0, 0), spacing=0, parent=top)
        inner.addWidget(self._build_head(top))
        yield
        self.filter = FilterBar("data.filter", top)
        self.filter.setAccessibleName(translate("Samples", "Conditions"))
        self.filter.values_requested.connect(self.values_requested)
        self.filter.added.connect(self.condition_added)
        self.filter.removed.connect(self.condition_removed)
        self.filter.cleared.connect(self.conditions_cleared)
        inner.addWidget(self.filter)
        self.predictions = PredictionBar(top)
        inner.addWidget(self.predictions)
        yield
        yield from self._build_samples(top, inner)
        inner.addWidget(self._build_foot(top))
        self.details = DetailsPanel(sides)
        self.details.close_requested.connect(self._close_details)
        self.details.hide()
        sides.setStretchFactor(0, 1)
        yield
        self.balance = ClassBalance(halves)
        halves.setStretchFactor(0, 1)
        halves.setSizes([520, 150])
        yield

    def set_view(self, view: SamplesView) -> None:
        """Show what stands around the samples, and the form that they are in."""
        self._show_forms(view)
        with QSignalBlocker(self.part):
            self.part.setCurrentIndex(self.part.findData(view.part))
        parts.set_choices(self.sort, view.sorts, view.sort)
        self._is_descending = view.is_descending
        self.direction.setEnabled(bool(view.sort))
        self._show_direction()
        self.browser.set_sort(view.sort, is_descending=view.is_descending)
        if self.search.text().strip() != view.search.strip():
            with QSignalBlocker(self.search):
                self.search.setText(view.search)
        self.filter.set_fields(view.fields)
        self.filter.set_chips(view.chips)
        self.count.setText(view.count)
        self.count.setVisible(not view.selection)  # room for what can be done with it
        self.chosen.setText(view.selection)
        self._acts.setVisible(bool(view.selection))
        for control in (self.part, self.sort, self.search, self.funnel):
            control.setEnabled(not view.is_reading)
        self.edits.shown.setChecked(view.is_edited_only)
        self.set_empty(view.empty)

    def show_points(self, view: PointsView, colours: str) -> None:
        """Show samples as points, and say what their colours mean where no legend does."""
        self.scatter.set_view(view)
        self._colours.setText(colours)
        self._colours.setVisible(bool(colours))

    def show_details(self, view: DetailsView) -> None:
        """Show one sample in full, beside the others."""
        self.details.set_view(view)
        self.details.show()

    def _close_details(self) -> None:
        self.details.hide()
        self.browser.setFocus()

    def set_selection(self, indices: tuple[int, ...]) -> None:
        """Tell which samples are selected, by their indices in the source."""
        if indices != self.selection:
            self.selection = indices
            self.samples_selected.emit(indices)

    def _show_forms(self, view: SamplesView) -> None:
        titles = {
            GALLERY: translate("Samples", "Gallery"),
            TABLE: translate("Samples", "Table"),
            TEXT: translate("Samples", "Text"),
            POINTS: translate("Samples", "Points"),
        }
        with QSignalBlocker(self.forms):
            if list(view.forms) != [self.forms.tabData(at) for at in range(self.forms.count())]:
                while self.forms.count():
                    self.forms.removeTab(0)
                for form in view.forms:
                    self.forms.setTabData(self.forms.addTab(titles[form]), form)
            if view.form in view.forms:
                self.forms.setCurrentIndex(view.forms.index(view.form))
        self.forms.setVisible(len(view.forms) > 1)
        if view.form == POINTS:
            self._stack.setCurrentWidget(self._points)
        elif view.form:
            self.browser.set_form("gallery" if view.form == GALLERY else "table")
            self._stack.setCurrentWidget(self._listed)
        self.reading.setVisible(view.form == TEXT)
        self.browser.bar.setVisible(view.form != POINTS)

    def _build_head(self, parent: QWidget) -> QWidget:
        head = QWidget(parent)
        self.forms = QTabBar(head)
        parts.named(self.forms, "data.forms", translate("Samples", "Show the samples as"))
        self.forms.setDrawBase(False)
        self.forms.setExpanding(False)
        self.forms.currentChanged.connect(
            lambda at: self.form_changed.emit(str(self.forms.tabData(at)))
        )
        self.part = parts.combo(head, "data.part", translate("Data", "Split to show"))
        for name in ("all", *PARTS):
            self.part.addItem(part_title(name), name)
        self.part.currentIndexChanged.connect(
            lambda: self.part_changed.emit(self.part.currentData())
        )
        self.sort = parts.combo(
            head,
            "data.sort",
            translate("Samples", "Sort by"),
            translate("Samples", "Sort by a column; missing values come last"),
        )
        for combo in (self.part, self.sort):
            combo.setMaximumWidth(190)
            combo.setSizeAdjustPolicy(combo.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
            combo.setMinimumContentsLength(_LETTERS)
        self.sort.currentIndexChanged.connect(
            lambda: self.sort_changed.emit(self.sort.currentData() or "", self._is_descending)
        )
        self._is_descending = False
        self.direction = parts.tool_button(head, "data.direction", clicked=self._turn_round)
        self._build_search(head)
        self._head = parts.row(
            self.forms,
            (self.part, 2),
            (self.sort, 3),
            self.direction,
            (self.search, 3),
            self.funnel,
            (QWidget(head), 1),
            margins=(12, 8, 12, 4),
            spacing=8,
            parent=head,
        )
        return head

    def _build_search(self, head: QWidget) -> None:
        self.search = parts.line_edit(
            head,
            "data.search",
            translate("Samples", "Look for a text in the samples"),
            placeholder=translate("Samples", "Search"),
            tip=translate(
                "Samples",
                "Show only samples in which every word stands: in a text, a path, a category "
                "(Ctrl+F)",
            ),
            is_clearable=True,
        )
        self.search.setMinimumWidth(_LEAST_SEARCH)
        self.search.setMaximumWidth(_SEARCH_WIDTH)
        self.search.textChanged.connect(self.search_changed)
        self.funnel = parts.tool_button(
            head,
            "data.funnel",
            translate("Samples", "Add a condition"),
            icon="filter",
            tip=translate(
                "Samples", "Show only samples of a class, between two numbers, with a text, …"
            ),
            clicked=lambda: self.filter.set_editing(is_on=not self.filter.is_editing),
        )
        find = QShortcut(QKeySequence(QKeySequence.StandardKey.Find), self)
        find.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        find.activated.connect(self._find)

    def _build_samples(self, parent: QWidget, inner: QVBoxLayout) -> Iterator[None]:
        self._stack = parts.named(
            QStackedWidget(parent), "data.samples", translate("Data", "Samples")
        )
        inner.addWidget(self._stack, 1)
        self._listed = parts.splitter(
            self._stack, "data.listed", translate("Samples", "Samples and text")
        )
        self.browser = PagedBrowser("data", self._listed)
        self.browser.setAccessibleName(translate("Data", "Samples"))
        self.browser.menu_requested.connect(self.menu_requested)
        self._stack.addWidget(self._listed)
        self._head.addWidget(self.browser.bar)
        yield
        self.reading = ReadingPane(self._listed)
        self.reading.hide()
        self._listed.setStretchFactor(0, 2)
        self._listed.setStretchFactor(1, 3)
        yield
        self._build_points()
        yield
        title = translate("Data", "No preview")
        self.add_empty(inner, "data", "data.empty", title, instead_of=(self._stack,))
        yield

    def _build_points(self) -> None:
        page = QWidget(self._stack)
        self.scatter = ScatterView("data.scatter", page)
        self.scatter.setAccessibleName(translate("Data", "Samples as points"))
        self._colours = parts.label(
            page, "data.colours", translate("Data", "Color legend"), role="muted"
        )
        self._colours.setContentsMargins(12, 0, 12, 8)
        parts.column((self.scatter, 1), self._colours, margins=(0, 0, 0, 0), parent=page)
        self._points = page
        self._stack.addWidget(page)

    def _build_foot(self, parent: QWidget) -> QWidget:
        foot = QWidget(parent)
        self.count = parts.label(foot, "data.count", translate("Samples", "Count"), role="muted")
        self.chosen = parts.label(foot, "data.selected", translate("Samples", "Selection"))
        self._acts = QWidget(foot)
        self.acts = parts.row(margins=(0, 0, 0, 0), spacing=6, parent=self._acts)
        self.edits = EditsLine(foot)
        items = (self.count, self.chosen, self._acts, None, self.edits)
        parts.row(*items, margins=(12, 4, 12, 6), spacing=16, parent=foot)
        return foot

    def _find(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def _turn_round(self) -> None:
        self.sort_changed.emit(self.sort.currentData() or "", not self._is_descending)

    def _show_direction(self) -> None:
        set_icon(self.direction, "chevron-down" if self._is_descending else "chevron-up")
        text = translate("Samples", "Ascending; click for descending")
        if self._is_descending:
            text = translate("Samples", "Descending; click for ascending")
        self.direction.setToolTip(plain_tip(text))
        self.direction.setAccessibleName(text)

    @override
    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.details.isVisible():
            self._close_details()
        elif event.key() == Qt.Key.Key_Escape and self.reading.text.hasFocus():
            self.browser.setFocus()
        else:
            super().keyPressEvent(event)
