"""Page of the health of the data: findings above, the samples that show one of them below."""

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QAbstractItemView, QHBoxLayout, QStackedWidget, QWidget

from studio.data.health.presenter import Evidence, HealthView, check_title
from studio.i18n import translate
from studio.window.page import PageWidget
from widgets.common import parts
from widgets.common.progress import ProgressPanel
from widgets.images.gallery import GalleryView
from widgets.tables.problems_list import ProblemsList
from widgets.tables.table_view import TableView
from widgets.tables.view_model import TableData

_SIDE = 104  # of the pictures, so that there is room for the name of a part below


class HealthPage(PageWidget):
    """Shows findings; ``start_requested`` asks for a check."""

    cancel_requested = Signal()
    cross_validation_requested = Signal()
    finding_chosen = Signal(int)
    finding_activated = Signal(int)
    fix_requested = Signal(int, int)
    selection_changed = Signal(list)
    exclude_requested = Signal()
    relabel_requested = Signal()
    class_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("data.page.health", translate("Health", "Health of the data"), parent)
        self._shown: Evidence | None = None
        self._indices: tuple[int, ...] = ()

    def build(self) -> Iterator[None]:
        """Put the page together, in short steps."""
        column = self.add_column()
        column.addLayout(self._build_bar())
        self.stale = parts.label(
            self, "health.stale", translate("Health", "Out of date"), role="warning", wraps=True
        )
        self.stale.setContentsMargins(14, 0, 14, 2)
        column.addWidget(self.stale)
        self.progress = ProgressPanel("health.progress", self)
        self.progress.setContentsMargins(14, 0, 14, 4)
        self.progress.cancel_requested.connect(self.cancel_requested)
        column.addWidget(self.progress)
        yield
        title = translate("Health", "Findings and samples")
        self._halves = parts.splitter(self, "health.splitter", title, is_vertical=True)
        column.addWidget(self._halves, 1)
        self.findings = ProblemsList(self._halves, "health.findings", is_far=True)
        self.findings.setAccessibleName(translate("Health", "Findings"))
        self.findings.fix_requested.connect(self.fix_requested)
        self.findings.problem_seen.connect(self.finding_chosen)
        self.findings.problem_activated.connect(self.finding_activated)
        yield
        yield from self._build_samples()
        self._halves.setSizes([300, 320])
        title = translate("Health", "Not checked yet")
        self.add_empty(column, "data", "health.empty", title, instead_of=(self._halves,))
        self.labels = parts.label(
            self, "health.labels", translate("Health", "Labels"), role="muted", wraps=True
        )
        self.labels.setContentsMargins(14, 4, 14, 8)
        column.addWidget(self.labels)
        yield

    def set_view(self, view: HealthView) -> None:
        """Show findings, or why there are none."""
        self.check.setText(view.check)
        self.check.setEnabled(view.can_check)
        self.summary.setText(view.summary)
        self.stale.setText(view.stale)
        self.stale.setVisible(bool(view.stale))
        if view.progress is not None:
            self.progress.set_view(view.progress)
        self.progress.setVisible(view.progress is not None)
        self.labels.setText(view.labels)
        self.labels.setVisible(bool(view.labels))
        self.cross_validate.setVisible(view.can_cross_validate)
        self.set_empty(view.empty)
        self.findings.set_problems(view.findings)
        self._title.setText(view.samples_title)
        is_other = view.indices != self._indices
        self._indices = view.indices
        if not _is_same(view.samples, self._shown):
            self._shown = view.samples
            row = -1 if is_other else self.gallery.selected_index()
            self._show_samples(view.samples)
            self.gallery.select(row)
        self.exclude.setVisible(view.samples is not None)
        self.exclude.setEnabled(view.can_exclude)
        self.relabel.setVisible(bool(view.relabel))
        self.relabel.setText(view.relabel)
        self.relabel.setEnabled(view.can_relabel)
        self.choose_class.setVisible(view.samples is not None and view.has_classes)
        self.choose_class.setEnabled(view.can_exclude)

    def choose_first(self) -> None:
        """Choose the first finding, the worst, unless one is chosen."""
        if self.findings.current_index() < 0:
            self.findings.select(0)

    def _show_samples(self, samples: Evidence | None) -> None:
        if samples is None:
            self._stack.setCurrentWidget(self._nothing)
        elif isinstance(samples, TableData):
            self.table.set_data(samples)
            self._stack.setCurrentWidget(self.table)
        else:
            self.gallery.set_images(samples)
            self._stack.setCurrentWidget(self.gallery)

    def _build_bar(self) -> QHBoxLayout:
        self.check = parts.button(
            self,
            "health.check",
            check_title(),
            icon="inspect",
            tip=translate(
                "Health",
                "Look at every sample: duplicates, leakage, wrong labels, damaged files, odd "
                "values. No file is changed.",
            ),
            clicked=self.start_requested,
        )
        self.cross_validate = parts.button(
            self,
            "health.cross_validate",
            translate("Health", "Cross-validate…"),
            tip=translate(
                "Health",
                "Train a run for each fold, so that every label can be compared with a model that "
                "has not seen it",
            ),
            clicked=self.cross_validation_requested,
        )
        self.summary = parts.label(
            self, "health.summary", translate("Health", "Checks passed"), role="muted", wraps=True
        )
        self.summary.setMinimumWidth(40)
        return parts.row(
            self.check,
            self.cross_validate,
            (self.summary, 1),
            margins=(12, 10, 12, 4),
            spacing=8,
        )

    def _build_samples(self) -> Iterator[None]:
        below = parts.named(QWidget(self._halves), "health.below", translate("Health", "Samples"))
        self._title = parts.label(
            below, "health.title", translate("Health", "Samples of the finding"), role="muted"
        )
        self._title.setContentsMargins(14, 6, 14, 2)
        self._stack = parts.named(
            QStackedWidget(below), "health.samples", translate("Health", "Samples")
        )
        head = self._build_acts(below)
        parts.column(head, (self._stack, 1), margins=(0, 0, 0, 0), spacing=0, parent=below)
        self._nothing = QWidget(self._stack)
        self._stack.addWidget(self._nothing)
        yield
        self.gallery = GalleryView("health.gallery", self._stack)
        self.gallery.setAccessibleName(translate("Health", "Samples as images"))
        self.gallery.zoom.setValue(_SIDE)
        self.gallery.list.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.gallery.list.selectionModel().selectionChanged.connect(self._on_pictures_selected)
        self._stack.addWidget(self.gallery)
        yield
        self.table = TableView("health.table", self._stack)
        self.table.setAccessibleName(translate("Health", "Samples as a table"))
        self.table.selection_changed.connect(
            lambda ids: self.selection_changed.emit([int(each) for each in ids])
        )
        self._stack.addWidget(self.table)
        yield

    def _build_acts(self, below: QWidget) -> QHBoxLayout:
        self.relabel = parts.button(
            below,
            "health.relabel",
            tip=translate(
                "Health", "Give the selected samples the class that was predicted; no file changes"
            ),
            clicked=self.relabel_requested,
        )
        self.choose_class = parts.button(
            below,
            "health.choose_class",
            translate("Samples", "Relabel…"),
            tip=translate("Health", "Give the selected samples another class; no file changes"),
            clicked=self.class_requested,
        )
        self.exclude = parts.button(
            below,
            "health.exclude",
            translate("Health", "Exclude"),
            tip=translate("Health", "Leave the selected samples out of all sets; no file changes"),
            clicked=self.exclude_requested,
        )
        return parts.row(
            (self._title, 1),
            self.relabel,
            self.choose_class,
            self.exclude,
            margins=(0, 4, 12, 4),
            spacing=8,
        )

    def _on_pictures_selected(self) -> None:
        rows = sorted(place.row() for place in self.gallery.list.selectedIndexes())
        self.selection_changed.emit([self._indices[row] for row in rows])


def _is_same(one: Evidence | None, other: Evidence | None) -> bool:
    """Return whether samples are shown already: pictures with other words are others."""
    if isinstance(one, tuple) and isinstance(other, tuple):
        texts = [[(each.label, each.sublabel) for each in images] for images in (one, other)]
        return texts[0] == texts[1]
    return one == other
