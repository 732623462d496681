"""Documents on disk that hold a graph and a specification, and the numbered folders of them."""

import os
import re
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec
from msgspec.structs import FieldInfo, fields

from engine.decoding import decode_json
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.events import RunCommand, encode_command
from engine.files import (
    UNDECODABLE,
    atomic_write,
    describe_os_error,
    open_append,
    read_json,
    require_no_links,
)
from engine.graph import codec as graph_codec
from engine.graph.model import Graph
from engine.spec import codec as spec_codec
from engine.spec.data_path import with_absolute_paths, with_relative_paths
from engine.spec.run import RunSpec

FORMAT = 1
_MAKING_S = 60.0  # that another program may take to fill a folder
_FAR = 10**9  # a folder of a number that nobody reached does not number those to come
_CODECS: dict[str, Any] = {"graph": graph_codec, "spec": spec_codec}

Document = TypeVar("Document", bound=msgspec.Struct)


class DocumentCodec(Generic[Document]):
    """Codec of one class of documents. A file has its ``format`` and the fields of the class, with
    graph and specification as their own codecs write them; ``outside`` are fields that the file
    does not hold. The field ``label`` names a document that a newer version of the program wrote;
    without one it is read all the same.
    """

    def __init__(
        self, kind: type[Document], *, label: str = "", outside: tuple[str, ...] = ()
    ) -> None:
        self._kind = kind
        self._label = label
        written = [each for each in fields(kind) if each.name not in outside]
        self._names = [each.name for each in written]
        self._plain = msgspec.defstruct(
            "Plain",
            [("format", int), *map(_plain_field, written)],
            frozen=True,
            kw_only=True,
        )

    def encode(self, document: Document) -> bytes:
        """Return the text of a document on one line."""
        values = {name: getattr(document, name) for name in self._names}
        values |= {name: codec.to_document(values[name]) for name, codec in _CODECS.items()}
        return msgspec.json.encode(self._plain(format=FORMAT, **values))

    def decode(self, content: bytes, **outside: object) -> Document:
        """Return the document of a text. Raises what msgspec does, and :class:`DiagnosticError`:
        R159 for a newer format, and those of the graph and the specification.
        """
        plain: Any = decode_json(content, self._plain)
        values = {name: getattr(plain, name) for name in self._names}
        if self._label and plain.format > FORMAT:
            raise DiagnosticError.of("R159", run=values[self._label], format=plain.format)
        values |= {name: codec.from_document(values[name]) for name, codec in _CODECS.items()}
        return self._kind(**values, **outside)


def _plain_field(field: FieldInfo) -> tuple[str, Any] | tuple[str, Any, Any]:
    kind = dict[str, Any] if field.name in _CODECS else field.type
    if field.required:
        return field.name, kind
    if field.default is not msgspec.NODEFAULT:
        return field.name, kind, field.default
    return field.name, kind, msgspec.field(default_factory=field.default_factory)


class DocumentFolder(Generic[Document]):
    """A numbered folder with a document, commands and a log. Cheap to make; holds no open file.

    ``inner_folders`` are written to, too; ``missing`` and ``damaged`` are the codes for a folder
    without its document and one whose document cannot be read.
    """

    codec: ClassVar[DocumentCodec[Any]]
    document_name: ClassVar[str]
    inner_folders: ClassVar[tuple[str, ...]] = ()
    missing: ClassVar[str]
    damaged: ClassVar[str]

    def __init__(self, path: Path, document: Document) -> None:
        self.path = path
        self.document = _moved(document, with_absolute_paths, self.project)

    @classmethod
    def open(cls, path: Path | str) -> Self:
        """Open a folder. Raises :class:`DiagnosticError` when it is not one of this kind, P031 for
        one that holds a link: what it leads to would be read, or written to, as part of it.
        """
        path = path if isinstance(path, Path) else Path(path)
        file = path / cls.document_name
        require_no_links(path, inner=cls.inner_folders)
        try:
            return cls(path, cls.codec.decode(read_json(file)))
        except OSError as error:
            raise DiagnosticError.of(cls.missing, detail=str(error), folder=str(path)) from error
        except UNDECODABLE as error:
            raise DiagnosticError.of(cls.damaged, detail=str(error), file=str(file)) from error

    @classmethod
    def all_of(cls, parent: Path, prefix: str, problems: list[Diagnostic] | None) -> list[Self]:
        """Return the folders of a parent, oldest first. Those that cannot be read are left out and
        their findings appended to ``problems``, but for those that are just being made.
        """
        opened: list[Self] = []
        for path in numbered_folders(parent, prefix, problems):
            try:
                opened.append(cls.open(path))
            except DiagnosticError as error:
                is_coming = not os.path.lexists(path / cls.document_name) and _is_new(path)
                if problems is not None and not is_coming:
                    problems.extend(error.problems)
        return opened

    @property
    def id(self) -> str:
        """The name of the folder, which is stable."""
        return self.path.name

    @property
    def project(self) -> Path:
        """The project folder."""
        return self.path.parent.parent

    @property
    def commands_path(self) -> Path:
        """The commands, one JSON document a line."""
        return self.path / "commands.jsonl"

    @property
    def log_path(self) -> Path:
        """What the process printed."""
        return self.path / "log.txt"

    def send(self, command: RunCommand) -> None:
        """Append a command, which the process takes when it can: a run after the step that is
        running. Raises :class:`DiagnosticError` when it cannot be written.
        """
        append_command(self.commands_path, command)

    def write_document(self) -> None:
        """Write the document. Raises :class:`DiagnosticError` when that fails."""
        document = _moved(self.document, with_relative_paths, self.project)
        text = msgspec.json.format(self.codec.encode(document), indent=1)
        atomic_write(self.path / self.document_name, text + b"\n")


def _moved(
    document: Document, change: Callable[[RunSpec, Path, Mapping[str, str]], RunSpec], project: Path
) -> Document:
    """Return a document with the paths of its data changed."""
    spec: RunSpec = getattr(document, "spec")  # noqa: B009 - the codec has it in each of them
    graph: Graph = getattr(document, "graph")  # noqa: B009 - see above
    return msgspec.structs.replace(document, spec=change(spec, project, graph.code))


def numbered_folders(
    parent: Path, prefix: str, problems: list[Diagnostic] | None = None
) -> list[Path]:
    """Return the folders of a kind by their number; none where there is no parent, or where it is
    a link, which is told in ``problems``: what it leads to is none of the project's.
    """
    if not parent.is_dir():
        return []
    try:
        require_no_links(parent.parent, (parent.name,))
    except DiagnosticError as error:
        if problems is not None:
            problems.extend(error.problems)
        return []
    pattern = re.compile(rf"{prefix}-([0-9]{{1,20}})")
    with os.scandir(parent) as entries:
        found = [
            (int(match[1]), entry.name)
            for entry in entries
            if (match := pattern.fullmatch(entry.name)) and entry.is_dir()
        ]
    return [parent / name for _, name in sorted(found)]


def _is_new(path: Path) -> bool:
    """Return whether a folder changed a moment ago: another program may be filling it."""
    try:
        return time.time() - path.stat().st_mtime < _MAKING_S
    except OSError:
        return False


def make_numbered(parent: Path, prefix: str) -> Path:
    """Make the folder with the next number; two programs at once get two numbers.

    Raises :class:`DiagnosticError` when it cannot be made; P031 where the parent is a link.
    """
    require_no_links(parent.parent, (parent.name,))
    try:
        parent.mkdir(parents=True, exist_ok=True)
        known = numbered_folders(parent, prefix)
        numbers = [int(path.name.rpartition("-")[2]) for path in known]
        number = max((one for one in numbers if one < _FAR), default=0) + 1
        while True:
            path = parent / f"{prefix}-{number:04d}"
            try:
                path.mkdir(mode=0o700)  # results and weights are nobody else's
            except FileExistsError:
                number += 1
            else:
                return path
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, parent, "write")) from error


def append_command(path: Path, command: RunCommand) -> None:
    """Append a command to a file of commands. Raises :class:`DiagnosticError` when it cannot be
    written; then nothing of it stays, for the next one would be read as its end.
    """
    line = encode_command(command) + b"\n"
    try:
        target = open_append(path)
        try:
            written = os.write(target, line)
            if written != len(line):
                _take_back(target, written)
        finally:
            os.close(target)
    except OSError as error:
        raise DiagnosticError(describe_os_error(error, path, "write")) from error
    if written != len(line):
        raise DiagnosticError.of("P002", file=path.name, folder=str(path.parent))


def _take_back(target: int, count: int) -> None:
    """Take the last bytes that were written off a file, unless somebody wrote behind them."""
    end = os.lseek(target, 0, os.SEEK_CUR)
    if os.fstat(target).st_size == end:
        os.ftruncate(target, end - count)
