"""First run on data of the user: settings that suit its kind and size, and the models that an empty
canvas is offered with them.
"""

from collections.abc import Callable, Iterator, Mapping

import msgspec

from engine.catalog.spec import Value
from engine.diagnostics import Diagnostic
from engine.graph.analysis import Analysis
from engine.graph.edit.edits import ReplaceGraph
from engine.graph.model import Graph
from engine.graph.query import INPUT, incoming
from engine.graph.repair.case import RepairProposal, words
from engine.spec.data import DataInfo
from engine.spec.defaults import default_spec
from engine.spec.first_model import first_model
from engine.spec.proposal import ModelSize
from engine.spec.run import DataSpec, RunSpec

NORMALIZED = frozenset({"table", "arrays", "series", "sound_folder", "video_folder"})
"""Sources whose numbers may have any size, so that they are normalised by their training part."""

TABLE_RATE = 0.01
"""Learning rate of Adam for columns and series; targets of any size want large steps."""

_STEPS, _LEAST_EPOCHS, _MOST_EPOCHS = 1000, 10, 100
_MOST_SLOW_EPOCHS = 25  # of sounds and videos, which take long to read
_EMPTY, _OTHER_PARTS = "G030", "S043"
_MISFITS = ("R010", "R011", "R012", "R013", "R033", "R035", "R036", "R075")
_WORDS: dict[ModelSize, str] = {"small": "F060", "large": "F061"}
_WORDS_INSTEAD: dict[ModelSize, str] = {"small": "F062", "large": "F063"}


def first_epochs(info: DataInfo, batch_size: int) -> int:
    """Return so many epochs that a small data set gets enough steps."""
    training = info.part("train")
    steps = max((training.samples if training else info.samples) // batch_size, 1)
    epochs = min(max(_STEPS // steps, _LEAST_EPOCHS), _MOST_EPOCHS)
    is_slow = any(field.kind in ("sound", "video") for field in info.fields)
    return min(epochs, _MOST_SLOW_EPOCHS) if is_slow else epochs


def takes_large_steps(data: DataSpec) -> bool:
    """Return whether the data is a table of columns alone, whose model is a perceptron, or a time
    series, whose target may have any size, too.
    """
    source = data.source
    return source.type == "series" or (source.type == "table" and "kinds" not in source.params)


def first_models(
    problem: Diagnostic,
    graph: Graph,
    spec: RunSpec,
    info: DataInfo | None,
    analyse: Callable[[Graph], Analysis],
) -> Iterator[RepairProposal]:
    """Yield models from the inputs of the data to its target for an empty canvas (G030), the small
    one first, each with its loss. Settings that are still as they were take what suits the data.
    """
    if problem.code == _EMPTY and info is not None:
        yield from _models(_WORDS, graph, spec, info, analyse)


def models_instead(
    problem: Diagnostic,
    graph: Graph,
    spec: RunSpec,
    info: DataInfo | None,
    analyse: Callable[[Graph], Analysis],
) -> Iterator[RepairProposal]:
    """Yield the same models in place of one that does not take the data (any more): an input or an
    output has another shape, or what divides an input into its columns another number of them.
    """
    if info is not None and (problem.code in _MISFITS or _divides_input(problem, graph)):
        yield from _models(_WORDS_INSTEAD, graph, spec, info, analyse)


def _divides_input(problem: Diagnostic, graph: Graph) -> bool:
    if problem.code != _OTHER_PARTS:
        return False
    sources = (edge.source for edge in incoming(graph, problem.node or ""))
    return any(graph.nodes[source].type == INPUT for source in sources)


def _models(
    said: Mapping[ModelSize, str],
    graph: Graph,
    spec: RunSpec,
    info: DataInfo,
    analyse: Callable[[Graph], Analysis],
) -> Iterator[RepairProposal]:
    for size, code in said.items():
        model = first_model(info, size)
        if model is None:
            return
        whole = _joined(graph, model)
        if whole is None:
            continue
        settings = {**_losses(spec, info, whole, analyse), **_settings(spec, info)}
        yield RepairProposal(
            words=words(code),
            edit=ReplaceGraph(graph=whole),
            settings=settings,
        )


def _joined(graph: Graph, model: Graph) -> Graph | None:
    """Return a model beside the user's blocks, code, frames and notes; None where another one
    has the same name.
    """
    pairs = ((graph.blocks, model.blocks), (graph.code, model.code))
    if any(own.get(name, text) != text for own, added in pairs for name, text in added.items()):
        return None
    return msgspec.structs.replace(
        model,
        blocks={**graph.blocks, **model.blocks},
        code={**graph.code, **model.code},
        annotations={**graph.annotations, **model.annotations},
    )


def _losses(
    spec: RunSpec, info: DataInfo, graph: Graph, analyse: Callable[[Graph], Analysis]
) -> Mapping[str, Value]:
    """Return the loss terms that fit, as settings; terms that are too many go first, last ones
    first.
    """
    wanted = default_spec(info, graph, analyse(graph), spec.data)
    settings: dict[str, Value] = {
        f"losses.{index}.loss": None
        for index in reversed(range(len(wanted.losses), len(spec.losses)))
    }
    for index, term in enumerate(wanted.losses):
        name = f"losses.{index}"
        settings[f"{name}.loss"] = term.loss.type
        settings |= {f"{name}.loss.{key}": value for key, value in term.loss.params.items()}
        settings[f"{name}.weight"] = term.weight
        settings |= {f"{name}.inputs.{port}": bound for port, bound in term.inputs.items()}
    if wanted.checkpoint.monitor != spec.checkpoint.monitor:
        settings["checkpoint.monitor"] = wanted.checkpoint.monitor
        settings["checkpoint.mode"] = wanted.checkpoint.mode
    return settings


def _settings(spec: RunSpec, info: DataInfo) -> Mapping[str, Value]:
    """Return what suits the data of the settings that nobody has changed."""
    plain, settings = RunSpec(data=spec.data), dict[str, Value]()
    if spec.epochs == plain.epochs:
        settings["epochs"] = first_epochs(info, spec.data.batch_size)
    is_plain = spec.optimizer.type == "Adam" and not spec.optimizer.params
    if is_plain and takes_large_steps(spec.data):
        settings["optimizer.lr"] = TABLE_RATE
    data = spec.data
    if data.normalization == "none" and not data.transforms and data.source.type in NORMALIZED:
        settings["data.normalization"] = "standard"
    return settings
