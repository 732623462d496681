"""What tests of widgets share."""

import pytest
from PySide6.QtWidgets import QApplication


@pytest.fixture(autouse=True, scope="session")
def _application(qapp: QApplication) -> None:
    """Have an application in every test: Qt ends a process that draws text without one."""
