"""Controller of the Data workspace: edits the choice of data and asks for samples."""

import math
from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QFileDialog

from engine.catalog.spec import FOLDER
from engine.diagnostics import Diagnostic, sentence
from engine.query.data.request import PreviewData
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.fields import field_param, get_value
from engine.spec.run import DataSpec
from studio.data.page import DataWorkspace
from studio.i18n import translate
from studio.services import Controller, Services
from studio.view.data import (
    colours_text,
    present_balance,
    present_facts,
    present_images,
    present_points,
    present_rows,
)
from studio.view.fit import present_fit
from studio.view.recipe import present_data_form
from widgets.common.throttle import Debounce, SeenThrottle
from widgets.forms.view_model import FormView

_SAMPLES, _LEAST_SAMPLES = 240, 12
_MOST_NUMBERS = 3_000_000  # of the samples that are shown


class DataController(Controller):
    """Glue between the Data workspace and the session."""

    def __init__(
        self,
        services: Services,
        page: DataWorkspace,
        *,
        show_problem: Callable[[Diagnostic], object],
        repair: Callable[[Diagnostic], object],
    ) -> None:
        super().__init__(services, page)
        self._page = page
        self._editor = services.editor
        self._shown: tuple[DataSpec, str] | None = None
        self._asked = 0
        self._form = SeenThrottle(50, self._paint_form, page)
        self._preview = Debounce(200, self._ask, self)
        page.form.value_changed.connect(services.editor.set)
        page.form.reset_requested.connect(services.editor.reset)
        page.form.browse_requested.connect(self._browse)
        page.form.field_focused.connect(lambda _name: self._session.seal())
        page.fit.fix_requested.connect(repair)
        page.fit.place_requested.connect(show_problem)
        page.part_changed.connect(lambda _part: self._preview.request())
        self._session.spec_changed.connect(self._on_spec_changed)
        self._session.analysis_changed.connect(self._form.request)
        self._session.data_changed.connect(self._on_data_changed)

    def begin(self) -> Iterator[None]:
        """Show everything for the first time, in short steps."""
        yield from self._page.form.build_rows(self._form_view())
        self._paint_form()
        yield
        self._on_data_changed()

    def _on_spec_changed(self) -> None:
        self._form.request()
        self._preview.request()

    def _on_data_changed(self) -> None:
        info = self._session.findings.data
        if info is not None:
            self._page.set_facts(present_facts(info))
            self._page.balance.set_view(present_balance(info))
        self._preview.request()

    def _paint_form(self) -> None:
        session = self._session
        self._page.form.set_view(self._form_view())
        self._page.fit.set_view(
            present_fit(session.findings, session.graph, session.spec, self._language())
        )

    def _form_view(self) -> FormView:
        return present_data_form(self._editor.recipe())

    def _browse(self, name: str) -> None:
        """Let the user choose the file or folder of a field."""
        session = self._session
        param = field_param(session.spec, name, session.graph.code)
        before = str(get_value(session.spec, name, session.graph.code) or "")
        if FOLDER in param.choices:
            title = translate("Data", "Folder with the data")
            chosen = QFileDialog.getExistingDirectory(self._page, title, before)
        else:
            title = translate("Data", "File with the data")
            chosen, _ = QFileDialog.getOpenFileName(self._page, title, before)
        if chosen:
            self._editor.set(name, chosen)

    def _ask(self) -> None:
        session = self._session
        wanted = (session.spec.data, self._page.part)
        if session.project is None or wanted == self._shown:
            return
        self._asked += 1
        number = self._asked
        data, part = wanted
        count = _count(session.findings.data)
        request = PreviewData(data=data, split=part, count=count)  # type: ignore[arg-type]
        self._ask_host(
            request,
            lambda preview: self._on_preview(wanted, preview),
            lambda problems: self._on_failed(wanted, problems),
            is_wanted=lambda: number == self._asked,
        )

    def _on_failed(self, wanted: tuple[DataSpec, str], problems: tuple[Diagnostic, ...]) -> None:
        self._shown = wanted
        self._page.show_problem(sentence(problems[0], self._language()))

    def _on_preview(self, wanted: tuple[DataSpec, str], preview: PreviewInfo) -> None:
        info = self._session.findings.data
        if info is None or info.source != wanted[0].source.type:
            return  # its description comes next, and asks again
        self._shown = wanted
        images = present_images(info, preview)
        points = present_points(info, preview)
        if images:
            self._page.show_images(images)
        elif points is not None:
            self._page.show_points(points, colours_text(points))
        else:
            self._page.show_rows(present_rows(info, preview))


def _count(info: DataInfo | None) -> int:
    """Return how many samples to show: of large pictures fewer."""
    size = sum(math.prod(field.shape) for field in info.fields) if info is not None else 1
    return min(_SAMPLES, max(_MOST_NUMBERS // max(size, 1), _LEAST_SAMPLES))
