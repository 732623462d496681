"""A model of torchvision or of a Python file as a graph with weights. The code of the model runs in
a process of its own, never in this one; nothing is left of an import that fails or is given up.
"""

import contextlib
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

import msgspec

from engine.catalog.code.offered import disallowed_syntax
from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError, printable
from engine.files import (
    DOCUMENT_BYTES,
    UNDECODABLE,
    TooLargeError,
    atomic_write,
    copy_file,
    has_too_many_values,
    open_file,
    read_file,
)
from engine.graph import codec
from engine.graph.model import Graph
from engine.project import Project
from engine.project.project import FILE_NAME
from engine.runtime.importing.request import (
    ImportDone,
    ImportFailed,
    ImportMessage,
    ImportProgress,
    ImportRequest,
    InputSize,
    is_exported,
)
from engine.runtime.job.job import Ending, Job, module_command
from engine.spec.run import RunSpec

WEIGHTS = "weights/imported.safetensors"
"""Where the weights of an imported model stand in its project."""

_COMMAND = module_command("engine.runtime.importing.process")
_LONGEST_LINE = 16 << 20
_MOST_WORDS = 1000  # of a process that reads a file: it downloads nothing

Result = TypeVar("Result")


class Imported(NamedTuple):
    """A model, the file of its weights, which goes when the import ends, and what to hear of it."""

    graph: Graph
    weights: Path
    notices: tuple[Diagnostic, ...]


class ImportJob(Generic[Result]):
    """One import in a process of its own, followed by a thread.

    ``keep`` is called in that thread with what was imported and puts it where it stays; what it
    returns is the result. ``on_progress`` is called in that thread, too.
    """

    def __init__(
        self,
        request: ImportRequest,
        keep: Callable[[Imported], Result],
        on_progress: Callable[[ImportProgress], object] = lambda _: None,
    ) -> None:
        self._request = request
        self._keep = keep
        self._on_progress = on_progress
        self._job: Job | None = None
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._work, name="import", daemon=True)
        self.future: Future[Result] = Future()

    def start(self) -> "Future[Result]":
        """Begin; the future raises :class:`DiagnosticError` where nothing could be imported."""
        self._thread.start()
        return self.future

    def cancel(self) -> bool:
        """Give it up: the process is ended, nothing is kept. False where it is too late."""
        with self._lock:
            is_cancelled = self.future.cancel()
            if is_cancelled and self._job is not None:
                self._job.kill()
        return is_cancelled

    def close(self) -> None:
        """Give it up and wait until nothing is left of it."""
        self.cancel()
        if self._thread.ident is not None:
            self._thread.join()

    def run(self) -> Result:
        """Do it here and now. Raises :class:`DiagnosticError`."""
        self._work()
        return self.future.result()

    def _work(self) -> None:
        try:
            with tempfile.TemporaryDirectory(prefix="import-", ignore_cleanup_errors=True) as made:
                imported = self._import(Path(made))
                if self.future.set_running_or_notify_cancel():
                    self.future.set_result(self._keep(imported))
        except DiagnosticError as error:
            self._fail(error)
        except OSError as error:  # no room for the folder, or no process to be had
            self._fail(DiagnosticError(Diagnostic(code="E015", detail=str(error))))

    def _fail(self, error: DiagnosticError) -> None:
        if self.future.running() or self.future.set_running_or_notify_cancel():
            self.future.set_exception(error)

    def _import(self, place: Path) -> Imported:
        atomic_write(place / "request.json", msgspec.json.encode(self._request))
        message, ending = self._follow(place)
        if isinstance(message, ImportFailed):
            raise DiagnosticError(*message.problems)
        if not isinstance(message, ImportDone):
            raise self._unanswered(ending.code, ending.words)
        try:
            graph = _graph(place)
            weights = _own_file(place / "imported.safetensors")
        except (OSError, *UNDECODABLE) as error:
            raise self._unanswered(ending.code, f"{type(error).__name__}: {error}") from error
        self._require_offered(graph)
        return Imported(graph, weights, message.notices)

    def _unanswered(self, code: int, detail: str) -> DiagnosticError:
        """Return that the process did not do what it was there for."""
        return DiagnosticError.of(
            "I024", detail=printable(detail), model=self._request.model, code=code
        )

    def _require_offered(self, graph: Graph) -> None:
        """Refuse code that does more than a program may (I039): it is trusted without being asked
        about, and the process that wrote it was the one that read the file.
        """
        if not is_exported(self._request.model):
            return
        foreign = disallowed_syntax(graph.code)
        if foreign:
            raise DiagnosticError.of("I039", file=Path(self._request.model).name, operation=foreign)

    def _follow(self, place: Path) -> tuple[ImportMessage | None, Ending]:
        """Run the process and return the last it said and how it ended."""
        with self._lock:
            if self.future.cancelled():
                return None, Ending(0, "")
            job = self._job = Job((*_COMMAND, str(place)))
        try:
            message = self._last_message(job)
        finally:
            ending = job.end()
        return message, ending

    def _last_message(self, job: Job) -> ImportMessage | None:
        """Return the last that the process says; None where it does not say what it should."""
        message: ImportMessage | None = None
        for number, line in enumerate(iter(lambda: job.output.readline(_LONGEST_LINE), b"")):
            is_talk = number >= _MOST_WORDS and is_exported(self._request.model)
            message = None if is_talk else _message(line)
            if not isinstance(message, ImportProgress):
                job.kill()  # nothing is waited for any more
                break
            self._on_progress(message)
        return message


def _graph(place: Path) -> Graph:
    """Return the graph that was left in a folder. Raises ``OSError`` and what decoding raises."""
    file = place / "graph.json"
    text = read_file(file, follow=False)
    if has_too_many_values(text):
        raise TooLargeError(file, DOCUMENT_BYTES)
    return codec.from_document(decode_json(text, object))


def _own_file(path: Path) -> Path:
    """Return a file that lies where it is, and not elsewhere. Raises ``OSError``."""
    open_file(path, follow=False).close()
    return path


def _message(line: bytes) -> ImportMessage | None:
    try:
        return decode_json(line, ImportMessage)
    except UNDECODABLE:
        return None


def import_model(
    model: str, folder: Path, inputs: Sequence[InputSize] = (), weights: Path | None = None
) -> Project:
    """Make a project of a model, with its weights; it computes the same to the last bit.

    ``model`` is a name of torchvision, ``FILE.py::Class`` (made without arguments) or a ``.pt2``
    file; its weights are those of the file ``weights``, where there is one. Raises
    :class:`DiagnosticError`: I0xx with all that stands in the way, P019 for a folder in use; then
    nothing is made.
    """
    request = ImportRequest(
        model=model, inputs=tuple(inputs), weights_file="" if weights is None else str(weights)
    )
    is_new = not folder.exists()
    Project.require_free(folder)
    if is_new:
        folder.rmdir()  # it can be made, and is made when there is something to put into it
    return ImportJob(request, lambda imported: new_project(imported, folder)).run()


def new_project(imported: Imported, folder: Path) -> Project:
    """Make a project of what was imported, whole or not at all; its notices are the import's.

    Raises :class:`DiagnosticError`.
    """
    is_new = not folder.exists()
    project = Project.create(folder)
    try:
        copy_file(imported.weights, project.path / WEIGHTS)
        project.graph, project.spec = imported.graph, RunSpec(weights=WEIGHTS)
        project.notices = (*project.notices, *imported.notices)
        project.save()
    except DiagnosticError:
        _take_away(folder, keep_folder=not is_new)
        raise
    return project


def _take_away(folder: Path, *, keep_folder: bool) -> None:
    """Remove a project that did not become whole; of what else is in its folder nothing."""
    weights = folder / WEIGHTS
    for file in (folder / FILE_NAME, weights):
        with contextlib.suppress(OSError):
            file.unlink()
    for place in (weights.parent, *([] if keep_folder else [folder])):
        with contextlib.suppress(OSError):
            place.rmdir()
