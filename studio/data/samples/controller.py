"""Controller of the Samples page: asks for the rows and pictures that are looked at."""

from collections.abc import Callable, Sequence

import numpy as np
from msgspec.structs import replace
from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QApplication
from typing_extensions import override

from engine.diagnostics import Diagnostic
from engine.query.data.request import (
    BrowseSamples,
    ListColumns,
    ListValues,
    PeekSamples,
    PickSamples,
    TakePictures,
)
from engine.spec.browse import (
    EDIT,
    INDEX,
    PART,
    TAGS,
    Condition,
    PictureSheet,
    SampleColumns,
    SampleIndices,
    SampleQuery,
    SampleRow,
    SampleWindow,
    is_of_run,
)
from engine.spec.custom_code import data_code
from engine.spec.run import Choice, DataSpec
from studio.data.samples.looking import Listing, SampleLooking
from studio.data.samples.page import SamplesPage
from studio.data.samples.presenter import (
    as_text,
    present_columns,
    present_pictures,
    present_plane,
    present_rows,
    present_values,
    sortable_keys,
)
from studio.data.samples.state import (
    EDITED,
    GALLERY,
    POINTS,
    SamplesState,
    condition_of,
    forms_of,
    present_samples,
)
from studio.data.samples.way_out import WayOut
from studio.services import PageController, Services
from studio.view.data import colours_text
from studio.view.problem import lost_path
from widgets.common.throttle import Debounce, SeenThrottle
from widgets.paged.browser import ViewPosition
from widgets.paged.filter_view import FilterValue
from widgets.paged.model import PAGE

_FIRST = 2 * PAGE
_POINTS = 1000
_PICTURES = 24  # at a time, so that what is scrolled to meanwhile does not wait long
_SIDES = (128, 256)  # pixels of a picture that is asked for
_SLOW_MS = 400
_COPIED = 1000  # rows


class SamplesController(PageController[SamplesPage, SamplesState]):
    """Glue between the Samples page and the session.

    At most one window of rows and one sheet of pictures are on their way: when they come, those
    that are in view by then are asked for. ``predictions_lost`` says that the host has the
    predictions no more that it was to list; ``parts_listed`` gives the parts of the run in which
    samples are listed, and the edges of the intervals that are counted in them, both empty for the
    next run.
    """

    predictions_lost = Signal()
    parts_listed = Signal(tuple, tuple)

    def __init__(self, services: Services, page: SamplesPage, way_out: WayOut) -> None:
        super().__init__(services, page, SamplesState())
        self._way_out = way_out
        self._data: DataSpec | None = None  # whose columns are shown
        self._predictions = self._listed_predictions = ""  # the names of those wanted and shown
        self._asked: tuple[DataSpec, str, SampleQuery, bool] | None = None
        self._code: dict[str, str] = {}  # that the data are of
        self._number = 0  # of the listing that is waited for or shown
        self._is_bringing = self._is_picturing = False
        self._left: tuple[ViewPosition, int | None] | None = None  # to go back to after an edit
        self._kind = ""  # of source whose columns were shown last
        self._source: Choice | None = None  # whose samples are shown, the first rows too
        self._project = self._session.project
        self._side = _SIDES[0]
        self._looking = SampleLooking(services, page, self._listing)
        self._slow = QTimer(self, singleShot=True, interval=_SLOW_MS)
        self._slow.timeout.connect(lambda: self._change(is_slow=True))
        self._seen = SeenThrottle(0, self._ask, page)
        self._asking = Debounce(150, self._seen.request, self)
        self._selecting = Debounce(50, self._resolve_selection, self)
        self._connect(page)
        self._session.spec_changed.connect(self._on_spec_changed)
        self._session.analysis_changed.connect(self._on_code_checked)
        self._session.data_changed.connect(self._on_data_changed)
        self._on_data_changed()
        self._present()

    def _connect(self, page: SamplesPage) -> None:
        page.form_changed.connect(self._on_form_changed)
        page.part_changed.connect(lambda part: self._list(part=part))
        page.sort_changed.connect(self._sort)
        page.search_changed.connect(self._on_search_changed)
        page.start_requested.connect(self._end_emptiness)
        page.values_requested.connect(self._ask_values)
        page.condition_added.connect(self._add_condition)
        page.condition_removed.connect(self._remove_condition)
        page.conditions_cleared.connect(lambda: self._list(conditions=()))
        page.menu_requested.connect(lambda place: self._looking.show_menu(place, self._copy))
        page.edits.show_requested.connect(self._show_edited)
        browser = page.browser
        browser.wanted.connect(self._bring)
        browser.sort_requested.connect(self._sort)
        browser.selection_changed.connect(self._on_selection_changed)
        browser.copy_requested.connect(self._copy)
        browser.zoom.valueChanged.connect(self._on_zoomed)

    def _end_emptiness(self) -> None:
        """Do what the page offers while it shows no sample."""
        if self._state.problem is None:
            self._list(search="", conditions=())
        else:
            self._way_out.take(self._state, self._asking.request)

    @override
    def _present(self) -> None:
        self._page.set_view(present_samples(self._state, self._language()))

    def _on_spec_changed(self) -> None:
        """Take the samples of other data away at once: nothing can be done with them any more."""
        if self._source not in (None, self._session.spec.data.source):
            self._take_away()
        self._asking.request()

    def _take_away(self) -> None:
        is_other_project = self._project is not self._session.project
        self._project = self._session.project
        self._source = self._data = self._asked = None
        self._listed_predictions = ""
        self._number += 1
        if is_other_project:
            self._take(search="", conditions=(), part="all")
        self.parts_listed.emit((), ())
        self._page.set_selection(())
        self._page.details.hide()
        self._change(listed=None, total=None, is_head=False, selected=0, problem=None)
        self._page.browser.set_columns((), frozenset())
        self._page.browser.set_rows(0, 0, ())

    def _on_data_changed(self) -> None:
        self._on_code_checked()
        self._asking.request()

    def _on_code_checked(self) -> None:
        """List samples anew when the class that has them is another, and the host knows it."""
        code = data_code(self._session.spec.data, self._session.graph.code)
        if code != self._code and self._session.findings.is_checked:
            self._code = code
            self._data = self._asked = None
            self._asking.request()

    @property
    def predictions(self) -> str:
        """The name of the predictions that are listed with the samples; empty for none."""
        return self._listed_predictions

    def set_predictions(self, key: str) -> None:
        """List what a trained model says about the samples, empty for nothing."""
        self._predictions = key
        self._asking.request()

    def list_only(self, indices: Sequence[int]) -> None:
        """List these samples of the source and no others."""
        condition = Condition(column=INDEX, kind="is", values=tuple(map(str, indices)))
        self._list(part="all", search="", conditions=(condition,))

    def _list(self, **changes: object) -> None:
        """List other samples, or in another order."""
        self._update(**changes)
        self._seen.request()

    def _show_edited(self, is_alone: bool) -> None:
        """List the edited samples alone, or all again."""
        others = tuple(each for each in self._state.conditions if each != EDITED)
        self._list(conditions=(*others, EDITED) if is_alone else others)

    def _sort(self, key: str, is_descending: bool) -> None:
        is_descending = is_descending and bool(key)
        self._list(
            sort="" if key == INDEX and not is_descending else key, is_descending=is_descending
        )

    def _on_search_changed(self, text: str) -> None:
        self._take(search=text)
        self._asking.request()

    def _ask_values(self, key: str) -> None:
        """Offer what comes up in a column, with the number of samples."""
        if self._data is None:
            return
        request = ListValues(
            data=self._data,
            column=key,
            query=self._state.query(),
            predictions=self._listed_predictions,
            code=self._code,
        )
        self._ask_host(
            request,
            lambda values: self._page.filter.set_values(key, present_values(key, values)),
            self._notifications.report,
        )

    def _add_condition(self, value: FilterValue) -> None:
        condition = condition_of(value)
        others = tuple(each for each in self._state.conditions if each != condition)
        self._list(conditions=(*others, condition))

    def _remove_condition(self, at: int) -> None:
        conditions = list(self._state.conditions)
        del conditions[at : at + 1]
        self._list(conditions=tuple(conditions))

    def _on_form_changed(self, form: str) -> None:
        self._list(form=form)
        self._bring()
        self._looking.renew()

    def _ask(self) -> None:
        """Ask for what is to be shown now, unless that is shown or on its way."""
        session = self._session
        if session.project is None:
            return
        chosen = session.spec.data
        data = DataSpec(source=chosen.source, split=chosen.split, edits=chosen.edits)
        is_custom = bool(data_code(data, session.graph.code))
        if is_custom and not self._code:
            return  # listed when the host has checked the class
        self._code = self._code if is_custom else {}
        is_plane = self._state.form == POINTS
        wanted = (data, self._predictions, self._state.query(), is_plane)
        if wanted == self._asked:
            return
        self._asked = wanted
        self._left = self._position() if self._are_same_samples(data) else None
        self._number += 1
        self._is_bringing = self._is_picturing = True
        self._slow.start()
        if data == self._data and self._predictions == self._listed_predictions:
            self._ask_rows(data)
            return
        if self._data is None or self._data.source != data.source:
            self._peek(data)
        key = self._predictions
        self._ask_listing(
            ListColumns(data=data, predictions=key, code=self._code),
            lambda listed: self._on_columns(data, key, listed),
        )

    def _peek(self, data: DataSpec) -> None:
        """Ask for what can be shown before all samples are read."""
        number = self._number
        self._ask_host(
            PeekSamples(source=data.source),
            lambda head: None if head.columns is None else self._on_head(head.columns, head.rows),
            lambda _: None,  # what is wrong is told when all is read
            is_wanted=lambda: number == self._number and self._data != data,
        )

    def _on_head(self, listed: SampleColumns, rows: tuple[SampleRow, ...]) -> None:
        """Show the first rows, which nothing can be done with yet but to look at them."""
        self._data, self._source = None, self._session.spec.data.source
        self._page.set_selection(())
        self._change(listed=listed, total=len(rows), is_head=True, problem=None)
        browser = self._page.browser
        browser.set_columns(present_columns(listed), frozenset())
        browser.set_rows(len(rows), 0, present_rows(listed, rows))

    def _are_same_samples(self, data: DataSpec) -> bool:
        """Return whether these are the samples that are shown, with other edits or predictions."""
        shown = self._data
        if shown is None or replace(shown, edits=data.edits) != data:
            return False
        return shown != data or self._predictions != self._listed_predictions

    def _position(self) -> tuple[ViewPosition, int | None]:
        return self._page.browser.position(), self._state.total

    def _keeps_order(self, listed: SampleColumns) -> bool:
        """Return whether an edit, or other predictions, leave each sample where it is."""
        sort = next((each for each in listed.columns if each.key == self._state.sort), None)
        changing = (EDIT, TAGS, PART)
        return sort is None or not (
            sort.role == "target" or sort.key in changing or is_of_run(sort.key)
        )

    def _ask_listing(self, request: object, then: Callable[..., object]) -> None:
        number = self._number
        self._ask_host(
            request,  # pyright: ignore[reportArgumentType]
            then,
            self._on_failed,
            is_wanted=lambda: number == self._number,
        )

    def _on_columns(self, data: DataSpec, predictions: str, listed: SampleColumns) -> None:
        """Take over other columns; order and conditions stay where they still have theirs."""
        before, self._data = self._data, data
        kind, self._kind = self._kind, data.source.type
        self._source = data.source
        self._listed_predictions = predictions
        self.parts_listed.emit(listed.parts, listed.value_edges)
        listed = replace(listed, parts=(), value_edges=())  # what edits change is told already
        self._take(is_head=False)
        state = self._state
        if listed == state.listed:  # after an edit: pictures and widths of columns stay
            self._ask_rows(data)
            return
        keys = sortable_keys(listed)
        forms = forms_of(listed)
        is_same_kind = kind in ("", data.source.type)
        self._take(
            listed=listed,
            total=None,
            form=state.form if is_same_kind and state.form in forms else forms[0],
            sort=state.sort if state.sort in keys else "",
            conditions=tuple(each for each in state.conditions if each.column in keys),
        )
        is_same = before == data
        self._page.browser.set_columns(present_columns(listed), keys, keeps_pictures=is_same)
        if not is_same:
            self._page.details.hide()
        self._asked = (data, predictions, self._state.query(), self._state.form == POINTS)
        self._ask_rows(data)

    def _ask_rows(self, data: DataSpec) -> None:
        count = _POINTS if self._state.form == POINTS else _FIRST
        self._ask_listing(self._window_of(data, 0, count), self._on_rows)

    def _window_of(self, data: DataSpec, start: int, count: int) -> BrowseSamples:
        return BrowseSamples(
            data=data,
            query=self._state.query(),
            start=start,
            count=count,
            predictions=self._listed_predictions,
            code=self._code,
        )

    def _on_failed(self, problems: tuple[Diagnostic, ...]) -> None:
        self._slow.stop()
        self._data = self._asked = None
        if problems[0].code == "D280":
            self._predictions = ""
            self.predictions_lost.emit()
            self._asking.request()
            return
        self._page.set_selection(())
        lost = lost_path(problems[0], self._session.spec, self._session.graph)
        self._take(listed=None, total=None, is_slow=False, is_head=False, selected=0)
        self._change(problem=problems[0], lost=lost)

    def _on_rows(self, window: SampleWindow) -> None:
        """Show the first rows of another listing."""
        listed = self._state.listed
        assert listed is not None
        self._slow.stop()
        is_new = self._state.total is None
        self._is_bringing = self._is_picturing = False
        self._change(total=window.total, problem=None, is_slow=False)
        rows = present_rows(listed, window.rows)
        self._page.browser.set_rows(window.total, window.start, rows, is_new=is_new)
        left, self._left = self._left, None
        if left is not None:
            position, total = left
            is_same = total == window.total and self._keeps_order(listed)
            self._page.browser.restore(
                position if is_same else position._replace(ranges=(), current=-1)
            )
        self._show_points(listed, window.rows)
        self._looking.renew()
        self._bring()

    def _show_points(self, listed: SampleColumns, rows: tuple[SampleRow, ...]) -> None:
        if self._state.form != POINTS:
            return
        info = self._session.findings.data
        targets = () if info is None else [field for field in info.fields if field.classes]
        points = present_plane(listed, rows, targets[0].classes if targets else ())
        if points is not None:
            self._page.show_points(points, colours_text(points))

    def _bring(self) -> None:
        """Ask for rows and pictures in view that are missing."""
        if self._data is None or self._state.total is None:
            return
        model = self._page.browser.model
        wanted = None if self._is_bringing else model.wanted_rows()
        if wanted is not None:
            self._is_bringing = True
            self._ask_listing(self._window_of(self._data, *wanted), self._on_window)
        if self._state.form == GALLERY and not self._is_picturing:
            ids = model.wanted_pictures(_PICTURES)
            if ids:
                self._is_picturing = True
                self._ask_listing(
                    TakePictures(data=self._data, indices=ids, side=self._side, code=self._code),
                    self._on_pictures,
                )

    def _on_window(self, window: SampleWindow) -> None:
        listed = self._state.listed
        assert listed is not None
        self._is_bringing = False
        self._page.browser.put(window.start, present_rows(listed, window.rows))
        self._bring()

    def _on_pictures(self, sheet: PictureSheet) -> None:
        self._is_picturing = False
        self._page.browser.put_pictures(*present_pictures(sheet.samples, self._language()))
        self._bring()

    def _on_zoomed(self, side: int) -> None:
        wanted = _SIDES[side > _SIDES[0]]
        if wanted != self._side:
            self._side = wanted
            self._page.browser.model.forget_pictures()

    def _on_selection_changed(self) -> None:
        if self._state.is_head:
            return  # a row of the file need not be the sample of that number
        self._update(selected=self._page.browser.selected_count())
        self._selecting.request()

    def _resolve_selection(self) -> None:
        """Tell which samples are selected; those that are not there are asked for."""
        browser = self._page.browser
        ranges = browser.selected_ranges()
        few = browser.selected_count() <= PAGE
        rows = [browser.model.row(at) for span in ranges for at in range(*span)] if few else [None]
        if all(row is not None for row in rows):
            self._page.set_selection(tuple(row.id for row in rows if row is not None))
        elif self._data is not None:
            request = PickSamples(
                data=self._data,
                query=self._state.query(),
                ranges=ranges,
                predictions=self._listed_predictions,
                code=self._code,
            )
            self._ask_listing(request, lambda picked: self._on_picked(ranges, picked))

    def _on_picked(self, ranges: object, picked: SampleIndices) -> None:
        if ranges == self._page.browser.selected_ranges():
            self._page.set_selection(tuple(np.frombuffer(picked.content, "<i8").tolist()))

    def _listing(self) -> Listing | None:
        """Return what is listed, None while nothing is."""
        state = self._state
        if self._data is None or state.listed is None:
            return None
        return Listing(
            data=self._data,
            columns=state.listed,
            predictions=self._listed_predictions,
            code=self._code,
            form=state.form,
        )

    def _copy(self) -> None:
        """Put the selected rows on the clipboard, the first thousand of them."""
        ranges = self._page.browser.selected_ranges()
        if self._data is None or self._state.listed is None or not ranges:
            return
        listed, (start, end) = self._state.listed, (ranges[0][0], ranges[-1][1])
        request = self._window_of(self._data, start, min(end - start, _COPIED))

        def put(window: SampleWindow) -> None:
            chosen = [
                row
                for at, row in enumerate(window.rows, window.start)
                if any(first <= at < last for first, last in ranges)
            ]
            QApplication.clipboard().setText(as_text(listed, chosen))

        self._ask_listing(request, put)
