"""One sample in full: its details beside the others, or its texts to read."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu

from engine.query.data.request import LookAtSample
from engine.spec.browse import SampleColumns, SampleDetails
from engine.spec.choice import Code
from engine.spec.run import DataSpec
from studio.data.samples.files import SampleFiles
from studio.data.samples.page import SamplesPage
from studio.data.samples.presenter import present_details
from studio.data.samples.reading import present_reading
from studio.data.samples.state import TEXT
from studio.i18n import translate
from studio.services import Controller, Services


@dataclass(frozen=True, kw_only=True)
class Listing:
    """What is listed: the columns of data, with the predictions of that name, in a form."""

    data: DataSpec
    columns: SampleColumns
    predictions: str
    code: Code
    form: str


class SampleLooking(Controller):
    """Glue between the current sample and the panels that show it; ``listing`` gives what is
    listed now, None while nothing is.
    """

    def __init__(
        self, services: Services, page: SamplesPage, listing: Callable[[], Listing | None]
    ) -> None:
        super().__init__(services, page)
        self._page = page
        self._listing = listing
        self._looked_at = -1  # the sample that is shown or waited for
        self._files = SampleFiles(services, page)  # of that sample
        page.browser.row_activated.connect(self.open)
        page.browser.current_changed.connect(self._follow)

    def open(self, position: int) -> None:
        """Show the details of a sample; a text that is read already gets the keys instead."""
        listing = self._listing()
        if listing is not None and listing.form == TEXT:
            self._page.reading.setFocus()
        else:
            self._look(position)

    def show_menu(self, position: QPoint, copy: Callable[[], object]) -> None:
        """Show the menu of the rows; ``copy`` puts those that are selected on the clipboard."""
        menu = QMenu(self._page)
        current = self._page.browser.current()
        details = menu.addAction(translate("Samples", "Show details"), lambda: self.open(current))
        details.setEnabled(current >= 0 and self._listing() is not None)
        copying = menu.addAction(translate("Samples", "Copy rows"), copy)
        copying.setEnabled(self._page.browser.selected_count() > 0 and self._listing() is not None)
        self._page.menu_filled.emit(menu, self._page.selection)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(position)

    def renew(self) -> None:
        """Read the current sample of those that are listed by now, the first where none is."""
        listing = self._listing()
        if listing is not None and listing.form == TEXT:
            self._page.details.hide()
            self._look(max(self._page.browser.current(), 0))

    def _follow(self, position: int) -> None:
        """Show the sample that is the current one, where one is shown."""
        listing = self._listing()
        is_read = listing is not None and listing.form == TEXT
        if is_read or self._page.details.isVisible():
            self._look(position)

    def _look(self, position: int) -> None:
        row, listing = self._page.browser.model.row(position), self._listing()
        if row is None or listing is None:
            return
        self._looked_at = row.id
        request = LookAtSample(
            data=listing.data,
            index=row.id,
            predictions=listing.predictions,
            code=dict(listing.code),
        )
        self._ask_host(
            request,
            lambda found: self._show(listing, found),
            self._notifications.report,
            is_wanted=lambda: row.id == self._looked_at and listing == self._listing(),
        )

    def _show(self, listing: Listing, found: SampleDetails) -> None:
        self._files.files = found.files
        if listing.form == TEXT:
            self._page.reading.set_view(present_reading(listing.columns, found, self._language()))
        else:
            self._page.show_details(present_details(listing.columns, found, self._language()))
