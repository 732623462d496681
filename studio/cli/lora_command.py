"""The command for low-rank blocks of a project's model (LoRA)."""

from argparse import Namespace
from fnmatch import fnmatchcase
from pathlib import Path

import msgspec
from msgspec.structs import replace

from engine.diagnostics import DiagnosticError
from engine.files import confined
from engine.graph.block import SEPARATOR, place_name
from engine.graph.edit.edits import apply
from engine.graph.edit.lora import (
    AddLora,
    LoraEdit,
    RemoveLora,
    frozen_rest,
    lora_paths,
    loras,
    with_rest_trained,
)
from engine.graph.expand import expand, place_of
from engine.graph.model import Graph
from engine.project import Project
from engine.project.weight_file import free_weights
from engine.query.lora.request import (
    CountTrained,
    LoadAdapter,
    LoraReport,
    MergeLora,
    SaveAdapter,
    WeightsSource,
)
from engine.runs.folder import find_run
from engine.spec.weight_name import follow_names, names_in_file
from studio.cli.asking import ask
from studio.cli.output import write, write_document
from studio.cli.parser import UsageError
from studio.cli.trusting import trust_project
from studio.cli.wording import said

_MOST_SHOWN = 8  # names of layers


def lora(options: Namespace) -> int:
    """Add low-rank blocks, take them away, merge them, or write and read an adapter file."""
    project = Project.open(options.project)
    trust_project(project, options)
    match options.action:
        case "add":
            _add(project, options)
        case "remove":
            _remove(project, options)
        case "merge":
            _merge(project, options)
        case "save":
            _save(project, options)
        case "unfreeze":
            _unfreeze(project, options)
        case _:
            _load(project, options)
    return 0


def _add(project: Project, options: Namespace) -> None:
    if not options.arguments:
        raise UsageError(
            said("add needs the names of layers or blocks, such as hidden or blocks.*")
        )
    rank = options.rank
    edit = AddLora(
        places=_places(project.graph, options.arguments),
        rank=rank,
        alpha=2.0 * rank if options.alpha is None else options.alpha,
        dropout=options.dropout,
        freeze_rest=not options.train_rest,
    )
    _edit(project, edit)
    count = ask(CountTrained(graph=project.graph))
    if options.json:
        write_document({"blocks": list(loras(project.graph)), **msgspec.to_builtins(count)})
        return
    write(f"LoRA: {', '.join(loras(project.graph))}")
    write(
        said(
            "{trained} of {total} parameters are trained",
            trained=f"{count.trained:,}",
            total=f"{count.total:,}",
        )
    )


def _remove(project: Project, options: Namespace) -> None:
    graph = project.graph
    places = _places(graph, options.arguments) if options.arguments else tuple(graph.nodes)
    before = set(loras(graph))
    _edit(project, RemoveLora(places=places))
    gone = sorted(before - set(loras(project.graph)))
    frozen = frozen_rest(project.graph)
    if options.json:
        write_document({"removed": gone, "frozen": list(frozen)})
    else:
        write(said("removed: {names}", names=", ".join(gone)))
        _tell_frozen(frozen, options)


def _edit(project: Project, edit: LoraEdit) -> None:
    after = apply(edit, project.graph)
    project.spec = follow_names(project.spec, project.graph, after, edit)
    project.graph = after
    _store(project)


def _merge(project: Project, options: Namespace) -> None:
    graph = project.graph
    name = free_weights(project.path, "merged")
    request = MergeLora(
        graph=graph,
        source=_source(project, options),
        modules=tuple(loras(graph)),
        target=str(project.path / name),
    )
    report = ask(request)
    project.graph = apply(RemoveLora(places=lora_paths(graph, tuple(graph.nodes))), graph)
    _start_from(project, name)
    frozen = frozen_rest(project.graph)
    text = said(
        "{blocks} {blocks|LoRA block|LoRA blocks} merged into the layers: {name}, from which the "
        "project starts now",
        blocks=report.blocks,
        name=name,
    )
    if options.json:
        write_document({**msgspec.to_builtins(report), "frozen": list(frozen)})
        return
    write(text)
    _tell_frozen(frozen, options)


def _tell_frozen(frozen: tuple[str, ...], options: Namespace) -> None:
    """Say which layers are not trained, and how they are: LoRA freezes them when it is added."""
    if not frozen:
        return
    shown = ", ".join((*frozen[:_MOST_SHOWN], *(["…"] if len(frozen) > _MOST_SHOWN else [])))
    text = said(
        "{count} {count|layer stays|layers stay} frozen: {names}. To train all layers again: "
        "{command}",
        count=len(frozen),
        names=shown,
        command=f"main.py lora {options.project} unfreeze",
    )
    write(text)


def _unfreeze(project: Project, options: Namespace) -> None:
    """Have all layers trained again, but for those inside of low-rank blocks."""
    before = frozen_rest(project.graph)
    project.graph = with_rest_trained(project.graph)
    _store(project)
    after = frozen_rest(project.graph)
    names = [name for name in before if name not in after]
    if options.json:
        write_document({"trained": names, "frozen": list(after)})
        return
    write(
        said(
            "{count} {count|layer is|layers are} trained again",
            count=len(names),
        )
    )


def _save(project: Project, options: Namespace) -> None:
    target = _file(options)
    source = _source(project, options)
    report = ask(SaveAdapter(graph=project.graph, source=source, target=str(target)))
    _tell(
        report,
        said(
            "{file}: {parameters} parameters of {blocks} {blocks|LoRA block|LoRA blocks}",
            file=str(target),
            parameters=f"{report.parameters:,}",
            blocks=report.blocks,
        ),
        options,
    )


def _load(project: Project, options: Namespace) -> None:
    name = free_weights(project.path, "adapted")
    request = LoadAdapter(
        graph=project.graph,
        source=_source(project, options),
        adapter=str(_file(options)),
        target=str(project.path / name),
    )
    report = ask(request)
    _start_from(project, name)
    text = said(
        "the pairs of {blocks} {blocks|LoRA block|LoRA blocks} are in {name}, from which the "
        "project starts now",
        blocks=report.blocks,
        name=name,
    )
    if not report.has_scales:
        text += said("; the file does not tell alpha, that of the model is used")
    _tell(report, text, options)


def _tell(report: LoraReport, text: str, options: Namespace) -> None:
    if options.json:
        write_document(msgspec.to_builtins(report))
    else:
        write(text)


def _file(options: Namespace) -> Path:
    if len(options.arguments) != 1:
        raise UsageError(said("{action} needs one adapter file", action=options.action))
    return Path(options.arguments[0]).absolute()


def _source(project: Project, options: Namespace) -> WeightsSource:
    if options.run:
        run = find_run(project.path, options.run)
        return WeightsSource(run_folder=str(run.path), checkpoint=options.checkpoint)
    if not project.spec.weights:
        raise DiagnosticError.of("R522")
    file = confined(project.path, project.spec.weights)
    return WeightsSource(file=str(file), names=names_in_file(project.spec, project.graph))


def _start_from(project: Project, weights: str) -> None:
    project.spec = replace(project.spec, weights=weights, renamed={})
    _store(project)


def _store(project: Project) -> None:
    refusal = project.claim()
    try:
        if refusal is not None:
            raise DiagnosticError(refusal)
        project.save()
    finally:
        project.release()


def _places(graph: Graph, patterns: list[str]) -> tuple[str, ...]:
    """Return the paths of the layers and blocks that patterns name, without numbers of copies."""
    known: dict[str, str] = {}
    for path in expand(graph).graph.nodes:
        parts = place_of(path).split(SEPARATOR)
        for depth in range(1, len(parts) + 1):
            place = SEPARATOR.join(parts[:depth])
            known.setdefault(place_name(graph, place).replace(SEPARATOR, "."), place)
    found = {
        place: None
        for pattern in patterns
        for name, place in known.items()
        if fnmatchcase(name, pattern)
    }
    if not found:
        raise UsageError(
            said(
                "no layer is called {names}: {known}",
                names=", ".join(patterns),
                known=", ".join(list(known)[:8]),
            )
        )
    return tuple(found)
