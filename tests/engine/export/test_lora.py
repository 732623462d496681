"""Pairs of low-rank blocks are merged into the layers, and travel as an adapter file."""

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from torch import Tensor, nn

from engine.archive.weights import write_weights
from engine.diagnostics import DiagnosticError
from engine.export.lora import SCALES, merged, with_adapter, write_adapter
from engine.graph.edit.edits import apply
from engine.graph.edit.lora import AddLora, RemoveLora
from engine.graph.model import Graph, Node
from engine.model.module import to_module
from tests.tiny_run import chain, iris_graph, node


def adapted(graph: Graph, *places: str, rank: int = 2, alpha: float = 6.0) -> Graph:
    return apply(AddLora(places=places, rank=rank, alpha=alpha), graph)


def learned(graph: Graph, seed: int = 0) -> nn.Module:
    """Return a model whose pairs are no longer as they begin."""
    torch.manual_seed(seed)
    model = to_module(graph)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.3)
    return model.eval()


def code_of(error: pytest.ExceptionInfo[DiagnosticError]) -> str:
    return error.value.problems[0].code


WINDOW = {"kernel_size": 3, "stride": 2, "padding": 1, "dilation": 2, "padding_mode": "reflect"}


@pytest.mark.parametrize(
    ("shape", "layer"),
    [
        ((5,), node("Linear", "layer", out_features=4)),
        ((7, 5), node("Linear", "layer", out_features=4, bias=False)),
        ((3, 9), node("Conv1d", "layer", out_channels=4, kernel_size=3)),
        ((3, 9, 8), node("Conv2d", "layer", out_channels=4, **WINDOW)),
        ((2, 4, 4, 4), node("Conv3d", "layer", out_channels=4, kernel_size=(1, 2, 3))),
        (
            (6,),
            node("Embedding", "layer", num_embeddings=9, embedding_dim=4, padding_idx=0),
        ),
    ],
    ids=lambda value: value.type if isinstance(value, Node) else "",
)
def test_that_the_merged_layer_gives_what_layer_and_pair_gave(shape, layer) -> None:
    is_index = layer.type == "Embedding"
    plain = chain(
        node("Input", "x", shape=shape, dtype="int64" if is_index else "float32"),
        layer,
        node("Output", "y"),
    )
    graph = adapted(plain, "layer")
    model = learned(graph)
    batch = torch.randint(0, 9, (4, *shape)) if is_index else torch.randn(4, *shape)
    after = apply(RemoveLora(places=("layer",)), graph)
    result = to_module(after).eval()
    weights = merged(graph, model.state_dict())
    result.load_state_dict(weights)
    torch.testing.assert_close(result(batch), model(batch), rtol=1e-5, atol=1e-5)
    assert (result(batch) - layer_alone(model, batch)).abs().max() > 0.1


def layer_alone(model: nn.Module, batch: Tensor) -> Tensor:
    return model.get_submodule("layer.base_layer")(batch)


def test_that_one_block_can_be_merged_alone() -> None:
    graph = adapted(iris_graph(), "hidden", "head")
    model = learned(graph)
    after = apply(RemoveLora(places=("hidden",)), graph)
    result = to_module(after)
    result.load_state_dict(merged(graph, model.state_dict(), ("hidden",)))
    batch = torch.randn(5, 4)
    torch.testing.assert_close(result.eval()(batch), model(batch), rtol=1e-5, atol=1e-5)


def test_that_an_adapter_file_holds_the_pairs_alone_and_brings_them_to_other_weights(
    tmp_path: Path,
) -> None:
    graph = adapted(iris_graph(), "hidden", "head")
    model, file = learned(graph), tmp_path / "adapter.safetensors"
    count = write_adapter(graph, model.state_dict(), file)
    pairs = load_file(file)
    assert set(pairs) == {
        f"{n}.{p}.weight" for n in ("hidden", "head") for p in ("lora_A", "lora_B")
    }
    assert count == sum(value.numel() for value in pairs.values())
    base = {name: value for name, value in model.state_dict().items() if "base_layer" in name}
    weights, has_scales = with_adapter(graph, base, file)
    assert has_scales
    for name, value in model.state_dict().items():
        assert torch.equal(weights[name], value), name


def test_that_a_file_of_peft_is_read_and_its_factor_is_not_known(tmp_path: Path) -> None:
    graph = adapted(iris_graph(), "hidden")
    model, file = learned(graph), tmp_path / "adapter_model.safetensors"
    pairs = {
        f"base_model.model.{name}": value
        for name, value in model.state_dict().items()
        if "lora" in name
    }
    save_file(pairs, file)
    weights, has_scales = with_adapter(graph, model.state_dict(), file)
    assert not has_scales
    assert weights.keys() == model.state_dict().keys()


def broken(name: str, model: nn.Module, file: Path) -> None:
    """Write a file that does not fit a model with a block around ``hidden``."""
    weights = model.state_dict()
    pairs = {key: value for key, value in weights.items() if "lora" in key}
    match name:
        case "other weights":
            write_weights({"hidden.weight": torch.ones(8, 4)}, file)
        case "a pair less":
            write_weights({"hidden.lora_A.weight": weights["hidden.lora_A.weight"]}, file)
        case "another layer":
            extra = {key.replace("hidden", "head"): value for key, value in pairs.items()}
            write_weights({**pairs, **extra}, file)
        case "another rank":
            write_weights({key: torch.ones(3, 3) for key in pairs}, file)
        case "whole numbers":
            write_weights({key: value.int() for key, value in pairs.items()}, file)
        case "another factor":
            write_weights(pairs, file, {SCALES: '{"hidden": 0.5}'})
        case "no factors":
            write_weights(pairs, file, {SCALES: '{"hidden": "much"'})
        case "cut off":
            write_weights(pairs, file)
            file.write_bytes(file.read_bytes()[:-8])
        case "a pickle":
            file.write_bytes(b"\x80\x04cos\nsystem\n.")
        case _:
            file.write_bytes(b"no weights")


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("other weights", "R516"),
        ("a pair less", "R517"),
        ("another layer", "R517"),
        ("another rank", "R521"),
        ("whole numbers", "R521"),
        ("another factor", "R518"),
        ("no factors", "X023"),
        ("cut off", "X023"),
        ("a pickle", "X022"),
        ("a text", "X020"),
    ],
)
def test_that_a_file_that_does_not_fit_is_refused(tmp_path: Path, name: str, code: str) -> None:
    graph = adapted(iris_graph(), "hidden")
    model, file = learned(graph), tmp_path / "adapter.safetensors"
    broken(name, model, file)
    with pytest.raises(DiagnosticError) as error:
        with_adapter(graph, model.state_dict(), file)
    assert code_of(error) == code


def test_that_weights_without_the_blocks_are_refused(tmp_path: Path) -> None:
    graph, file = adapted(iris_graph(), "hidden"), tmp_path / "adapter.safetensors"
    plain = to_module(iris_graph()).state_dict()
    for act in (merged, lambda *given: write_adapter(*given, file)):
        with pytest.raises(DiagnosticError) as error:
            act(graph, plain)
        assert code_of(error) == "R519"
        with pytest.raises(DiagnosticError) as error:
            act(iris_graph(), plain)
        assert code_of(error) == "R515"
    write_adapter(graph, learned(graph).state_dict(), file)
    with pytest.raises(DiagnosticError) as error:
        with_adapter(graph, plain, file)
    assert code_of(error) == "R520"
