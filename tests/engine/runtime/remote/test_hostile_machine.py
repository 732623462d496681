"""A machine that answers what no station would: too much, too slowly, for ever, to a terminal."""

import io
import os
import time

import msgspec
import pytest

from engine.diagnostics import DiagnosticError, sentence
from engine.runs.machine.remote import Remote, RemoteRun
from engine.runs.record.journal import RunJournal
from engine.runtime.remote import link, protocol, ssh
from engine.runtime.remote.link import Link, LinkLostError
from engine.runtime.remote.mirror import Mirror
from engine.runtime.remote.program import look_there, program_name, send_program
from engine.runtime.remote.station import Station, serve
from tests.tiny_run import make_run, train

MACHINE = Remote(host="gpu")
PLACE = RemoteRun(remote=MACHINE, place="runs/x-0123456789")
REPORT = {"python": "3.12.1", "folder": "/home/anna/trellis", "free": 1 << 40}


@pytest.fixture
def answers(tmp_path, monkeypatch):
    """Return a function that sets the shell script which is called in the place of SSH."""
    program = tmp_path / "bin" / "ssh"
    program.parent.mkdir()
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")

    def write(script: str) -> None:
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)

    return write


@pytest.fixture
def impatient(monkeypatch):
    """Wait for no good end of a connection that never comes to one."""
    monkeypatch.setattr("engine.runtime.remote.link._CLOSE_S", 0.2)


def refusal(act, *arguments):
    with pytest.raises(DiagnosticError) as caught:
        act(*arguments)
    return caught.value.problems[0]


def report(**changes: object) -> str:
    return msgspec.json.encode(REPORT | changes).decode()


@pytest.mark.real
def test_that_a_machine_that_answers_as_it_should_is_used(answers, tmp_path):
    answers(f'for last; do :; done; HOME={tmp_path} exec sh -c "$last"')
    there = Remote(host="gpu", folder="~/runs there", python=os.sys.executable)
    found = look_there(there)
    assert found.folder == str(tmp_path / "runs there")
    target = send_program(there, found)
    assert target == f"{found.folder}/{program_name()}"
    assert look_there(there).has_program


@pytest.mark.real
@pytest.mark.parametrize(
    "changes",
    [
        *({"python": "x"}, {"python": "3"}, {"python": "9" * 9000}),
        *({"folder": "relative"}, {"folder": "/a\n/b"}, {"folder": "/\x1b[2J"}),
        *({"free": -1}, {"free": 1 << 200}, {"gpus": ["\x1b]0;x\x07"]}, {"gpus": ["x"] * 9999}),
        *({"torch": "2\x1b[2J"}, {"missing": ["torch; rm -rf /"]}),
    ],
)
def test_that_a_report_that_no_machine_gives_is_refused(answers, tmp_path, changes):
    (tmp_path / "report").write_text(report(**changes))
    answers(f"cat {tmp_path}/report")
    problem = refusal(look_there, MACHINE)
    assert problem.code in ("R409", "R414")
    assert "\x1b" not in repr(problem).encode().decode("unicode_escape")


@pytest.mark.real
def test_that_an_answer_without_an_end_is_cut(answers):
    answers("exec cat /dev/zero")
    assert refusal(look_there, MACHINE).code == "R414"


@pytest.mark.real
@pytest.mark.timeout(300)
def test_that_errors_without_an_end_fill_no_memory(answers):
    answers("head -c 50000000 /dev/zero >&2; printf 'last word\\033[2J' >&2; exit 255")
    problem = refusal(look_there, MACHINE)
    assert problem.code == "R403"
    assert len(problem.detail) <= 4000
    assert "last word" in problem.detail
    assert "\x1b" not in problem.detail + sentence(problem)


@pytest.mark.real
@pytest.mark.timeout(300)
def test_that_a_machine_that_drips_is_given_up(answers, monkeypatch):
    monkeypatch.setattr(ssh, "_LONGEST_S", 1.0)
    monkeypatch.setattr(link, "LONGEST_S", 1.0)
    answers("while printf .; do sleep 0.1; done")
    refusal(look_there, MACHINE)
    connection = Link(PLACE, "/program", "/there", "run-0001")
    with pytest.raises((LinkLostError, DiagnosticError)):
        connection.ask(protocol.ListFiles())
    connection.close()


@pytest.mark.real
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("head", [b"\xff\xff\xff\xff", b"\x7f\xff\xff\xff"])
def test_that_no_length_takes_the_memory(answers, tmp_path, head):
    (tmp_path / "answer").write_bytes(head + b"x" * 1000)
    answers(f"cat {tmp_path}/answer; exec sleep 600")
    connection = Link(PLACE, "/program", "/there", "run-0001")
    assert refusal(connection.ask, protocol.ListFiles()).code == "R414"
    connection.close()
    with pytest.raises(ValueError, match="bytes"):
        protocol.receive(io.BytesIO(head + b"x" * 1000))


@pytest.mark.real
@pytest.mark.usefixtures("impatient")
def test_that_what_a_machine_tells_steers_no_terminal(answers, tmp_path):
    problem = {"code": "X\x1b[2J", "params": {"a\x07": "b\x9b31m"}, "detail": "c\x1b]0;d"}
    content = msgspec.msgpack.encode({"type": "Failed", "problems": [problem] * 500})
    (tmp_path / "answer").write_bytes(len(content).to_bytes(4, "big") + content)
    answers(f"cat {tmp_path}/answer; exec sleep 600")
    connection = Link(PLACE, "/program", "/there", "run-0001")
    with pytest.raises(DiagnosticError) as caught:
        connection.ask(protocol.ListFiles())
    connection.close()
    assert len(caught.value.problems) <= 100
    shown = caught.value.problems[0]
    text = f"{shown.code}{shown.params}{shown.detail}{caught.value}"
    assert [letter for letter in text if ord(letter) < 32 or 127 <= ord(letter) < 160] == []


@pytest.fixture
def mirror(tmp_path):
    run = make_run(tmp_path / "here")
    journal = RunJournal(run.path)
    yield Mirror(run, journal)
    journal.close()


def listing(files):
    def answer(request):
        if isinstance(request, protocol.ListFiles):
            return protocol.FileList(files=files)
        if isinstance(request, protocol.GetPiece):
            return protocol.Piece(content=bytes(1 << 20))
        return protocol.News(is_over=True)

    return answer


@pytest.mark.timeout(300)
@pytest.mark.parametrize("name", ["model.py", "log.txt", "artefacts/x.npy"])
def test_that_a_file_without_an_end_is_cut(mirror, tmp_path, name):
    with pytest.raises(ValueError, match="more of"):
        mirror.look(listing({name: (10, 1)}))
    sizes = [path.stat().st_size for path in (tmp_path / "here").rglob("*") if path.is_file()]
    assert sum(sizes) < 100 << 20


@pytest.mark.parametrize(
    "files", [{"a": (-1, 1)}, {"a": (1 << 60, 1)}, {f"f{n}": (1, 1) for n in range(200_000)}]
)
def test_that_a_list_of_files_that_no_run_has_is_refused(mirror, files):
    with pytest.raises(ValueError, match="files of"):
        mirror.look(listing(files))


@pytest.mark.parametrize("name", ["artefacts/\x1b[2J", "artefacts/a\nb", "artefacts/" + "x" * 2000])
def test_that_names_that_no_file_has_are_refused(mirror, name):
    assert refusal(mirror.look, listing({name: (1, 1)})).code == "R417"


def test_that_a_link_of_a_run_from_elsewhere_leads_no_file_out_of_it(mirror, tmp_path):
    (tmp_path / "mine").mkdir()
    inner = tmp_path / "here" / "runs" / "run-0001" / "artefacts" / "inner"
    inner.symlink_to(tmp_path / "mine")
    assert refusal(mirror.look, listing({"artefacts/inner/x": (1, 1)})).code == "R417"
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.timeout(600)
def test_that_a_long_record_comes_in_pieces_and_whole(tmp_path, monkeypatch):
    monkeypatch.setattr(protocol, "NEWS", 40)
    there = make_run(tmp_path / "there")
    train(there)
    station = Station(there.project, there.id)
    here = make_run(tmp_path / "here")
    journal = RunJournal(here.path)
    taken = Mirror(here, journal)
    deadline, looks = time.monotonic() + 240, 1
    while not taken.look(station.answer):
        looks += 1
        assert time.monotonic() < deadline
    journal.close()
    station.close()
    from tests.tiny_run import curves

    assert looks > 2
    assert curves(here) == curves(there)


def test_that_a_station_ends_where_it_is_asked_nonsense(tmp_path):
    run = make_run(tmp_path)
    station = Station(run.project, run.id)
    with pytest.raises((ValueError, msgspec.MsgspecError)):
        serve(station, io.BytesIO(b"\xff\xff\xff\xff" + bytes(100)), io.BytesIO())
    station.close()
