"""The larger first model for pictures: torchvision's ResNet-18, as the importer brings it."""

import pytest
import torch

from engine.graph import codec
from engine.model.analysis import analyse
from engine.model.module import to_module
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.first_model import first_model
from engine.spec.residual_model import LEAST_SIDE, is_residual_model, residual_model
from tools.write_first_models import FOLDER, NAMES, imported

models = pytest.importorskip("torchvision.models")


def picture(side, channels=3, kind="image"):
    return FieldInfo(
        name="photo", role="input", kind=kind, shape=(channels, side, side), dtype="float32"
    )


@pytest.mark.parametrize("name", NAMES)
def test_that_what_ships_is_what_the_importer_makes_of_the_installed_torchvision(name):
    is_same = (FOLDER / f"{name}.json").read_bytes() == imported(name)
    assert is_same, "out of date: run python -m tools.write_first_models"


def test_that_large_pictures_get_torchvisions_network_to_the_bit():
    graph = residual_model(picture(LEAST_SIDE), 7)
    assert analyse(graph).is_ok()
    theirs = models.resnet18(weights=None, num_classes=7).eval()
    ours = to_module(graph).eval()
    ours.load_state_dict(theirs.state_dict())
    image = torch.randn(2, 3, LEAST_SIDE, LEAST_SIDE)
    with torch.no_grad():
        assert torch.equal(ours(image), theirs(image))


def test_that_convolutions_begin_as_torchvision_has_it():
    torch.manual_seed(3)
    theirs = models.resnet18(weights=None).state_dict()
    ours = to_module(residual_model(picture(64), 1000)).state_dict()
    assert ours.keys() == theirs.keys()
    for name, wanted in theirs.items():
        if wanted.ndim == 4:
            torch.testing.assert_close(ours[name].std(), wanted.std(), rtol=0.05, atol=0)


@pytest.mark.parametrize("side", [8, 28, 32, LEAST_SIDE - 1])
@pytest.mark.parametrize("channels", [1, 3])
def test_that_small_pictures_are_not_made_smaller_before_the_first_block(side, channels):
    graph = residual_model(picture(side, channels), 10)
    analysis = analyse(graph)
    assert analysis.is_ok()
    assert "MaxPool2d" not in {node.type for node in graph.nodes.values()}
    assert analysis.nodes["layer1"].outputs["output"].shape[-2:] == (side, side)
    module = to_module(graph).eval()
    with torch.no_grad():
        assert module(torch.randn(2, channels, side, side)).shape == (2, 10)


def test_that_numbers_come_in_the_shape_of_their_target():
    graph = residual_model(picture(16), 6, (2, 3))
    assert analyse(graph).is_ok()
    with torch.no_grad():
        assert to_module(graph).eval()(torch.randn(2, 3, 16, 16)).shape == (2, 2, 3)


@pytest.mark.parametrize(("kind", "is_so"), [("image", True), ("sound", False)])
def test_that_it_is_the_larger_model_for_pictures_alone(kind, is_so):
    label = FieldInfo(
        name="label", role="target", kind="class", shape=(), dtype="int64", classes=("a", "b")
    )
    fields = (picture(32, 1, kind), label)
    info = DataInfo(source="", samples=9, task="classification", fields=fields)
    large, small = first_model(info, "large"), first_model(info, "small")
    assert large is not None
    assert small is not None
    assert is_residual_model(large) is is_so
    assert not is_residual_model(small)
    assert codec.from_document(codec.to_document(large)) == large
