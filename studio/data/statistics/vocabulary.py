"""Controller of the vocabulary: the host counts tokens and looks through them."""

from engine.diagnostics import Diagnostic
from engine.query.data.request import ListVocabulary
from engine.spec.custom_code import data_code
from engine.spec.run import DataSpec
from engine.spec.vocabulary import VocabularyReport
from studio.data.statistics.page import VOCABULARY, StatisticsPage
from studio.data.statistics.presenter import present_vocabulary
from studio.services import Controller, Services
from widgets.common.throttle import Debounce


class VocabularyController(Controller):
    """Glue between the tab of the vocabulary and the host; it asks while the tab is in front."""

    def __init__(self, services: Services, page: StatisticsPage) -> None:
        super().__init__(services, page)
        self._page = page
        self._field = self._text = ""
        self._asked: tuple[object, ...] = ()
        self._asking = Debounce(150, self._ask, self)
        page.tab_changed.connect(lambda _: self._ask())
        page.shown.connect(self._ask)
        page.field_changed.connect(self._on_field_changed)
        page.text_changed.connect(self._on_text_changed)
        self._session.spec_changed.connect(self._asking.request)
        self._session.data_changed.connect(self._on_data_changed)
        self._show(None)

    def show(self) -> None:
        """Bring the vocabulary to the front, ready to be looked through."""
        self._page.show_tab(VOCABULARY)
        self._page.search.setFocus()

    def _on_field_changed(self, field: str) -> None:
        self._field = field
        self._ask()

    def _on_text_changed(self, text: str) -> None:
        self._text = text
        self._asking.request()

    def _on_data_changed(self) -> None:
        self._asked = ()
        self._asking.request()

    def _ask(self) -> None:
        """Ask for what is to be shown now, unless that is shown or on its way."""
        session = self._session
        is_seen = self._page.isVisible() and self._page.tab == VOCABULARY
        if session.project is None or not is_seen:
            return
        chosen = session.spec.data
        data = DataSpec(
            source=chosen.source, split=chosen.split, edits=chosen.edits, collate=chosen.collate
        )
        wanted = (data, self._field, self._text)
        if wanted == self._asked:
            return
        if self._asked[:1] != wanted[:1]:
            self._show(None)
        self._asked = wanted
        request = ListVocabulary(
            data=data,
            field=self._field,
            text=self._text,
            code=data_code(data, session.graph.code),
        )
        self._ask_host(request, self._show, self._fail, is_wanted=lambda: self._asked is wanted)

    def _fail(self, problems: tuple[Diagnostic, ...]) -> None:
        self._show(None, problems[0])

    def _show(self, report: VocabularyReport | None, problem: Diagnostic | None = None) -> None:
        self._page.set_vocabulary(present_vocabulary(report, problem, self._language()))
