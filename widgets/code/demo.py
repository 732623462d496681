"""Generated source: ``python -m widgets.code.demo``."""

import sys

from PySide6.QtWidgets import QWidget

from widgets.code.code_view import CodeView
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


def build_demo(_language: str) -> QWidget:
    """Return source with one layer marked."""
    view = CodeView()
    lines = {13: "conv1", 14: "relu1", 15: "linear1", 18: "conv1", 19: "relu1", 20: "linear1"}
    view.set_source(_SOURCE, lines)
    view.highlight_ids(["conv1"])
    return view


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Code"))
