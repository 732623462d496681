"""Questions about the learning rates and parameter groups of a run, and a report."""

import msgspec

from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.query.request import Request
from engine.spec.run import RunSpec
from engine.spec.trained_group import TrainedGroup


class LrPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The learning rates at the beginning of some steps, from really stepping the scheduler:
    ``values`` for each group of parameters, the rest first. ``shares`` tell for each phase how much
    of its schedule is over: from 0 in its first step to 1 in its last one, and more afterwards.
    """

    steps: tuple[int, ...]
    values: tuple[tuple[float, ...], ...]
    shares: tuple[tuple[float, ...], ...] = ()


class PreviewLr(Request[LrPreview], frozen=True, kw_only=True):
    """The learning-rate curve of a specification; ``steps_per_epoch`` 0: from the data. ``groups``
    are those with a rate of their own, where layers have; else they are those of the specification.
    """

    spec: RunSpec
    groups: tuple[TrainedGroup, ...] = ()
    steps_per_epoch: int = 0
    code: dict[str, str] = msgspec.field(default_factory=dict)

    handler = "engine.query.rate.answer.learning_rate_curve"
    custom_code = "texts"
    is_slow = True
    supersedes = True


class GroupsPreview(msgspec.Struct, frozen=True, kw_only=True):
    """The parameter groups of an optimizer, in its order."""

    groups: tuple[TrainedGroup, ...]


class PreviewGroups(Request[GroupsPreview], frozen=True, kw_only=True):
    """The parameter groups that the optimizer of a recipe gets, with how much is in each."""

    graph: Graph
    spec: RunSpec

    handler = "engine.query.rate.answer.trained_groups"
    custom_code = "graph"
    is_slow = True
    supersedes = True


class Extension(msgspec.Struct, frozen=True, kw_only=True):
    """What there is to tell of a run that goes on, if anything."""

    problem: Diagnostic | None = None


class ExplainExtension(Request[Extension], frozen=True, kw_only=True):
    """What the schedule of a run does if it goes on to some number of ``steps``; ``groups`` are
    those of its optimizer, where it had several.
    """

    spec: RunSpec
    steps_per_epoch: int
    steps: int
    groups: tuple[TrainedGroup, ...] = ()

    handler = "engine.query.rate.answer.explain_extension"
    is_slow = True
    supersedes = True
