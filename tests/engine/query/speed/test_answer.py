"""Measuring which settings make a run faster, what devices do, and which GPUs a worker sees."""

import sys
from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from engine import api
from engine.diagnostics import sentence
from engine.query.speed import answer
from engine.query.speed.request import (
    BenchmarkSpeed,
    SpeedDone,
    SpeedFailed,
    SpeedMeasured,
    SpeedTrial,
)
from engine.runs.process.gpus import gpu_environment
from engine.runtime.job.request_job import SpeedJob
from engine.runtime.telemetry import Telemetry
from engine.spec.run import Choice, ComputeSpec
from engine.spec.validate import validate
from tests.tiny_run import iris_graph, iris_spec


@pytest.fixture
def told(monkeypatch):
    """Measure in few steps and return what was told."""
    monkeypatch.setattr(answer, "_BLOCK_S", 0.001)
    return []


@pytest.mark.parametrize("is_faster", [True, False])
def test_that_only_settings_that_make_steps_faster_are_kept(told, monkeypatch, is_faster):
    times = (0.002, 0.001) if is_faster else (0.001, 0.002)
    monkeypatch.setattr(answer, "_in_turn", lambda _first, _second: times)
    answer.measure_speed(BenchmarkSpeed(graph=iris_graph(), spec=iris_spec()), told.append)
    measured = [message for message in told if isinstance(message, SpeedMeasured)]
    assert [message.name for message in measured] == ["optimizer.fused", "compute.precision"]
    assert [message.is_kept for message in measured] == [is_faster, is_faster]
    trials = [message for message in told if isinstance(message, SpeedTrial)]
    assert [(trial.number, trial.count) for trial in trials] == [(1, 2), (2, 2)]


def test_that_what_is_switched_on_already_is_not_tried(told):
    spec = iris_spec(
        compute=ComputeSpec(precision="bfloat16"),
        optimizer=Choice(type="SGD", params={"fused": True}),
    )
    answer.measure_speed(BenchmarkSpeed(graph=iris_graph(), spec=spec), told.append)
    assert told == []


@pytest.mark.real
def test_that_a_model_that_cannot_begin_is_told_by_the_process(told):
    spec = replace(iris_spec(), device="cuda:99")
    job = SpeedJob(BenchmarkSpeed(graph=iris_graph(), spec=spec), told.append)
    job.start()
    job.wait()
    assert [type(message) for message in told] == [SpeedFailed]
    assert told[0].problems[0].code == "R111"
    assert SpeedDone() not in told


@pytest.mark.real
def test_that_a_measurement_that_is_given_up_tells_nothing_and_leaves_no_process(told):
    job = SpeedJob(BenchmarkSpeed(graph=iris_graph(), spec=iris_spec()), told.append)
    job.start()
    job.close()
    assert told == []


@pytest.mark.row("S252", "S350")
@pytest.mark.parametrize(
    ("gpus", "given", "visible"),
    [("0,3", {}, "0,3"), ("1", {"CUDA_VISIBLE_DEVICES": "2,3"}, "3"), ("1,0", {}, "1,0")],
)
def test_that_a_worker_sees_the_chosen_gpus_and_counts_them_anew(gpus, given, visible):
    environment = gpu_environment(gpus, given)
    assert environment["CUDA_VISIBLE_DEVICES"] == visible
    assert environment["CUDA_DEVICE_ORDER"] == "PCI_BUS_ID"


def test_that_without_a_choice_a_worker_sees_what_the_program_sees():
    assert gpu_environment("") is None


@pytest.mark.row("S350")
def test_that_gpus_that_are_not_there_are_told_before_the_run():
    spec = iris_spec(compute=ComputeSpec(gpus="7,63"))
    problems = api.check(iris_graph(), spec).problems
    found = [problem for problem in problems if problem.code == "R185"]
    assert [problem.field for problem in found] == ["compute.gpus"]
    assert "7,63" in sentence(found[0], "en")


def test_that_a_missing_compiler_is_a_warning_and_stops_nothing(monkeypatch):
    monkeypatch.setattr("engine.query.model.answer.missing_tools", lambda: "g++")
    report = api.check(iris_graph(), iris_spec(compute=ComputeSpec(compile=True)))
    assert [problem.code for problem in report.problems] == ["R181"]
    assert report.is_ok()


def test_that_scaled_gradients_and_several_evaluations_a_step_exclude_each_other():
    graph = iris_graph()
    spec = iris_spec(optimizer=Choice(type="LBFGS"), compute=ComputeSpec(precision="float16"))
    analysis = api.analyse(graph)
    codes = [problem.code for problem in validate(spec, graph, analysis, None)]
    assert "R183" in codes
    fine = replace(spec, compute=ComputeSpec(precision="bfloat16"))
    assert "R183" not in [problem.code for problem in validate(fine, graph, analysis, None)]
    thread = replace(fine, mode="thread", compute=ComputeSpec(gpus="0"))
    assert "R186" in [problem.code for problem in validate(thread, graph, analysis, None)]


class LibraryError(Exception):
    """What NVIDIA's library raises."""


def no_sensor(_handle, _sensor):
    raise LibraryError


LIBRARY = SimpleNamespace(  # with one GPU that does not tell its temperature
    NVMLError=LibraryError,
    nvmlInit=lambda: None,
    nvmlDeviceGetCount=lambda: 1,
    nvmlDeviceGetHandleByIndex=lambda index: index,
    nvmlDeviceGetMemoryInfo=lambda _handle: SimpleNamespace(total=8 << 30, used=2 << 30),
    nvmlDeviceGetName=lambda _handle: "NVIDIA A100",
    nvmlDeviceGetUtilizationRates=lambda _handle: SimpleNamespace(gpu=40),
    nvmlDeviceGetTemperature=no_sensor,
)


@pytest.mark.row("S249")
def test_that_gpus_tell_what_they_do_as_far_as_they_can(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", LIBRARY)
    load = Telemetry().read()
    gpu = load.gpus[0]
    assert (gpu.name, gpu.load, gpu.used_bytes, gpu.celsius) == ("NVIDIA A100", 0.4, 2 << 30, None)
    assert len(load.cores) >= 1
    assert 0 < load.used_bytes <= load.memory_bytes


def test_that_a_missing_library_is_told_in_a_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pynvml", None)
    load = Telemetry().read()
    assert load.gpus == ()
    assert load.problem.code == "E035"
