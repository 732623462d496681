"""Page on which better settings are searched for: the space at the left, trials at the right."""

from collections.abc import Iterator
from contextlib import ExitStack

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QPushButton,
    QSpinBox,
    QSplitter,
    QVBoxLayout,
    QWidget,
)

from engine.spec.search import MOST_TRIALS, SearchSpec
from studio.i18n import translate
from studio.runs.search.presenter import SearchView
from studio.window.page import PageWidget
from studio.window.verb_bar import Verb, VerbBar
from widgets.common import parts
from widgets.common.icons import set_icon
from widgets.plots.bar_chart import BarChart
from widgets.plots.parallel_chart import ParallelChart
from widgets.tables.table_view import TableView

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
    trials_selected = Signal(list)
    form_changed = Signal(object)  # SearchSpec

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("runs.search", translate("Search", "Search"), parent)
        self._view: SearchView | None = None

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        column.addLayout(self._bar())
        title = translate("Search", "Search progress")
        self.progress = parts.label(self, "search.progress", title, role="muted", wraps=True)
        self.progress.setContentsMargins(14, 0, 14, 4)
        column.addWidget(self.progress)
        yield
        self._whole = self._splitter("splitter", self)
        column.addWidget(self._whole, 1)
        yield from self._build_left()
        right = self._splitter("right", self._whole, is_vertical=True)
        self.trials = TableView("search.trials", right)
        self.trials.setAccessibleName(translate("Search", "Trials"))
        self.trials.selection_changed.connect(self._on_trials)
        self.trials.row_activated.connect(lambda _: self.verb_requested.emit("show"))
        yield
        below = self._splitter("below", right)
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
            monitor=str(self._monitor.currentData() or SearchSpec().monitor),
            mode=self._mode.currentData(),
            parallel=self._parallel.value(),
        )

    def set_view(self, view: SearchView) -> None:
        """Show a search, and what can be chosen for a new one."""
        shown, self._view = self._view, view
        self._show_verbs(view)
        self._show_form(view)
        parts.set_choices(self._searches, view.searches, view.chosen)
        if shown is None or view.settings != shown.settings:
            typed = self._setting.currentText()
            labels = [
                (name, f"{label}  ({name})" if label != name else name)
                for name, label in view.settings
            ]
            parts.set_choices(self._setting, labels, "")
            self._setting.setCurrentText(typed)
        self._problem.setText(view.problem)
        self._problem.setVisible(bool(view.problem))
        if shown is None or view.space != shown.space:
            self.space.set_data(view.space)
        if shown is None or view.result != shown.result:
            self.progress.setText(view.result.progress)
            self.importance.set_view(view.result.importance)
            self.parallel_chart.set_view(view.result.parallel)
            self.trials.set_data(view.result.trials)  # last: it may tell of another selection

    def _show_verbs(self, view: SearchView) -> None:
        self.verbs.set_possible(view.possible)
        self.verbs.show_pause("pause", is_paused=view.is_paused)
        self.verbs.button("start").setVisible(view.is_new)
        for verb in ("pause", "stop", "show", "take"):
            self.verbs.button(verb).setVisible(not view.is_new)

    def _show_form(self, view: SearchView) -> None:
        form = view.form
        fields = (self._method, self._monitor, self._mode, self._parallel, self._pruner)
        with ExitStack() as stack:
            for widget in (*fields, self._trials):
                stack.enter_context(QSignalBlocker(widget))
            self._method.setCurrentIndex(self._method.findData(form.method))
            parts.set_choices(self._monitor, view.monitors, form.monitor)
            self._mode.setCurrentIndex(self._mode.findData(form.mode))
            self._trials.setValue(form.trials)
            self._pruner.setChecked(form.pruner == "median")
            self._parallel.setValue(form.parallel)
        for widget in (self._adding, *fields):
            widget.setEnabled(view.is_new)
        self._trials.setEnabled(view.can_set_trials)

    def clear_values(self) -> None:
        """Empty the line of values: they were taken."""
        self._values.clear()

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
        left = parts.named(QWidget(self._whole), "search.left", translate("Search", "Search space"))
        column = QVBoxLayout(left)
        column.setContentsMargins(12, 4, 8, 8)
        self.space = TableView("search.space", left, filtered_from=_MANY)
        self.space.setAccessibleName(translate("Search", "Search space"))
        self.space.setToolTip(translate("Search", "Press Delete to remove the selected settings"))
        self.space.delete_requested.connect(self.remove_requested)
        column.addWidget(self.space, 1)
        yield
        self._adding = parts.named(
            QWidget(left), "search.adding", translate("Search", "Add setting")
        )
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
        self._values = parts.line_edit(
            self._adding,
            "search.values",
            translate("Search", "Values to try"),
            placeholder=_EXAMPLE,
            tip=translate(
                "Search",
                "1e-4..1e-1:log – a range on a logarithmic scale\n8..64:8 – a range in "
                "steps of 8\nAdam, SGD, RMSprop – one of these values",
            ),
        )
        self._values.returnPressed.connect(self._on_add)
        add = QPushButton(translate("Search", "Add"), self._adding)
        add.setObjectName("search.add")
        add.setAccessibleName(translate("Search", "Add setting"))
        add.setToolTip(translate("Search", "Try these values for this setting"))
        set_icon(add, "add")
        add.clicked.connect(self._on_add)
        row = parts.row((self._values, 1), add)
        self._problem = parts.label(
            self._adding, "search.problem", translate("Search", "Error"), role="error", wraps=True
        )
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
        self._trials = self._spin("search.trials_wanted", translate("Search", "Trials"))
        self._trials.setRange(1, MOST_TRIALS)
        self._trials.setValue(SearchSpec().trials)
        self._trials.setToolTip(
            translate(
                "Search",
                "The number of runs. Increase it to continue a finished search with what "
                "it has learned.",
            )
        )
        self._pruner = parts.check_box(
            self,
            "search.pruner",
            translate("Search", "Stop poor trials early"),
            translate(
                "Search",
                "Median pruning: stop a trial that is worse than the median of previous "
                "trials at the same epoch",
            ),
        )
        self._pruner.setChecked(True)
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
        for combo in (self._method, self._monitor, self._mode):
            combo.currentIndexChanged.connect(self._on_changed)
        for box in (self._trials, self._parallel):
            box.valueChanged.connect(self._on_changed)
        self._pruner.toggled.connect(self._on_changed)

    def _spin(self, name: str, title: str) -> QSpinBox:
        return parts.named(QSpinBox(self), name, title, title)

    def _splitter(self, name: str, parent: QWidget, *, is_vertical: bool = False) -> QSplitter:
        title = translate("Search", "Settings and trials")
        return parts.splitter(parent, f"search.{name}", title, is_vertical=is_vertical)

    def _on_changed(self) -> None:
        self.form_changed.emit(self.search())

    def _on_trials(self, ids: list[str]) -> None:
        self.parallel_chart.choose(frozenset(ids))
        self.trials_selected.emit(ids)

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
