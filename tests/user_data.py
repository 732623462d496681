"""Data of every kind that a user may have, small: what tests spoil.

Each function makes it in a folder and returns what is chosen, and one file of it.
"""

import gzip
import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import torch
from PIL import Image

from tests import sound_files
from tests.table_files import workbook
from tests.vision_files import idx

Made = tuple[Path, Path]

ROWS = [(n % 10, n % 7, "low" if n % 10 < 5 else "high") for n in range(60)]
VALUES = np.random.default_rng(0).normal(size=(60, 5)).astype(np.float32)
LABELS = (VALUES[:, 0] > 0).astype(np.int64)


def csv(folder: Path) -> Made:
    file = folder / "表 格.csv"
    file.write_text("a,b,kind\n" + "".join(f"{a},{b},{kind}\n" for a, b, kind in ROWS))
    return file, file


def packed_csv(folder: Path) -> Made:
    plain, _ = csv(folder)
    file = folder / "t.csv.gz"
    file.write_bytes(gzip.compress(plain.read_bytes()))
    plain.unlink()
    return file, file


def json_lines(folder: Path) -> Made:
    file = folder / "t.jsonl"
    rows = [json.dumps({"a": a, "b": b, "kind": kind}) for a, b, kind in ROWS]
    file.write_text("\n".join(rows) + "\n")
    return file, file


def xlsx(folder: Path) -> Made:
    file = folder / "t.xlsx"
    file.write_bytes(workbook({"s": [("a", "b", "kind"), *ROWS]}))
    return file, file


def sqlite(folder: Path) -> Made:
    file = folder / "t.db"
    connection = sqlite3.connect(file)
    connection.execute("CREATE TABLE t (a, b, kind)")
    connection.executemany("INSERT INTO t VALUES (?, ?, ?)", ROWS)
    connection.commit()
    connection.close()
    return file, file


def npz(folder: Path) -> Made:
    np.savez(folder / "a.npz", x=VALUES, y=LABELS)
    return folder / "a.npz", folder / "a.npz"


def npy_files(folder: Path) -> Made:
    root = folder / "arrays"
    root.mkdir()
    np.save(root / "x.npy", VALUES)
    np.save(root / "y.npy", LABELS)
    return root, root / "x.npy"


def pt(folder: Path) -> Made:
    torch.save({"x": torch.from_numpy(VALUES), "y": torch.from_numpy(LABELS)}, folder / "a.pt")
    return folder / "a.pt", folder / "a.pt"


def safetensors(folder: Path) -> Made:
    from safetensors.torch import save_file

    file = folder / "a.safetensors"
    save_file({"x": torch.from_numpy(VALUES), "y": torch.from_numpy(LABELS)}, file)
    return file, file


def idx_files(folder: Path) -> Made:
    root = folder / "idx"
    root.mkdir()
    pictures = np.random.default_rng(0).integers(0, 255, (60, 8, 8), np.uint8)
    (root / "train-images-idx3-ubyte").write_bytes(idx(pictures))
    (root / "train-labels-idx1-ubyte").write_bytes(idx(LABELS.astype(np.uint8)))
    return root, root / "train-images-idx3-ubyte"


def text(folder: Path) -> Made:
    file = folder / "文 本.txt"
    file.write_text("The quick brown fox jumps over the lazy dog. 你好，世界。\n" * 100)
    return file, file


def text_folder(folder: Path) -> Made:
    root = folder / "texts"
    for name, words in (("bad", "awful poor"), ("good", "nice fine")):
        (root / name).mkdir(parents=True)
        for number in range(12):
            (root / name / f"{number}.txt").write_text(f"{words} {words} number {number}\n")
    return root, root / "bad" / "3.txt"


def pictures(folder: Path) -> Made:
    root = folder / "图 片"
    chance = np.random.default_rng(0)
    for name, shade in (("cats", 10), ("dogs", 200)):
        (root / name).mkdir(parents=True)
        for number in range(12):
            values = shade + chance.integers(0, 40, (20, 20, 3))
            Image.fromarray(values.astype(np.uint8)).save(root / name / f"{number}.png")
    return root, root / "dogs" / "3.png"


def masks(folder: Path) -> Made:
    root = folder / "masks"
    (root / "images").mkdir(parents=True)
    (root / "masks").mkdir()
    for number in range(12):
        mask = np.zeros((20, 24), np.uint8)
        mask[number % 10 : number % 10 + 8, 3:11] = 1
        picture = np.where(mask[..., None] > 0, 220, 30).astype(np.uint8).repeat(3, 2)
        Image.fromarray(picture).save(root / "images" / f"{number}.png")
        Image.fromarray(mask).save(root / "masks" / f"{number}.png")
    return root, root / "masks" / "3.png"


def _boxed(root: Path, count: int = 10) -> list[str]:
    root.mkdir(parents=True)
    names = [f"{number}.png" for number in range(count)]
    for number, name in enumerate(names):
        values = np.random.default_rng(number).integers(0, 255, (64, 64, 3), np.uint8)
        Image.fromarray(values).save(root / name)
    return names


def box_table(folder: Path) -> Made:
    root = folder / "boxes"
    names = _boxed(root)
    rows = [f"{name},5,5,{20 + at},30,{'ab'[at % 2]}" for at, name in enumerate(names)]
    (root / "boxes.csv").write_text("\n".join(["path,x1,y1,x2,y2,class", *rows]) + "\n")
    return root, root / "boxes.csv"


def coco(folder: Path) -> Made:
    root = folder / "coco"
    names = _boxed(root)
    document = {
        "images": [
            {"id": at, "file_name": name, "width": 64, "height": 64}
            for at, name in enumerate(names)
        ],
        "annotations": [
            {"id": at, "image_id": at, "category_id": 1 + at % 2, "bbox": [5, 5, 20, 20]}
            for at in range(len(names))
        ],
        "categories": [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}],
    }
    (root / "instances.json").write_text(json.dumps(document))
    return root, root / "instances.json"


def captions(folder: Path) -> Made:
    """Write pictures in the folders of two parts with three captions each, as COCO has them."""
    root = folder / "captioned"
    for part in ("train2017", "val2017"):
        names = _boxed(root / part)
        said = ("A square lies on the {} side.", "one square , {}", "There is something {} of it.")
        document = {
            "info": {"year": 2017},
            "images": [{"id": at, "file_name": name} for at, name in enumerate(names)],
            "annotations": [
                {"id": 3 * at + number, "image_id": at, "caption": text.format(word)}
                for at in range(len(names))
                for word in (("left", "right")[at % 2],)
                for number, text in enumerate(said)
            ],
        }
        (root / "annotations").mkdir(exist_ok=True)
        file = root / "annotations" / f"captions_{part}.json"
        file.write_text(json.dumps(document))
    return root, file


def voc(folder: Path) -> Made:
    root = folder / "voc"
    (root / "Annotations").mkdir(parents=True)
    for at, name in enumerate(_boxed(root / "JPEGImages")):
        text = (
            f"<annotation><filename>{name}</filename><object><name>{'ab'[at % 2]}</name><bndbox>"
            "<xmin>5</xmin><ymin>5</ymin><xmax>30</xmax><ymax>30</ymax></bndbox></object>"
            "</annotation>"
        )
        (root / "Annotations" / f"{at}.xml").write_text(text)
    return root, root / "Annotations" / "3.xml"


def yolo(folder: Path) -> Made:
    root = folder / "yolo"
    (root / "labels").mkdir(parents=True)
    for at, _ in enumerate(_boxed(root / "images")):
        (root / "labels" / f"{at}.txt").write_text(f"{at % 2} 0.5 0.5 0.25 0.25\n")
    (root / "classes.txt").write_text("a\nb\n")
    return root, root / "labels" / "3.txt"


def sounds(folder: Path) -> Made:
    root = sound_files.sound_folder(folder / "声音", 4, 0.2)
    return root, root / "low" / "0.wav"


def mixed_table(folder: Path) -> Made:
    root = folder / "mixed"
    names = _boxed(root, 40)
    rows = [f"{name},{at % 7},{'xy'[at % 2]}" for at, name in enumerate(names)]
    (root / "t.csv").write_text("\n".join(["file,n,kind", *rows]) + "\n")
    return root / "t.csv", root / "3.png"


SOURCES: dict[str, Callable[[Path], Made]] = {
    made.__name__: made
    for made in (
        csv, packed_csv, json_lines, xlsx, sqlite, npz, npy_files, pt, safetensors, idx_files,
        text, text_folder, pictures, masks, box_table, coco, captions, voc, yolo, sounds,
        mixed_table,
    )
}  # fmt: skip
