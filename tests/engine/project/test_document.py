import json
import sys

import pytest

from engine.diagnostics import DiagnosticError, sentence
from engine.project import Project, document

DEEP = 100_000
BAD = {
    "empty": (b"", "P013"),
    "half": (b'{"graph": {"nodes": [', "P013"),
    "half a word": (b'{"gra', "P013"),
    "deep list": (b"[" * DEEP + b"]" * DEEP, "P012"),
    "deep object": (b'{"a":' * DEEP + b"1" + b"}" * DEEP, "P012"),
    "nan": (b'{"run": {"epochs": NaN}}', "P012"),
    "infinity": (b'{"run": {"epochs": -Infinity}}', "P012"),
    "1e400": (b'{"run": {"clip": {"limit": 1e400}}}', "P012"),
    "a number of 100,000 digits": (b'{"run": {"seed": ' + b"9" * DEEP + b"}}", "P012"),
    "a number of 30 digits": (b'{"run": {"seed": ' + b"9" * 30 + b"}}", "R001"),
    "duplicate keys": (b'{"format": 1, "format": 1}', "P014"),
    "duplicate keys within": (b'{"run": {"epochs": 1, "epochs": 2}}', "P014"),
    "a list": (b"[]", "P012"),
    "a number": (b"3", "P012"),
    "html": (b"<!doctype html><p>404", "P012"),
    "nul": (b"\0" * 40, "P015"),
    "nul in text": (b'{"a": "x\0"}', "P012"),
    "utf-16": ('{"format": 1}'.encode("utf-16"), "P015"),
    "utf-16 without mark": ('{"format": 1}'.encode("utf-16-le"), "P015"),
    "latin-1": ('{"a": "é"}'.encode("latin-1"), "P015"),
    "half a character": (b'{"a": "\\ud800"}', "P012"),
    "a word for a number": (b'{"run": {"epochs": "ten"}}', "R001"),
    "a list for an object": (b'{"graph": []}', "P012"),
    "a number for nodes": (b'{"graph": {"nodes": 3}}', "G040"),
    "an unknown setting": (b'{"run": {"epcohs": 3}}', "R004"),
    "format 0": (b'{"format": 0}', "P012"),
    "format as text": (b'{"format": "1"}', "P012"),
    "format true": (b'{"format": true}', "P012"),
    "newer and strange": (b'{"format": 9, "graph": 3}', "P018"),
}


def open_bytes(folder, content: bytes) -> Project:
    (folder / "project.json").write_bytes(content)
    return Project.open(folder)


@pytest.mark.fault("B07")
@pytest.mark.parametrize("name", BAD)
def test_that_a_bad_document_is_refused_in_a_sentence(tmp_path, name):
    content, code = BAD[name]
    with pytest.raises(DiagnosticError) as error:
        open_bytes(tmp_path, content)
    assert [problem.code for problem in error.value.problems] == [code]
    for language in ("en", "zh_CN"):
        text = sentence(error.value.problems[0], language)
        assert "{" not in text.replace("{'", "")
        assert code not in text
    assert (tmp_path / "project.json").read_bytes() == content


@pytest.mark.fault("B07")
def test_that_a_file_of_absurd_size_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(document, "MAXIMUM_BYTES", 1000)
    with pytest.raises(DiagnosticError) as error:
        open_bytes(tmp_path, b" " * (5 << 20))
    assert error.value.problems[0].code == "P016"
    assert "5 MB" in sentence(error.value.problems[0])


@pytest.mark.fault("B07")
@pytest.mark.parametrize(
    "content", [b"\xef\xbb\xbf{}", b"{}\r\n", b'{\r\n "format": 1\r\n}', b"{}"]
)
def test_that_a_byte_order_mark_and_foreign_line_ends_are_no_obstacle(tmp_path, content):
    project = open_bytes(tmp_path, content)
    assert project.graph.nodes == {}
    project.save()
    assert b"\r" not in project.file.read_bytes()


@pytest.mark.fault("B07")
def test_that_an_older_document_is_migrated(tmp_path, monkeypatch):
    monkeypatch.setattr(document, "FORMAT", 2)
    monkeypatch.setitem(
        document.MIGRATIONS, 1, lambda old: old | {"run": {"epochs": old["length"]}}
    )
    project = open_bytes(tmp_path, b'{"format": 1, "length": 12}')
    assert project.spec.epochs == 12
    assert not project.is_read_only


@pytest.mark.fault("B01")
def test_that_a_project_cut_anywhere_is_refused_or_whole(project):
    content = project.file.read_bytes()
    for length in range(0, len(content.rstrip()), 7):
        with pytest.raises(DiagnosticError):
            open_bytes(project.path, content[:length])


@pytest.mark.fault("S02")
def test_that_opening_imports_and_runs_nothing(project):
    (project.path / "code").mkdir()
    canary = project.path / "canary"
    for name in ("code/layer.py", "sitecustomize.py", "torch.py", "model.py"):
        (project.path / name).write_text(f"open({str(canary)!r}, 'w')")
    text = json.loads(project.file.read_text(encoding="utf-8"))
    text["graph"]["nodes"] += [
        {
            "id": f"x{index}",
            "name": f"x{index}",
            "type": kind,
            "params": {"_instantiator": "os.system"},
        }
        for index, kind in enumerate(("os.system", "builtins.eval", "engine.files.atomic_write"))
    ]
    text["run"]["optimizer"] = {"type": "__import__('os').system", "params": {"_class_path": "os"}}
    project.file.write_text(json.dumps(text), encoding="utf-8")
    Project.open(project.path)  # the program's own modules are there now
    seen: list[str] = []
    is_on = True

    def hook(event: str, arguments: tuple[object, ...]) -> None:
        watched = (
            "import",
            "exec",
            "compile",
            "subprocess.Popen",
            "os.system",
            "os.exec",
            "ctypes",
        )
        if is_on and event.startswith(watched):
            seen.append(f"{event} {arguments}")

    sys.addaudithook(hook)  # cannot be taken away again, so it is switched off
    try:
        opened = Project.open(project.path)
    finally:
        is_on = False
    assert seen == []
    assert not canary.exists()
    assert str(project.path) not in sys.path
    assert opened.graph.nodes["x0"].type == "os.system"
