"""The commands about a project as it stands: templates, new, check, code."""

from argparse import Namespace

from engine import runtime
from engine.catalog.registry import catalog
from engine.graph.model import Graph, Node
from engine.graph.query import OUTPUT, incoming
from engine.graph.templates import templates as all_templates
from engine.project import Project
from engine.runtime import CheckReport
from studio.cli.output import in_words, write, write_document, write_table
from studio.guard import language


def templates(options: Namespace) -> int:
    """List what ``new --template`` takes."""
    found = all_templates()
    if options.json:
        documents = [
            {
                "name": info.name,
                "title": info.title_in("en"),
                "description": info.description_in("en"),
                "task": info.task,
                "minutes": info.minutes,
            }
            for info in found
        ]
        write_document({"templates": documents})
    else:
        for info in found:
            write(f"{info.name:20} {info.title_in(language())}")
    return 0


def new(options: Namespace) -> int:
    """Make a project folder."""
    project = Project.create(options.project, options.template)
    write(str(project.path))
    return 0


def check(options: Namespace) -> int:
    """Tell shapes, parameters and problems."""
    project = Project.open(options.project)
    report = runtime.check(project.graph, project.spec)
    if options.json:
        write_document(_document(project, report))
    else:
        _write_report(project, report)
    return 0 if report.is_ok() else 1


def code(options: Namespace) -> int:
    """Print the generated class."""
    write(runtime.source(Project.open(options.project).graph).text.rstrip("\n"))
    return 0


def _document(project: Project, report: CheckReport) -> dict[str, object]:
    nodes = {
        node.id: {"type": node.type, "outputs": _outputs(project.graph, node, report)}
        for node in project.graph.nodes.values()
    }
    problems = [
        {
            "code": problem.code,
            "severity": str(problem.severity),
            "node": problem.node,
            "field": problem.field,
            "message": in_words(problem),
        }
        for problem in (*project.notices, *report.problems)
    ]
    return {
        "ok": report.is_ok(),
        "parameters": report.analysis.parameters,
        "nodes": nodes,
        "problems": problems,
    }


def _outputs(graph: Graph, node: Node, report: CheckReport) -> list[dict[str, object]]:
    """Return the types of a node's outputs in the order of its ports (what arrives, at an Output);
    unknown ones left out.
    """
    if node.type == OUTPUT:
        wires = ((report.analysis.nodes[e.source], e.source_port) for e in incoming(graph, node.id))
        types = [source.outputs.get(port) for source, port in wires]
        return [{"shape": list(t.shape), "dtype": t.dtype} for t in types if t is not None]
    found = report.analysis.nodes[node.id].outputs
    entry = catalog().node(node.type)
    ports = [port.name for port in entry.output_ports(node.params)] if entry else list(found)
    return [
        {"shape": list(found[port].shape), "dtype": found[port].dtype}
        for port in ports
        if port in found
    ]


def _write_report(project: Project, report: CheckReport) -> None:
    rows = [("node", "type", "output", "parameters")]
    for node in project.graph.nodes.values():
        shapes = [
            f"{' x '.join(map(str, output['shape']))} {output['dtype']}"  # pyright: ignore[reportArgumentType]
            for output in _outputs(project.graph, node, report)
        ]
        count = report.analysis.nodes[node.id].parameters
        rows.append((node.name, node.type, ", ".join(shapes) or "?", f"{count:,}" if count else ""))
    write_table(rows)
    write(f"\n{report.analysis.parameters:,} parameters")
    for problem in (*project.notices, *report.problems):
        node = project.graph.nodes.get(problem.node or "")
        where = node.name if node else problem.field or "project"
        write(f"{problem.severity} {problem.code} [{where}] {in_words(problem)}")
