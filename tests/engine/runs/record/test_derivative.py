import re

import pytest
import torch

from engine.inspect.autograd import capture
from engine.runs.record.derivative import derivative

MADE = {re.sub(r"Backward\d*$", "", name) for name in dir(torch._C._functions)}


@pytest.mark.row("S052")
def test_that_every_formula_is_of_a_function_that_pytorch_makes() -> None:
    from engine.runs.record.derivative import _derivatives

    known = _derivatives()
    assert len(known) >= 100
    assert set(known) - {"AccumulateGrad"} <= MADE | set(dir(torch._C._functions))
    assert all(each.forward and each.backward for each in known.values())


MATHEMATICS = {
    "abs", "arctan", "argmax", "clamp", "cos", "erf", "exp", "gather", "grad", "hi", "indices",
    "ln", "lo", "log", "max", "mean", "min", "relu", "scatter_add", "sign", "sin", "softmax",
    "softplus", "sqrt", "sum", "tan", "tanh", "var", "else", "if",
}  # fmt: skip


def test_that_the_words_of_every_formula_are_chinese_where_the_window_is() -> None:
    from engine.runs.record.derivative import _derivatives, _words

    formulas = {text for each in _derivatives().values() for text in (each.forward, each.backward)}
    assert set(_words("zh_CN")) <= formulas
    for name in _derivatives():
        found = derivative(name, "zh_CN")
        assert found is not None
        words = set(re.findall(r"[A-Za-z_]{2,}", f"{found.forward} {found.backward}"))
        assert words <= MATHEMATICS, name


@pytest.mark.row("S051", "S052")
def test_that_every_function_of_a_small_classifier_has_its_formula() -> None:
    model = torch.nn.Sequential(
        torch.nn.Conv2d(1, 2, 3),
        torch.nn.BatchNorm2d(2),
        torch.nn.Tanh(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(18, 3),
    )
    loss = torch.nn.functional.cross_entropy(model(torch.rand(2, 1, 8, 8)), torch.tensor([0, 1]))
    for node in capture(loss, model).nodes:
        assert derivative(node.name) is not None, node.name


def test_that_the_suffix_is_left_out_and_an_unknown_function_has_no_formula() -> None:
    found = derivative("TanhBackward0")
    assert found is not None
    assert found.backward == "∂a = g ⊙ (1 − y²)"
    assert derivative("MineBackward") is None


@pytest.mark.row("S052")
@pytest.mark.parametrize(
    ("compute", "told"),
    [
        (lambda a: a.max(0).values, "∂a = g at the index i that was found, else 0"),
        (torch.Tensor.max, "∂a = g at the largest (shared between equals), else 0"),
    ],
)
def test_that_equal_numbers_share_the_gradient_only_of_the_largest_of_all(compute, told) -> None:
    given = torch.ones(4, requires_grad=True)
    result = compute(given)
    found = derivative(capture(result).nodes[0].name)
    assert found is not None
    assert found.backward == told
    result.backward()
    assert given.grad is not None
    assert ("shared" in told) == (given.grad.max().item() == 0.25)


@pytest.mark.row("S052")
@pytest.mark.parametrize(
    "loss", [torch.nn.functional.huber_loss, torch.nn.functional.smooth_l1_loss]
)
def test_that_the_formula_of_a_mean_divides_by_its_number(loss) -> None:
    given = torch.full((4,), 3.0, requires_grad=True)
    result = loss(given, torch.zeros(4))
    result.backward()
    assert given.grad is not None
    assert given.grad.tolist() == [0.25] * 4  # g·sign d/n
    found = derivative(capture(result).nodes[0].name)
    assert found is not None
    assert found.backward.endswith("sign d/n")
