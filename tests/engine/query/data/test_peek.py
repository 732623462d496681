"""A first look at data shows some of them without reading the rest."""

import numpy as np
import pytest
from PIL import Image

from engine.diagnostics import DiagnosticError
from engine.query.data.peek import peek_data
from engine.query.data.request import PeekData
from tests.table_files import database

pytestmark = pytest.mark.row("P13")


def picture(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.full((8, 8, 3), 90, np.uint8)).save(path)


def test_that_pictures_of_all_classes_come_by_turns(tmp_path):
    for name in ("cat", "dog 2", "dog 10"):
        for number in range(4):
            picture(tmp_path / "train" / name / f"{number}.png")
    picture(tmp_path / "test" / "cat" / "0.png")
    first = peek_data(PeekData(path=str(tmp_path), count=4))
    assert {each.label for each in first.pictures} == {"cat", "dog 2", "dog 10"}
    assert all(each.picture is not None and each.picture.width == 8 for each in first.pictures)
    assert not first.is_complete
    rest = peek_data(PeekData(path=str(tmp_path), start=4, count=60))
    assert rest.is_complete
    names = [each.name for each in (*first.pictures, *rest.pictures)]
    assert sorted(names) == sorted(set(names))
    assert len(names) == 13


def test_that_a_damaged_picture_is_told_and_the_others_are_shown(tmp_path):
    picture(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\nno picture")
    a, b = peek_data(PeekData(path=str(tmp_path))).pictures
    assert a.picture is not None
    assert b.picture is None
    assert b.problems[0].code == "D052"


def test_that_a_loop_of_links_has_an_end(tmp_path):
    picture(tmp_path / "in" / "a.png")
    (tmp_path / "in" / "back").symlink_to(tmp_path, target_is_directory=True)
    assert [each.name for each in peek_data(PeekData(path=str(tmp_path))).pictures] == ["in/a.png"]


def test_that_the_sheets_of_a_file_are_there_to_choose_from(tmp_path):
    tables = {"plants": ("a, b", [(1, 2), (3, 4)]), "birds": ("c, d", [(5, 6), (7, 8)])}
    path = database(tmp_path / "t.db", tables)
    peek = peek_data(PeekData(path=str(path)))
    assert (peek.sheet, peek.sheets, peek.names) == ("plants", ("plants", "birds"), ("a", "b"))
    peek = peek_data(PeekData(path=str(path), sheet="birds"))
    assert (peek.sheet, peek.rows) == ("birds", (("5", "6"), ("7", "8")))


def test_that_the_first_rows_of_a_table_and_lines_of_a_text_are_there(tmp_path):
    (tmp_path / "t.csv").write_text("a;b\n" + "".join(f"{n};{n * n}\n" for n in range(300)))
    peek = peek_data(PeekData(path=str(tmp_path / "t.csv"), count=20))
    assert peek.names == ("a", "b")
    assert peek.rows[3] == ("3", "9")
    assert len(peek.rows) == 20
    lines = ("我们在春天的早晨去学校读书", "他说这本书的作者是一位老师", "今天的天气很好")
    (tmp_path / "t.txt").write_text("\n".join(lines * 9), encoding="gb18030")
    assert peek_data(PeekData(path=str(tmp_path / "t.txt"), count=3)).lines == lines


def test_that_a_folder_that_is_gone_is_told(tmp_path):
    with pytest.raises(DiagnosticError) as caught:
        peek_data(PeekData(path=str(tmp_path / "gone.csv")))
    assert caught.value.problems[0].code == "D020"


def test_that_dates_with_midnight_behind_each_are_shown_as_dates(tmp_path):
    path = tmp_path / "t.csv"
    midnight = "2024-03-06 00:00:00.000000"
    path.write_text(f"day,time,n\n{midnight},{midnight},1\n,2024-03-06 09:00:00,2\n")
    rows = peek_data(PeekData(path=str(path))).rows
    assert rows == (("2024-03-06", midnight, "1"), ("", "2024-03-06 09:00:00", "2"))
