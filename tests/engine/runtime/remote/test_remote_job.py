"""What is sent to another machine, without one."""

from types import SimpleNamespace

import pytest
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.graph.model import Initial
from engine.runs.folder import RunFolder
from engine.runs.locked_run import Interrupt, LockedRun
from engine.runs.machine.remote import Remote, read_remote, send_away
from engine.runs.process.launch import Launch
from engine.runtime.remote import protocol, station, worker
from engine.runtime.remote.program import RemoteReport
from engine.runtime.remote.station import Station
from engine.spec.data_root import VARIABLE, DataRoots, environment_roots
from engine.spec.run import Choice, DataSpec
from tests.tiny_run import iris_graph, make_run

WEIGHTS = "weights/imported.safetensors"


class NearLink:
    """A station in this process in the place of a connection to one."""

    project = None
    begun = None

    def __init__(self, place, program, base, run):
        self._station = Station(self.project, run)
        self.closed = False

    def ask(self, request):
        if isinstance(request, protocol.Begin):
            type(self).begun = request
            raise DiagnosticError  # all was sent
        return self._station.answer(request)

    def close(self):
        self.closed = True


def carry_out(run):
    locked_run = LockedRun(Launch(folder=str(run.path)))  # refuses what no document may name
    try:
        worker.RemoteJob(locked_run, read_remote(run.path), Interrupt()).run()
    finally:
        locked_run.release()


@pytest.fixture
def send(tmp_path, monkeypatch):
    """Return a function that sends a run with weights to begin from to a folder, which it returns,
    with what kept it from being sent.
    """
    report = RemoteReport(python="3.11.2", folder="/there", free=1 << 40)
    monkeypatch.setattr(worker, "look_there", lambda _: report)
    monkeypatch.setattr(worker, "send_program", lambda *_: "/program")
    monkeypatch.setattr(worker, "Link", NearLink)
    monkeypatch.setattr(NearLink, "project", tmp_path / "there")

    def sent(weights="", graph=None):
        run = make_run(tmp_path / "here", graph, weights=weights)
        send_away(run, Remote(host="gpu"))
        with pytest.raises(DiagnosticError) as caught:
            carry_out(run)
        return tmp_path / "there", [problem.code for problem in caught.value.problems]

    return sent


@pytest.mark.row("P33")
@pytest.mark.parametrize("size", [0, 5, protocol.PIECE, protocol.PIECE + 5])
def test_that_weights_to_begin_from_are_sent_whole(send, tmp_path, size):
    source = tmp_path / "here" / WEIGHTS
    source.parent.mkdir(parents=True)
    source.write_bytes(bytes(range(256)) * (size // 256) + b"x" * (size % 256))
    there, problems = send(WEIGHTS)
    assert problems == []
    assert (there / WEIGHTS).read_bytes() == source.read_bytes()


def head_from(file):
    """Return a graph whose last layer begins from a file."""
    graph = iris_graph()
    head = replace(
        graph.nodes["head"], init={"weight": Initial(type="file", params={"file": file})}
    )
    return replace(graph, nodes={**graph.nodes, "head": head})


@pytest.mark.row("P33", "S083")
def test_that_files_that_layers_begin_from_are_sent(send, tmp_path):
    (tmp_path / "here").mkdir()
    (tmp_path / "here/head.npy").write_bytes(b"numbers")
    there, problems = send(graph=head_from("head.npy"))
    assert problems == []
    assert (there / "head.npy").read_bytes() == b"numbers"


def test_that_a_layer_from_elsewhere_sends_no_other_file_of_this_machine(send, tmp_path):
    (tmp_path / "mine.npy").write_text("secret")
    there, problems = send(graph=head_from("../mine.npy"))
    assert problems == ["G102"]
    assert not list(there.rglob("mine*"))


def test_that_weights_that_cannot_be_read_are_told_as_that(send, tmp_path):
    assert send(WEIGHTS)[1] == ["P011"], "gone"
    (tmp_path / "here" / WEIGHTS).mkdir(parents=True)
    assert send(WEIGHTS)[1] == ["P011"], "a folder"


@pytest.mark.parametrize("name", ["../mine.safetensors", "mine.txt"])
def test_that_a_run_from_elsewhere_sends_no_other_file_of_this_machine(send, tmp_path, name):
    mine = tmp_path / "here" / name
    (tmp_path / "here").mkdir()
    mine.write_text("secret")
    there, problems = send(name)
    assert problems == ["R019"]
    assert not list(there.rglob("mine*"))
    assert not list(there.rglob("*.safetensors"))


@pytest.mark.row("P33")
@pytest.mark.parametrize("link", [WEIGHTS, "weights"])
def test_that_a_link_out_of_the_project_sends_no_other_file_of_this_machine(send, tmp_path, link):
    mine = tmp_path / "mine" / "imported.safetensors"
    mine.parent.mkdir()
    mine.write_text("secret")
    place = tmp_path / "here" / link
    place.parent.mkdir(parents=True)
    place.symlink_to(mine if link == WEIGHTS else mine.parent)
    there, problems = send(WEIGHTS)
    assert problems == ["R419"]
    assert not list(there.rglob("*.safetensors"))


def test_that_a_link_to_a_file_of_the_project_is_sent_as_what_it_leads_to(send, tmp_path):
    place = tmp_path / "here" / WEIGHTS
    place.parent.mkdir(parents=True)
    (tmp_path / "here" / "start.safetensors").write_text("numbers")
    place.symlink_to("../start.safetensors")
    there, problems = send(WEIGHTS)
    assert problems == []
    assert (there / WEIGHTS).read_text() == "numbers"
    assert not (there / WEIGHTS).is_symlink()


def test_that_a_project_may_lie_on_another_disk(send, tmp_path):
    (tmp_path / "disk").mkdir()
    (tmp_path / "here").symlink_to(tmp_path / "disk")
    there, problems = send()
    assert problems == []
    assert len(list(there.rglob("run.json"))) == 1


def table_run(tmp_path, path):
    """Return a run on a table."""
    source = Choice(type="table", params={"path": path})
    return make_run(tmp_path / "here", data=DataSpec(source=source))


@pytest.fixture
def roots(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(VARIABLE, raising=False)
    return DataRoots()


@pytest.mark.parametrize(
    ("machine", "there"), [("gpu", "/there/tables"), ("other", "/mine/tables")]
)
def test_that_a_machine_is_told_where_the_data_is_there(send, roots, tmp_path, machine, there):
    roots.set({"tables": "/mine/tables", "secret": "/mine/secret"})
    roots.set({"tables": "/there/tables", "more": "/there/more"}, machine)
    run = table_run(tmp_path, "/mine/tables/t.csv")
    send_away(run, Remote(host="gpu"))
    with pytest.raises(DiagnosticError):
        carry_out(run)
    assert NearLink.begun.roots == {"tables": there}
    text = (tmp_path / "there" / "runs" / run.id / "run.json").read_text()
    assert "${tables}/t.csv" in text
    assert "/mine" not in text


def test_that_the_worker_there_finds_the_data(roots, tmp_path, monkeypatch):
    roots.set({"tables": "/mine/tables"})
    run = table_run(tmp_path, "/mine/tables/t.csv")
    given = []

    def start(arguments, environment):
        given.append(environment)
        return SimpleNamespace(poll=lambda: 1)  # it ended before it took the run

    monkeypatch.setattr(station, "start_worker", start)
    monkeypatch.setenv(VARIABLE, '{"sounds": "/there/sounds"}')
    launch = Launch(folder=str(run.path))
    with pytest.raises(DiagnosticError):
        Station(tmp_path / "here", run.id).answer(
            protocol.Begin(launch=launch, roots={"tables": "/there/tables"})
        )
    (environment,) = given
    monkeypatch.setenv(VARIABLE, environment[VARIABLE])
    assert environment_roots() == {"tables": "/there/tables", "sounds": "/there/sounds"}
    moved = RunFolder.open(run.path).document.spec
    assert moved.data.source.params["path"] == "/there/tables/t.csv"
