"""The second look at code that was written of a stranger's file: no name gets another meaning."""

import pytest

from engine.catalog.code.offered import disallowed_syntax

HEAD = "import torch\nimport torch.nn.functional as F\nfrom torch import Tensor, nn\n"


@pytest.mark.fault("S02")
@pytest.mark.parametrize(
    "attack",
    [
        "float = torch.load\nfloat('other.pt', weights_only=False)",
        "torch.full = torch.load\ntorch.full('other.pt', weights_only=False)",
        "torch = torch.hub\ntorch.tensor('other.pt')",
        "torch.ops.aten.relu = torch.load\n",
        "like = torch.hub\nlike.view = torch.load\nlike.view('other.pt', weights_only=False)",
        "[float, other] = [torch.load, 1]\nfloat('other.pt', weights_only=False)",
        "def float(like: Tensor) -> Tensor:\n    return like",
        "def other(torch: Tensor) -> Tensor:\n    return torch.tensor(1)",
        "sizes = [1]\nsizes[0] = torch.load",
    ],
)
def test_that_code_of_a_strangers_file_gives_no_called_name_another_meaning(attack: str) -> None:
    assert disallowed_syntax({"other.py": f"{HEAD}{attack}\n"})


def test_that_code_that_only_computes_is_taken() -> None:
    text = (
        f"{HEAD}\n\ndef scaled(input: Tensor) -> Tensor:\n"
        "    halves = torch.ops.aten.split.Tensor(input, 2, 1)\n"
        "    first, second = halves[0], halves[1]\n"
        "    return torch.ops.aten.mul.Tensor(first, torch.full((1,), 2.0))\n"
    )
    assert disallowed_syntax({"scaled.py": text}) == ""
