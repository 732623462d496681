"""Processes of tests that are forked from one that is loaded are what the interpreter would be."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from engine.runs.process.forking import can_fork

pytestmark = [pytest.mark.real, pytest.mark.skipif(not can_fork(), reason="forks")]

ROOT = Path(__file__).parents[2]
CLIENT = (sys.executable, "-IS", str(ROOT / "tests/warm_client.py"))
SERVER = "from tests import warm_process; warm_process.load = lambda: None; warm_process.main()"
CODE = """
import os, sys
line = sys.stdin.readline()
print(line.strip(), sys.argv, os.getcwd(), os.environ["OF_TEST"], __name__, flush=True)
print("tests.warm_process" in sys.modules, file=sys.stderr)
os._exit(3)
"""


def asked(place: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*CLIENT, str(place), "-u", "-c", CODE],
        cwd=folder,
        env={**os.environ, "OF_TEST": "yes"},
        input="first line\nsecond\n",
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("is_served", [True, False])
def test_that_a_process_is_forked_or_else_begun(tmp_path, is_served):
    place = tmp_path / "socket"
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(place))
        if not is_served:
            listener.close()
            done = asked(place, tmp_path)
            assert (done.returncode, done.stderr) == (3, "False\n")
        else:
            listener.listen()
            number = str(listener.fileno())
            with subprocess.Popen(
                [sys.executable, "-c", SERVER, number],
                cwd=ROOT,
                stdin=subprocess.PIPE,
                pass_fds=[listener.fileno()],
            ) as server:
                done = asked(place, tmp_path)
                assert done.stderr == "True\n"  # it is a fork
                assert server.stdin is not None
                server.stdin.close()
                assert server.wait(60) == 0
    assert done.stdout == f"first line ['-c'] {tmp_path} yes __main__\n"
