"""The first pictures of a folder are captioned with what tells them apart."""

import pytest
from msgspec.structs import replace

from engine.graph.model import Graph
from engine.spec.browse import SamplePicture
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.proposal import PeekPicture, Proposal
from engine.spec.run import Choice, DataSpec, RunSpec
from studio.data.start.presenter import present_pictures

KIND = FieldInfo(
    name="kind", role="target", kind="class", shape=(), dtype="int64", classes=("melanoma", "nevus")
)


def proposal(kind: str, *fields: FieldInfo, **params: str) -> Proposal:
    source = Choice(type=kind, params=params)
    info = DataInfo(source=kind, samples=2, task="classification", fields=fields)
    spec = replace(RunSpec(), data=DataSpec(source=source))
    return Proposal(spec=spec, info=info, graph=Graph())


@pytest.mark.parametrize(
    ("proposed", "name", "label", "caption"),
    [
        (None, "cats/1.png", "cats", "cats"),
        (proposal("image_folder"), "cats/1.png", "cats", "cats"),
        (proposal("image_folder"), "1.png", "", "1.png"),
        (proposal("image_folder", class_folders="inner"), "p1/ill/1.png", "p1", "ill"),
        (proposal("table"), "images/ISIC_1.jpg", "images", "ISIC_1.jpg"),
        (proposal("table", KIND), "images/1.png", "melanoma", "melanoma"),
        (proposal("table", KIND), "images/1.png", "female", "1.png"),  # of another column
        (proposal("image_folder", labels="a.csv"), "images/1.png", "images", "1.png"),
        (proposal("image_folder", labels="a.csv"), "images/1.png", "melanoma", "melanoma"),
    ],
)
def test_that_a_picture_is_called_by_its_class_or_its_file(proposed, name, label, caption):
    pixels = SamplePicture(
        field="image", kind="image", width=2, height=2, channels=3, pixels=bytes(12)
    )
    picture = PeekPicture(name=name, label=label, picture=pixels)
    seen, problem = present_pictures((picture,), "en", proposed)
    assert not problem
    assert [view.label for view in seen] == [caption]
