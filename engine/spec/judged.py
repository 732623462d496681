"""Which outputs of a model the metrics of a run judge: those that a term of its loss compares with
the data. The metrics of the first term have their bare names (``accuracy``), those of the others
begin with the name of the output (``position:mae``).
"""

import re
from collections.abc import Mapping, Sequence

import msgspec

from engine.catalog.spec import AUTO, EntryGroup, PortContent
from engine.spec.choice import NO_CODE, Code, entry_of_key
from engine.spec.run import LossTerm, RunSpec

_PREFIXED = re.compile(r"([^\W\d]\w*(?:\.\d+)?):(.+)", re.DOTALL)
_OF_EACH = ("iou.", "precision.", "recall.", "f1.", "mae.", "rmse.", "r2.")
"""A class or a number follows, whose name may have a colon."""

_ALIKE = (
    PortContent.CLASS_INDEX,
    PortContent.CLASS_INDEX_OR_PROBABILITIES,
    PortContent.SAME_AS_INPUT,
    PortContent.BINARY_SAME,
)
"""What a target is where the output is to become like it: no sign that says what it means."""


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """An output that metrics judge: ``name`` stands before these, empty for those of the first term
    of the loss; ``term`` is the number of the term from 0, ``output`` that of the model and
    ``field`` what it is compared with, both empty where a term compares nothing.
    """

    name: str = ""
    term: int = 0
    output: str = ""
    field: str = ""

    @property
    def names(self) -> tuple[str, ...]:
        """What it may be called in front of a metric."""
        return tuple(name for name in (self.name, "" if self.name else self.output) if name)

    def chosen_of(self, metrics: Sequence[str]) -> tuple[str, ...]:
        """Return which of the chosen metrics are for it, bare; "auto" is for every output."""
        found: list[str] = []
        for metric in metrics:
            name, bare = split_metric(metric)
            is_own = name in self.names if name else not self.name or bare == AUTO
            found += [bare] if is_own else []
        return tuple(dict.fromkeys(found))

    def series(self, measure: str) -> str:
        """Return what a measure of it is called among those of a part."""
        return f"{self.name}:{measure}" if self.name else measure


def split_metric(name: str) -> tuple[str, str]:
    """Return the output that a metric or a measure names, empty for none, and the rest."""
    match = None if name.startswith(_OF_EACH) else _PREFIXED.fullmatch(name)
    return ("", name) if match is None else (match[1], match[2])


def judged_outputs(spec: RunSpec, code: Code = NO_CODE) -> tuple[Judged, ...]:
    """Return what the terms of a loss compare, each output with each field once: the first term
    first, then those whose output is to become like a field of the data.
    """
    if not spec.losses:
        return (Judged(),)
    first = spec.losses[0]
    found = [Judged(output=_side(first, "input", "model"), field=_side(first, "target", "data"))]
    counts: dict[str, int] = {}
    for number, term in enumerate(spec.losses[1:], 1):
        output, field = _side(term, "input", "model"), _side(term, "target", "data")
        if not output or not field or not _is_alike(term, code):
            continue
        if (output, field) in ((each.output, each.field) for each in found):
            continue
        counts[output] = counts.get(output, int(output == found[0].output)) + 1
        name = output if counts[output] == 1 else f"{output}.{counts[output]}"
        found.append(Judged(name=name, term=number, output=output, field=field))
    return tuple(found)


def _side(term: LossTerm, port: str, kind: str) -> str:
    side, _, name = term.inputs.get(port, "").partition(".")
    return name if side == kind else ""


def _is_alike(term: LossTerm, code: Code) -> bool:
    entry = entry_of_key(EntryGroup.LOSS, term.loss.type, code)
    ports = () if entry is None else entry.inputs
    target = next((port for port in ports if port.name == "target"), None)
    return target is not None and (target.content is None or target.content in _ALIKE)


def follow_outputs(spec: RunSpec, renamed: Mapping[str, str]) -> RunSpec:
    """Return the specification with the outputs that its metrics name by their new names."""
    part, dot, measure = spec.checkpoint.monitor.partition(".")
    monitor = f"{part}{dot}{_followed(measure, renamed)}"
    return msgspec.structs.replace(
        spec,
        metrics=tuple(_followed(name, renamed) for name in spec.metrics),
        checkpoint=msgspec.structs.replace(spec.checkpoint, monitor=monitor),
    )


def _followed(metric: str, renamed: Mapping[str, str]) -> str:
    name, bare = split_metric(metric)
    output, dot, number = name.partition(".")
    return f"{renamed.get(output, output)}{dot}{number}:{bare}" if name else metric
