"""Records that somebody else made: what SQLite would run or blow up is refused."""

import contextlib
import os
import sqlite3
import sys

import pytest

from engine.diagnostics import DiagnosticError, sentence
from engine.events import EpochDone
from engine.runs.follow import read_state
from engine.runs.record import database
from engine.runs.record.journal import RunJournal
from engine.runs.record.store import RunStore
from tests.tiny_run import make_run

FOREIGN = {
    "trigger": "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM chunks; END",
    "view": "CREATE VIEW v AS SELECT * FROM events",
    "view in place": "DROP TABLE samples; CREATE VIEW samples AS SELECT * FROM events",
    "table": "CREATE TABLE other (x)",
    "shadow": "CREATE TABLE pragma_table_xinfo (hidden)",
    "virtual": "DROP TABLE samples; CREATE VIRTUAL TABLE samples USING fts5(id)",
    "generated": "DROP TABLE samples; CREATE TABLE samples"
    " (id INTEGER PRIMARY KEY, step, layout, counts, numbers AS (zeroblob(200000000)))",
    "index": "CREATE INDEX i ON events (length(zeroblob(100000000)))",
    "partial": "CREATE INDEX i ON events (step * 2) WHERE step > 1",
}


@pytest.fixture
def run(tmp_path):
    made = make_run(tmp_path)
    journal = RunJournal(made.path)
    journal.extend("train.loss", [1, 2], [0.5, 0.25])
    journal.append(EpochDone(epoch=1, step=2, metrics={"train.loss": 0.25}))
    journal.close()
    return made


def change(run, script: str, *values: object) -> None:
    with contextlib.closing(sqlite3.connect(run.path / "events.db")) as connection:
        if values:
            connection.execute(script, values)
        else:
            connection.executescript(script)
        connection.commit()


def refusal(act, *arguments) -> str:
    with pytest.raises(DiagnosticError) as caught:
        act(*arguments)
    problem = caught.value.problems[0]
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language)
    return problem.code


@pytest.mark.parametrize("kind", FOREIGN)
def test_that_a_record_with_anything_that_no_record_has_is_refused(run, kind):
    try:
        change(run, FOREIGN[kind])
    except sqlite3.OperationalError as error:
        pytest.skip(f"this SQLite makes none: {error}")
    before = (run.path / "events.db").read_bytes()
    assert refusal(RunStore.open, run.path) == "R164"
    assert refusal(RunJournal, run.path) == "R164"
    assert (run.path / "events.db").read_bytes() == before


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("UPDATE events SET data = ?", 7),
        ("UPDATE events SET data = ?", b"\xff\x00"),
        ("UPDATE events SET data = ?", "[" * 200_000),
        ("UPDATE events SET data = cast(? AS TEXT)", b"\xff\xfe"),
        ("UPDATE events SET data = ?", "null"),
        ("UPDATE meta SET value = ?", "9" * 6000),
        ("UPDATE meta SET value = ?", "99"),
    ],
)
def test_that_values_that_no_record_has_are_told(run, query, value):
    change(run, query, value)
    assert refusal(read_state, run) == "R151"


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("UPDATE chunks SET steps = ?", "text"),
        ("UPDATE chunks SET steps = ?", 7),
        ("UPDATE chunks SET points = ?", b"odd"),
        ("UPDATE chunks SET points = ?", bytes(80)),
    ],
)
def test_that_points_that_no_curve_has_are_told(run, query, value):
    change(run, query, value)
    with RunStore.open(run.path) as store:
        assert refusal(store.scalars, "train.loss") == "R151"


def test_that_a_record_of_more_rows_than_its_size_is_refused(run, monkeypatch):
    """One page that stands in the tree a thousand times, as a file of a stranger may have it."""
    monkeypatch.setattr(database, "_SLACK", 1 << 16)
    padding = ', "more": "' + "x" * 3000 + '"}'
    change(run, "UPDATE events SET data = substr(data, 1, length(data) - 1) || ?", padding)
    for _ in range(3):
        change(run, "INSERT INTO events (kind, step, data) SELECT kind, step, data FROM events")
    with RunStore.open(run.path) as store:
        assert len(store.events()) == 8
    repeat_pages(run.path / "events.db")
    with RunStore.open(run.path) as store:
        assert refusal(store.events) == "R151"


def repeat_pages(file) -> None:
    """Let the root of the events point at one of its pages again and again."""
    with contextlib.closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE").fetchall()
        size = connection.execute("PRAGMA page_size").fetchone()[0]
        query = "SELECT rootpage FROM sqlite_master WHERE name = 'events'"
        root = connection.execute(query).fetchone()[0]
    data = bytearray(file.read_bytes())
    at = (root - 1) * size
    assert data[at] == 5, "the root leads to other pages"
    leaf = int.from_bytes(data[at + 8 : at + 12], "big")
    cell = leaf.to_bytes(4, "big") + b"\x01"  # a child and a key of one byte
    count = (size - 12) // (2 + len(cell))
    data[at + 3 : at + 8] = count.to_bytes(2, "big") + (12 + 2 * count).to_bytes(2, "big") + b"\0"
    for number in range(count):
        place = 12 + 2 * count + number * len(cell)
        data[at + place : at + place + len(cell)] = cell
        data[at + 12 + 2 * number : at + 14 + 2 * number] = place.to_bytes(2, "big")
    file.write_bytes(data)


def test_that_a_question_without_an_end_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(database, "_BETWEEN", 1000)
    monkeypatch.setattr(database, "_MOST_LOOKS", 20)
    with contextlib.closing(sqlite3.connect(tmp_path / "x.db")) as connection:
        budget = database.Budget(connection, lambda: 0)
        endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) SELECT max(x) FROM n"
        with pytest.raises(sqlite3.OperationalError):
            budget.rows(connection.execute(endless))
        budget.begin()
        assert budget.rows(connection.execute("SELECT 1")) == [(1,)]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes in folders are of POSIX")
@pytest.mark.parametrize("kind", ["pipe", "folder"])
def test_that_no_record_is_written_into_a_pipe_or_a_folder(tmp_path, kind):
    run = make_run(tmp_path)
    make = os.mkfifo if kind == "pipe" else os.mkdir
    make(run.path / "events.db")
    assert refusal(RunJournal, run.path) == "R153"


def test_that_damage_whose_message_is_no_text_is_told(run):
    file = run.path / "events.db"
    content = file.read_bytes()
    assert b"CREATE TABLE" in content
    file.write_bytes(content.replace(b"CREATE TABLE", b"CREATE TAB\xff\xff"))
    assert refusal(RunStore.open, run.path) == "R151"
    assert refusal(RunJournal, run.path) == "R153"
