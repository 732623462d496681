"""The user's own blocks in their folder."""

import json

import pytest

from engine.files import FileWriteError
from engine.graph.block import PREFIX
from engine.graph.edit.edits import AddNode, Batch, apply
from engine.graph.error import GraphError
from engine.graph.library import BlockLibrary, brought, library_entries
from engine.graph.model import Block, Edge, Graph, Node


def wire(source: str, target: str, port: str = "input") -> Edge:
    return Edge(source=source, source_port="output", target=target, target_port=port)


def chain(*types: str, note: str = "") -> Block:
    nodes = {"x": Node(id="x", type="BlockInput", name="x")}
    edges, last = [], "x"
    for number, kind in enumerate((*types, "BlockOutput")):
        name = "output" if kind == "BlockOutput" else f"n{number}"
        node = Node(id=name, type=kind, name=name)
        nodes[node.id] = node
        edges.append(wire(last, node.id, "x" if kind.startswith(PREFIX) else "input"))
        last = node.id
    return Block(nodes=nodes, edges=tuple(edges), note=note)


INNER = chain("ReLU")
OUTER = chain("block.Inner", "Tanh", note="outer")
GRAPH = Graph(blocks={"Inner": INNER, "Outer": OUTER, "Other": chain("GELU")})


@pytest.fixture
def library(tmp_path) -> BlockLibrary:
    return BlockLibrary(tmp_path / "blocks")


def test_that_a_block_is_kept_with_those_that_it_needs_and_no_others(library):
    library.save("Outer", GRAPH)
    found = library.read()
    assert found.problems == ()
    assert found.blocks == {"Outer": Graph(blocks={"Inner": INNER, "Outer": OUTER})}
    assert [path.name for path in library.folder.iterdir()] == ["Outer.json"]


def test_that_placing_one_brings_its_definitions_into_the_project(library):
    library.save("Outer", GRAPH)
    kind, edits = brought(Graph(), library.read().blocks, "library.Outer")
    assert kind == "block.Outer"
    node = Node(id="use", type=kind, name="use")
    graph = apply(Batch(edits=(*edits, AddNode(node=node))), Graph())
    assert set(graph.blocks) == {"Inner", "Outer"}
    again, none = brought(graph, library.read().blocks, "library.Outer")
    assert (again, none) == ("block.Outer", ())


def test_that_another_block_of_the_same_name_in_the_project_stays_as_it_is(library):
    library.save("Outer", GRAPH)
    graph = Graph(blocks={"Inner": chain("Sigmoid")})
    kind, edits = brought(graph, library.read().blocks, "library.Outer")
    after = apply(Batch(edits=edits), graph)
    assert after.blocks["Inner"] == chain("Sigmoid")
    assert after.blocks["Inner2"] == INNER
    inside = after.blocks[kind.removeprefix(PREFIX)]
    assert inside.nodes["n0"].type == "block.Inner2"


def test_that_what_the_project_has_already_is_not_offered_twice(library):
    library.save("Outer", GRAPH)
    blocks = library.read().blocks
    assert [entry.key for entry in library_entries(blocks, Graph())] == ["library.Outer"]
    assert library_entries(blocks, GRAPH) == ()


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"null", b'{"format": 99}', b'{"nodes": 3}', b"\xff\xfe", b"{}"]
)
def test_that_a_damaged_file_is_told_and_left_as_it_is(library, content):
    library.save("Inner", GRAPH)
    (library.folder / "Broken.json").write_bytes(content)
    found = library.read()
    assert set(found.blocks) == {"Inner"}
    assert [(p.code, p.params["file"]) for p in found.problems] == [("G072", "Broken.json")]
    assert (library.folder / "Broken.json").read_bytes() == content


def test_that_a_block_inside_itself_is_not_read(library):
    library.save("Outer", GRAPH)
    path = library.folder / "Outer.json"
    document = json.loads(path.read_text())
    document["blocks"]["Inner"]["nodes"][1]["type"] = "block.Outer"
    path.write_text(json.dumps(document))
    found = library.read()
    assert found.blocks == {}
    assert [p.code for p in found.problems] == ["G072"]


def test_that_renaming_changes_file_and_class_and_refuses_what_is_taken(library):
    library.save("Inner", GRAPH)
    library.save("Other", GRAPH)
    library.rename("Inner", "Smooth", library.read().blocks["Inner"])
    assert set(library.read().blocks) == {"Smooth", "Other"}
    assert library.read().blocks["Smooth"] == Graph(blocks={"Smooth": INNER})
    for name in ("Other", "other", "two words", "../x", ""):
        with pytest.raises(GraphError):
            library.rename("Smooth", name, library.read().blocks["Smooth"])
    assert set(library.read().blocks) == {"Smooth", "Other"}
    library.rename("Smooth", "SMOOTH", library.read().blocks["Smooth"])
    assert set(library.read().blocks) == {"SMOOTH", "Other"}


def test_that_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "blocks").write_text("a file")
    with pytest.raises(FileWriteError):
        BlockLibrary(tmp_path / "blocks").save("Inner", GRAPH)
    assert BlockLibrary(tmp_path / "blocks").read().blocks == {}


CODE = {
    "kit.py": "from tools import double\n\n\ndef twice(x):\n    return double(x)\n",
    "tools.py": "def double(x):\n    return 2 * x\n",
    "other.py": "def nothing(x):\n    return x\n",
}
CODED = Graph(blocks={"Own": chain("code.kit.twice")}, code=CODE)


@pytest.mark.row("P09")
def test_that_a_block_of_own_code_brings_its_code_and_no_other(library):
    library.save("Own", CODED)
    held = library.read().blocks
    assert held["Own"].code == {name: CODE[name] for name in ("kit.py", "tools.py")}
    kind, edits = brought(Graph(), held, "library.Own")
    after = apply(Batch(edits=edits), Graph())
    assert (kind, after.code, after.blocks) == ("block.Own", held["Own"].code, CODED.blocks)
    assert brought(after, held, "library.Own") == (kind, ())


def test_that_code_of_the_same_name_in_the_project_stays_as_it_is(library):
    library.save("Own", CODED)
    graph = Graph(code={"tools.py": "def double(x):\n    return x\n"})
    kind, edits = brought(graph, library.read().blocks, "library.Own")
    after = apply(Batch(edits=edits), graph)
    assert after.code["tools.py"] == graph.code["tools.py"]
    assert after.code["tools2.py"] == CODE["tools.py"]
    assert after.code["kit.py"].startswith("from tools2 import double")
    assert kind.removeprefix(PREFIX) in after.blocks


def test_that_a_file_without_the_code_of_its_block_is_told(library):
    library.save("Own", CODED)
    path = library.folder / "Own.json"
    document = json.loads(path.read_text())
    del document["code"]["kit.py"]
    path.write_text(json.dumps(document))
    assert [p.code for p in library.read().problems] == ["G072"]
