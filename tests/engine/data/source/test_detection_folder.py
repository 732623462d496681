"""Pictures with boxes in the formats that they come in: the same boxes of all, parts, names, what
is left out, and what strangers' files must not do.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec.structs import replace
from PIL import Image

from engine.custom.trust import set_trust
from engine.data.load.load import load_data
from engine.data.preview import describe
from engine.data.source.boxes import found
from engine.data.source.boxes.files import part_of
from engine.data.source.boxes.folder import DetectionFolderSource
from engine.data.source.boxes.yolo import yaml_names
from engine.data.source.registry import forget_sources, load_source
from engine.diagnostics import DiagnosticError
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch
from engine.runs.record.state import RunStatus
from engine.spec.run import Choice, DataSpec, LoaderSpec, RunSpec, SplitSpec
from engine.spec.transform import TransformSpec
from engine.spec.transform_repair import transform_repairs
from engine.train.worker import run_in_thread
from tests.tiny_run import PATIENCE_S, curves

SIZE = (40, 50)  # height and width
CLASSES = ("cat", "dog 狗")
BOXES: dict[str, list[tuple[float, float, float, float, int]]] = {
    "图 1.jpg": [(5, 4, 25, 14, 0), (10, 20, 50, 40, 1)],
    "b.png": [(1, 1, 11, 31, 1)],
    "empty.png": [],
}
"""Left, top, right, bottom and class of the boxes of some pictures."""


def pictures(folder: Path, size: tuple[int, int] = SIZE, names=tuple(BOXES)) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    chance = np.random.default_rng(1)
    for name in names:
        values = chance.integers(0, 255, (*size, 3), np.uint8)
        Image.fromarray(values).save(folder / name)
    return folder


def coco_text(boxes=BOXES, size: tuple[int, int] = SIZE, **more) -> dict:
    return {
        "images": [
            {"id": 100 + at, "file_name": name, "height": size[0], "width": size[1]}
            for at, name in enumerate(boxes)
        ],
        "categories": [{"id": 7, "name": CLASSES[1]}, {"id": 3, "name": CLASSES[0]}],
        "annotations": [
            {
                "id": 1,
                "image_id": 100 + at,
                "category_id": (3, 7)[label],
                "bbox": [left, top, right - left, bottom - top],
                "iscrowd": 0,
                "segmentation": [[left, top, right, bottom]],
            }
            for at, rows in enumerate(boxes.values())
            for left, top, right, bottom, label in rows
        ],
        **more,
    }


def as_coco(root: Path) -> None:
    pictures(root / "images")
    (root / "annotations").mkdir()
    (root / "annotations" / "instances.json").write_text(json.dumps(coco_text()), "utf-8")
    (root / "annotations" / "captions.json").write_text('{"images": [], "annotations": []}')


def voc_text(name: str, rows, size: tuple[int, int] = SIZE, first: int = 1) -> str:
    objects = "".join(
        f"<object><name>{CLASSES[label]}</name><part><name>tail</name></part><bndbox>"
        f"<xmax>{right}</xmax><xmin>{left + first}</xmin>"
        f"<ymin>{top + first}</ymin><ymax>{bottom}</ymax></bndbox></object>\n"
        for left, top, right, bottom, label in rows
    )
    sides = f"<size><width>{size[1]}</width><height>{size[0]}</height></size>"
    return f"<annotation><filename>{name}</filename>{sides}\n{objects}</annotation>"


def as_voc(root: Path) -> None:
    pictures(root / "JPEGImages")
    (root / "Annotations").mkdir(parents=True)
    for name, rows in BOXES.items():
        file = root / "Annotations" / f"{Path(name).stem}.xml"
        file.write_text(voc_text(name, rows), "utf-8")


def yolo_text(rows, size: tuple[int, int] = SIZE) -> str:
    height, width = size
    return "\n".join(
        f"{label} {(left + right) / 2 / width} {(top + bottom) / 2 / height}"
        f" {(right - left) / width} {(bottom - top) / height}"
        for left, top, right, bottom, label in rows
    )


def as_yolo(root: Path) -> None:
    pictures(root / "images")
    (root / "labels").mkdir()
    for name, rows in BOXES.items():
        if rows:  # a picture without a file has no boxes
            (root / "labels" / f"{Path(name).stem}.txt").write_text(yolo_text(rows))
    settings = f"nc: 2\nnames:  # of the classes\n  0: {CLASSES[0]}\n  1: '{CLASSES[1]}'\n"
    (root / "data.yaml").write_text(settings, "utf-8")


def as_table(root: Path) -> None:
    pictures(root / "photos")
    rows = [
        f"photos/{name},{left},{top},{right},{bottom},{CLASSES[label]}"
        for name, boxes in BOXES.items()
        for left, top, right, bottom, label in boxes
    ]
    text = "\n".join(["path,x1,y1,x2,y2,class", *rows, "photos/empty.png,,,,,"])
    (root / "boxes.csv").write_text(text, "utf-8")


def as_sized_table(root: Path) -> None:
    """Write a row for each box with its left, top, width and height."""
    pictures(root / "photos")
    rows = [
        f"{CLASSES[label]};{right - left};{bottom - top};{left};{top};photos/{name}"
        for name, boxes in BOXES.items()
        for left, top, right, bottom, label in boxes
    ]
    text = "\n".join(["label;w;h;x;y;path", *rows, ";;;;;photos/empty.png"])
    (root / "boxes.csv").write_text(text, "utf-8")


def as_lines(root: Path) -> None:
    """Write a line of JSON for each box."""
    pictures(root / "photos")
    rows: list[dict[str, object]] = [
        {
            "path": f"photos/{name}",
            "bbox": [left, top, right - left, bottom - top],
            "label": CLASSES[label],
        }
        for name, boxes in BOXES.items()
        for left, top, right, bottom, label in boxes
    ]
    rows.append({"path": "photos/empty.png", "bbox": None, "label": None})
    text = "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)
    (root / "boxes.jsonl").write_text(text, "utf-8")


FORMATS: dict[str, Callable[[Path], None]] = {
    "coco": as_coco,
    "voc": as_voc,
    "yolo": as_yolo,
    "table": as_table,
    "sized table": as_sized_table,
    "JSON lines": as_lines,
}


def source_of(path: Path, **params: object) -> DetectionFolderSource:
    chosen = {"path": str(path), "size": None, **params}
    source = load_source(Choice(type="detection_folder", params=chosen))
    assert isinstance(source, DetectionFolderSource)
    return source


def boxes_of(source: DetectionFolderSource) -> dict[str, list[tuple[float, ...]]]:
    values = source.read(range(source.samples))
    return {
        source.text("image", at).rpartition("/")[2]: [
            (*(round(side, 3) for side in box), label)
            for box, label in zip(
                values["boxes"][at].tolist(), values["labels"][at].tolist(), strict=True
            )
        ]
        for at in range(source.samples)
    }


def refused(path: Path, **params: object) -> tuple[str, dict[str, object]]:
    with pytest.raises(DiagnosticError) as caught:
        source_of(path, **params).read([0])
    problem = caught.value.problems[0]
    return problem.code, dict(problem.params)


def codes(source: DetectionFolderSource) -> dict[str, object]:
    return {problem.code: problem.params["count"] for problem in source.check({})}


@pytest.mark.parametrize("written", FORMATS)
def test_that_all_formats_give_the_same_boxes_of_the_same_classes(tmp_path, written):
    FORMATS[written](tmp_path)
    source = source_of(tmp_path)
    assert source.format == (written if written in ("coco", "voc", "yolo") else "table")
    assert source.infos[2].classes == CLASSES
    assert boxes_of(source) == BOXES
    assert len(set(source.keys(range(3)))) == 3
    assert set(codes(source)) <= {"D289"}


@pytest.mark.parametrize("written", FORMATS)
def test_that_a_folder_is_proposed_with_its_boxes_and_loads(tmp_path, written):
    FORMATS[written](tmp_path)
    proposal = propose_data(ProposeData(path=str(tmp_path)))
    source = proposal.spec.data.source
    assert source.type == "detection_folder"
    data = load_data(proposal.spec.data)
    boxes = data.raw(range(data.source.samples))["boxes"]
    assert float(boxes.max()) == 50


@pytest.mark.parametrize(
    ("written", "file"),
    [("coco", "annotations/instances.json"), ("yolo", "data.yaml"), ("table", "boxes.csv")],
)
def test_that_the_file_of_boxes_alone_leads_to_its_pictures(tmp_path, written, file):
    FORMATS[written](tmp_path)
    source = propose_data(ProposeData(path=str(tmp_path / file))).spec.data.source
    assert source.type == "detection_folder"
    assert source.params["path"] == str(tmp_path)
    loaded = load_source(source)
    assert loaded.samples == 3


def test_that_parts_come_from_files_and_folders(tmp_path):
    for part in ("train2017", "val2017"):
        pictures(tmp_path / part)
        (tmp_path / "annotations").mkdir(exist_ok=True)
        file = tmp_path / "annotations" / f"instances_{part}.json"
        file.write_text(json.dumps(coco_text()), "utf-8")
    source = source_of(tmp_path)
    parts = source.given_parts()
    assert parts is not None
    assert parts.tolist() == [0, 0, 0, 1, 1, 1]
    assert source.boxes().counts.tolist() == [1, 0, 2] * 2
    assert part_of("annotations/instances_val2017.json") == 1
    assert part_of("valid/_annotations.coco.json") == 1
    assert part_of("strain.json") == -1


def test_that_lists_of_pascal_voc_give_parts(tmp_path):
    as_voc(tmp_path)
    lists = tmp_path / "ImageSets" / "Main"
    lists.mkdir(parents=True)
    (lists / "train.txt").write_text("图 1\n", "utf-8")
    (lists / "val.txt").write_text("b\n")
    parts = source_of(tmp_path).given_parts()
    assert parts is not None
    assert sorted(parts.tolist()) == [-1, 0, 1]


def test_that_lists_of_pascal_voc_in_the_folder_of_a_year_give_parts(tmp_path):
    for year, part in (("VOC2007", "train"), ("VOC2012", "val")):
        as_voc(tmp_path / year)
        lists = tmp_path / year / "ImageSets" / "Main"
        lists.mkdir(parents=True)
        (lists / f"{part}.txt").write_text("图 1\nb\nempty\n", "utf-8")
    found = propose_data(ProposeData(path=str(tmp_path)))
    assert found.spec.data.split.kind == "given"
    parts = source_of(tmp_path).given_parts()
    assert parts is not None
    assert parts.tolist() == [0, 0, 0, 1, 1, 1]


def test_that_boxes_of_voc_counted_from_0_are_corners(tmp_path):
    pictures(tmp_path / "images", names=["a.png"])
    text = voc_text("a.png", [(0, 0, 10, 12, 0), (3, 4, 9, 9, 1)], first=0)
    (tmp_path / "a.xml").write_text(text, "utf-8")
    assert boxes_of(source_of(tmp_path))["a.png"] == [(0, 0, 10, 12, 0), (3, 4, 9, 9, 1)]


def test_that_boxes_follow_their_picture_into_another_size(tmp_path):
    as_coco(tmp_path)
    names = sorted(BOXES)  # the order of the files
    first = names.index("图 1.jpg")

    def fitted(fit: str) -> list[list[float]]:
        source = source_of(tmp_path, size=(20, 20), fit=fit)
        assert source.infos[0].shape == (3, 20, 20)
        return source.read([first])["boxes"][0].tolist()

    assert fitted("stretch") == [[2, 2, 10, 7], [4, 10, 20, 20]]
    # 50 × 40 becomes 20 × 16, with 2 rows of black above and below
    assert torch.tensor(fitted("pad")).allclose(
        torch.tensor([[2.0, 3.6, 10, 7.6], [4, 10, 20, 18]])
    )
    # 5 columns are lost at each side, the rest is half as large
    assert fitted("crop") == [[0, 2, 10, 7], [2.5, 10, 20, 20]]


def test_that_boxes_beyond_their_picture_are_cut_and_empty_ones_left_out_and_counted(tmp_path):
    pictures(tmp_path, names=["a.png"])
    rows = [(-5, 2, 10, 60, 0), (9, 9, 9, 12, 0), (20, 9, 12, 12, 1), (60, 5, 70, 9, 1)]
    rows += [(0, 0, 50.2, 40, 1)]  # rounding is no mistake
    (tmp_path / "b.json").write_text(json.dumps(coco_text({"a.png": rows})), "utf-8")
    source = source_of(tmp_path)
    assert boxes_of(source)["a.png"] == [(0, 2, 10, 40, 0), (0, 0, 50, 40, 1)]
    assert codes(source) == {"D291": 1, "D292": 3}


def test_that_crowds_unknown_and_unnamed_pictures_are_counted(tmp_path):
    pictures(tmp_path, names=["a.png", "b.png", "c.png"])
    text = coco_text({"a.png": [(1, 1, 9, 9, 0), (0, 0, 9, 9, 0)], "gone.png": [(1, 1, 2, 2, 1)]})
    text["annotations"][1]["iscrowd"] = 1
    (tmp_path / "b.json").write_text(json.dumps(text), "utf-8")
    source = source_of(tmp_path)
    assert boxes_of(source) == {"a.png": [(1, 1, 9, 9, 0)]}
    assert codes(source) == {"D293": 1, "D294": 2, "D295": 1}


def test_that_a_picture_of_another_size_than_its_boxes_is_refused(tmp_path):
    as_coco(tmp_path)
    pictures(tmp_path / "images", (20, 20))
    code, params = refused(tmp_path)
    assert code == "D296"
    assert (params["picture"], params["boxes"]) == ("20 × 20", "50 × 40")


def test_that_without_names_classes_are_numbers_and_with_names_others_are_refused(tmp_path):
    as_yolo(tmp_path)
    (tmp_path / "data.yaml").unlink()
    assert source_of(tmp_path).infos[2].classes == ("0", "1")
    (tmp_path / "labels" / "classes.txt").write_text("one\n")
    code, params = refused(tmp_path)
    assert (code, params["line"], params["value"]) == ("D302", 1, "1")
    (tmp_path / "labels" / "classes.txt").write_text("one\ntwo\n")
    assert source_of(tmp_path).infos[2].classes == ("one", "two")


def test_that_an_outline_has_the_box_around_it(tmp_path):
    pictures(tmp_path, names=["a.png"])
    (tmp_path / "a.txt").write_text("0 0.1 0.2 0.5 0.1 0.4 0.9\n")
    assert boxes_of(source_of(tmp_path))["a.png"] == [(5, 4, 25, 36, 0)]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("names: [cat, 'a, b', \"c: d\"]  # three", ("cat", "a, b", "c: d")),
        ("names: [\n  cat,\n  dog\n]\nnc: 2", ("cat", "dog")),
        ("names:\n- cat\n- 'it''s'\nnc: 2", ("cat", "it's")),
        ("names:\n  0: cat\n\n  # none\n  2: dog # pet\ntrain: x", ("cat", "1", "dog")),
        ("names: {0: cat, 1: dog}", ("cat", "dog")),
        ("names: !!python/object/apply:os.system ['true']", ()),
        ("names: [cat", ("cat",)),
        ("nc: 3", ()),
        ("names:\n  999999999: x", ()),
    ],
)
def test_that_names_of_classes_are_read_from_settings_of_yolo(text, names):
    assert yaml_names(text) == names


@pytest.mark.parametrize(
    ("name", "text", "code", "line"),
    [
        ("b.json", '{"images": [],\n"annotations": [,]', "D402", 2),
        ("b.json", "[" * 100_000 + '"images" "annotations"', "D301", None),
        ("b.json", '{"images": 3, "annotations": [], "categories": []}', "D301", None),
        ("b.csv", "path,x1,y1,x2,y2,class\na.png,1,2,3,4,cat\na.png,1,x,3,4,cat", "D288", 3),
        ("b.csv", "path,x1,y1,x2,y2,class\na.png,1,2,3\n", "D288", 2),
        ("a.xml", "<annotation>\n<object><name>cat</name></object></annotation>", "D288", 2),
        ("a.xml", "<annotation>\n<object>\n</annotation>", "D402", 3),
        ("a.xml", "<annotation>" + "<a>" * 200, "D288", 1),
        ("a.xml", '<!DOCTYPE a [<!ENTITY b "c">]>\n<annotation>&b;</annotation>', "D300", None),
        ("a.xml", '<!DOCTYPE a SYSTEM "file:///etc/passwd">\n<annotation/>', "D300", None),
        ("a.txt", "0 0.5 0.5 0.2 0.2\n1 0.5 0.5 0.2\n", "D288", 2),
        ("a.txt", "0 0.5 0.5 0.2 0.2\n1.5 0.5 0.5 0.2 0.2\n", "D288", 2),
        ("a.txt", "0 0.5 0.5 0.2 0.2\n99999999999 0.5 0.5 0.2 0.2\n", "D302", 2),
    ],
)
def test_that_a_damaged_file_is_named_with_its_line(tmp_path, name, text, code, line):
    pictures(tmp_path, names=["a.png"])
    (tmp_path / name).write_text(text, "utf-8")
    told, params = refused(tmp_path, boxes=str(tmp_path / name))
    assert (told, params.get("line")) == (code, line)
    assert str(tmp_path / name) in str(params["file"])


def test_that_many_boxes_are_read_and_more_than_the_limit_refused(tmp_path, monkeypatch):
    pictures(tmp_path, names=["a.png"])
    rows = [(at % 40, at % 30, at % 40 + 5, at % 30 + 5, at % 2) for at in range(50_000)]
    text = "\n".join(f"a.png,{a},{b},{c},{d},{e}" for a, b, c, d, e in rows)
    (tmp_path / "b.csv").write_text(text)
    source = source_of(tmp_path)
    assert source.boxes().counts.tolist() == [len(rows)]
    assert source.boxes().boxes_of(0)[12_345].tolist() == list(rows[12_345][:4])
    monkeypatch.setattr(found, "MOST_BOXES", len(rows) - 1)
    forget_sources()
    assert refused(tmp_path)[0] == "D297"


def test_that_names_that_lead_out_of_the_folder_are_no_pictures(tmp_path):
    inner = pictures(tmp_path / "data", names=["a.png"])
    pictures(tmp_path, names=["secret.png"])
    rows = [(1, 1, 5, 5, 0)]
    names = {"../secret.png": rows, "/etc/passwd": rows, "a.png": rows, "x/../a.png\0": rows}
    (inner / "b.json").write_text(json.dumps(coco_text(names)), "utf-8")
    source = source_of(inner)
    assert boxes_of(source) == {"a.png": rows}
    assert codes(source)["D293"] == 3


def test_that_without_boxes_or_with_those_of_other_pictures_is_told(tmp_path):
    pictures(tmp_path, names=["a.png"])
    assert refused(tmp_path)[0] == "D287"
    assert refused(tmp_path, boxes=str(tmp_path / "gone.json"))[0] == "D020"
    (tmp_path / "b.csv").write_text("other.png,1,2,3,4,cat\n")
    code, params = refused(tmp_path)
    assert (code, params["example"]) == ("D303", "other.png")


def test_that_changed_files_are_read_again(tmp_path):
    as_table(tmp_path)
    before = source_of(tmp_path)
    assert (
        load_source(Choice(type="detection_folder", params={"path": str(tmp_path), "size": None}))
        is before
    )
    file = tmp_path / "boxes.csv"
    file.write_text(file.read_text("utf-8").replace("1,1,11,31", "2,3,12,33"), "utf-8")
    after = source_of(tmp_path)
    assert boxes_of(after)["b.png"] == [(2, 3, 12, 33, 1)]
    assert after.version() != before.version()
    assert after.content_digest() != before.content_digest()


def test_that_pictures_of_several_sizes_need_a_resize_which_moves_their_boxes(tmp_path):
    pictures(tmp_path, names=["a.png", "c.png"])
    pictures(tmp_path, (20, 20), names=["b.png"])
    rows = (f"{name}.png,5,10,10,20,cat" for name in "abc")
    (tmp_path / "boxes.csv").write_text("\n".join(rows))
    source = Choice(type="detection_folder", params={"path": str(tmp_path), "size": None})
    split = SplitSpec(kind="sequential", train=1.0, validation=0.0, test=0.0)
    data = DataSpec(source=source, split=split)
    info = describe(data)
    problem = next(each for each in info.problems if each.code == "D105")
    repair = next(iter(transform_repairs(problem, RunSpec(data=data), info)))
    assert repair.words.code == "F090"
    resize = TransformSpec(type="Resize", params={"size": (80, 100)})
    loaded = load_data(DataSpec(source=source, split=split, transforms=(resize,)))
    values = loaded.tensors("train")
    assert values["image"].shape == (3, 3, 80, 100)
    assert values["boxes"].tolist() == [
        [[10, 20, 20, 40]], [[25, 40, 50, 80]], [[10, 20, 20, 40]],
    ]  # fmt: skip


def test_that_a_file_that_is_too_large_and_too_many_classes_are_refused(tmp_path, monkeypatch):
    as_table(tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        found.read_boxes(tmp_path / "boxes.csv", 10)
    assert caught.value.problems[0].code == "D299"
    monkeypatch.setattr(found, "MOST_CLASSES", 1)
    assert refused(tmp_path)[0] == "D298"


def test_that_links_and_odd_files_among_labels_do_no_harm(tmp_path):
    as_yolo(tmp_path)
    (tmp_path / "labels" / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "labels" / "gone.txt").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "labels" / "pipe.txt")
    (tmp_path / "labels" / "empty.txt").write_text("")
    assert boxes_of(source_of(tmp_path)) == BOXES


@pytest.mark.parametrize("workers", [0, pytest.param(2, marks=pytest.mark.real)])
def test_that_the_proposed_detector_learns_the_boxes_of_a_folder(tmp_path, workers):
    as_coco(tmp_path / "data")
    proposal = propose_data(ProposeData(path=str(tmp_path / "data")))
    assert proposal.graph is not None
    split = SplitSpec(kind="sequential", train=1.0, validation=0.0, test=0.0)
    flip = TransformSpec(type="RandomHorizontalFlip")
    loader = LoaderSpec(num_workers=workers)
    data = replace(proposal.spec.data, split=split, transforms=(flip,), loader=loader, batch_size=2)
    spec = replace(proposal.spec, data=data, epochs=1)
    run = RunFolder.create(tmp_path / "project", proposal.graph, spec)
    assert run_in_thread(Launch(folder=str(run.path), trusted=True)).join(PATIENCE_S)
    state = read_state(run)
    set_trust(proposal.graph.code, trusted=False)
    assert state.status is RunStatus.FINISHED, state.problem
    assert "train.loss" in curves(run)
    assert "train.map" not in curves(run)  # boxes are found in no step of training
