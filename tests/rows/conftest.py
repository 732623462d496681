import pytest

from engine.runtime import warm_up


@pytest.fixture(autouse=True, scope="session")
def _warm() -> None:
    """Pay for PyTorch's imports outside the time limits of single tests."""
    warm_up()
