"""A context hands out the parts of the window by their class."""

import pytest
from PySide6.QtCore import QObject, QTimer

from studio.command.context import Context

pytestmark = pytest.mark.usefixtures("qapp")


class Tool(QObject):
    pass


def test_that_a_part_that_no_feature_has_added_is_named():
    with pytest.raises(LookupError, match="no Tool"):
        Context(QObject())[Tool]


def test_that_parts_go_with_the_contents_and_services_stay(qtbot):
    owner = QObject()
    service, told = QTimer(owner), []
    context = Context(owner, service)
    tool = context.add(Tool(owner))
    tool.destroyed.connect(lambda: told.append("tool"))
    service.destroyed.connect(lambda: told.append("service"))
    context.closing.connect(lambda: told.append("closing"))
    assert context[Tool] is tool
    assert context[QTimer] is service
    context.dispose()
    qtbot.waitUntil(lambda: "tool" in told)
    assert told == ["closing", "tool"]
