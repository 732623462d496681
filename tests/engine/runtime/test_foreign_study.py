"""The record of a search that somebody else made."""

import contextlib
import sqlite3

import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.search import SearchFolder, SearchStatus
from engine.runtime import search_worker
from engine.runtime.study import Study
from engine.spec.search import SearchSpec, parse_dimension
from tests.tiny_run import iris_graph, iris_spec

FOREIGN = {
    "trigger": "CREATE TRIGGER t AFTER INSERT ON trials BEGIN DELETE FROM studies; END",
    "view": "CREATE VIEW v AS SELECT * FROM trials",
    "table": "CREATE TABLE other (x)",
    "generated": "ALTER TABLE trials ADD COLUMN x AS (length(zeroblob(200000000)))",
    "index": "CREATE INDEX i ON trials (length(zeroblob(100000000)))",
}


@pytest.fixture
def folder(tmp_path) -> SearchFolder:
    wanted = SearchSpec(space=(parse_dimension("optimizer.lr=0.001..0.1:log"),), trials=3)
    made = SearchFolder.create(tmp_path, iris_graph(), iris_spec(), wanted)
    study = Study(made)
    study.note_run(study.ask().number, "run-0001")
    study.close()
    return made


def refusal(folder) -> str:
    with pytest.raises(DiagnosticError) as caught:
        Study(folder)
    return caught.value.problems[0].code


def change(folder, script: str) -> None:
    with contextlib.closing(sqlite3.connect(folder.study_path)) as connection:
        connection.executescript(script)


def test_that_the_record_of_a_search_is_opened_again(folder):
    study = Study(folder)
    assert [asked.number for asked in study.unfinished()] == [0]
    study.close()


@pytest.mark.parametrize("kind", FOREIGN)
def test_that_a_record_with_anything_but_tables_of_optuna_is_refused(folder, kind):
    change(folder, FOREIGN[kind])
    before = folder.study_path.read_bytes()
    assert refusal(folder) == "R164"
    assert folder.study_path.read_bytes() == before


@pytest.mark.parametrize("content", [b"", b"{" * 4000, b"SQLite format 3\0" + bytes(4000)])
def test_that_a_record_that_is_none_is_told_or_made_anew(folder, content):
    folder.study_path.write_bytes(content)
    if not content:
        Study(folder).close()
    else:
        assert refusal(folder) == "R316"


def test_that_a_record_with_a_page_that_stands_twice_is_refused(folder):
    with contextlib.closing(sqlite3.connect(folder.study_path)) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute(
            "UPDATE sqlite_master SET rootpage = (SELECT rootpage FROM sqlite_master"
            " WHERE name = 'studies') WHERE name = 'trials'"
        )
        connection.commit()
    assert refusal(folder) == "R316"


@pytest.mark.parametrize(
    "script",
    [
        "UPDATE study_directions SET direction = 'SIDEWAYS'",
        "UPDATE trials SET state = 'HALF'",
        "UPDATE trial_user_attributes SET value_json = '{'",
        'UPDATE trial_params SET distribution_json = \'{"name": "eval", "attributes": {}}\'',
    ],
)
def test_that_tables_of_another_make_are_told(folder, script):
    change(folder, script)
    assert refusal(folder) == "R316"


def test_that_the_process_of_a_search_says_why_it_cannot_go_on(folder, monkeypatch):
    monkeypatch.setattr(search_worker, "redirect_output", lambda _: None)
    change(folder, FOREIGN["trigger"])
    assert search_worker.main([str(folder.path)]) == 1
    state = folder.state()
    assert (state.status, state.problem.code) == (SearchStatus.FAILED, "R164")
