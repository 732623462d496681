"""Pages of Inspect with an event of a run that changes nothing on them."""

import pytest

from studio.inspect.debugger.page import DebuggerPage
from studio.inspect.graph.page import GraphPage
from studio.inspect.layers.page import LayersPage
from studio.inspect.memory.page import MemoryPage
from studio.inspect.profile.page import ProfilePage
from studio.inspect.tensors.page import TensorsPage
from tests.studio.inspect.results.test_results import begin, front


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("graph", GraphPage),
        ("layers", LayersPage),
        ("tensors", TensorsPage),
        ("debugger", DebuggerPage),
        ("memory", MemoryPage),
        ("profile", ProfilePage),
    ],
)
def test_that_an_event_that_changes_nothing_presents_nothing(
    opened, qtbot, monkeypatch, name, kind
):
    page = front(opened, name, kind)
    begin(opened, qtbot)
    opened.session.run_changed.emit()
    shown = []
    monkeypatch.setattr(page, "set_view", shown.append)
    opened.session.run_changed.emit()
    assert not shown
