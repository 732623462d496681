"""What a process that imports a model is asked for, and what it tells while it is at it."""

from typing import Annotated, Literal

import msgspec

from engine.diagnostics import Diagnostic

Stage = Literal["start", "download", "read", "build", "follow", "compare", "write"]
Plain = bool | int | float | str | None
Argument = Plain | list[Plain]
Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 53)]
MOST_PROBLEMS = 1000
Problems = Annotated[tuple[Diagnostic, ...], msgspec.Meta(max_length=MOST_PROBLEMS)]
Reasons = Annotated[Problems, msgspec.Meta(min_length=1)]
STAGES: tuple[Stage, ...] = ("start", "download", "read", "build", "follow", "compare", "write")


class InputSize(msgspec.Struct, frozen=True, kw_only=True):
    """One input of a model: its sizes without the batch, and the type of its elements."""

    shape: tuple[int, ...]
    dtype: str = "float32"


class Download(msgspec.Struct, frozen=True, kw_only=True):
    """A file of trained weights: the name in torchvision's enum, where it is, how its sha256
    begins.
    """

    name: str
    url: str
    digest: str


class ImportRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A model: a name of torchvision, ``FILE.py::Class`` or a ``.pt2`` file, which knows its inputs
    itself; and its inputs, empty for the usual.

    ``arguments`` go to the constructor. Weights come from ``download`` or from ``weights_file``;
    without either they are random. ``prefix`` is put before their names, and those of ``beside``,
    a safetensors file, are written with them: for a model that becomes a part of another.
    """

    model: str
    inputs: tuple[InputSize, ...] = ()
    arguments: dict[str, Argument] = {}
    download: Download | None = None
    weights_file: str = ""
    prefix: str = ""
    beside: str = ""


def is_exported(model: str) -> bool:
    """Return whether a model is a file of ``torch.export.save``."""
    return model.lower().endswith(".pt2")


class ImportProgress(msgspec.Struct, frozen=True, kw_only=True, tag="progress"):
    """What is being done; of a download ``done`` of ``total`` bytes (0: not known)."""

    stage: Stage
    done: Count = 0
    total: Count = 0


class ImportFailed(msgspec.Struct, frozen=True, kw_only=True, tag="failed"):
    """Why nothing was imported."""

    problems: Reasons


class ImportDone(msgspec.Struct, frozen=True, kw_only=True, tag="done"):
    """It is written; what the user should hear about it."""

    notices: Problems = ()


ImportMessage = ImportProgress | ImportFailed | ImportDone
