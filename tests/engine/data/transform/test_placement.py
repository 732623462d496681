"""Where pictures lie after resizing, cropping, padding and flipping, and the way back: shown on
what is painted into a picture and goes through the same changes.
"""

import numpy as np
import pytest
import torch

from engine.data.read.fit import fit_image, fit_placement
from engine.data.read.placement import Placement
from engine.data.transform.chain import Chain
from engine.data.transform.placement import chain_placement
from engine.data.transform.step import build_step
from engine.diagnostics import DiagnosticError
from engine.spec.transform import TransformSpec

SIZE = (120, 200)
BOX = (84, 40, 116, 76)  # left, top, right, bottom
FLOAT = {"dtype": "float32"}
FLIP = "RandomHorizontalFlip"


def chain(*transforms: TransformSpec) -> Chain:
    steps = tuple(build_step(number, each) for number, each in enumerate(transforms))
    return Chain(steps=steps, kinds={"photo": "image", "other": "image"})


def of(name: str, **params: object) -> TransformSpec:
    return TransformSpec(type=name, params=params)


def painted() -> torch.Tensor:
    """Return a black picture with a white rectangle."""
    photo = torch.zeros(3, *SIZE)
    left, top, right, bottom = BOX
    photo[:, top:bottom, left:right] = 1
    return photo


def box_in(picture: torch.Tensor) -> torch.Tensor:
    """Return the box around what is white."""
    rows, columns = (picture[0] > 0.5).nonzero(as_tuple=True)
    ends = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    return torch.tensor([ends], dtype=torch.float32)


def assert_leads_back(placement: Placement, picture: torch.Tensor) -> None:
    """Assert that what is white in a picture is found where it was painted, up to a pixel of it."""
    assert placement.picture == SIZE
    assert placement.result == tuple(picture.shape[-2:])
    pixel = max(1 / abs(scale) for scale in placement.scale)
    back = placement.boxes_back(box_in(picture))
    assert torch.allclose(back, torch.tensor([BOX], dtype=torch.float64), atol=pixel)
    there = placement.boxes(torch.tensor([BOX], dtype=torch.float32))
    if min(placement.scale) > 0:
        assert torch.allclose(there, box_in(picture), atol=1.0)


@pytest.mark.parametrize("fit", ["crop", "stretch", "pad"])
@pytest.mark.parametrize("size", [(60, 60), (48, 100), (300, 240)])
def test_that_a_box_is_found_back_where_a_picture_was_fitted(fit, size):
    assert_leads_back(fit_placement(SIZE, *size, fit), fit_image(painted(), *size, fit))


@pytest.mark.parametrize(
    "transforms",
    [
        (of("Resize", size=(64,)), of("CenterCrop", size=(64,))),
        (of("Resize", size=(90, 110)), of("Pad", padding=(3, 5, 7, 9))),
        (of("CenterCrop", size=(160, 100)),),
        (of("Pad", padding=(4,)), of("Resize", size=(50,), max_size=60), of("ToDtype", **FLOAT)),
        (of(FLIP, p=1.0), of("Resize", size=(90,))),
        (of("ColorJitter"), of("GaussianBlur", kernel_size=3), of(FLIP, p=0.0)),
        (TransformSpec(type="CenterCrop", params={"size": (8,)}, field="other"),),
    ],
)  # fmt: skip
def test_that_a_box_is_found_back_after_a_chain(transforms):
    made = chain(*transforms)
    sample = {"photo": painted(), "other": painted()}
    placement = chain_placement(made, "photo", SIZE)
    assert_leads_back(placement, made.apply(sample, 0, 0, 0)["photo"])


def test_that_fitting_and_transforms_come_one_after_the_other():
    made = chain(of("CenterCrop", size=(80, 120)))
    fitted = fit_image(painted(), 180, 150, "pad")
    placement = fit_placement(SIZE, 180, 150, "pad")
    placement = placement.then(chain_placement(made, "photo", (180, 150)))
    sample = {"photo": fitted, "other": fitted}
    assert_leads_back(placement, made.apply(sample, 0, 0, 0)["photo"])


@pytest.mark.parametrize("name", ["ElasticTransform", "RandomRotation", FLIP])
def test_that_there_is_no_way_back_where_a_transform_draws_where_pixels_go(name):
    params = {"degrees": 5.0} if name == "RandomRotation" else {}
    made = chain(of("Resize", size=(64,)), of(name, **params))
    with pytest.raises(DiagnosticError) as caught:
        chain_placement(made, "photo", SIZE)
    (problem,) = caught.value.problems
    assert (problem.code, problem.params) == ("P066", {"number": 2, "name": name})


def test_that_boxes_end_where_the_picture_does():
    placement = fit_placement(SIZE, 100, 100, "pad")  # 20 rows of black above and below
    back = placement.boxes_back(torch.tensor([[-5.0, 0.0, 130.0, 30.0]]))
    assert back.tolist() == [[0, 0, 200, 20]]


def test_that_a_mask_has_the_size_of_the_picture_and_tells_what_was_cut_away():
    placement = fit_placement(SIZE, 60, 60, "crop")  # 40 columns are cut away on each side
    mask = np.arange(60 * 60, dtype=np.uint16).reshape(60, 60)
    back = placement.mask_back(mask, (60, 60), 65_535)
    assert (back.shape, back.dtype) == (SIZE, np.uint16)
    assert (back[:, :40] == 65_535).all()
    assert (back[:, 160:] == 65_535).all()
    assert (back[:, 40:160] == mask.repeat(2, axis=0).repeat(2, axis=1)).all()
    flipped = Placement(picture=SIZE, result=SIZE, scale=(-1.0, 1.0), shift=(200.0, 0.0))
    wide = np.arange(24_000, dtype=np.uint16).reshape(SIZE)
    assert (flipped.mask_back(wide, SIZE, 0) == wide[:, ::-1]).all()


def test_that_a_coarser_mask_lies_over_all_of_the_picture():
    placement = Placement(picture=(8, 8), result=(4, 4), scale=(0.5, 0.5))
    back = placement.mask_back(np.array([[1, 2], [3, 4]], np.uint8), (4, 4), 0)
    assert (back == np.array([[1, 2], [3, 4]]).repeat(4, axis=0).repeat(4, axis=1)).all()


def test_that_a_mask_of_a_padded_batch_is_cut_to_its_picture():
    mask = np.arange(36, dtype=np.uint8).reshape(6, 6)
    assert (
        Placement(picture=(4, 3), result=(4, 3)).mask_back(mask, (6, 6), 99) == mask[:4, :3]
    ).all()
    cropped = Placement(picture=(4, 5), result=(4, 3), shift=(-1.0, 0.0))
    assert cropped.mask_back(mask, (6, 6), 99)[0].tolist() == [99, 0, 1, 2, 99]
