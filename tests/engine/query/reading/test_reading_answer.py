"""Statistics of the training part and the speed of its loader, as the process tells them."""

import pytest
import torch

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.query.memory.answer import estimate
from engine.query.reading import answer, batch_size
from engine.query.reading.request import (
    BenchmarkLoading,
    ComputePartStatistics,
    ComputeStatistics,
    LoadingMeasured,
    PartsMeasured,
    PinningMeasured,
    ReadingDone,
    ReadingFailed,
    ReadingProgress,
    StatisticsMeasured,
)
from engine.runtime.job.request_job import ReadingJob
from engine.spec.run import Choice, DataSpec, LoaderSpec, RunSpec, SplitSpec
from engine.spec.transform import TransformSpec
from engine.spec.transform_list import new_transform
from tests.custom_data import HEAD, POINTS
from tests.tiny_run import chain, iris_graph, iris_spec, node

COLORED = Choice(type="random", params={"shape": (3, 8, 8), "samples": 60, "classes": 2})
NORMALIZE = TransformSpec(type="Normalize", params={"mean": (9.0,), "std": (7.0,)})


@pytest.fixture
def told():
    return []


@pytest.mark.row("S145")
def test_that_the_values_are_those_before_normalize_and_without_random_steps(told):
    steps = (new_transform("RandomInvert"), new_transform("Grayscale"), NORMALIZE)
    answer.measure_statistics(
        ComputeStatistics(data=DataSpec(source=COLORED, transforms=steps)), told.append
    )
    (field,) = told[-1].fields
    plain = load_data(DataSpec(source=COLORED, transforms=(new_transform("Grayscale"),)))
    values = plain.tensors("train")["image"].double()
    torch.testing.assert_close(torch.tensor(field.mean).double(), values.mean().reshape(1))
    torch.testing.assert_close(
        torch.tensor(field.std).double(), values.std(correction=0).reshape(1)
    )
    progress = [message for message in told if isinstance(message, ReadingProgress)]
    assert (progress[-1].done, progress[-1].count) == (42, 42)


@pytest.mark.row("S145")
def test_that_a_table_has_a_mean_for_each_column(told):
    answer.measure_statistics(
        ComputeStatistics(data=DataSpec(source=Choice(type="iris"))), told.append
    )
    assert isinstance(told[-1], StatisticsMeasured)
    values = load_data(DataSpec(source=Choice(type="iris"))).tensors("train")["features"]
    torch.testing.assert_close(torch.tensor(told[-1].fields[0].mean), values.mean(0))


def test_that_transforms_that_fail_are_told(told):
    steps = (TransformSpec(type="RandomCrop", params={"size": 99}, parts="all"),)
    with pytest.raises(DiagnosticError, match="RandomCrop"):
        answer.measure_statistics(ComputeStatistics(data=DataSpec(transforms=steps)), told.append)


@pytest.mark.row("S291")
@pytest.mark.real
def test_that_batches_are_counted_for_each_number_of_workers(told, monkeypatch):
    monkeypatch.setattr(answer, "_LONGEST_S", 0.05)
    monkeypatch.setattr(answer, "_WORKERS", (0, 1))
    data = DataSpec(loader=LoaderSpec(num_workers=1), batch_size=512)
    answer.measure_loading(BenchmarkLoading(data=data), told.append)
    measured = [message for message in told if isinstance(message, LoadingMeasured)]
    assert [message.workers for message in measured] == [0, 1]
    assert all(message.batches_per_s > 0 for message in measured)
    tried = [message.workers for message in told if isinstance(message, ReadingProgress)]
    assert tried == [0, 1]


@pytest.mark.row("S291")
def test_that_pinned_memory_is_tried_on_a_cuda_device_alone(told, monkeypatch):
    monkeypatch.setattr(answer, "_LONGEST_S", 0.01)
    monkeypatch.setattr(answer, "_WORKERS", (0,))
    data = DataSpec(batch_size=512)
    request = BenchmarkLoading(data=data, spec=RunSpec(data=data, device="cpu"))
    answer.measure_loading(request, told.append)
    assert [each for each in told if isinstance(each, PinningMeasured)] == [PinningMeasured()]
    told.clear()
    tried = []

    def timed(_loaded, _spec, workers, *, device=None, is_pinned=False):
        tried.append((workers, device, is_pinned))
        return LoadingMeasured(workers=workers, batches_per_s=9.0 if is_pinned else 7.0)

    monkeypatch.setattr(answer, "_timed", timed)
    device = torch.device("cuda", 0)
    monkeypatch.setattr(answer, "pick_device", lambda _name: device)
    answer.measure_loading(request, told.append)
    assert tried[1:] == [(0, device, False), (0, device, True)]
    (found,) = [each for each in told if isinstance(each, PinningMeasured)]
    assert found == PinningMeasured(device="cuda:0", pageable_per_s=7.0, pinned_per_s=9.0)


def test_that_an_empty_training_part_is_told(told):
    data = DataSpec(split=SplitSpec(train=0.0, validation=0.5, test=0.5))
    with pytest.raises(DiagnosticError):
        answer.measure_loading(BenchmarkLoading(data=data), told.append)


@pytest.mark.real
def test_that_the_process_tells_the_statistics_and_its_end(told):
    job = ReadingJob(ComputeStatistics(data=DataSpec()), told.append)
    job.start()
    job.wait()
    assert isinstance(told[-1], ReadingDone)
    assert isinstance(told[-2], StatisticsMeasured)
    failed = []
    missing = DataSpec(source=Choice(type="image_folder", params={"path": "/nowhere"}))
    job = ReadingJob(ComputeStatistics(data=missing), failed.append)
    job.start()
    job.wait()
    assert isinstance(failed[-1], ReadingFailed)
    assert failed[-1].problems[0].code.startswith("D")


@pytest.mark.real
def test_that_the_process_measures_data_of_trusted_code_alone():
    told: list[object] = []
    data = DataSpec(source=Choice(type="code.data.Points"))
    for trusted in (False, True):
        code = {"data.py": HEAD + POINTS}
        job = ReadingJob(ComputeStatistics(data=data, code=code, trusted=trusted), told.append)
        job.start()
        job.wait()
    assert [type(each) for each in (told[0], told[-1])] == [ReadingFailed, ReadingDone]
    assert told[0].problems[0].code == "U027"
    assert any(isinstance(each, StatisticsMeasured) for each in told)


def spec_of(**changes: object) -> RunSpec:
    return iris_spec(data=DataSpec(source=Choice(type="iris"), **changes))


def test_that_the_largest_batch_that_fits_is_found_and_the_next_does_not(monkeypatch):
    graph, samples = iris_graph(), 1 << 40
    for kilobytes in (100, 1000):
        monkeypatch.setattr(batch_size, "free_bytes", lambda _, size=kilobytes: size * 1000)
        found = batch_size.find_batch_size(graph, spec_of(batch_size=32), samples, 0)
        room = batch_size.room_for_tensors(torch.device("cpu"), found.free_bytes)
        for size, fits in ((found.largest, True), (2 * found.largest, False)):
            total = estimate(graph, spec_of(batch_size=size)).most
            assert (total <= room) is fits
        assert found.largest_bytes == estimate(graph, spec_of(batch_size=found.largest)).most
        assert found.chosen_bytes == estimate(graph, spec_of(batch_size=32)).most


def test_that_batches_that_workers_read_ahead_take_memory_too(monkeypatch):
    monkeypatch.setattr(batch_size, "free_bytes", lambda _: 1_000_000)
    alone, many = (
        batch_size.find_batch_size(iris_graph(), spec_of(), 1 << 40, workers) for workers in (0, 16)
    )
    assert many.largest < alone.largest


def test_that_no_more_samples_are_offered_than_there_are_and_none_where_none_fits(monkeypatch):
    assert batch_size.find_batch_size(iris_graph(), spec_of(), 105, 0).largest == 64
    monkeypatch.setattr(batch_size, "free_bytes", lambda _: 1)
    assert batch_size.find_batch_size(iris_graph(), spec_of(), 105, 0).largest == 0


def test_that_a_model_that_cannot_be_made_says_why():
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "head", in_features=9, out_features=3),
        node("Output", "logits"),
    )
    found = batch_size.find_batch_size(graph, spec_of(), 105, 0)
    assert found.problem is not None
    assert found.largest == 0


@pytest.mark.row("S145")
def test_that_each_part_has_its_own_mean_and_missing_values(told, tmp_path):
    lines = ["size,kind", *(f"{n if n % 7 else ''},{'ab'[n % 2]}" for n in range(70))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    params = {"path": str(tmp_path / "t.csv"), "target": "kind"}
    data = DataSpec(source=Choice(type="table", params=params), normalization="none")
    answer.measure_parts(ComputePartStatistics(data=data), told.append)
    assert isinstance(told[-1], PartsMeasured)
    plain = load_data(data)
    for part in told[-1].parts:
        rows = plain.indices[part.part].tolist()
        (field,) = [each for each in part.fields if each.name == "features"]
        (row,) = [each for each in part.missing if each.column == "size"]
        known = torch.tensor([float(at) for at in rows if at % 7]).double()
        assert field.mean == pytest.approx([known.mean().item()])
        assert field.std == pytest.approx([known.std(correction=0).item()])
        assert field.missing == (row.missing,) == (len(rows) - len(known),)
        assert part.samples == field.total == len(rows)
    missing = [each.missing for part in told[-1].parts for each in part.missing]
    assert sum(missing) == 10
    progress = [message for message in told if isinstance(message, ReadingProgress)]
    assert (progress[-1].done, progress[-1].count) == (70, 70)
