"""Evaluator of the expressions of a model's text: the value of each, and the nodes it adds."""

import ast
import builtins
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from engine.catalog.check import DTYPES
from engine.reader.interpreter.arithmetic import SIGNS, compute
from engine.reader.interpreter.value import (
    Built,
    Custom,
    Dtype,
    Fields,
    Function,
    Library,
    Member,
    Method,
    Modules,
    Named,
    Opaque,
    Ref,
    Shape,
    Size,
    Tail,
    Unknown,
    UnreadError,
    Use,
    has_tensor,
)

Names = dict[str, Any]
_HOMES = ("torch", "torch.nn", "torch.nn.init")
_DEEPEST = 60
_MOST_STEPS = 100_000


class Evaluator:
    """Evaluates expressions with the names in force.

    ``call`` makes what a call gives, ``operate`` the node of an operator between two values,
    ``attribute`` what stands under an attribute of ``self``.
    """

    def __init__(
        self,
        names: Names,
        call: Callable[[Any, list[Any], Names, cst.CSTNode], Any],
        operate: Callable[[str, list[Any], cst.CSTNode], Any],
        attribute: Callable[[str, cst.CSTNode], Any],
    ) -> None:
        self.names = names
        self.call = call
        self._operate = operate
        self._attribute = attribute
        self.width = 0  # into how many names the value goes that is evaluated
        self.wide: cst.BaseExpression | None = None  # the expression of that value
        self.is_making = False  # modules are made here: ``__init__``
        self._steps = 0
        self._depth = 0

    def evaluate(self, node: cst.BaseExpression) -> Any:
        """Return what an expression stands for. Raises :class:`UnreadError`."""
        self._steps += 1
        if self._steps > _MOST_STEPS or self._depth > _DEEPEST:
            raise UnreadError(node, "T011")
        self._depth += 1
        try:
            value = self._value(node)
        finally:
            self._depth -= 1
        if isinstance(value, Unknown):
            raise value.error
        return value

    def _value(self, node: cst.BaseExpression) -> Any:  # noqa: PLR0911 - one case a form
        match node:
            case cst.Name():
                return self._name(node)
            case cst.Integer() | cst.Float() | cst.SimpleString() | cst.ConcatenatedString():
                return _literal(node)
            case cst.Attribute():
                return self._member(node)
            case cst.Call():
                return self._called(node)
            case cst.Tuple() | cst.List():
                items = self._items(node.elements)
                return tuple(items) if isinstance(node, cst.Tuple) else items
            case cst.Dict():
                return self._dict(node)
            case cst.UnaryOperation() | cst.BinaryOperation() | cst.Comparison():
                return self._operation(node)
            case cst.BooleanOperation() | cst.IfExp():
                return self._chosen(node)
            case cst.Subscript():
                return self._subscript(node)
            case cst.ListComp() | cst.GeneratorExp():
                return self._comprehension(node, node.elt)
            case _:
                return self._rare(node)

    def _rare(self, node: cst.BaseExpression) -> Any:
        match node:
            case cst.FormattedString():
                return self._formatted(node)
            case cst.DictComp():
                pair = cst.Tuple([cst.Element(node.key), cst.Element(node.value)])
                comprehended = self._comprehension(node, pair)
                if all(isinstance(key, str | int) for key, _ in comprehended):
                    return dict(comprehended)
                raise UnreadError(node, "T010")
            case _:
                raise UnreadError(node, "T010")

    def _chosen(self, node: cst.BooleanOperation | cst.IfExp) -> Any:
        if isinstance(node, cst.IfExp):
            return self.evaluate(node.body if self._plain(node.test) else node.orelse)
        left = self._plain(node.left)
        is_enough = bool(left) is isinstance(node.operator, cst.Or)
        return left if is_enough else self.evaluate(node.right)

    def _plain(self, node: cst.BaseExpression) -> Any:
        value = self.evaluate(node)
        if has_tensor(value):
            raise UnreadError(node, "T012")
        return value

    def _name(self, node: cst.Name) -> Any:
        if node.value in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[node.value]
        if node.value in self.names:
            return self.names[node.value]
        if node.value == "self":
            raise UnreadError(node, "T010")
        if hasattr(builtins, node.value):
            return Library(node.value)
        raise UnreadError(node, "T013", name=node.value)

    def _formatted(self, node: cst.FormattedString) -> str:
        texts: list[str] = []
        for part in node.parts:
            match part:
                case cst.FormattedStringText(value=text) if "\\" not in text:
                    texts.append(text.replace("{{", "{").replace("}}", "}"))
                case cst.FormattedStringExpression(conversion=None, format_spec=None) as inner:
                    value = self._plain(inner.expression)
                    if not isinstance(value, str | int | float):
                        raise UnreadError(node, "T010")
                    texts.append(str(value))
                case _:
                    raise UnreadError(node, "T010")
        return "".join(texts)

    def _member(self, node: cst.Attribute) -> Any:  # noqa: PLR0911 - one case a kind
        name = node.attr.value
        if isinstance(node.value, cst.Name) and node.value.value == "self":
            return self._attribute(name, node)
        owner = self.evaluate(node.value)
        if isinstance(owner, Library):
            if owner.path == "torch" and name in DTYPES:
                return Dtype(name)
            return Library(f"{owner.path}.{name}")
        if isinstance(owner, Custom):
            return owner
        if isinstance(owner, Function):
            return self._of_class(owner, name, node)
        if isinstance(owner, Ref):
            return Shape(owner) if name == "shape" else Method(owner, name)
        if isinstance(owner, Named) and name in owner.names:
            return owner.values[owner.names.index(name)]
        inner = owner.content if isinstance(owner, Member) else owner
        number = inner.level.attributes.get(name) if isinstance(inner, Use) else None
        if isinstance(number, bool | int | float | str):  # ``self.patches.count``
            return number
        held = owner.values if isinstance(owner, Fields) else getattr(owner, "items", {})
        if isinstance(owner, Fields | Modules) and name in held:
            return held[name]
        return Method(owner, name)

    def _of_class(self, owner: Function, name: str, syntax: cst.CSTNode) -> Any:
        """Return what a class of the text says of itself: ``Block.expansion``."""
        for line in owner.definition.body.body:
            for one in line.body if isinstance(line, cst.SimpleStatementLine) else ():
                match one:
                    case (
                        cst.Assign(targets=[cst.AssignTarget(target=target)], value=value)
                        | cst.AnnAssign(target=target, value=cst.BaseExpression() as value)
                    ) if isinstance(target, cst.Name) and target.value == name:
                        return self.evaluate(value)
                    case _:
                        pass
        raise UnreadError(syntax, "T010")

    def _called(self, node: cst.Call) -> Any:
        callee = self.evaluate(node.func)
        if isinstance(callee, Library) and callee.path == "super":  # also ``super(Net, self)``
            return Library("super()")
        arguments: list[Any] = []
        keywords: Names = {}
        for one in node.args:
            value = self.evaluate(one.value)
            if one.star == "*":
                arguments += self._listed(value, one)
            elif one.star == "**":
                keywords |= value if isinstance(value, dict) else {}
            elif one.keyword is not None:
                keywords[one.keyword.value] = value
            else:
                arguments.append(value)
        try:
            value = self.call(callee, arguments, keywords, node)
        except UnreadError as error:
            is_foreign = error.code == "T017" and isinstance(callee, Library)
            if not self.is_making or not is_foreign or error.syntax is not node:
                raise
            return self.opaque(node, error)
        if self.is_making and isinstance(value, Built) and _is_foreign(value.path):
            name = value.path.rpartition(".")[2]
            return self.opaque(node, UnreadError(node, "T017", name=name))
        return value

    def opaque(self, node: cst.BaseExpression, error: UnreadError) -> Opaque:
        """Return what stands for an expression that only running it can tell."""
        names = dict(self.names)
        evaluator = Evaluator(names, self.call, self._operate, self._attribute)
        return Opaque(node, evaluator, error)

    def _listed(self, value: Any, syntax: cst.CSTNode) -> list[Any]:
        if isinstance(value, list | tuple):
            return list(value)
        if isinstance(value, Modules):
            return value.iterated()
        if isinstance(value, dict):
            return list(value)
        if isinstance(value, Tail):
            return [value]
        if isinstance(value, Member) and isinstance(value.content, Opaque):
            raise value.content.error
        raise UnreadError(syntax, "T010")

    def _items(self, elements: Sequence[cst.BaseElement]) -> list[Any]:
        items: list[Any] = []
        for element in elements:
            value = self.evaluate(element.value)
            if isinstance(element, cst.StarredElement):
                items += self._listed(value, element)
            else:
                items.append(value)
        return items

    def _dict(self, node: cst.Dict) -> dict[Any, Any]:
        entries: dict[Any, Any] = {}
        for element in node.elements:
            if not isinstance(element, cst.DictElement):
                raise UnreadError(node, "T010")
            key = self.evaluate(element.key)
            if not isinstance(key, str | int):
                raise UnreadError(node, "T010")
            entries[key] = self.evaluate(element.value)
        return entries

    def _operation(self, node: cst.UnaryOperation | cst.BinaryOperation | cst.Comparison) -> Any:
        if isinstance(node, cst.UnaryOperation):
            return self._unary(node)
        if isinstance(node, cst.BinaryOperation):
            sign = SIGNS.get(type(node.operator), "")
            return self.infix(sign, self.evaluate(node.left), self.evaluate(node.right), node)
        if len(node.comparisons) != 1:
            raise UnreadError(node, "T010")
        first = node.comparisons[0]
        left, right = self.evaluate(node.left), self.evaluate(first.comparator)
        if isinstance(first.operator, cst.Is | cst.IsNot):
            is_same = left is right if right is None else compute("==", left, right, node)
            return is_same is isinstance(first.operator, cst.Is)
        if isinstance(first.operator, cst.In | cst.NotIn) and isinstance(
            right, list | tuple | dict
        ):
            return (left in right) is isinstance(first.operator, cst.In)
        return self.infix(SIGNS.get(type(first.operator), ""), left, right, node)

    def infix(self, sign: str, left: Any, right: Any, syntax: cst.CSTNode) -> Any:
        """Return what stands for two values with an operator between them."""
        if isinstance(left, Ref) or isinstance(right, Ref):
            return self._operate(sign, [left, right], syntax)
        if has_tensor([left, right]):
            raise UnreadError(syntax, "T012")
        if isinstance(left, Built) or isinstance(right, Built):
            return Built(sign, [left, right], {}, syntax)
        return compute(sign, left, right, syntax)

    def _unary(self, node: cst.UnaryOperation) -> Any:
        value = self.evaluate(node.expression)
        if isinstance(value, Ref):
            names = (("neg", cst.Minus), ("logical_not", cst.BitInvert))
            signs = [name for name, kind in names if isinstance(node.operator, kind)]
            return self._operate("".join(signs), [value], node)
        if isinstance(node.operator, cst.Not) and not has_tensor(value):
            return not value
        if isinstance(value, int | float) and isinstance(node.operator, cst.Minus | cst.Plus):
            return -value if isinstance(node.operator, cst.Minus) else value
        raise UnreadError(node, "T010")

    def _subscript(self, node: cst.Subscript) -> Any:
        owner = self.evaluate(node.value)
        if isinstance(owner, Ref):
            indices = [self._place(one.slice) for one in node.slice]
            return self._operate("[]", [owner, indices], node)
        if len(node.slice) != 1:
            raise UnreadError(node, "T010")
        index = self._place(node.slice[0].slice)
        if isinstance(owner, Shape):
            return _size(owner, index, node)
        if isinstance(owner, Named):
            owner = owner.values
        if isinstance(owner, Modules):
            return _module(owner, index, node)
        try:
            return owner[index]
        except (LookupError, TypeError) as error:
            raise UnreadError(node, "T010") from error

    def _place(self, part: cst.BaseSlice) -> Any:
        if isinstance(part, cst.Index):
            return ... if isinstance(part.value, cst.Ellipsis) else self.evaluate(part.value)
        assert isinstance(part, cst.Slice)
        bounds = (part.lower, part.upper, part.step)
        return slice(*(None if bound is None else self._plain(bound) for bound in bounds))

    def _comprehension(self, node: cst.BaseComp, part: cst.BaseExpression) -> list[Any]:
        clause = node.for_in
        if clause.inner_for_in is not None:
            raise UnreadError(node, "T010")
        items: list[Any] = []
        outer_names = dict(self.names)
        try:
            for item in self._listed(self.evaluate(clause.iter), node):
                bind(self.names, clause.target, item)
                if all(self._plain(one.test) for one in clause.ifs):
                    items.append(self.evaluate(part))
        finally:
            self.names.clear()
            self.names.update(outer_names)
        return items


def bind(names: Names, target: cst.BaseExpression, value: Any) -> None:
    """Give names to a value, or to the parts of one. Raises :class:`UnreadError`."""
    match target:
        case cst.Name():
            names[target.value] = value
        case cst.Tuple() | cst.List():
            for part, held in unpacked(target, value):
                bind(names, part, held)
        case _:
            raise UnreadError(target, "T014")


def unpacked(target: cst.Tuple | cst.List, value: Any) -> list[tuple[cst.BaseExpression, Any]]:
    """Return what each of several targets is given. Raises :class:`UnreadError`."""
    if isinstance(value, Named):
        value = value.values
    if isinstance(value, Shape):
        value = [Size(value.tensor, axis) for axis in range(len(target.elements))]
    is_plain = all(isinstance(element, cst.Element) for element in target.elements)
    if not isinstance(value, list | tuple) or not is_plain or len(value) != len(target.elements):
        raise UnreadError(target, "T014")
    return [(element.value, part) for element, part in zip(target.elements, value, strict=True)]


def _is_foreign(path: str) -> bool:
    """Return whether a call of PyTorch gives neither a layer nor a tensor, as far as its name
    tells: ``torch.nn.utils.spectral_norm``.
    """
    return path.startswith("torch.") and path.rpartition(".")[0] not in _HOMES


def _module(owner: Modules, index: Any, syntax: cst.CSTNode) -> Any:
    keys = list(owner.items)
    if isinstance(index, slice):
        return [owner.items[key] for key in keys[index]]
    if isinstance(index, str) and index in owner.items:
        return owner.items[index]
    if isinstance(index, int) and -len(keys) <= index < len(keys):
        return owner.items[keys[index]]
    raise UnreadError(syntax, "T010")


def _size(shape: Shape, index: Any, syntax: cst.CSTNode) -> Size | Tail:
    if isinstance(index, int):
        return Size(shape.tensor, index)
    if index == slice(1, None):
        return Tail(shape.tensor)
    raise UnreadError(syntax, "T010")


def _literal(node: cst.BaseExpression) -> Any:
    return ast.literal_eval(cst.Module(body=[]).code_for_node(node))
