"""Plays the process that imports a model, without torch: what it does depends on the model's name.

``python fake_import_worker.py FOLDER``.
"""

import sys
import time
from pathlib import Path

import msgspec

from engine.diagnostics import Diagnostic
from engine.graph import codec
from engine.graph.edit.edits import AddNode, Batch, Connect, apply
from engine.graph.model import Edge, Graph, Node
from engine.runtime.importing.request import ImportDone, ImportFailed, ImportProgress, ImportRequest


def _graph() -> Graph:
    nodes = (
        Node(id="x", type="Input", name="x", params={"shape": (4,)}),
        Node(id="fc", type="Linear", name="fc", params={"out_features": 2}),
        Node(id="output", type="Output", name="output"),
    )
    wires = (("x", "output", "fc", "input"), ("fc", "output", "output", "input"))
    edges = (Edge(source=a, source_port=b, target=c, target_port=d) for a, b, c, d in wires)
    edits = (*(AddNode(node=node) for node in nodes), *(Connect(edge=edge) for edge in edges))
    return apply(Batch(edits=edits), Graph())


def _say(message: object) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(message) + b"\n")
    sys.stdout.buffer.flush()


def main(folder: Path) -> int:
    """Import, fail, hang or die."""
    request = msgspec.json.decode((folder / "request.json").read_bytes(), type=ImportRequest)
    _say(ImportProgress(stage="download", done=10, total=100))
    if request.model == "alexnet":
        time.sleep(60)
    if request.model == "vgg11":
        params: dict[str, str | int | float] = {"host": "h", "file": "f", "status": 404}
        _say(ImportFailed(problems=(Diagnostic(code="I041", params=params),)))
        return 1
    if request.model == "vgg13":
        print("the machine is out of memory", file=sys.stderr)
        return 3
    (folder / "graph.json").write_bytes(msgspec.json.encode(codec.to_document(_graph())))
    (folder / "imported.safetensors").write_bytes(msgspec.json.encode(request))
    _say(ImportDone())
    return 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
