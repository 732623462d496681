import sys

import pytest

from tests.ssh_server import SshServer


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """Return an SSH server on this machine; ``ssh`` knows it and nothing else."""
    patch = pytest.MonkeyPatch()
    made = SshServer(tmp_path_factory.mktemp("ssh"), sys.executable)
    patch.setenv("PATH", made.path)
    yield made
    patch.undo()
    made.stop()
