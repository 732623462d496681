"""Questions about data of the user's own class: they bring its code, and its trust, themselves."""

import pytest
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.query.ask import answer_for_user, codes_of
from engine.query.data.comparison import compare_data
from engine.query.data.request import (
    BrowseSamples,
    CompareData,
    DescribeEdits,
    DrawSamples,
    ListColumns,
    ListValues,
    LookAtSample,
    NameSamples,
    PickSamples,
    PreviewBatch,
    TakePictures,
)
from engine.query.density.request import CountSamples, DensitySpec
from engine.query.embedding.request import MapSamples
from engine.query.results.request import PredictSamples
from engine.runs.folder import RunFolder
from engine.runs.process.launch import Launch
from engine.spec.browse import SampleQuery
from engine.spec.data_path import data_key
from engine.spec.fields import set_value
from engine.spec.run import Choice, DataSpec, RunSpec
from engine.train.worker import run_in_thread
from tests.custom_data import HEAD, POINTS
from tests.tiny_run import CROSS_ENTROPY, PATIENCE_S, chain, iris_graph, iris_spec, node

DATA = DataSpec(source=Choice(type="code.data.Points"))
PLANE = DensitySpec(x="x", y="y")
QUESTIONS = (
    DescribeEdits(data=DATA),
    ListColumns(data=DATA),
    BrowseSamples(data=DATA, count=3),
    PickSamples(data=DATA, query=SampleQuery(), ranges=((0, 2),)),
    NameSamples(data=DATA, indices=(1,)),
    ListValues(data=DATA, column="index"),
    TakePictures(data=DATA, indices=(0,)),
    LookAtSample(data=DATA, index=1),
    DrawSamples(data=DATA, count=1),
    PreviewBatch(data=DATA),
    MapSamples(data=DATA, is_new=True, seconds=60.0),
    CountSamples(data=DATA, spec=PLANE, is_new=True, seconds=60.0),
)


def named(question) -> str:
    return type(question).__name__


def code_of(word: str, samples: int = 20) -> dict[str, str]:
    """Return code of so many samples that says when it runs."""
    points = POINTS.replace("count: int = 20", f"count: int = {samples}")
    return {"data.py": f"{HEAD}print('ran {word}')\n{points}"}


def refusal(question) -> str:
    with pytest.raises(DiagnosticError) as caught:
        answer_for_user(question)
    return caught.value.problems[0].code


@pytest.mark.fault("S03")
@pytest.mark.parametrize("question", QUESTIONS, ids=named)
def test_that_a_question_answers_for_its_own_code_where_that_is_trusted(question, capfd):
    code = code_of(named(question))
    asked = replace(question, code=code)
    assert refusal(asked) == "U027"
    assert "ran" not in capfd.readouterr().out
    if isinstance(question, PreviewBatch):
        assert refusal(replace(asked, trusted=True)) == "D110"  # points are no images
    else:
        assert answer_for_user(replace(asked, trusted=True)) is not None
    assert "ran" in capfd.readouterr().out
    assert refusal(asked) == "U027"  # withdrawn


@pytest.mark.fault("S03")
@pytest.mark.parametrize("question", QUESTIONS, ids=named)
def test_that_code_that_was_asked_about_before_is_not_taken_for_that_of_a_question(question, capfd):
    before = code_of("before")
    assert answer_for_user(ListColumns(data=DATA, code=before, trusted=True)).samples == 20
    capfd.readouterr()
    assert refusal(question) == "D258"
    assert refusal(replace(question, trusted=True)) == "D258"
    assert refusal(replace(question, code=code_of("later"))) == "U027"
    assert "ran" not in capfd.readouterr().out


def test_that_two_projects_with_a_class_of_one_name_have_samples_of_their_own():
    codes = [code_of("few", 5), code_of("many", 50)]
    for code, count in (*zip(codes, (5, 50), strict=True), (codes[0], 5)):
        listed = answer_for_user(ListColumns(data=DATA, code=code, trusted=True))
        window = answer_for_user(BrowseSamples(data=DATA, code=code, trusted=True))
        assert (listed.samples, window.total) == (count, count)


def test_that_edits_of_data_of_ones_own_hold_where_it_was_moved_to(tmp_path):
    text = POINTS.replace("count: int = 20", "root: str = '', count: int = 20")
    code = {"data.py": HEAD + text}
    spec = set_value(RunSpec(), "data.source", "code.data.Points", code)
    here, there = (
        set_value(spec, "data.source.root", str(tmp_path / name / "points"), code)
        for name in ("here", "there")
    )
    edits = here.data.edits.of(data_key(here.data.source, code)).excluding(["3"], is_excluded=True)
    data = replace(there.data, edits=edits)
    told = answer_for_user(DescribeEdits(data=data, code=code, trusted=True))
    assert (told.samples, told.excluded, told.others) == (1, 1, 0)


def points_run(folder, code, name: str) -> RunFolder:
    graph = chain(
        node("Input", "x", field="input", shape=(2,)),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    term = replace(CROSS_ENTROPY, inputs={"input": "model.logits", "target": "data.target"})
    spec = iris_spec(data=DATA, losses=(term,), epochs=1)
    return RunFolder.create(folder, replace(graph, code=code), spec, name)


def train_trusted(run: RunFolder) -> None:
    launch = Launch(folder=str(run.path), trusted=True)
    assert run_in_thread(launch).join(PATIENCE_S)


def test_that_runs_are_compared_by_code_only_where_all_of_it_is_trusted(tmp_path, capfd):
    code = code_of("compared")
    runs = [points_run(tmp_path, code, name) for name in ("a", "b")]
    plain = RunFolder.create(tmp_path, iris_graph(), iris_spec(), "c")
    question = CompareData(run_folders=tuple(str(run.path) for run in (*runs, plain)))
    assert codes_of(question) == (code, code, {})
    answer_for_user(question)
    assert "ran" not in capfd.readouterr().out
    assert compare_data(question).versions == (None, None, None)


def test_that_the_data_of_runs_of_ones_own_class_is_compared_in_its_samples(tmp_path):
    code = code_of("compared in samples")
    answer_for_user(ListColumns(data=DATA, code=code, trusted=True))
    runs = [points_run(tmp_path, code, name) for name in ("a", "b")]
    for run in runs:
        train_trusted(run)
    question = CompareData(run_folders=tuple(str(run.path) for run in runs))
    (other,) = answer_for_user(replace(question, trusted=True)).others
    assert other.samples is not None
    assert other.parts == ()
    assert answer_for_user(question).others[0].samples is None


def test_that_predictions_stop_when_trust_is_withdrawn(tmp_path):
    code = code_of("predicted", samples=400)
    answer_for_user(ListColumns(data=DATA, code=code, trusted=True))
    run = points_run(tmp_path, code, "a")
    train_trusted(run)
    question = PredictSamples(run_folder=str(run.path), seconds=0, trusted=True)
    step = answer_for_user(question)
    assert 0 < step.done < step.total
    following = replace(question, checkpoint=step.checkpoint, sha256=step.sha256, trusted=False)
    assert refusal(following) == "U027"
