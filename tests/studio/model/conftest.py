import pytest


@pytest.fixture
def opened(checked):
    """Return the program with a project open; of its pages only that of the model is built."""
    return checked
