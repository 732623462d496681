"""A run whose results are asked for."""

import pytest

from engine.runs.folder import RunFolder
from engine.spec.run import Choice, DataSpec
from tests.tiny_run import make_run, train


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> RunFolder:
    """Return a finished run of iris, normalised, with batch norm and dropout."""
    data = DataSpec(source=Choice(type="iris"), normalization="standard")
    folder = make_run(tmp_path_factory.mktemp("project"), data=data, epochs=12)
    train(folder)
    return folder
