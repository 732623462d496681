from pathlib import Path

import msgspec
import pytest

from engine.project import Project
from engine.runtime import RunHandle, start_run
from tests.tiny_run import PATIENCE_S


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunHandle:
    """Return a finished run of two epochs on scaled data, trained on a thread."""
    made = Project.create(tmp_path_factory.mktemp("export") / "iris", "iris-mlp")
    data = msgspec.structs.replace(made.spec.data, normalization="standard")
    spec = msgspec.structs.replace(made.spec, epochs=2, threads=1, mode="thread", data=data)
    handle = start_run(made.path, made.graph, spec, problems=())
    assert handle.wait(PATIENCE_S)
    assert handle.exit_reason == "finished"
    return handle


@pytest.fixture
def weights_file(trained: RunHandle, tmp_path: Path) -> Path:
    """Return exported weights, a copy for each test."""
    from engine.api import export

    file = tmp_path / "weights.pt"
    export(trained.folder.path, "state-dict", file)
    return file
