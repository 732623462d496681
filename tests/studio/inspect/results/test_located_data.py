"""Results of a run whose data were not where they had been; the host is played."""

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.query.results.request import Examine
from engine.runs.folder import runs_of
from studio.inspect.results.page import ResultsPage
from tests.studio.inspect.results.test_results import ResultHost, begin, front


@pytest.fixture
def host() -> ResultHost:
    return ResultHost()


def test_that_a_run_whose_data_were_located_is_examined_again(opened, host, qtbot):
    begin(opened, qtbot)
    results = front(opened, "results", ResultsPage)
    qtbot.waitUntil(results.matrix.isVisible)
    host.own[Examine] = DiagnosticError(Diagnostic(code="D020", params={"file": "gone.csv"}))
    qtbot.mouseClick(results.examine, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(results.empty.isVisible)
    del host.own[Examine]
    opened.services.runs.tell_runs_changed()  # nothing that matters here
    (run,) = runs_of(opened.session.project.path)
    spec = run.document.spec
    source = replace(spec.data.source, params={**spec.data.source.params, "size": 9})
    run.with_spec(replace(spec, data=replace(spec.data, source=source)))
    opened.services.runs.tell_runs_changed()
    qtbot.waitUntil(results.matrix.isVisible)
