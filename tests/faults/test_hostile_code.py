"""A project with code from elsewhere: opening, checking and looking run none of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

HOOK = """
import sys, json
folder, canary = sys.argv[1], sys.argv[2]
seen = []
def note(event, arguments):
    if event in ("import", "exec", "compile", "subprocess.Popen", "os.system", "os.exec"):
        text = " ".join(str(part)[:300] for part in arguments)
        if event == "exec":
            text = getattr(arguments[0], "co_filename", "")
        seen.append((event, text))
sys.path.insert(0, {root!r})
from engine.project import Project
from engine.model.analysis import analyse
from engine.model.source import generate
from engine.graph.block import entry_of, offered
from engine.graph.check import check
from engine.diagnostics import DiagnosticError
from engine.model.module import to_module
import networkx, engine.shape.tensor, torch.fx
analyse(Project.open({clean!r}).graph)
sys.addaudithook(note)
begun = len(seen)
project = Project.open(folder)
problems = check(project.graph)
[entry_of(project.graph, node) for node in project.graph.nodes.values()]
offered(project.graph, ())
analysis = analyse(project.graph)
source = generate(project.graph).source
try:
    to_module(project.graph)
    refused = ""
except DiagnosticError as error:
    refused = error.problems[0].code
print(json.dumps({{
    "seen": seen,
    "path": [entry for entry in sys.path if entry.startswith(folder)],
    "modules": [name for name in ("layers", "custom_layers")
                if name in sys.modules],
    "torch": sys.modules["torch"].__file__,
    "problems": [p.code for p in (*project.notices, *analysis.problems)],
    "refused": refused,
    "source": source,
    "nodes": {{key: sorted(report.outputs) for key, report in analysis.nodes.items()}},
}}))
"""
EVIL = """
import os, subprocess
open({canary!r}, "w").close()
subprocess.Popen(["touch", {canary!r}])


class Meta(type):
    def __new__(cls, *args, **kwargs):
        open({canary!r}, "w").close()
        return super().__new__(cls, *args, **kwargs)


from torch import nn


@os.system("touch " + {canary!r})
def decorated(x):
    return x


class Norm(nn.Module, metaclass=Meta):
    def __init__(self, eps: float = os.system("touch " + {canary!r})):
        super().__init__()

    def forward(self, x):
        open({canary!r}, "w").close()
        return x
"""


@pytest.fixture(name="hostile")
def _hostile(tmp_path: Path):
    folder = tmp_path / "hostile"
    canary = tmp_path / "canary"
    (folder / "code").mkdir(parents=True)
    evil = EVIL.format(canary=str(canary))
    for name in ("layers.py", "torch.py", "sitecustomize.py", "conftest.py", "__init__.py"):
        (folder / "code" / name).write_text(evil)
    for name in ("torch.py", "sitecustomize.py", "custom_layers.py", "usercustomize.py"):
        (folder / name).write_text(evil)
    nodes = [
        {"id": "x", "type": "Input", "name": "x", "params": {"shape": [3]}},
        {"id": "own", "type": "code.layers.Norm", "name": "own"},
        {"id": "dotted", "type": "os.system", "name": "dotted", "params": {"command": "true"}},
        {"id": "path", "type": "code.torch.Norm", "name": "path"},
        {"id": "up", "type": "code.../x.Norm", "name": "up"},
        {"id": "y", "type": "Output", "name": "y"},
    ]
    edges = ["x.output -> own.x", "own.output -> y.input"]
    extra = {"_instantiator": "os.system", "_class_path": "subprocess.Popen"}
    document = {
        "format": 1,
        "graph": {"format": 1, "nodes": nodes, "edges": edges},
        "code": {"layers.py": "0", "../../../etc/passwd.py": "0", "torch.py": "0"},
        "data": {},
        "run": {},
        "__reduce__": extra,
    }
    (folder / "project.json").write_text(json.dumps(document))
    return folder, canary


@pytest.fixture(name="clean")
def _clean(tmp_path: Path) -> Path:
    from engine.project import Project

    return Project.create(tmp_path / "clean", "iris-mlp").path


@pytest.mark.fault("S02")
@pytest.mark.fault("S03")
def test_that_opening_checking_and_looking_run_nothing_of_a_hostile_project(hostile, clean):
    folder, canary = hostile
    program = HOOK.format(root=str(ROOT), clean=str(clean))
    done = subprocess.run(
        [sys.executable, "-c", program, str(folder), str(canary)],
        capture_output=True,
        text=True,
        timeout=100,
        cwd=folder.parent,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert not canary.exists()
    assert told["path"] == [], "the folder of the project is not where Python looks for modules"
    assert told["modules"] == []
    assert "hostile" not in told["torch"]
    own = [entry for entry in told["seen"] if "hostile" in entry[1] or "trellis_model" in entry[1]]
    assert own == []
    assert [entry for entry in told["seen"] if entry[0].startswith(("subprocess", "os."))] == []
    assert not any(event == "import" and "evil" in name for event, name in told["seen"])
    assert {"U011", "U024", "G022", "U003"} <= set(told["problems"])
    assert told["refused"] == "U027"
    assert "class Norm" in told["source"], "looking is possible without running"
    assert told["nodes"]["own"] == []


@pytest.mark.fault("S03")
def test_that_commands_run_it_only_when_told_to(hostile, capsys):
    from studio.cli import main

    folder, canary = hostile
    assert main(["check", str(folder)]) == 1
    assert "--trust" in main_output(capsys) or not canary.exists()
    assert not canary.exists()
    assert main(["code", str(folder)]) in (0, 1)
    assert main(["train", str(folder)]) == 1
    assert not canary.exists()
    main(["check", str(folder), "--trust"])
    assert canary.exists(), "told to, it runs"


def main_output(capsys) -> str:
    written = capsys.readouterr()
    return written.out + written.err


@pytest.mark.fault("S04")
def test_that_trust_ends_with_the_text_it_was_given_to(tmp_path, capsys):
    from studio.cli import main

    folder, canary = tmp_path / "own", tmp_path / "canary"
    assert main(["new", str(folder), "--template", "custom-code"]) == 0
    assert main(["check", str(folder)]) == 0, "what comes with the program is trusted"
    path = folder / "code" / "layers.py"
    path.write_text(path.read_text() + f"\nopen({str(canary)!r}, 'w').close()\n")
    capsys.readouterr()
    assert main(["check", str(folder)]) == 1
    assert "not trusted yet" in main_output(capsys)
    assert not canary.exists()
    assert main(["check", str(folder), "--trust"]) == 0
    assert canary.exists()
