"""The certificate says that a resumed run computes the same bits, and where it does not."""

from pathlib import Path

import msgspec
import pytest

from engine.custom.trust import set_trust
from engine.diagnostics import DiagnosticError
from engine.project import Project
from engine.runs.certificate import (
    Certificate,
    Difference,
    compare_traces,
    probable_reason,
    read_certificate,
)
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch
from engine.runs.record.trace import TracedPart, TracedStep
from engine.runs.teacher import create_run
from engine.runtime.certify import Certification
from engine.runtime.run import RunHandle, begin_run
from engine.spec.run import Choice, ComputeSpec, DataSpec, LoaderSpec
from engine.spec.technique import (
    AccumulationSpec,
    AveragingSpec,
    DistillationSpec,
    GradientNoiseSpec,
    PenaltySpec,
    QuantizationSpec,
)
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, make_run, train


def in_thread(folder: RunFolder, launch: Launch) -> RunHandle:
    return RunHandle(folder, thread=run_in_thread(launch))


def certify(folder: RunFolder, steps: int = 5) -> Certificate:
    found = Certification(folder, steps, begin=in_thread).run()
    assert found is not None
    return found


def contents(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.suffix != ".db-shm"
    }


TECHNIQUES = {
    "averaging": AveragingSpec(kind="ema", decay=0.9),
    "gradient_noise": GradientNoiseSpec(variance=0.01),
    "penalty": PenaltySpec(l2=0.01),
    "accumulation": AccumulationSpec(batches=2),
}
ONE_CYCLE = {
    "scheduler": Choice(type="OneCycleLR", params={"max_lr": 0.05}),
    "scheduler_interval": "step",
}

QUANTIZED = {"quantization": QuantizationSpec(bits=4, start=1, freeze=2, rate=0.3)}

BUCKETED = {
    "data": DataSpec(
        source=Choice(type="iris"), sampler="bucketed", sampler_column="petal width (cm)"
    )
}


@pytest.mark.parametrize(
    "changes",
    [{}, TECHNIQUES, ONE_CYCLE, BUCKETED, QUANTIZED, TECHNIQUES | QUANTIZED],
    ids=["plain", "techniques", "schedule", "bucketed", "quantized", "quantized too"],
)
def test_the_steps_after_a_resume_are_the_same_bits(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    run = make_run(tmp_path, **changes)
    train(run)
    before = contents(run.path)
    found = certify(run)
    assert found.is_equal, found.difference
    assert found.steps == 5
    assert all(found.values[part] for part in ("batch", "loss", "model", "optimizer", "random"))
    after = contents(run.path)
    assert after.pop("certificate.json")
    assert after == before
    assert [path.name for path in run.path.parent.iterdir()] == [run.id]
    assert read_certificate(run.path) == found


def test_a_run_that_learns_from_another_one_is_certified(tmp_path: Path) -> None:
    teacher = make_run(tmp_path)
    train(teacher)
    spec = msgspec.structs.replace(
        teacher.document.spec, distillation=DistillationSpec(teacher=teacher.id)
    )
    run = create_run(tmp_path, teacher.document.graph, spec)
    train(run)
    found = certify(run)
    assert found.is_equal, found.difference


@pytest.fixture(name="own")
def _own(tmp_path: Path):
    """Make a project with a layer that counts its calls, which no checkpoint knows."""
    made = Project.create(tmp_path / "own", "custom-code")
    made.spec = msgspec.structs.replace(made.spec, epochs=2, threads=1)
    text = made.graph.code["layers.py"].replace(
        "        return (x - mean)",
        "        self.n = getattr(self, 'n', 0) + 1\n        return self.n * (x - mean)",
    )
    made.graph = msgspec.structs.replace(made.graph, code={**made.graph.code, "layers.py": text})
    yield made
    set_trust(made.graph.code, trusted=False)


def test_a_value_outside_of_the_checkpoint_is_found_and_explained(own: Project) -> None:
    run = RunFolder.create(own.path, own.graph, own.spec)
    launch = Launch(folder=str(run.path), trusted=True)
    assert run_in_thread(launch).join(PATIENCE_S)
    found = Certification(run, 4, trusted=True, begin=in_thread).run()
    assert found is not None
    assert found.difference is not None
    assert (found.difference.step, found.difference.part) == (found.resumed + 1, "loss")
    assert found.difference.amount
    assert found.reason is not None
    assert found.reason.code == "R455"
    assert read_certificate(run.path) == found


def test_giving_up_leaves_nothing_behind(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    train(run)
    certification = Certification(run, 500, begin=in_thread)
    assert certification.run(lambda _done, _whole: certification.cancel()) is None
    assert [path.name for path in run.path.parent.iterdir()] == [run.id]
    assert read_certificate(run.path) is None


def test_what_cannot_be_certified_is_told(tmp_path: Path) -> None:
    run = make_run(tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        certify(run, 0)
    assert caught.value.problems[0].code == "R450"
    train(run)
    with pytest.raises(DiagnosticError) as caught:
        Certification(run, 3, file="other.ckpt", begin=in_thread).run()
    assert caught.value.problems[0].code == "K013"


def traced(path: Path, *values: float) -> Path:
    lines = [
        TracedStep(step=step, digests={"batch": {"x": "same"}, "loss": {"loss": f"{value}"}})
        for step, value in enumerate(values, 1)
    ]
    path.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
    return path


def test_the_first_difference_is_the_one_that_is_told(tmp_path: Path) -> None:
    one = traced(tmp_path / "one.jsonl", 1, 2, 3, 4)
    equal = compare_traces(one, traced(tmp_path / "two.jsonl", 1, 2, 3, 4))
    assert equal.difference is None
    assert equal.values["loss"] == 4
    other = compare_traces(one, traced(tmp_path / "two.jsonl", 1, 2, 5, 6))
    assert other.difference is not None
    assert (other.difference.step, other.difference.part) == (3, "loss")
    shorter = compare_traces(one, traced(tmp_path / "two.jsonl", 1, 2))
    assert shorter.difference is not None
    assert shorter.difference.step == 3


@pytest.mark.parametrize(
    ("part", "changes", "device", "code"),
    [
        ("loss", {"deterministic": False}, "cpu", "R453"),
        ("model", {}, "cuda:0", "R454"),
        ("model", {"compute": ComputeSpec(compile=True)}, "cpu", "R457"),
        ("batch", {"data": DataSpec(source=Choice(type="code.data.Own"))}, "cpu", "R452"),
        ("model", {}, "cpu", "R456"),
    ],
)
def test_the_probable_reason_follows_from_the_recipe(
    tmp_path: Path, part: TracedPart, changes: dict[str, object], device: str, code: str
) -> None:
    document = make_run(tmp_path, **changes).document
    difference = Difference(step=1, part=part, name="x")
    assert probable_reason(document, difference, device).code == code


@pytest.mark.real
@pytest.mark.row("N14", "N29")
@pytest.mark.parametrize("changes", [{}, QUANTIZED], ids=["plain", "quantized"])
def test_two_processes_with_loader_workers_compute_the_same_bits(
    tmp_path: Path, changes: dict[str, object]
) -> None:
    run = make_run(
        tmp_path,
        mode="ddp",
        data=DataSpec(source=Choice(type="iris"), loader=LoaderSpec(num_workers=2)),
        **changes,
    )
    handle = begin_run(run)
    assert handle.wait(PATIENCE_S)
    found = Certification(run, 6).run()
    assert found is not None
    assert found.is_equal, found.difference
    assert (found.processes, found.workers) == (2, 2)
