"""The process that reads a ``.pt2`` file: a fault in what reads it harms nothing outside."""

import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.graph import codec
from engine.graph.model import Graph
from engine.runtime.importing import job as importing
from engine.runtime.importing.request import ImportDone, ImportRequest
from engine.sandbox.confinement import describe

pytestmark = pytest.mark.real

ROOT = Path(__file__).parents[4]
PATIENCE_S = 240.0

TAKEN_OVER = """
import os, socket, subprocess, sys
from pathlib import Path
from engine.runtime.importing import process
from engine.sandbox import confinement

folder, model, victim, there = map(Path, sys.argv[1:])

def tried(name, deed):
    try:
        deed()
    except OSError:
        print(name, "refused", file=sys.stderr)
    else:
        print(name, "done", file=sys.stderr)

def taken_over(self):
    tried("model", model.read_bytes)
    tried("folder", lambda: (folder / "graph.json").write_text("{}"))
    tried("read", victim.read_bytes)
    tried("write", lambda: victim.write_text("gone"))
    tried("make", lambda: there.write_text("new"))
    tried("delete", victim.unlink)
    tried("start", lambda: subprocess.run([sys.executable, "-c", "pass"], check=True))
    tried("connect", socket.socket)

def take_over():
    from engine.runtime.importing import model_import
    model_import.ModelImport.run = taken_over

def confining(*places, **limits):
    held = confine(*places, **limits)
    tasks = os.listdir("/proc/self/task") if sys.platform == "linux" else [""]
    print("threads", len(tasks), "done", file=sys.stderr)
    take_over()
    return held

confine, confinement.confine = confinement.confine, confining
if model.suffix != ".pt2":
    take_over()
sys.exit(process.main([str(folder)]))
"""


def _deeds(tmp_path: Path, model: str) -> dict[str, str]:
    """Return what a process that imports could do once a file had taken it over."""
    victim, folder = tmp_path / "victim", tmp_path / "import"
    (tmp_path / model).write_bytes(b"a model")
    victim.write_text("kept")
    folder.mkdir()
    request = ImportRequest(model=str(tmp_path / model))
    (folder / "request.json").write_bytes(msgspec.json.encode(request))
    names = (folder, tmp_path / model, victim, tmp_path / "new")
    waits, ends = os.pipe()  # the process ends when its input does
    try:
        done = subprocess.run(
            [sys.executable, "-c", TAKEN_OVER, *map(str, names)],
            cwd=ROOT,
            env={**os.environ, "OPENBLAS_NUM_THREADS": "2"},  # as it is without a word about it
            stdin=waits,
            capture_output=True,
            timeout=PATIENCE_S,
            check=True,
            text=True,
        )
    finally:
        os.close(waits)
        os.close(ends)
    words = [line.split() for line in done.stderr.splitlines()]
    return {line[0]: line[1] for line in words if line and line[-1] in ("done", "refused")}


@pytest.mark.fault("S02")
@pytest.mark.skipif(not describe().writing, reason="this machine has no means to confine a process")
@pytest.mark.timeout(400)
def test_that_reading_a_program_reaches_nothing_but_its_file_and_folder(tmp_path: Path) -> None:
    deeds, held = _deeds(tmp_path, "evil.pt2"), describe()
    assert deeds["model"] == deeds["folder"] == "done"
    assert deeds["threads"] == "1", "one from before would not be confined"
    if held.landlock:
        assert {deeds[name] for name in ("read", "write", "make", "delete")} == {"refused"}
        assert (tmp_path / "victim").read_text() == "kept"
        assert not (tmp_path / "new").exists()
    if held.processes:
        assert deeds["start"] == "refused"
    if held.network:
        assert deeds["connect"] == "refused"


@pytest.mark.timeout(400)
def test_that_a_python_file_that_is_trusted_may_do_what_it_likes(tmp_path: Path) -> None:
    assert set(_deeds(tmp_path, "net.py::Net").values()) == {"done"}


WAITING = """
import sys, time
from engine.runtime.importing import process
from engine.sandbox import confinement

def confining(*places, **limits):
    held = confine(*places, **limits)
    from engine.runtime.importing import model_import
    model_import.ModelImport.run = lambda self: print("here", file=sys.stderr) or time.sleep(600)
    return held

confine, confinement.confine = confinement.confine, confining
sys.exit(process.main(sys.argv[1:]))
"""


@pytest.mark.timeout(400)
def test_that_a_confined_import_ends_with_the_program_that_asked_for_it(tmp_path: Path) -> None:
    folder = tmp_path / "import"
    folder.mkdir()
    request = ImportRequest(model=str(tmp_path / "a.pt2"))
    (folder / "request.json").write_bytes(msgspec.json.encode(request))
    pipes = {"stdin": subprocess.PIPE, "stderr": subprocess.PIPE}
    command = [sys.executable, "-c", WAITING, str(folder)]
    with subprocess.Popen(command, cwd=ROOT, **pipes) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            assert any(b"here" in line for line in process.stderr)
            process.stdin.close()
            assert process.wait(PATIENCE_S) == 1
        finally:
            process.kill()
    assert not folder.exists() or not list(folder.iterdir())


ANSWERING = """
import sys
from pathlib import Path
Path(sys.argv[3], "graph.json").write_bytes(bytes.fromhex(sys.argv[1]))
Path(sys.argv[3], "imported.safetensors").write_bytes(b"")
sys.stdout.buffer.write(bytes.fromhex(sys.argv[2]) + b"\\n")
"""


def _code(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, *, code: dict[str, str], said: bytes
) -> str:
    """Return why nothing comes of an import whose process answers like this."""
    graph = msgspec.json.encode(codec.to_document(Graph(code=code)))
    command = (sys.executable, "-c", ANSWERING, graph.hex(), said.hex())
    monkeypatch.setattr(importing, "_COMMAND", command)
    with pytest.raises(DiagnosticError) as caught:
        importing.import_model(str(tmp_path / "evil.pt2"), tmp_path / "project")
    assert not (tmp_path / "project").exists()
    return caught.value.problems[0].code


@pytest.mark.fault("S02")
@pytest.mark.parametrize(
    "line",
    ["import os", "open('x', 'w')", "torch.ops.aten.from_file.default('x')", "(", "class A: 1"],
)
def test_that_code_of_a_process_that_was_taken_over_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, line: str
) -> None:
    done = msgspec.json.encode(ImportDone())
    assert _code(monkeypatch, tmp_path, code={"evil.py": f"{line}\n"}, said=done) == "I039"


@pytest.mark.fault("B03")
@pytest.mark.parametrize("said", [b"", b"no JSON", b"{}", b'{"type": "done"'])
def test_that_a_process_that_says_something_else_is_told(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: bytes
) -> None:
    assert _code(monkeypatch, tmp_path, code={}, said=said) == "I024"
