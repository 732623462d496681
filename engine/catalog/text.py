"""The words of the catalogue in a language: labels, summaries, tooltips and help.

English stands in the entries; ``resources/catalog/<language>.json`` holds translations with the
sections ``categories``, ``labels`` and ``summaries`` (by ``group.key``), and ``params`` (by
``group.key.name``, by ``group.name`` or, shared, by ``name``). What is missing falls back to
English. The documentation of layers stays in PyTorch's own words.
"""

from functools import cache
from pathlib import Path

import msgspec

from engine.catalog.spec import AUTO, Entry, ParamSpec
from engine.catalog.validate import format_value, range_of

LANGUAGES = ("zh_CN",)
"""The languages besides English."""

_FOLDER = Path(__file__).parents[2] / "resources" / "catalog"
_WORDS = {
    "en": ("Parameter", "Default", "Range", "Meaning", "required", ""),
    "zh_CN": ("参数", "默认值", "范围", "含义", "必填", "> 以下为 PyTorch 的原文文档。\n\n"),
}


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


@cache
def translation(language: str) -> Translation:
    """Return what is translated into a language: nothing for English and unknown ones."""
    path = _FOLDER / f"{language}.json"
    if language not in LANGUAGES:
        return Translation()
    return msgspec.json.decode(path.read_bytes(), type=Translation)


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
    return f"{words[5]}{entry.doc}" if entry.doc else ""


def entry_help(entry: Entry, language: str) -> str:
    """Return the help page of an entry, as Markdown: summary, parameters, documentation."""
    parts = [f"# {entry_label(entry, language)}", entry_summary(entry, language)]
    if entry.params:
        parts.append(_table(entry, language))
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


def _key(entry: Entry) -> str:
    return f"{entry.group}.{entry.key}"


def _param_text(entry: Entry | None, param: ParamSpec, language: str) -> ParamText:
    params = translation(language).params
    names = [param.name]
    if entry is not None:
        names = [f"{_key(entry)}.{param.name}", f"{entry.group}.{param.name}", param.name]
    return next((params[name] for name in names if name in params), ParamText())


def _table(entry: Entry, language: str) -> str:
    head, default, bounds, meaning, required, _ = _WORDS.get(language, _WORDS["en"])
    rows = [f"| {head} | {default} | {bounds} | {meaning} |", "|---|---|---|---|"]
    for param in entry.params:
        value = f"`{format_value(AUTO if param.required else param.default)}`"
        value = required if param.required and not param.auto else value
        limits = _limits(param)
        text = param_help(entry, param, language).replace("|", "\\|").replace("\n", " ")
        rows.append(f"| `{param.name}` | {value} | {limits} | {text} |")
    return "\n".join(rows)


def _limits(param: ParamSpec) -> str:
    bounds = range_of(param)
    return ", ".join((*(() if bounds == "x" else (bounds,)), *param.choices))
