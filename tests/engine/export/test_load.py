import random
import struct
import zipfile
from pathlib import Path

import pytest
import torch

from engine.api import compare_checkpoint, read_checkpoint
from engine.diagnostics import sentence
from engine.export.load import read_weights
from engine.model.module import to_module
from engine.runs.follow import read_state
from engine.train.checkpoint.file import load_weights
from tests.tiny_run import chain, iris_graph, node


@pytest.mark.row("S228", "S231", "P26")
def test_that_a_checkpoint_shows_what_it_holds(trained):
    info = read_state(trained.folder).last
    found = read_checkpoint(trained.folder.checkpoints / info.file)
    assert found.kind == "checkpoint"
    entries = {entry.name: entry for entry in found.tensors}
    weight = entries["hidden.weight"]
    assert weight.shape == (16, 4)
    assert (weight.dtype, weight.size_bytes) == ("float32", 256)
    assert found.elements == sum(torch.Size(entry.shape).numel() for entry in found.tensors)
    assert found.sections["optimizer"] > found.sections["model"]  # Adam keeps two of each
    assert found.values["position.step"] == str(info.step)
    assert found.size_bytes > found.sections["model"]


@pytest.mark.row("S240")
def test_that_a_state_dict_and_safetensors_show_the_same(weights_file, tmp_path):
    from safetensors.torch import save_file

    save_file(torch.load(weights_file), tmp_path / "w.safetensors")
    one, other = read_checkpoint(weights_file), read_checkpoint(tmp_path / "w.safetensors")
    assert (one.kind, other.kind) == ("state-dict", "safetensors")
    assert sorted(one.tensors, key=str) == sorted(other.tensors, key=str)


@pytest.mark.row("S240")
@pytest.mark.parametrize("ending", ["pt", "pth", "bin", "tar", "ckpt", "onnx", "safetensors", ""])
def test_that_a_file_is_known_by_its_content_whatever_its_ending(weights_file, tmp_path, ending):
    from safetensors.torch import save_file

    weights = torch.load(weights_file)
    plain, safe = (tmp_path / f"{name}.{ending}" for name in ("plain", "safe"))
    torch.save(weights, plain)
    save_file(weights, safe)
    assert (read_checkpoint(plain).kind, read_checkpoint(safe).kind) == (
        "state-dict", "safetensors",
    )  # fmt: skip
    assert all(torch.equal(load_weights(plain)[name], value) for name, value in weights.items())
    checkpoint = tmp_path / f"run.{ending}"
    torch.save({"epoch": 3, "model_state_dict": weights, "loss": 0.25}, checkpoint)
    found = read_checkpoint(checkpoint)
    assert (found.kind, found.values) == ("checkpoint", {"epoch": "3", "loss": "0.25"})


@pytest.mark.row("S243", "S325")
def test_that_a_prefix_of_data_parallel_is_noted_and_taken_off(weights_file, trained):
    weights = torch.load(weights_file)
    torch.save({f"module.{name}": value for name, value in weights.items()}, weights_file)
    assert read_checkpoint(weights_file).prefix == "module."
    found = compare_checkpoint(weights_file, trained.folder.document.graph)
    assert found.prefix == "module."
    assert found.fits()


@pytest.mark.row("S325")
@pytest.mark.fault("B05")
def test_that_weights_of_another_model_show_which_names_differ(weights_file):
    other = chain(
        node("Input", "features", field="features", shape=(4,)),
        node("Linear", "hidden", out_features=8),
        node("ReLU", "act"),
        node("Linear", "head", out_features=3),
        node("Output", "logits"),
    )
    found = compare_checkpoint(weights_file, other)
    assert not found.fits()
    assert found.missing == ("head.weight", "head.bias")
    assert found.unexpected == ("classifier.weight", "classifier.bias")
    mismatch = found.mismatched[0]
    assert (mismatch.name, mismatch.expected_shape, mismatch.found_shape) == (
        "hidden.weight",
        (8, 4),
        (16, 4),
    )
    words = " ".join(sentence(problem) for problem in found.problems)
    for word in ("head.weight", "classifier.bias", "hidden.weight", "16 x 4", "8 x 4"):
        assert word in words


@pytest.mark.row("S327", "S236")
def test_that_weights_of_a_gpu_are_read_where_there_is_none(weights_file, trained, tmp_path):
    elsewhere = saved_on_a_gpu(weights_file, tmp_path / "gpu.pt")
    known = torch.load(elsewhere, map_location="cpu", weights_only=True)
    with pytest.raises(RuntimeError, match="map_location"):
        torch.load(elsewhere, weights_only=True)
    assert read_checkpoint(elsewhere).tensors == read_checkpoint(weights_file).tensors
    assert compare_checkpoint(elsewhere, trained.folder.document.graph).fits()
    read = load_weights(elsewhere)
    assert {value.device.type for value in read.values()} == {"cpu"}
    assert all(torch.equal(value, known[name]) for name, value in read.items())


def saved_on_a_gpu(file: Path, target: Path) -> Path:
    """Return a copy of weights that says that they lay on the eighth GPU when they were saved."""
    here, there = (b"X" + len(name).to_bytes(4, "little") + name for name in (b"cpu", b"cuda:7"))
    with zipfile.ZipFile(file) as given, zipfile.ZipFile(target, "w") as copy:
        for entry in given.infolist():
            content = given.read(entry)
            if entry.filename.endswith("/data.pkl"):
                assert here in content
                content = content.replace(here, there)
            copy.writestr(entry.filename, content)
    return target


@pytest.mark.fault("B05")
@pytest.mark.filterwarnings("ignore:Validating sparse")  # as engine.export.load has it
@pytest.mark.parametrize("kind", ["bfloat16", "complex", "sparse", "float8", "float64"])
def test_that_other_kinds_of_tensors_do_not_fit_and_do_not_crash(tmp_path, kind):
    graph = iris_graph()
    weights = to_module(graph).state_dict()
    value = weights["head.weight"]
    weights["head.weight"] = {
        "bfloat16": value.bfloat16,
        "complex": lambda: value.to(torch.complex64),
        "sparse": value.to_sparse,
        "float8": lambda: value.to(torch.float8_e4m3fn),
        "float64": value.double,
    }[kind]()
    file = tmp_path / "w.pt"
    torch.save(weights, file)
    assert read_checkpoint(file).elements > 0
    found = compare_checkpoint(file, graph)
    assert [item.name for item in found.mismatched] == ["head.weight"]
    assert not found.missing


@pytest.mark.fault("B05")
def test_that_a_comparison_draws_nothing_from_the_global_generator_of_a_run(weights_file, trained):
    random.seed(1)
    before = random.getstate()
    compare_checkpoint(weights_file, trained.folder.document.graph)
    assert random.getstate() == before


@pytest.mark.parametrize("length", [0x80, 0x180, 0x4B50])
def test_that_safetensors_are_known_whatever_the_length_of_their_header(tmp_path, length):
    """A file begins with that length, which may look as a pickle or an archive does."""
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'.ljust(length)
    file = tmp_path / "w.bin"
    file.write_bytes(struct.pack("<Q", length) + header + struct.pack("<2f", 1.5, -2.0))
    weights = read_weights(file)[1]
    assert weights["w"].tolist() == [1.5, -2.0]
