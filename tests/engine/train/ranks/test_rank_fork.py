"""Ranks are forked from a process that has loaded their program, as children of the launcher."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engine.runs.process.forking import can_fork

ROOT = Path(__file__).parents[4]
PROGRAM = "tests.engine.train.ranks.forked_rank"


@pytest.mark.real
@pytest.mark.skipif(not can_fork(), reason="ranks are spawned here")
def test_that_ranks_are_forked_where_that_makes_no_difference_and_else_spawned(tmp_path):
    command = [sys.executable, "-m", PROGRAM, "launch", str(tmp_path)]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    codes = {name: told[name] for name in ("first", "alive", "killed", "other", "spawned", "left")}
    assert codes == {
        "first": 7,
        "alive": None,
        "killed": -signal.SIGKILL,
        "other": 0,
        "spawned": 0,
        "left": 0,
    }
    names = ("first", "waiting", "other", "spawned")
    ranks = {name: json.loads((tmp_path / name).read_text()) for name in names}
    are_warm = {name: rank["is_warm"] for name, rank in ranks.items()}
    assert are_warm == {"first": True, "waiting": True, "other": False, "spawned": False}, (
        "other variables count where a process begins, and what ranks are forked from was killed"
    )
    assert ranks["first"]["arguments"] == [str(tmp_path / "first"), "7"]
    for rank in ranks.values():
        assert rank["parent"] == told["launcher"]
        assert rank["leader"] == rank["pid"]
        assert rank["rank"] == "1"
        assert (rank["interrupt"], rank["terminate"]) == (told["interrupt"], True)
        assert rank["files"] == 4, "its streams, and the folder that it looks at"
