"""Columns of the samples that a run with several labels makes: which it gives, how sure, whether
rightly.
"""

import pytest

from engine.query.ask import ask
from engine.query.data.proposal import propose_data
from engine.query.data.request import BrowseSamples, ListColumns, ListValues, ProposeData
from engine.query.results.request import Examine, PredictSamples
from engine.spec.browse import CONFIDENCE, CORRECT, PREDICTION, SampleQuery
from tests.engine.query.results.test_labels import LABELS, written
from tests.tiny_run import make_run, train


@pytest.fixture
def run(tmp_path):
    path = str(written(tmp_path))
    found = propose_data(ProposeData(path=path, target=",".join(LABELS)))
    run = make_run(
        tmp_path / "project",
        found.graph,
        data=found.spec.data,
        losses=found.spec.losses,
        optimizer=found.spec.optimizer,
        epochs=6,
    )
    train(run)
    return run


def test_that_samples_have_the_labels_that_a_run_gives_them(run):
    step = ask(PredictSamples(run_folder=str(run.path), seconds=60))
    data = run.document.spec.data
    keys = [each.key for each in ask(ListColumns(data=data, predictions=step.key)).columns]
    assert {PREDICTION, CONFIDENCE, CORRECT} <= {*keys}
    rows = ask(BrowseSamples(data=data, predictions=step.key, count=1000)).rows
    cells = {row.index: dict(zip(keys, row.cells, strict=True)) for row in rows}
    report = ask(Examine(run_folder=str(run.path), split="test", seconds=60)).report
    assert report is not None
    for at, index in enumerate(report.indices):
        chances = report.predictions[3 * at : 3 * at + 3]
        true = [value > 0.5 for value in report.targets[3 * at : 3 * at + 3]]
        told = [chance > 0.5 for chance in chances]
        names = [name for name, has in zip(LABELS, told, strict=True) if has]
        assert cells[index][PREDICTION] == (", ".join(names) or "–")
        sure = min(max(chance, 1 - chance) for chance in chances)
        assert cells[index][CONFIDENCE] == pytest.approx(sure, abs=1e-5)
        assert cells[index][CORRECT] == ("yes" if told == true else "no")
    values = ListValues(data=data, column=PREDICTION, query=SampleQuery(), predictions=step.key)
    assert len(ask(values).values) > 1
