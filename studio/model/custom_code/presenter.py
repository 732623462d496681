"""Views of custom code: files with their problems, and names to complete with."""

import re
from collections.abc import Iterable, Mapping, Sequence

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup
from engine.catalog.text import entry_label, entry_summary
from engine.diagnostics import Diagnostic, sentence
from engine.graph.code import CODE_PREFIX, TEXT_FILES, file_of
from studio.i18n import translate
from widgets.code.completion import NameView
from widgets.code.file_view import FileView
from widgets.code.mark import MarkView

_GROUPS = (
    EntryGroup.LAYER,
    EntryGroup.OPERATOR,
    EntryGroup.TENSOR,
    EntryGroup.LOSS,
    EntryGroup.INITIALISER,
)
_METHOD = "method:"
_TARGET = re.compile(r"^(?:nn|torch|F)\.[\w.]+$")
_ALWAYS = (
    "nn.Module",
    "nn.Parameter",
    "torch.Tensor",
    "torch.arange",
    "torch.autograd.Function",
    "torch.empty",
    "torch.full",
    "torch.no_grad",
    "torch.ones",
    "torch.rand",
    "torch.randn",
    "torch.tensor",
    "torch.zeros",
    "Tensor",
    "ctx.save_for_backward",
    "ctx.saved_tensors",
    "ctx.needs_input_grad",
    ".backward",
    ".clone",
    ".detach",
    ".device",
    ".dim",
    ".dtype",
    ".item",
    ".ndim",
    ".new_zeros",
    ".numel",
    ".requires_grad",
    ".shape",
    ".size",
)


def present_files(
    code: Mapping[str, str], problems: Sequence[Diagnostic], language: str
) -> tuple[FileView, ...]:
    """Return the files with marks at the lines that problems name."""
    views: list[FileView] = []
    for name, text in code.items():
        if name in TEXT_FILES:
            continue  # it is shown and written where the code of the model is
        found = file_of(code, name)
        own = [problem for problem in problems if problem.params.get("file") == name]
        if found.problem is not None:  # as it is now; the others may be about an earlier text
            own = [found.problem]
        else:
            own = [problem for problem in own if problem.code != "U001"]
        marks = tuple(dict.fromkeys(_mark(problem, language) for problem in own))
        note = marks[0].text if marks else _offer_text(code, name)
        views.append(FileView(name=name, text=text.replace("\r\n", "\n"), marks=marks, note=note))
    return tuple(views)


def _mark(problem: Diagnostic, language: str) -> MarkView:
    line, column = (_number(problem.params.get(name)) for name in ("line", "column"))
    return MarkView(
        line=max(line, 1),
        column=column,
        severity=problem.severity.value,
        text=sentence(problem, language),
    )


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0


def _offer_text(code: Mapping[str, str], name: str) -> str:
    """Return what a file offers, in words."""
    found = file_of(code, name)
    parts = [
        translate("OwnCode", "On the canvas: {names}").format(names=", ".join(found.nodes)),
        translate("OwnCode", "Losses: {names}").format(names=", ".join(found.losses)),
        translate("OwnCode", "Metrics: {names}").format(names=", ".join(found.metrics)),
        translate("OwnCode", "Initializers: {names}").format(names=", ".join(found.initialisers)),
        translate("OwnCode", "Data: {names}").format(
            names=", ".join((*found.data, *found.collates, *found.samplers))
        ),
    ]
    offers = (
        found.nodes,
        found.losses,
        found.metrics,
        found.initialisers,
        (*found.data, *found.collates, *found.samplers),
    )
    shown = [part for part, offer in zip(parts, offers, strict=True) if offer]
    if shown:
        return "   ".join(shown)
    return translate(
        "OwnCode", "This file does not define a layer, tensor function or data set yet."
    )


def definition_line(code: Mapping[str, str], file: str, name: str) -> int:
    """Return the line (from 1) at which a name of a file is defined; 1 where it is not."""
    return file_of(code, file).lines.get(name, 1)


def present_names(entries: Iterable[Entry], language: str) -> tuple[NameView, ...]:
    """Return what PyTorch has, as far as the catalogue knows it, as names to complete with."""
    found: dict[str, NameView] = {}
    known = [entry for group in _GROUPS for entry in catalog().group(group)]
    for entry in (*entries, *known):
        for name in _written(entry):
            note = f"{entry_label(entry, language)}: {entry_summary(entry, language)}"
            found.setdefault(name, NameView(name=name, note=note.rstrip(": ")))
    for name in _ALWAYS:
        found.setdefault(name, NameView(name=name))
    return tuple(found.values())


def _written(entry: Entry) -> tuple[str, ...]:
    """Return how an entry is written in code."""
    if entry.key.startswith(CODE_PREFIX):
        return (entry.label,)
    target = entry.target
    if target.startswith(_METHOD):
        return (f".{target.removeprefix(_METHOD)}",)
    return (target,) if _TARGET.match(target) else ()
