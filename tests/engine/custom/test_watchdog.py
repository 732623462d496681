"""Code without an end takes its process down after a while, and is known afterwards."""

import subprocess
import sys
from pathlib import Path

import pytest

from engine.custom import watchdog
from engine.runtime.job.culprit import Culprits
from tests.tiny_run import PATIENCE_S

ROOT = Path(__file__).parents[3]
PROGRAM = """
import os
from engine.custom import watchdog
watchdog.start()
with watchdog.watched("code.layers.Fine@1|x", 60):
    pass
with watchdog.watched("code.layers.Loop@1|x", {seconds}):
    {body}
"""


@pytest.mark.real
@pytest.mark.parametrize(
    ("body", "seconds", "verdict"),
    [
        ("while True: pass", 0.3, watchdog.Verdict.STUCK),
        ("import re; re.match('(a+)+b', 'a' * 64)", 0.3, watchdog.Verdict.STUCK),
        ("import time; time.sleep(60)", 0.3, watchdog.Verdict.STUCK),
        ("os._exit(3)", 60, watchdog.Verdict.CRASHED),
        ("os.abort()", 60, watchdog.Verdict.CRASHED),
    ],
)
def test_that_what_took_a_process_down_is_known(body, seconds, verdict):
    culprits = Culprits()
    program = PROGRAM.format(body=body, seconds=seconds)
    ended = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=culprits.environment(),
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert ended.returncode != 0
    assert culprits.find(ended.returncode)
    assert culprits.banned == {"code.layers.Loop@1|x": verdict.value}
    assert not culprits.find(ended.returncode), "it is told once"
    culprits.close()


def test_that_a_definition_that_fails_with_everything_is_not_run_at_all(monkeypatch):
    culprits = Culprits()
    for number in range(3):
        running = watchdog.Running(f"code.a.A@1|{number}", 0.0, 1.0)
        culprits.path.write_bytes(watchdog.msgspec.json.encode(running))
        assert culprits.find(1)
    monkeypatch.setattr(watchdog, "_banned", {})
    watchdog.ban(culprits.banned)
    assert watchdog.verdict("code.a.A@1|never tried") is watchdog.Verdict.STUCK
    assert watchdog.verdict("code.a.A@2|0") is None, "another text may run"
    culprits.close()


def test_that_nothing_is_watched_where_nobody_started_it():
    with watchdog.watched("x", 0.0):
        pass


def test_that_last_words_that_are_no_text_are_none(tmp_path):
    (tmp_path / "words").write_bytes(b'{"key": "\xff", "seconds": 1, "since": 1}')
    assert watchdog.last_words(tmp_path / "words", 1) is None
