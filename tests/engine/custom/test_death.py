"""Ends of processes by custom code, told in words."""

import signal

import pytest

from engine.custom.death import before_death, death_of, failure_of
from engine.custom.module import load_custom_object
from engine.custom.trust import set_trust
from engine.diagnostics import sentence

EXIT = "one\n\ncustom code ended the process: Layer.forward (own.py, line 7)\n"
CRASH = """one
Fatal Python error: Segmentation fault

Current thread 0x00007f0 (most recent call first):
  File "/usr/lib/python3.11/ctypes/__init__.py", line 519 in string_at
  File "<trellis_model_0123456789abcdef>", line 24 in forward
  File "<trellis_model_fedcba9876543210>", line 3 in outer
"""
CODE = {
    "own.py": "def leave(x):\n    return inner(x)\n\n\ndef inner(x):\n    raise SystemExit(x)\n"
}


@pytest.mark.fault("F13")
@pytest.mark.parametrize(
    ("code", "words", "told"),
    [
        (0, EXIT, ["exit code 0", "“Layer.forward”", "“own.py”, line 7"]),
        (5, "", ["exit code 5", "memory"]),
        (-signal.SIGSEGV, CRASH, ["-11, SIGSEGV", "“forward”"]),
        (-signal.SIGKILL, "killed", ["-9, SIGKILL", "memory"]),
        (-9999, "", ["exit code -9999"]),
    ],
)
def test_that_the_end_of_a_process_is_told_with_its_place_as_far_as_it_is_known(code, words, told):
    text = sentence(death_of(code, words), "en")
    assert [part for part in told if part not in text] == []


@pytest.mark.parametrize("words", [EXIT, CRASH])
def test_that_what_code_printed_is_kept_without_the_traces_of_the_end(words):
    assert before_death(words).strip() == "one"
    assert before_death("Timeout is 3 s\nand more") == "Timeout is 3 s\nand more"


@pytest.mark.fault("F12")
def test_that_what_code_raises_is_told_at_its_line_also_an_exit():
    set_trust(CODE, trusted=True)
    leave, _ = load_custom_object(CODE, "code:own.leave")
    with pytest.raises(SystemExit) as raised:
        leave(3)
    problem = failure_of(raised.value)
    assert problem is not None
    assert "SystemExit: 3 (“own.py”, line 6)" in sentence(problem, "en")
    assert failure_of(ValueError("of ours")) is None
