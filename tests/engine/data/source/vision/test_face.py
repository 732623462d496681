"""Where eyes, nose and mouth of CelebA's faces are, and the boxes around them: as torchvision reads
them, moved with the picture.
"""

import pytest
import torch

from engine.data.browse.picture import Pictures
from engine.data.load.load import load_data
from engine.data.load.part import prepared
from engine.data.source.registry import forget_sources, load_source
from engine.data.source.source import PARTS
from engine.data.transform.plan import plan_transforms
from engine.diagnostics import DiagnosticError
from engine.spec.defaults import default_spec
from engine.spec.first_model import first_model
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.transform import TransformSpec
from tests import face_files as faces

datasets = pytest.importorskip("torchvision.datasets")
FACES = 12


def choice(root, **params):
    forget_sources()
    return Choice(type="CelebA", params={"path": str(root), "variant": "landmarks", **params})


def test_that_landmarks_and_their_parts_are_those_of_torchvision(monkeypatch, tmp_path):
    faces.lay_out(tmp_path, FACES)
    monkeypatch.setattr(datasets.CelebA, "_check_integrity", lambda _: True)
    source = load_source(choice(tmp_path, size=(faces.HEIGHT, faces.WIDTH)))
    for part, split in (("train", "train"), ("validation", "valid"), ("test", "test")):
        theirs = datasets.CelebA(str(tmp_path), split=split, target_type="landmarks")
        rows = (source.given_parts() == PARTS.index(part)).nonzero().flatten().tolist()
        assert [source.index.path(row).name for row in rows] == theirs.filename
        values = source.read(rows)["landmarks"].reshape(-1, 5, 2)
        pixels = values * torch.tensor([faces.WIDTH, faces.HEIGHT])
        assert torch.allclose(pixels.reshape(-1, 10), theirs.landmarks_align.float(), atol=1e-3)
    assert source.infos[1].columns[:3] == ("lefteye_x", "lefteye_y", "righteye_x")


def seen(picture, at):
    """Return where the dot of a landmark is in a picture, as shares of its width and height."""
    color = torch.tensor(faces.COLORS[at]).reshape(3, 1, 1) / 255
    rows, columns = ((picture - color).abs().sum(dim=0) < 0.6).nonzero(as_tuple=True)
    height, width = picture.shape[1:]
    return torch.stack(((columns + 0.5).mean() / width, (rows + 0.5).mean() / height))


@pytest.mark.parametrize("fit", ["crop", "stretch", "pad"])
def test_that_landmarks_lie_where_they_are_seen_when_pictures_are_fitted(fit, tmp_path):
    faces.lay_out(tmp_path, 3)
    source = load_source(choice(tmp_path, size=(96, 128), fit=fit))
    values = source.read([0, 1, 2])
    for picture, points in zip(values["image"], values["landmarks"], strict=True):
        for at, point in enumerate(points.reshape(5, 2)):
            assert torch.allclose(point, seen(picture, at), atol=0.015)


@pytest.mark.parametrize("fit", ["crop", "pad"])
def test_that_a_whole_picture_has_its_points_however_it_is_fitted(fit, tmp_path):
    placed = faces.lay_out(tmp_path, 3)
    source = load_source(choice(tmp_path, size=(96, 128), fit=fit))
    (sample,) = Pictures(source).of([1], 200)
    picture = sample.pictures[0]
    assert picture.names == faces.NAMES
    wanted = torch.tensor(placed[1]) / torch.tensor([faces.WIDTH, faces.HEIGHT])
    assert torch.allclose(torch.tensor(picture.points), wanted.float(), atol=1e-4)


MOVES = {
    "resize": ("Resize", {"size": (109, 89)}),
    "crop": ("CenterCrop", {"size": (150, 120)}),
    "random crop": ("RandomResizedCrop", {"size": (160, 160), "scale": (0.8, 1.0)}),
    "turn": ("RandomRotation", {"degrees": (15, 15)}),
    "pad": ("Pad", {"padding": (5, 11)}),
}


@pytest.mark.parametrize("name", MOVES)
def test_that_landmarks_move_with_the_picture(name, tmp_path):
    faces.lay_out(tmp_path, 3)
    step = TransformSpec(type=MOVES[name][0], params=MOVES[name][1])
    source = load_source(choice(tmp_path, size=(faces.HEIGHT, faces.WIDTH)))
    after = transformed(source, step)
    still = source.read([0])["landmarks"][0]
    assert torch.allclose(after["landmarks"][0], still, atol=0.002) is (name == "resize")
    for at, point in enumerate(after["landmarks"][0].reshape(5, 2)):
        assert torch.allclose(point, seen(after["image"][0], at), atol=0.012)


@pytest.mark.parametrize(
    ("kind", "is_mirrored"),
    [("RandomHorizontalFlip", True), ("RandomVerticalFlip", True), ("RandomRotation", False)],
)
def test_that_the_left_eye_of_a_mirrored_face_is_the_one_at_the_place_of_the_right(
    kind, is_mirrored, tmp_path
):
    faces.lay_out(tmp_path, 3)
    params = {"degrees": (180, 180)} if kind == "RandomRotation" else {"p": 1.0}
    source = load_source(choice(tmp_path, size=(faces.HEIGHT, faces.WIDTH)))
    after = transformed(source, TransformSpec(type=kind, params=params))
    order = (1, 0, 2, 4, 3) if is_mirrored else range(5)
    for at, other in enumerate(order):
        point = after["landmarks"][0].reshape(5, 2)[at]
        assert torch.allclose(point, seen(after["image"][0], other), atol=0.01)


def transformed(source, step):
    """Return sample 0 after a step of the training."""
    parts = {part: torch.arange(at, at + 1) for at, part in enumerate(PARTS)}
    plan = plan_transforms((step,), source, parts)
    assert not [problem for problem in plan.problems if problem.code != "D109"]
    return prepared(source, [0], plan.training.chain, 0, 0)


def test_that_a_model_of_ten_numbers_is_proposed(tmp_path):
    faces.lay_out(tmp_path, FACES)
    source = choice(tmp_path, size=(64, 64))
    loaded = load_data(DataSpec(source=source, split=SplitSpec(kind="given")))
    graph = first_model(loaded.info)
    spec = default_spec(loaded.info, graph)
    (term,) = spec.losses
    assert term.loss.type.endswith("MSELoss")
    assert graph.nodes["head"].params["out_features"] == 2 * len(faces.NAMES)


DAMAGED = {
    "other columns": lambda text: text.replace("lefteye_y", "lefteye_z"),
    "a face without": lambda text: text.rpartition("\n0")[0],
    "too few numbers": lambda text: text.rstrip().rpartition(" ")[0],
    "no number": lambda text: text.rstrip() + "x",
    "nothing but a count": lambda text: "3\n",
}


@pytest.mark.parametrize("name", DAMAGED)
def test_that_a_damaged_list_of_landmarks_is_told(name, tmp_path):
    faces.lay_out(tmp_path, 3)
    file = tmp_path / "celeba" / "list_landmarks_align_celeba.txt"
    file.write_text(DAMAGED[name](file.read_text()))
    with pytest.raises(DiagnosticError) as refused:
        load_source(choice(tmp_path))
    assert refused.value.problems[0].code == "D254"


def test_that_boxes_are_of_the_pictures_before_they_were_aligned(monkeypatch, tmp_path):
    faces.lay_out(tmp_path, FACES)
    boxed = {"variant": "boxes", "size": (64, 80)}
    with pytest.raises(DiagnosticError) as missing:
        load_source(choice(tmp_path, **boxed))
    (problem,) = missing.value.problems
    assert (problem.code, problem.params["file"]) == ("D580", "celeba/img_celeba")
    wild = faces.lay_out_wild(tmp_path, FACES)
    monkeypatch.setattr(datasets.CelebA, "_check_integrity", lambda _: True)
    theirs = datasets.CelebA(str(tmp_path), split="all", target_type="bbox")
    assert theirs.bbox.tolist() == wild.tolist()
    source = load_source(choice(tmp_path, **boxed))
    assert source.boxes().boxes[:, :2].tolist() == wild[:, :2].tolist()
    assert (source.boxes().boxes[:, 2:] - source.boxes().boxes[:, :2]).tolist() == (
        wild[:, 2:].tolist()
    )
    values = source.read(range(FACES))
    for picture, boxes in zip(values["image"], values["boxes"], strict=True):
        rows, columns = (picture[0] > 0.5).nonzero(as_tuple=True)
        white = [int(columns.min()), int(rows.min()), int(columns.max()), int(rows.max())]
        assert torch.allclose(boxes[0], torch.tensor(white) + 0.5, atol=1.6)
    data = DataSpec(source=choice(tmp_path, **boxed), split=SplitSpec(kind="given"))
    loaded = load_data(data)
    assert {part.name: part.samples for part in loaded.info.splits} == (
        dict.fromkeys(("train", "validation", "test"), FACES // 3)
    )
