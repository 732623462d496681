"""Words of the catalogue in a language: labels, summaries, tooltips and help.

English stands in the entries; ``resources/catalog/<language>.json`` holds translations with the
sections ``categories``, ``labels`` and ``summaries`` (by ``group.key``), and ``params`` (by
``group.key.name``, by ``group.name`` or, shared, by ``name``). What is missing falls back to
English. The documentation of layers stays in PyTorch's own words.
"""

from functools import cache
from pathlib import Path

import msgspec

from engine.catalog.spec import AUTO, Entry, EntryGroup, ParamSpec
from engine.catalog.validate import format_value, range_of
from engine.decoding import decode_json
from engine.diagnostics import Diagnostic

LANGUAGES = ("zh_CN",)
"""The languages besides English."""

_FOLDER = Path(__file__).parents[2] / "resources" / "catalog"
_WORDS = {
    "en": ("default", "required", ""),
    "zh_CN": ("默认值", "必填", "> 以下为 PyTorch 的原文文档。\n\n"),
}

_OWN_CHOICES = (EntryGroup.DATA, EntryGroup.TRANSFORM, EntryGroup.SETTING)
_BRACKETS = {"zh_CN": ("（", "）")}


class ParamText(msgspec.Struct, frozen=True):
    """The translated name and tooltip of a parameter."""

    label: str = ""
    help: str = ""
    unit: str = ""


class Translation(msgspec.Struct, frozen=True):
    """One language's file."""

    categories: dict[str, str] = {}
    labels: dict[str, str] = {}
    summaries: dict[str, str] = {}
    params: dict[str, ParamText] = {}
    choices: dict[str, str] = {}


@cache
def translation(language: str) -> Translation:
    """Return what is translated into a language: nothing for English and unknown ones."""
    path = _FOLDER / f"{language}.json"
    if language not in LANGUAGES:
        return Translation()
    return decode_json(path.read_bytes(), Translation)


def category_label(category: str, language: str) -> str:
    """Return the name of a category."""
    return translation(language).categories.get(category, category)


def entry_label(entry: Entry, language: str) -> str:
    """Return the name of an entry. Classes and functions of torch keep theirs."""
    own = entry.label or entry.key
    return translation(language).labels.get(_key(entry), own)


def entry_summary(entry: Entry, language: str) -> str:
    """Return one sentence about an entry."""
    return translation(language).summaries.get(_key(entry), entry.summary)


def entry_doc(entry: Entry, language: str) -> str:
    """Return the documentation of an entry, as Markdown; its own words, told so where the language
    is another.
    """
    words = _WORDS.get(language, _WORDS["en"])
    origin = "" if entry.is_custom() else words[2]  # own code speaks for itself
    return f"{origin}{entry.doc}" if entry.doc else ""


def entry_help(entry: Entry, language: str) -> str:
    """Return the help page of an entry, as Markdown: summary, parameters, documentation."""
    parts = [f"# {entry_label(entry, language)}", entry_summary(entry, language)]
    if entry.params:
        parts.append(_params(entry, language))
    if entry.doc:
        parts.append(entry_doc(entry, language))
    return "\n\n".join(parts).rstrip() + "\n"


def param_label(entry: Entry | None, param: ParamSpec, language: str) -> str:
    """Return the name of a parameter for a form: ``Kernel size``."""
    own = param.label or param.name.replace("_", " ").capitalize()
    return _param_text(entry, param, language).label or own


def param_help(entry: Entry | None, param: ParamSpec, language: str) -> str:
    """Return the tooltip of a parameter."""
    return _param_text(entry, param, language).help or param.help


def param_unit(entry: Entry | None, param: ParamSpec, language: str) -> str:
    """Return the unit of a parameter, to stand behind its field."""
    return _param_text(entry, param, language).unit or param.unit


def choice_label(entry: Entry | None, param: ParamSpec, choice: str, language: str) -> str:
    """Return what one of the values of a parameter is called, with the value that is written for
    it; the value alone in English, and where it is a word of PyTorch's.
    """
    if entry is None or entry.group not in _OWN_CHOICES:
        return choice
    choices = translation(language).choices
    names = (f"{_key(entry)}.{param.name}.{choice}", f"{param.name}.{choice}", choice)
    label = next((choices[name] for name in names if name in choices), "")
    opening, closing = _BRACKETS.get(language, (" (", ")"))
    return f"{label}{opening}{choice}{closing}" if label else choice


def with_label(
    problem: Diagnostic, entry: Entry | None, param: ParamSpec, language: str
) -> Diagnostic:
    """Return a finding about the value of a parameter that calls it as the form does, with the
    name for the command line where that is another: ``Learning rate (lr)``.
    """
    if not problem.code.startswith("C") or problem.params.get("name") != param.name:
        return problem
    label = param_label(entry, param, language)
    if label.casefold().replace(" ", "_") != param.name.casefold():
        opening, closing = _BRACKETS.get(language, (" (", ")"))
        label = f"{label}{opening}{param.name}{closing}"
    return msgspec.structs.replace(problem, params={**problem.params, "name": label})


def _key(entry: Entry) -> str:
    return f"{entry.group}.{entry.key}"


def _param_text(entry: Entry | None, param: ParamSpec, language: str) -> ParamText:
    params = translation(language).params
    names = [param.name]
    if entry is not None:
        names = [f"{_key(entry)}.{param.name}", f"{entry.group}.{param.name}", param.name]
    return next((params[name] for name in names if name in params), ParamText())


def _params(entry: Entry, language: str) -> str:
    """Return the parameters as a list, which fits a narrow panel too: facts, then the meaning."""
    default, required, _ = _WORDS.get(language, _WORDS["en"])
    lines: list[str] = []
    for param in entry.params:
        value = f"{default} `{format_value(AUTO if param.required else param.default)}`"
        facts = [f"**{param.name}**", required if param.required and not param.auto else value]
        facts += filter(None, [_limits(param)])
        text = param_help(entry, param, language).replace("\n", " ")
        lines.append(f"- {' · '.join(facts)}" + (f" — {text}" if text else ""))
    return "\n".join(lines)


def _limits(param: ParamSpec) -> str:
    bounds = range_of(param)
    return ", ".join((*(() if bounds == "x" else (bounds,)), *param.choices))
