"""kill -9 at every line of the one function that writes files."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from engine.project import Project

_SCRIPT = """
import os, signal, sys
import msgspec
import engine.files.write
from engine.project import Project

folder = sys.argv[1]
LIMIT = int(sys.argv[2])
source = engine.files.write.__file__

def kill_at(number):
    seen = 0
    def trace(frame, event, argument):
        nonlocal seen
        if frame.f_code.co_filename != source:
            return None
        if event == "line":
            seen += 1
            if seen == number:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace
    sys.settrace(trace)

for number in range(1, LIMIT):
    pid = os.fork()
    if pid == 0:
        project = Project.open(folder)
        project.spec = msgspec.structs.replace(project.spec, seed=number)
        kill_at(number)
        project.save()
        os._exit(0)
    _, status = os.waitpid(pid, 0)
    survived = os.WIFEXITED(status)
    project = Project.open(folder)
    print(number, project.spec.seed, survived, flush=True)
    if survived:
        break
"""


@pytest.mark.fault("F03")
@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_that_a_kill_at_any_line_leaves_the_old_project_or_the_new_one(tmp_path):
    project = Project.create(tmp_path / "project")
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT, str(project.path), "200"],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=True,
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) > 15, done.stderr
    seed = 0
    for number, found, survived in rows:
        assert int(found) in (seed, int(number))  # it opened: whole; and it is the old or the new
        seed = int(found)
        assert (survived == "True") == (number == rows[-1][0])
    kept = [row for row in rows if row[1] != row[0]]
    assert kept, "no kill came before the replacement"
    assert len(kept) < len(rows) - 1, "no kill came after the replacement"
    assert Project.open(project.path).claim() is None
    assert sorted(path.name for path in project.path.iterdir()) == [".trellis", "project.json"]
