"""Files that a user may have by accident: each is read for what it is, or refused in a sentence."""

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from engine.data.load.load import load_data
from engine.diagnostics import DiagnosticError, sentence
from engine.query.data.answer import describe_data
from engine.query.data.proposal import propose_data
from engine.query.data.request import DescribeData, ProposeData

ROWS = "".join(f"{n % 10},{n % 7},{'low' if n % 10 < 5 else 'high'}\n" for n in range(60))
TABLE = "a,b,kind\n" + ROWS


def text(name: str, content: str, encoding: str = "utf-8") -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(content.encode(encoding))
        return folder / name

    return write


def packed(folder: Path) -> Path:
    (folder / "t.csv.gz").write_bytes(gzip.compress(TABLE.encode()))
    return folder / "t.csv.gz"


def in_chinese(folder: Path) -> Path:
    place = folder / "我的 数据  夹"
    place.mkdir()
    return text("表 格.csv", TABLE)(place)


def pictures(folder: Path) -> Path:
    for name, shade in (("cats", 10), ("dogs", 200)):
        (folder / name).mkdir()
        for number in range(6):
            Image.new("RGB", (8, 8), (shade, number, 0)).save(folder / name / f"{number}.png")
    return folder


def with_loops(folder: Path) -> Path:
    root = pictures(folder)
    (root / "cats" / "again").symlink_to(root, target_is_directory=True)
    (root / "dogs" / "self").symlink_to(root / "dogs" / "self")
    return root


def many_names(folder: Path) -> Path:
    """Return what stands for a million files: more than are looked at one by one."""
    root = pictures(folder)
    picture = (root / "cats" / "0.png").read_bytes()
    for number in range(3000):
        (root / "dogs" / f"more {number}.png").write_bytes(picture)
    return root


@pytest.mark.fault("B10", "B11", "B12")
@pytest.mark.parametrize(
    ("make", "samples"),
    [
        (text("t.csv", TABLE, "utf-16"), 60),
        (text("t.csv", TABLE, "utf-8-sig"), 60),
        (text("t.tsv", TABLE.replace(",", "\t").replace("\n", "\r\n"), "gb18030"), 60),
        (packed, 60),
        (in_chinese, 60),
        (with_loops, 12),
        (many_names, 3012),
    ],
    ids=["utf-16", "mark", "tabs", "gzip", "chinese path", "loops", "many files"],
)
def test_that_unusual_data_is_read_for_what_it_is(tmp_path, make, samples):
    proposal = propose_data(ProposeData(path=str(make(tmp_path))))
    assert proposal.info.samples == samples
    data = load_data(proposal.spec.data)
    assert sum(len(indices) for indices in data.indices.values()) == samples
    assert "label" in data.examples("train", 1)


@pytest.mark.fault("B10", "B11")
@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "D023"),
        ("a,b,kind\n", "D623"),
        ("a,b,kind\n1,2,low\n", "D474"),
        ("kind\n" + "low\nhigh\n" * 30, "D043"),
        ("a,b,kind\n" + ROWS.replace("high", "low"), "D014"),
        ("a,b,kind\n" + "1,2\n3,4,5,6\n" * 20, "D026"),
        ("\0" * 100, "D022"),
        ("a,b,kind\n" + "".join(f"{n},{n},k{n}\n" for n in range(300)), "D039"),
    ],
    ids=["empty", "no row", "one row", "one column", "all alike", "ragged", "zeros", "all classes"],
)
def test_that_data_that_cannot_be_trained_on_is_a_sentence(tmp_path, content, code):
    path = text("t.csv", content)(tmp_path)
    before = path.read_bytes()
    try:
        proposal = propose_data(ProposeData(path=str(path), target="kind"))
        info = describe_data(DescribeData(data=proposal.spec.data))
        problems = (*proposal.info.problems, *info.problems)
    except DiagnosticError as error:
        problems = error.problems
    assert {problem.code for problem in problems} == {code}
    for problem in problems:
        for language in ("en", "zh_CN"):
            assert "{" not in sentence(problem, language)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.fault("B10")
def test_that_a_hundred_thousand_classes_of_a_table_are_refused_with_a_way_out(
    tmp_path: Path,
) -> None:
    rows = "".join(f"{n % 97},{n % 89},c{n % 100_000}\n" for n in range(200_000))
    path = text("names.csv", "a,b,kind\n" + rows)(tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(path), target="kind"))
    (problem,) = caught.value.problems
    for language in ("en", "zh_CN"):
        assert "kind" in sentence(problem, language)
        assert "100,000" in sentence(problem, language)


@pytest.mark.fault("B13")
def test_that_a_path_that_no_project_can_keep_is_told_before_there_is_one(tmp_path: Path) -> None:
    path = text("two\nlines.csv", TABLE)(tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(path)))
    assert [problem.code for problem in caught.value.problems] == ["D540"]


@pytest.mark.fault("B10")
@pytest.mark.parametrize("target", ["", "kind"])
def test_that_a_table_of_one_row_is_named_as_that(tmp_path: Path, target: str) -> None:
    path = text("t.csv", "a,b,kind\n1,2,low\n")(tmp_path)
    with pytest.raises(DiagnosticError) as caught:
        propose_data(ProposeData(path=str(path), target=target))
    assert [problem.code for problem in caught.value.problems] == ["D474"]
