"""What is exported of a run: the settings that it was trained with."""

from pathlib import Path

import pytest

from engine.export.job import build_job
from engine.spec.run import Choice, ParameterGroup, PhaseRule, PhaseSpec, ProcessSpec
from engine.train.report import Clock
from tests.tiny_run import iris_graph, make_run, train


@pytest.mark.parametrize(("mode", "factor"), [("ddp", 3), ("process", 1)])
def test_that_an_export_has_the_rates_of_all_processes(
    tmp_path: Path, mode: str, factor: int
) -> None:
    run = make_run(
        tmp_path,
        iris_graph(),
        optimizer=Choice(type="SGD", params={"lr": 0.1}),
        groups=(ParameterGroup(match="head", params={"lr": 0.5}), ParameterGroup(match="*.bias")),
        phase=PhaseRule(end=1),
        phases=(PhaseSpec(start=1, optimizer=Choice(type="Adam")),),
        length="steps",
        steps=1,
        mode=mode,
        nproc=3,
        processes=ProcessSpec(scale_rate=True),
    )
    train(run)
    job, _ = build_job(run.path, "last")
    assert job.spec.optimizer.params["lr"] == factor * 0.1
    assert job.spec.phases[0].optimizer.params.get("lr", 0.001) == factor * 0.001
    assert [group.params for group in job.spec.groups] == [{"lr": factor * 0.5}, {}]


def test_that_an_export_of_a_run_that_ended_by_time_has_its_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks = iter(range(10**6))  # each of a tenth of a minute
    monkeypatch.setattr(Clock, "elapsed_s", lambda _clock: 6.0 * next(looks))
    run = make_run(tmp_path, iris_graph(), length="minutes", minutes=60.0)
    state = train(run)
    job, _ = build_job(run.path, "last")
    assert state.step > 0
    assert (job.spec.length, job.spec.steps) == ("steps", state.step)
