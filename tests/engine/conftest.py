import gc
import signal
from collections.abc import Iterator
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


@pytest.fixture
def no_child_handler(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Keep PyTorch from raising in the main thread that a worker of a loader was killed: that may
    come late, when the test is over, and where a run is on another thread it is not the run's.
    """
    from torch.utils.data._utils import signal_handling

    monkeypatch.setattr(signal_handling, "_SIGCHLD_handler_set", True)
    before = signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGCHLD, before)


@pytest.fixture(scope="module")
def quick_collections() -> None:
    """Leave what this process has loaded so far out of collections: runs that give memory back
    look through all objects there are, and those of the tests before are millions. What nobody
    holds any more goes first: contexts among it would stay open.
    """
    gc.collect()
    gc.freeze()
