"""Model and losses of a project after another choice of data, as far as both are as usual."""

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from engine.diagnostics import Diagnostic
from engine.graph.model import Graph
from engine.spec.data import DataInfo
from engine.spec.defaults import default_losses, fit_inputs, usual_metrics
from engine.spec.first_model import embeddings_of, first_model
from engine.spec.proposal import ModelSize
from engine.spec.run import DataSpec, RunSpec
from engine.spec.target_scale import is_of_scale, rescaled

SPLIT_KIND = "data.split.kind"
_NO_CLASS = "D096"
LEAST_OF_CLASS = 4
"""Samples that a class needs for a split by class to be proposed: to have some in each set."""

_SIZES: tuple[ModelSize, ...] = ("small", "large")


@dataclass(frozen=True, kw_only=True)
class OtherData:
    """What is known of data ``before`` a choice (None: nothing), and of those that follow."""

    before: DataInfo | None
    info: DataInfo


def following_model(graph: Graph, data: OtherData) -> Graph:
    """Return the model that is proposed for the data where it was the one proposed for those
    before, else the model with inputs and scale of the data.
    """
    proposed = proposed_anew(graph, data)
    if proposed is not None:
        return proposed
    return rescaled(_with_columns(fit_inputs(graph, data.info), data), data.info)


def _with_columns(graph: Graph, data: OtherData) -> Graph:
    """Return a model whose embeddings of categories are called like the columns that are there now,
    and have as many values, where they were called by those before and had theirs.
    """
    fields = () if data.before is None else data.before.fields
    pairs = [
        (old, new)
        for old, new in ((old, data.info.field(old.name)) for old in fields)
        if new is not None and old.vocabularies and len(old.vocabularies) == len(new.vocabularies)
    ]
    follows = {
        before: after
        for old, new in pairs
        for before, after in zip(
            embeddings_of(old).items(), embeddings_of(new).items(), strict=True
        )
    }
    nodes = dict(graph.nodes)
    for key, node in graph.nodes.items():
        rows = node.params.get("num_embeddings") if node.type == "Embedding" else None
        after = follows.get((node.name, rows)) if isinstance(rows, int) else None
        if after is not None:
            params = {**node.params, "num_embeddings": after[1]}
            nodes[key] = replace(node, name=after[0], params=params)
    are_unique = len({node.name for node in nodes.values()}) == len(nodes)
    return replace(graph, nodes=nodes) if are_unique else graph


def proposed_anew(graph: Graph, data: OtherData) -> Graph | None:
    """Return the model that is proposed for the data where a model is the one that was proposed for
    those before, wherever its nodes lie on the canvas; None for another one, and where none is
    proposed.
    """
    if data.before is None:
        return None
    for size in _SIZES:
        before, proposed = first_model(data.before, size), first_model(data.info, size)
        if before is not None and proposed is not None and _is_same(before, graph):
            kept = {name: text for name, text in graph.code.items() if name not in before.code}
            proposed = replace(proposed, code={**kept, **proposed.code})
            return graph if _is_same(proposed, graph) else proposed
    return None


def following_spec(spec: RunSpec, old: Graph, new: Graph, data: OtherData) -> RunSpec:
    """Return the specification with the usual losses of the data, where it had those of the data
    before with the ``old`` model, has none, names a field that is gone, or goes by the size of what
    was predicted before; with the usual metrics where it had these. Others stay.
    """
    before, info = data.before, data.info
    if before is not None and spec.metrics == usual_metrics(before):
        spec = replace(spec, metrics=usual_metrics(info))
    names = {f"data.{field.name}" for field in info.fields}
    bound = {name for term in spec.losses for name in term.inputs.values()}
    are_there = all(name in names for name in bound if name.startswith("data."))
    is_usual = before is not None and spec.losses == default_losses(before, old)
    if spec.losses and are_there and not is_usual and not is_of_scale(spec.losses):
        return spec
    return replace(spec, losses=default_losses(info, new))


def fitting_split(data: DataSpec, info: DataInfo) -> DataSpec:
    """Return the choice of data with a random split where a stratified one has no classes to go by,
    which the description of the data tells; else as it is.
    """
    if not has_no_classes(info.problems):
        return data
    return replace(data, split=replace(data.split, kind="random"))


def following_split(data: DataSpec, before: DataInfo | None, info: DataInfo) -> DataSpec:
    """Return the choice of data with a split that goes with what is predicted: by class, as it is
    proposed, where the split at random is that of data ``before`` that had no classes to go by; at
    random where there are none now. A split that was chosen in place of the proposed one stays.
    """
    split = data.split
    is_proposed = before is not None and not _has_enough_of_each(before)
    if split.kind == "random" and not split.column and is_proposed and _has_enough_of_each(info):
        return replace(data, split=replace(split, kind="stratified"))
    return fitting_split(data, info)


def _has_enough_of_each(info: DataInfo) -> bool:
    """Return whether each sample has a class, or labels, and each of them enough samples to be in
    all sets.
    """
    if not info.splits or any(field.kind == "boxes" for field in info.fields):
        return False
    labels = [sum(each) for each in zip(*(part.label_counts for part in info.splits), strict=True)]
    if labels:
        return min(labels) >= LEAST_OF_CLASS
    counts = [sum(each) for each in zip(*(part.class_counts for part in info.splits), strict=True)]
    is_whole = sum(counts) == sum(part.samples for part in info.splits)
    return bool(counts) and is_whole and min(counts) >= LEAST_OF_CLASS


def has_no_classes(problems: Sequence[Diagnostic]) -> bool:
    """Return whether a stratified split has no classes to go by, as problems of the data tell."""
    return any(each.code == _NO_CLASS and each.field == SPLIT_KIND for each in problems)


def _is_same(proposed: Graph, graph: Graph) -> bool:
    has_code = proposed.code.items() <= graph.code.items()
    return has_code and _plain(proposed) == _plain(graph)


def _plain(graph: Graph) -> Graph:
    nodes = {
        key: replace(node, position=(0.0, 0.0), pinned=False) for key, node in graph.nodes.items()
    }
    return replace(graph, nodes=nodes, code={})
