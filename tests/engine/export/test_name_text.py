"""What an exported file says of the numbers that its model reads and gives."""

import pytest

from engine.custom.source_module import load_source
from engine.export.job import build_job
from engine.export.name_text import is_named, name_text
from engine.export.python_file import source_text
from engine.query.data.proposal import propose_data
from engine.query.data.request import ProposeData

pytestmark = pytest.mark.row("N22")
NAMES = {name: name for name in ("CLASSES", "COLUMNS", "CATEGORIES")}


def test_that_a_table_says_its_columns_categories_and_classes(tmp_path):
    towns = ('"Bonn, ""am"" Rhein"', "Köln", "it's")
    rows = [f"{n % 7}.5,{towns[n % 3]},{'ab'[n % 2]}" for n in range(60)]
    (tmp_path / "table.csv").write_text("\n".join(["size,town,label", *rows]), encoding="utf-8")
    info = propose_data(ProposeData(path=str(tmp_path / "table.csv"))).info
    written = load_source(name_text([each for each in info.fields if is_named(each)], NAMES))
    assert written.CLASSES["label"] == ("a", "b")
    assert written.COLUMNS["features"] == ("size",)
    field = info.field("categories")
    assert field is not None
    assert {"town": field.vocabularies[0]} == written.CATEGORIES
    assert set(written.CATEGORIES["town"]) >= {'Bonn, "am" Rhein', "Köln", "it's"}


def test_that_an_exported_file_names_the_classes_of_its_outputs(trained):
    job, _ = build_job(trained.folder.path, "best")
    written = load_source(source_text(job, "model.pt"))
    (classes,) = written.CLASSES.values()
    assert len(classes) == 3
    assert all(len(columns) == 4 for columns in written.COLUMNS.values())
