"""The work of the process that imports a model: built, given its weights, followed, compared."""

import ast
import importlib.util
import os
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import torch
from torch import Tensor, nn

from engine.archive.weights import copy_fitting, read_safetensors, write_weights
from engine.catalog.code.advice import advice
from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError, Severity
from engine.export.load import read_weights
from engine.files import atomic_write, read_file
from engine.graph import codec
from engine.graph.model import Graph
from engine.graph.node_state.initialization import WEIGHT_SUFFIXES
from engine.importer.module import follow_module, require_same_results
from engine.runtime.importing import torchvision_model
from engine.runtime.importing.download import fetch
from engine.runtime.importing.request import (
    MOST_PROBLEMS,
    ImportDone,
    ImportMessage,
    ImportProgress,
    ImportRequest,
    InputSize,
    Stage,
    is_exported,
)
from engine.sandbox.confinement import confine

_OF_CODE = ("I002", "I023", "I047")  # what may come from a mistake in the code of a class
_LONGEST_REASON = 200
_MOST_NAMES = 5
_MISTAKES = ("U040", "U041")
_MEMORY = 8 << 30  # beside the tensors that a program computes, and its weights
_TIMES_IN_MEMORY = 6  # as bytes, as tensors, in the model that is built, and as they are written
_FILE = 1 << 30
_TIMES_IN_FILE = 8  # a weight of several names is written under each
_SECONDS = 3600  # of each processor
_BETWEEN_S = 0.1  # two words about how far a download is

Say = Callable[[ImportMessage], None]


class ModelImport:
    """One import, in the folder that holds ``request.json``; leaves ``graph.json`` and
    ``imported.safetensors`` there.
    """

    def __init__(self, folder: Path, say: Say) -> None:
        self._folder = folder
        self._say = say
        content = read_file(folder / "request.json")
        self._request = decode_json(content, ImportRequest)
        self._notices: list[Diagnostic] = []
        self._said = 0.0

    def confine(self) -> None:
        """Hold this process to reading the file and writing its folder, where the file is one that
        is read as data. The code of a Python file is the user's own, and may do what it likes.
        """
        if not is_exported(self._request.model):
            return
        from engine.importer import pt2  # what it loads can be loaded no more afterwards

        tempfile.tempdir = str(self._folder)  # PyTorch looks for such a place
        files = [Path(name) for name in (self._request.model, self._request.beside) if name]
        size = sum(file.stat().st_size for file in files if file.is_file())
        confine(
            files,
            (self._folder,),
            memory=pt2.LARGEST_BYTES + _MEMORY + _TIMES_IN_MEMORY * size,
            seconds=_SECONDS * (os.cpu_count() or 1),
            file_size=_FILE + _TIMES_IN_FILE * size,
        )

    def run(self) -> None:
        """Import what the request asks for. Raises :class:`DiagnosticError`; of a class with the
        mistakes first that can be read in its file.
        """
        try:
            self._import()
        except DiagnosticError as error:
            if error.problems[0].code in _OF_CODE and ".py::" in self._request.model:
                raise DiagnosticError(*_mistakes(self._request.model), *error.problems) from error
            raise

    def _import(self) -> None:
        request = self._request
        torch.manual_seed(0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what old models say about themselves is no news here
            graph, module = self._exported() if is_exported(request.model) else self._followed()
        self._begin("write")
        weights = {f"{request.prefix}{name}": value for name, value in module.state_dict().items()}
        beside = read_safetensors(Path(request.beside)) if request.beside else {}
        write_weights(beside | weights, self._folder / "imported.safetensors")
        document = msgspec.json.encode(codec.to_document(graph))
        atomic_write(self._folder / "graph.json", document)
        self._say(ImportDone(notices=tuple(self._notices[:MOST_PROBLEMS])))

    def _followed(self) -> tuple[Graph, nn.Module]:
        """Build a model, follow its forward, and compare the results."""
        module, sizes = self._model()
        inputs = [_example(size) for size in self._request.inputs or sizes]
        self._begin("follow")
        followed = follow_module(module, inputs)
        params: dict[str, str | int | float] = {"model": type(module).__name__}
        for code, is_so in (("I035", followed.is_recorded), ("I036", followed.is_detector)):
            if is_so:
                self._tell(Diagnostic(code=code, severity=Severity.WARNING, params=params))
        self._begin("compare")
        require_same_results(followed.graph, module, inputs)
        return followed.graph, module

    def _exported(self) -> tuple[Graph, nn.Module]:
        """Read a program of ``torch.export`` as data; compare in the mode it was exported in."""
        from engine.importer.pt2 import from_exported

        self._begin("follow")
        file = Path(self._request.model)
        found = from_exported(file)
        for code, names in (("I037", found.unread), ("I038", found.added)):
            params: dict[str, str | int | float] = {
                "file": file.name,
                "count": len(names),
                "names": ", ".join(names[:_MOST_NAMES]),
            }
            if names:
                self._tell(Diagnostic(code=code, severity=Severity.WARNING, params=params))
        self._begin("compare")
        require_same_results(found.graph, found.module, found.inputs, (found.mode,))
        return found.graph, found.module

    def _begin(self, stage: Stage) -> None:
        self._say(ImportProgress(stage=stage))

    def _model(self) -> tuple[nn.Module, Sequence[InputSize]]:
        request = self._request
        if ".py::" in request.model:
            self._begin("build")
            module = _of_file(request.model, dict(request.arguments))
            if request.weights_file:
                self._take(module, Path(request.weights_file))
            return module, (InputSize(shape=(3, 224, 224)),)
        _require_model(request.model)
        torchvision_model.require_known(request.model)
        return self._of_torchvision(), torchvision_model.usual_inputs(request.model)

    def _of_torchvision(self) -> nn.Module:
        request = self._request
        name, file = "", Path(request.weights_file)
        if request.download is not None:
            name, file = request.download.name, fetch(request.download, self._folder, self._count)
        elif request.weights_file:
            self._begin("read")
            name = torchvision_model.published(request.model, file) if file.is_file() else ""
        self._begin("build")
        if not name:
            module = torchvision_model.untrained(request.model, dict(request.arguments))
            if request.weights_file:
                self._take(module, file)
            return module
        module = torchvision_model.trained(request.model, name, file, self._folder)
        if not request.arguments:
            return module
        other = torchvision_model.untrained(request.model, dict(request.arguments))
        self._tell(copy_fitting(other, module.state_dict(), file.name))
        return other

    def _take(self, module: nn.Module, file: Path) -> None:
        _, weights, _ = read_weights(file)
        self._tell(copy_fitting(module, weights, file.name))

    def _tell(self, notice: Diagnostic | None) -> None:
        if notice is not None:
            self._notices.append(notice)

    def _count(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done in (0, total) or now - self._said > _BETWEEN_S:
            self._said = now
            self._say(ImportProgress(stage="download", done=done, total=total))


def _example(size: InputSize) -> Tensor:
    dtype: torch.dtype = getattr(torch, size.dtype)
    if dtype.is_floating_point:
        return torch.randn((2, *size.shape)).to(dtype)
    return torch.zeros((2, *size.shape), dtype=dtype)


def _require_model(name: str) -> None:
    """Raise :class:`DiagnosticError` for what no model is made of by itself: I058 for a file of
    weights, I059 for Python code without a class.
    """
    path = Path(name)
    if path.suffix.lower() in WEIGHT_SUFFIXES:
        raise DiagnosticError.of("I058", field="model", name=path.name)
    if path.suffix.lower() == ".py":
        raise DiagnosticError.of("I059", field="model", name=path.name)


def _of_file(place: str, arguments: dict[str, object]) -> nn.Module:
    file, _, name = place.partition("::")
    path = Path(file).absolute()
    sys.path.insert(0, str(path.parent))  # so that it finds the files beside it
    try:
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None
        assert spec.loader is not None
        code = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = code
        spec.loader.exec_module(code)
        kind = getattr(code, name, None)
        if not isinstance(kind, type) or not issubclass(kind, nn.Module):
            raise _refused("I022", file, name)
        return kind(**arguments)
    except DiagnosticError:
        raise
    except FileNotFoundError as error:
        raise _refused("I021", file, name, str(error)) from error
    except Exception as error:  # the code of a stranger raises what it likes
        detail = f"{type(error).__name__}: {error}"
        raise _refused("I047" if arguments else "I023", file, name, detail) from error


def _mistakes(place: str) -> list[Diagnostic]:
    """Return what keeps PyTorch from finding layers of a class, or of the others in its file."""
    file, _, name = place.partition("::")
    text = read_file(Path(file)).decode("utf-8", "replace")
    found = [one for one in advice(Path(file).name, text) if one.code in _MISTAKES]
    lines = [
        range(part.lineno, (part.end_lineno or part.lineno) + 1)
        for part in (ast.parse(text).body if found else ())
        if isinstance(part, ast.ClassDef) and part.name == name
    ]
    own = [one for one in found if any(one.params["line"] in part for part in lines)]
    return [msgspec.structs.replace(one, severity=Severity.ERROR) for one in own or found]


def _refused(code: str, file: str, name: str, detail: str = "") -> DiagnosticError:
    reason = detail.partition("\n")[0][:_LONGEST_REASON]
    return DiagnosticError.of(code, detail=detail, file=Path(file).name, name=name, reason=reason)
