"""A table that grows or changes its columns while a run on it is stopped: what a resume says."""

import shutil
from collections import Counter
from pathlib import Path

import pytest
import torch

from engine.api import evaluate
from engine.data.load.fit import read_fit
from engine.data.load.load import LoadedData, load_data
from engine.data.read import kind
from engine.data.source.registry import forget_sources
from engine.diagnostics import sentence
from engine.events import RunEnded
from engine.query.ask import ask
from engine.query.results.request import Examine
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.runs.follow import read_state
from engine.runs.process.launch import Launch, worker_arguments
from engine.runs.record.state import RunStatus
from engine.runs.record.store import RunStore
from engine.runtime.job.child import start_worker
from engine.spec.run import Choice, DataSpec, LossTerm
from engine.train.checkpoint.lookup import open_checkpoint
from tests.tiny_run import PATIENCE_S, chain, make_run, node, stop_at, train

ROWS = [f"{n % 10},{n % 7},{'low' if n % 10 < 5 else 'high'}" for n in range(80)]
CELLS = [row.split(",") for row in ROWS]
OTHER = {"low": "high", "high": "a"}  # so that the classes are a, high: "high" was number 0


@pytest.fixture
def stopped(tmp_path: Path) -> tuple[RunFolder, Path]:
    """Return a run on a table that was stopped in its first epoch, and the table."""
    table = tmp_path / "数据 table.csv"
    write(table, "a,b,kind", ROWS)
    source = Choice(type="table", params={"path": str(table), "target": "kind"})
    graph = chain(
        node("Input", "features", field="features", shape=(2,)),
        node("Linear", "head", out_features=2),
        node("Output", "logits"),
    )
    loss = LossTerm(
        loss=Choice(type="CrossEntropyLoss"),
        inputs={"input": "model.logits", "target": "data.label"},
    )
    data = DataSpec(source=source, batch_size=8)
    run = make_run(tmp_path / "project", graph, data=data, losses=(loss,), epochs=2)
    state = stop_at(run, 3)
    assert (state.status, state.problem) == (RunStatus.STOPPED, None)
    return run, table


def write(table: Path, head: str, rows: list[str]) -> None:
    table.write_text("\n".join([head, *rows]) + "\n", encoding="utf-8")


def end_of(run: RunFolder) -> RunEnded:
    with RunStore.open(run.path) as store:
        event = store.events()[-1].event
    assert isinstance(event, RunEnded)
    return event


@pytest.mark.fault("F22")
def test_that_a_table_that_grew_is_told_and_the_run_goes_on(stopped):
    run, table = stopped
    write(table, "a,b,kind", [*ROWS, "3,1,low", "8,2,high"])
    state = train(run, resume="latest")
    assert state.status is RunStatus.FINISHED
    (warning,) = state.warnings
    assert (warning.code, warning.params["count"]) == ("D558", 2)
    assert "{" not in sentence(warning, "zh_CN")


@pytest.mark.fault("F22")
def test_that_rows_with_another_decimal_mark_are_told_wherever_the_table_is_read(stopped):
    run, table = stopped
    write(table, "a,b,kind", [*ROWS, "3.5,1,low", '"8,25",2,high'])
    state = train(run, resume="latest")
    assert [warning.code for warning in state.warnings] == ["D558", "D610"]
    assert state.warnings[1].params["comma"] == "8,25"
    for part in ("train", "test"):
        notices = evaluate(run.path, "last", part).notices
        assert [notice.code for notice in notices] == ["D610"]
    report = ask(Examine(run_folder=str(run.path), split="test", seconds=PATIENCE_S)).report
    assert [notice.code for notice in report.notices] == ["D610"]


@pytest.mark.fault("F22")
def test_that_no_row_that_was_trained_on_is_tested_on_after_the_table_grew(stopped):
    """From the middle of an epoch on, and in what is measured of the run afterwards."""
    run, table = stopped
    before = rows_of_parts(load_data(run.document.spec.data, known=read_fit(run.artefacts)))
    rows = [*ROWS[:30], "3,9,low", "8,12,high", *ROWS[30:]]
    write(table, "a,b,kind", rows)
    state = train(run, resume="latest")
    assert state.status is RunStatus.FINISHED
    assert [warning.code for warning in state.warnings] == ["D558"]
    write(table, "a,b,kind", [*(f"{n},{n},low" for n in range(20, 27)), *rows])
    looked = open_trained(run, "last").training.data
    assert [problem.params["count"] for problem in looked.problems] == [7]
    assert before <= rows_of_parts(looked)
    state = train(run, resume="latest")
    assert state.status is RunStatus.FINISHED
    assert [warning.params["count"] for warning in state.warnings] == [2, 7]
    after = open_trained(run, "last").training.data
    assert before <= rows_of_parts(after)
    assert not after.problems


@pytest.mark.real
@pytest.mark.fault("F22")
@pytest.mark.row("S190")
def test_that_two_processes_keep_the_parts_of_a_table_that_grew_as_one_does(stopped):
    """Equal weights say that the second process has not divided the table anew: it would train on
    other rows.
    """
    one, table = stopped
    before = rows_of_parts(load_data(one.document.spec.data, known=read_fit(one.artefacts)))
    two = RunFolder.open(shutil.copytree(one.path, one.path.with_name("two")))
    write(table, "a,b,kind", [*ROWS[:30], "3,9,low", "8,12,high", *ROWS[30:], "5,1,high"])
    assert train(one, resume="latest").status is RunStatus.FINISHED
    launch = Launch(folder=str(two.path), resume="latest", nproc=2)
    process = start_worker(worker_arguments(launch, nice=False))
    assert process.wait(PATIENCE_S) == 0, two.log_path.read_text()
    state = read_state(two)
    assert [(warning.code, warning.params["count"]) for warning in state.warnings] == [("D558", 3)]
    assert read_fit(two.artefacts).parts == read_fit(one.artefacts).parts
    looked = open_trained(two, "last").training.data
    assert before <= rows_of_parts(looked)
    assert len(looked.indices["test"]) > 0
    models = [open_checkpoint(run, "last").model for run in (one, two)]
    for name, value in models[0].items():
        torch.testing.assert_close(models[1][name], value, rtol=1e-5, atol=1e-6)
    tested = [read_state(run).metrics["test.loss"] for run in (one, two)]
    assert tested[0] == pytest.approx(tested[1], rel=1e-4)


def rows_of_parts(data: LoadedData) -> Counter[tuple[str, ...]]:
    """Return how often each row is in each part."""
    return Counter(
        (part, *(data.source.text(name, index) for name in ("a", "b", "kind")))
        for part, indices in data.indices.items()
        for index in indices.tolist()
    )


@pytest.mark.fault("F22")
def test_that_a_run_that_has_not_kept_its_parts_does_not_go_on_with_other_files(stopped):
    run, table = stopped
    (run.artefacts / "parts.msgpack").unlink()
    write(table, "a,b,kind", [*ROWS, "3,1,low"])
    state = train(run, resume="latest")
    assert state.status is RunStatus.FAILED
    end = end_of(run)
    assert (state.step, end.step) == (3, 3)  # where it was stopped, and still is
    problem = end.problem
    assert problem is not None
    assert problem.code == "D569"
    assert "{" not in sentence(problem, "zh_CN")
    write(table, "a,b,kind", ROWS)
    assert train(run, resume="latest").status is RunStatus.FINISHED
    assert read_fit(run.artefacts).parts is not None


@pytest.mark.fault("F22", "B10")
@pytest.mark.parametrize(
    ("head", "rows", "code"),
    [
        ("a,b,sort", ROWS, ""),
        ("a,b,c,kind", [row.replace(",", f",{at},", 1) for at, row in enumerate(ROWS)], "D523"),
        ("b,a,kind", [f"{b},{a},{kind}" for a, b, kind in CELLS], "D523"),
        ("a,z,kind", ROWS, "D523"),
        ("a,kind", [f"{a},{kind}" for a, _, kind in CELLS], "D523"),
        ("a,b,kind", [f"{a},{b},{OTHER[kind]}" for a, b, kind in CELLS], "D524"),
        ("kind", [row.rpartition(",")[2] for row in ROWS], ""),
        ("a,b,kind", [row.rpartition(",")[0] + ",low" for row in ROWS], ""),
        ("a,b,kind", ROWS[:1], ""),
        ("a,b,kind", [], ""),
    ],
    ids=[
        *("target renamed", "one more", "swapped", "input renamed", "one less", "other classes"),
        *("only the target", "all the same", "one sample", "no sample"),
    ],
)
def test_that_a_table_with_other_columns_ends_a_resume_in_a_sentence(stopped, head, rows, code):
    run, table = stopped
    kept = {path.name: path.read_bytes() for path in run.checkpoints.iterdir()}
    write(table, head, rows)
    state = train(run, resume="latest")
    assert state.status is RunStatus.FAILED
    problem = end_of(run).problem
    assert problem is not None
    assert code in ("", problem.code)
    for language in ("en", "zh_CN"):
        text = sentence(problem, language)
        assert text
        assert "{" not in text
        assert "Traceback" not in text
    for name, content in kept.items():
        assert (run.checkpoints / name).read_bytes() == content
    write(table, "a,b,kind", ROWS)
    assert train(run, resume="latest").status is RunStatus.FINISHED


@pytest.mark.row("S291")
@pytest.mark.parametrize("is_kept", [True, False], ids=["kept with the run", "of an older run"])
def test_that_a_run_reads_its_columns_as_before_where_they_would_be_judged_otherwise(
    is_kept, tmp_path, monkeypatch
):
    """As after a new version of the program: postal codes were numbers then, days as well."""
    table = tmp_path / "flats.csv"
    places = ("10117", "20093", "80331", "50667", "60311", "70173", "41061")
    days = [20240101 + 100 * (n % 12) + n % 28 for n in range(84)]
    day = (lambda n: f",{days[n]}") if is_kept else (lambda _: "")
    rows = [f"{n % 10 + 0.5},{places[n % 7]}{day(n)},{3 * n}" for n in range(84)]
    head = "size,place,day,price" if is_kept else "size,place,price"
    write(table, head, rows)
    graph = chain(
        node("Input", "features", field="features", shape=(3 if is_kept else 2,)),
        node("Linear", "head", out_features=1),
        node("Output", "price"),
    )
    source = Choice(type="table", params={"path": str(table)})
    loss = LossTerm(
        loss=Choice(type="MSELoss"), inputs={"input": "model.price", "target": "data.target"}
    )
    data = DataSpec(source=source, batch_size=8, normalization="standard")
    run = make_run(tmp_path / "project", graph, data=data, losses=(loss,), epochs=2)
    with monkeypatch.context() as before:
        before.setattr(kind, "are_codes", lambda *_: False)
        before.setattr(kind, "date_order", lambda *_: None)
        forget_sources()
        assert stop_at(run, 3).status is RunStatus.STOPPED
        first = load_data(data).raw(range(84))
    forget_sources()
    if not is_kept:
        (run.artefacts / "columns.json").unlink()
    now = load_data(data)
    assert now.info.fields != load_data(data, known=read_fit(run.artefacts)).info.fields
    assert train(run, resume="latest").status is RunStatus.FINISHED
    again = load_data(data, known=read_fit(run.artefacts)).raw(range(84))
    assert all(torch.equal(values, again[name]) for name, values in first.items())
