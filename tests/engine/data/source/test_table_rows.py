"""Rows of a table as they are shown: as the file has them."""

from engine.data.preview import preview_at
from engine.spec.run import Choice, DataSpec

ODD = """joined;sex;age;town;class
05.03.2024;male;31,5;Oslo;a
;female;;;b
06.03.2024;;7;Rome;a
07.03.2024;male;8;Oslo;b
"""


def rows_of(path, **params):
    choice = Choice(type="table", params={"path": str(path), **params})
    return [view.row for view in preview_at(DataSpec(source=choice), [0, 1, 2]).samples]


def test_that_rows_of_samples_are_told_as_the_file_has_them(tmp_path):
    path = tmp_path / "odd.csv"
    path.write_text(ODD, encoding="utf-8")
    given = {"target": "class", "kinds": "sex=binary, town=category", "missing": "mean"}
    for form in ("index", "one_hot"):
        views = rows_of(path, **given, categories=form, dates="parts")
        assert views == [
            {"joined": "05.03.2024", "sex": "male", "age": 31.5, "town": "Oslo"},
            {"joined": None, "sex": "female", "age": None, "town": None},
            {"joined": "06.03.2024", "sex": None, "age": 7.0, "town": "Rome"},
        ]
    assert "town" not in rows_of(path, **given, ignored="town")[0]
