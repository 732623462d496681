"""Paints of the freeze brush, what they save, and the look of painted nodes."""

from dataclasses import replace

from engine.graph.analysis import Analysis
from engine.graph.block import Path
from engine.graph.model import Graph
from engine.query.memory.request import FreezingReport
from engine.spec.painting import FROZEN, REST, group_of_module, paintable, rate_of
from engine.spec.phase import phase_list
from engine.spec.phase_painting import PHASE, phase_of_module, phase_paints, rate_of_phase
from engine.spec.run import RunSpec
from studio.i18n import translate
from studio.view.phase import phase_title
from studio.view.status import optimizer_states, training_memory
from studio.view.wording import count_text, size_text
from widgets.canvas.brush_bar import BrushView, PaintView
from widgets.canvas.view_model import CanvasView, NodeView

_FROZEN_COLOR, _REST_COLOR = "gray", "yellow"
_COLORS = ("green", "blue", "orange", "purple", "teal", "pink", "red")


def present_brush(
    spec: RunSpec,
    analysis: Analysis,
    chosen: int,
    *,
    can_paint: bool,
    freezing: FreezingReport | None = None,
) -> BrushView:
    """Return the paints, the one that is chosen and what is saved so far: ``freezing`` where a step
    was counted.
    """
    return BrushView(
        paints=(_frozen(), _rest(spec), *_groups(spec), _new(len(spec.groups) + 1), *_phases(spec)),
        chosen=chosen,
        rate=_rate(spec, chosen),
        can_paint=can_paint,
        summary=_summary(spec, analysis, freezing),
    )


def _frozen() -> PaintView:
    return PaintView(
        key=FROZEN,
        title=translate("Brush", "Frozen"),
        help=translate("Brush", "The weights do not change: no gradients and no optimizer state."),
        color=_FROZEN_COLOR,
    )


def _rest(spec: RunSpec) -> PaintView:
    return PaintView(
        key=REST,
        title=translate("Brush", "Trainable"),
        help=translate("Brush", "Trained with the settings of {optimizer}.").format(
            optimizer=spec.optimizer.type
        ),
        color=_REST_COLOR,
    )


def _groups(spec: RunSpec) -> tuple[PaintView, ...]:
    return tuple(
        PaintView(
            key=index,
            title=group_title(spec, index),
            help=translate("Brush", "A parameter group with its own settings: {names}").format(
                names=group.match
            ),
            color=_color(index),
        )
        for index, group in enumerate(spec.groups, 1)
    )


def _new(key: int) -> PaintView:
    return PaintView(
        key=key,
        title=translate("Brush", "New group"),
        help=translate(
            "Brush",
            "The next stroke creates a parameter group with a tenth of the learning rate, "
            "which you can change.",
        ),
    )


def _phases(spec: RunSpec) -> tuple[PaintView, ...]:
    rules = phase_list(spec)
    return tuple(
        PaintView(
            key=paint,
            title=phase_title(rules, paint - PHASE),
            help=_phase_help(rules[paint - PHASE].match),
            color=_color(paint - PHASE + 1),
        )
        for paint in phase_paints(spec)
    )


def _phase_help(match: str) -> str:
    if not match:
        return translate("Brush", "This phase trains the layers that the others leave.")
    return translate("Brush", "This phase trains {names}.").format(names=match)


def _rate(spec: RunSpec, paint: int) -> float | None:
    """Return the learning rate of a paint; None where it has none of its own."""
    if paint >= PHASE:
        return rate_of_phase(spec, paint - PHASE)
    return rate_of(spec, paint) if REST <= paint <= len(spec.groups) else None


def group_title(spec: RunSpec, index: int) -> str:
    """Return what a group is called in the bar and on its nodes."""
    rate = rate_of(spec, index)
    if rate is None:
        return translate("Brush", "Group {number}").format(number=index)
    return translate("Brush", "Group {number}: {rate}").format(number=index, rate=f"{rate:g}")


def _color(paint: int) -> str:
    return _COLORS[(paint - 1) % len(_COLORS)]


def _summary(spec: RunSpec, analysis: Analysis, freezing: FreezingReport | None) -> str:
    total = analysis.parameters
    if not total:
        return ""
    trained, states = total - analysis.frozen, optimizer_states(spec)
    needed = training_memory(total, trained, states)
    saved = training_memory(total, total, states) - needed
    text = translate("Brush", "{trained} of {total} parameters trainable · {memory}")
    shown = text.format(
        trained=count_text(trained), total=count_text(total), memory=f"≈ {size_text(needed)}"
    )
    if not saved:
        return shown
    if freezing is not None:
        told = translate("Brush", "a step saves {memory} of memory and {share} of computation")
        memory = size_text(freezing.saved_memory)
        return f"{shown} · " + told.format(memory=memory, share=f"{freezing.saved_flops:.0%}")
    return f"{shown} · " + translate(
        "Brush", "saves {saved} of gradients and optimizer state"
    ).format(saved=size_text(saved))


def in_paints(
    view: CanvasView, graph: Graph, level: Graph, spec: RunSpec, path: Path, *, in_phases: bool
) -> CanvasView:
    """Return the view of a level with its nodes in their paints, those of the phases or those of
    the groups; what uses the weights of another one is in its paint, what has none is plain.
    """
    rules = phase_list(spec)
    frozen = {node.id for node in view.nodes if node.is_frozen}

    def show(node: NodeView) -> NodeView:
        owners = paintable(level, (node.id,))
        if not owners:
            return replace(node, color="")
        place = (*path, owners[0])
        if owners[0] in frozen:
            return replace(node, color=_FROZEN_COLOR, subtitle=translate("Brush", "Frozen"))
        if in_phases:
            phase = phase_of_module(graph, spec, place)
            if phase is None:
                return replace(node, color="")
            return replace(node, color=_color(phase + 1), subtitle=phase_title(rules, phase))
        group = group_of_module(graph, spec, place)
        if not group:
            return replace(node, color=_REST_COLOR)
        return replace(node, color=_color(group), subtitle=group_title(spec, group))

    return replace(view, nodes=tuple(map(show, view.nodes)))
