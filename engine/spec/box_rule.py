"""Rules for models that find boxes: their outputs beside the classes of the data."""

from collections.abc import Iterator

from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import Analysis
from engine.graph.block import SEPARATOR, Path
from engine.graph.code import code_symbol
from engine.graph.inside import walk_nodes
from engine.graph.model import Graph, Node
from engine.graph.query import incoming
from engine.spec.data import DataInfo
from engine.spec.defaults import has_boxes
from engine.spec.output import FOUND, MODEL_OUTPUT, ModelOutput, model_outputs
from engine.spec.run import LossTerm, RunSpec

_BEFORE_CLASSES = {"fcos_loss": 11, "retinanet_loss": 10, "ssd_loss": 11}
"""Numbers of an anchor's answers that are no classes of the data, by the loss that looks at them:
the anchor (6), how it is moved (4), and for FCOS the centre, for SSD the background."""
_PROPOSED = "RegionBoxes"
_COUNTING = ("SSDBoxes", _PROPOSED, "RegionMasks")
_FIRST = "first_label"


def check_boxes(
    spec: RunSpec, graph: Graph, analysis: Analysis, info: DataInfo | None
) -> Iterator[Diagnostic]:
    """Yield what does not go together where boxes are to be found."""
    if info is None or not has_boxes(info):
        return
    outputs = model_outputs(graph, analysis)
    missing = [name for name in FOUND if name not in outputs]
    if outputs and missing:
        names = ", ".join(missing)
        yield Diagnostic(
            code="R079", severity=Severity.WARNING, field="metrics", params={"outputs": names}
        )
    classes = max((len(field.classes) for field in info.fields), default=0)
    for index, term in enumerate(spec.losses):
        yield from _check_classes(f"losses.{index}", term, outputs, classes)
    yield from _check_heads(graph, analysis, classes)
    yield from _check_numbering(spec, graph)


def _check_classes(
    name: str, term: LossTerm, outputs: dict[str, ModelOutput], classes: int
) -> Iterator[Diagnostic]:
    """Yield a model that knows fewer classes than the data have."""
    symbol = code_symbol(term.loss.type)
    others = None if symbol is None else _BEFORE_CLASSES.get(symbol.name)
    output = outputs.get(term.inputs.get("answers", "").removeprefix("model."))
    width = output.type.shape[-1] if output is not None and output.type is not None else None
    if others is None or not isinstance(width, int) or width - others >= classes:
        return
    yield Diagnostic(
        code="R081",
        field=f"{name}.inputs.answers",
        node=None if output is None else output.source,
        params={"classes": classes, "known": max(width - others, 0)},
    )


def _check_heads(graph: Graph, analysis: Analysis, classes: int) -> Iterator[Diagnostic]:
    """Yield what looks at proposals for fewer classes than the data have."""
    for path, level, node in _of_symbols(graph, (_PROPOSED,)):
        edge = next(
            (each for each in incoming(level, node.id) if each.target_port == "logits"), None
        )
        report = None if edge is None else analysis.nodes.get(SEPARATOR.join((*path, edge.source)))
        logits = None if edge is None or report is None else report.outputs.get(edge.source_port)
        width = None if logits is None else logits.shape[-1]
        if not isinstance(width, int) or width - 1 >= classes:
            continue
        yield Diagnostic(
            code="R081",
            node=SEPARATOR.join((*path, node.id)),
            params={"classes": classes, "known": max(width - 1, 0)},
        )


def _check_numbering(spec: RunSpec, graph: Graph) -> Iterator[Diagnostic]:
    """Yield a model that counts the background as a class, which the data do not."""
    symbols = [code_symbol(term.loss.type) for term in spec.losses]
    is_learnt = any(symbol is not None and symbol.name in _BEFORE_CLASSES for symbol in symbols)
    if not is_learnt and all(term.loss.type != MODEL_OUTPUT for term in spec.losses):
        return
    for path, _, node in _of_symbols(graph, _COUNTING):
        if node.params.get(_FIRST, 1) == 0:
            continue
        yield Diagnostic(
            code="R080",
            severity=Severity.WARNING,
            node=SEPARATOR.join((*path, node.id)),
            field=_FIRST,
            params={"name": node.name},
        )


def _of_symbols(graph: Graph, names: tuple[str, ...]) -> Iterator[tuple[Path, Graph, Node]]:
    """Yield the nodes of own code of some names, also in blocks, with where they are."""
    for path, level, node in walk_nodes(graph):
        symbol = code_symbol(node.type)
        if symbol is not None and symbol.name in names:
            yield path, level, node
