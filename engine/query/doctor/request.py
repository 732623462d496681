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


class BatchCurve(msgspec.Struct, frozen=True, kw_only=True):
    """The losses of one batch that was trained on again and again, the first before the first step;
    ``expected`` is the loss of guessing where it is known. ``name`` is what the phases that trained
    are called; empty where all steps of a run are alike.
    """

    name: str = ""
    losses: tuple[float, ...] = ()
    expected: float | None = None


class CheckUpReport(msgspec.Struct, frozen=True, kw_only=True):
    """What the doctor found by its rules, and by which there was ``nothing`` to judge by;
    ``curves`` are those of one batch, one for each kind of step; ``samples_per_s`` is how fast the
    data comes.
    """

    rules: tuple[RuleResult, ...]
    nothing: tuple[str, ...] = ()
    curves: tuple[BatchCurve, ...] = ()
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
