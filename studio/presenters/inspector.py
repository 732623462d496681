"""The selected node: its name, form, shapes, size and documentation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.catalog.text import entry_help, entry_label, entry_summary
from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.model import Graph, Node
from engine.graph.query import entry_of, incoming, input_ports, output_ports
from engine.spec.data import DataInfo
from studio.findings import Findings
from studio.i18n import translate
from studio.presenters.form import present_params
from studio.presenters.wording import count_text, tensor_text
from widgets.forms.view_model import FieldView, FormView, GroupView

_EMPTY_FORM = FormView(key="")


@dataclass(frozen=True, kw_only=True)
class InspectorView:
    """What the inspector shows. ``facts`` are pairs of a short label and a text."""

    key: str = ""
    name: str = ""
    type: str = ""
    category: str = ""
    summary: str = ""
    facts: tuple[tuple[str, str], ...] = ()
    form: FormView = _EMPTY_FORM
    documentation: str = ""
    is_editable: bool = False
    empty_text: str = ""


def present_inspector(
    graph: Graph,
    selection: Sequence[str],
    findings: Findings,
    language: str,
    rejected: Sequence[Diagnostic] = (),
) -> InspectorView:
    """Return the view of the selected node; without exactly one, facts about the model."""
    analysis = findings.analysis
    chosen = [graph.nodes[node_id] for node_id in selection if node_id in graph.nodes]
    if len(chosen) != 1:
        return _present_model(graph, chosen, analysis)
    node = chosen[0]
    entry = entry_of(node)
    if entry is None:
        text = translate(
            "Inspector",
            "This version of the program knows no layer of the type “{type}”. The node is kept as "
            "it is, but the model cannot run with it.",
        ).format(type=node.type)
        return InspectorView(
            key=node.id, name=node.name, type=node.type, summary=text, is_editable=True
        )
    own = [*rejected, *(p for p in findings.problems if p.node == node.id)]
    report = analysis.nodes.get(node.id)
    fields = present_params(
        entry,
        node.params,
        resolved=report.resolved if report else None,
        problems=own,
        language=language,
    )
    if node.type == "Input":
        fields = tuple(_with_data_fields(field, findings.data) for field in fields)
    return InspectorView(
        key=node.id,
        name=node.name,
        type=entry_label(entry, language),
        category=entry.category,
        summary=entry_summary(entry, language),
        facts=_facts(graph, node, analysis),
        form=FormView(
            key=node.id,
            groups=(GroupView(fields=fields),),
            empty_text=translate("Inspector", "This one has no settings."),
        ),
        documentation=entry_help(entry, language),
        is_editable=True,
    )


def _with_data_fields(field: FieldView, data: DataInfo | None) -> FieldView:
    """Offer the fields of the data where an Input names one."""
    if field.name != "field" or data is None:
        return field
    names = [info.name for info in data.fields]
    if field.text and field.text not in names:
        names.insert(0, field.text)
    choices = (("", translate("Inspector", "(none)")), *((name, name) for name in names))
    return replace(field, kind="choice", choices=choices)


def _present_model(graph: Graph, chosen: Sequence[Node], analysis: Analysis) -> InspectorView:
    if chosen:
        total = sum(
            report.parameters
            for node in chosen
            if (report := analysis.nodes.get(node.id)) is not None
        )
        title = translate("Inspector", "{count} selected").format(count=len(chosen))
    else:
        total = analysis.parameters
        title = translate("Inspector", "Model")
    facts = [
        (translate("Inspector", "Layers"), str(len(chosen or graph.nodes))),
        (translate("Inspector", "Parameters"), count_text(total)),
    ]
    return InspectorView(
        key="*",
        name=title,
        facts=tuple(facts),
        empty_text=translate(
            "Inspector",
            "Select a layer to see and change its settings. Tab or a double click on the canvas "
            "adds one; F1 shows the help for what is selected.",
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
        facts.append((f"→ {port.name}", tensor_text(tensor) if tensor else "?"))
    report = analysis.nodes.get(node.id)
    for port in output_ports(graph, node):
        tensor = report.outputs.get(port.name) if report else None
        facts.append((f"{port.name} →", tensor_text(tensor) if tensor else "?"))
    if report is not None and report.parameters:
        facts.append((translate("Inspector", "Parameters"), f"{report.parameters:,}"))
    if report is not None and report.buffers:
        facts.append((translate("Inspector", "Buffers"), f"{report.buffers:,}"))
    return tuple(facts)
