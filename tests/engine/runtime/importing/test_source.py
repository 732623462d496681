"""Texts about an import become values; a file is read for its models and never run."""

from pathlib import Path

import pytest

from engine.diagnostics import DiagnosticError
from engine.runtime import InputSize, model_classes, parse_arguments, parse_inputs

CODE = """
import torch
from torch import nn
open("ran", "w")

class Block(nn.Module):
    def __init__(self, width, *, act="relu", deep: bool):
        super().__init__()

class Net(Block):
    pass

class Own:
    def forward(self, x):
        return x

class Data(torch.utils.data.Dataset):
    pass
"""


def test_that_sizes_and_arguments_are_taken_as_they_are_typed() -> None:
    assert parse_inputs("3x224x224; 128:int64") == (
        InputSize(shape=(3, 224, 224)),
        InputSize(shape=(128,), dtype="int64"),
    )
    assert parse_inputs(" 3, 8 × 8") == (InputSize(shape=(3, 8, 8)),)
    assert parse_arguments('width=64, act="relu", sizes=(2, 3)') == {
        "width": 64,
        "act": "relu",
        "sizes": [2, 3],
    }
    assert parse_arguments("") == {}


@pytest.mark.parametrize("text", ["8 by 8", "3x", "-3x4", "8:float99", "x"])
def test_that_what_is_no_size_is_refused_at_its_field(text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        parse_inputs(text)
    assert (caught.value.problems[0].code, caught.value.problems[0].field) == ("I048", "inputs")


@pytest.mark.parametrize(
    "text", ["64", "*a", "a=f(2)", "a=1)+(", "a=1, a=2", "__import__('os')", "a={}", "a=[[1]]"]
)
def test_that_arguments_that_are_no_plain_values_are_refused(text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        parse_arguments(text)
    assert caught.value.problems[0].code == "I049"


@pytest.mark.fault("S03")
def test_that_the_models_of_a_file_are_found_without_running_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "net.py"
    file.write_text(CODE, encoding="utf-8")
    block, net, own = model_classes(file)
    assert block.name == "Block"
    assert block.arguments == "width, *, act='relu', deep: bool"
    assert block.required == ("width", "deep")
    assert (net.name, own.name, net.required) == ("Net", "Own", ())
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"class Net(", "I050"), (b"\x00\xff", "I050"), (b"x = 1", "I051"), (None, "I021")],
)
def test_that_a_file_without_models_is_told(
    tmp_path: Path, content: bytes | None, code: str
) -> None:
    file = tmp_path / "net.py"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(DiagnosticError) as caught:
        model_classes(file)
    assert caught.value.problems[0].code == code
