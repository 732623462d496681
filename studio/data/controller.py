"""Controller of the Data workspace: edits the choice of the data and tells what they are."""

from collections.abc import Callable, Iterator

from engine.diagnostics import Diagnostic
from studio.data.workspace import DataWorkspace
from studio.services import Controller, Services
from studio.view.data import present_facts
from studio.view.fit import present_fit
from studio.view.reading import present_reading
from studio.view.recipe import present_data_form
from widgets.common.throttle import SeenThrottle
from widgets.forms.view_model import FormView


class DataController(Controller):
    """Glue between the choice of the data and the session."""

    def __init__(
        self,
        services: Services,
        workspace: DataWorkspace,
        *,
        show_problem: Callable[[Diagnostic], object],
        repair: Callable[[Diagnostic], object],
        suggest_workers: Callable[[], object],
        choose_columns: Callable[[], object],
    ) -> None:
        super().__init__(services, workspace)
        self._workspace = workspace
        self._editor = services.editor
        self._locator = services.locator
        self._suggest_workers = suggest_workers
        self._choose_columns = choose_columns
        self._form = SeenThrottle(50, self._paint_form, workspace)
        workspace.form.value_changed.connect(services.editor.set)
        workspace.form.reset_requested.connect(services.editor.reset)
        workspace.form.browse_requested.connect(self._browse)
        workspace.form.field_focused.connect(lambda _name: self._session.seal())
        workspace.fit.fix_requested.connect(repair)
        workspace.fit.place_requested.connect(show_problem)
        workspace.fit.locate_requested.connect(services.locator.locate)
        workspace.fit.again_requested.connect(services.analyst.ask_again)
        self._reading = services.reading
        self._reading.changed.connect(self._show_reading)
        workspace.reading.cancel_requested.connect(self._reading.give_up)
        self._session.spec_changed.connect(self._form.request)
        self._session.analysis_changed.connect(self._form.request)
        self._session.data_changed.connect(self._on_data_changed)

    def begin(self) -> Iterator[None]:
        """Show everything for the first time, in short steps."""
        yield from self._workspace.form.build_rows(self._form_view())
        self._paint_form()
        self._show_reading()
        yield
        self._on_data_changed()

    def _show_reading(self) -> None:
        progress = self._reading.now()
        self._workspace.set_reading(None if progress is None else present_reading(progress))

    def _on_data_changed(self) -> None:
        info = self._session.findings.data
        self._workspace.set_facts(() if info is None else present_facts(info))

    def _paint_form(self) -> None:
        session = self._session
        self._workspace.form.set_view(self._form_view())
        self._workspace.fit.set_view(
            present_fit(session.findings, session.graph, session.spec, self._language())
        )

    def _form_view(self) -> FormView:
        return present_data_form(self._editor.recipe())

    def _browse(self, name: str) -> None:
        """Let the user choose the file or folder of a field, or help with its number."""
        if name == "data.loader.num_workers":
            self._suggest_workers()
        elif name == "data.source.kinds":
            self._choose_columns()
        else:
            self._locator.browse(name)
