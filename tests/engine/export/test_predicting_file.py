"""The Python file beside a traced model: it reads a file of the user's and predicts."""

import csv
import json

import pytest
import torch

from engine.api import export
from engine.export.formats import find_format
from engine.query.trained import open_trained
from engine.train.predicted import predictions
from tests.engine.export.test_read_sample import cells_of
from tests.exported_kinds import trained_once

pytestmark = [
    pytest.mark.real,
    pytest.mark.row("P27", "S305", "S308"),
    pytest.mark.usefixtures("unconfined"),
]


@pytest.mark.parametrize(
    ("kind", "name"),
    [("pictures", "onnx"), ("table_of_classes", "torch-export")],
)
def test_that_it_answers_for_a_file_as_the_program_does(
    tmp_path, tmp_path_factory, plain_python, kind, name
):
    run = trained_once(tmp_path_factory, kind)
    report = export(run.path, name, tmp_path / f"m{find_format(name).suffix}", "last")
    assert [notice.code for notice in report.notices] == []
    trained = open_trained(run, "last")
    training = trained.training
    source, index = training.data.source, int(training.data.indices["test"][0])
    file = source.file(training.input_fields[0], index)
    if file is None:
        file = tmp_path / "rows.csv"
        with file.open("w", newline="") as stream:
            rows = csv.DictWriter(stream, cells := cells_of(source, index))
            rows.writeheader()
            rows.writerow(cells)
    with trained.in_use():
        raw = training.data.raw([index])
        batch = [training.normalized(field, raw[field]) for field in training.input_fields]
        expected = predictions(training, training.model(*batch))[0]
    code = (
        "import runpy, sys\n"
        f"sys.argv = ['m.py', {str(file)!r}]\nrunpy.run_path('m.py', run_name='__main__')\n"
        "assert not any(name.split('.')[0] in ('engine', 'studio') for name in sys.modules)\n"
    )
    (answer,) = json.loads(plain_python.output(code, folder=tmp_path)).values()
    found = torch.tensor(list(answer["chances"].values()))
    assert torch.allclose(found, expected, atol=1e-5)
    names = training.comparison.names
    assert list(answer["chances"]) == list(names)
    assert answer["class"] == names[expected.argmax()]
