"""Demo of a flow: ``python -m widgets.flow.demo``."""

import sys

from PySide6.QtWidgets import QWidget

from widgets.common.demo_window import run_demo
from widgets.flow.flow_view import FlowView
from widgets.flow.view_model import FlowBox, FlowLane


def build_demo(language: str) -> QWidget:
    """Return a flow of two lanes."""
    word = "步骤" if language == "zh_CN" else "Stage"
    boxes = tuple(
        FlowBox(
            key=str(number),
            title=f"{word} {number}",
            icon="data",
            value=f"{word} " * (number + 1),
            notes=(f"{word} {number}",),
            flow=("image 3×224×224 float32",),
            is_off=number == 2,
            severity="error" if number == 4 else "",
        )
        for number in range(6)
    )
    view = FlowView("demo.flow")
    view.set_lanes(
        (
            FlowLane(title=word, note=f"{word} 0–3", boxes=boxes[:4]),
            FlowLane(title=word, note=f"{word} 4–5", boxes=boxes[4:]),
        )
    )
    return view


if __name__ == "__main__":
    sys.exit(run_demo(build_demo, "Flow"))
