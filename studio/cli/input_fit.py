"""Models that take the data as it is after ``--set``, and that of each of several runs."""

from argparse import Namespace
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from engine.diagnostics import Diagnostic, DiagnosticError
from engine.graph.model import Graph, Node
from engine.graph.query import INPUT
from engine.query.data.request import DescribeData
from engine.query.model.request import Check, FitModels, FittedModel
from engine.spec.custom_code import data_code
from engine.spec.data import DataInfo
from engine.spec.defaults import default_losses, fit_inputs, fit_lost_targets, usual_metrics
from engine.spec.other_data import (
    SPLIT_KIND,
    OtherData,
    fitting_split,
    has_no_classes,
    proposed_anew,
)
from engine.spec.run import DataSpec, RunSpec
from engine.spec.target_scale import ends_with_scale, is_of_scale, rescaled
from studio.cli.asking import ask
from studio.cli.output import write_error
from studio.cli.wording import said

FIT_INPUTS = "--fit-inputs"
_MISFITS = ("R010", "R011", "R012", "R013", "R033", "R075")
_FEW_SCORES = "R035"
_CHANGED = (
    f" {FIT_INPUTS} adapted the inputs; other layers follow the data only in a model that is as it "
    "was proposed. Change them, or make a project of this data."
)


def way_out(problems: Sequence[Diagnostic], options: Namespace) -> str:
    """Return what can be typed where inputs do not fit the data, or why the option that was typed
    did not help; empty for another refusal.
    """
    codes = {each.code for each in problems}
    is_fitted = getattr(options, "fit_inputs", None)
    if is_fitted is None:
        return ""
    if is_fitted:
        return _CHANGED if codes & {*_MISFITS, _FEW_SCORES} else ""
    sets_data = any(name.strip().startswith("data.") for name in options.set or ())
    is_other = sets_data and (has_no_classes(problems) or _FEW_SCORES in codes)
    if codes & {*_MISFITS} or is_other:
        return f" Add {FIT_INPUTS} to adapt the inputs of the model to the data for this run."
    return ""


def with_key(text: str, problems: Sequence[Diagnostic], options: Namespace) -> str:
    """Return a refusal with the setting of the data that it is about, where some were set and it
    names none.
    """
    errors = [problem for problem in problems if problem.severity == "error"] or list(problems)
    key = errors[0].field or ""
    is_told = key.startswith("data.") and key not in text
    return f"{text} ({key})" if is_told and getattr(options, "set", None) else text


def fitted_specs(
    graph: Graph, own: DataSpec, specs: Sequence[RunSpec], options: Namespace
) -> list[RunSpec]:
    """Return the specifications of runs on data that may be other than a project's ``own``, where
    this is wanted: losses take the target that the data has, and the split of the project is random
    where that data has no classes to go by. What is changed is told.

    Raises :class:`DiagnosticError` where the data cannot be described.
    """
    if not options.fit_inputs:
        if any(_has_other_scale(graph, own, spec) for spec in specs):
            text = "Model and loss have the scale of other numbers. Add {option} to fit them."
            write_error(said(text, option=FIT_INPUTS))  # a warning, also where little is wanted
        return list(specs)
    told: dict[str, None] = {}
    fitted = [_fitted_spec(graph, own, spec, told) for spec in specs]
    _tell(told, options)
    return fitted


def _tell(sentences: Iterable[str], options: Namespace) -> None:
    if not (getattr(options, "quiet", False) or getattr(options, "json", False)):
        for sentence in sentences:
            write_error(sentence)


def _has_other_scale(graph: Graph, own: DataSpec, spec: RunSpec) -> bool:
    """Return whether a model or its loss goes by the size of other numbers than are predicted."""
    if spec.data.source == own.source or not (ends_with_scale(graph) or is_of_scale(spec.losses)):
        return False
    return _described(own, graph).target_scales != _described(spec.data, graph).target_scales


def _fitted_spec(graph: Graph, own: DataSpec, spec: RunSpec, told: dict[str, None]) -> RunSpec:
    info = _described(spec.data, graph)
    data = fitting_split(spec.data, info)
    if data != spec.data and spec.data.split.kind == own.split.kind:
        spec = replace(spec, data=data)
        text = "{key}=random: these samples have no classes that are known before they are read."
        told[said(text, key=SPLIT_KIND)] = None
        info = _described(spec.data, graph)
    before = _described(own, graph)
    if spec.metrics == usual_metrics(before):
        spec = replace(spec, metrics=usual_metrics(info))
    if before.target_scales != info.target_scales and spec.losses == default_losses(before, graph):
        losses = default_losses(info, _fitted(graph, own, spec).graph)
        old, new = (", ".join(term.loss.type for term in each) for each in (spec.losses, losses))
        told[_told_loss(old, new)] = None
        return replace(spec, losses=losses)
    spec, changed = fit_lost_targets(spec, before, info, graph)
    for old, new in changed.items():
        told[_told_loss(old, new)] = None
    return spec


def _told_loss(old: str, new: str) -> str:
    if old == new:
        return said("The loss is {loss}, as usual for what is predicted now.", loss=new)
    return said("The loss takes “{new}” in place of “{old}”.", new=new, old=old)


def fitted_graph(graph: Graph, own: DataSpec, spec: RunSpec, options: Namespace) -> Graph:
    """Return the model of a project for data that may be other than its own, where this is wanted:
    inputs take shape and dtype of their fields, embeddings and heads as many rows and scores as
    there are tokens. Where that is not enough, as with an input whose field is gone, a model that
    is still the one proposed for its own data is proposed anew.

    Raises :class:`DiagnosticError` where the data cannot be described.
    """
    if not options.fit_inputs:
        return graph
    return _fitted(graph, own, spec).graph


def fitted_models(
    graph: Graph, own: DataSpec, specs: Sequence[RunSpec], options: Namespace
) -> list[FittedModel]:
    """Return the model of a project for each of some runs, and all that is found before it. Where
    there are several, as with folds, the tokens and categories that each trains on differ: rows and
    scores are enough for them without being asked for.

    Raises :class:`DiagnosticError` where the data cannot be described, or where one of several runs
    could not begin: then none does.
    """
    if len(specs) == 1 and not options.fit_inputs:
        problems = ask(Check(graph=graph, spec=specs[0])).problems
        return [FittedModel(graph=graph, problems=problems)]
    if not options.fit_inputs:
        models = list(ask(FitModels(graph=graph, specs=tuple(specs))).models)
    else:
        models = [_fitted(graph, own, spec) for spec in specs]
    errors = next((model.errors for model in models if model.errors), None)
    if errors and len(specs) > 1:
        raise DiagnosticError(*errors)
    return models


def _fitted(graph: Graph, own: DataSpec, spec: RunSpec) -> FittedModel:
    """Return a model whose inputs have the shapes of the data, or that which is proposed anew."""
    info = _described(spec.data, graph)
    before = _described(own, graph)
    fitted = rescaled(fit_inputs(graph, info), info)
    (model,) = ask(FitModels(graph=fitted, specs=(spec,))).models
    is_bound = all(info.field(str(node.params.get("field"))) for node in _inputs(fitted))
    if is_bound and not model.errors and before.target_scales == info.target_scales:
        return model
    proposed = proposed_anew(graph, OtherData(before=before, info=info))
    if proposed is None:
        return model
    return ask(FitModels(graph=proposed, specs=(spec,))).models[0]


def _inputs(graph: Graph) -> list[Node]:
    return [node for node in graph.nodes.values() if node.type == INPUT]


def _described(data: DataSpec, graph: Graph) -> DataInfo:
    return ask(DescribeData(data=data, code=data_code(data, graph.code)))
