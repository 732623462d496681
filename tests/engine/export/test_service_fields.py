"""What a request to a service holds, told from how the inputs are read."""

from engine.data.read.picture_form import PictureForm
from engine.data.read.row import MISSING_NAME, CategoryCell, NumberCell
from engine.data.source.row_form import RowForm
from engine.data.source.table_input import UNKNOWN_NAME
from engine.export.read_text import InputReading
from engine.export.service.fields import curl_example, service_fields
from engine.spec.data import FieldInfo


def field(name: str, *shape: int, kind: str = "features") -> FieldInfo:
    return FieldInfo(name=name, kind=kind, shape=shape, dtype="float32", role="input")


def test_that_a_table_is_asked_for_by_its_columns_and_a_picture_as_a_file():
    row = RowForm(
        features=(NumberCell("age", "number"), NumberCell("since", "date", fill=None)),
        categories=(CategoryCell("color", (UNKNOWN_NAME, MISSING_NAME, "red", "blue")),),
        kinds={"age": "number", "since": "date", "color": "category"},
    )
    readings = (
        InputReading(field=field("features", 2), key="features", form=row),
        InputReading(field=field("categories", 1), key="categories", form=row),
        InputReading(field=field("photo", 1, 8, 8), key="photo", form=PictureForm(mode="gray")),
    )
    found = service_fields(readings, None)
    assert [each["name"] for each in found] == ["age", "since", "color", "photo"]
    assert [each["kind"] for each in found] == ["cell", "cell", "cell", "picture"]
    assert [each["is_required"] for each in found] == [False, True, False, True]
    assert found[2]["choices"] == ["red", "blue"]
    assert found[3]["is_drawn"]
    assert curl_example(found[3:]) == "curl -F photo=@FILE {url}/predict"
    assert curl_example(found[:1]).endswith("""-d '{"age": 1}' {url}/predict""")
