"""Mistakes in own code that are told before it runs, each at its line."""

import pytest

from engine.catalog.code.advice import advice
from engine.diagnostics import Severity, sentence
from engine.graph.check import check
from engine.graph.model import Graph

HEAD = "import torch\nfrom torch import nn\n\n\n"


def layer(*lines: str, parent: str = "nn.Module") -> str:
    body = "".join(f"        {line}\n" for line in lines)
    return f"{HEAD}class Net({parent}):\n    def __init__(self):\n{body}"


def codes(text: str) -> list[tuple[str, object]]:
    return [(found.code, found.params["line"]) for found in advice("net.py", text)]


@pytest.mark.row("S352")
def test_that_a_layer_that_forgets_its_parent_is_told_at_its_constructor() -> None:
    assert codes(layer("self.fc = nn.Linear(2, 3)")) == [("U040", 6)]
    for line in ("super().__init__()", "nn.Module.__init__(self)", "super(Net, self).__init__()"):
        assert codes(layer(line, "self.fc = nn.Linear(2, 3)")) == []
    assert codes(layer("self.size = 3", parent="Dataset")) == []
    assert (
        codes(f"{HEAD}class Norm(nn.Module):\n    def forward(self, x):\n        return x\n") == []
    )


@pytest.mark.row("S353")
@pytest.mark.parametrize(
    "line",
    [
        "self.layers = [nn.Linear(2, 2), nn.Linear(2, 2)]",
        "self.layers = [nn.Linear(2, 2) for _ in range(3)]",
        "self.layers = (nn.Linear(2, 2),)",
        "self.layers: list = [torch.nn.Linear(2, 2)]",
        'self.layers = {"a": nn.Linear(2, 2)}',
        "self.layers = {str(i): nn.Linear(2, 2) for i in range(3)}",
    ],
)
def test_that_layers_in_a_plain_list_or_dictionary_are_told(line: str) -> None:
    assert codes(layer("super().__init__()", line)) == [("U041", 8)]


@pytest.mark.row("S353")
def test_that_layers_that_are_appended_one_by_one_are_told() -> None:
    text = layer("super().__init__()", "self.layers = []", "self.layers.append(nn.Linear(2, 2))")
    assert codes(text) == [("U041", 9)]


@pytest.mark.parametrize(
    "line",
    [
        "self.layers = nn.ModuleList([nn.Linear(2, 2)])",
        "self.layers = nn.Sequential(*[nn.Linear(2, 2)])",
        "self.sizes = [1, 2, 3]",
        "self.calls = [nn.functional.relu]",
        "layers = [nn.Linear(2, 2)]",
    ],
)
def test_that_lists_that_are_right_are_not_told(line: str) -> None:
    assert codes(layer("super().__init__()", line)) == []


def forward(line: str) -> str:
    return f"{HEAD}class Net(nn.Module):\n    def forward(self, x):\n        {line}\n"


@pytest.mark.row("S255")
def test_that_a_layer_that_is_made_in_forward_is_told() -> None:
    for made in ("nn.BatchNorm2d(3)", "torch.nn.Linear(2, 2)", "nn.Dropout()", "nn.LSTM(2, 2)"):
        assert codes(forward(f"return {made}(x)")) == [("U044", 7)]
    assert codes(forward("self.fc = nn.Linear(2, 2)")) == [("U044", 7)]
    for line in ("return nn.ReLU()(x)", "return nn.functional.linear(x, self.w)"):
        assert codes(forward(line)) == []


@pytest.mark.row("S338")
def test_that_a_slice_that_goes_backwards_is_a_hint() -> None:
    for item in ("x[::-1]", "x[:, ::-1]", "x[5:0:-2]"):
        (found,) = advice("net.py", f"{HEAD}def turn(x):\n    return {item}\n")
        assert (found.code, found.severity, found.params["line"]) == ("U042", Severity.HINT, 6)
        assert "flip" in sentence(found)
    assert codes(f"{HEAD}def half(x):\n    return x[::2]\n") == []


@pytest.mark.row("S339")
def test_that_the_next_of_python_2_is_told() -> None:
    assert codes(f"{HEAD}def first(loader):\n    return iter(loader).next()\n") == [("U043", 6)]
    assert codes(f"{HEAD}def first(loader):\n    return next(iter(loader))\n") == []


@pytest.mark.row("S319")
def test_that_dropout_that_evaluation_does_not_switch_off_is_told() -> None:
    for line in ("F.dropout(x)", "F.dropout(x, 0.5)", "torch.nn.functional.dropout2d(x, p=0.2)"):
        assert codes(forward(f"return {line}")) == [("U045", 7)]
    told = "F.dropout(x, training=self.training)", "F.dropout(x, 0.5, self.training)"
    for line in (*told, "F.dropout(x, **kept)", "self.dropout(x)", "F.relu(x)"):
        assert codes(forward(f"return {line}")) == []


@pytest.mark.row("S328")
def test_that_a_copy_of_a_tensor_that_nobody_keeps_is_a_hint() -> None:
    for line in ("x.to(self.w.device)", "x.cuda()", "x.float()"):
        assert codes(forward(line)) == [("U046", 7)]
    for line in ("x = x.to('cpu')", "self.to('cpu')", "x.add_(1)", "return x.float()"):
        assert codes(forward(line)) == []
    assert codes(f"{HEAD}def move(model):\n    model.to('cpu')\n") == []


def test_that_what_cannot_be_read_is_not_advised_on() -> None:
    assert advice("net.py", "class (:") == ()


def test_that_advice_is_among_the_findings_of_the_model_in_both_languages() -> None:
    text = layer("self.layers = [nn.Linear(2, 2)]")
    text += "    def forward(self, x):\n        return nn.Linear(2, 2)(x)\n"
    found = [p for p in check(Graph(code={"net.py": text})) if p.code.startswith("U04")]
    assert [p.code for p in found] == ["U040", "U041", "U044"]
    for problem in found:
        assert problem.severity is Severity.WARNING
        for language in ("en", "zh_CN"):
            assert "net.py" in sentence(problem, language)


def test_that_layers_that_are_appended_to_an_annotated_list_are_told() -> None:
    made = "self.layers: list[nn.Module] = []"
    text = layer("super().__init__()", made, "self.layers.append(nn.Linear(2, 2))")
    assert codes(text) == [("U041", 9)]
