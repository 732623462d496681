"""Reader of one class: what its ``__init__`` makes and what its ``forward`` computes."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

import libcst as cst
from torch import nn

from engine.catalog.registry import catalog
from engine.graph.naming import name_problem
from engine.reader.interpreter.expression import Evaluator, Names
from engine.reader.interpreter.statement import NOTHING, Executor, given_by
from engine.reader.interpreter.value import (
    Built,
    Fields,
    Function,
    Given,
    Level,
    Library,
    Made,
    Member,
    Modules,
    Record,
    Ref,
    Unknown,
    UnreadError,
    Use,
)
from engine.reader.outline.outlining import Outliner
from engine.reader.read.calling import (
    bound_arguments,
    call,
    held_tensor,
    is_tensor,
    module_of,
    owned,
)
from engine.reader.read.layer import results
from engine.reader.read.loop import repeated
from engine.reader.read.operation import between, selected
from engine.reader.text.rename import REGISTERING

_DEEPEST = 12
_MOST_NODES = 20_000


class Source(Protocol):
    """The whole text, as far as a class needs it."""

    @property
    def names(self) -> Names:
        """What the names of the module stand for."""
        ...

    def use(
        self,
        definition: cst.ClassDef,
        arguments: Sequence[Any],
        keywords: Names,
        syntax: cst.CSTNode,
    ) -> Level:
        """Return the inside of a class that is made with these arguments."""
        ...


class ClassReader:
    """Reads a class as it is with the arguments that it is made with."""

    def __init__(self, source: Source, definition: cst.ClassDef) -> None:
        self._source = source
        self._definition = definition
        self.methods = {
            one.name.value: one for one in definition.body.body if isinstance(one, cst.FunctionDef)
        }
        self.attributes: dict[str, Any] = {}
        self.level = Level(source=definition.name.value, definition=definition)
        self._evaluator = self._reading(dict(source.names))
        self._statement = -1
        self._inlined = 0

    def read(
        self, arguments: Sequence[Any], keywords: Mapping[str, Any], syntax: cst.CSTNode
    ) -> Level:
        """Return the inside of the class. Raises :class:`UnreadError`."""
        self._read_constants()
        init = self.methods.get("__init__")
        if init is not None:
            given = bound_arguments(init, arguments, keywords, syntax)
            self.level.arguments = given
            names = self._with_defaults(init, given)
            self._run(init, {key: _marked(value) for key, value in names.items()})
        elif arguments or keywords:
            raise UnreadError(syntax, "T018", name=self._definition.name.value)
        self.level.attributes = self.attributes
        self._read_forward()
        self._find_idle()
        self._find_dicts()
        name_operators(self.level, self.methods["forward"])
        return self.level

    def _read_constants(self) -> None:
        executor = Executor(self._evaluator, self._assign, _never, is_tolerant=True)
        executor.run(
            [one for one in self._definition.body.body if isinstance(one, cst.SimpleStatementLine)]
        )
        constants = self._source.names
        fields = self._evaluator.names.items()
        self.attributes |= {
            name: value for name, value in fields if constants.get(name) is not value
        }

    def _with_defaults(self, function: cst.FunctionDef, given: Mapping[str, Any]) -> Names:
        params = function.params
        bound = dict(given)
        for param in (*params.posonly_params, *params.params, *params.kwonly_params):
            if param.name.value not in bound and param.default is not None:
                bound[param.name.value] = self._evaluator.evaluate(param.default)
        return bound

    def _run(self, init: cst.FunctionDef, names: Names) -> None:
        evaluator = self._reading({**self._source.names, **names})
        evaluator.is_making = True
        executor = Executor(evaluator, self._assign, _never, is_tolerant=True)
        executor.run(init.body.body)

    def _read_forward(self) -> None:
        forward = self.methods.get("forward")
        if forward is None:
            raise UnreadError(self._definition.name, "T023", name=self._definition.name.value)
        params = forward.params
        required = [param for param in params.kwonly_params if param.default is None]
        if isinstance(params.star_arg, cst.Param) or params.star_kwarg or required:
            raise UnreadError(forward.name, "T027")
        names = self._with_defaults(forward, {})
        for param in (*params.posonly_params, *params.params)[1:]:
            if param.default is None:
                made = Made(type="", params={}, attribute=param.name.value, syntax=param)
                self.level.inputs.append(made)
                names[made.attribute] = Ref(made, "output")
        evaluator = self._reading({**self._source.names, **names})
        outliner = Outliner(self, evaluator, forward)
        executor = Executor(evaluator, self._refuse, self._repeat, outliner=outliner)
        self._evaluator = evaluator
        for number, statement in enumerate(_statements(forward)):
            self._statement = number
            names_before, count = dict(evaluator.names), len(self.level.nodes)
            result = executor.attempt(statement)
            nodes = self.level.nodes[count:]
            record = Record(
                statement=statement, nodes=nodes, before=names_before, after=dict(evaluator.names)
            )
            self.level.records.append(record)
            if result is not NOTHING:
                self._return(result, statement)
                break
        else:
            raise UnreadError(forward.name, "T023", name=self._definition.name.value)

    def _return(self, value: Any, syntax: cst.CSTNode) -> None:
        values = value if isinstance(value, list | tuple) else [value]
        if not values or not all(isinstance(one, Ref) for one in values):
            raise UnreadError(syntax, "T028")
        self.level.outputs += values

    def _find_idle(self) -> None:
        """Find the layers that are made and not called."""
        for name, value in self.attributes.items():
            is_layer = isinstance(value, Member) and not is_tensor(value.content)
            if is_layer and value.first is None and isinstance(value.content, Built | Use):
                self._add_idle(name, value)

    def _add_idle(self, name: str, member: Member) -> None:
        try:
            self.level.idle.append(module_of(member.content, name, member.syntax)[0])
        except UnreadError:  # it may be of any kind: nothing is led through it
            return

    def _find_dicts(self) -> None:
        """Find what stands in each ``nn.ModuleDict``, called or not."""
        for name, value in self.attributes.items():
            if isinstance(value, Modules) and not all(key.isdigit() for key in value.items):
                self._add_dict(name, value)

    def _add_dict(self, name: str, modules: Modules) -> None:
        layers: dict[str, Made] = {}
        for key, one in modules.items.items():
            if not isinstance(one, Member):  # a list of layers
                return
            try:
                layers[key] = module_of(one.content, key, one.syntax)[0]
            except UnreadError:  # it may be of any kind: nothing is led through it
                return
        self.level.dicts[name] = layers

    def _reading(self, names: Names) -> Evaluator:
        return Evaluator(names, self._call, self._operate, self._attribute)

    def _call(self, callee: Any, arguments: list[Any], keywords: Names, syntax: cst.CSTNode) -> Any:
        assert isinstance(syntax, cst.Call)
        if isinstance(callee, Library) and callee.path in REGISTERING:
            return self._register(callee.path, arguments, keywords, syntax)
        return call(self, callee, arguments, keywords, syntax)

    def _register(
        self, kind: str, arguments: list[Any], keywords: Names, syntax: cst.CSTNode
    ) -> None:
        value = {"register_buffer": "tensor", "register_parameter": "param"}.get(kind, "module")
        names = ("name", value, "persistent")
        given = {**dict(zip(names, arguments, strict=False)), **keywords}
        name, tensor = given.get("name"), given.get(value)
        if isinstance(name, str) and (kind != "register_buffer" or tensor is None):
            self._assign(name, tensor, syntax)
            return
        if not isinstance(name, str) or not isinstance(tensor, Built):
            raise UnreadError(syntax, "T021")
        is_persistent = given.get("persistent", True)
        content = Built("buffer", [tensor, is_persistent], {}, syntax)
        self.attributes[name] = Member(name, content, syntax)

    def _operate(self, sign: str, operands: list[Any], syntax: cst.CSTNode) -> Any:
        if sign == "[]":
            nodes = selected(operands[0], operands[1], syntax)
            for one in nodes:
                self.add(one)
            return Ref(nodes[-1], "output")
        made = between(sign, operands, syntax)
        entry = catalog().node(made.type)
        assert entry is not None
        self.add(made)
        return results(made, entry)

    def _attribute(self, name: str, syntax: cst.CSTNode) -> Any:
        if name in REGISTERING:
            return Library(name)
        if name == "training":
            raise UnreadError(syntax, "T012")
        if name in self.attributes:
            value = self.attributes[name]
            if isinstance(value, Unknown):
                raise value.error
            if isinstance(value, Member) and is_tensor(value.content):
                return held_tensor(self, value, syntax)
            return value
        if name in self.methods:
            return Function(self.methods[name], self)
        if hasattr(nn.Module, name):  # ``self.children()``
            raise UnreadError(syntax, "T010")
        raise UnreadError(syntax, "T029", name=name)

    def _assign(self, name: str, value: Any, syntax: cst.CSTNode) -> None:
        self.attributes[name] = owned(value, name, syntax)

    def _refuse(self, _name: str, _value: Any, syntax: cst.CSTNode) -> None:
        raise UnreadError(syntax, "T014")

    def _repeat(self, node: cst.For, items: Any) -> bool:
        return repeated(self, self._evaluator, node, items)

    def width_of(self, syntax: cst.CSTNode) -> int:
        """Return into how many names a statement of ``forward`` takes apart what a call gives."""
        return self._evaluator.width if self._evaluator.wide is syntax else 0

    def add(self, made: Made) -> None:
        """Take in a node."""
        if len(self.level.nodes) >= _MOST_NODES:
            assert made.syntax is not None
            raise UnreadError(made.syntax, "T011")
        made.statement = self._statement
        entry = catalog().node(made.type)
        drawn = entry.param(entry.counted_by) if entry is not None else None
        if drawn is not None and drawn.is_drawn and self._evaluator.width:
            made.params[drawn.name] = self._evaluator.width
        self.level.nodes.append(made)

    def forget(self, count: int) -> None:
        """Give up all nodes but the first ones."""
        del self.level.nodes[count:]
        held = set(self.level.nodes)
        for member in _members(self.attributes.values()):
            member.first = member.first if member.first in held else None

    def _fields(
        self,
        definition: cst.ClassDef,
        arguments: Sequence[Any],
        keywords: Mapping[str, Any],
        syntax: cst.Call,
    ) -> Fields:
        lines = [one for one in definition.body.body if isinstance(one, cst.SimpleStatementLine)]
        fields = [one for line in lines for one in line.body if isinstance(one, cst.AnnAssign)]
        values: Names = {
            one.target.value: self._evaluator.evaluate(one.value)
            for one in fields
            if isinstance(one.target, cst.Name) and one.value is not None
        }
        names = [one.target.value for one in fields if isinstance(one.target, cst.Name)]
        values |= {**dict(zip(names, arguments, strict=False)), **keywords}
        if len(arguments) > len(names) or set(values) != set(names):
            raise UnreadError(syntax, "T018", name=definition.name.value)
        return Fields(values)

    def inline(
        self,
        function: Function,
        arguments: Sequence[Any],
        keywords: Mapping[str, Any],
        syntax: cst.Call,
    ) -> Any:
        """Return what a function of the text gives, or the module of a class."""
        definition = function.definition
        if isinstance(definition, cst.ClassDef):
            if _is_data(definition):
                return self._fields(definition, arguments, keywords, syntax)
            return Use(self._source.use(definition, arguments, dict(keywords), syntax))
        if self._inlined >= _DEEPEST:
            raise UnreadError(syntax, "T011")
        names = self._with_defaults(
            definition, bound_arguments(definition, arguments, keywords, syntax)
        )
        evaluator = self._reading({**self._source.names, **function.names, **names})
        evaluator.is_making = self._statement < 0
        self._inlined += 1
        try:
            outliner = Outliner(self, evaluator, definition) if self._statement >= 0 else None
            executor = Executor(evaluator, self._assign, _never, outliner=outliner)
            returned = executor.run(definition.body.body)
        finally:
            self._inlined -= 1
        return None if returned is NOTHING else returned


def _is_data(definition: cst.ClassDef) -> bool:
    words = [cst.Module(body=[]).code_for_node(one.decorator) for one in definition.decorators]
    return any(word.partition("(")[0].rpartition(".")[2] == "dataclass" for word in words)


def _statements(function: cst.FunctionDef) -> list[cst.BaseStatement]:
    if isinstance(function.body, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(body=function.body.body)]
    body = function.body.body
    return [one for one in body if isinstance(one, cst.BaseStatement)]


def _members(values: Iterable[Any]) -> Iterator[Member]:
    for value in values:
        if isinstance(value, Member):
            yield value
        elif isinstance(value, Modules):
            yield from _members(value.items.values())


def _never(_node: cst.For, _items: Any) -> bool:
    return False


def _marked(value: Any) -> Any:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return Given(value) if is_number else value


def name_operators(level: Level, forward: cst.FunctionDef) -> None:
    """Give each operator the name of its variable, where that is given a value only once."""
    given = Counter(one.value for one in _names(forward))
    held = [made for made in level.nodes if made.shares is None]
    taken = {made.attribute for made in (*level.inputs, *level.idle, *held) if made.attribute}
    for number, statement in enumerate(forward.body.body):
        made = [one for one in level.nodes if one.statement == number]
        target = _target(statement)
        if target is None or not made or (made[-1].attribute and made[-1].shares is None):
            continue
        name = _name_of(target, level.records[number].after)
        if name and given[name] <= 1 and name not in taken and name_problem(name) is None:
            made[-1].variable = name


def _names(forward: cst.FunctionDef) -> list[cst.Name]:
    assigned = [one for one in given_by(forward.body) if isinstance(one, cst.Name)]
    return [*assigned, *(param.name for param in forward.params.params)]


def _target(statement: cst.CSTNode) -> cst.BaseExpression | None:
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    one = statement.body[0]
    is_one = isinstance(one, cst.Assign) and len(one.targets) == 1
    return one.targets[0].target if isinstance(one, cst.Assign) and is_one else None


def _name_of(target: cst.BaseExpression, given: dict[str, Any]) -> str:
    """Return the name that a target is made of: ``x``, or ``x`` of ``x_values, x_indices``."""
    if isinstance(target, cst.Name):
        return target.value
    if not isinstance(target, cst.Tuple):
        return ""
    names = [one.value.value if isinstance(one.value, cst.Name) else "" for one in target.elements]
    used = [name for name in names if name != "_"]
    if len(used) == 1:
        return used[0]
    bases = {_base(name, given.get(name)) for name in used}
    return bases.pop() if len(bases) == 1 else ""


def _base(name: str, value: Any) -> str:
    ending = f"_{value.port.replace('.', '_')}" if isinstance(value, Ref) else "_"
    return name.removesuffix(ending) if name.endswith(ending) else ""
