"""Controller of the edits of the selected samples, beside their files and with undo."""

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from engine.query.data.request import NameSamples
from engine.spec.browse import SampleNames
from engine.spec.custom_code import data_code
from engine.spec.data_edits import MOST_TAGS, NO_EDIT, PartName
from studio.data.samples.edit_bar import EditBar
from studio.data.samples.edit_dialog import RelabelDialog, TagDialog
from studio.data.samples.page import SamplesPage
from studio.i18n import filled, translate
from studio.services import Controller, Services
from studio.session.data_editor import DataEditor
from studio.view.data import label_classes

_MOST = 100_000
_Names = tuple[str, ...]


class SampleEditing(Controller):
    """Glue between the buttons below the samples and the edits of the project. ``selected`` says
    that other samples are selected.
    """

    selected = Signal()

    def __init__(self, services: Services, page: SamplesPage) -> None:
        super().__init__(services, page)
        self._page = page
        self._editor = DataEditor(services.session)
        self._bar = EditBar(page)
        page.acts.addWidget(self._bar)
        self._bar.exclude_requested.connect(self.exclude)
        self._bar.include_requested.connect(self.include)
        self._bar.relabel_requested.connect(self.relabel)
        self._bar.move_requested.connect(self.move)
        self._bar.tag_requested.connect(self.tag)
        page.edits.reset_requested.connect(self._editor.reset)
        page.menu_filled.connect(self._fill_menu)
        page.samples_selected.connect(lambda _: self.selected.emit())
        self._session.spec_changed.connect(self._present)
        self._session.data_changed.connect(self._present)
        self._present()

    @property
    def selection(self) -> tuple[int, ...]:
        """The selected samples, by their indices in the source."""
        return self._page.selection

    def exclude(self) -> None:
        """Leave the selected samples out of all parts."""
        self._with_names(self._editor.exclude)

    def include(self) -> None:
        """Bring the selected samples back."""
        self._with_names(self._editor.include)

    def move(self, part: PartName) -> None:
        """Put the selected samples into a part, empty for that of the split."""
        self._with_names(lambda names: self._editor.move(names, part))

    def relabel(self) -> None:
        """Ask for a class, and give it to the selected samples."""
        classes = self._classes()
        if not classes:
            text = translate("Samples", "The samples of this data have no class.")
            self._notifications.tell(text, "hint")
            return

        def ask(named: SampleNames) -> None:
            names, own = named.names, dict(zip(named.names, named.labels, strict=False))
            dialog = RelabelDialog(self._window, count=len(names), classes=classes)
            dialog.chosen.connect(lambda label: self._editor.relabel(names, label, own))
            dialog.open()

        self._with_named(ask)

    def tag(self) -> None:
        """Ask for a tag, and put it on the selected samples or take it away."""

        def ask(names: _Names) -> None:
            title = translate("Samples", "Tag {count} {count|sample|samples}")
            dialog = TagDialog(
                self._window,
                title=filled(title, count=len(names)),
                tags=self._editor.edits.tags,
            )
            dialog.chosen.connect(lambda tag, is_set: self._tag(names, tag, is_set=is_set))
            dialog.open()

        self._with_names(ask)

    def _tag(self, names: _Names, tag: str, *, is_set: bool) -> None:
        samples = self._editor.edits.samples
        if is_set and any(len(samples.get(name, NO_EDIT).tags) >= MOST_TAGS for name in names):
            text = translate("Samples", "A sample can have at most {count} tags.")
            self._notifications.tell(text.format(count=MOST_TAGS), "warning")
            return
        self._editor.tag(names, tag, is_set=is_set)

    def _with_names(self, act: Callable[[_Names], object]) -> None:
        """Do something with the names of the selected samples."""
        self._with_named(lambda named: act(named.names))

    def _with_named(self, act: Callable[[SampleNames], object]) -> None:
        """Do something with what the host knows of the selected samples."""
        indices, data = self._page.selection, self._session.spec.data
        if not indices:
            return
        if len(indices) > _MOST:
            text = translate("Samples", "At most {count} samples can be edited at once.")
            self._notifications.tell(text.format(count=f"{_MOST:,}"), "warning")
            return

        def take(named: SampleNames) -> None:
            if named.names:
                act(named)

        self._ask_host(
            NameSamples(data=data, indices=indices, code=data_code(data, self._session.graph.code)),
            take,
            self._notifications.report,
            is_wanted=lambda: self._session.spec.data is data,
        )

    def _fill_menu(self, menu: QMenu, indices: tuple[int, ...]) -> None:
        if indices:
            self._bar.fill_menu(menu)

    def _classes(self) -> tuple[str, ...]:
        return label_classes(self._session.findings.data)

    def _present(self) -> None:
        edits = self._editor.edits
        every = self._session.spec.data.edits
        self._bar.set_choices(
            can_include=any(edit.excluded for edit in edits.samples.values()),
            can_relabel=bool(self._classes()),
        )
        self._page.edits.set_counts(len(edits), len(every) - len(edits))
