"""First models for masks: a class for each pixel, whatever the size of the pictures."""

import pytest
import torch
from msgspec.structs import replace

from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.defaults import default_spec
from engine.spec.first_model import first_model
from engine.spec.loss_rule import check_losses


def info_of(height: int, width: int, channels: int = 3) -> DataInfo:
    image = FieldInfo(
        name="image",
        role="input",
        kind="image",
        shape=(channels, height, width),
        dtype="float32",
    )
    mask = FieldInfo(
        name="mask",
        role="target",
        kind="mask",
        shape=(height, width),
        dtype="int64",
        classes=("ground", "cat", "dog"),
    )
    return DataInfo(source="", samples=9, task="classification", fields=(image, mask))


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("shape", [(64, 64), (37, 53), (9, 130), (4, 5), (33, 32)])
def test_that_a_unet_gives_each_pixel_of_any_picture_its_scores(shape, size):
    graph = first_model(info_of(*shape), size)
    assert graph is not None
    assert analyse(graph).is_ok()
    module = to_module(graph).eval()
    image = torch.randn(2, 3, *shape)
    with torch.no_grad():
        assert module(image).shape == (2, 3, *shape)
    joined = [node for node in graph.nodes.values() if node.type == "cat"]
    halved = [node for node in graph.nodes.values() if node.type == "MaxPool2d"]
    assert len(joined) == len(halved) >= 1


def texts(length: int, *, is_each: bool) -> DataInfo:
    words = tuple(f"w{number}" for number in range(30))
    text = FieldInfo(name="text", role="input", kind="sequence", shape=(length,), dtype="int64",
                     lowest=0, highest=29, words=words)  # fmt: skip
    label = FieldInfo(name="label", role="target", kind="class", shape=(), dtype="int64",
                      classes=("a", "b", "c"))  # fmt: skip
    following = replace(text, name="target", role="target", classes=words)
    fields = (text, following if is_each else label)
    return DataInfo(source="", samples=9, task="classification", fields=fields)


@pytest.mark.parametrize("size", ["small", "large"])
@pytest.mark.parametrize("is_each", [True, False])
def test_that_a_model_of_texts_sees_no_token_before_it_has_to_be_known(size, is_each):
    graph = first_model(texts(12, is_each=is_each), size)
    assert graph is not None
    assert analyse(graph).is_ok()
    layers = {node.type for node in graph.nodes.values()}
    assert ("GRU" in layers) == (size == "small")
    assert ("TransformerEncoderLayer" in layers) == (size == "large")
    module = to_module(graph).eval()
    text = torch.arange(24).reshape(2, 12)
    other = text.clone()
    other[:, 7:] = 29
    with torch.no_grad():
        before, after = module(text), module(other)
    if not is_each:
        assert before.shape == (2, 3)
        return
    assert before.shape == (2, 30, 12)
    torch.testing.assert_close(before[..., :7], after[..., :7])
    assert not torch.allclose(before[..., 7:], after[..., 7:])


def test_that_what_is_seen_at_full_size_reaches_the_output_past_the_bottom():
    graph = first_model(info_of(16, 16))
    assert graph is not None
    sources = {edge.source for edge in graph.edges if graph.nodes[edge.target].type == "cat"}
    assert {"down1", "down2"} <= sources


@pytest.mark.parametrize(("params", "codes"), [({}, []), ({"ignore_index": 255}, ["R049"])])
def test_that_a_loss_that_ignores_other_pixels_than_the_masks_do_is_told(params, codes):
    info = info_of(16, 16)
    graph = first_model(info)
    assert graph is not None
    analysis = analyse(graph)
    spec = default_spec(info, graph, analysis)
    loss = replace(spec.losses[0].loss, params=params)
    spec = replace(spec, losses=(replace(spec.losses[0], loss=loss),))
    found = list(check_losses(spec, graph, analysis, info))
    assert [problem.code for problem in found] == codes
