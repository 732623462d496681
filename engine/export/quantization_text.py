"""Quantization-aware training as text of the exported training class."""

from collections.abc import Mapping

from engine.export.job import ExportJob
from engine.export.library_text import Library
from engine.export.source_parts import SourceParts
from engine.export.technique_text import TechniqueText
from engine.spec.group import patterns
from engine.spec.run import RunSpec
from engine.syntax.format import INDENT, Expression, call, keyword, statement, tuple_of
from engine.train.technique.quantization import has_ranges, trained_bits

_MODULE = "engine.train.technique.fake_quantization"
_UPDATE = f"\n{INDENT * 2}self.quantization.update()"


def with_quantization(text: TechniqueText, spec: RunSpec, library: Library) -> TechniqueText:
    """Return the parts of techniques with those that round; the class that does it is written by
    ``library``.
    """
    chosen = spec.quantization
    if not chosen.bits:
        return text
    skip: list[Expression] = [f'"{each}"' for each in patterns(chosen.skip)]
    settings: list[Expression] = [
        "self",
        keyword("bits", str(chosen.bits)),
        keyword("activations", str(chosen.activations)),
        keyword("rate", str(chosen.rate)),
        *([keyword("skip", tuple_of(skip))] if skip else []),
    ]
    made = call(library.name(_MODULE, "FakeQuantization"), settings)
    before = ""
    if chosen.start:
        before += f"\n{INDENT * 3}self.quantization.is_on = epoch >= {chosen.start}"
    if chosen.freeze:
        before += f"\n{INDENT * 3}self.quantization.is_observing = epoch < {chosen.freeze}"
    return text._replace(
        released=(*text.released, *statement("self.quantization = ", made, depth=2)),
        counted=text.counted + _UPDATE,
        before_steps=text.before_steps + before,
        epoch="epoch" if before else text.epoch,
    )


def ranges_text(job: ExportJob, source: SourceParts) -> str:
    """Return the ranges that the run measured as a constant; nothing for a run without."""
    state = job.quantization
    if not state or not has_ranges(state["ranges"]):
        return ""
    lines = [
        f"\n{source.names['RANGES']} = {{",
        f'{INDENT}"ranges": {{',
        *(f'{INDENT * 2}"{name}": ({low}, {high}),' for name, (low, high) in _rows(state)),
        f"{INDENT}}},",
        f'{INDENT}"is_on": {bool(state["is_on"])},',
        f'{INDENT}"is_observing": {bool(state["is_observing"])},',
        f'{INDENT}"bits": {trained_bits(state, job.spec.quantization.bits)},',
        "}\n",
    ]
    return "\n".join(lines)


def _rows(state: Mapping[str, object]) -> list[tuple[str, tuple[float, float]]]:
    ranges = state["ranges"]
    assert has_ranges(ranges)
    return list(ranges.items())
