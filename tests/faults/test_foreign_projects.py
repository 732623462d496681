"""Projects that somebody sent: links, places outside, pipes and files without end in them."""

import os
import secrets
import stat
from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.events import Stop, encode_command
from engine.files import FileWriteError, atomic_write, confined, read_file
from engine.graph import codec as graph_codec
from engine.graph.model import Graph
from engine.project import Project
from engine.project.breakpoint_file import NAME as BREAKPOINTS
from engine.project.breakpoint_file import read_breakpoints
from engine.runs.folder import CommandReader, RunFolder, find_run, runs_of
from engine.runs.follow import read_state
from engine.runs.process.spawn_marker import read_spawn_marker
from engine.runs.queue import RunQueue
from engine.runs.search import SearchFolder, find_search, searches_of
from engine.spec import codec
from engine.spec.run import RunSpec
from engine.spec.search import Dimension, SearchSpec
from studio.cli import main
from studio.process.settings import SettingsStore

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX has these permissions and files")
SECRET = b"what only the user may change"
PLACES = (
    "../outside/victim.safetensors",
    "/etc/x.safetensors",
    "C:\\x.safetensors",
    "a/../../x",
    "\\\\host\\share\\x.safetensors",
    "con.safetensors",
    "a//b",
    "x.safetensors:stream",
    "a\0b",
)


@pytest.fixture
def victim(tmp_path) -> Path:
    outside = tmp_path / "outside"
    outside.mkdir()
    file = outside / "victim.safetensors"
    file.write_bytes(SECRET)
    return file


@pytest.fixture
def project(tmp_path) -> Project:
    return Project.create(tmp_path / "project")


def link(place: Path, target: Path) -> None:
    try:
        place.symlink_to(target, target_is_directory=target.is_dir())
    except OSError:
        pytest.skip("this user may not make links")


def codes(error: pytest.ExceptionInfo[DiagnosticError]) -> list[str]:
    return [problem.code for problem in error.value.problems]


def search_of(project: Project) -> SearchFolder:
    wanted = SearchSpec(space=(Dimension(name="optimizer.lr", low=0.1, high=0.2),))
    return SearchFolder.create(project.path, Graph(), RunSpec(), wanted)


def test_that_a_save_writes_through_no_link_that_was_shipped(project, victim):
    link(project.path / f".project.json.{os.getpid()}.tmp", victim)
    link(project.path / "elsewhere.json", victim)
    project.spec = msgspec.structs.replace(project.spec, epochs=7)
    project.save()
    atomic_write(project.path / "elsewhere.json", b"{}")
    assert victim.read_bytes() == SECRET
    assert (project.path / "elsewhere.json").read_bytes() == b"{}"
    assert Project.open(project.path).spec.epochs == 7


def test_that_a_temporary_name_that_was_guessed_is_refused(project, victim, monkeypatch):
    monkeypatch.setattr(secrets, "token_hex", lambda count: "00" * count)
    link(project.path / f".note.{os.getpid()}.{'00' * 8}.tmp", victim)
    with pytest.raises(FileWriteError):
        atomic_write(project.path / "note", b"new")
    assert victim.read_bytes() == SECRET
    assert not (project.path / "note").exists()


@pytest.mark.parametrize("name", ["code", "runs", "searches", ".trellis", ".trellis/trash"])
def test_that_a_folder_that_leads_elsewhere_is_refused_with_a_word(project, victim, name):
    (project.path / ".trellis").mkdir(exist_ok=True)
    if name == ".trellis":
        (project.path / name).rmdir()
    link(project.path / name, victim.parent)
    with pytest.raises(DiagnosticError) as error:
        Project.open(project.path)
    assert codes(error) == ["P031"]
    assert name.rpartition("/")[2] in str(error.value)
    assert list(victim.parent.iterdir()) == [victim]


def test_that_runs_elsewhere_are_none_of_the_project_s(project, tmp_path):
    other = tmp_path / "other"
    RunFolder.create(other, Graph(), RunSpec())
    wanted = SearchSpec(space=(Dimension(name="optimizer.lr", low=0.1, high=1.0),))
    SearchFolder.create(other, Graph(), RunSpec(), wanted)
    for name in ("runs", "searches"):
        link(project.path / name, other / name)
    for listed, find in ((runs_of, find_run), (searches_of, find_search)):
        problems = []
        assert listed(project.path, problems) == []
        assert [problem.code for problem in problems] == ["P031"]
        with pytest.raises(DiagnosticError) as error:
            find(project.path, "latest")
        assert codes(error) == ["P031"]
    with pytest.raises(DiagnosticError) as error:
        RunFolder.create(project.path, Graph(), RunSpec())
    assert codes(error) == ["P031"]
    assert len(runs_of(other)) == 1, "nothing was made where the link leads"


def test_that_the_runs_of_all_projects_are_those_that_lie_there(
    project, tmp_path, capsys, monkeypatch
):
    RunFolder.create(tmp_path / "other", Graph(), RunSpec())
    link(project.path / "runs", tmp_path / "other" / "runs")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    SettingsStore().add_recent(project.path)
    assert main(["runs", "--all", "--json"]) == 0
    told = capsys.readouterr()
    assert msgspec.json.decode(told.out) == {"runs": []}
    assert "is a link, and links are not followed" in told.err


def test_that_code_is_not_saved_through_a_link_laid_meanwhile(project, victim):
    link(project.path / "code", victim.parent)
    project.graph = msgspec.structs.replace(project.graph, code={"own.py": "x = 1\n"})
    with pytest.raises(DiagnosticError) as error:
        project.save()
    assert codes(error) == ["P031"]
    assert list(victim.parent.iterdir()) == [victim]


@pytest.mark.parametrize("inside", ["", "checkpoints", "artefacts"])
def test_that_a_run_with_a_link_in_it_is_not_opened_and_hides_no_other(project, victim, inside):
    good = RunFolder.create(project.path, Graph(), RunSpec())
    bad = RunFolder.create(project.path, Graph(), RunSpec())
    link(bad.path / inside / "log.txt", victim)
    with pytest.raises(DiagnosticError) as error:
        RunFolder.open(bad.path)
    assert codes(error) == ["P031"]
    problems = []
    assert [run.id for run in runs_of(project.path, problems)] == [good.id]
    assert [problem.code for problem in problems] == ["P031"]


def test_that_commands_are_not_appended_through_a_link(project, victim):
    run = RunFolder.create(project.path, Graph(), RunSpec())
    link(run.commands_path, victim)
    with pytest.raises(DiagnosticError):
        run.send(Stop())
    assert victim.read_bytes() == SECRET


@pytest.mark.parametrize("place", PLACES)
def test_that_weights_outside_of_a_project_are_refused_where_it_is_read(place):
    document = codec.to_document(RunSpec())
    document["run"]["weights"] = place
    with pytest.raises(DiagnosticError) as error:
        codec.from_document(document)
    assert codes(error) == ["R019"]
    with pytest.raises(DiagnosticError):
        confined(Path("/home/somebody/project"), place)


def test_that_weights_behind_a_link_are_neither_copied_nor_read(project, victim, tmp_path):
    from torch import nn

    from engine.query.landscape.answer import begin_like_run

    link(project.path / "start.safetensors", victim)
    project.spec = msgspec.structs.replace(project.spec, weights="start.safetensors")
    project.save()
    opened = Project.open(project.path)
    with pytest.raises(DiagnosticError) as error:
        opened.save_as(tmp_path / "copy")
    assert codes(error) == ["P034"]
    assert not (tmp_path / "copy" / "start.safetensors").exists()
    with pytest.raises(DiagnosticError) as error:
        begin_like_run(nn.Linear(1, 1), Graph(), opened.spec, project.path)
    assert codes(error) == ["P034"]


def test_that_a_link_that_stays_inside_is_followed(project):
    (project.path / "real.safetensors").write_bytes(b"1")
    link(project.path / "start.safetensors", project.path / "real.safetensors")
    assert read_file(confined(project.path, "start.safetensors")) == b"1"


@posix
@pytest.mark.parametrize(
    "name", ["run.json", "worker.json", "newcomer.json", "search.json", "state.json"]
)
def test_that_a_pipe_in_the_place_of_a_file_holds_nothing_up(project, name):
    run = RunFolder.create(project.path, Graph(), RunSpec())
    search = search_of(project)
    for folder in (run.path, search.path):
        (folder / name).unlink(missing_ok=True)
        os.mkfifo(folder / name)
    problems = []
    runs = runs_of(project.path, problems)
    assert len(runs) == (name != "run.json")
    for one in runs:
        read_state(one, problems)
    assert len(searches_of(project.path, problems)) == (name != "search.json")
    assert len(problems) == (name in ("run.json", "worker.json", "search.json"))
    assert read_spawn_marker(run.path) is None
    assert search.reported_state().trials == ()


@posix
def test_that_pipes_among_the_files_of_a_window_hold_nothing_up(project, tmp_path):
    (project.path / ".trellis").mkdir()
    for name in ("autosave.json", "lock", BREAKPOINTS):
        os.mkfifo(project.path / ".trellis" / name)
    opened = Project.open(project.path)
    assert opened.recoveries() == ()
    assert opened.claim() is not None
    with pytest.raises(DiagnosticError):
        read_breakpoints(project.state_folder)
    settings = tmp_path / "settings"
    settings.mkdir()
    os.mkfifo(settings / "settings.json")
    assert SettingsStore(settings).value.recent == ()


@pytest.mark.parametrize("name", ["run.json", "search.json", "state.json", "queue-0001.json"])
def test_that_a_document_of_gigabytes_is_refused_unread(project, tmp_path, name):
    run = RunFolder.create(project.path, Graph(), RunSpec())
    search = search_of(project)
    queue = tmp_path / "queue"
    queue.mkdir()
    for folder in (run.path, search.path, queue):
        with (folder / name).open("wb") as stream:
            stream.truncate(1 << 40)  # sparse: it takes no room on the disk
    problems = []
    runs_of(project.path, problems)
    searches_of(project.path, problems)
    assert len(problems) == (name in ("run.json", "search.json"))
    assert search.reported_state().trials == ()
    assert RunQueue(queue).entries(problems) == []


def test_that_a_command_without_end_is_passed_over_piece_by_piece(tmp_path):
    path = tmp_path / "commands.jsonl"
    with path.open("wb") as stream:
        stream.truncate(64 << 20)
        stream.seek(64 << 20)
        stream.write(b"\n" + encode_command(Stop()) + b"\n")
    reader, found = CommandReader(path), []
    while reader.has_more():
        found += reader.poll()
    assert found[-1] == Stop()
    assert all(one.code == "R160" for one in found[:-1])


@posix
def test_that_only_the_user_looks_into_settings_and_runs(project, tmp_path):
    before = os.umask(0o000)
    try:
        store = SettingsStore(tmp_path / "settings")
        store.change(language="en")
        run = RunFolder.create(project.path, Graph(), RunSpec())
        RunQueue(tmp_path / "queue").change()
    finally:
        os.umask(before)
    for folder in (tmp_path / "settings", tmp_path / "queue", run.path):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder
    for file in (tmp_path / "settings").iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


@posix
def test_that_a_file_that_is_replaced_keeps_its_permissions(tmp_path):
    file = tmp_path / "shared.json"
    file.write_bytes(b"1")
    file.chmod(0o640)
    atomic_write(file, b"2")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


def test_that_a_document_of_millions_of_values_is_refused_undecoded(project):
    """Decoded, 60 MB of empty lists take more than a gigabyte."""
    text = b"[" + b"[]," * (9 << 20) + b"[]]"
    run = RunFolder.create(project.path, Graph(), RunSpec())
    search = search_of(project)
    project_file = project.path / "project.json"
    for file in (project_file, run.path / "run.json", search.path / "search.json"):
        file.write_bytes(text)
    with pytest.raises(DiagnosticError) as error:
        Project.open(project.path)
    assert codes(error) == ["P012"]
    for opened, folder in ((RunFolder, run), (SearchFolder, search)):
        with pytest.raises(DiagnosticError) as error:
            opened.open(folder.path)
        assert codes(error) in (["R157"], ["R310"])
    with pytest.raises(DiagnosticError) as error:
        graph_codec.from_text(text.decode())
    assert codes(error) == ["G043"]
