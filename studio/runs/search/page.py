"""Page on which better settings are searched for: the space at the left, trials at the right."""

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from engine.spec.search import MOST_TRIALS, SearchSpec
from studio.i18n import translate
from studio.runs.search.presenter import TrialsView
from studio.window.page import PageWidget
from studio.window.verb_bar import Verb, VerbBar
from widgets.common import parts
from widgets.common.icons import set_icon
from widgets.common.plain_label import PlainLabel
from widgets.plots.bar_chart import BarChart
from widgets.plots.parallel_chart import ParallelChart
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

NEW = ""
"""What stands for a search that is not begun yet in the list of searches."""

_METHODS = ("tpe", "random", "grid")
_MOST_PARALLEL = 16
_MANY = 8  # settings are looked through with a filter
_EXAMPLE = "1e-4..1e-1:log"


class SearchPage(PageWidget):
    """Shows one search; ``verb_requested`` names what is wanted of it."""

    chosen = Signal(str)
    verb_requested = Signal(str)
    add_requested = Signal(str, str)
    remove_requested = Signal(list)
    trial_chosen = Signal()
    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("runs.search", translate("Search", "Search"), parent)
        self._wanted = SearchSpec().trials

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        column.addLayout(self._bar())
        self.progress = PlainLabel(self)
        self.progress.setObjectName("search.progress")
        self.progress.setAccessibleName(translate("Search", "Search progress"))
        self.progress.setProperty("role", "muted")
        self.progress.setWordWrap(True)
        self.progress.setContentsMargins(14, 0, 14, 4)
        column.addWidget(self.progress)
        yield
        self._whole = self._splitter("splitter", Qt.Orientation.Horizontal, self)
        column.addWidget(self._whole, 1)
        yield from self._build_left()
        right = self._splitter("right", Qt.Orientation.Vertical, self._whole)
        self.trials = TableView("search.trials", right)
        self.trials.setAccessibleName(translate("Search", "Trials"))
        self.trials.selection_changed.connect(self._on_trials)
        self.trials.row_activated.connect(lambda _: self.verb_requested.emit("show"))
        yield
        below = self._splitter("below", Qt.Orientation.Horizontal, right)
        self.parallel_chart = ParallelChart("search.parallel_chart", below)
        self.parallel_chart.line_chosen.connect(lambda line: self.trials.select_ids([line]))
        yield
        self.importance = BarChart("search.importance", below)
        yield
        below.setSizes([560, 300])
        right.setSizes([320, 280])
        self._whole.setSizes([330, 860])

    def search(self) -> SearchSpec:
        """Return what the form says, without what is tried."""
        return SearchSpec(
            method=self._method.currentData(),
            trials=self._trials.value(),
            pruner="median" if self._pruner.isChecked() else "none",
            monitor=self.monitor(),
            mode=self._mode.currentData(),
            parallel=self._parallel.value(),
        )

    def show_search(self, search: SearchSpec, total: int) -> None:
        """Show how a search goes about it."""
        if self._monitor.findData(search.monitor) < 0:
            self._monitor.addItem(search.monitor, search.monitor)
        for combo, value in (
            (self._method, search.method),
            (self._monitor, search.monitor),
            (self._mode, search.mode),
        ):
            combo.setCurrentIndex(combo.findData(value))
        self._trials.setValue(total)
        self._pruner.setChecked(search.pruner == "median")
        self._parallel.setValue(search.parallel)

    @property
    def chosen_trials(self) -> list[str]:
        """The ids of the selected trials."""
        return self.trials.selected_ids()

    def show_space(self, data: TableData) -> None:
        """Show what is tried."""
        self.space.set_data(data)

    def show_trials(self, view: TrialsView) -> None:
        """Show the trials of a search, and what they say."""
        self.trials.set_data(view.trials)
        self.importance.set_view(view.importance)
        self.parallel_chart.set_view(view.parallel)
        self.progress.setText(view.progress)

    def set_searches(self, searches: Sequence[tuple[str, str]], chosen: str) -> None:
        """Offer searches (id and name), and a new one."""
        with QSignalBlocker(self._searches):
            self._searches.clear()
            self._searches.addItem(translate("Search", "New search"), NEW)
            for key, name in searches:
                self._searches.addItem(name, key)
            self._searches.setCurrentIndex(max(0, self._searches.findData(chosen)))

    def set_monitors(self, monitors: Sequence[tuple[str, str]], usual: str) -> None:
        """Offer what can be looked for (series and its name); where what was chosen is not among
        them, ``usual`` is chosen, or the first one.
        """
        kept = self._monitor.currentData()
        self._monitor.clear()
        for key, name in monitors:
            self._monitor.addItem(name, key)
        found = self._monitor.findData(kept)
        self._monitor.setCurrentIndex(max(0, self._monitor.findData(usual)) if found < 0 else found)

    def monitor(self) -> str:
        """Return the series that is looked for."""
        return str(self._monitor.currentData() or SearchSpec().monitor)

    def set_mode(self, mode: str) -> None:
        """Choose the direction in which a measure is better."""
        self._mode.setCurrentIndex(self._mode.findData(mode))

    def set_settings(self, offered: Sequence[tuple[str, str]]) -> None:
        """Offer settings to vary (name and what it is called)."""
        kept = self._setting.currentText()
        self._setting.clear()
        for name, label in offered:
            self._setting.addItem(f"{label}  ({name})" if label != name else name, name)
        self._setting.setCurrentText(kept)

    def set_verbs(self, possible: frozenset[str], *, is_new: bool, can_grow: bool = False) -> None:
        """Enable the buttons that can be used; only a new search can be edited, and one that is
        over can be given more trials.
        """
        self.verbs.set_possible(possible)
        self.verbs.button("start").setVisible(is_new)
        for verb in ("pause", "stop", "show", "take"):
            self.verbs.button(verb).setVisible(not is_new)
        for widget in (self._adding, self._method, self._pruner, self._monitor):
            widget.setEnabled(is_new)
        for widget in (self._mode, self._parallel):
            widget.setEnabled(is_new)
        self._trials.setEnabled((is_new or can_grow) and not self._is_grid())

    def set_grid_size(self, combinations: int) -> None:
        """Show how many trials a grid has; 0, which is no grid: the number that was wanted."""
        self._trials.setValue(combinations or self._wanted)

    def set_pause_text(self, *, goes_on: bool) -> None:
        """Let the second button pause the search, or let it go on."""
        text = translate("Search", "Continue") if goes_on else translate("Search", "Pause")
        self.verbs.change("pause", "resume" if goes_on else "pause", text)

    def set_problem(self, text: str) -> None:
        """Say under the line of values why they cannot be taken; nothing when they can."""
        self._problem.setText(text)
        self._problem.setVisible(bool(text))

    def clear_values(self) -> None:
        """Empty the line of values: they were taken."""
        self._values.clear()
        self.set_problem("")

    def _bar(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setContentsMargins(12, 10, 12, 4)
        row.setSpacing(6)
        self._searches = parts.combo(self, "search.choice", translate("Search", "Search"))
        self._searches.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self._searches.activated.connect(
            lambda _: self.chosen.emit(str(self._searches.currentData()))
        )
        row.addWidget(self._searches)
        self.verbs = VerbBar("search", _verbs(), self)
        self.verbs.requested.connect(self.verb_requested)
        row.addWidget(self.verbs)
        row.addStretch(1)
        return row

    def _build_left(self) -> Iterator[None]:
        left = QWidget(self._whole)
        left.setObjectName("search.left")
        left.setAccessibleName(translate("Search", "Search space"))
        column = QVBoxLayout(left)
        column.setContentsMargins(12, 4, 8, 8)
        self.space = TableView("search.space", left, filtered_from=_MANY)
        self.space.setAccessibleName(translate("Search", "Search space"))
        self.space.setToolTip(translate("Search", "Press Delete to remove the selected settings"))
        self.space.delete_requested.connect(self.remove_requested)
        column.addWidget(self.space, 1)
        yield
        self._adding = QWidget(left)
        self._adding.setObjectName("search.adding")
        self._adding.setAccessibleName(translate("Search", "Add setting"))
        self._fill_adding(QVBoxLayout(self._adding))
        column.addWidget(self._adding)
        yield
        form = QFormLayout()
        form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
        self._fill_form(form)
        column.addLayout(form)
        yield

    def _fill_adding(self, column: QVBoxLayout) -> None:
        column.setContentsMargins(0, 4, 0, 4)
        self._setting = parts.combo(self, "search.setting", translate("Search", "Setting to try"))
        self._setting.setEditable(True)
        self._setting.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self._setting.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        line, completer = self._setting.lineEdit(), self._setting.completer()
        assert line is not None
        assert completer is not None
        line.setPlaceholderText(translate("Search", "Setting to try"))
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.setCompletionMode(completer.CompletionMode.PopupCompletion)
        self._values = QLineEdit(self._adding)
        self._values.setObjectName("search.values")
        self._values.setAccessibleName(translate("Search", "Values to try"))
        self._values.setPlaceholderText(_EXAMPLE)
        self._values.setToolTip(
            translate(
                "Search",
                "1e-4..1e-1:log – a range on a logarithmic scale\n8..64:8 – a range in "
                "steps of 8\nAdam, SGD, RMSprop – one of these values",
            )
        )
        self._values.returnPressed.connect(self._on_add)
        add = QPushButton(translate("Search", "Add"), self._adding)
        add.setObjectName("search.add")
        add.setAccessibleName(translate("Search", "Add setting"))
        add.setToolTip(translate("Search", "Try these values for this setting"))
        set_icon(add, "add")
        add.clicked.connect(self._on_add)
        row = QHBoxLayout()
        row.addWidget(self._values, 1)
        row.addWidget(add)
        self._problem = PlainLabel(self._adding)
        self._problem.setObjectName("search.problem")
        self._problem.setAccessibleName(translate("Search", "Error"))
        self._problem.setProperty("role", "error")
        self._problem.setWordWrap(True)
        self._problem.hide()
        column.addWidget(self._setting)
        column.addLayout(row)
        column.addWidget(self._problem)

    def _fill_form(self, form: QFormLayout) -> None:
        self._method = parts.combo(self, "search.method", translate("Search", "Method"))
        for method, (text, tip) in zip(_METHODS, _method_texts(), strict=True):
            self._method.addItem(text, method)
            index = self._method.count() - 1
            self._method.setItemData(index, tip, Qt.ItemDataRole.ToolTipRole)
        self._method.currentIndexChanged.connect(lambda _: self.changed.emit())
        self._trials = self._spin("search.trials_wanted", translate("Search", "Trials"))
        self._trials.setRange(1, MOST_TRIALS)
        self._trials.setValue(self._wanted)
        self._trials.setToolTip(
            translate(
                "Search",
                "The number of runs. Increase it to continue a finished search with what "
                "it has learned.",
            )
        )
        self._trials.valueChanged.connect(self._on_trials_changed)
        self._pruner = QCheckBox(translate("Search", "Stop poor trials early"), self)
        self._pruner.setObjectName("search.pruner")
        self._pruner.setAccessibleName(self._pruner.text())
        self._pruner.setChecked(True)
        self._pruner.setToolTip(
            translate(
                "Search",
                "Median pruning: stop a trial that is worse than the median of previous "
                "trials at the same epoch",
            )
        )
        self._monitor = parts.combo(self, "search.monitor", translate("Search", "Metric"))
        self._mode = parts.combo(self, "search.mode", translate("Search", "Direction"))
        smallest = translate("Search", "minimize")
        largest = translate("Search", "maximize")
        for mode, text in (("min", smallest), ("max", largest)):
            self._mode.addItem(text, mode)
        self._parallel = self._spin("search.parallel", translate("Search", "Parallel runs"))
        self._parallel.setRange(1, _MOST_PARALLEL)
        self._parallel.setToolTip(
            translate("Search", "The number of trials that train at the same time")
        )
        form.addRow(translate("Search", "Method"), self._method)
        form.addRow(translate("Search", "Trials"), self._trials)
        form.addRow(translate("Search", "Metric"), self._monitor)
        form.addRow(translate("Search", "Direction"), self._mode)
        form.addRow(translate("Search", "Parallel runs"), self._parallel)
        form.addRow("", self._pruner)

    def _spin(self, name: str, title: str) -> QSpinBox:
        box = QSpinBox(self)
        box.setObjectName(name)
        box.setAccessibleName(title)
        box.setToolTip(title)
        return box

    def _splitter(self, name: str, orientation: Qt.Orientation, parent: QWidget) -> QSplitter:
        splitter = QSplitter(orientation, parent)
        splitter.setObjectName(f"search.{name}")
        splitter.setAccessibleName(translate("Search", "Settings and trials"))
        splitter.setChildrenCollapsible(False)
        return splitter

    def _is_grid(self) -> bool:
        return self._method.currentData() == "grid"

    def _on_trials_changed(self, wanted: int) -> None:
        if not self._is_grid():  # there it is no wish
            self._wanted = wanted
        self.changed.emit()

    def _on_trials(self, ids: list[str]) -> None:
        self.parallel_chart.choose(frozenset(ids))
        self.trial_chosen.emit()

    def _on_add(self) -> None:
        text = self._setting.currentText()
        at = self._setting.findText(text)
        name = str(self._setting.itemData(at)) if at >= 0 else text.strip()
        self.add_requested.emit(name, self._values.text())


def _method_texts() -> tuple[tuple[str, str], ...]:
    return (
        (
            translate("Search", "TPE (learns from previous trials)"),
            translate(
                "Search",
                "Tree-structured Parzen estimator: samples more values where results were good",
            ),
        ),
        (
            translate("Search", "Random"),
            translate("Search", "Samples every value uniformly at random"),
        ),
        (
            translate("Search", "Grid (every combination)"),
            translate("Search", "Three values for a range without steps, and every listed value"),
        ),
    )


def _verbs() -> tuple[Verb, ...]:
    return (
        (
            "start",
            "play",
            translate("Search", "Start search"),
            translate(
                "Search", "Train the model on the canvas with different settings in each trial"
            ),
        ),
        (
            "pause",
            "pause",
            translate("Search", "Pause"),
            translate("Search", "Pause or continue the trials, also after a stop or a crash"),
        ),
        (
            "stop",
            "stop",
            translate("Search", "Stop"),
            translate("Search", "Stop the search and keep everything; you can continue it later"),
        ),
        (
            "show",
            "follow",
            translate("Search", "Show run"),
            translate("Search", "Show the run of the selected trial in the Train workspace"),
        ),
        (
            "take",
            "model",
            translate("Search", "Use settings"),
            translate("Search", "Load the model and recipe of the selected trial"),
        ),
    )
