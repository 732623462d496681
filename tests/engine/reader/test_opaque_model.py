"""A model that nodes cannot show is one node: its text stays, runs and keeps its names."""

import pytest
from msgspec.structs import replace

from engine.catalog.spec import AUTO
from engine.custom.trust import set_trust
from engine.graph.code import MODEL_FILE, PARTS_FILE
from engine.graph.edit.edits import AddNode, RenameNode, SetParam, apply
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.graph.query import make_node
from engine.model.analysis import Analyser
from tests.engine.graph.builder import add, wire
from tests.engine.reader.test_follow import typed, written
from tests.engine.reader.test_opaque import kinds, read, require_whole

HEAD = """\
\"\"\"As it was pasted.\"\"\"
import torch
import torch.nn as nn


"""
PLAIN = f"""\
{HEAD}class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(6, 6)  # the only one

    def forward(self, x):
        return self.fc(x)
"""
BODIES = {
    "leaving early": "h = self.fc(x)\nif h.sum() > 0:\n    return h  # sure\nreturn self.fc(-h)",
    "a loop of a tensor": "for t in x.unbind(1):\n    x = self.fc(x) + t.sum()\nreturn x",
    "what is kept": "self.last = self.fc(x)\nreturn self.last * 2",
    "a condition": "return self.fc(x) if x.sum() > 0 else x",
    "an error that is caught": "try:\n    x = self.fc(x)\nexcept RuntimeError:\n    pass\nreturn x",
    "all of the modules": "for one in self.children():\n    x = one(x)\nreturn x",
}
CLASSES = {
    "names that are computed": """
class Net(nn.Module):
    def __init__(self, n=3):
        super().__init__()
        for i in range(n):
            setattr(self, f"fc{i}", nn.Linear(6, 6))

    def forward(self, x):
        for i in range(3):
            x = torch.relu(getattr(self, f"fc{i}")(x))
        return x
""",
    "lists of parameters": """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rows = nn.ParameterList([nn.Parameter(torch.randn(6)) for _ in range(3)])
        self.named = nn.ParameterDict({"a": nn.Parameter(torch.randn(6))})

    def forward(self, x):
        for i, row in enumerate(self.rows):
            x = x * row + self.rows[i // 2]
        return x + self.named["a"]
""",
    "inherited": """
class Base(nn.Module):
    def __init__(self, width=6):
        super().__init__()
        self.fc = nn.Linear(width, width)


class Net(Base):
    def __init__(self):
        super().__init__(width=6)
        self.head = nn.Linear(6, 2)

    def forward(self, x):
        return self.head(self.fc(x))
""",
    "stars": """
class Inner(nn.Module):
    def forward(self, x, *args, **kwargs):
        return x * kwargs.get("by", 2)


class Net(nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()
        self.inner = Inner(*args)

    def forward(self, x, *rest, **more):
        return self.inner(x, *rest, by=3)
""",
}


def text_with(body: str) -> str:
    lines = "".join(f"        {line}\n" for line in body.splitlines())
    return PLAIN.replace("        return self.fc(x)\n", lines)


TEXTS = {
    **{name: text_with(body) for name, body in BODIES.items()},
    **{name: HEAD + text.lstrip("\n") for name, text in CLASSES.items()},
}


@pytest.mark.row("N03")
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_that_a_model_which_nodes_cannot_show_is_one_that_computes_the_same(text: str) -> None:
    graph = require_whole(text)
    lines = {line for line, path in written(graph).lines.items() if path == "net"}
    first = text[: text.index("class Net")].count("\n") + 1
    assert lines == set(range(first, text.count("\n") + 1))
    assert module_names(graph) == {}


def test_that_its_name_is_free_and_what_comes_behind_it_is_made_around_it() -> None:
    text = text_with(BODIES["leaving early"]).replace("class Net", "class Model")
    graph = read(text)
    assert written(apply(RenameNode(id="model", name="other"), graph)).source == text
    graph = apply(AddNode(node=make_node(graph, "ReLU", (0.0, 0.0))), graph)
    graph = wire(wire(graph, "model", "relu"), "relu", "output")
    after = written(graph)
    assert after.source.startswith(text)
    assert "class Model2(nn.Module):" in after.source
    assert "self.model = Model()" in after.source
    assert {"model", "relu"} <= set(module_names(graph).values())
    set_trust(graph.code, trusted=True)
    assert Analyser().analyse(graph).is_ok()


def test_that_a_class_comes_back_as_its_nodes_with_their_places_and_open_numbers() -> None:
    graph, _ = add(Graph(), "Input", "x", shape=(6,))
    graph, _ = add(graph, "Linear", "fc", out_features=6)
    graph, _ = add(graph, "Output", "output")
    graph = wire(wire(graph, "x", "fc"), "fc", "output")
    node = replace(graph.nodes["fc"], position=(70.0, 90.0), pinned=True)
    graph = replace(graph, nodes={**graph.nodes, "fc": node})
    text = written(graph).source
    folded = typed(graph, text.replace("return fc", "return fc if fc.sum() > 0 else self"))
    assert kinds(folded) == ["Model"]
    again = typed(folded, text.replace("return fc", "return fc if fc.sum() > 0 else self.fc"))
    assert kinds(again) == ["Model"]
    after = typed(again, text)
    assert replace(after, code={}) == graph
    assert after.nodes["fc"].params.get("in_features", AUTO) == AUTO
    assert PARTS_FILE not in after.code
    assert after.code[MODEL_FILE] == text


def test_that_a_setting_of_the_whole_is_given_to_the_class_that_stays() -> None:
    graph = read(TEXTS["names that are computed"])
    after = written(apply(SetParam(id="net", name="n", value=4), graph)).source
    assert after.startswith(TEXTS["names that are computed"])
    assert "self.net = Net(n=4)" in after


PACKED = f"""\
{HEAD}from torch.nn.utils.rnn import pack_padded_sequence


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn = nn.GRU(6, 6, batch_first=True)

    def forward(self, x, lengths, targets=None):
        packed = pack_padded_sequence(x, lengths.to("cpu"), True, False)
        _, hidden = self.rnn(packed)
        loss = None
        return hidden[-1], loss
"""


def test_that_lengths_of_sequences_and_a_loss_that_is_left_out_are_no_problems() -> None:
    graph, _ = add(Graph(), "Input", "x", shape=(4, 6))
    graph, _ = add(graph, "Input", "lengths", shape=(), dtype="int64")
    graph = typed(graph, PACKED)
    assert kinds(graph) == ["Net"]
    assert [node.type for node in graph.nodes.values()].count("Output") == 2
    set_trust(graph.code, trusted=True)
    analysis = Analyser().analyse(graph)
    assert analysis.is_ok()
    assert not analysis.problems
