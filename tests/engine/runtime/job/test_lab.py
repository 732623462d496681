"""The process of the autograd lab: whatever code does to it is told, and the next command works."""

import os
import sys
import threading
import time
from collections.abc import Iterator

import psutil
import pytest

from engine.diagnostics import DiagnosticError
from engine.query.lab.request import RunBackward, RunCode
from engine.runtime.job import child
from engine.runtime.job import lab as runtime_lab
from engine.runtime.job.lab import LabClient

PATIENCE_S = 150  # torch is loaded, perhaps on a busy machine
FINE = "a = torch.ones(2, requires_grad=True)\nb = (a * a).sum()"
pytestmark = [pytest.mark.real, pytest.mark.timeout(300)]


@pytest.fixture
def lab() -> Iterator[LabClient]:
    client = LabClient()
    yield client
    client.close()


def run(lab: LabClient, code: str):
    return lab.request(RunCode(code=code)).result(PATIENCE_S)


def verdict(lab: LabClient, code: str) -> tuple[str, int]:
    """Return the code of what became of the process, and the line it was at."""
    with pytest.raises(DiagnosticError) as caught:
        run(lab, code)
    problem = caught.value.problems[0]
    return problem.code, int(problem.params["line"])


@pytest.mark.fault("F13")
@pytest.mark.skipif(os.name == "nt", reason="signals are of POSIX")
def test_that_a_loop_is_stopped_a_crash_is_told_with_its_line_and_the_next_code_runs(lab):
    is_running = threading.Event()

    def hear(line: int) -> None:
        if line == 3:
            is_running.set()

    code = f"{FINE}\nwhile True:\n    try:\n        pass\n    except BaseException:\n        pass"
    future = lab.request(RunCode(code=code), hear)
    waiting = lab.request(RunCode(code=FINE))
    assert is_running.wait(PATIENCE_S)
    lab.stop()
    with pytest.raises(DiagnosticError) as caught:
        future.result(PATIENCE_S)
    assert caught.value.problems[0].code == "L061"
    assert caught.value.problems[0].params["line"] == 3
    assert waiting.cancelled()
    lab.stop()  # there is nothing to stop, and the next code does not suffer from it
    assert verdict(lab, f"import os\n{FINE}\nos.abort()") == ("L063", 4)
    assert run(lab, FINE).tensors[1].text == "2"


@pytest.mark.row("S101")
@pytest.mark.usefixtures("spawning")
def test_that_numpy_and_pytorch_compute_in_one_thread_and_do_not_stall_on_a_busy_machine(lab):
    code = "import os\nprint(os.environ['OPENBLAS_NUM_THREADS'], torch.get_num_threads())"
    assert run(lab, code).outputs[-1].text.split() == ["1", "1"]


@pytest.mark.fault("F10")
def test_that_allocation_recursion_and_printing_without_bounds_end_in_sentences(lab):
    report = run(lab, FINE + "\nimport os\nprint(os.getpid())")
    before = lab.pid
    assert int(report.outputs[-1].text) == before != os.getpid()
    huge = "kept = [torch.ones(1 << 26) for _ in range(64)]"  # 16 GiB, if it were allowed
    for code, expected in (
        (huge, "L037"),
        ("kept = []\nwhile True:\n    kept.append('x' * (1 << 24) + str(len(kept)))", "L037"),
        ("def down():\n    return down()\ndown()", "L004"),
        ("for _ in range(1000):\n    print('x' * 1000)", "L006"),
        ("torch.eye(2).to_sparse_csr()", "L003"),
        ("torch.eye(2).to_sparse_csr() ", "L003"),  # in a run of its own: warned again
        ("exit()", "L005"),
        ("input()", "L002"),
    ):
        report = run(lab, code)
        assert [each.problem.code for each in report.problems] == [expected], code
        assert sum(len(each.text) for each in report.outputs) <= 20_000
    assert run(lab, FINE).root == "b"
    report = lab.request(RunBackward(root="b")).result(PATIENCE_S)
    assert report.tensors[0].grad == "tensor([2., 2.])"
    assert before == lab.pid
    process = psutil.Process(before)
    lab.close()
    assert not process.is_running()


@pytest.mark.fault("F10")
@pytest.mark.usefixtures("spawning")
def test_that_the_process_outlives_code_that_took_all_its_memory_at_once(lab):
    code = "kept = []\nwhile True:\n    kept.append('x' * (1 << 24) + str(len(kept)))"
    report = run(lab, code)
    before = lab.pid
    assert [each.problem.code for each in report.problems] == ["L037"]
    time.sleep(1)  # it loads something while nobody waits
    assert run(lab, FINE).root == "b"
    report = lab.request(RunBackward(root="b", gradient="torch.ones(())")).result(PATIENCE_S)
    assert report.tensors[0].grad == "tensor([2., 2.])"
    assert lab.pid == before


@pytest.mark.fault("F10")
def test_that_a_process_is_held_to_the_same_after_a_crash_too(lab):
    report = run(lab, "kept = [torch.ones(1 << 26) for _ in range(64)]")
    assert [each.problem.code for each in report.problems] == ["L037"]
    assert run(lab, FINE).root == "b"
    assert verdict(lab, f"import os\n{FINE}\nos.abort()") == ("L063", 4)
    assert run(lab, FINE).root == "b"


def test_that_a_process_that_falls_silent_tells_the_exit_code_that_it_ends_with(lab, monkeypatch):
    ending = "import os, time; os.close(1); time.sleep(0.3); os._exit(7)"
    monkeypatch.setattr(runtime_lab, "_COMMAND", (sys.executable, "-c", ending))
    monkeypatch.setattr(child, "TERMINATE_S", PATIENCE_S)
    with pytest.raises(DiagnosticError) as caught:
        run(lab, FINE)
    assert caught.value.problems[0].detail == "exit code 7"


def test_that_what_takes_too_long_is_ended_and_closing_leaves_nothing():
    quick = LabClient(limit_s=1.5)
    assert verdict(quick, "1\nwhile True:\n    pass") == ("L062", 2)
    future = quick.request(RunCode(code="while True:\n    pass"))
    quick.close()
    assert future.done()
    assert quick.pid is None
    LabClient().close()


def test_that_an_idle_process_is_ended_and_asks_for_another_run_of_the_code():
    lab = LabClient(idle_s=0.5)
    try:
        assert run(lab, FINE).root == "b"
        deadline = time.monotonic() + PATIENCE_S
        while lab.pid is not None and time.monotonic() < deadline:
            time.sleep(0.05)
        assert lab.pid is None
        for _ in range(2):  # until the code has run again
            with pytest.raises(DiagnosticError) as caught:
                lab.request(RunBackward(root="b")).result(PATIENCE_S)
            assert caught.value.problems[0].code == "L065"
        assert run(lab, FINE).root == "b"
    finally:
        lab.close()
