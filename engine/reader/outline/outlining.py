"""Outlining: statements that no node of the catalogue stands for become a custom function.

Layers that are called in it stay nodes: what they give comes into the function.
"""

import ast
from collections import Counter
from collections.abc import Sequence
from typing import Any, Protocol

import libcst as cst
from typing_extensions import override

from engine.graph.naming import free_name
from engine.reader.interpreter.arithmetic import SIGNS
from engine.reader.interpreter.expression import Evaluator
from engine.reader.interpreter.statement import NOTHING, Giving, Statement
from engine.reader.interpreter.value import (
    Function,
    Later,
    Level,
    Made,
    Member,
    Modules,
    Ref,
    UnreadError,
    has_tensor,
)
from engine.reader.outline.extraction import Extraction, is_value
from engine.reader.outline.free_names import base_name, changed_names, free_names, text_of
from engine.reader.outline.tensor_inference import TensorInference

_TELLING = frozenset({"T010", "T012", "T014", "T016", "T017", "T018", "T019", "T020", "T026"})
"""Findings about what PyTorch may well carry out; all others are mistakes."""


class Reader(Protocol):
    """What a class is read with."""

    level: Level

    def add(self, made: Made) -> None:
        """Take in a node."""
        ...

    def forget(self, count: int) -> None:
        """Give up all nodes but the first ones."""
        ...


class Outliner:
    """Reads statements of a function that could not be read node by node."""

    def __init__(self, reader: Reader, evaluator: Evaluator, function: cst.FunctionDef) -> None:
        self._reader = reader
        self._function = function
        self._evaluator = evaluator

    def state(self) -> tuple[int, dict[str, Any]]:
        """Return how far the text is read: the number of nodes, and what the names stand for."""
        return len(self._reader.level.nodes), _copy(self._evaluator.names)

    def restore(self, state: tuple[int, dict[str, Any]]) -> None:
        """Give up what was read since then."""
        count, names = state
        self._reader.forget(count)
        self._evaluator.names.clear()
        self._evaluator.names.update(names)

    def read(self, statement: Statement, error: UnreadError, give: Giving) -> Any:
        """Return what a statement returns, or ``NOTHING``; ``give`` gives a target a value.

        Raises :class:`UnreadError` where not even a function can stand for it.
        """
        if error.code not in _TELLING or error.inside or _writes_self(statement):
            raise error
        match statement:
            case cst.Return(value=cst.BaseExpression() as value):
                return self._value(value, "result")
            case cst.Assign(targets=[cst.AssignTarget(target=target)], value=value):
                self._assign(statement, target, value, give)
            case cst.AnnAssign(target=target, value=cst.BaseExpression() as value):
                self._assign(statement, target, value, give)
            case cst.SimpleStatementLine() | cst.Return() | cst.Raise() | cst.ClassDef():
                raise error
            case _:
                self._whole(statement, error)
        return NOTHING

    def _assign(
        self,
        statement: cst.Assign | cst.AnnAssign,
        target: cst.BaseExpression,
        value: cst.BaseExpression,
        give: Giving,
    ) -> None:
        if isinstance(target, cst.Subscript) or (
            isinstance(target, cst.Attribute) and not isinstance(target.value, cst.Name)
        ):
            self._whole(statement, UnreadError(statement, "T014"))
            return
        names = _plain_names(target)
        inference = TensorInference(self._quietly, {})
        is_tensor = isinstance(value, cst.Tuple) or inference.is_tensor(value)
        if names and not is_tensor and not self._is_member_call(value):
            self._defer(statement, names, holds=inference.holds_tensors(value))
            return
        give(target, self._value(value, names[0] if names else "value", names))

    def _defer(self, statement: Statement, names: Sequence[str], *, holds: bool) -> None:
        """Let a statement that gives no tensor be computed again where it is needed."""
        line, names_before = _line(statement), dict(self._evaluator.names)
        is_of_tensors = Extraction(self._evaluator, statement).reads_tensors([line])
        if not is_of_tensors and not _has_lambda(statement):
            raise UnreadError(statement, "T010")
        later = Later(line, names_before, holds)
        for name in names:
            self._evaluator.names[name] = later

    def _value(self, node: cst.BaseExpression, word: str, names: Sequence[str] = ()) -> Any:
        """Return what an expression gives: by nodes, else by a function for all or a part of it."""
        state = self.state()
        try:
            return self._evaluator.evaluate(node)
        except UnreadError as error:
            if error.code not in _TELLING:
                raise
            self.restore(state)
            return self._by_parts(node, error, word, names)

    def _by_parts(
        self, node: cst.BaseExpression, error: UnreadError, word: str, names: Sequence[str]
    ) -> Any:
        if isinstance(node, cst.Tuple) and not any(
            isinstance(one, cst.StarredElement) for one in node.elements
        ):
            words = names if len(names) == len(node.elements) else [word] * len(node.elements)
            pairs = zip(node.elements, words, strict=True)
            return tuple(self._value(one.value, each) for one, each in pairs)
        if isinstance(node, cst.Call) and self._is_member_call(node):
            return self._called(node, error)
        if isinstance(node, cst.BinaryOperation) and self._has_member(node):
            state = self.state()
            try:
                left, right = self._value(node.left, word), self._value(node.right, word)
                return self._evaluator.infix(SIGNS.get(type(node.operator), ""), left, right, node)
            except UnreadError:  # a part of it gives no tensor: ``self.fc(x) / np.sqrt(2)``
                self.restore(state)
        return self._extracted(node, word, names)

    def _called(self, node: cst.Call, error: UnreadError) -> Any:
        if any(arg.star for arg in node.args):
            raise error
        callee = self._evaluator.evaluate(node.func)
        arguments = [self._value(arg.value, "value") for arg in node.args if arg.keyword is None]
        keywords = {
            arg.keyword.value: self._value(arg.value, arg.keyword.value)
            for arg in node.args
            if arg.keyword is not None
        }
        return self._evaluator.call(callee, arguments, keywords, node)

    def _extracted(self, node: cst.BaseExpression, word: str, names: Sequence[str]) -> Any:
        hoisting = _Hoisting(self)
        body = hoisting.replaced(node)
        names_before = dict(self._evaluator.names)
        self._evaluator.names.update(hoisting.values)
        try:
            if len(names) > 1:
                targets = [cst.Element(cst.Name(name)) for name in names]
                line = cst.Assign([cst.AssignTarget(cst.Tuple(targets, lpar=[], rpar=[]))], body)
                return self._made(node, [_line(line)], names, word)
            return self._made(node, [_line(cst.Return(body))], [], word)
        finally:
            for name in hoisting.values:
                del self._evaluator.names[name]
            self._evaluator.names.update(names_before)

    def _made(
        self,
        syntax: cst.CSTNode,
        body: Sequence[cst.BaseStatement],
        results: Sequence[str],
        word: str,
    ) -> Any:
        made = Extraction(self._evaluator, syntax).made(body, results, word)
        self._reader.add(made)
        if len(results) < 2:
            return Ref(made, "output")
        return tuple(Ref(made, f"output.{index}") for index in range(len(results)))

    def _whole(self, statement: Statement, error: UnreadError) -> None:
        """Read a statement that may hold others, or changes a tensor in place, as one node."""
        if _leaves(statement):
            raise UnreadError(statement, "T034")
        if self._has_member(statement):
            raise UnreadError(statement, "T033", name=self._first_member(statement))
        names = self._evaluator.names
        inference = self._known(statement)
        changed = changed_names(statement)
        tensors = [name for name in changed if inference.get(name)]
        kept = self._needed(tensors, statement)
        line = _line(statement)
        others = [name for name in changed if name not in tensors]
        reads = [names[name] for name in free_names([line]) if name in names]
        if not any(has_tensor(value) for value in reads):
            raise error
        if not kept:
            if others:
                self._defer(statement, others, holds=True)
            return
        names_before = dict(names)
        value = self._made(statement, [line], kept, kept[0])
        values = value if isinstance(value, tuple) else (value,)
        names.update(zip(kept, values, strict=True))
        names.update(dict.fromkeys(others, Later(line, names_before, holds_tensors=True)))

    def _known(self, statement: Statement) -> dict[str, bool]:
        """Return of each name that a statement changes whether it is a tensor afterwards."""
        names = self._evaluator.names
        changed = changed_names(statement)
        are_tensors = {name: isinstance(names.get(name), Ref) for name in changed}
        for _ in range(2):
            inference = TensorInference(self._quietly, are_tensors)
            for target, value, is_iterated in _assignments(statement):
                is_tensor = inference.is_tensor(value)
                is_tensor = is_tensor or (is_iterated and inference.holds_tensors(value))
                for name in _plain_names(target):
                    are_tensors[name] = are_tensors.get(name, False) or is_tensor
        return are_tensors

    def _needed(self, names: Sequence[str], statement: Statement) -> list[str]:
        """Return the names that are read after a statement, or could be."""
        reads = _loads(self._function)
        reads.subtract(_loads(statement))
        needed = [name for name in names if reads[name] > 0]
        looped = {
            name
            for target, _, is_iterated in _assignments(statement)
            for name in _plain_names(target)
            if is_iterated
        }
        return needed or [name for name in names if name not in looped]

    def _quietly(self, node: cst.BaseExpression) -> Any:
        try:
            return self._evaluator.evaluate(node)
        except UnreadError:
            return None

    def _is_member_call(self, node: cst.BaseExpression) -> bool:
        if not isinstance(node, cst.Call):
            return False
        callee = self._quietly(node.func) if _is_reference(node.func) else None
        return isinstance(callee, Member) or (
            isinstance(callee, Function) and callee.owner is not None
        )

    def _first_member(self, node: cst.CSTNode) -> str:
        """Return the name of the first layer that a piece calls or reads; nothing without one."""
        waiting: list[cst.CSTNode] = [node]
        while waiting:
            one = waiting.pop(0)
            if isinstance(one, cst.Attribute) and base_name(one.value) == "self":
                value = self._quietly(one)
                is_method = isinstance(value, Function) and value.owner is not None
                is_held = isinstance(value, Member) and not is_value(value.content)
                if is_held or isinstance(value, Modules) or is_method:
                    return one.attr.value
            if isinstance(one, cst.Name):
                value = self._evaluator.names.get(one.value)
                if isinstance(value, Member | Modules):
                    return one.value
            waiting += one.children
        return ""

    def _has_member(self, node: cst.CSTNode) -> bool:
        return bool(self._first_member(node))

    @property
    def names(self) -> set[str]:
        """The names in force."""
        return set(self._evaluator.names)

    def hoisted(self, node: cst.Call) -> Ref | None:
        """Return what a layer gives that is called in an expression; nothing for other calls."""
        if not self._is_member_call(node):
            return None
        value = self._value(node, "value")
        if not isinstance(value, Ref):
            raise UnreadError(node, "T012")
        return value


_UNHOISTED = (cst.Lambda, cst.ListComp, cst.GeneratorExp, cst.DictComp, cst.IfExp)
"""Parts of an expression that are carried out never, or more than once."""


class _Hoisting(cst.CSTTransformer):
    """Puts variables in the place of what layers give in an expression."""

    def __init__(self, outliner: Outliner) -> None:
        super().__init__()
        self._outliner = outliner
        self.values: dict[str, Ref] = {}
        self._instead: dict[cst.CSTNode, cst.Name] = {}

    def replaced(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """Return the expression."""
        replacement = node.visit(self)
        assert isinstance(replacement, cst.BaseExpression)
        return replacement

    @override
    def on_visit(self, node: cst.CSTNode) -> bool:
        if isinstance(node, _UNHOISTED):
            return False
        ref = self._outliner.hoisted(node) if isinstance(node, cst.Call) else None
        if ref is None:
            return True
        name = free_name("value", {*self._outliner.names, *self.values})
        self.values[name] = ref
        self._instead[node] = cst.Name(name)
        return False

    @override
    def on_leave(self, original_node: Any, updated_node: Any) -> Any:
        return self._instead.pop(original_node, updated_node)


def _copy(names: dict[str, Any]) -> dict[str, Any]:
    return {name: [*v] if isinstance(v, list) else v for name, v in names.items()}


def _line(statement: Statement) -> cst.BaseStatement:
    if isinstance(statement, cst.BaseSmallStatement):
        return cst.SimpleStatementLine(
            [statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)]
        )
    return statement


def _plain_names(target: cst.BaseExpression) -> list[str]:
    if isinstance(target, cst.Name):
        return [target.value]
    elements = target.elements if isinstance(target, cst.Tuple | cst.List) else ()
    names = [one.value.value for one in elements if isinstance(one.value, cst.Name)]
    return names if len(names) == len(elements) else []


def _is_reference(node: cst.BaseExpression) -> bool:
    while isinstance(node, cst.Attribute | cst.Subscript):
        node = node.value
    return isinstance(node, cst.Name)


def _loads(node: cst.CSTNode) -> Counter[str]:
    tree = ast.parse(text_of(node).strip())
    names = [one for one in ast.walk(tree) if isinstance(one, ast.Name)]
    return Counter(one.id for one in names if isinstance(one.ctx, ast.Load))


def _has_lambda(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Lambda) or any(map(_has_lambda, node.children))


def _assignments(
    statement: cst.CSTNode,
) -> list[tuple[cst.BaseExpression, cst.BaseExpression, bool]]:
    """Return what gets a value with that value, and whether it gets its parts one by one."""
    assignments: list[tuple[cst.BaseExpression, cst.BaseExpression, bool]] = []
    waiting: list[cst.CSTNode] = [statement]
    while waiting:
        one = waiting.pop(0)
        if isinstance(one, cst.Assign):
            assignments += [(target.target, one.value, False) for target in one.targets]
        elif isinstance(one, cst.AnnAssign | cst.AugAssign) and one.value is not None:
            assignments.append((one.target, one.value, False))
        elif isinstance(one, cst.For):
            assignments.append((one.target, one.iter, True))
        elif isinstance(one, cst.FunctionDef | cst.Lambda):
            continue
        waiting += one.children
    return assignments


def _writes_self(statement: cst.CSTNode) -> bool:
    """Return whether a statement changes what the module holds."""
    targets = [target for target, *_ in _assignments(statement)]
    return any(isinstance(one, cst.Attribute) and base_name(one.value) == "self" for one in targets)


def _leaves(statement: cst.CSTNode) -> bool:
    """Return whether ``forward`` can be left, or stopped, inside of a statement."""
    waiting: list[cst.CSTNode] = [statement]
    while waiting:
        one = waiting.pop()
        if isinstance(one, cst.Return | cst.Yield | cst.Await | cst.Global | cst.Nonlocal):
            return True
        if not isinstance(one, cst.FunctionDef | cst.Lambda):
            waiting += one.children
    return False
