"""What a new project for data is, in a few lines or as a document."""

from pathlib import Path

import msgspec

from engine.catalog.registry import catalog
from engine.catalog.spec import EntryGroup
from engine.catalog.text import entry_label
from engine.diagnostics import Diagnostic, Severity, shortened
from engine.graph.model import Graph
from engine.query.model.request import Analyse
from engine.spec.data import DataInfo, FieldInfo
from engine.spec.proposal import ModelSize, Proposal
from studio.cli.asking import ask
from studio.cli.output import amount, in_line, in_words, padded, write, write_document
from studio.cli.wording import said
from studio.installation import language

_SHOWN = 8  # names of a list
FIELD_KINDS = {
    "image": "image",
    "sound": "sound",
    "video": "video",
    "vector": "vector",
    "scalar": "scalar",
    "class": "class",
    "point": "point",
    "sequence": "sequence",
    "categories": "categories",
    "mask": "mask",
    "boxes": "bounding boxes",
    "box_classes": "classes of boxes",
    "box_masks": "masks of boxes",
    "lengths": "lengths of texts",
    "padding_mask": "padding mask",
}
"""What kinds of fields are called."""

ROLES = {"input": "input", "target": "target", "weight": "weight"}
"""What fields are for."""


def write_proposal(folder: Path, proposal: Proposal, size: ModelSize) -> None:
    """Write what was proposed, and what comes next; the path of the project stands first, alone."""
    info, spec = proposal.info, proposal.spec
    entry = catalog().entry(EntryGroup.DATA, info.source)
    source = info.source if entry is None else entry_label(entry, language())
    rows = [
        (
            said("source"),
            said(
                "{source}, {count} {count|sample|samples}",
                source=source,
                count=amount(info.samples),
            ),
        )
    ]
    rows += [
        (said(ROLES[each.role]), _field_text(each, proposal))
        for each in info.fields
        if not _is_copy(each, info)
    ]
    left_out = [f"{each.name} ({each.kind})" for each in proposal.table if each.role == "ignored"]
    if left_out:
        rows.append((said("left out"), shortened(left_out, _SHOWN)))
    rows.append((said("split"), _split_text(spec.data.split.kind, info)))
    if proposal.graph is not None:
        rows.append((said("model"), _model_text(proposal.graph, size)))
    losses = ", ".join(term.loss.type for term in spec.losses)
    if losses:
        rows.append((said("loss"), losses))
        training = said(
            "{optimizer}, {count} {count|epoch|epochs}, batches of {size}",
            optimizer=spec.optimizer.type,
            count=amount(spec.epochs),
            size=spec.data.batch_size,
        )
        rows.append((said("training"), training))
    write(str(folder))
    has_errors = any(each.severity is Severity.ERROR for each in info.problems)
    following = "train" if proposal.graph is not None and not has_errors else "check"
    rows.append((said("next"), f"main.py {following} {_quoted(folder)}"))
    for title, text in rows:
        write(f"  {padded(title, 9)} {text}")


def write_proposal_document(
    folder: Path, proposal: Proposal, problems: tuple[Diagnostic, ...]
) -> None:
    """Write what was proposed as a JSON document."""
    spec = proposal.spec
    write_document(
        {
            "project": str(folder),
            "source": msgspec.to_builtins(spec.data.source),
            "samples": proposal.info.samples,
            "fields": msgspec.to_builtins(proposal.info.fields),
            "columns": msgspec.to_builtins(proposal.table),
            "target": proposal.target,
            "split": {"kind": spec.data.split.kind}
            | {part.name: part.samples for part in proposal.info.splits},
            "parameters": None
            if proposal.graph is None
            else ask(Analyse(graph=proposal.graph)).parameters,
            "losses": [term.loss.type for term in spec.losses],
            "optimizer": spec.optimizer.type,
            "epochs": spec.epochs,
            "batch_size": spec.data.batch_size,
            "problems": [
                {
                    "code": problem.code,
                    "severity": str(problem.severity),
                    "field": problem.field,
                    "message": in_words(problem),
                }
                for problem in problems
            ],
        }
    )


def _model_text(graph: Graph, size: ModelSize) -> str:
    return said(
        "{size}, {nodes} {nodes|node|nodes}, {count} {count|parameter|parameters}"
        " (--size {other} for the other one)",
        size=size,
        nodes=amount(len(graph.nodes)),
        count=amount(ask(Analyse(graph=graph)).parameters),
        other="large" if size == "small" else "small",
    )


def _field_text(field: FieldInfo, proposal: Proposal) -> str:
    is_own = field.role == "target" and not field.columns and bool(proposal.target)
    name = in_line(proposal.target) if is_own else field.name
    shape = " x ".join("?" if size < 0 else str(size) for size in field.shape)
    parts = [said(FIELD_KINDS[field.kind]), *([shape] if shape else [])]
    names = [in_line(each) for each in field.classes or field.columns]
    if field.classes:
        parts.append(said("{count} {count|class|classes}", count=amount(len(field.classes))))
    told = f"{name} ({', '.join(parts)})"
    return f"{told}: {shortened(names, _SHOWN)}" if names else told


def _is_copy(field: FieldInfo, info: DataInfo) -> bool:
    """Return whether a field is the one target, of two classes, once more as 0.0 and 1.0, which
    some losses want.
    """
    has_two = any(each.role == "target" and len(each.classes) == 2 for each in info.fields)
    is_number = field.role == "target" and field.shape == (1,)
    return has_two and is_number and not (field.classes or field.columns)


def _split_text(kind: str, info: DataInfo) -> str:
    parts = ", ".join(f"{part.name} {part.samples:,}" for part in info.splits)
    return f"{kind}: {parts}" if parts else kind


def _quoted(folder: Path) -> str:
    text = str(folder)
    return f'"{text}"' if " " in text else text
