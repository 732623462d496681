from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from engine.graph.model import Graph
from engine.project import Project
from engine.query.model.request import Analyse
from engine.runtime import HostClient, RunHandle, start_run
from tests.tiny_run import PATIENCE_S


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """Return a project that trains in a moment."""
    made = Project.create(tmp_path / "iris", "iris-mlp")
    made.spec = msgspec.structs.replace(made.spec, epochs=2, threads=1)
    made.save()
    return made


@pytest.fixture(scope="module")
def host() -> Iterator[HostClient]:
    """Return a client of a real host; loading torch takes seconds, so a module shares one."""
    client = HostClient()
    client.start()
    # The first host that is forked cannot analyze yet; the one that takes its place stays.
    client.request(Analyse(graph=Graph())).result(PATIENCE_S)
    yield client
    client.close()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunHandle:
    """Return a finished run, trained on a thread of this process."""
    made = Project.create(tmp_path_factory.mktemp("trained") / "iris", "iris-mlp")
    spec = msgspec.structs.replace(made.spec, epochs=2, threads=1, mode="thread")
    handle = start_run(made.path, made.graph, spec, "first", problems=())
    assert handle.wait(PATIENCE_S)
    return handle
