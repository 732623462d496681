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


def seen(kind: str, shape: tuple[int, int, int], classes: int = 3) -> DataInfo:
    field = FieldInfo(name=kind, role="input", kind=kind, shape=shape, dtype="float32")
    label = FieldInfo(name="label", role="target", kind="class", shape=(), dtype="int64",
                      classes=tuple(map(str, range(classes))))  # fmt: skip
    return DataInfo(source="", samples=9, task="classification", fields=(field, label))


@pytest.mark.parametrize(
    ("kind", "shape", "axis", "tells_apart"),
    [
        ("image", (1, 28, 28), 2, True),
        ("image", (3, 32, 48), 3, True),
        ("image", (3, 96, 96), 2, False),  # where many convolutions see most of it each
        ("sound", (1, 64, 64), 2, True),  # a higher tone
        ("sound", (1, 64, 64), 3, False),  # a later one
    ],
)
def test_where_a_first_model_tells_apart_what_stands_elsewhere(kind, shape, axis, tells_apart):
    graph = first_model(seen(kind, shape))
    assert graph is not None
    assert analyse(graph).is_ok()
    module = to_module(graph).double().eval()
    sample = torch.zeros(1, *shape, dtype=torch.float64)
    sample[..., shape[1] // 2 - 1 : shape[1] // 2 + 1, shape[2] // 2 - 1 : shape[2] // 2 + 1] = 9.0
    moved = sample.roll(16 if min(shape[1:]) >= 64 else 8, axis)  # whole cells of the last maps
    with torch.no_grad():
        is_same = torch.allclose(module(sample), module(moved), rtol=1e-3)
    assert is_same is not tells_apart


def test_that_many_classes_make_no_first_model_of_many_weights():
    few, many = (first_model(seen("image", (3, 32, 32), classes)) for classes in (10, 100_000))
    assert few is not None
    assert many is not None
    weights = {id(graph): analyse(graph).parameters for graph in (few, many)}
    assert weights[id(many)] < 10_000_000
