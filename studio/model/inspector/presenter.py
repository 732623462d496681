"""View of the selected node: its name, form, shapes, size and documentation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.catalog.spec import Entry
from engine.catalog.text import entry_help, entry_label, entry_summary
from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis, TensorType
from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT, block_name, entry_of
from engine.graph.einsum import legend, read_equation
from engine.graph.model import Graph, Node
from engine.graph.query import INPUT, incoming, input_ports, outgoing, output_ports, variadic_index
from engine.spec.data import DataInfo
from studio.i18n import translate
from studio.model.block.presenter import present_block, present_definition, present_repeat
from studio.model.block.sharing import present_sharing
from studio.model.inspector.kernel import present_kernel
from studio.session.findings import Findings
from studio.view.form import present_params
from studio.view.wording import count_text, tensor_text
from widgets.forms.view_model import FieldView, FormView, GroupView
from widgets.images.sliding_window import WindowView

_EMPTY_FORM = FormView(key="")
_PORTS = (BLOCK_INPUT, BLOCK_OUTPUT)
_RECURRENT = ("RNN", "LSTM", "GRU")
_SEQUENCE_AXES = 3  # batch, time and features


@dataclass(frozen=True, kw_only=True)
class InspectorView:
    """What the inspector shows. ``facts`` are pairs of a short label and a text; ``note`` is a
    sentence below them; ``scattered`` is the output whose numbers do not lie one after the other
    and could be put in order.
    """

    key: str = ""
    name: str = ""
    type: str = ""
    category: str = ""
    summary: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    note: str = ""
    form: FormView = _EMPTY_FORM
    documentation: str = ""
    kernel: WindowView | None = None
    is_editable: bool = False
    scattered: str = ""
    empty_text: str = ""


def present_inspector(
    graph: Graph,
    selection: Sequence[str],
    findings: Findings,
    language: str,
    rejected: Sequence[Diagnostic] = (),
    *,
    inside: str = "",
) -> InspectorView:
    """Return the view of the selected node; without exactly one, facts about the model, or about
    the block that the graph is the inside of.
    """
    chosen = [graph.nodes[node_id] for node_id in selection if node_id in graph.nodes]
    if not chosen and inside in graph.blocks:
        return _present_inside(graph, inside, findings, rejected, language)
    if len(chosen) != 1:
        return _present_model(graph, chosen, findings.analysis)
    node = chosen[0]
    entry = entry_of(graph, node)
    if entry is None:
        text = translate(
            "Inspector",
            "This version of Trellis does not support the layer type “{type}”. The node is "
            "kept, but the model cannot run with it.",
        ).format(type=node.type)
        return InspectorView(
            key=node.id, name=node.name, type=node.type, summary=text, is_editable=True
        )
    own = [*rejected, *(p for p in findings.problems if p.node == node.id)]
    return InspectorView(
        key=node.id,
        name=node.name,
        type=_type_text(entry, node, language),
        category=entry.category,
        summary=entry_summary(entry, language),
        facts=_facts(graph, node, findings.analysis),
        note=_note(graph, node, entry, findings.analysis),
        form=_form(graph, node, findings, own, language),
        documentation=entry_help(entry, language),
        kernel=_kernel(graph, node, findings.analysis),
        scattered=_scattered(graph, node, findings.analysis),
        is_editable=True,
    )


def _form(
    graph: Graph,
    node: Node,
    findings: Findings,
    problems: Sequence[Diagnostic],
    language: str,
) -> FormView:
    entry = entry_of(graph, node)
    assert entry is not None
    report = findings.analysis.nodes.get(node.id)
    sharing = present_sharing(graph, node, problems, language)
    if node.shares:  # its settings are those of the other one
        return FormView(key=node.id, groups=sharing)
    fields = present_params(
        entry,
        node.params,
        resolved=report.resolved if report else None,
        problems=problems,
        language=language,
    )
    if node.type == "Input":
        fields = tuple(_with_data_fields(field, findings.data) for field in fields)
    if node.type == "permute":
        tensor = _arriving(graph, node, findings.analysis)
        axes = tuple(map(str, tensor.shape)) if tensor else ()
        fields = tuple(replace(field, axes=axes) for field in fields)
    return FormView(
        key=node.id,
        groups=(
            GroupView(fields=fields),
            *present_block(graph, node, problems, language),
            *present_repeat(node, entry, problems, language),
            *sharing,
        ),
        empty_text=translate("Inspector", "This node has no settings."),
    )


def _arriving(graph: Graph, node: Node, analysis: Analysis) -> TensorType | None:
    """Return what arrives by the first wire, None while it is unknown."""
    edges = incoming(graph, node.id)
    source = analysis.nodes.get(edges[0].source) if edges else None
    return source.outputs.get(edges[0].source_port) if source else None


def _note(graph: Graph, node: Node, entry: Entry, analysis: Analysis) -> str:
    """Return what one should know of a node beyond its shapes: of an Input that nobody has to
    think of the batch axis, of a recurrent layer that its memory grows with the sequence.
    """
    if entry.key == INPUT:
        return translate(
            "Inspector",
            "The batch axis N is added automatically. A single sample is a batch of size 1.",
        )
    tensor = _arriving(graph, node, analysis) if entry.key in _RECURRENT else None
    if tensor is None or len(tensor.shape) < _SEQUENCE_AXES:
        return ""
    owner = graph.nodes.get(node.shares, node)
    steps = tensor.shape[1 if entry.value(owner.params, "batch_first") else 0]
    return translate(
        "Inspector",
        "Training keeps the states of all {steps} time steps for backpropagation through "
        "time (BPTT), so memory grows linearly with their number. See Inspect, Memory for "
        "details.",
    ).format(steps=steps)


def _type_text(entry: Entry, node: Node, language: str) -> str:
    label = entry_label(entry, language)
    return translate("Inspector", "Block {name}").format(name=label) if block_name(node) else label


def _with_data_fields(field: FieldView, data: DataInfo | None) -> FieldView:
    """Offer the fields of the data where an Input names one."""
    if field.name != "field" or data is None:
        return field
    names = [info.name for info in data.fields]
    if field.text and field.text not in names:
        names.insert(0, field.text)
    choices = (("", translate("Inspector", "(none)")), *((name, name) for name in names))
    return replace(field, kind="choice", choices=choices)


def _present_inside(
    graph: Graph, name: str, findings: Findings, problems: Sequence[Diagnostic], language: str
) -> InspectorView:
    """Return the view of the block that one is inside of: its name and what holds for all uses."""
    block = graph.blocks[name]
    count = len([node for node in block.nodes.values() if node.type not in _PORTS])
    return InspectorView(
        key=f"*{name}",
        name=name,
        type=translate("Inspector", "Inside the block {name}").format(name=name),
        category="Block",
        summary=block.note,
        facts=(
            (translate("Inspector", "Layers"), str(count)),
            (translate("Inspector", "Parameters"), count_text(findings.analysis.parameters)),
        ),
        form=FormView(key=f"*{name}", groups=present_definition(graph, name, problems, language)),
        documentation=block.note,
        is_editable=True,
    )


def _present_model(graph: Graph, chosen: Sequence[Node], analysis: Analysis) -> InspectorView:
    if chosen:
        total = sum(
            report.parameters
            for node in chosen
            if (report := analysis.nodes.get(node.id)) is not None
        )
        still = sum(analysis.nodes[n.id].frozen for n in chosen if n.id in analysis.nodes)
        title = translate("Inspector", "{count} selected").format(count=len(chosen))
    else:
        total, still = analysis.parameters, analysis.frozen
        title = translate("Inspector", "Model")
    facts = [(translate("Inspector", "Layers"), str(len(chosen or graph.nodes)))]
    if analysis.nodes:  # nothing is known before the first answer
        facts.append((translate("Inspector", "Parameters"), count_text(total)))
    if still:
        facts.append((translate("Inspector", "Frozen"), count_text(still)))
        facts.append((translate("Inspector", "Trainable"), count_text(total - still)))
    return InspectorView(
        key="*",
        name=title,
        facts=tuple(facts),
        empty_text=translate(
            "Inspector",
            "Select a layer to view and change its settings. Press Tab or double-click the "
            "canvas to add one. Press F1 for help on the selection.",
        ),
    )


def _facts(graph: Graph, node: Node, analysis: Analysis) -> tuple[tuple[str, str], ...]:
    facts: list[tuple[str, str]] = []
    edges = {edge.target_port: edge for edge in incoming(graph, node.id)}
    for port in input_ports(graph, node):
        edge = edges.get(port.name)
        if edge is None:
            if port.required:
                facts.append((port.name, translate("Inspector", "not connected")))
            continue
        source = analysis.nodes.get(edge.source)
        tensor = source.outputs.get(edge.source_port) if source else None
        facts.append((f"→ {port.name}", _tensor_text(tensor)))
        if tensor is not None:
            facts += _letters(node, port.name, tensor)
    report = analysis.nodes.get(node.id)
    for port in output_ports(graph, node):
        tensor = report.outputs.get(port.name) if report else None
        facts.append((f"{port.name} →", _tensor_text(tensor)))
        if tensor is not None:
            facts += _letters(node, port.name, tensor)
    if report is not None and report.parameters:
        facts.append((translate("Inspector", "Parameters"), f"{report.parameters:,}"))
    if report is not None and report.frozen:
        facts.append((translate("Inspector", "Frozen"), f"{report.frozen:,}"))
    if report is not None and report.buffers:
        facts.append((translate("Inspector", "Buffers"), f"{report.buffers:,}"))
    return tuple(facts)


def _kernel(graph: Graph, node: Node, analysis: Analysis) -> WindowView | None:
    """Return how the kernel of a layer slides over what arrives."""
    entry, report = entry_of(graph, node), analysis.nodes.get(node.id)
    if entry is None or report is None:
        return None
    arriving = _arriving(graph, node, analysis)
    return present_kernel(entry, node, arriving, next(iter(report.outputs.values()), None))


def _scattered(graph: Graph, node: Node, analysis: Analysis) -> str:
    """Return the first output that is not contiguous and is not made so by what follows it."""
    report = analysis.nodes.get(node.id)
    for port, tensor in report.outputs.items() if report else ():
        after = [
            graph.nodes[edge.target].type
            for edge in outgoing(graph, node.id)
            if edge.source_port == port and edge.target in graph.nodes
        ]
        is_mended = after and all(key == "contiguous" for key in after)
        if not tensor.is_contiguous and not is_mended:
            return port
    return ""


def _tensor_text(tensor: TensorType | None) -> str:
    if tensor is None:
        return "?"
    text = tensor_text(tensor)
    if tensor.is_contiguous:
        return text
    return translate("Inspector", "{tensor}, not contiguous").format(tensor=text)


def _letters(node: Node, port: str, tensor: TensorType) -> list[tuple[str, str]]:
    """Return which letter of an einsum stands for which axis at a port."""
    found = read_equation(str(node.params.get("equation", ""))) if node.type == "einsum" else None
    if found is None:
        return []
    place = variadic_index(port, "operands")
    groups = (found.result,) if place is None else found.operands[place : place + 1]
    return [(letters, legend(letters, tensor.shape)) for letters in groups]
