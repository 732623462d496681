"""Merge of a text with a changed graph: only what changed is written anew.

The text is read again after each step, so what comes out says what the graph holds, or nothing
comes out (:class:`UnmergedError`).
"""

from collections.abc import Container, Iterable, Mapping, Sequence

import libcst as cst
from msgspec.structs import replace

from engine.codegen.generated import level_writers
from engine.custom import standalone
from engine.graph.block import BLOCK_INPUT, BLOCK_OUTPUT, body
from engine.graph.code import PARTS_FILE, file_of
from engine.graph.model import Edge, Graph, Node
from engine.graph.naming import free_name
from engine.graph.node_state.bypass import active
from engine.graph.node_state.mute import is_zeros
from engine.graph.node_state.recomputation import CALL, written_code
from engine.graph.query import INPUT, OUTPUT
from engine.reader.interpreter.value import Made, Ref
from engine.reader.merge.forward_merge import ForwardMerge, UnmergedError
from engine.reader.merge.init_merge import InitMerge
from engine.reader.read.assembly import Assembly, MatchedLevel, assembled
from engine.reader.read.custom_definition import custom_files, with_custom_code
from engine.reader.read.inferred import Resolved
from engine.reader.read.model_reader import Reading, parsed
from engine.reader.text.rename import Renaming, code_of, imported_names, read_names
from engine.reader.text.statement_writer import StatementWriter, statements

Writers = Mapping[str, StatementWriter]
_MOST_STEPS = 5
_IMPORTS = {
    "torch": "import torch",
    "F": "import torch.nn.functional as F",
    "nn": "from torch import nn",
    "OrderedDict": "from collections import OrderedDict",
    CALL: f"from torch.utils.checkpoint import {CALL}",
}


class Merged:
    """A text that says what a graph holds, as it was read."""

    def __init__(self, text: str, reading: Reading, assembly: Assembly) -> None:
        self.text = text
        self.reading = reading
        self.assembly = assembly


def merge(text: str, graph: Graph, resolved: Resolved) -> Merged:
    """Return a text changed as far as needed to say what a graph holds.

    Each step changes the text a little, and the next one reads it again, so that nothing has to be
    known about what a change does to the rest. After ``fc`` was renamed to ``head`` and widened on
    the canvas, the first step renames it in the whole text, the second writes its statement in
    ``__init__`` anew, and the third finds nothing to do. Two or three steps are usual; a text that
    is not done after ``_MOST_STEPS``, or that a step leaves as it is, cannot be merged.

    Raises :class:`engine.diagnostics.DiagnosticError` for a text that cannot be read, and
    :class:`UnmergedError` where it cannot be changed piece by piece.
    """
    goal = active(graph)
    name = free_name("Model", file_of(graph.code, PARTS_FILE).lines)
    writers = level_writers(goal, resolved, StatementWriter, name)
    first_classes: set[str] = set()  # those that the model needed before anything was changed
    for _ in range(_MOST_STEPS):
        text = _with_custom(text, goal)
        reading = Reading(text, graph.code)
        assembly = assembled(reading, graph, resolved)
        first_classes = first_classes or _used_classes(assembly)
        step = _Step(reading, assembly, goal, writers)
        if step.agrees():
            # A block that is no longer used leaves its class behind. Classes that the model never
            # needed are left alone, and so are those of blocks that are kept without a use.
            unused = first_classes & set(reading.classes)
            unused -= _used_classes(assembly) | set(goal.blocks)
            if not unused:
                return Merged(text, reading, assembly)
            new = without_classes(reading, unused)
        elif reading.is_opaque:
            new = step.surrounded().code
        else:  # names first: a class that is rewritten is compared by the names of its nodes
            new = (step.renamed() or step.rewritten()).code
        if new == text:
            raise UnmergedError
        text = new
    raise UnmergedError


def _with_custom(text: str, goal: Graph) -> str:
    """Return a text with the user's own code as it is now, and what that imports."""
    if not written_code(goal)[1]:
        return text
    module = parsed(text)
    new = with_custom_code(module, goal)
    if new is module:
        return text
    merged = custom_files(new, goal)
    lines = statements(standalone.head(merged, new.code.splitlines()))
    there = {code_of(one) for one in new.body}
    missing = [one for one in lines if code_of(one) not in there]
    return new.with_changes(body=_after_imports(new, missing)).code


def _used_classes(assembly: Assembly) -> set[str]:
    """Return the classes of the text that the model is made of."""
    return {matched.level.source for matched in assembly.levels if matched.level.source}


def without_classes(reading: Reading, names: set[str]) -> str:
    """Return a text without classes."""
    kept = [
        one
        for one in reading.module.body
        if not (isinstance(one, cst.ClassDef) and one.name.value in names)
    ]
    return reading.module.with_changes(body=kept).code


class _Step:
    def __init__(self, reading: Reading, assembly: Assembly, goal: Graph, writers: Writers) -> None:
        self._reading = reading
        self._assembly = assembly
        self._goal = goal
        self._writers = writers

    def _level(self, matched: MatchedLevel) -> Graph | None:
        if not matched.prefix:
            return self._goal
        block = self._goal.blocks.get(matched.known)
        return None if block is None else body(self._goal, block)

    def agrees(self) -> bool:
        """Return whether the text says what the graph holds."""
        switches = self._assembly.switches.items()
        is_chosen = all(self._goal.blocks.get(name) == block for name, block in switches)
        return is_chosen and all(self._level_agrees(matched) for matched in self._assembly.levels)

    def _level_agrees(self, matched: MatchedLevel) -> bool:
        level = self._level(matched)
        if level is None or matched.block != matched.known:
            return False
        writer = self._writers.get(matched.known)
        if writer is None:
            return set(matched.edges) == set(level.edges) and _nodes_agree(
                matched.nodes, level.nodes
            )
        wanted = writer.node_ids()
        ends = [node_id for node_id, _ in writer.arguments()]
        if ends != [matched.ids[made] for made in matched.level.inputs]:
            return False
        results = [self._assembly.end_of(matched, ref) for ref in matched.level.outputs]
        if results != writer.results():
            return False
        outputs = _outputs(level) | set(matched.outputs)
        if _wires(matched.edges, wanted - outputs) != _wires(level.edges, wanted - outputs):
            return False
        written = {i: level.nodes[i] for i in wanted if i not in outputs}
        inner_nodes = {i: node for i, node in matched.nodes.items() if i not in outputs}
        idle = {matched.ids[made] for made in matched.level.idle}
        extra = {i: node for i, node in inner_nodes.items() if i not in written}
        called = {i: node for i, node in extra.items() if i not in idle}
        is_there = all(i in level.nodes for i in extra) and _nodes_agree(called, level.nodes)
        is_wired = _wires(matched.edges, called) == _wires(level.edges, called)
        return is_there and is_wired and _nodes_agree(written, inner_nodes)

    def renamed(self) -> cst.Module | None:
        """Return the text with the names of the graph; nothing where they are those already."""
        changed: dict[cst.CSTNode, cst.ClassDef] = {}
        done: set[str] = set()
        for matched in self._assembly.levels:
            source, level = matched.level.source, self._level(matched)
            if not source or source in done or level is None:
                continue
            done.add(source)
            writer = self._writers.get(matched.known)
            definition = matched.level.definition
            if writer is not None and definition is not None:
                changed[definition] = _with_names(definition, matched, writer)
        module = self._with(changed)
        classes = self._class_names()
        if classes:
            module = module.visit(Renaming(classes))
        return None if module is self._reading.module else module

    def _with(self, changed: Mapping[cst.CSTNode, cst.CSTNode]) -> cst.Module:
        """Return the text with other classes in the place of those that it has."""
        module = self._reading.module
        if all(old is new for old, new in changed.items()):
            return module
        return module.with_changes(body=[changed.get(one, one) for one in module.body])

    def _class_names(self) -> dict[str, str]:
        class_names: dict[str, str] = {}
        for matched in self._assembly.levels:
            source = matched.level.source
            is_known = matched.known in self._goal.blocks and matched.known in self._writers
            is_free = matched.known not in self._reading.classes
            if source and matched.prefix and is_known and is_free and matched.block == source:
                class_names[source] = matched.known
        return class_names

    def rewritten(self) -> cst.Module:
        """Return the text with the classes that differ changed."""
        kept: dict[str, set[str]] = {}
        for matched in self._assembly.levels:
            if matched.level.source:
                kept.setdefault(matched.level.source, set()).add(matched.known)
        changed: dict[cst.CSTNode, cst.ClassDef] = {}
        done: set[str] = set()
        for matched in self._assembly.levels:
            source, definition = matched.level.source, matched.level.definition
            if definition is None or source in done:
                continue
            done.add(source)
            level = self._level(matched)
            writer = self._writers.get(matched.known)
            if level is None or writer is None:
                continue
            if len(kept[source]) > 1:
                raise UnmergedError
            changed[definition] = self._class(definition, matched, level, writer)
        module = self._with(changed)
        missing = [name for name in self._writers if name and name not in self._reading.classes]
        module = _with_classes(module, [self._writers[name].class_text() for name in missing])
        return _with_imports(module)

    def surrounded(self) -> cst.Module:
        """Return the text with a class behind it that makes the one that nodes cannot show."""
        missing = [name for name in self._writers if name and name not in self._reading.classes]
        classes = [self._writers[name].class_text() for name in [*missing, ""]]
        return _with_imports(_with_classes(self._reading.module, classes, is_behind=True))

    def _class(
        self, definition: cst.ClassDef, matched: MatchedLevel, level: Graph, writer: StatementWriter
    ) -> cst.ClassDef:
        functions = {
            one.name.value: one for one in definition.body.body if isinstance(one, cst.FunctionDef)
        }
        forward = functions["forward"]
        forward_merge = ForwardMerge(self._assembly, matched, level, writer)
        body = forward_merge.body()
        changed: dict[str, cst.FunctionDef] = {
            "forward": _with_arguments(
                _with_body(forward, body, len(matched.level.records)), matched, writer
            )
        }
        init = functions.get("__init__")
        if init is not None:
            init_merge = InitMerge(self._assembly, matched, level, writer, forward_merge.kept_parts)
            made = init_merge.body(_body_of(init))
            changed["__init__"] = _with_body(init, made, len(_body_of(init)))
        elif any(set(ids) - forward_merge.kept_parts for ids in writer.groups().values()):
            fresh = cst.parse_module(writer.class_text()).body[0]
            return self._with_init(definition, fresh, changed["forward"])
        return _with_training_mode(_with_functions(definition, changed), writer.methods(), matched)

    def _with_init(
        self, definition: cst.ClassDef, fresh: cst.CSTNode, forward: cst.FunctionDef
    ) -> cst.ClassDef:
        assert isinstance(fresh, cst.ClassDef)
        init = next(one for one in fresh.body.body if isinstance(one, cst.FunctionDef))
        parts: list[cst.BaseStatement | cst.BaseSmallStatement] = []
        for one in definition.body.body:
            if isinstance(one, cst.FunctionDef) and one.name.value == "forward":
                parts += [init, forward.with_changes(leading_lines=[cst.EmptyLine(indent=False)])]
            else:
                parts.append(one)
        return definition.with_changes(body=definition.body.with_changes(body=parts))


def _outputs(level: Graph) -> set[str]:
    return {i for i, node in level.nodes.items() if node.type in (OUTPUT, BLOCK_OUTPUT)}


def _wires(edges: Iterable[Edge], targets: Container[str]) -> set[Edge]:
    """Return wires to nodes; those of a list are counted without the places that are left open."""
    wires: set[Edge] = set()
    counts: dict[tuple[str, str], int] = {}
    for edge in sorted((e for e in edges if e.target in targets), key=_place):
        name, number = _place(edge)[1:]
        if number >= 0:
            number = counts[edge.target, name] = counts.get((edge.target, name), -1) + 1
        port = f"{name}.{number}" if number >= 0 else edge.target_port
        wires.add(replace(edge, target_port=port))
    return wires


def _place(edge: Edge) -> tuple[str, str, int]:
    name, dot, number = edge.target_port.rpartition(".")
    is_listed = bool(dot) and number.isdigit()
    return edge.target, name if is_listed else edge.target_port, int(number) if is_listed else -1


def _nodes_agree(one: Mapping[str, Node], other: Mapping[str, Node]) -> bool:
    """Return whether nodes are made and called alike, wherever they stand."""
    return all(
        node_id in other and _written_fields(node) == _written_fields(other[node_id])
        for node_id, node in one.items()
    )


def _written_fields(node: Node) -> tuple[object, ...]:
    is_end = node.type in (INPUT, OUTPUT, BLOCK_INPUT, BLOCK_OUTPUT)
    params = {} if is_end or node.shares else node.params
    return (
        "" if is_zeros(node.id) else node.name,
        node.type,
        params,
        node.repeat,
        node.tied,
        node.shares,
        node.init,
        (node.frozen, node.recompute),
    )


def _with_names(
    definition: cst.ClassDef, matched: MatchedLevel, writer: StatementWriter
) -> cst.ClassDef:
    attributes: dict[str, str] = {}
    variables: dict[str, str] = {}
    for made, node_id in matched.ids.items():
        if node_id not in writer.node_ids() or node_id in matched.outputs:
            continue
        if made in matched.level.inputs:
            _put(variables, made.attribute, dict(writer.arguments())[node_id])
        elif made.attribute and made.shares is None:
            _put(attributes, made.attribute, writer.attribute(node_id))
        elif made.variable:
            _put_variables(variables, matched, made, writer)
    taken = {name for record in matched.level.records for name in (*record.before, *record.after)}
    variables = {old: new for old, new in variables.items() if new not in taken - set(variables)}
    if not attributes and not variables:
        return definition
    new = definition.visit(Renaming({}, attributes)) if attributes else definition
    assert isinstance(new, cst.ClassDef)
    if variables:
        functions = {
            one.name.value: one.visit(Renaming(variables))
            for one in new.body.body
            if isinstance(one, cst.FunctionDef) and one.name.value == "forward"
        }
        new = _with_functions(new, functions)  # pyright: ignore[reportArgumentType]
    return new


def _put(names: dict[str, str], old: str, new: str) -> None:
    if old != new and "." not in old and "." not in new:
        names[old] = new


def _put_variables(
    names: dict[str, str], matched: MatchedLevel, made: Made, writer: StatementWriter
) -> None:
    """Call the variables that an operator's results are in as generated code would."""
    record, present = matched.level.records[made.statement], writer.variables()
    for name, held in record.after.items():
        is_given = isinstance(held, Ref) and record.before.get(name) is not held
        if is_given and held.made is made:
            _put(names, name, present.get((matched.ids[made], held.port), name))


def _body_of(function: cst.FunctionDef) -> list[cst.BaseStatement]:
    if isinstance(function.body, cst.SimpleStatementSuite):
        return [cst.SimpleStatementLine(body=function.body.body)]
    return [one for one in function.body.body if isinstance(one, cst.BaseStatement)]


def _with_body(
    function: cst.FunctionDef, body: Sequence[cst.BaseStatement], count: int
) -> cst.FunctionDef:
    """Return a function with other statements in the place of its first ones."""
    old = _body_of(function)
    new = [*body, *old[count:]]
    if len(old) == len(new) and all(a is b for a, b in zip(old, new, strict=True)):
        return function
    if isinstance(function.body, cst.SimpleStatementSuite):
        return function.with_changes(body=cst.IndentedBlock(body=new))
    return function.with_changes(body=function.body.with_changes(body=new))


def _with_functions(
    definition: cst.ClassDef, functions: Mapping[str, cst.FunctionDef]
) -> cst.ClassDef:
    parts = [
        functions.get(one.name.value, one) if isinstance(one, cst.FunctionDef) else one
        for one in definition.body.body
    ]
    if all(a is b for a, b in zip(parts, definition.body.body, strict=True)):
        return definition
    return definition.with_changes(body=definition.body.with_changes(body=parts))


def _with_training_mode(
    definition: cst.ClassDef, lines: Sequence[str], matched: MatchedLevel
) -> cst.ClassDef:
    """Return a class with the ``train`` method that its frozen layers need, or without it."""
    wanted = statements(list(lines))
    parts = list(definition.body.body)
    train_index = next(
        (
            n
            for n, one in enumerate(parts)
            if isinstance(one, cst.FunctionDef) and one.name.value == "train"
        ),
        None,
    )
    if train_index is None and wanted:
        position = next(n for n, one in enumerate(parts) if _is_forward(one))
        new = [one.with_changes(leading_lines=[cst.EmptyLine(indent=False)]) for one in wanted]
        parts[position:position] = new
    elif train_index is None:
        return definition
    elif wanted and code_of(wanted[0]) != code_of(parts[train_index]):
        parts[train_index] = wanted[0].with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    elif not wanted and any(node.frozen for node in matched.nodes.values()):
        del parts[train_index]
    else:
        return definition
    return definition.with_changes(body=definition.body.with_changes(body=parts))


def _is_forward(part: cst.CSTNode) -> bool:
    return isinstance(part, cst.FunctionDef) and part.name.value == "forward"


def _with_arguments(
    function: cst.FunctionDef, matched: MatchedLevel, writer: StatementWriter
) -> cst.FunctionDef:
    names = [name for _, name in writer.arguments()]
    if names == [made.attribute for made in matched.level.inputs]:
        return function
    params = function.params
    self_param, *rest = params.params
    params_by_name = {param.name.value: param for param in rest}
    plain = [params_by_name.get(name, cst.Param(cst.Name(name))) for name in names]
    more = [param for param in rest if param.default is not None]
    every = [
        param.with_changes(comma=cst.MaybeSentinel.DEFAULT) for param in (self_param, *plain, *more)
    ]
    return function.with_changes(params=params.with_changes(params=every))


def _with_classes(
    module: cst.Module, texts: Sequence[str], *, is_behind: bool = False
) -> cst.Module:
    """Return the text with new classes before those that it has, or behind them."""
    if not texts:
        return module
    body = list(module.body)
    positions = [number for number, one in enumerate(body) if isinstance(one, cst.ClassDef)]
    position = positions[-1] + 1 if is_behind else next(iter(positions), len(body))
    for text in reversed(texts):
        new = cst.parse_module(text).body[0]
        body.insert(position, new.with_changes(leading_lines=[cst.EmptyLine(), cst.EmptyLine()]))
    return module.with_changes(body=body)


def with_import(text: str, name: str) -> str | None:
    """Return a text that imports what PyTorch's documentation calls by a name (``F``); nothing for
    other names.
    """
    line = _IMPORTS.get(name)
    if line is None:
        return None
    module = parsed(text)
    return module.with_changes(body=_after_imports(module, statements([line]))).code


def _with_imports(module: cst.Module) -> cst.Module:
    """Return the text with the imports that its new statements need."""
    bound = {name for one in module.body for name in imported_names(one)}
    used = set[str]().union(*(read_names(one) for one in module.body if not _is_import(one)))
    lines = [text for name, text in _IMPORTS.items() if name in used - bound]
    return module.with_changes(body=_after_imports(module, statements(lines))) if lines else module


def _after_imports(
    module: cst.Module, new: Sequence[cst.BaseStatement]
) -> list[cst.SimpleStatementLine | cst.BaseCompoundStatement]:
    """Return the statements of a text with others behind its imports."""
    positions = [number for number, one in enumerate(module.body) if _is_import(one)]
    last = max(positions) + 1 if positions else int(module.get_docstring() is not None)
    plain = [one for one in new if isinstance(one, cst.SimpleStatementLine)]
    return [*module.body[:last], *plain, *module.body[last:]]


def _is_import(statement: cst.BaseStatement) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and any(
        isinstance(one, cst.Import | cst.ImportFrom) for one in statement.body
    )
