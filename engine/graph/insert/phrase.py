"""Layers written as a phrase: ``conv 32 3 | relu | pool 2 | flatten | linear 10``.

Each part names a layer, an operator or a block, then its settings: in their order without those
that follow what arrives (``in_features``), or as ``name=value``.
"""

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from msgspec.structs import replace

from engine.catalog.ranking import ranked
from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec, Value
from engine.catalog.validate import parse_value
from engine.diagnostics import Diagnostic, DiagnosticError

SEPARATOR = "|"

_SHORT = {
    "pool": "MaxPool",
    "maxpool": "MaxPool",
    "avgpool": "AvgPool",
    "gap": "AdaptiveAvgPool",
    "bn": "BatchNorm",
    "batchnorm": "BatchNorm",
    "norm": "BatchNorm",
    "instancenorm": "InstanceNorm",
    "convt": "ConvTranspose",
    "deconv": "ConvTranspose",
    "fc": "Linear",
    "dense": "Linear",
    "drop": "Dropout",
}
_NUMBER = re.compile(r"[-+(]?\d[\d.,x×e+-]*\)?", re.IGNORECASE)
_CROSSES = re.compile(r"(?<=\d)[x×](?=\d)")
_TUPLES = (ParamKind.INTS, ParamKind.FLOATS, ParamKind.SHAPE)
_MOST_PARTS = 200


class Step(NamedTuple):
    """One part of a phrase: what it names with its settings, or why it is not understood."""

    text: str
    entry: Entry | None
    params: dict[str, Value]
    problem: Diagnostic | None


def is_phrase(text: str) -> bool:
    """Return whether a text is a phrase, and not just words to search for."""
    if SEPARATOR in text:
        return True
    return any("=" in word or _NUMBER.fullmatch(word) for word in text.split()[1:])


def parse_phrase(text: str, entries: Sequence[Entry], axes: int = 2) -> tuple[Step, ...]:
    """Return the parts of a phrase that may name ``entries``; empty parts are left out.

    A layer that is there for one, two and three axes is taken for ``axes`` where the phrase does
    not say (``conv``, ``pool``).
    """
    parts = [part.strip() for part in text.split(SEPARATOR)]
    return tuple(_step(part, entries, axes) for part in parts[:_MOST_PARTS] if part)


def called(entry: Entry) -> str:
    """Return what an entry is called in a phrase: its key, or the name of a block."""
    return entry.label if entry.group is EntryGroup.BLOCK else entry.key


def _step(text: str, entries: Sequence[Entry], axes: int) -> Step:
    name, *words = _words(text)
    entry = _named(name, entries, axes)
    if entry is None:
        return Step(text, None, {}, _unknown(name, entries))
    params = entry.initial_params()
    waiting = [spec for spec in entry.params if not spec.auto and not spec.call]
    for word in words:
        left, sign, right = word.partition("=")
        spec = _param(entry, left) if sign else (waiting.pop(0) if waiting else None)
        if spec is None:
            return Step(text, entry, params, _no_param(entry, word, is_named=bool(sign)))
        waiting = [other for other in waiting if other is not spec]
        try:
            value = parse_value(spec, _value_text(spec, right if sign else word))
        except DiagnosticError as error:
            return Step(text, entry, params, replace(error.problems[0], field=spec.name))
        params.pop(spec.name, None)
        if spec.required or value != spec.default:  # documents hold what differs
            params[spec.name] = value
    return Step(text, entry, params, None)


def _words(text: str) -> list[str]:
    """Return the words of a part; what stands in brackets is one word, around ``=`` too."""
    closed = re.sub(r"\s*=\s*", "=", text)
    closed = re.sub(r"\s*,\s*", ",", closed)
    call = re.fullmatch(r"(\w+)\((.*)\)", closed)
    if call:  # Conv2d(32, 3) as in code
        return [call[1], *[word for word in _outside_brackets(call[2]) if word]]
    return closed.split()


def _outside_brackets(text: str) -> list[str]:
    """Return what stands between commas that are in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter in ", " and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _value_text(spec: ParamSpec, text: str) -> str:
    return _CROSSES.sub(",", text) if spec.kind in _TUPLES else text


def _named(name: str, entries: Iterable[Entry], axes: int) -> Entry | None:
    """Return what a word names: by its key or label, for the axes, in short, or by its only
    beginning.
    """
    by_name: dict[str, Entry] = {}
    for entry in entries:
        by_name.setdefault(called(entry).casefold(), entry)
    word = name.casefold().replace("_", "")
    plain = {key.replace("_", ""): entry for key, entry in reversed(by_name.items())}
    plain |= by_name  # a key as it is goes before one without underscores
    for wanted in (name.casefold(), word, _SHORT.get(word, "").casefold()):
        for key in (wanted, f"{wanted}{axes}d") if wanted else ():
            if key in plain:
                return plain[key]
    return _by_alias(word, entries, axes)


def _by_alias(word: str, entries: Iterable[Entry], axes: int) -> Entry | None:
    """Return the one that is called so in another way, or that alone begins so."""
    exact = [e for e in entries if word in {alias.casefold() for alias in e.aliases}]
    begun = [e for e in entries if len(word) > 2 and e.key.casefold().startswith(word)]
    for matches in (exact, begun):
        fitting = [entry for entry in matches if entry.key.endswith(f"{axes}d")]
        if len(matches) == 1 or len(fitting) == 1:
            return (fitting or matches)[0]
    return None


def _param(entry: Entry, name: str) -> ParamSpec | None:
    """Return the setting of a name, or the first that begins so."""
    exact = entry.param(name)
    begun = [spec for spec in entry.params if name and spec.name.startswith(name)]
    return exact or (begun[0] if begun else None)


def _unknown(name: str, entries: Sequence[Entry]) -> Diagnostic:
    candidates = [called(entry) for entry in entries]
    near = get_close_matches(name, [*_SHORT, *candidates, *map(str.casefold, candidates)], n=3)
    names = list({word.casefold(): word for word in near}.values()) or [
        called(entry) for entry in ranked(entries, name)[:3]
    ]
    if not names:
        return Diagnostic(code="G090", params={"word": name[:40]})
    return Diagnostic(code="G091", params={"word": name[:40], "names": ", ".join(names)})


def _no_param(entry: Entry, word: str, *, is_named: bool) -> Diagnostic:
    if is_named:
        names = ", ".join(spec.name for spec in entry.params) or "—"
        name = word.partition("=")[0][:40]
        return Diagnostic(code="G092", params={"name": entry.key, "word": name, "known": names})
    return Diagnostic(code="G093", params={"name": entry.key, "word": word[:40]})
