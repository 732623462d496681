"""Custom losses of a specification, when the files of custom code change."""

import msgspec

from engine.graph.code import code_key, code_symbol
from engine.spec.run import RunSpec


def rename_losses(spec: RunSpec, file: str, new_file: str) -> RunSpec:
    """Return the specification after a file of code (``losses.py``) got another name."""
    terms = list(spec.losses)
    for index, term in enumerate(terms):
        symbol = code_symbol(term.loss.type)
        if symbol is not None and symbol.file == file:
            loss = msgspec.structs.replace(term.loss, type=code_key(new_file, symbol.name))
            terms[index] = msgspec.structs.replace(term, loss=loss)
    return msgspec.structs.replace(spec, losses=tuple(terms))


def losses_from(spec: RunSpec, file: str) -> tuple[str, ...]:
    """Return the losses in use that are defined in a file of code, by their names there."""
    symbols = (code_symbol(term.loss.type) for term in spec.losses)
    return tuple(symbol.name for symbol in symbols if symbol is not None and symbol.file == file)
