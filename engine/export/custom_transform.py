"""Transforms of the user's own code in an exported file."""

from collections.abc import Iterable, Mapping

from engine.catalog.spec import EntryGroup, Need, Value
from engine.data.transform.chain import Chain
from engine.diagnostics import DiagnosticError
from engine.export.library_text import Library
from engine.graph.code import CODE_PREFIX, code_symbol
from engine.spec.choice import Code, entry_of_key
from engine.spec.transform import is_custom


def transform_files(types: Iterable[str]) -> tuple[str, ...]:
    """Return the files of own code that transforms of some types are from."""
    symbols = (code_symbol(each) for each in types if is_custom(each))
    return tuple(dict.fromkeys(symbol.file for symbol in symbols if symbol is not None))


def require_carried(chains: Iterable[Chain | None], kinds: Iterable[str]) -> None:
    """Raise :class:`DiagnosticError` D545 for a transform of own code that an exported file cannot
    carry: one that changes a whole sample, or fields that are not of some ``kinds``.
    """
    known = tuple(kinds)
    for chain in chains:
        for step in () if chain is None else chain.custom_steps:
            if step.takes_sample or any(step.infos[name].kind not in known for name in step.names):
                raise DiagnosticError.of(
                    "D545",
                    field=f"data.transforms.{step.number}",
                    number=step.number + 1,
                    name=step.label,
                )


def custom_text(kind: str, params: Mapping[str, Value], library: Library, code: Code) -> str:
    """Return the call that makes a transform of own code, which stands in the file."""
    entry = entry_of_key(EntryGroup.TRANSFORM, kind, code)
    needs = () if entry is None else entry.needs
    known = () if entry is None else entry.params
    values = [f"{each.name}={params[each.name]!r}" for each in known if each.name in params]
    name = kind.removeprefix(CODE_PREFIX).partition(".")[2]
    if Need.TOGETHER in needs:
        return f"{name}({', '.join(values)})"
    wrapped = library.name("engine.data.transform.custom_call", "CustomTransform")
    if Need.MADE in needs:
        return f"{wrapped}({name}({', '.join(values)}))"
    return f"{wrapped}({', '.join((name, *values))})"
