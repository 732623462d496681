import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.runs.machine.remote import Remote, RemoteRun, parse_remote, read_remote, send_away
from tests.tiny_run import make_run


@pytest.mark.parametrize(
    ("text", "host", "user", "port"),
    [
        ("gpu", "gpu", "", 0),
        (" anna@192.168.0.20 ", "192.168.0.20", "anna", 0),
        ("anna@gpu:2222", "gpu", "anna", 2222),
        ("anna@fe80::1%eth0", "fe80::1%eth0", "anna", 0),
        ("anna@[2001:db8::7]:2222", "2001:db8::7", "anna", 2222),
        ("CORP\\anna@gpu", "gpu", "CORP\\anna", 0),
        ("xn--e1afmkfd.example", "xn--e1afmkfd.example", "", 0),
        ("gpu_server", "gpu_server", "", 0),
    ],
)
def test_that_a_machine_is_read_as_ssh_writes_it(text, host, user, port):
    remote = parse_remote(text, Remote(key="/k"))
    assert (remote.host, remote.user, remote.port, remote.key) == (host, user, port, "/k")
    assert remote.shown == text.strip()


@pytest.mark.parametrize(
    "text",
    [
        *("", "a b", "anna@", "@gpu", "gpu:", "gpu:0", "gpu:99999", "gpu:x", "gpu:٢٢", "a@-b"),
        *("-oProxyCommand=x", "-l@gpu", "a;b@gpu", "anna@g$(id)", "g\npu", "g\x1b[2J", "1::2::3"),
        *("fe80::1%;id", "[gpu", "a@b@gpu", "gpu/x", "g" * 300),
    ],
)
def test_that_what_is_no_machine_never_reaches_ssh(text):
    with pytest.raises(DiagnosticError) as caught:
        parse_remote(text)
    assert caught.value.problems[0].code == "R400"


@pytest.mark.parametrize(
    ("text", "letter", "network"),
    [
        ("root@g\u0440u:22", "CYRILLIC SMALL LETTER ER", "xn--gu-"),
        ("192.168.0.\uff12\uff10", "FULLWIDTH DIGIT TWO", "192.168.0.20"),
        ("10.0.0.\u0662", "ARABIC-INDIC DIGIT TWO", "xn--"),
        ("gpu\u3002example", "IDEOGRAPHIC FULL STOP", "gpu.example"),
        ("\u673a\u5668", "CJK UNIFIED IDEOGRAPH-673A", "xn--"),
        ("\u0628a", "ARABIC LETTER BEH", "\\u0628a"),
    ],
    ids=["cyrillic", "full-width", "arabic digit", "full stop", "chinese", "no name at all"],
)
def test_that_no_machine_is_named_by_letters_that_look_like_others(text, letter, network):
    with pytest.raises(DiagnosticError) as caught:
        parse_remote(text)
    problem = caught.value.problems[0]
    assert problem.code == "R422"
    assert problem.params["name"] == letter
    assert network in str(problem.params["network"])


@pytest.mark.parametrize("host", ["g\u0440u", "fe80::1%\u0435th0", "1\uff12"])
def test_that_a_document_names_no_machine_that_looks_like_another(tmp_path, host):
    run = make_run(tmp_path)
    send_away(run, Remote(host=host))
    with pytest.raises(DiagnosticError) as caught:
        read_remote(run.path)
    assert caught.value.problems[0].code == "R422"


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


@pytest.mark.parametrize(
    "changes",
    [
        *({"python": "-c"}, {"python": ""}, {"python": "py\nthon"}, {"python": "p" * 2000}),
        *(
            {"folder": "-rf"},
            {"folder": "~root"},
            {"folder": "~/a/../../b"},
            {"folder": "a\x1b[2J"},
        ),
        *({"key": "-oProxyCommand=id"}, {"key": "~/a\x00b"}),
        *({"host": ""}, {"host": "-oProxyCommand=id"}, {"host": "gpu -p"}, {"port": -1}),
        *({"port": 65536}, {"user": "-l"}, {"user": "anna@x"}, {"user": "a\\"}),
    ],
)
def test_that_a_document_names_nothing_that_could_be_more_than_a_name(tmp_path, changes):
    run = make_run(tmp_path)
    send_away(run, Remote(**{"host": "gpu"} | changes))
    with pytest.raises(DiagnosticError) as caught:
        read_remote(run.path)
    problem = caught.value.problems[0]
    assert problem.code in ("R400", "R420")
    assert all(str(value).isprintable() for value in problem.params.values())
    assert all(len(str(value)) <= 60 for value in problem.params.values())


@pytest.mark.parametrize("place", ["../x", "/etc", "runs/../../x", "runs/a", "x", "", "runs/a\n"])
def test_that_a_document_names_no_place_outside_the_runs_of_the_folder_there(tmp_path, place):
    run = make_run(tmp_path)
    away = RemoteRun(remote=Remote(host="gpu"), place=place)
    (run.path / "remote.json").write_bytes(msgspec.json.encode(away))
    with pytest.raises(DiagnosticError) as caught:
        read_remote(run.path)
    assert caught.value.problems[0].code == "R420"


def test_that_a_damaged_note_of_where_a_run_trains_is_told(tmp_path):
    run = make_run(tmp_path)
    (run.path / "remote.json").write_text("{")
    with pytest.raises(DiagnosticError) as caught:
        read_remote(run.path)
    assert caught.value.problems[0].code == "R158"
