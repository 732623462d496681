"""The log for TensorBoard: records with right checksums, the curves of the run, model, samples."""

import math
import struct

import msgspec
import numpy as np
import pytest

from engine.api import export
from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError
from engine.export import tensorboard
from engine.export.event_file import (
    _checksum,
    ending,
    read_scalars,
    scalar,
    version_record,
)
from engine.export.job import build_job
from engine.export.run_record import run_record
from engine.export.sample_records import sample_records
from engine.runs.record.statistic import BINS, Kind, Statistic, StatisticHistory
from engine.runs.record.store import RunStore
from engine.runtime import start_run
from engine.spec.run import Choice, DataSpec, ParameterGroup
from tests.tiny_run import PATIENCE_S


@pytest.mark.row("S216")
def test_that_every_point_of_every_curve_is_in_the_log(trained, tmp_path):
    file = tmp_path / "run.tfevents"
    report = export(trained.folder.path, "tensorboard", file)
    assert report.largest_difference == 0
    found: dict[str, list[tuple[int, float]]] = {}
    for step, tag, value in read_scalars(file.read_bytes()):
        found.setdefault(tag, []).append((step, value))
    with RunStore.open(trained.folder.path) as store:
        names = store.series_names()
        assert {name.replace(".", "/", 1) for name in names} == set(found)
        curve = store.scalars("train.loss")
    values = np.float32(curve.values).tolist()
    assert found["train/loss"] == list(zip(curve.steps.tolist(), values, strict=True))


def test_that_the_learning_rate_of_each_group_has_the_name_of_the_group(trained, tmp_path):
    document = trained.folder.document
    groups = (ParameterGroup(match="hidden", params={"lr": 0.5}),)
    spec = msgspec.structs.replace(document.spec, groups=groups, epochs=1)
    handle = start_run(tmp_path, document.graph, spec, problems=())
    assert handle.wait(PATIENCE_S)
    file = tmp_path / "run.tfevents"
    export(handle.folder.path, "tensorboard", file)
    rates = {
        tag: value
        for _, tag, value in read_scalars(file.read_bytes())
        if tag.partition("/")[0] == "lr"
    }
    rest = np.float32(spec.optimizer.params.get("lr", 0.001))
    assert rates == {"lr/other parameters": rest, "lr/group 1 (hidden)": 0.5}


@pytest.mark.parametrize("name", ["curves", "run.log", "tfevents/curves"])
def test_that_a_name_that_tensorboard_would_not_find_is_refused(trained, tmp_path, name):
    file = tmp_path / name
    with pytest.raises(DiagnosticError) as error:
        export(trained.folder.path, "tensorboard", file)
    assert error.value.problems[0].code == "X012"
    assert error.value.problems[0].params["better"] == f"{file.name}.tfevents"
    assert not file.exists()


@pytest.mark.row("P28")
def test_that_settings_and_histograms_stand_in_the_log(trained, tmp_path):
    file = tmp_path / "run.tfevents"
    export(trained.folder.path, "tensorboard", file)
    content = file.read_bytes()
    record = run_record(build_job(trained.folder.path, "best")[0])
    for name, value in (("epochs", 2.0), ("optimizer.lr", record.settings["optimizer.lr"])):
        assert name.encode() + b"\x12\x09\x11" + struct.pack("<d", value) in content
    assert ending(record.last, has_failed=False) in content
    history = StatisticHistory()
    with RunStore.open(trained.folder.path) as store:
        history.update(store)
    key = (Kind.WEIGHT, "hidden.weight")
    numbers = history.track(key).numbers[-1].astype(float)
    limits = np.linspace(numbers[Statistic.MINIMUM], numbers[Statistic.MAXIMUM], BINS + 1)
    assert b"weights/hidden.weight" in content
    assert struct.pack(f"<{BINS}d", *limits[1:]) in content
    groups = ("weights", "gradients", "updates", "activations")
    assert all(f"{group}/hidden".encode() in content for group in groups)


@pytest.mark.row("S217")
def test_that_the_model_stands_in_the_log_with_names_and_what_comes_before(trained, tmp_path):
    file = tmp_path / "run.tfevents"
    export(trained.folder.path, "tensorboard", file)
    content = file.read_bytes()
    graph = build_job(trained.folder.path, "best")[0].graph
    parts = {part.name: part for part in tensorboard.graph_parts(graph)}
    assert set(parts) == {node.name for node in graph.nodes.values()}
    for edge in graph.edges:
        target, source = graph.nodes[edge.target].name, graph.nodes[edge.source].name
        assert source in parts[target].inputs
    linear = next(part for part in parts.values() if part.kind == "Linear")
    assert linear.shapes[0][0] == -1
    assert all(name.encode() in content for name in parts)


@pytest.mark.row("S217")
def test_that_samples_are_pictures_with_their_labels():
    spec = DataSpec(source=Choice(type="digits"))
    data = load_data(spec, is_normalized=False)
    records = sample_records(data, 0.0)
    labels = next(field for field in data.source.fields if field.info.name == "label")
    first = labels.info.classes[int(labels.values[data.indices["train"][0]])]
    assert len(records) == 8
    assert f"train/image/0 {first}".encode() in records[0]
    start = records[0].index(b"\x89PNG")
    assert struct.unpack(">II", records[0][start + 16 : start + 24]) == (8, 8)


def test_that_the_checksum_is_the_one_of_the_castagnoli_polynomial():
    crc = 0xE3069283  # of "123456789", as in RFC 3720's polynomial
    masked = ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF
    assert _checksum(b"123456789") == struct.pack("<I", masked)


def test_that_a_record_reads_back_and_a_damaged_one_is_found():
    content = version_record(1.5) + scalar(2.5, 70_000, "train/loss", math.inf)
    assert list(read_scalars(content)) == [(70_000, "train/loss", math.inf)]
    for place in (3, len(content) - 6, len(content) - 1):
        broken = bytearray(content)
        broken[place] ^= 1
        with pytest.raises(ValueError, match="damaged"):
            list(read_scalars(bytes(broken)))
    with pytest.raises(ValueError, match="damaged"):
        list(read_scalars(content[:-2]))
