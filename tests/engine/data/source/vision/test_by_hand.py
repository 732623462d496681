"""Sets of torchvision that the user has to fetch: read as torchvision does, or told."""

import numpy as np
import pytest

from engine.data.fetch.progress import untold
from engine.data.load.load import load_split
from engine.data.source.registry import forget_sources, load_source
from engine.data.source.source import PARTS
from engine.data.source.vision.by_hand import BY_HAND
from engine.data.source.vision.download import download_set
from engine.data.source.vision.loader import find_set, find_variant
from engine.data.source.vision.picture_set import PICTURE_SETS
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice, DataSpec, SplitSpec
from tests import picture_sets as sets
from tests import vision_files as made

datasets = pytest.importorskip("torchvision.datasets")


def source_of(name, root, **params):
    forget_sources()
    return load_source(Choice(type=name, params={"path": str(root), "size": (8, 8), **params}))


def _faces(root):
    folder = root / "celeba"
    (folder / "img_align_celeba").mkdir(parents=True)
    names = [f"{number:06d}.jpg" for number in range(1, 3 * sets.COUNT + 1)]
    for at, name in enumerate(names):
        (folder / "img_align_celeba" / name).write_bytes(made.jpeg(at))
    parts = "".join(f"{name} {at // sets.COUNT}\n" for at, name in enumerate(names))
    (folder / "list_eval_partition.txt").write_text(parts)
    rows = "".join(f"{n}  1 {'-1' if at % 2 else ' 1'}\n" for at, n in enumerate(names))
    head = f"{len(names)}\nMale Smiling \n"
    (folder / "list_attr_celeba.txt").write_text(head + rows)
    (folder / "identity_CelebA.txt").write_text(
        "".join(f"{n} {7 + at % 4}\n" for at, n in enumerate(names))
    )
    for name in ("list_bbox_celeba.txt", "list_landmarks_align_celeba.txt"):
        (folder / name).write_text("0\nx y\n" + "".join(f"{n} 1 2\n" for n in names))
    return {"train": sets.COUNT, "validation": sets.COUNT, "test": sets.COUNT}


def _people(root):
    folder = root / "lfw-py"
    people = {"Ada_Lovelace": sets.COUNT, "Alan_Turing": sets.COUNT}
    for name, count in people.items():
        (folder / "lfw_funneled" / name).mkdir(parents=True)
        for number in range(1, count + 1):
            picture = folder / "lfw_funneled" / name / f"{name}_{number:04d}.jpg"
            picture.write_bytes(made.jpeg(number))
    lines = "".join(f"1\n{name}\t{count}\n" for name, count in people.items())
    (folder / "people.txt").write_text(f"2\n{lines}")
    (folder / "lfw-names.txt").write_text("".join(f"{n}\t{c}\n" for n, c in people.items()))
    return {None: 2 * sets.COUNT}


def _cars(root):
    folder = root / "stanford_cars"
    (folder / "devkit").mkdir(parents=True)
    for part, file in (
        ("train", "devkit/cars_train_annos.mat"),
        ("test", "cars_test_annos_withlabels.mat"),
    ):
        (folder / f"cars_{part}").mkdir()
        kinds = [("bbox_x1", "u1"), ("class", "u1"), ("fname", "O")]
        rows = np.zeros(sets.COUNT, kinds)
        for at in range(sets.COUNT):
            rows[at] = (3, at % 2 + 1, f"{at:05d}.jpg")
            (folder / f"cars_{part}" / f"{at:05d}.jpg").write_bytes(made.jpeg(at))
        (folder / file).write_bytes(sets.matrix(annotations=rows))
    names = np.array(["Acura TL 2012", "BMW X5 2007"], object)
    (folder / "devkit" / "cars_meta.mat").write_bytes(sets.matrix(class_names=names))
    return {"train": sets.COUNT, "test": sets.COUNT}


LAY_OUT = {"CelebA": _faces, "LFWPeople": _people, "StanfordCars": _cars}
CLASSES = {
    "CelebA": ("not Smiling", "Smiling"),
    "LFWPeople": ("Ada_Lovelace", "Alan_Turing"),
    "StanfordCars": ("Acura TL 2012", "BMW X5 2007"),
}
CHOSEN = {"CelebA": {"variant": "Smiling"}, "LFWPeople": {"variant": "funneled"}}


@pytest.mark.parametrize("name", sorted(PICTURE_SETS.keys() & BY_HAND.keys()))
def test_that_a_set_that_the_user_has_to_fetch_is_read_and_otherwise_told(name, tmp_path):
    chosen = CHOSEN.get(name, {})
    for look in (
        lambda: source_of(name, tmp_path, **chosen),
        lambda: download_set(name, tmp_path, chosen.get("variant", ""), untold),
    ):
        with pytest.raises(DiagnosticError) as missing:
            look()
        (problem,) = missing.value.problems
        assert problem.code == "D580"
        assert problem.params["page"] == BY_HAND[name]
    assert not list(tmp_path.iterdir())
    counts = LAY_OUT[name](tmp_path)
    assert (find_set(tmp_path), find_variant(name, tmp_path)) == (name, "")
    download_set(name, tmp_path, chosen.get("variant", ""), untold)
    source = source_of(name, tmp_path, **chosen)
    parts = source.given_parts()
    if None in counts:
        assert parts is None
        assert source.samples == counts[None]
    else:
        assert {PARTS[at]: int((parts == at).sum()) for at in set(parts.tolist())} == counts
    assert source.infos[1].classes == CLASSES[name]
    assert "D065" not in {problem.code for problem in source.check({})}  # the order is theirs
    assert sorted(set(source.column("label").tolist())) == [0, 1]
    assert source.read(range(source.samples))["image"].shape == (source.samples, 3, 8, 8)


def test_that_faces_have_the_parts_and_attributes_of_torchvision(monkeypatch, tmp_path):
    _faces(tmp_path)
    monkeypatch.setattr(datasets.CelebA, "_check_integrity", lambda _: True)
    source = source_of("CelebA", tmp_path, variant="Smiling")
    for part, split in (("train", "train"), ("validation", "valid"), ("test", "test")):
        theirs = datasets.CelebA(str(tmp_path), split=split)
        rows = (source.given_parts() == PARTS.index(part)).nonzero().flatten().tolist()
        assert [source.index.path(row).name for row in rows] == theirs.filename
        smiling = theirs.attr[:, theirs.attr_names.index("Smiling")].tolist()
        assert source.column("label")[rows].tolist() == smiling


def test_that_persons_are_classes_that_the_user_divides(tmp_path, monkeypatch):
    _faces(tmp_path)
    monkeypatch.setattr(datasets.CelebA, "_check_integrity", lambda _: True)
    source = source_of("CelebA", tmp_path, variant="identity")
    theirs = datasets.CelebA(str(tmp_path), split="all", target_type="identity")
    assert [source.index.path(row).name for row in range(source.samples)] == theirs.filename
    numbers = [int(source.infos[1].classes[at]) for at in source.column("label").tolist()]
    assert numbers == theirs.identity.flatten().tolist()
    choice = Choice(
        type="CelebA", params={"path": str(tmp_path), "size": (8, 8), "variant": "identity"}
    )
    _, parts = load_split(DataSpec(source=choice, split=SplitSpec(kind="stratified")))
    assert {len(indices) > 0 for indices in parts.values()} == {True}
    with pytest.raises(DiagnosticError) as undivided:
        load_split(DataSpec(source=choice, split=SplitSpec(kind="given")))
    assert undivided.value.problems[0].field == "data.split.kind"
    (tmp_path / "celeba" / "identity_CelebA.txt").write_text("000001.jpg Ada\n")
    with pytest.raises(DiagnosticError) as refused:
        source_of("CelebA", tmp_path, variant="identity")
    assert refused.value.problems[0].code == "D254"


def _pairs(root):
    names = ("Ada_Lovelace", "Alan_Turing", "Emmy_Noether", "Grace_Hopper")
    lines = ["2\t2"]
    for first, second in (names[:2], names[2:]):
        for name in (first, second):
            folder = root / "lfw-py" / "lfw_funneled" / name
            folder.mkdir(parents=True)
            for number in range(1, 4):
                (folder / f"{name}_{number:04d}.jpg").write_bytes(made.jpeg(number))
        lines += [f"{first}\t1\t2", f"{second}\t2\t3"]
        lines += [f"{first}\t3\t{second}\t1", f"{first}\t2\t{second}\t2"]
    (root / "lfw-py" / "pairs.txt").write_text("\n".join(lines) + "\n")


def test_that_pairs_are_those_of_torchvision_and_are_divided_by_their_folds(monkeypatch, tmp_path):
    for look in (
        lambda: source_of("LFWPairs", tmp_path, variant="funneled"),
        lambda: download_set("LFWPairs", tmp_path, "funneled", untold),
    ):
        with pytest.raises(DiagnosticError) as missing:
            look()
        assert missing.value.problems[0].code == "D580"
    _pairs(tmp_path)
    assert (find_set(tmp_path), find_variant("LFWPairs", tmp_path)) == ("LFWPairs", "")
    download_set("LFWPairs", tmp_path, "funneled", untold)
    source = source_of("LFWPairs", tmp_path, variant="funneled")
    monkeypatch.setattr(datasets.LFWPairs, "_check_integrity", lambda _: True)
    theirs = datasets.LFWPairs(str(tmp_path))
    files = [(source.file("first", at), source.file("second", at)) for at in range(source.samples)]
    assert [(str(first), str(second)) for first, second in files] == theirs.data
    assert source.column("label").tolist() == theirs.targets
    assert source.infos[2].classes == ("different", "same")
    read = source.read(range(source.samples))
    assert read["first"].shape == read["second"].shape == (source.samples, 3, 8, 8)
    choice = Choice(
        type="LFWPairs", params={"path": str(tmp_path), "size": (8, 8), "variant": "funneled"}
    )
    split = SplitSpec(kind="group", column="fold", train=0.5, validation=0.5, test=0.0)
    _, parts = load_split(DataSpec(source=choice, split=split))
    assert {tuple(rows.sort().values.tolist()) for rows in parts.values() if len(rows)} == {
        (0, 1, 2, 3),
        (4, 5, 6, 7),
    }


@pytest.mark.parametrize(
    "content",
    [
        b"2\t2\n",
        b"ten\t2\n",
        b"0\t2\nAda_Lovelace\t1\t2\n",
        b"1\t1\n../../../secret\t1\t2\nAda_Lovelace\t1\tAlan_Turing\t1\n",
        b"1\t1\nAda_Lovelace\t1\n",
        b"\xff\xfe\x00",
        b"",
    ],
)
def test_that_a_damaged_list_of_pairs_costs_a_sentence(content, tmp_path):
    _pairs(tmp_path)
    (tmp_path / "lfw-py" / "pairs.txt").write_bytes(content)
    with pytest.raises(DiagnosticError) as refused:
        source_of("LFWPairs", tmp_path, variant="funneled")
    assert refused.value.problems[0].code == "D254"


@pytest.mark.parametrize(
    ("file", "content"),
    [
        ("list_attr_celeba.txt", b"1\nSmiling \n../../../secret.jpg 1\n"),
        ("list_attr_celeba.txt", b"1\nSmiling \n000001.jpg 1 1\n"),
        ("list_attr_celeba.txt", b"1\nSmiling \n000001.jpg 7\n"),
        ("list_attr_celeba.txt", b"1\nMale \n000001.jpg 1\n"),
        ("list_attr_celeba.txt", b"1\n"),
        ("list_attr_celeba.txt", b"\xff\xfe\x00"),
        ("list_eval_partition.txt", b"000001.jpg 9\n"),
        ("list_eval_partition.txt", b"000001.jpg\n"),
    ],
)
def test_that_damaged_lists_of_faces_cost_a_sentence(file, content, tmp_path):
    _faces(tmp_path)
    (tmp_path / "celeba" / "list_eval_partition.txt").write_bytes(
        b"000001.jpg 0\n../../../secret.jpg 0\n"
    )
    (tmp_path / "celeba" / file).write_bytes(content)
    with pytest.raises(DiagnosticError) as refused:
        source_of("CelebA", tmp_path, variant="Smiling")
    assert refused.value.problems[0].code == "D254"
