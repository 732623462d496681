"""A worker that gets no more memory ends in a sentence, and leaves what it reached."""

import resource
import sys
from pathlib import Path

import psutil
import pytest

from engine.events import Resume, Step
from engine.runs.follow import RunFollower, read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.state import RunStatus
from engine.runtime.job.child import start_worker
from engine.spec.memory_repair import memory_repairs
from engine.spec.run import Choice, DataSpec
from tests.tiny_run import PATIENCE_S, iris_graph, make_run, node, train, wait_until

MIB = 1 << 20
WIDE = 250_000  # numbers of a sample: 61 MiB in a batch of 64


@pytest.mark.real
@pytest.mark.fault("F10")
@pytest.mark.skipif(sys.platform != "linux", reason="a limit can be set from outside on Linux")
def test_that_a_worker_without_memory_ends_in_a_sentence_with_a_smaller_batch(
    tmp_path: Path,
) -> None:
    data = DataSpec(source=Choice(type="iris"), batch_size=64)
    wide = iris_graph(node("Linear", "wide", out_features=WIDE))
    run = make_run(tmp_path, wide, data=data, optimizer=Choice(type="SGD"), epochs=1, metrics=())
    follower = RunFollower(run)
    run.send(Step(count=1))
    here = psutil.Process()
    before = here.memory_info().rss
    worker = start_worker(worker_arguments(Launch(folder=str(run.path))))
    wait_until(run, lambda state: state.status is RunStatus.PAUSED and state.step == 1)
    held = psutil.Process(worker.pid).memory_info().vms
    resource.prlimit(worker.pid, resource.RLIMIT_AS, (held + 24 * MIB,) * 2)
    run.send(Resume())
    wait_until(run, lambda state: state.status.is_over())
    worker.wait(PATIENCE_S)
    state, _ = follower.poll()
    follower.close()
    assert state.status is RunStatus.FAILED
    assert state.problem is not None
    assert (state.problem.code, state.problem.params["step"]) == ("R138", 2)
    assert "can't allocate memory" in state.problem.detail
    (offer,) = memory_repairs(state.problem, run.document.spec)
    assert offer.settings == {"data.batch_size": 32}
    assert here.memory_info().rss <= 1.05 * before
    assert not psutil.pid_exists(worker.pid)
    assert state.last is not None
    assert state.last.step == 1, "what was reached is kept"
    assert train(run, "latest").status is RunStatus.FINISHED
    assert read_state(run).step == 2
