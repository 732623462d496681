import pytest

from engine.model.analysis import warm_up
from tests.studio.conftest import (
    bare_look,
    built,
    handed_over,
    host,
    no_background,
    opened,
    project_path,
    studio,
)

__all__ = [
    "bare_look",
    "built",
    "handed_over",
    "host",
    "no_background",
    "opened",
    "project_path",
    "studio",
]


@pytest.fixture(autouse=True, scope="session")
def _warm() -> None:
    """Pay for PyTorch's imports outside the time limits of single tests."""
    warm_up()
