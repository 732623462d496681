"""Reaching another machine: what is found there, and a clear word for each way it can fail."""

import json
import sys

import pytest

from engine.diagnostics import DiagnosticError, sentence
from engine.runs.machine.remote import Remote
from engine.runtime.remote.program import look_there, program_name, send_program
from engine.runtime.remote.ssh import failure, quoted, ssh_arguments
from tests.ssh_server import make_key


def refusal(remote: Remote):
    with pytest.raises(DiagnosticError) as caught:
        look_there(remote)
    problem = caught.value.problems[0]
    for language in ("en", "zh_CN"):
        assert "{" not in sentence(problem, language)
    return problem.code


def script(server, name: str, text: str) -> str:
    path = server.folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


@pytest.mark.row("P33")
def test_that_a_machine_tells_what_it_has_and_takes_the_program_once(server):
    remote = server.remote()
    report = look_there(remote)
    assert (report.missing, report.has_program) == ((), False)
    assert report.folder == str(server.folder / "home" / "trellis")
    assert report.torch
    target = send_program(remote, report)
    assert target == f"{report.folder}/{program_name()}"
    assert (server.folder / "home/trellis" / program_name() / "engine/train/worker.py").is_file()
    assert look_there(remote).has_program


def test_that_a_wrong_key_is_named(server):
    assert refusal(server.remote(key=str(server.folder / "stranger"))) == "R404"


def test_that_a_key_that_is_not_there_is_named_before_connecting(server):
    assert refusal(server.remote(key=str(server.folder / "nowhere"))) == "R407"


def test_that_a_machine_nobody_has_met_is_not_trusted(server):
    known = server.known_hosts.read_text()
    server.known_hosts.write_text("")
    assert refusal(server.remote()) == "R405"
    server.known_hosts.write_text(known)


def test_that_a_machine_with_another_host_key_is_not_trusted(server):
    make_key(server.folder / "other")
    known = server.known_hosts.read_text()
    server.know(server.folder / "other.pub")
    assert refusal(server.remote()) == "R406"
    server.known_hosts.write_text(known)


def test_that_a_closed_port_is_told(server):
    assert refusal(server.remote(port=1)) == "R403"


def test_that_a_python_that_is_not_there_is_told(server):
    assert refusal(server.remote(python="/nowhere/python")) == "R408"


def test_that_packages_that_are_missing_are_told(server):
    bare = script(server, "bare", f'exec {sys.executable} -S "$@"')
    assert refusal(server.remote(python=bare)) == "R410"


@pytest.mark.parametrize(
    ("changes", "code"), [({"python": "3.9.2"}, "R409"), ({"free": 1 << 20}, "R411")]
)
def test_that_an_old_python_and_a_full_disk_are_told(server, changes, code):
    report = {"python": "3.11.2", "folder": "/x", "free": 1 << 40} | changes
    answer = script(server, "answer", f"echo '{json.dumps(report)}'")
    assert refusal(server.remote(python=answer)) == code


def test_that_a_folder_that_cannot_be_made_is_told(server):
    assert refusal(server.remote(folder="/dev/null/trellis")) == "R412"


@pytest.mark.parametrize(
    ("exit_code", "told", "code"),
    [
        (255, "ssh: Could not resolve hostname gpu: Name or service not known", "R402"),
        (255, "ssh: connect to host 10.0.0.9 port 22: No route to host", "R403"),
        (1, "OSError: [Errno 28] No space left on device", "R411"),
        (1, "ValueError: something else", "R414"),
    ],
)
def test_that_an_end_of_ssh_is_understood(exit_code, told, code):
    assert failure(Remote(host="gpu"), exit_code, told).problems[0].code == code


def test_that_ssh_never_asks_and_never_takes_an_unknown_machine():
    words = ssh_arguments(Remote(host="gpu", user="anna", port=2222, key="/k"), "true")
    assert {"BatchMode=yes", "StrictHostKeyChecking=yes"} <= set(words)
    assert words[-3:] == ["--", "anna@gpu", "true"]


def test_that_the_home_folder_is_that_of_the_other_machine():
    assert quoted("~/my env/python") == "\"$HOME\"/'my env/python'"
    assert quoted("/opt/a b") == "'/opt/a b'"
