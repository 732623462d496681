"""Trace of some steps of a run: digests of all that each of them computed, a line of JSON a step.

What the digests are of is kept beside it, a file a step, as long as that is not too much: it tells
by how much two runs differ.
"""

from pathlib import Path
from typing import Literal, get_args

import msgspec

from engine.decoding import json_decoder
from engine.files import UNDECODABLE, open_file, read_file

TracedPart = Literal["batch", "loss", "model", "optimizer", "schedule", "technique", "random"]
"""What a step computes, or draws, in the order in which one thing comes of the other."""

TRACED_PARTS: tuple[TracedPart, ...] = get_args(TracedPart)
_LARGEST = 1 << 30


class TracedStep(msgspec.Struct, frozen=True, kw_only=True):
    """A step by its number, 0 for the beginning of a run. ``digests`` are those of the values after
    it, by part and name; of the step after which a run goes on there is no batch and no loss.
    """

    step: int
    digests: dict[TracedPart, dict[str, str]]


def values_file(trace: Path, step: int) -> Path:
    """Return the file of the values of a step (NumPy's ``npz``)."""
    return trace.with_suffix("") / f"{step}.npz"


def value_key(part: TracedPart, name: str) -> str:
    """Return the key of a value in the file of a step."""
    return f"{part}:{name}"


def read_trace(path: Path) -> dict[int, TracedStep]:
    """Return the steps of a trace by their numbers, those that are whole; none without a file."""
    try:
        text = read_file(path, _LARGEST, follow=False)
    except (OSError, ValueError):
        return {}
    decoder = json_decoder(TracedStep)
    found: dict[int, TracedStep] = {}
    for line in text[: text.rfind(b"\n") + 1].splitlines():
        try:
            step = decoder.decode(line)
        except UNDECODABLE:
            break
        found[step.step] = step
    return found


def count_steps(path: Path) -> int:
    """Return how many lines a trace has so far."""
    try:
        with open_file(path, follow=False) as stream:
            return sum(1 for _ in stream)
    except OSError:
        return 0
