"""Lab sessions in the process of the tests: what code sets for the whole process goes with them."""

from collections.abc import Iterator

import pytest

from engine.query.lab.statement import new_namespace


@pytest.fixture(autouse=True)
def _default_settings() -> Iterator[None]:
    """Give PyTorch its defaults back, as the next session would."""
    yield
    new_namespace()
