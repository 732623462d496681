"""Weights of 8 bits: a quarter of the size, and what they compute is told and checked."""

from pathlib import Path

import pytest
import torch
from msgspec.structs import replace
from safetensors.torch import load_file, save_file
from torch import nn

from engine.api import evaluate, export
from engine.diagnostics import DiagnosticError
from engine.export.int8 import write_int8
from engine.export.job import ExportJob
from engine.graph.model import Graph
from engine.model.module import to_module
from engine.model.source import to_source
from engine.runs.folder import RunFolder
from engine.spec.run import Choice, ComputeSpec, RunSpec
from engine.spec.technique import QuantizationSpec
from tests.engine.export.test_teacher_text import imported
from tests.exported_kinds import KINDS, proposed
from tests.tiny_run import RANDOM_LAYERS, chain, iris_graph, make_run, node, train

SGD = Choice(type="SGD", params={"lr": 0.1, "momentum": 0.9})


def picture_graph() -> Graph:
    return chain(
        node("Input", "image", field="image", shape=(2, 12, 12)),
        node("Conv2d", "conv", out_channels=32, kernel_size=3, padding=1, padding_mode="reflect"),
        node("BatchNorm2d", "norm"),
        node("Flatten", "flat"),
        node("Linear", "head", out_features=5, bias=False),
        node("Output", "logits"),
    )


def job(graph: Graph, spec: RunSpec | None = None) -> ExportJob:
    torch.manual_seed(1)
    module = to_module(graph).eval()
    wide = spec is not None and spec.compute.precision == "float64"
    return ExportJob(
        title="x",
        graph=graph,
        source=to_source(graph),
        module=module.double() if wide else module,
        spec=spec or RunSpec(),
    )


@pytest.mark.row("S265")
@pytest.mark.parametrize("precision", ["float32", "float64"])
def test_that_a_quarter_of_the_size_gives_nearly_the_same_outputs(
    tmp_path: Path, precision: str
) -> None:
    made = job(picture_graph(), RunSpec(compute=ComputeSpec(precision=precision)))
    (file, code), difference = write_int8(made, tmp_path / "net.safetensors")
    assert 0 < difference < 0.05
    tensors = load_file(file)
    assert tensors["conv.weight"].dtype is tensors["head.weight"].dtype is torch.int8
    assert tensors["conv.weight"].abs().amax(dim=(1, 2, 3)).tolist() == [127] * 32
    scale = made.module.get_parameter("head.weight").abs().amax(1) / 127
    assert torch.allclose(tensors["head.weight_scale"].to(scale), scale)
    exact = made.weights()
    assert torch.equal(tensors["conv.bias"], exact["conv.bias"])
    assert torch.equal(tensors["norm.running_var"], exact["norm.running_var"])
    size = sum(value.numel() * value.element_size() for value in exact.values())
    assert file.stat().st_size < size * (0.3 if precision == "float32" else 0.16)

    loaded: nn.Module = imported(code).load_model()
    batch = made.random_batches()[0]
    with torch.no_grad():
        found, wanted = loaded(*batch), made.module(*batch)
    assert found.dtype is wanted.dtype
    assert float((found - wanted).abs().max()) <= difference
    whole = [name for name, value in loaded.state_dict().items() if value.dtype is torch.int8]
    assert whole == ["conv.weight", "head.weight"]  # in memory, too


def test_that_a_file_that_computes_something_else_is_not_left(tmp_path: Path, monkeypatch) -> None:
    def spoiled(tensors: dict[str, torch.Tensor], metadata: dict[str, str]) -> bytes:
        save_file({**tensors, "head.weight": tensors["head.weight"] // 2}, tmp_path / "bad")
        del metadata
        return (tmp_path / "bad").read_bytes()

    monkeypatch.setattr("safetensors.torch.save", spoiled)
    with pytest.raises(DiagnosticError) as caught:
        write_int8(job(picture_graph()), tmp_path / "net.safetensors")
    assert caught.value.problems[0].code == "X010"
    assert not (tmp_path / "net.safetensors").exists()
    assert not (tmp_path / "net.py").exists()


def test_that_what_cannot_be_is_told(tmp_path: Path) -> None:
    graph = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("BatchNorm1d", "norm"),
        node("Output", "out"),
    )
    for made, file, code in (
        (job(graph), "net.safetensors", "R567"),
        (job(picture_graph()), "net.py", "R568"),
    ):
        with pytest.raises(DiagnosticError) as caught:
            write_int8(made, tmp_path / file)
        assert caught.value.problems[0].code == code
    assert not list(tmp_path.iterdir())


def finished(folder: Path, **changes: object) -> RunFolder:
    run = make_run(folder, iris_graph(*RANDOM_LAYERS), optimizer=SGD, epochs=3, **changes)
    assert train(run).problem is None
    return run


@pytest.mark.row("S265")
def test_that_results_before_and_after_are_measured_on_the_data(tmp_path: Path) -> None:
    run = finished(tmp_path / "project")
    report = export(run.path, "int8", tmp_path / "net.safetensors", "last")
    assert [Path(file).name for file in report.files] == ["net.safetensors", "net.py"]
    found = report.int8
    assert found is not None
    assert (found.layers, found.split, found.problems) == (2, "validation", ())
    assert found.file_bytes == (tmp_path / "net.safetensors").stat().st_size
    measured = evaluate(run.path, "last", split="validation").metrics
    assert {f"validation.{name}": value for name, value in found.before.items()} == measured
    assert found.after["loss"] != found.before["loss"]
    assert found.after["loss"] == pytest.approx(found.before["loss"], abs=0.05)
    assert export(run.path, "safetensors", tmp_path / "w.safetensors", "last").int8 is None


@pytest.mark.parametrize("bits", [8, 4])
def test_that_a_run_that_trained_for_it_loses_nothing(tmp_path: Path, bits: int) -> None:
    chosen = QuantizationSpec(bits=bits, skip="head" if bits == 4 else "")
    run = finished(tmp_path / "project", quantization=chosen)
    report = export(run.path, "int8", tmp_path / "net.safetensors", "last")
    assert report.largest_difference == 0
    assert report.int8 is not None
    assert report.int8.after == report.int8.before
    tensors = load_file(tmp_path / "net.safetensors")
    assert tensors["hidden.weight"].abs().max() == 2 ** (bits - 1) - 1
    assert tensors["hidden.input_scale"] > 0
    assert tensors["head.weight"].dtype is (torch.float32 if bits == 4 else torch.int8)
    model = imported(tmp_path / "net.py").load_model()
    batch = torch.linspace(-2, 2, 8).reshape(2, 4)
    exact = to_module(run.document.graph).eval()
    exact.load_state_dict(torch.load(run_weights(run, tmp_path), weights_only=True))
    with torch.no_grad():
        assert not torch.equal(model(batch), exact(batch))


def run_weights(run: RunFolder, folder: Path) -> Path:
    export(run.path, "state-dict", folder / "exact.pt", "last")
    return folder / "exact.pt"


def test_that_sizes_are_told_where_the_data_are_gone(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    graph, spec = proposed(KINDS["table_of_classes"], data)
    run = RunFolder.create(
        tmp_path / "project",
        graph,
        replace(spec, data=replace(spec.data, normalization="none"), epochs=1),
    )
    assert train(run).problem is None
    Path(str(spec.data.source.params["path"])).unlink()
    found = export(run.path, "int8", tmp_path / "net.safetensors", "last").int8
    assert found is not None
    assert found.layers > 0
    assert (found.before, found.after) == ({}, {})
    assert [problem.code[0] for problem in found.problems] != []
