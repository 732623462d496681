"""Length of a run as text of the exported training class: epochs, or steps that may end within one.

A run that ended by time is exported with the steps that it took.
"""

from typing import NamedTuple

from engine.spec.run import RunSpec
from engine.syntax.format import INDENT


class LengthText(NamedTuple):
    """Parts of ``fit``: its parameter with the default, the lines before its epochs, those after a
    step, and those that leave an epoch which is not whole.
    """

    unit: str
    before: str = ""
    after_step: str = ""
    midway: str = ""


def length_text(spec: RunSpec, steps_per_epoch: str) -> LengthText:
    """Return the parts for a run; ``steps_per_epoch`` is how ``fit`` counts them."""
    if spec.length != "steps":
        return LengthText("epochs")
    return LengthText(
        "steps",
        before=f"{INDENT * 2}epochs = -(-steps // {_bracketed(steps_per_epoch)})\n",
        after_step=(f"\n{INDENT * 4}steps -= 1\n{INDENT * 4}if not steps:\n{INDENT * 5}break"),
        midway=(
            f"\n{INDENT * 3}if len(results) < len(batches):  # the end, within an epoch"
            f"\n{INDENT * 4}history.append(self.average(results))\n{INDENT * 4}break"
        ),
    )


def _bracketed(text: str) -> str:
    return text if text.endswith(")") and not text.startswith("-") else f"({text})"
