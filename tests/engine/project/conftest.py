from pathlib import Path

import msgspec
import pytest

from engine.graph.model import Edge, Graph, Node
from engine.project import Project


@pytest.fixture
def graph() -> Graph:
    return Graph(
        nodes={
            "features": Node(id="features", type="Input", name="features", params={"shape": (4,)}),
            "fc1": Node(id="fc1", type="Linear", name="层", params={"out_features": 3}),
            "odd": Node(id="odd", type="os.system", name="odd", params={"k": (1, 2.5), "w": None}),
        },
        edges=(
            Edge(source="features", source_port="output", target="fc1", target_port="input"),
            Edge(source="fc1", source_port="output", target="odd", target_port="input"),
        ),
    )


@pytest.fixture
def project(tmp_path: Path, graph: Graph) -> Project:
    """Return a saved project with a graph and a specification of its own."""
    made = Project.create(tmp_path / "my project")
    made.graph = graph
    made.spec = msgspec.structs.replace(made.spec, epochs=7, seed=3)
    made.save()
    return made
