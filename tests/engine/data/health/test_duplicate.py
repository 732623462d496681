"""Equal and nearly equal samples, within and across parts."""

import shutil

import numpy as np
import pytest
from PIL import Image

from engine.data.health.near_duplicate import close_pairs, difference_hashes
from engine.diagnostics import Severity
from engine.graph.model import Graph
from engine.spec.fields import set_value
from engine.spec.repair import repaired
from engine.spec.run import RunSpec, SplitSpec
from tests.engine.data.health.planted import (
    clean_rows,
    codes,
    examined,
    of_folder,
    of_table,
    photo,
    photos,
    the,
)


@pytest.fixture
def folder(tmp_path):
    """Return pictures that are divided by their folders, eight of each class for training."""
    for part, count in (("train", 8), ("test", 2)):
        for seed in range(2 * count):
            path = tmp_path / part / ("cats", "dogs")[seed % 2] / f"{part}{seed}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            photo(seed + (0 if part == "train" else 100)).save(path)
    return tmp_path


def looked_at(folder):
    return examined(of_folder(folder, SplitSpec(kind="given", validation=0.0)))


@pytest.mark.row("N31")
def test_that_pictures_in_which_nothing_is_wrong_give_no_finding(folder, tmp_path):
    report = looked_at(folder)
    assert codes(report) == []
    assert {"duplicates", "near_duplicates", "damaged", "sizes"} <= {c.check for c in report.checks}
    assert codes(examined(of_folder(photos(tmp_path / "other")))) == []


@pytest.mark.row("N31")
def test_that_a_copy_within_a_part_is_told_apart_from_one_across_parts(folder):
    shutil.copy(folder / "train/cats/train0.png", folder / "train/cats/again.png")
    inside = the(looked_at(folder), "D200")
    assert [sample.text for sample in inside.samples] == [
        "train/cats/again.png",
        "train/cats/train0.png",
    ]
    assert {sample.group for sample in inside.samples} == {0}
    assert len(inside.surplus) == inside.total == 1
    shutil.copy(folder / "train/dogs/train3.png", folder / "test/dogs/leaked.png")
    report = looked_at(folder)
    across = the(report, "D201")
    assert {sample.part for sample in across.samples} == {"train", "test"}
    leaked = next(sample for sample in across.samples if sample.part == "test")
    assert across.surplus == (leaked.index,)
    assert across.problem.severity is Severity.WARNING
    assert the(report, "D200").total == 1


def test_that_the_repair_of_a_leak_heals_it(tmp_path):
    rows = clean_rows()
    twice = {name: [*values, *values[:60]] for name, values in rows.items()}
    data = of_table(tmp_path / "t.csv", twice)
    leak = the(examined(data), "D201")
    assert leak.repairs
    spec = RunSpec(data=data)
    for name, value in leak.repairs[0].settings.items():
        spec = set_value(spec, name, value)
    assert codes(examined(spec.data)) == ["D200"]


@pytest.mark.row("N31")
def test_that_the_same_input_with_another_label_is_a_conflict_and_no_copy(folder):
    shutil.copy(folder / "train/cats/train0.png", folder / "train/dogs/other.png")
    report = looked_at(folder)
    assert codes(report) == ["D204"]
    assert {sample.label for sample in the(report, "D204").samples} == {"cats", "dogs"}


@pytest.mark.parametrize("kind", ["smaller", "recompressed", "brighter"])
@pytest.mark.row("N31")
def test_that_pictures_which_only_look_the_same_are_found(folder, kind):
    original = Image.open(folder / "train/cats/train2.png")
    if kind == "smaller":
        original.resize((50, 38)).save(folder / "test/cats/near.png")
    elif kind == "recompressed":
        original.save(folder / "test/cats/near.jpg", quality=40)
    else:
        original.point(lambda value: min(255, value + 12)).save(folder / "test/cats/near.png")
    near = the(looked_at(folder), "D203")
    assert {sample.text.rpartition("/")[2][:5] for sample in near.samples} == {"train", "near."}


def test_that_digits_which_are_alike_are_not_called_near_duplicates(tmp_path):
    from engine.spec.run import Choice, DataSpec

    assert "D202" not in codes(examined(DataSpec(source=Choice(type="digits"))))


def test_that_all_pairs_of_few_bits_are_found_without_comparing_all():
    chance = np.random.default_rng(0)
    hashes = chance.integers(0, 1 << 63, 400, dtype=np.uint64)
    bits = chance.integers(0, 64, (200, 3)).astype(np.uint64)
    for at in range(200):  # each of the second half is three bits or fewer from one of the first
        flipped = np.uint64(0)
        for bit in bits[at]:
            flipped |= np.uint64(1) << bit
        hashes[200 + at] = hashes[at] ^ flipped
    distances = np.bitwise_count(hashes[:, None] ^ hashes[None])
    wanted = {(a, b) for a, b in np.argwhere(distances <= 3).tolist() if a < b}
    found = {
        (min(pair), max(pair))
        for first, second in close_pairs(hashes)
        for pair in zip(first.tolist(), second.tolist(), strict=True)
    }
    assert len(wanted) >= 200
    assert wanted <= found


def test_that_a_hash_says_where_it_gets_darker():
    look = np.zeros((1, 8, 9), np.uint8)
    look[0, 0] = [9, 8, 7, 6, 5, 4, 3, 2, 1]
    look[0, 1] = range(9)
    assert int(difference_hashes(look)[0]) == 0x00FF << 48


@pytest.mark.row("N31")
def test_that_leaving_out_the_copies_heals_and_touches_no_file(folder):
    shutil.copy(folder / "train/cats/train0.png", folder / "train/cats/again.png")
    shutil.copy(folder / "train/dogs/train3.png", folder / "test/dogs/leaked.png")
    (folder / "test/dogs/broken.png").write_bytes(b"no picture")
    files = sorted(folder.rglob("*.*"))
    spec = RunSpec(data=of_folder(folder, SplitSpec(kind="given", validation=0.0)))
    report = examined(spec.data)
    assert {"D200", "D201", "D210"} <= set(codes(report))
    for found in report.findings:
        for repair in found.repairs:
            if repair.excluded:
                _, spec = repaired(repair, Graph(), spec)
    assert set(spec.data.edits.samples) == {
        "test/dogs/broken.png",
        "test/dogs/leaked.png",
        "train/cats/train0.png",
    }
    assert codes(examined(spec.data)) == []
    assert sorted(folder.rglob("*.*")) == files
