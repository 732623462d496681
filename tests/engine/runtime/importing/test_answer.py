"""What a process that reads a ``.pt2`` file answers: anything, once it was taken over."""

import sys
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from engine.diagnostics import DiagnosticError
from engine.graph import codec
from engine.graph.model import Graph
from engine.runtime.importing import job as importing

pytestmark = pytest.mark.real

BEGINNING = """
import os, sys
from pathlib import Path
folder = Path(sys.argv[-1])
graph, weights = folder / "graph.json", folder / "imported.safetensors"
secret = sys.argv[1]
def say(text):
    sys.stdout.write(text + "\\n")
    sys.stdout.flush()
graph.write_bytes(bytes.fromhex(sys.argv[2]))
weights.touch()
"""

DONE = """say('{"type": "done"}')"""

ANSWERS = {
    "no JSON": f"graph.write_text('no JSON'); {DONE}",
    "no text": f"graph.write_bytes(bytes((34, 255, 34))); {DONE}",
    "deep": f"graph.write_text('[' * 100_000); {DONE}",
    "many values": f"graph.write_text('[' + '[],' * 9_000_000 + '1]'); {DONE}",
    "no graph": f"graph.unlink(); {DONE}",
    "a folder": f"graph.unlink(); graph.mkdir(); {DONE}",
    "no weights": f"weights.unlink(); {DONE}",
    "graph elsewhere": f"graph.unlink(); graph.symlink_to(secret); {DONE}",
    "weights elsewhere": f"weights.unlink(); weights.symlink_to(secret); {DONE}",
    "no reason": """say('{"type": "failed", "problems": []}')""",
    "many reasons": """
one = '{"code": "I024"}'
say('{"type": "failed", "problems": [' + ", ".join([one] * 100_000) + "]}")
""",
    "many notices": """
one = '{"code": "I024"}'
say('{"type": "done", "notices": [' + ", ".join([one] * 100_000) + "]}")
""",
    "less than nothing": """
say('{"type": "progress", "stage": "read", "done": -1}')
say('{"type": "failed", "problems": [{"code": "I030"}]}')
""",
    "talk without end": """
for number in range(20_000):
    say('{"type": "progress", "stage": "read"}')
say('{"type": "failed", "problems": [{"code": "I030"}]}')
""",
}


@pytest.mark.fault("S02")
@pytest.mark.parametrize("answer", ANSWERS)
def test_that_an_answer_of_a_process_that_was_taken_over_is_looked_at(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, answer: str
) -> None:
    (tmp_path / "secret").write_bytes(msgspec.json.encode(codec.to_document(Graph())))
    graph = msgspec.json.encode(codec.to_document(Graph())).hex()
    command = (sys.executable, "-c", BEGINNING + ANSWERS[answer], str(tmp_path / "secret"), graph)
    monkeypatch.setattr(importing, "_COMMAND", command)
    with pytest.raises(DiagnosticError) as caught:
        importing.import_model(str(tmp_path / "evil.pt2"), tmp_path / "project")
    assert [problem.code for problem in caught.value.problems] == ["I024"]
    assert not (tmp_path / "project").exists()


def test_that_of_what_a_process_said_in_the_end_only_the_end_is_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    talk = "import sys; sys.stderr.write('x' * (300 << 20)); print('the end', file=sys.stderr)"
    monkeypatch.setattr(importing, "_COMMAND", (sys.executable, "-c", talk))
    tracemalloc.start()
    try:
        with pytest.raises(DiagnosticError) as caught:
            importing.import_model(str(tmp_path / "evil.pt2"), tmp_path / "project")
        most = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert caught.value.problems[0].detail.endswith("xthe end\n")
    assert most < 50 << 20
