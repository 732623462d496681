"""Examining a model and its data before a run, or a checkpoint after: on a copy, nothing is kept.

The checks that are tried are those of "A Recipe for Training Neural Networks" (Karpathy, 2019):
the loss at the beginning, one batch learned by heart, no way from one sample to another.
"""

import dataclasses
import time
from collections.abc import Sequence
from itertools import combinations, islice
from pathlib import Path

import torch
from msgspec.structs import replace
from torch import Tensor

from engine.archive.weights import start_from
from engine.data.load.load import LoadedData
from engine.data.source.sample_digest import sample_digests
from engine.data.source.source import Part
from engine.diagnostics import OF_PHASE as OF_PHASE_NAME
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.files import confined
from engine.graph.block import SEPARATOR, block_of, body, place_name
from engine.graph.model import Graph
from engine.inspect.node_path import NodePaths
from engine.inspect.origin import error_origin
from engine.model.module import to_module
from engine.query.doctor.dead_units import DeadUnits
from engine.query.doctor.evidence import Evidence, Units, Verdict
from engine.query.doctor.learning import lessons, outputs_of
from engine.query.doctor.request import BatchCurve, CheckUp, CheckUpReport, RuleResult
from engine.query.doctor.rules import OF_LESSON, OF_PHASE, RULES, Rule
from engine.query.trained import open_trained
from engine.runs.folder import RunFolder
from engine.spec.loss_rule import weighs_classes
from engine.spec.phase import in_phase, phase_list, untrained
from engine.spec.run import RunSpec
from engine.spec.weight_name import names_in_file
from engine.train.devices import run_settings
from engine.train.losses import Batch
from engine.train.predicted import predictions
from engine.train.tensor_file import start_from_files
from engine.train.training import Training, build_training

_LIMIT_S = 5.0
_BATCHES = 8  # through which silent units are looked for
_MOST_COMPARED = 50_000  # samples of a part


def answer(request: CheckUp) -> CheckUpReport:
    """Return what the doctor finds in a model as a run would begin, or in the last checkpoint of a
    run. Raises :class:`DiagnosticError` when it cannot be trained at all.
    """
    if request.run_folder:
        return check_up_run(RunFolder.open(request.run_folder))
    return check_up(request.graph, request.spec, Path(request.project))


def check_up(
    graph: Graph, spec: RunSpec, project: Path, limit_s: float = _LIMIT_S
) -> CheckUpReport:
    """Examine a model as a run of it would begin, training it for ``limit_s`` seconds at most.

    Raises :class:`DiagnosticError` with what keeps a run from beginning.
    """
    with run_settings(spec):
        training = build_training(graph, spec, to_module(graph))
        start_from_files(training.model, graph, project)
        if spec.weights:
            file = confined(project, spec.weights)
            start_from(training.model, file, names_in_file(spec, graph))
        return _report(training, graph, is_begun=False, limit_s=limit_s)


def findings(
    graph: Graph, spec: RunSpec, project: Path, limit_s: float = _LIMIT_S
) -> tuple[Diagnostic, ...]:
    """Return only what is wrong with a model as a run of it would begin, after about ``limit_s``
    seconds of training. Raises :class:`DiagnosticError`.
    """
    report = check_up(graph, spec, project, limit_s)
    return tuple(problem for rule in report.rules for problem in rule.problems)


def check_up_run(run: RunFolder, limit_s: float = _LIMIT_S) -> CheckUpReport:
    """Examine the last checkpoint of a run, training it for ``limit_s`` seconds at most. Raises
    :class:`DiagnosticError`.
    """
    trained = open_trained(run, "last")
    with run_settings(trained.spec):
        return _report(trained.training, run.document.graph, is_begun=True, limit_s=limit_s)


def _report(training: Training, graph: Graph, *, is_begun: bool, limit_s: float) -> CheckUpReport:
    try:
        evidence = gather(training, graph, is_begun=is_begun, limit_s=limit_s)
    except DiagnosticError:
        raise
    except Exception as error:  # a layer, a loss or data may raise anything
        raise DiagnosticError(_failure(error, training, graph)) from error
    verdicts = {name: _verdict(rule, evidence, training) for name, rule in RULES.items()}
    return CheckUpReport(
        rules=tuple(
            RuleResult(rule=name, problems=tuple(_placed(problem, graph) for problem in verdict))
            for name, verdict in verdicts.items()
            if verdict is not None
        ),
        nothing=tuple(name for name, verdict in verdicts.items() if verdict is None),
        curves=tuple(
            BatchCurve(
                name=_names(each.phases, training) if training.phases.is_varied else "",
                losses=each.losses,
                expected=each.expected,
            )
            for each in evidence
        ),
        samples_per_s=evidence[0].samples_per_s,
    )


def _verdict(rule: Rule, evidence: Sequence[Evidence], training: Training) -> Verdict:
    """Return what a rule says of all kinds of steps; each finding at the phase that it is of."""
    if rule not in OF_LESSON:
        return rule(evidence[0])
    views = list(evidence)
    if rule in OF_PHASE:
        views = [part for each in evidence for part in _by_phase(each)]
    found = [(view, rule(view)) for view in views]
    if all(verdict is None for _, verdict in found):
        return None
    return tuple(
        _of_phase(problem, view.phases, training)
        for view, verdict in found
        for problem in verdict or ()
    )


def _by_phase(evidence: Evidence) -> list[Evidence]:
    """Return evidence as one for each optimizer that took part."""
    return [
        dataclasses.replace(
            evidence,
            phases=(phase,),
            weights=tuple(weight for weight in evidence.weights if weight.phase == phase),
        )
        for phase in evidence.phases
    ]


def _of_phase(problem: Diagnostic, phases: Sequence[int], training: Training) -> Diagnostic:
    """Return a finding with the phase that it is of, where there are several."""
    if len(training.phases.all) == 1:
        return problem
    params = {OF_PHASE_NAME: _names(phases, training), **problem.params}
    return in_phase(replace(problem, params=params), phases[0])


def _names(phases: Sequence[int], training: Training) -> str:
    return " + ".join(training.phases.all[index].name for index in phases)


def _failure(error: Exception, training: Training, graph: Graph) -> Diagnostic:
    origin = error_origin(error, training.model)
    node_paths = NodePaths.of(graph)
    kind = type(error).__name__
    return Diagnostic(
        code="H015",
        node=(origin and node_paths.path(origin)) or None,
        params={"kind": kind},
        detail=str(error).strip() or kind,
    )


def gather(
    training: Training, graph: Graph, *, is_begun: bool, limit_s: float = _LIMIT_S
) -> list[Evidence]:
    """Return what the rules look at, for each kind of step of a run. The model is trained on a
    while: do not use it afterwards.
    """
    node_paths = NodePaths.of(graph)
    begun = time.perf_counter()
    batches = list(islice(training.epoch_batches(0, 0), _BATCHES))
    samples = sum(map(_samples, batches))
    speed = samples / max(time.perf_counter() - begun, 1e-9)
    units = _units(training, batches, node_paths, is_begun=is_begun)
    is_mixed = _is_mixed(training, batches[0])
    axes = {n: w.ndim for n, w in training.model.named_parameters() if w.requires_grad}
    learned = lessons(training, batches[0], limit_s)
    label = training.data.info.field(training.comparison.field)
    part = training.data.info.part("train")
    common = Evidence(
        is_begun=is_begun,
        units=units,
        untrained=untrained(phase_list(training.spec), axes),
        classes=label.classes if label else (),
        counts=part.class_counts if part else (),
        is_weighted=_is_weighted(training.spec),
        shared=_shared(training.data),
        compared=sum(map(len, _compared(training.data).values())),
        samples=sum(map(len, training.data.indices.values())),
        is_mixed=is_mixed,
        samples_per_s=speed,
    )
    return [
        dataclasses.replace(
            common,
            untrained=common.untrained if each is learned[0] else (),
            phases=each.phases,
            losses=each.losses,
            expected=each.expected,
            weights=each.weights,
        )
        for each in learned
    ]


def _is_weighted(spec: RunSpec) -> bool:
    return spec.data.sampler in ("balanced", "weighted") or weighs_classes(spec)


def _units(
    training: Training, batches: Sequence[Batch], node_paths: NodePaths, *, is_begun: bool
) -> tuple[Units, ...]:
    """Return how many units of each activation that cuts off were zero for all samples. Before the
    first step a norm knows no statistics but those of a batch.
    """
    dead_units = DeadUnits(training.model, node_paths)
    training.model.train(not is_begun)
    with torch.no_grad(), dead_units:
        for batch in batches:
            if _samples(batch) == _samples(batches[0]):  # a norm takes no batch of one
                outputs_of(training, batch)
    return dead_units.units()


def _samples(batch: Batch) -> int:
    return len(next(iter(batch.values())))


def _is_mixed(training: Training, batch: Batch) -> bool | None:
    """Return whether the answer for the first sample is another one when it is alone; None where it
    is alone, or where the model draws random numbers for it, so that no two answers are alike.
    """
    if _samples(batch) == 1:
        return None
    alone = {name: values[:1] for name, values in batch.items()}
    training.model.eval()
    with torch.no_grad():
        together = predictions(training, outputs_of(training, batch))
        again = predictions(training, outputs_of(training, batch))
        single = predictions(training, outputs_of(training, alone))
    if len(together) != _samples(batch) or len(single) != 1:
        return True
    if not _is_alike(together[0], again[0]):
        return None
    return not _is_alike(together[0], single[0])


def _is_alike(one: Tensor, other: Tensor) -> bool:
    return torch.allclose(one, other, rtol=1e-2, atol=1e-3, equal_nan=True)


def _compared(data: LoadedData) -> dict[Part, list[int]]:
    """Return the samples of each part that are compared: all, or an even choice of very many."""
    return {
        part: indices[:: -(-len(indices) // _MOST_COMPARED) or 1].tolist()
        for part, indices in data.indices.items()
    }


def _shared(data: LoadedData) -> dict[tuple[str, str], int]:
    """Return how many samples of one part are in another, all fields being the same."""
    keys = {
        part: set(map(bytes, sample_digests(data.source, indices)))
        for part, indices in _compared(data).items()
    }
    return {
        (first, second): len(keys[first] & keys[second])
        for first, second in combinations(keys, 2)
        if first == "train" or second == "train"
    }


def _placed(problem: Diagnostic, graph: Graph) -> Diagnostic:
    """Return a finding at a module as one at the node that the module is of."""
    if problem.node is None:
        return problem
    path: list[str] = []
    level = graph
    for name in problem.node.split("."):
        node = next((node for node in level.nodes.values() if node.name == name), None)
        if node is None:
            continue  # a copy of a repeated node, or a layer within PyTorch's own
        path.append(node.id)
        block = block_of(level, node)
        if block is None:
            break
        level = body(level, block)
    node_path = SEPARATOR.join(path)
    params = problem.params
    if params.get("name") == problem.node:  # the name of a module is the user's for its node
        params = {**params, "name": place_name(graph, node_path) or problem.node}
    return replace(problem, node=node_path or None, params=params)
