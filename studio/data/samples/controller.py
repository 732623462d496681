"""Controller of the Samples page: asks for samples of the chosen data."""

import math

from engine.diagnostics import Diagnostic, sentence
from engine.query.data.request import PreviewData
from engine.spec.data import DataInfo, PreviewInfo
from engine.spec.run import DataSpec
from studio.data.samples.page import SamplesPage
from studio.services import Controller, Services
from studio.view.data import (
    colours_text,
    present_balance,
    present_images,
    present_points,
    present_rows,
)
from widgets.common.throttle import Debounce

_SAMPLES, _LEAST_SAMPLES = 240, 12
_MOST_NUMBERS = 3_000_000  # of the samples that are shown


class SamplesController(Controller):
    """Glue between the Samples page and the session."""

    def __init__(self, services: Services, page: SamplesPage) -> None:
        super().__init__(services, page)
        self._page = page
        self._shown: tuple[DataSpec, str] | None = None
        self._asked = 0
        self._preview = Debounce(200, self._ask, self)
        page.part_changed.connect(lambda _part: self._preview.request())
        self._session.spec_changed.connect(self._preview.request)
        self._session.data_changed.connect(self._on_data_changed)
        self._on_data_changed()

    def _on_data_changed(self) -> None:
        info = self._session.findings.data
        if info is not None:
            self._page.balance.set_view(present_balance(info))
        self._preview.request()

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
