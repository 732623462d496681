"""What a file of own code offers, read from its syntax."""

import contextlib
import sys

import pytest

from engine.catalog.code.file import parsed, read_file
from engine.catalog.spec import EntryGroup, ParamKind

LAYERS = '''
import torch
from torch import nn
from torch.autograd import Function
from typing import Literal

class Norm(nn.Module):
    """Standardise a sample.

    Args:
        eps: keeps away from zero
    """

    def __init__(self, in_features: int, eps: float = 1e-5, mode: Literal["a", "b"] = "a",
                 size: int | tuple[int, int] = 3, name: str | None = None, *, bias: bool = True,
                 act=nn.ReLU(), hidden=8):
        super().__init__()

    def forward(self, x, mask: torch.Tensor | None = None, scale: float = 1.0):
        return x, mask


class Deeper(Norm):
    pass


class TwoLayerNet(nn.Module):
    def __init__(self, D_in, H, D_out):
        super().__init__()

    def forward(self, x):
        return x


class MyLinear(nn.Linear):
    pass


class GradCoeff(Function):
    @staticmethod
    def forward(ctx, x, coeff: float):
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class _Hidden(nn.Module):
    pass


class Plain:
    pass


def blend(x, y, *, k=2, dim: tuple[int, ...] = (0,)):
    return x


def late(x, k: int = 2, y=None):
    return x


def join(tensors: list[torch.Tensor], dim: int = 1):
    return torch.cat(tensors, dim)


def make(width: int) -> nn.Module:
    return nn.Identity()


def make_norm(width: int) -> "Norm":
    return Norm(width)


def pick(input, target, *, smooth: float = 1.0):
    return (input - target).mean()


def fill_(tensor, std: float = 0.1):
    return tensor.normal_(0, std)


def helper(count: int):
    return count
'''


@pytest.fixture(name="file")
def _file():
    found = read_file("layers.py", LAYERS)
    assert found.problem is None
    return found


def test_that_layers_functions_and_operators_are_offered_and_helpers_are_not(file):
    assert set(file.nodes) == {
        "Norm", "Deeper", "TwoLayerNet", "MyLinear", "GradCoeff", "blend", "late", "join", "make",
        "make_norm", "pick",
    }  # fmt: skip
    assert set(file.initialisers) == {"fill_"}
    assert set(file.losses) == {"pick"}
    groups = {name: entry.group for name, entry in file.nodes.items()}
    assert groups["Norm"] is groups["make"] is EntryGroup.LAYER
    assert groups["GradCoeff"] is groups["blend"] is EntryGroup.OPERATOR
    assert file.nodes["Norm"].key == "code.layers.Norm"


def test_that_a_form_comes_from_the_signature_with_defaults_kinds_and_help(file):
    params = {param.name: param for param in file.nodes["Norm"].params}
    kinds = {name: param.kind for name, param in params.items()}
    assert kinds == {
        "in_features": ParamKind.INT,
        "eps": ParamKind.FLOAT,
        "mode": ParamKind.CHOICE,
        "size": ParamKind.INTS,
        "name": ParamKind.STR,
        "bias": ParamKind.BOOL,
        "act": ParamKind.LITERAL,
        "hidden": ParamKind.INT,
        "scale": ParamKind.FLOAT,
    }
    assert params["in_features"].auto
    assert params["in_features"].required
    assert (params["eps"].default, params["eps"].help) == (1e-5, "keeps away from zero")
    assert params["mode"].choices == ("a", "b")
    assert (params["size"].length, params["size"].single) == (2, True)
    assert params["name"].optional
    assert params["scale"].call, "given when it is called, not when it is made"
    assert file.nodes["Norm"].summary == "Standardise a sample."
    assert [p.kind for p in file.nodes["TwoLayerNet"].params] == [ParamKind.LITERAL] * 3


def test_that_ports_come_from_forward_and_from_what_it_returns(file):
    norm = file.nodes["Norm"]
    assert [(port.name, port.required) for port in norm.inputs] == [("x", True), ("mask", False)]
    assert [(port.name, port.label, port.path) for port in norm.outputs] == [
        ("output.0", "x", (0,)),
        ("output.1", "mask", (1,)),
    ]
    assert file.nodes["Deeper"].inputs == norm.inputs, "what is inherited counts"
    assert [param.name for param in file.nodes["MyLinear"].params][:2] == [
        "in_features",
        "out_features",
    ]
    assert file.nodes["make_norm"].inputs == norm.inputs
    assert [port.name for port in file.nodes["make"].inputs] == ["input"]


def test_that_a_function_takes_everything_by_place_and_an_operator_names_what_is_behind(file):
    grad = file.nodes["GradCoeff"]
    assert grad.target == "code:layers.GradCoeff.apply"
    assert grad.positional == ("x", "coeff")
    assert [port.name for port in grad.inputs] == ["x"]
    late = {port.name: port.keyword for port in file.nodes["late"].inputs}
    assert late == {"x": False, "y": True}
    assert file.nodes["join"].inputs[0].variadic


def test_that_a_syntax_error_is_told_with_its_line_and_offers_nothing():
    found = read_file("bad.py", "import torch\nclass Norm(:\n    pass\n")
    assert found.nodes == {}
    assert found.problem is not None
    assert found.problem.code == "U001"
    assert found.problem.params["line"] == 2


@pytest.mark.parametrize("text", ["\0", "(" * 5000, "x" * 100 + "=" * 10, "\ufeffx = 1", ""])
def test_that_no_text_makes_reading_fail(text):
    read_file("odd.py", text)


@pytest.mark.fault("S03")
def test_that_reading_imports_and_runs_nothing(tmp_path):
    canary = tmp_path / "canary"
    text = f"import antigravity\nopen({str(canary)!r}, 'w').write('x')\nclass A(nn.Module): pass\n"
    assert set(read_file("evil.py", text).nodes) == {"A"}
    assert not canary.exists()
    assert "antigravity" not in sys.modules


def test_that_parameters_that_init_shows_can_be_given_a_beginning():
    text = """
class Net(nn.Module):
    def __init__(self, n: int, bias: bool = True):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(n, 4) * n**-0.5)
        self.shift = nn.Parameter(torch.zeros(n))
        self.odd = nn.Parameter(made(n))
        self.fc = nn.Linear(n, 2)
        if bias:
            self.bias = nn.Parameter(torch.zeros(n))
"""
    entry = read_file("net.py", text).nodes["Net"]
    weights = [(weight.name, weight.rank) for weight in entry.weights]
    assert weights == [("w1", 2), ("shift", 1), ("fc.weight", 2)]


@pytest.mark.fault("S07")
@pytest.mark.parametrize(
    "text",
    [
        f"import {'a.' * 3000}a",
        f"from {'a . ' * 3000}a import b",
        f"import os, {'a.' * 3000}a",
        f"from {'a.' * 50}{chr(92)}\n{'a.' * 3000}a import b",
        f"name = f'{'{a}' * 30_000}'",
    ],
)
def test_that_a_text_that_python_needs_gigabytes_or_minutes_for_is_not_read(text):
    problem = read_file("evil.py", text).problem
    assert problem is not None
    assert problem.code == "U001"


@pytest.mark.fault("S07")
def test_that_texts_without_long_names_are_read_or_told_at_once():
    for text in ("a" * 900_000, "a " * 450_000, ". " * 450_000, "a.1," * 200_000):
        with contextlib.suppress(ValueError, SyntaxError, RecursionError, MemoryError):
            parsed(text)
    words = ("a." * 90 + "a, ") * 4000
    assert read_file("names.py", f"names = [{words}]").problem is None
