"""The user's own code in a graph: entries, edits, what is told when it does not fit."""

import msgspec
import pytest

from engine.graph.block import entry_of, offered
from engine.graph.check import check
from engine.graph.code import code_digest, needed_files, used_files
from engine.graph.codec import cut_out, from_document, from_text, to_document, to_text
from engine.graph.comparison import diff
from engine.graph.edit.code_edits import RemoveCode, RenameCode, SetCode
from engine.graph.edit.edits import EditBlock, InsertFragment, SetParam, apply
from engine.graph.error import GraphError
from engine.graph.history import History
from engine.graph.library import BlockLibrary
from engine.graph.model import Block, Edge, Graph, Node

NORM = """
from torch import nn
from .tools import centred


class Norm(nn.Module):
    def __init__(self, eps: float = 1e-5):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        return centred(x) / (x.std() + self.eps)
"""
TOOLS = "def centred(x):\n    return x - x.mean()\n"


def model(**code: str) -> Graph:
    """Return Input → Norm → Output with files of code by their name without ``.py``."""
    texts = {f"{name}.py": text for name, text in code.items()}
    return Graph(
        nodes={
            "x": Node(id="x", type="Input", name="x", params={"shape": (4,)}),
            "norm": Node(id="norm", type="code.layers.Norm", name="norm"),
            "y": Node(id="y", type="Output", name="y"),
        },
        edges=(
            Edge(source="x", source_port="output", target="norm", target_port="x"),
            Edge(source="norm", source_port="output", target="y", target_port="input"),
        ),
        code=texts,
    )


@pytest.fixture(name="graph")
def _graph() -> Graph:
    return model(layers=NORM, tools=TOOLS)


def codes(graph: Graph) -> list[tuple[str, str | None]]:
    return [(problem.code, problem.node) for problem in check(graph)]


def test_that_a_node_of_own_code_is_described_by_its_file(graph):
    entry = entry_of(graph, graph.nodes["norm"])
    assert entry is not None
    assert [param.name for param in entry.params] == ["eps"]
    assert check(graph) == ()
    assert {"code.layers.Norm", "code.tools.centred"} <= {e.key for e in offered(graph, ())}
    after = apply(SetParam(id="norm", name="eps", value=0.5), graph)
    assert after.nodes["norm"].params == {"eps": 0.5}
    assert used_files(graph) == ("tools.py", "layers.py")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ({}, ("U003", "norm")),
        ({"layers": "class Other: pass"}, ("U004", "norm")),
        ({"layers": "def f(:"}, ("U002", "norm")),
    ],
)
def test_that_a_node_says_why_its_code_cannot_be_had(code, expected):
    assert expected in codes(model(**code))


def test_that_a_syntax_error_is_an_error_where_it_is_used_and_a_warning_elsewhere(graph):
    broken = apply(SetCode(file="notes.py", text="def f(:"), graph)
    assert [(p.code, p.severity) for p in check(broken)] == [("U001", "warning")]
    broken = apply(SetCode(file="tools.py", text="def f(:"), graph)
    assert [(p.code, p.severity) for p in check(broken)] == [("U001", "error")]


def test_that_typing_can_be_undone(graph):
    history = History(graph)
    history.push(apply(SetCode(file="tools.py", text="x = 1"), graph), "edit")
    assert history.present.code["tools.py"] == "x = 1"
    assert history.undo() is graph
    assert diff(graph, history.redo()).code == ("tools.py",)


def test_that_renaming_a_file_takes_nodes_and_imports_along(graph):
    inner = Node(id="n", type="code.tools.centred", name="n")
    graph = msgspec.structs.replace(graph, blocks={"B": Block(nodes={"n": inner})})
    after = apply(RenameCode(file="tools.py", new_file="kit.py"), graph)
    assert set(after.code) == {"layers.py", "kit.py"}
    assert "from .kit import centred" in after.code["layers.py"]
    assert after.blocks["B"].nodes["n"].type == "code.kit.centred"
    after = apply(RenameCode(file="layers.py", new_file="own.py"), after)
    assert after.nodes["norm"].type == "code.own.Norm"


@pytest.mark.parametrize("file", ["layers.py", "tools.py"])
def test_that_a_file_in_use_is_not_removed(graph, file):
    with pytest.raises(GraphError) as raised:
        apply(RemoveCode(file=file), graph)
    assert raised.value.problems[0].code == "U009"
    unused = msgspec.structs.replace(graph, nodes={}, edges=())
    assert apply(RemoveCode(file="layers.py"), unused).code == {"tools.py": TOOLS}


@pytest.mark.parametrize(
    "file",
    ["layers", "torch.py", "json.py", "../x.py", "a b.py", "_x.py", "class.py", "a.b.py", ""],
)
def test_that_a_file_gets_no_name_that_hides_another_module(graph, file):
    with pytest.raises(GraphError) as raised:
        apply(SetCode(file=file, text=""), graph)
    assert raised.value.problems[0].code == "U007"


def test_that_names_that_differ_by_capitals_alone_are_refused(graph):
    for edit in (
        SetCode(file="Layers.py", text=""),
        RenameCode(file="tools.py", new_file="LAYERS.py"),
    ):
        with pytest.raises(GraphError) as raised:
            apply(edit, graph)
        assert raised.value.problems[0].code == "U008"


def test_that_code_survives_a_document_and_the_clipboard(graph):
    assert from_document(to_document(graph)) == graph
    copied = from_text(to_text(graph, ["norm"]))
    assert copied.code == {"tools.py": TOOLS, "layers.py": NORM}
    assert cut_out(graph, ["x"]).code == {}


def test_that_pasted_code_of_another_text_gets_a_free_name(graph):
    fragment = cut_out(graph, ["norm"])
    same = apply(InsertFragment(fragment=fragment), graph)
    assert same.code == graph.code
    other = model(layers="class Norm: ...", tools="x = 1")
    after = apply(InsertFragment(fragment=fragment), other)
    assert after.nodes["norm2"].type == "code.layers2.Norm"
    assert after.code["tools2.py"] == TOOLS
    assert "from .tools2 import centred" in after.code["layers2.py"]
    assert after.code["layers.py"] == "class Norm: ..."


def test_that_code_is_edited_from_inside_a_block_too(graph):
    graph = msgspec.structs.replace(graph, blocks={"B": Block()})
    after = apply(EditBlock(block="B", edit=SetCode(file="more.py", text="x = 1")), graph)
    assert after.code["more.py"] == "x = 1"


def test_that_trust_is_given_to_names_and_texts(graph):
    digest = code_digest(graph.code)
    assert digest == code_digest(dict(reversed(graph.code.items())))
    assert digest != code_digest({**graph.code, "tools.py": TOOLS + " "})
    assert digest != code_digest({"layers.py": NORM, "kit.py": TOOLS})


def test_that_files_in_a_circle_come_once_each():
    code = {"a.py": "from b import x", "b.py": "from a import y", "c.py": ""}
    assert sorted(needed_files(code, ["a.py"])) == ["a.py", "b.py"]


def test_that_a_block_does_not_go_into_the_library_without_the_code_that_it_is_made_from(tmp_path):
    inner = Node(id="n", type="code.tools.centred", name="n")
    with pytest.raises(GraphError) as raised:
        BlockLibrary(tmp_path).save("B", Graph(blocks={"B": Block(nodes={"n": inner})}))
    assert raised.value.problems[0].code == "U033"
    assert list(tmp_path.iterdir()) == []
