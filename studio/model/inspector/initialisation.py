"""Initialisation of the selected layers' parameters, as a form and as histograms."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engine.catalog.spec import Entry, WeightMatch, WeightSpec
from engine.catalog.text import entry_label, entry_summary
from engine.diagnostics import Diagnostic, sentence
from engine.graph.model import Graph, Initial, Node
from engine.graph.node_state.initialization import (
    FIELD,
    FILE,
    chosen_initials,
    initialiser,
    initialisers,
    layers_alike,
    weights_of,
)
from engine.query.listing.request import WeightPreview, WeightValues
from studio.i18n import translate
from studio.view.form import present_field, value_of
from widgets.forms.view_model import FieldView, FormView, GroupView
from widgets.plots.histogram import HistogramView

MIXED = "*"
_EMPTY = FormView(key="")


@dataclass(frozen=True, kw_only=True)
class InitialView:
    """The form, and the words on the button that initializes all layers of the type alike (empty:
    there is no other one).
    """

    form: FormView = _EMPTY
    alike: str = ""


def roles_of(graph: Graph, nodes: Sequence[Node]) -> dict[str, list[tuple[WeightSpec, Node]]]:
    """Return by name of a parameter the layers that have it."""
    found: dict[str, list[tuple[WeightSpec, Node]]] = {}
    for node in nodes:
        for weight in weights_of(graph, node):
            found.setdefault(weight.name, []).append((weight, node))
    return found


def present_initial(
    whole: Graph,
    graph: Graph,
    nodes: Sequence[Node],
    problems: Sequence[Diagnostic],
    language: str,
) -> InitialView:
    """Return the view of some nodes of a level; empty where none has parameters to speak of."""
    roles = roles_of(graph, nodes)
    if not roles:
        return InitialView()
    groups = tuple(
        _group(graph, name, holders, problems, language) for name, holders in roles.items()
    )
    key = "init:" + ",".join(node.id for node in nodes)
    return InitialView(
        form=FormView(key=key, groups=groups),
        alike=_alike(whole, nodes[0]) if len(nodes) == 1 else "",
    )


def _alike(whole: Graph, node: Node) -> str:
    count = sum(len(ids) for ids in layers_alike(whole, node).values())
    if count < 2:
        return ""
    text = translate("Initial", "Initialize all {count} {type} layers like this one")
    return text.format(count=count, type=node.type)


def _group(
    graph: Graph,
    name: str,
    holders: Sequence[tuple[WeightSpec, Node]],
    problems: Sequence[Diagnostic],
    language: str,
) -> GroupView:
    ranks = {weight.rank for weight, _ in holders}
    fitting = [
        entry
        for entry in initialisers(graph, min(ranks))
        if not entry.ranks or ranks <= set(entry.ranks)
    ]
    chosen = common(graph, name, [node for _, node in holders])
    own = [problem for problem in problems if problem.field == f"{FIELD}{name}"]
    fields = [_choice(name, chosen, fitting, own, language)]
    entry = initialiser(graph, chosen.type) if isinstance(chosen, Initial) else None
    if isinstance(chosen, Initial) and entry is not None:
        fields += _params(name, chosen, entry, problems, language)
    return GroupView(
        fields=tuple(fields), title=_title(holders[0][0]), name=name, help=_help(holders[0][0])
    )


def common(graph: Graph, name: str, nodes: Sequence[Node]) -> Initial | str:
    """Return how a parameter of all the nodes begins: an initialiser, "" for PyTorch's default,
    ``MIXED`` where they differ.
    """
    found = [chosen_initials(graph, node).get(name) for node in nodes]
    first = found[0]
    if any((a and a[1]) != (first and first[1]) for a in found):
        return MIXED
    return "" if first is None else first[1]


def _choice(
    name: str,
    chosen: Initial | str,
    fitting: Sequence[Entry],
    problems: Sequence[Diagnostic],
    language: str,
) -> FieldView:
    text = chosen.type if isinstance(chosen, Initial) else chosen
    choices = [("", translate("Initial", "PyTorch default"))]
    choices += [(entry.key, entry_label(entry, language)) for entry in fitting]
    if chosen == MIXED:
        choices.insert(0, (MIXED, translate("Initial", "(different)")))
    elif text not in {value for value, _ in choices}:
        choices.append((text, text))
    known = {entry.key: entry for entry in fitting}
    summary = entry_summary(known[text], language) if text in known else ""
    help_text = translate(
        "Initial",
        "How these parameters are initialized before the first step. Your choice appears "
        "in the code as a torch.nn.init function.",
    )
    return FieldView(
        name=f"{FIELD}{name}",
        label=translate("Initial", "Initialization"),
        kind="choice",
        text=text,
        choices=tuple(choices),
        help=f"{help_text}\n\n{summary}".strip(),
        error=sentence(problems[0], language) if problems else "",
        is_modified=text not in ("", MIXED),
    )


def _params(
    name: str, chosen: Initial, entry: Entry, problems: Sequence[Diagnostic], language: str
) -> list[FieldView]:
    fields: list[FieldView] = []
    for spec in entry.params:
        field = f"{FIELD}{name}.{spec.name}"
        view = present_field(
            spec,
            value_of(spec, chosen.params),
            entry=entry,
            problems=[problem for problem in problems if problem.field == field],
            language=language,
            name=field,
        )
        if chosen.type == FILE and spec.name == "file":
            view = replace(view, browse=translate("Initial", "Choose tensor file…"))
        fields.append(view)
    return fields


def _title(weight: WeightSpec) -> str:
    if weight.match is WeightMatch.MATRICES:
        return translate("Initial", "all matrices")
    if weight.match is WeightMatch.SUFFIX:
        return translate("Initial", "all {name}").format(name=weight.name)
    return weight.name


def _help(weight: WeightSpec) -> str:
    if weight.match is WeightMatch.ONE:
        return ""
    return translate("Initial", "Applies to all parameters of this kind in the layer.")


def present_values(preview: WeightPreview) -> tuple[HistogramView, ...]:
    """Return a histogram for each parameter of a layer."""
    return tuple(_histogram(values) for values in preview.weights)


def _histogram(values: WeightValues) -> HistogramView:
    shape = "×".join(map(str, values.shape)) or "()"
    mean, std = f"{values.mean:.3g}", f"{values.std:.3g}"
    low, high = f"{values.minimum:.3g}", f"{values.maximum:.3g}"
    text = translate(
        "Initial",
        "Shape {shape}; mean {mean}, std {std}, from {low} to {high}. These are the "
        "initial values of a run with the seed of this project.",
    )
    is_single = len(values.counts) == 1
    return HistogramView(
        title=f"{values.name}  {shape}",
        detail=f"μ {mean}   σ {std}",
        counts=values.counts,
        low="" if is_single else low,
        high=low if is_single else high,
        description=text.format(shape=shape, mean=mean, std=std, low=low, high=high),
    )
