"""Statistics page: a table of the columns of each part, and the vocabulary of the texts."""

from collections.abc import Iterator

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from studio.data.statistics.presenter import StatisticsView, VocabularyView
from studio.i18n import translate
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.progress import ProgressPanel
from widgets.tables.table_view import TableView

COLUMNS, VOCABULARY = range(2)
"""The tabs of the page."""
_NEVER = 1 << 40  # rows: the vocabulary is looked through by the host, not by the table


class StatisticsPage(PageWidget):
    """Shows statistics and a vocabulary. ``field_changed`` names a text, ``text_changed`` what is
    looked for in its tokens.
    """

    measure_requested = Signal()
    cancel_requested = Signal()
    tab_changed = Signal(int)
    field_changed = Signal(str)
    text_changed = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("data.page.statistics", translate("Data", "Statistics"), parent)

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        self.tabs = QTabBar(self)
        parts.named(self.tabs, "statistics.tabs", translate("Statistics", "What is shown"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.addTab(translate("Statistics", "Columns"))
        self.tabs.addTab(translate("Statistics", "Vocabulary"))
        self.tabs.currentChanged.connect(self._on_tab_changed)
        column.addLayout(parts.row(self.tabs, None, margins=(12, 8, 12, 2)))
        self._stack = QStackedWidget(self)
        parts.named(self._stack, "statistics.stack", translate("Data", "Statistics"))
        column.addWidget(self._stack, 1)
        yield
        self._stack.addWidget(self._build_columns())
        yield
        self._stack.addWidget(self._build_vocabulary())
        yield

    def _build_columns(self) -> QWidget:
        page = QWidget(self._stack)
        self.summary = parts.label(
            page, "statistics.summary", translate("Statistics", "Summary"), wraps=True
        )
        self.measure = parts.button(
            page,
            "statistics.measure",
            translate("Statistics", "Measure"),
            icon="play",
            tip=translate(
                "Statistics",
                "Read the samples of each split and compute mean, deviation and ends of their "
                "numbers, as the model gets them before they are normalized",
            ),
            clicked=self.measure_requested,
        )
        self.progress = ProgressPanel("statistics.progress", page)
        self.progress.cancel_requested.connect(self.cancel_requested)
        head = parts.row((self.summary, 1), self.measure, margins=(12, 4, 12, 4), spacing=10)
        self.columns = TableView("statistics.columns", page)
        self.columns.setAccessibleName(translate("Statistics", "Columns of each split"))
        parts.column(
            head,
            self.progress,
            (self.columns, 1),
            margins=(0, 0, 0, 0),
            spacing=2,
            parent=page,
        )
        return page

    def _build_vocabulary(self) -> QWidget:
        page = QWidget(self._stack)
        self.field = parts.combo(
            page,
            "statistics.field",
            translate("Statistics", "Text"),
            translate("Statistics", "The text whose vocabulary is shown"),
        )
        self.field.currentIndexChanged.connect(
            lambda: self.field_changed.emit(self.field.currentData() or "")
        )
        self.search = parts.line_edit(
            page,
            "statistics.search",
            translate("Statistics", "Look for a token"),
            placeholder=translate("Statistics", "Search"),
            tip=translate("Statistics", "Show only tokens in which this stands"),
            is_clearable=True,
        )
        self.search.textChanged.connect(self.text_changed)
        self.found = parts.label(
            page, "statistics.found", translate("Statistics", "Tokens"), role="muted"
        )
        head = parts.row(
            self.field, (self.search, 1), self.found, None, margins=(12, 4, 12, 4), spacing=10
        )
        self.unknown = parts.label(
            page, "statistics.unknown", translate("Statistics", "Unknown tokens"), wraps=True
        )
        self.unknown.setContentsMargins(12, 0, 12, 4)
        self.tokens = TableView("statistics.tokens", page, filtered_from=_NEVER)
        self.tokens.setAccessibleName(translate("Statistics", "Tokens of the vocabulary"))
        parts.column(
            head,
            self.unknown,
            (self.tokens, 1),
            margins=(0, 0, 0, 0),
            spacing=2,
            parent=page,
        )
        return page

    @property
    def tab(self) -> int:
        """The tab in front."""
        return self.tabs.currentIndex()

    def show_tab(self, tab: int) -> None:
        """Bring a tab to the front."""
        self.tabs.setCurrentIndex(tab)

    def set_view(self, view: StatisticsView) -> None:
        """Show the statistics of the parts, or why there are none."""
        self.summary.setText(view.summary)
        self.measure.setVisible(view.progress is None)
        self.measure.setEnabled(view.can_measure)
        if view.progress is not None:
            self.progress.set_view(view.progress)
        self.progress.setVisible(view.progress is not None)
        self.columns.set_data(view.table)
        if not view.has_vocabulary:
            self.show_tab(COLUMNS)
        self.tabs.setVisible(view.has_vocabulary)

    def set_vocabulary(self, view: VocabularyView) -> None:
        """Show tokens, or why there are none."""
        with QSignalBlocker(self.field):
            parts.set_choices(self.field, view.fields, view.field)
        self.field.setVisible(len(view.fields) > 1)
        self.found.setText(view.found)
        self.unknown.setText(view.unknown)
        self.unknown.setVisible(bool(view.unknown))
        self.tokens.set_data(view.table)

    def _on_tab_changed(self, tab: int) -> None:
        self._stack.setCurrentIndex(tab)
        self.tab_changed.emit(tab)
