"""What a project has otherwise than a run that goes on: the run keeps its own."""

from collections.abc import Collection

from engine.graph.comparison import compare
from engine.graph.model import Graph
from engine.runs.folder import RunDocument
from engine.spec.difference import settings_difference
from engine.spec.length import LENGTHS
from engine.spec.run import RunSpec


def project_difference(
    document: RunDocument,
    graph: Graph,
    spec: RunSpec,
    model_words: str,
    *,
    taken: Collection[str] = LENGTHS,
) -> list[str]:
    """Return the settings of a project that are other than those of a run, each with both values;
    ``model_words`` come first where its model is another. The names in ``taken`` are left out: the
    run takes them as they are now.
    """
    others = [
        each
        for each in settings_difference(document.spec, spec, graph.code)
        if each.partition(":")[0] not in taken
    ]
    is_same = all(level.is_same() for level in compare(document.graph, graph).values())
    return others if is_same else [model_words, *others]
