"""The user's own list of machines: what a document of somebody else can make of it."""

import shutil
import stat
import sys

import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.folder import RunFolder
from engine.runs.machine.known_machine import Forgotten, KnownMachine, KnownMachines
from engine.runs.machine.remote import Remote, RemoteRun, send_away
from tests.tiny_run import make_run

MINE = Remote(host="gpu", user="anna", key="~/.ssh/mine")


@pytest.fixture
def known(tmp_path):
    return KnownMachines(tmp_path / "settings" / "machines.json")


def refusal(act, *arguments) -> str:
    with pytest.raises(DiagnosticError) as caught:
        act(*arguments)
    return caught.value.problems[0].code


def test_that_a_run_goes_on_where_the_user_sent_it(known, tmp_path):
    run = make_run(tmp_path)
    away = send_away(run, MINE)
    known.note(run, away)
    stripped = msgspec.structs.replace(away, remote=msgspec.structs.replace(MINE, key="/theirs"))
    assert known.require(run, stripped).remote == MINE, "the key is that of the list"


@pytest.mark.parametrize(
    "changes",
    [{"host": "evil"}, {"user": "root"}, {"port": 2222}, {"python": "sh"}, {"folder": "~/.ssh"}],
)
def test_that_another_machine_user_program_or_folder_is_not_known(known, tmp_path, changes):
    run = make_run(tmp_path)
    away = send_away(run, MINE)
    known.note(run, away)
    other = msgspec.structs.replace(away, remote=msgspec.structs.replace(MINE, **changes))
    assert refusal(known.require, run, other) == "R418"


def test_that_a_known_machine_is_not_known_for_a_run_from_elsewhere(known, tmp_path):
    known.remember(MINE)
    foreign = make_run(tmp_path)
    away = send_away(foreign, MINE)
    assert refusal(known.require, foreign, away) == "R418"
    known.agree(foreign, away)
    assert known.require(foreign, away).remote == MINE


def test_that_a_run_from_elsewhere_never_gets_the_place_of_another_run(known, tmp_path):
    mine = make_run(tmp_path / "mine")
    away = send_away(mine, MINE)
    known.note(mine, away)
    foreign = make_run(tmp_path / "theirs")
    for act in (known.require, known.agree, known.note):
        assert refusal(act, foreign, away) == "R421"
    assert known.require(mine, away).place == away.place


def test_that_a_run_that_was_moved_may_go_on_when_the_user_agrees(known, tmp_path):
    run = make_run(tmp_path / "before")
    away = send_away(run, MINE)
    known.note(run, away)
    shutil.move(tmp_path / "before", tmp_path / "after")
    moved = RunFolder.open(tmp_path / "after" / "runs" / run.id)
    assert refusal(known.require, moved, away) == "R418"
    known.agree(moved, away)
    assert known.require(moved, away).place == away.place


def test_that_no_key_is_taken_from_a_document(known, tmp_path):
    foreign = make_run(tmp_path)
    known.agree(foreign, send_away(foreign, Remote(host="gpu", key="/home/anna/.ssh/other")))
    assert [one.key for one in known.machines] == [""]


def test_that_what_is_forgotten_is_asked_again(known, tmp_path):
    run = make_run(tmp_path)
    away = send_away(run, MINE)
    known.note(run, away)
    assert known.forget([msgspec.structs.replace(MINE, key="")]).machines, "the key is no matter"
    assert known.forget([MINE]) == Forgotten()
    assert known.machines == ()
    known.remember(MINE)
    assert refusal(known.require, run, away) == "R418"


def test_that_the_list_tells_of_each_machine_how_many_runs_were_sent_there(known, tmp_path):
    known.remember(Remote(host="spare"))
    runs = [make_run(tmp_path), make_run(tmp_path)]
    for run in runs:
        known.note(run, send_away(run, MINE))
    newest = max(run.document.created for run in runs)
    assert known.entries() == (
        KnownMachine(remote=MINE, runs=2, newest=newest),
        KnownMachine(remote=Remote(host="spare")),
    )


def test_that_only_the_machine_that_is_meant_is_forgotten(known, tmp_path):
    run = make_run(tmp_path)
    away = send_away(run, MINE)
    other = msgspec.structs.replace(MINE, python="~/venv/bin/python")
    known.remember(other)
    known.note(run, away)
    known.forget([other])
    assert known.machines == (MINE,)
    assert known.require(run, away).remote == MINE


def test_that_forgetting_can_be_taken_back(known, tmp_path):
    run = make_run(tmp_path)
    away = send_away(run, MINE)
    known.remember(Remote(host="first"))
    known.note(run, away)
    known.remember(Remote(host="last"))
    before = known.entries()
    forgotten = known.forget([MINE])
    known.restore(forgotten)
    assert known.entries() == before
    assert known.require(run, away).remote == MINE
    known.restore(forgotten)
    assert known.entries() == before, "what is there again is not put back twice"


def test_that_the_machine_used_last_comes_first_once(known):
    for host in ("a", "b", "a"):
        known.remember(Remote(host=host))
    assert [one.host for one in known.machines] == ["a", "b"]


@pytest.mark.skipif(sys.platform == "win32", reason="permissions of POSIX")
def test_that_nobody_else_reads_the_list(known, tmp_path):
    known.remember(MINE)
    mode = stat.S_IMODE((tmp_path / "settings" / "machines.json").stat().st_mode)
    assert mode == 0o600


def test_that_of_a_damaged_list_nothing_is_known(known, tmp_path):
    run = make_run(tmp_path)
    away = RemoteRun(remote=MINE, place="runs/mine-0123456789")
    known.note(run, away)
    (tmp_path / "settings" / "machines.json").write_text("[")
    assert refusal(known.require, run, away) == "R418"
    known.agree(run, away)
    assert known.require(run, away).place == away.place
