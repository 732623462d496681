"""Executor of the statements of a model's text, on abstract values."""

import builtins
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol

import libcst as cst

from engine.reader.interpreter.arithmetic import SIGNS
from engine.reader.interpreter.expression import Evaluator, bind, unpacked
from engine.reader.interpreter.value import (
    Built,
    Function,
    Library,
    Member,
    Modules,
    Opaque,
    Unknown,
    UnreadError,
    has_tensor,
)

_SILENT = ("print", "isinstance")
_CHANGING = ("add_module", "append", "extend", "insert", "pop", "register_module", "update")


class _Nothing:
    pass


NOTHING = _Nothing()
"""What a body gives that does not return."""

Statement = cst.BaseStatement | cst.BaseSmallStatement
Giving = Callable[[cst.BaseExpression, Any], None]


class Rescuing(Protocol):
    """Reads what no node of the catalogue stands for."""

    def state(self) -> Any:
        """Return how far the text is read."""
        ...

    def restore(self, state: Any) -> None:
        """Give up what was read since then."""
        ...

    def read(self, statement: Statement, error: UnreadError, give: Giving) -> Any:
        """Return what a statement returns, or ``NOTHING``."""
        ...


class Executor:
    """Carries out bodies of functions. ``assign`` takes what is given to ``self.name``.

    A tolerant one goes on after what cannot be read: the names and attributes that it gives are
    unknown then. ``repeat`` reads a loop as one repeated node where it can; ``rescue`` reads what
    no node of the catalogue stands for.
    """

    def __init__(
        self,
        evaluator: Evaluator,
        assign: Callable[[str, Any, cst.CSTNode], None],
        repeat: Callable[[cst.For, Any], bool],
        *,
        is_tolerant: bool = False,
        outliner: Rescuing | None = None,
    ) -> None:
        self._evaluator = evaluator
        self._rescue = outliner
        self._assign = assign
        self._repeat = repeat
        self._is_tolerant = is_tolerant

    def run(self, body: Iterable[Statement]) -> Any:
        """Carry out statements; return what they return, or ``NOTHING``."""
        for statement in body:
            try:
                result = self.attempt(statement)
            except UnreadError as error:
                if not self._is_tolerant or _is_undefined(error):
                    raise
                self._forget(statement, error)
                continue
            if result is not NOTHING:
                return result
        return NOTHING

    def attempt(self, statement: Statement) -> Any:
        """Carry out one statement, by other means where it cannot be read node by node."""
        if self._rescue is None:
            return self.step(statement)
        state = self._rescue.state()
        try:
            return self.step(statement)
        except UnreadError as error:
            self._rescue.restore(state)
            return self._rescue.read(statement, error, self._give)

    def step(self, statement: Statement) -> Any:
        """Carry out one statement; return what it returns, or ``NOTHING``."""
        match statement:
            case cst.SimpleStatementLine():
                return self.run(statement.body)
            case cst.Return():
                return None if statement.value is None else self._value(statement.value)
            case cst.If():
                return self._if(statement)
            case cst.For():
                return self._for(statement)
            case cst.FunctionDef():
                names = self._evaluator.names
                names[statement.name.value] = Function(statement, names=names)
            case cst.Assign() | cst.AnnAssign() | cst.AugAssign():
                self._assignment(statement)
            case cst.Expr():
                self._expression(statement.value)
            case cst.Import() | cst.ImportFrom():
                self._evaluator.names |= imported(statement)
            case cst.Pass() | cst.Assert():
                pass
            case _:
                raise UnreadError(statement, "T026")
        return NOTHING

    def _value(self, node: cst.BaseExpression) -> Any:
        return self._evaluator.evaluate(node)

    def _expression(self, node: cst.BaseExpression) -> None:
        is_text = isinstance(node, cst.SimpleString | cst.ConcatenatedString | cst.Ellipsis)
        is_silent = isinstance(node, cst.Call) and _name(node.func) in _SILENT
        if not is_text and not is_silent:
            self._value(node)

    def _assignment(self, node: cst.Assign | cst.AnnAssign | cst.AugAssign) -> None:
        if isinstance(node, cst.AugAssign):
            sign = SIGNS.get(type(node.operator), "")
            left, right = self._value(node.target), self._value(node.value)
            if isinstance(left, list) and isinstance(right, list | tuple) and sign == "+":
                left += list(right)
                return
            self._give(node.target, self._evaluator.infix(sign, left, right, node))
            return
        if node.value is None:
            return
        targets = [node.target] if isinstance(node, cst.AnnAssign) else _targets(node)
        first = targets[0]
        is_several = isinstance(first, cst.Tuple | cst.List)
        self._evaluator.width = len(first.elements) if is_several else 0
        self._evaluator.wide = node.value
        value = self._value(node.value)
        if isinstance(value, Built) and has_tensor([*value.arguments, *value.keywords.values()]):
            raise UnreadError(node, "T012")  # a random order: read only inside of what it orders
        for target in targets:
            self._give(target, value)

    def _give(self, target: cst.BaseExpression, value: Any) -> None:
        if isinstance(target, cst.Attribute) and _name(target.value) == "self":
            self._assign(target.attr.value, value, target)
        elif isinstance(target, cst.Subscript) and len(target.slice) == 1:
            self._put(target, value)
        elif isinstance(target, cst.Tuple | cst.List):
            for part, held in unpacked(target, value):
                self._give(part, held)
        else:
            bind(self._evaluator.names, target, value)

    def _put(self, target: cst.Subscript, value: Any) -> None:
        """Carry out ``self.heads["a"] = nn.Linear(...)`` and ``found[0] = x``."""
        owner = self._value(target.value)
        index = target.slice[0].slice
        if not isinstance(index, cst.Index) or not isinstance(owner, dict | list | Modules):
            raise UnreadError(target, "T014")
        key = self._value(index.value)
        try:
            if isinstance(owner, Modules):
                owner.items[str(key)] = value
            else:
                owner[key] = value
        except (LookupError, TypeError) as error:
            raise UnreadError(target, "T014") from error

    def _if(self, node: cst.If) -> Any:
        test = self._value(node.test)
        if has_tensor(test):
            raise UnreadError(node, "T012")
        if test:
            return self.run(node.body.body)
        if isinstance(node.orelse, cst.If):
            return self._if(node.orelse)
        return NOTHING if node.orelse is None else self.run(node.orelse.body.body)

    def _for(self, node: cst.For) -> Any:
        items = self._value(node.iter)
        if self._repeat(node, items):
            return NOTHING
        if isinstance(items, Modules):
            items = items.iterated()
        if isinstance(items, dict):
            items = list(items)
        if isinstance(items, Member) and isinstance(items.content, Opaque):
            raise items.content.error
        if not isinstance(items, list | tuple) or node.orelse is not None:
            raise UnreadError(node, "T026")
        for item in items:
            bind(self._evaluator.names, node.target, item)
            result = self.run(node.body.body)
            if result is not NOTHING:
                return result
        return NOTHING

    def _forget(self, statement: Statement, error: UnreadError) -> None:
        """Let what a statement would have given be unknown, or known when it runs."""
        meant: Unknown | Opaque = Unknown(error)
        if isinstance(statement, cst.Assign) and not isinstance(statement.value, cst.Lambda):
            is_single = not isinstance(statement.targets[0].target, cst.Tuple | cst.List)
            meant = self._evaluator.opaque(statement.value, error) if is_single else meant
        for target in [*given_by(statement), *_changed(statement)]:
            if isinstance(target, cst.Attribute) and _name(target.value) == "self":
                self._assign(target.attr.value, meant, target)
            elif isinstance(target, cst.Name):
                self._evaluator.names[target.value] = meant


def imported(node: cst.Import | cst.ImportFrom) -> dict[str, Library]:
    """Return what an import gives, by the names that it gives."""
    libraries: dict[str, Library] = {}
    if isinstance(node, cst.Import):
        for alias in node.names:
            path = _dotted(alias.name)
            name = _asname(alias) or path.partition(".")[0]
            libraries[name] = Library(path if alias.asname else path.partition(".")[0])
    elif node.module is not None and not isinstance(node.names, cst.ImportStar):
        for alias in node.names:
            path = _dotted(alias.name)
            libraries[_asname(alias) or path] = Library(f"{_dotted(node.module)}.{path}")
    elif node.module is not None:
        path = _dotted(node.module)
        home = sys.modules.get(path) if path.startswith("torch") else None
        names = [] if home is None else dir(home)
        libraries = {name: Library(f"{path}.{name}") for name in names if name[0] != "_"}
    return libraries


def _dotted(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Attribute):
        return f"{_dotted(node.value)}.{node.attr.value}"
    return node.value if isinstance(node, cst.Name) else ""


def _asname(alias: cst.ImportAlias) -> str:
    name = alias.asname.name if alias.asname is not None else None
    return name.value if isinstance(name, cst.Name) else ""


def _is_undefined(error: UnreadError) -> bool:
    """Return whether Python itself would stop at a name."""
    name = str(error.params.get("name", ""))
    return error.code == "T013" and not hasattr(builtins, name) and not name.startswith("__")


def _targets(node: cst.Assign) -> Sequence[cst.BaseExpression]:
    return [target.target for target in node.targets]


def _name(node: cst.BaseExpression) -> str:
    return node.value if isinstance(node, cst.Name) else ""


def given_by(node: cst.CSTNode) -> list[cst.BaseExpression]:
    """Return the names and attributes that a statement gives a value, with those inside it."""
    targets: list[cst.BaseExpression] = []
    waiting: list[cst.CSTNode] = [node]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, cst.AssignTarget | cst.AnnAssign | cst.AugAssign | cst.For):
            targets += _leaves(one.target)
        elif isinstance(one, cst.Del | cst.FunctionDef | cst.ClassDef | cst.BaseExpression):
            continue
        waiting += one.children
    return targets


def _changed(statement: cst.CSTNode) -> list[cst.BaseExpression]:
    """Return the attributes of ``self`` whose modules a call changes: ``self.body.pop(0)``."""
    call = statement.value if isinstance(statement, cst.Expr) else None
    method = call.func if isinstance(call, cst.Call) else None
    if not isinstance(method, cst.Attribute) or method.attr.value not in _CHANGING:
        return [one for child in statement.children for one in _changed(child)]
    owner = method.value
    while isinstance(owner, cst.Subscript):
        owner = owner.value
    return [owner]


def _leaves(target: cst.BaseExpression) -> list[cst.BaseExpression]:
    if isinstance(target, cst.Tuple | cst.List):
        return [leaf for element in target.elements for leaf in _leaves(element.value)]
    return [target]
