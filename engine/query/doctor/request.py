"""Questions to the doctor, and its report."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.query.model.request import Repairs
from engine.query.request import Request
from engine.spec.run import RunSpec


class RuleResult(msgspec.Struct, frozen=True, kw_only=True):
    """One rule by its name, with what it found; nothing: all is well."""

    rule: str
    problems: tuple[Diagnostic, ...] = ()


class CheckUpReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the doctor found. ``losses`` are those of one batch that was trained on again and again,
    the first before the first step; ``expected`` is the loss of guessing where it is known;
    ``samples_per_s`` how fast the data comes.
    """

    rules: tuple[RuleResult, ...]
    losses: tuple[float, ...] = ()
    expected: float | None = None
    samples_per_s: float = 0.0


class CheckUp(Request[CheckUpReport], frozen=True, kw_only=True):
    """What is wrong with a model and its data as a run would begin with them, or, where a
    ``run_folder`` is named, with the last checkpoint of that run, whose graph and specification are
    given.
    """

    graph: Graph
    spec: RunSpec
    project: str
    run_folder: str = ""

    handler = "engine.query.doctor.answer.answer"
    custom_code = "graph"
    is_slow = True
    supersedes = True


class ProposeRepairs(Request[Repairs], frozen=True, kw_only=True):
    """What mends findings of the doctor; each remedy was tried on a copy and helps."""

    graph: Graph
    spec: RunSpec
    project: str
    problems: tuple[Diagnostic, ...]

    handler = "engine.query.doctor.repair.answer"
    custom_code = "graph"
    is_slow = True
    supersedes = True
