"""Pages of the manual, its words on a setting, and the table of shortcuts."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from engine.catalog.check import range_of
from engine.catalog.spec import Entry, ParamSpec
from engine.catalog.text import entry_help, param_help, param_label
from engine.catalog.validate import format_value
from engine.spec.choice import Code
from engine.spec.field_entry import chosen_of_field
from engine.spec.fields import fields
from engine.spec.length import LENGTHS
from engine.spec.run import RunSpec
from engine.spec.technique import TECHNIQUES
from studio.command.command import Command
from studio.i18n import QT_TRANSLATE_NOOP, translate, without_mnemonic
from widgets.forms.view_model import FieldView

_FOLDER = Path(__file__).parents[2] / "resources" / "help"
_KEYBOARD = "keyboard"

_TOPICS = (  # the first prefix that fits the name of a setting leads to its page
    ("data.split", "split"),
    ("data.loader", "loader"),
    ("data.collate", "loader"),
    ("data.transforms", "transforms"),
    ("data.batch_transforms", "transforms"),
    ("data.normalization", "normalization"),
    ("data.source", "data"),
    ("data", "batch"),
    ("losses", "loss"),
    ("groups", "fine-tuning"),
    ("optimizer", "optimizer"),
    ("schedule", "scheduler"),
    *((name, "epoch") for name in ("length", *LENGTHS, "validate_every")),
    ("seed", "seed"),
    ("deterministic", "seed"),
    ("device", "device"),
    ("mode", "processes"),
    ("threads", "device"),
    ("nproc", "processes"),
    ("processes", "processes"),
    ("watch", "inspect"),
    ("compute", "precision"),
    ("metrics", "metric"),
    ("clip", "clipping"),
    ("non_finite", "clipping"),
    *((name, "techniques") for name in (*TECHNIQUES, "phase")),
    ("checkpoint", "checkpoint"),
    ("weights", "import"),
)

_DIALOGS = (  # the first beginning that fits the name of a dialog leads to its page
    ("dialog.finetune", "fine-tuning"),
    ("dialog.head", "fine-tuning"),
    ("dialog.width", "fine-tuning"),
    ("dialog.import", "import"),
    ("dialog.weights", "import"),
    ("dialog.teacher", "techniques"),
    ("dialog.serve", "export"),
    ("dialog.library", "blocks"),
    ("dialog.cluster", "processes"),
    ("dialog.remote", "processes"),
    ("dialog.known_machines", "processes"),
    ("dialog.outline", "blocks"),
    ("dialog.models", "model"),
    ("dialog.speed", "precision"),
    ("dialog.seeds", "seed"),
    ("dialog.rate", "finder"),
    ("dialog.batch", "finder"),
    ("dialog.loading", "data"),
    ("dialog.transforms", "data"),
    ("dialog.data_roots", "data"),
    ("dialog.devices", "device"),
    ("dialog.installation", "device"),
    ("dialog.new", "welcome"),
    ("dialog.preferences", "preferences"),
    ("dialog.", "welcome"),
    ("question.running", "train"),
    ("question.import", "import"),
    ("question.", "files"),
)

CANVAS_KEYS: tuple[tuple[str, str], ...] = (
    ("Tab", QT_TRANSLATE_NOOP("Help", "Search for a layer and add it")),
    ("← → ↑ ↓", QT_TRANSLATE_NOOP("Help", "Move between nodes")),
    ("C", QT_TRANSLATE_NOOP("Help", "Connect the selected node")),
    ("P", QT_TRANSLATE_NOOP("Help", "Pin or unpin the selected nodes")),
    ("W", QT_TRANSLATE_NOOP("Help", "Move along the wires of the selected node")),
    ("Enter", QT_TRANSLATE_NOOP("Help", "Go to the settings of the selected node")),
    ("Esc", QT_TRANSLATE_NOOP("Help", "Cancel, or clear the selection")),
    ("Z", QT_TRANSLATE_NOOP("Help", "Zoom to the selection")),
    ("1", QT_TRANSLATE_NOOP("Help", "Actual size")),
    ("G", QT_TRANSLATE_NOOP("Help", "Snap to grid")),
    ("M", QT_TRANSLATE_NOOP("Help", "Minimap")),
)

PANEL_KEYS: tuple[tuple[str, str], ...] = (
    ("Tab", QT_TRANSLATE_NOOP("Help", "Move to the next visible field or button")),
    ("Shift+Tab", QT_TRANSLATE_NOOP("Help", "Move to the previous one, also from the canvas")),
    ("Esc", QT_TRANSLATE_NOOP("Help", "Restore the value of a setting, then return to the page")),
)

EDITOR_KEYS: tuple[tuple[str, str], ...] = (
    ("Tab", QT_TRANSLATE_NOOP("Help", "Indent")),
    ("Shift+Tab", QT_TRANSLATE_NOOP("Help", "Outdent")),
    ("Esc, Tab", QT_TRANSLATE_NOOP("Help", "Leave the editor for the next control")),
    ("Esc, Shift+Tab", QT_TRANSLATE_NOOP("Help", "Leave the editor for the previous control")),
    ("Ctrl+Space", QT_TRANSLATE_NOOP("Help", "Show suggestions")),
    ("Ctrl+/", QT_TRANSLATE_NOOP("Help", "Toggle line comment")),
    ("Ctrl+D", QT_TRANSLATE_NOOP("Help", "Duplicate line")),
    ("Ctrl+H", QT_TRANSLATE_NOOP("Help", "Replace")),
    ("Ctrl+Enter", QT_TRANSLATE_NOOP("Help", "Check or run now")),
)


@dataclass(frozen=True, kw_only=True)
class PageView:
    """A page of the manual in the list of contents; ``text`` is what a search looks through."""

    name: str
    title: str
    text: str


@cache
def page_names() -> tuple[str, ...]:
    """Return the names of all pages in the order of the contents."""
    return tuple(json.loads((_FOLDER / "contents.json").read_text(encoding="utf-8")))


def page_text(name: str, language: str, commands: Iterable[Command] = ()) -> str:
    """Return a page as Markdown. Raises KeyError for a page that is not in the contents."""
    if name not in page_names():
        raise KeyError(name)
    if name == _KEYBOARD:
        return present_keyboard(commands)
    return (_FOLDER / language / f"{name}.md").read_text(encoding="utf-8")


def present_contents(language: str, commands: Iterable[Command]) -> tuple[PageView, ...]:
    """Return all pages with their titles."""
    given = tuple(commands)
    texts = ((name, page_text(name, language, given)) for name in page_names())
    return tuple(
        PageView(name=name, title=text.partition("\n")[0].removeprefix("# "), text=text)
        for name, text in texts
    )


def present_keyboard(commands: Iterable[Command]) -> str:
    """Return the page of all keys, made from the table of commands."""
    rows = [
        (without_mnemonic(translate("Action", command.title)), command.keys)
        for command in commands
        if command.keys
    ]
    heading = translate("Help", "Keyboard")
    keys, command = translate("Help", "Keys"), translate("Help", "Command")
    head = f"| {keys} | {command} |\n|---|---|"
    lines = [f"| {' · '.join(f'`{key}`' for key in given)} | {text} |" for text, given in rows]
    lines = [f"# {heading}\n", head, *lines]
    for title, known in (
        (translate("Help", "On the canvas"), CANVAS_KEYS),
        (translate("Help", "In settings and panels"), PANEL_KEYS),
        (translate("Help", "In code"), EDITOR_KEYS),
    ):
        told = [f"| `{key}` | {translate('Help', text)} |" for key, text in known]
        lines += [f"\n## {title}\n", head, *told]
    return "\n".join(lines)


def topic_of(name: str) -> str:
    """Return the page that explains the concept behind a setting."""
    return next(page for prefix, page in _TOPICS if name.startswith(prefix))


def page_of_tab(workspace: str, name: str) -> str:
    """Return the page of the manual on what a page of a workspace shows, by its name."""
    if name in ("queue", "projects"):
        return "search"
    return name if name in page_names() else workspace


def page_of_dialog(name: str) -> str:
    """Return the page on what a dialog is for; empty for the manual itself and for what is Qt's."""
    if name == "dialog.help":
        return ""
    return next((page for start, page in _DIALOGS if name.startswith(start)), "")


def present_setting(spec: RunSpec, view: FieldView, language: str, code: Code) -> str:
    """Return the help for a setting of the run specification: its own, then its concept.

    ``view`` is the field as the form shows it. Raises StopIteration for a name that is no setting.
    """
    field = fields(spec, code).get(view.name)
    entry = chosen_of_field(spec, view.name, code)
    parts = [f"# {view.label}", view.help, _facts(field.param) if field else ""]
    parts.append(_deeper(page_text(topic_of(view.name), language)))
    if entry is not None:
        parts.append(_deeper(entry_help(entry, language)))
    return "\n\n".join(filter(None, parts))


def present_param(entry: Entry, name: str, language: str) -> str:
    """Return the help for a parameter of a layer: its own, then its layer's."""
    param = entry.param(name)
    if param is None:
        return entry_help(entry, language)
    title = param_label(entry, param, language)
    help_text = param_help(entry, param, language)
    parts = (f"# {title}", help_text, _facts(param), _deeper(entry_help(entry, language)))
    return "\n\n".join(filter(None, parts))


def _deeper(text: str) -> str:
    """Return a page as a section of another."""
    return f"#{text}" if text.startswith("# ") else text


def _facts(param: ParamSpec) -> str:
    """Return name, default and range of a parameter as one line."""
    bounds = range_of(param)
    facts = [f"`{param.name}`"]
    if not param.required:
        default = translate("Help", "default {value}")
        facts.append(default.format(value=f"`{format_value(param.default)}`"))
    if bounds != "x":
        facts.append(translate("Help", "range {value}").format(value=f"`{bounds}`"))
    if param.choices:
        choices = ", ".join(f"`{choice}`" for choice in param.choices[:12])
        facts.append(translate("Help", "one of {values}").format(values=choices))
    return " · ".join(facts)
