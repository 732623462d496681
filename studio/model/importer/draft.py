"""Draft of an import: what is chosen and typed, and the request that it becomes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from engine.catalog.zoo import ZooModel
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.runtime import Download, ImportRequest, ModelClass, parse_arguments, parse_inputs
from engine.runtime.importing.request import Argument

Source = Literal["zoo", "file", "program"]
FROM_FILE = "file"
"""The choice of weights that means a file of the user's."""
RANDOM = "random"
WITH_DETAIL = ("I010", "I024", "I050")
"""Findings that are told with what Python said: the code is the user's, or a stranger's."""

_MOST_CLASSES = 1_000_000
_FIELDS = {
    "I010": "inputs",
    "I021": "file",
    "I022": "class_name",
    "I023": "class_name",
    "I047": "arguments",
    "P019": "name",
}


@dataclass(frozen=True, kw_only=True)
class ImportDraft:
    """What the user has chosen and typed so far, as texts."""

    source: Source = "zoo"
    model: str = ""  # of the zoo
    file: str = ""  # of Python, or a program of torch.export
    class_name: str = ""
    arguments: str = ""
    weights: str = RANDOM
    weights_file: str = ""
    classes: str = ""
    inputs: str = ""
    is_block: bool = False
    name: str = ""
    folder: str = ""


def request_of(
    draft: ImportDraft, model: ZooModel | None, classes: Sequence[ModelClass]
) -> ImportRequest:
    """Return what a draft asks for; ``model`` is the one of the zoo, ``classes`` are those of the
    file. Raises :class:`DiagnosticError` with the field that is wrong.
    """
    inputs = () if draft.source == "program" else parse_inputs(draft.inputs)
    if not draft.is_block:
        _require_place(draft)
    if draft.weights == FROM_FILE and not draft.weights_file:
        raise _wrong("I054", "weights_file")
    file = str(typed_path(draft.weights_file)) if draft.weights == FROM_FILE else ""
    weights = model.find_weights(draft.weights) if model is not None else None
    return ImportRequest(
        model=_model_name(draft, model),
        inputs=inputs,
        arguments=_arguments(draft, model, classes),
        download=Download(name=weights.name, url=weights.url, digest=weights.digest)
        if weights is not None
        else None,
        weights_file=file,
    )


def field_of(problem: Diagnostic, draft: ImportDraft) -> str:
    """Return the field that is to blame for a finding; empty where none is."""
    weights = "weights_file" if draft.weights == FROM_FILE else "weights"
    if problem.field == "weights" or problem.code.startswith(("K0", "X0")):
        return weights
    if problem.code in ("I040", "I041", "I042", "I043", "I046"):
        return weights
    if draft.source == "program" and problem.code.startswith("I0"):
        return "file"
    name = problem.field or _FIELDS.get(problem.code, "")
    is_shown = name not in ("file", "class_name", "arguments") or draft.source == "file"
    return name if is_shown else ""


def typed_path(text: str) -> Path:
    """Return the path that a text means, ``~`` being the user's own folder."""
    try:
        return Path(text).expanduser()
    except RuntimeError:  # ~name of a user that there is not
        return Path(text)


def is_chosen(draft: ImportDraft) -> bool:
    """Return whether it is known what is to be imported."""
    return bool({"zoo": draft.model, "file": draft.class_name, "program": draft.file}[draft.source])


def model_title(draft: ImportDraft) -> str:
    """Return what the model is called that is chosen."""
    stem = typed_path(draft.file).stem
    return {"zoo": draft.model, "file": draft.class_name, "program": stem}[draft.source]


def _model_name(draft: ImportDraft, model: ZooModel | None) -> str:
    if model is not None:
        return model.name
    path = typed_path(draft.file).absolute()
    return str(path) if draft.source == "program" else f"{path}::{draft.class_name}"


def _arguments(
    draft: ImportDraft, model: ZooModel | None, classes: Sequence[ModelClass]
) -> dict[str, Argument]:
    if model is not None:
        return _zoo_arguments(draft, model)
    return _class_arguments(draft, classes) if draft.source == "file" else {}


def _class_arguments(draft: ImportDraft, classes: Sequence[ModelClass]) -> dict[str, Argument]:
    arguments = parse_arguments(draft.arguments)
    chosen = next(one for one in classes if one.name == draft.class_name)
    missing = [word for word in chosen.required if word not in arguments]
    if missing:
        raise _wrong("I052", "arguments", names=", ".join(missing))
    return arguments


def _zoo_arguments(draft: ImportDraft, model: ZooModel) -> dict[str, Argument]:
    text = draft.classes
    if not model.classes or text == str(model.classes):
        return {}
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= _MOST_CLASSES):
        raise _wrong("I053", "classes")
    return {"num_classes": int(text)}


def _require_place(draft: ImportDraft) -> None:
    path = typed_path(draft.folder) / draft.name
    if not draft.name or Path(draft.name).name != draft.name:
        raise _wrong("I055", "name")
    try:
        is_taken = path.exists() and not (path.is_dir() and not any(path.iterdir()))
    except (OSError, ValueError):
        return  # making it tells what is wrong
    if is_taken:
        raise _wrong("P019", "name", folder=str(path))


def _wrong(code: str, field: str, **params: str) -> DiagnosticError:
    values: dict[str, str | int | float] = {**params}
    return DiagnosticError(Diagnostic(code=code, field=field, params=values))
