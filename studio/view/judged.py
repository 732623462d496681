"""Choice of one of several outputs of a run that are compared with the data."""

from engine.runs.folder import RunDocument
from engine.spec.judged import judged_outputs


def output_choices(document: RunDocument) -> tuple[tuple[str, str], ...]:
    """Return the outputs of a run that are compared with the data, where there are several: what
    the host calls each, and its name.
    """
    found = judged_outputs(document.spec, document.graph.code)
    return tuple((each.name, each.name or each.output) for each in found) if found[1:] else ()
