"""Reader of a whole text: its classes, and what the model's class computes."""

from collections.abc import Sequence
from typing import Any

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from engine.catalog.code import file
from engine.catalog.spec import Entry
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.reader.interpreter.expression import Evaluator, Names
from engine.reader.interpreter.statement import Executor
from engine.reader.interpreter.value import (
    Custom,
    Function,
    Level,
    Library,
    Made,
    Record,
    Ref,
    UnreadError,
)
from engine.reader.read.class_reader import ClassReader
from engine.reader.read.custom_definition import custom_names, is_part
from engine.reader.read.unlisted import module_class

_DEEPEST = 20


class UnreadTextError(DiagnosticError):
    """A text that cannot be read. ``inside`` is the class that it is in, if not the model's;
    ``model`` is that one, if there is one.
    """

    def __init__(self, problem: Diagnostic, inside: str, model: str) -> None:
        super().__init__(problem)
        self.inside = inside
        self.model = model


class Reading:
    """A text as a tree with what it says. Raises :class:`DiagnosticError`, which tells the line
    (``line`` among the values of the finding). ``code`` are the files of the user's own code.
    """

    def __init__(self, text: str, code: dict[str, str] | None = None) -> None:
        self.module = parsed(text)
        self._own = custom_names(code or {})
        self.names: Names = {}
        self.classes = {
            one.name.value: one
            for one in self.module.body
            if isinstance(one, cst.ClassDef) and one.name.value not in self._own
        }
        self._levels: dict[str, Level] = {}
        self._depth = 0
        model = ""
        try:
            self._read_names()
            self.definition = self._model()
            model = self.definition.name.value
            self.level = self._read_model()
        except UnreadError as error:
            raise UnreadTextError(self.diagnostic(error), error.inside, model) from error
        except RecursionError as error:
            raise DiagnosticError.of("T011", line=1) from error

    def use(
        self,
        definition: cst.ClassDef,
        arguments: Sequence[Any],
        keywords: Names,
        syntax: cst.CSTNode,
    ) -> Level:
        """Return the inside of a class that is made with these arguments."""
        key = f"{definition.name.value}{arguments!r}{keywords!r}"
        if key not in self._levels:
            if self._depth >= _DEEPEST:
                raise UnreadError(syntax, "T011")
            self._depth += 1
            try:
                self._require_alone(definition)
                self._levels[key] = ClassReader(self, definition).read(arguments, keywords, syntax)
            except UnreadError as error:
                error.inside = error.inside or definition.name.value
                raise
            finally:
                self._depth -= 1
        return self._levels[key]

    def line_of(self, node: cst.CSTNode) -> int:
        """Return the line where a part of the text stands, counted from 1."""
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        position = wrapper.resolve(PositionProvider).get(node)
        return position.start.line if position is not None else 1

    def diagnostic(self, error: UnreadError) -> Diagnostic:
        """Return what cannot be read as a finding with its line."""
        text = self.module.code_for_node(error.syntax).strip().partition("\n")[0]
        params = {"text": text[:60], **error.params, "line": self.line_of(error.syntax)}
        return Diagnostic(code=error.code, params=params)

    def _read_names(self) -> None:
        evaluator = Evaluator(self.names, _no_call, _no_operator, _no_attribute)
        executor = Executor(evaluator, _no_assignment, _no_loop, is_tolerant=True)
        for name, entry in self._own.items():
            if not is_part(entry):
                self.names[name] = Custom(entry)
        for statement in self.module.body:
            match statement:
                case cst.ClassDef() | cst.FunctionDef():
                    entry = self._own.get(statement.name.value)
                    meant = Function(statement) if entry is None else Custom(entry)
                    self.names[statement.name.value] = meant
                case cst.SimpleStatementLine():
                    for one in statement.body:
                        executor.run([one])
                case _:
                    pass

    @property
    def is_opaque(self) -> bool:
        """Whether the class of the model is one node."""
        return self.definition.name.value in self._own

    def _read_model(self) -> Level:
        if self.is_opaque:
            return opaque_level(self.definition, self._own[self.definition.name.value])
        self._require_alone(self.definition)
        reader = ClassReader(self, self.definition)
        init = reader.methods.get("__init__")
        for param in init.params.params[1:] if init is not None else ():
            if param.default is None:
                raise UnreadError(param, "T038", name=param.name.value)
        return reader.read((), {}, self.definition.name)

    def _require_alone(self, definition: cst.ClassDef) -> None:
        """Raise :class:`UnreadError` for a class that has more than ``nn.Module`` gives it."""
        for base in self._bases(definition):
            if base != Library("torch.nn.Module"):
                raise UnreadError(definition.name, "T037", name=definition.name.value)

    def _model(self) -> cst.ClassDef:
        """Return the class of the model: the last one that is a module, as when it is run."""
        others = {name for name, entry in self._own.items() if not is_part(entry)}
        classes = [one for one in self.module.body if isinstance(one, cst.ClassDef)]
        models = [one for one in classes if one.name.value not in others and self._is_module(one)]
        if not models:
            raise UnreadError(self.module, "T030")
        return models[-1]

    def _is_module(self, definition: cst.ClassDef) -> bool:
        return any(
            isinstance(base, Library | Custom)
            or (isinstance(base, Function) and self._is_module_class(base.definition))
            for base in self._bases(definition)
        )

    def _is_module_class(self, definition: cst.CSTNode) -> bool:
        return isinstance(definition, cst.ClassDef) and self._is_module(definition)

    def _bases(self, definition: cst.ClassDef) -> list[Any]:
        """Return what a class inherits from, as far as it may be a module."""
        evaluator = Evaluator(self.names, _no_call, _no_operator, _no_attribute)
        values: list[Any] = []
        for base in definition.bases:
            try:
                value = evaluator.evaluate(base.value)
            except UnreadError:
                continue
            is_plain = isinstance(value, Library) and not _may_be_module(value.path)
            values += [] if is_plain else [value]
        return values


def _may_be_module(path: str) -> bool:
    """Return whether a class of a package may be a module, as far as its name tells."""
    if path.startswith("torch."):
        return path == "torch.nn.Module" or module_class(path) is not None
    return path.endswith("Module")


def parsed(text: str) -> cst.Module:
    """Return a text as a tree. Raises :class:`DiagnosticError` where it is not Python."""
    try:
        file.parsed(text)
        return cst.parse_module(text)
    except SyntaxError as error:
        reason = error.msg.rstrip("?.")  # a sentence goes on behind it
        raise DiagnosticError.of(
            "T001", line=error.lineno or 1, column=error.offset or 1, reason=reason
        ) from error
    except (cst.ParserSyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "raw_line", 1)
        raise DiagnosticError.of(
            "T001", line=line, column=1, reason=type(error).__name__
        ) from error


def _no_call(_callee: Any, _arguments: list[Any], _keywords: Names, syntax: cst.CSTNode) -> Any:
    raise UnreadError(syntax, "T010")


def _no_operator(_sign: str, _operands: list[Any], syntax: cst.CSTNode) -> Any:
    raise UnreadError(syntax, "T010")


def _no_attribute(_name: str, syntax: cst.CSTNode) -> Any:
    raise UnreadError(syntax, "T010")


def _no_assignment(_name: str, _value: Any, syntax: cst.CSTNode) -> None:
    raise UnreadError(syntax, "T010")


def _no_loop(_node: cst.For, _items: Any) -> bool:
    return False


def opaque_level(definition: cst.ClassDef, entry: Entry) -> Level:
    """Return the level of a model that is one node. Raises :class:`UnreadError` T027 for a class
    whose inputs have no names.
    """
    ports = [port for port in entry.inputs if port.required]
    if not ports:
        raise UnreadError(definition.name, "T027")
    inputs = [Made(type="", params={}, attribute=port.name, syntax=definition) for port in ports]
    made = Made(type=entry.key, params={}, syntax=definition)
    made.wires = {port.name: Ref(one, "output") for port, one in zip(ports, inputs, strict=True)}
    return Level(
        source="",  # its inputs are called as on the canvas
        inputs=inputs,
        nodes=[made],
        outputs=[Ref(made, port.name) for port in entry.outputs],
        records=[Record(statement=definition, nodes=[made], before={}, after={})],
        definition=definition,
    )
