"""Custom losses of a specification, when the files of custom code change."""

import msgspec

from engine.graph.code import code_key, code_place
from engine.spec.run import RunSpec


def rename_losses(spec: RunSpec, file: str, new_file: str) -> RunSpec:
    """Return the specification after a file of code (``losses.py``) got another name."""
    terms = list(spec.losses)
    for index, term in enumerate(terms):
        path = code_place(term.loss.type)
        if path is not None and path.file == file:
            loss = msgspec.structs.replace(term.loss, type=code_key(new_file, path.name))
            terms[index] = msgspec.structs.replace(term, loss=loss)
    return msgspec.structs.replace(spec, losses=tuple(terms))


def losses_from(spec: RunSpec, file: str) -> tuple[str, ...]:
    """Return the losses in use that are defined in a file of code, by their names there."""
    places = (code_place(term.loss.type) for term in spec.losses)
    return tuple(path.name for path in places if path is not None and path.file == file)
