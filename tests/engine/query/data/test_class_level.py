"""Folders of patients with the classes in them: what is proposed, told, and left as it is."""

from pathlib import Path

import pytest
from msgspec.structs import replace
from PIL import Image

from engine.data.health.group import check_groups
from engine.data.health.subject import open_subject
from engine.data.load.load import load_split
from engine.query.data.browse import list_columns
from engine.query.data.class_level import are_ids
from engine.query.data.proposal import propose_data
from engine.query.data.request import ListColumns, ProposeData
from engine.spec.proposal import Answers, Proposal
from engine.spec.run import SplitSpec

PATIENTS = tuple(f"p{number}" for number in range(8))


def fill(
    root: Path, outer: tuple[str, ...], inner: tuple[str, ...] = ("a", "b"), files: int = 2
) -> Path:
    for folder in outer:
        for name in inner:
            place = root / folder / name
            place.mkdir(parents=True, exist_ok=True)
            for number in range(files):
                Image.new("RGB", (8, 8), (number, len(name), 9)).save(place / f"{number}.png")
    return root


def proposed(root: Path, **answers: object) -> Proposal:
    return propose_data(ProposeData(path=str(root), answers=Answers(**answers)))


def told(proposal: Proposal) -> dict[str, dict[str, str | int | float]]:
    codes = ("D721", "D722", "D747")
    return {each.code: each.params for each in proposal.info.problems if each.code in codes}


def classes(proposal: Proposal) -> tuple[str, ...]:
    target = proposal.info.target
    assert target is not None
    return target.classes


@pytest.mark.parametrize(
    "outer",
    [
        PATIENTS,
        ("10253", "8863", "9346", "12900"),
        ("Patient 3", "Patient 4", "patient 10"),
        ("fold1", "fold2", "fold3"),
        ("患者1", "患者2", "患者3"),
    ],
    ids=["stem", "numbers", "words", "folds", "chinese"],
)
def test_that_folders_of_patients_have_the_classes_inside(tmp_path, outer):
    proposal = proposed(fill(tmp_path, outer))
    assert classes(proposal) == ("a", "b")
    split = proposal.spec.data.split
    assert (split.kind, split.column) == ("group", "folder")
    assert all(part.samples for part in proposal.info.splits)
    found = told(proposal)
    assert found["D721"]["names"] == "a, b"
    assert found["D721"]["count"] == found["D722"]["count"] == len(outer)


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (("cat", "dog", "cow"), ("a", "b")),
        (tuple(map(str, range(10))), ("a", "b")),
        (("1", "2", "3"), ("a", "b")),
        (("001", "002", "003"), ("a", "b")),
        (("p1", "p2"), ("a", "b")),
        (("p1", "p2", "p3"), ("a", "b", "c")),
        (PATIENTS, ("train", "test")),
        (PATIENTS, ("images", "masked")),
        (PATIENTS, ("session1", "session2")),
        (("class1", "class2", "class3"), ("a", "b")),
        (("n01440764", "n01443537", "n02102040"), ("a", "b")),
        (PATIENTS, ("a",)),
    ],
)  # fmt: skip
def test_that_other_folders_stay_the_classes(tmp_path, outer, inner):
    proposal = proposed(fill(tmp_path, outer, inner))
    assert "class_folders" not in proposal.spec.data.source.params
    assert len(classes(proposal)) == len(outer)
    assert not told(proposal)
    assert proposal.spec.data.split.kind != "group"


def test_that_files_in_the_outer_folders_deeper_ones_or_rare_names_leave_these_the_classes(
    tmp_path,
):
    outside = fill(tmp_path / "outside", PATIENTS)
    Image.new("RGB", (8, 8)).save(outside / "p3" / "cover.png")
    deep = fill(tmp_path / "deep", PATIENTS)
    fill(deep / "p3" / "a", ("left",), ("x",))
    rare = fill(fill(tmp_path / "rare", PATIENTS), ("p1", "p2", "p3"), ("c",))
    for root in (outside, deep, rare):
        assert classes(proposed(root)) == PATIENTS
    fill(rare, ("p4",), ("c",))  # half of them
    assert classes(proposed(rare)) == ("a", "b", "c")


def test_that_what_the_user_says_of_classes_and_split_is_kept(tmp_path):
    fill(tmp_path, PATIENTS)
    outer = proposed(tmp_path, params={"class_folders": "outer"})
    assert classes(outer) == PATIENTS
    assert not told(outer)
    random = proposed(tmp_path, split=SplitSpec())
    assert classes(random) == ("a", "b")
    assert {*told(random)} == {"D721"}
    said = proposed(fill(tmp_path / "x", ("ann", "bob", "eve")), params={"class_folders": "inner"})
    assert classes(said) == ("a", "b")
    assert {*told(said)} == {"D722"}
    assert said.spec.data.split.column == "folder"


def test_that_sets_in_folders_stay_the_split(tmp_path):
    for part, patients in (("train", PATIENTS[:4]), ("val", PATIENTS[4:6]), ("test", PATIENTS[6:])):
        fill(tmp_path / "all" / part, patients)
    proposal = proposed(tmp_path)
    assert classes(proposal) == ("a", "b")
    assert proposal.spec.data.split.kind == "given"
    assert {*told(proposal)} == {"D721"}


def test_that_numbers_that_count_folders_are_no_names_of_patients():
    assert not are_ids(("0", "1", "2"))
    assert not are_ids(("3", "1", "2"))
    assert not are_ids(("cat", "dog", "p3"))
    assert not are_ids(("p1", "q2", "p3"))
    assert are_ids(("2", "3", "4"))
    assert are_ids(("s01", "s02", "s03"))


def folders_of(proposal: Proposal) -> dict[str, set[str]]:
    """Return the folders around the classes in each set."""
    source, parts = load_split(proposal.spec.data)[:2]
    return {
        part: {source.text("folder", int(at)) for at in indices} for part, indices in parts.items()
    }


@pytest.mark.parametrize("inner", [("a", "b"), ("a",)], ids=["both", "one"])
@pytest.mark.parametrize("folds", [0, 3])
def test_that_a_set_which_the_data_lacks_has_folders_of_its_own(tmp_path, inner, folds):
    for number, patient in enumerate(PATIENTS[:6]):
        fill(tmp_path / "train", (patient,), inner if len(inner) > 1 else ("ab"[number % 2],), 5)
    fill(tmp_path / "test", PATIENTS[6:])
    params = {} if len(inner) > 1 else {"class_folders": "inner"}
    proposal = proposed(tmp_path, params=params)
    split = proposal.spec.data.split
    assert split.kind == "given"
    assert told(proposal)["D747"]["count"] == 6
    data = replace(proposal.spec.data, split=replace(split, folds=folds))
    found = folders_of(replace(proposal, spec=replace(proposal.spec, data=data)))
    assert found["test"] == {*PATIENTS[6:]}
    assert not found["train"] & found["validation"]
    assert found["train"] | found["validation"] == {*PATIENTS[:6]}
    assert 1 <= len(found["validation"]) <= 2


def test_that_one_folder_of_training_is_divided_and_told_by_the_health_of_the_data(tmp_path):
    fill(tmp_path / "train", PATIENTS[:1], files=20)
    fill(tmp_path / "test", PATIENTS[1:3])
    proposal = proposed(tmp_path)
    assert "D747" not in told(proposal)
    assert folders_of(proposal)["validation"] == {PATIENTS[0]}
    (found,) = check_groups(open_subject(proposal.spec.data)) or ()
    assert found.problem.code == "D205"
    assert found.problem.params["column"] == "folder"


def test_that_texts_are_read_as_pictures_in_such_folders_are(tmp_path):
    for number, patient in enumerate(PATIENTS):
        for name in ("ill", "well"):
            folder = tmp_path / "notes" / patient / name
            folder.mkdir(parents=True)
            for text in range(2):
                (folder / f"{text}.txt").write_text(f"note {text} of {number} who is {name}")
    proposal = proposed(tmp_path)
    assert classes(proposal) == ("ill", "well")
    assert {*told(proposal)} == {"D721", "D722"}
    split = proposal.spec.data.split
    assert (split.kind, split.column) == ("group", "folder")
    found = folders_of(proposal)
    assert {*found["train"], *found["validation"], *found["test"]} == {
        f"notes/{name}" for name in PATIENTS
    }
    assert sum(map(len, found.values())) == len(PATIENTS)
    outer = proposed(tmp_path, params={"class_folders": "outer"})
    assert classes(outer) == PATIENTS
    (listed,) = (
        each
        for each in list_columns(ListColumns(data=outer.spec.data)).columns
        if each.name == "folder"
    )
    assert listed.kind == "category"


def test_that_sets_around_texts_of_patients_stay_the_split(tmp_path):
    for part, patients in (("train", PATIENTS[:4]), ("test", PATIENTS[4:])):
        for patient in patients:
            for name in ("ill", "well"):
                folder = tmp_path / part / patient / name
                folder.mkdir(parents=True)
                (folder / "10.txt").write_text("b")
                (folder / "9.txt").write_text(f"{patient} is {name}")
    (tmp_path / "train" / "note.txt").write_text("of nobody")
    proposal = proposed(tmp_path)
    assert classes(proposal) == ("ill", "well")
    assert proposal.spec.data.split.kind == "given"
    assert {*told(proposal)} == {"D721", "D747"}
    assert [each.code for each in proposal.info.problems].count("D070") == 1
    source, parts = load_split(proposal.spec.data)[:2]
    assert source.sample_names([0, 1]) == ["test/p4/ill/9.txt", "test/p4/ill/10.txt"]
    assert len(parts["test"]) == 16
    found = folders_of(proposal)
    assert not found["train"] & found["validation"]
