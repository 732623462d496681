"""Demo of the source view and the editor: ``python -m widgets.code.demo``."""

import sys

from PySide6.QtWidgets import QSplitter, QWidget

from widgets.code.code_editor import CodeEditor
from widgets.code.code_view import CodeView
from widgets.code.completion import NameView
from widgets.code.mark import MarkView
from widgets.common.demo_window import run_demo

_SOURCE = '''"""A small convolutional network."""

from torch import Tensor, nn


class DigitsCnn(nn.Module):
    """Reads an 8x8 digit.

    Gives ten scores.
    """

    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 16, 3, padding=1)
        self.relu1 = nn.ReLU()
        self.linear1 = nn.Linear(1024, 10)  # 16 * 8 * 8

    def forward(self, image: Tensor) -> Tensor:
        conv1 = self.conv1(image)
        relu1 = self.relu1(conv1)
        return self.linear1(relu1.flatten(1))
'''


_OWN = '''"""A layer of one's own."""

import torch
from torch import Tensor, nn


class Scale(nn.Module):
    """Multiplies each feature by a number that is learned."""

    def __init__(self, features: int = 8) -> None:
        super().__init__()
        self.factor = nn.Parameter(torch.ones(features)

    def forward(self, x: Tensor) -> Tensor:
        return x * self.factor
'''
_NAMES = (
    NameView(name="nn.Linear", note="A layer in which all inputs meet all outputs."),
    NameView(name="nn.LayerNorm", note="Normalises each sample for itself."),
    NameView(name="torch.ones"),
    NameView(name=".reshape", note="The same numbers in another shape."),
)


def build_demo(_language: str) -> QWidget:
    """Return source with one layer marked, and an editor with an error marked."""
    view = CodeView()
    lines = {13: "conv1", 14: "relu1", 15: "linear1", 18: "conv1", 19: "relu1", 20: "linear1"}
    view.set_source(_SOURCE, lines)
    view.highlight_ids(["conv1"])
    editor = CodeEditor()
    editor.set_names(_NAMES)
    editor.open_text(_OWN)
    editor.set_marks([MarkView(line=12, column=33, text="“(” was never closed")])
    both = QSplitter()
    both.addWidget(view)
    both.addWidget(editor)
    return both


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Code"))
