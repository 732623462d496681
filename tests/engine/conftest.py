from pathlib import Path

import pytest

HERE = Path(__file__).parent
COMPUTING = {"codegen", "custom", "importer", "model", "reader", "shape"}


@pytest.fixture(scope="session")
def warm_torch() -> None:
    from engine.model.analysis import warm_up

    warm_up()


@pytest.fixture(autouse=True)
def _warm(request: pytest.FixtureRequest) -> None:
    """Pay for PyTorch's imports outside the time limits of single tests."""
    if request.path.relative_to(HERE).parts[0] in COMPUTING:
        request.getfixturevalue("warm_torch")
