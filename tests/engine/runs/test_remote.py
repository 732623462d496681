import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.remote import Remote, parse_remote, read_remote, send_away
from tests.tiny_run import make_run


@pytest.mark.parametrize(
    ("text", "host", "user", "port"),
    [
        ("gpu", "gpu", "", 0),
        (" anna@192.168.0.20 ", "192.168.0.20", "anna", 0),
        ("anna@gpu:2222", "gpu", "anna", 2222),
    ],
)
def test_that_a_machine_is_read_as_ssh_writes_it(text, host, user, port):
    remote = parse_remote(text, Remote(key="/k"))
    assert (remote.host, remote.user, remote.port, remote.key) == (host, user, port, "/k")
    assert remote.shown == text.strip()


@pytest.mark.parametrize(
    "text",
    ["", "a b", "anna@", "@gpu", "gpu:", "gpu:0", "gpu:99999", "gpu:x", "-oProxyCommand=x", "a@-b"],
)
def test_that_what_is_no_machine_never_reaches_ssh(text):
    with pytest.raises(DiagnosticError) as caught:
        parse_remote(text)
    assert caught.value.problems[0].code == "R400"


def test_that_a_run_knows_where_it_trains(tmp_path):
    run = make_run(tmp_path / "my model")
    assert read_remote(run.path) is None
    send_away(run, Remote(host="gpu"))
    place = read_remote(run.path)
    assert place.remote.host == "gpu"
    assert place.place.startswith("runs/my-model-")
    other = make_run(tmp_path / "my model")
    send_away(other, Remote(host="gpu"))
    assert read_remote(other.path).place != place.place


def test_that_a_damaged_note_of_where_a_run_trains_is_told(tmp_path):
    run = make_run(tmp_path)
    (run.path / "remote.json").write_text("{")
    with pytest.raises(DiagnosticError) as caught:
        read_remote(run.path)
    assert caught.value.problems[0].code == "R158"
