"""Files of a run and of a lock that hold bytes which are no text."""

import msgspec
import pytest

from engine.events import decode_command, decode_event
from engine.project.lock import read_holder
from engine.runs.process.run_lock import read_tag

NO_TEXT = b'{"type": "\xcd(", "host": "\xcd(", "pid": 1, "name": "\xff"}'


def test_that_a_lock_of_bytes_says_nothing(tmp_path):
    (tmp_path / "lock").write_bytes(NO_TEXT)
    assert read_holder(tmp_path / "lock") is None


def test_that_a_worker_file_of_bytes_counts_as_none_and_is_told(tmp_path):
    problems = []
    assert read_tag(tmp_path, problems) is None
    assert problems == []
    (tmp_path / "worker.json").write_bytes(NO_TEXT)
    assert read_tag(tmp_path, problems) is None
    assert [problem.code for problem in problems] == ["R156"]


@pytest.mark.parametrize("decode", [decode_event, decode_command])
def test_that_a_line_of_bytes_is_no_event_and_no_command(decode):
    with pytest.raises(msgspec.MsgspecError):
        decode(NO_TEXT)
