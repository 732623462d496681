"""The commands about a project as it stands: templates, check, code."""

from argparse import Namespace

from msgspec.structs import replace

from engine.files import confined
from engine.graph.block import BLOCK_OUTPUT, SEPARATOR, Path, entry_of, place_name
from engine.graph.inside import analysis_at, walk_nodes
from engine.graph.model import Graph, Node
from engine.graph.query import OUTPUT, incoming
from engine.graph.templates import templates as all_templates
from engine.project import Project
from engine.query.model.request import Check, CheckReport, GetSource
from engine.query.weights.request import ReportStart
from engine.runtime import CheckpointComparison
from engine.spec.custom_code import data_code
from engine.spec.weight_name import names_in_file
from studio.cli.asking import ask
from studio.cli.file_check import damaged_files
from studio.cli.output import amount, in_words, write, write_document, write_table
from studio.cli.trusting import trust_project
from studio.cli.wording import said
from studio.installation import language

_MOST_NAMES = 8


def templates(options: Namespace) -> int:
    """List what ``new --template`` takes."""
    found = all_templates()
    if options.json:
        documents = [
            {
                "name": info.name,
                "title": info.title_in("en"),
                "description": info.description_in("en"),
                "data": info.data_in("en"),
                "group": info.group,
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


def check(options: Namespace) -> int:
    """Tell shapes, parameters and problems."""
    project = Project.open(options.project)
    trust_project(project, options)
    report = ask(Check(graph=project.graph, spec=project.spec))
    if report.data is not None:
        data, code = project.spec.data, data_code(project.spec.data, project.graph.code)
        damaged = damaged_files(data, report.data, code, report.data.problems)
        report = replace(report, problems=(*report.problems, *damaged))
    weights = _weights(project, report)
    if options.json:
        write_document(_document(project, report) | _start_document(report, weights))
    else:
        _write_report(project, report)
        if weights is not None:
            _write_weights(weights)
    return 0 if report.is_ok() else 1


def _weights(project: Project, report: CheckReport) -> CheckpointComparison | None:
    """Return which weights of its file a run would begin with, where a file is named."""
    spec = project.spec
    if not spec.weights or not report.analysis.is_ok():
        return None
    file = confined(project.path, spec.weights)
    names = names_in_file(spec, project.graph)
    return ask(ReportStart(file=str(file), graph=project.graph, names=names))


def _start_document(report: CheckReport, weights: CheckpointComparison | None) -> dict[str, object]:
    """Return what there is to say about frozen parameters and a file of weights, if anything."""
    frozen = report.analysis.frozen
    found: dict[str, object] = {"frozen": frozen} if frozen else {}
    if weights is None:
        return found
    return found | {
        "weights": {
            "file": weights.file,
            "kept": [entry.name for entry in weights.matched],
            "new": list(weights.missing),
            "dropped": list(weights.unexpected),
            "other_shape": [entry.name for entry in weights.mismatched],
        }
    }


def _write_weights(weights: CheckpointComparison) -> None:
    others = [entry.name for entry in weights.mismatched]
    loaded = said("{count} {count|weight|weights} loaded", count=amount(weights.matching))
    write(f"\n{weights.file}: {loaded}")
    for title, names in (
        ("new (not in the file)", weights.missing),
        ("new (different shape in the file)", others),
        ("ignored (not in the model)", weights.unexpected),
    ):
        if names:
            more = f" (+{len(names) - _MOST_NAMES})" if len(names) > _MOST_NAMES else ""
            write(f"{len(names)} {said(title)}: {', '.join(names[:_MOST_NAMES])}{more}")


def code(options: Namespace) -> int:
    """Print the generated class."""
    project = Project.open(options.project)
    trust_project(project, options)
    write(ask(GetSource(graph=project.graph)).text.rstrip("\n"))
    return 0


def _document(project: Project, report: CheckReport) -> dict[str, object]:
    nodes = {
        SEPARATOR.join((*path, node.id)): {
            "type": node.type,
            "outputs": _outputs(level, path, node, report),
        }
        for path, level, node in walk_nodes(project.graph)
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


def _outputs(graph: Graph, path: Path, node: Node, report: CheckReport) -> list[dict[str, object]]:
    """Return the types of a node's outputs in the order of its ports (what arrives, at an Output);
    unknown ones left out.
    """
    known = analysis_at(report.analysis, path).nodes
    if node.type in (OUTPUT, BLOCK_OUTPUT):
        wires = ((known.get(e.source), e.source_port) for e in incoming(graph, node.id))
        types = [source.outputs.get(port) for source, port in wires if source is not None]
        return [{"shape": list(t.shape), "dtype": t.dtype} for t in types if t is not None]
    found = known[node.id].outputs if node.id in known else {}
    entry = entry_of(graph, node)
    ports = [port.name for port in entry.output_ports(node.params)] if entry else list(found)
    return [
        {"shape": list(found[port].shape), "dtype": found[port].dtype}
        for port in ports
        if port in found
    ]


def _write_report(project: Project, report: CheckReport) -> None:
    rows = [tuple(map(said, ("node", "type", "output", "parameters")))]
    for path, level, node in walk_nodes(project.graph):
        shapes = [
            f"{' x '.join(map(str, output['shape']))} {output['dtype']}"  # pyright: ignore[reportArgumentType]
            for output in _outputs(level, path, node, report)
        ]
        place = SEPARATOR.join((*path, node.id))
        found = report.analysis.nodes.get(place)
        count = f"{found.parameters:,}" if found is not None and found.parameters else ""
        name = place_name(project.graph, place)
        rows.append((name, node.type, ", ".join(shapes) or "?", count))
    write_table(rows)
    frozen = report.analysis.frozen
    counted = amount(report.analysis.parameters)
    told = said("{count} {count|parameter|parameters}", count=counted)
    if frozen:
        told = said("{count} parameters, {frozen} frozen", count=counted, frozen=amount(frozen))
    write(f"\n{told}")
    for problem in (*project.notices, *report.problems):
        where = place_name(project.graph, problem.node or "") or problem.field or said("project")
        write(f"{said(problem.severity)} {problem.code} [{where}] {in_words(problem)}")
