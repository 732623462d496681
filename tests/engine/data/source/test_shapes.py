"""Pictures of drawn shapes: what is in them, and where it is."""

import pytest
import torch

from engine.data.source.registry import load_source
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice


def shapes(**params):
    return load_source(Choice(type="shapes", params=params))


def values(source, name: str) -> torch.Tensor:
    column = source.column(name)
    assert column is not None
    return column


def test_that_pictures_have_the_chosen_size_and_every_shape_as_often():
    source = shapes(samples=40, size=20)
    assert values(source, "image").shape == (40, 3, 20, 20)
    label = next(info for info in source.infos if info.name == "label")
    counts = torch.bincount(values(source, "label"), minlength=len(label.classes))
    assert set(counts.tolist()) == {40 // len(label.classes)}


def test_that_a_shape_stands_out_from_its_ground():
    images = values(shapes(samples=30, size=32, noise=0.0), "image")
    ground = images[:, :, 0, 0]
    differs = (images - ground[:, :, None, None]).abs().amax(dim=1) > 0.02
    share = differs.flatten(1).float().mean(dim=1)
    assert bool((share > 0.01).all())
    assert bool((share < 0.9).all())


def test_that_the_center_of_a_shape_is_told_beside_its_class():
    source = shapes(samples=30, size=64, noise=0.0, target="center", classes=2)  # symmetric ones
    images, centers = values(source, "image"), values(source, "center")
    alone = shapes(samples=30, size=64, noise=0.0, classes=2)
    assert torch.equal(images, values(alone, "image"))
    assert torch.equal(values(source, "label"), values(alone, "label"))
    assert alone.column("center") is None
    info = next(info for info in source.infos if info.name == "center")
    assert (info.columns, info.point_names) == (("center_x", "center_y"), ("center",))
    along = (torch.arange(64) + 0.5) / 64
    for image, center in zip(images, centers, strict=True):
        is_shape = (image - image[:, :1, :1]).abs().amax(dim=0) > 0.02
        rows, columns = is_shape.nonzero(as_tuple=True)
        middle = torch.stack((along[columns].mean(), along[rows].mean()))
        assert torch.allclose(middle, center, atol=1 / 64)


def test_that_a_mask_says_which_pixels_belong_to_a_shape():
    source = shapes(samples=30, size=32, noise=0.0, target="mask", classes=3)
    images, masks = values(source, "image"), values(source, "mask")
    info = next(info for info in source.infos if info.name == "mask")
    assert info.classes == ("background", "circle", "square", "triangle")
    assert set(masks.unique().tolist()) == {0, 1, 2, 3}
    for image, mask in zip(images, masks, strict=True):
        ground = image[:, mask == 0].median(dim=1).values
        inside = image[:, mask > 0]
        assert (inside - ground[:, None]).abs().amax(dim=0).mean() > 0.05


def test_that_boxes_lie_close_around_shapes():
    source = shapes(samples=40, size=64, noise=0.0, target="boxes", classes=5)
    table = source.boxes()
    assert table is not None
    assert set(table.counts.tolist()) == {1, 2, 3, 4}
    assert set(table.labels.tolist()) == {0, 1, 2, 3, 4}
    for index, image in enumerate(values(source, "image")):
        ground = image.flatten(1).median(dim=1).values[:, None, None]
        is_shape = (image - ground).abs().amax(dim=0) > 0.01
        is_boxed = torch.zeros_like(is_shape)
        for left, top, right, bottom in table.boxes_of(index).tolist():
            columns = slice(int(left), -int(-right // 1))
            rows = slice(int(top), -int(-bottom // 1))
            inside = is_shape[rows, columns]
            edges = (inside[0], inside[-1], inside[:, 0], inside[:, -1])
            assert all(bool(edge.any()) for edge in edges)
            is_boxed[rows, columns] = True
        assert not (is_shape & ~is_boxed).any()


def test_that_too_many_pixels_are_refused_before_they_are_drawn():
    with pytest.raises(DiagnosticError) as caught:
        shapes(samples=100_000, size=512)
    assert caught.value.problems[0].code == "D005"
