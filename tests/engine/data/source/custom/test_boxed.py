"""Boxes of the user's own code, as torchvision's detectors take them."""

import pytest
import torch
from msgspec.structs import replace

from engine.custom.trust import set_trust
from engine.data.browse.columns import data_columns
from engine.data.browse.picture import Pictures
from engine.data.load.load import describe_source, load_data, load_split
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.spec.data import IGNORED
from engine.spec.defaults import default_losses
from engine.spec.first_model import first_model
from engine.spec.run import Choice, DataSpec, SplitSpec
from engine.spec.transform import TransformSpec
from engine.train.worker import run_in_thread
from tests.custom_data import of_item, refusal, source_of, trusted
from tests.tiny_run import PATIENCE_S, curves, make_run

pytestmark = [pytest.mark.row("S133")]

SQUARES = """
class Squares(Dataset):
    classes = ["dark", "light"]

    def __len__(self):
        return 12

    def __getitem__(self, i):
        image = torch.full((3, 32, 32), 0.5)
        left, top = float(i), float(2 * (i % 4))
        image[:, int(top):int(top) + 12, i:i + 14] = float(i % 2)
        boxes = [[left, top, left + 14, top + 12]] if i else []
        labels = [i % 2] if i else []
        return image, {"boxes": torch.tensor(boxes), "labels": torch.tensor(labels), "image_id": i}
"""
TARGET = "{'boxes': [[1, 2, 7, 9], [0, 0, 4, 5]], 'labels': [2, 0]}"
CORNERS = [[1, 2, 7, 9], [0, 0, 4, 5]]


def kinds(source):
    return {info.name: (info.role, info.kind) for info in source.infos}


@pytest.mark.parametrize(
    "item",
    [
        f"(torch.ones(3, 10, 12), {TARGET})",
        """(torch.ones(3, 10, 12), {
            'boxes': np.array([[1, 2, 7, 9], [0, 0, 4, 5]]), 'labels': torch.tensor([2, 0]),
            'area': np.ones(2), 'iscrowd': [0, 0], 'image_id': i,
        })""",
        """{
            'input': Image.new('RGB', (12, 10)), 'boxes': [[1, 2, 7, 9], [0, 0, 4, 5]],
            'labels': (2, 0), 'image_id': i,
        }""",
        """(torch.ones(3, 10, 12), {
            'boxes': BoundingBoxes(
                [[1, 2, 6, 7], [0, 0, 4, 5]], format='XYWH', canvas_size=(10, 12)
            ), 'labels': torch.tensor([2, 0]),
        })""",
    ],
)
def test_that_a_target_with_boxes_is_boxes_and_labels(item):
    words = "from torchvision.tv_tensors import BoundingBoxes\n"
    source = source_of(
        f"{words}\nclass Data(Dataset):\n    def __len__(self):\n        return 4\n"
        f"    def __getitem__(self, i):\n        return {item}\n"
    )
    assert kinds(source) == {
        "input": ("input", "image"),
        "boxes": ("target", "boxes"),
        "labels": ("target", "box_classes"),
    }
    assert source.infos[2].classes == ("0", "1", "2")
    values = source.read([3])
    assert values["boxes"][0].tolist() == CORNERS
    assert values["boxes"][0].dtype == torch.float32
    assert values["labels"][0].tolist() == [2, 0]


@pytest.mark.parametrize("first", [0, 1])
def test_that_names_of_classes_count_from_0_or_as_torchvision_from_1(first):
    item = f"(torch.ones(3, 8, 8), {{'boxes': [[0, 0, 4, 4]], 'labels': [{first} + i % 2]}})"
    labels = of_item(item, "classes = ['cat', 'dog']").infos[2]
    assert labels.classes == (("cat", "dog") if first == 0 else ("background", "cat", "dog"))


def test_that_the_collate_fn_of_a_detector_gives_its_lists_back():
    function = "collate_fn = staticmethod(lambda rows: tuple(zip(*rows)))"
    source = source_of(SQUARES.replace("classes =", f"{function}\n    classes ="), "Squares")
    assert source.read([0, 5])["boxes"][1].tolist() == [[5.0, 2.0, 19.0, 14.0]]
    assert source.read([0])["boxes"][0].shape == (0, 4)


def squares(**settings):
    code = trusted(SQUARES)
    return code, DataSpec(
        source=Choice(type="code.data.Squares"),
        split=SplitSpec(train=0.5, validation=0.5, test=0.0),
        batch_size=3,
        **settings,
    )


def test_that_batches_are_filled_up_and_boxes_move_with_their_picture():
    flip = TransformSpec(type="RandomHorizontalFlip", params={"p": 1.0})
    code, spec = squares(transforms=(flip,))
    data = load_data(spec, code)
    source = data.source
    for part, values in {
        "train": data.training.all(),
        "validation": data.tensors("validation"),
    }.items():
        for at, index in enumerate(data.indices[part].tolist()):
            boxes, labels = (source.read([index])[name][0] for name in ("boxes", "labels"))
            if not len(boxes):
                assert values["boxes"][at].tolist() == [[0, 0, 0, 0]]
                assert values["labels"][at].tolist() == [IGNORED]
                continue
            left, top, right, bottom = boxes[0].tolist()
            moved = [32 - right, top, 32 - left, bottom]
            assert values["boxes"][at].tolist() == [moved if part == "train" else boxes[0].tolist()]
            assert torch.equal(values["labels"][at], labels)


def test_that_the_gallery_draws_boxes_and_the_table_counts_them():
    source = source_of(SQUARES, "Squares")
    (picture,) = Pictures(source).of([4], 64)[0].pictures
    assert picture.boxes == ((4 / 32, 0.0, 18 / 32, 12 / 32),)
    assert (picture.labels, picture.classes) == ((0,), ("dark", "light"))
    cells = {
        column.info.name: column.convert(source.read([3])[column.info.name][0].numpy())
        for column in data_columns(source)
    }
    assert cells == {"boxes": 1, "labels": "light"}


@pytest.mark.parametrize(
    ("target", "code"),
    [
        ("{'boxes': [[1, 2, 3]], 'labels': [0]}", "D430"),
        ("{'boxes': [[1, 2, 3, 4]], 'labels': [0, 1]}", "D430"),
        ("{'boxes': [[1, 2, 3, 4]], 'labels': [0.5]}", "D430"),
        ("{'boxes': [[1, 2, 3, float('nan')]], 'labels': [0]}", "D430"),
        ("{'boxes': None, 'labels': [0]}", "D430"),
        ("{'boxes': [[5, 6, 3, 2]], 'labels': [0]}", "D431"),
    ],
)
def test_that_boxes_that_are_none_are_told_with_their_line(target, code):
    problem = refusal(lambda: of_item(f"(torch.ones(3, 8, 8), {target})"))
    assert problem.code == code
    assert (problem.params["index"], problem.params["file"]) == (0, "data.py")


def test_that_a_class_that_no_name_is_known_for_is_told():
    item = "(torch.ones(3, 8, 8), {'boxes': [[0, 0, 4, 4]], 'labels': [5 * (i > 40)]})"
    source = of_item(item, length="50")
    problem = refusal(lambda: source.read([45]))
    assert (problem.code, problem.params["value"]) == ("D264", 5)


@pytest.mark.real
@pytest.mark.parametrize("size", ["small", "large"])
def test_that_a_detector_trains_on_the_users_own_boxes(tmp_path, size):
    code, spec = squares()
    info = describe_source(spec, *load_split(spec, code))
    graph = first_model(info, size)
    whole = {**code, **graph.code}
    set_trust(whole, trusted=True)
    folder = make_run(
        tmp_path,
        replace(graph, code=whole),
        data=spec,
        losses=default_losses(info, graph),
        optimizer=Choice(type="Adam", params={"lr": 0.003}),
        epochs=2,
    )
    assert run_in_thread(Launch(folder=str(folder.path), trusted=True)).join(PATIENCE_S)
    state = read_state(folder)
    assert (state.status, state.problem) == (RunStatus.FINISHED, None)
    assert {"train.loss", "validation.loss", "validation.map"} <= set(curves(folder))
