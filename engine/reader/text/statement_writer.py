"""Writer of single statements as in generated code, with the variables of a text."""

import textwrap
from collections.abc import Mapping

import libcst as cst

from engine.codegen.class_writer import ClassWriter
from engine.codegen.freezing import freezing, training_mode
from engine.syntax.format import returned

Port = tuple[str, str]
Statement = cst.SimpleStatementLine | cst.BaseCompoundStatement


class StatementWriter(ClassWriter):
    """Writes statements one by one."""

    def groups(self) -> dict[str, list[str]]:
        """Return the ids of what is made, by the attribute that it goes into."""
        return self._groups()

    def construction(self, attribute: str) -> cst.BaseStatement:
        """Return the statement that makes what goes into an attribute."""
        nodes = self._parts.graph.nodes
        ids = self._groups()[attribute]
        lines = self._constructions.lines(
            self._parts.graph, attribute, {self._attributes[i]: nodes[i] for i in ids}
        )
        return statements([line.text for line in lines])[0]

    def written(self) -> list[str]:
        """Return the ids of the nodes that have a statement in ``forward``, in their order."""
        return [i for i in self._parts.written if self.is_called(i)]

    def node_ids(self) -> set[str]:
        """Return the ids of all nodes that the class holds."""
        return set(self._parts.written)

    def is_called(self, node_id: str) -> bool:
        """Return whether a node is computed by a statement of its own."""
        kinds = ("io", "tensor")
        return self._parts.entries[node_id].group.value not in kinds

    def wires(self, node_id: str) -> dict[str, Port]:
        """Return what is wired to the ports of a node."""
        return {e.target_port: (e.source, e.source_port) for e in self._parts.edges[node_id]}

    def attribute(self, node_id: str) -> str:
        """Return the attribute that holds the module of a node."""
        return self._attributes[self._parts.graph.nodes[node_id].shares or node_id]

    def variables(self) -> dict[Port, str]:
        """Return the variable that generated code has for each output."""
        return dict(self._variables)

    def arguments(self) -> list[tuple[str, str]]:
        """Return the ids of the inputs with the names of the arguments of ``forward``."""
        return [(i, self._variables[i, "output"]) for i in self._parts.inputs]

    def results(self) -> list[Port]:
        """Return what ``forward`` returns."""
        if self._parts.outputs:
            return [self.wires(node_id)["input"] for node_id in self._parts.outputs]
        values = {variable: port for port, variable in self._variables.items()}
        return [values[str(result)] for result in self._results()]

    def calling(
        self, node_id: str, variables: Mapping[Port, str], given: Mapping[Port, str]
    ) -> list[cst.BaseStatement]:
        """Return the statements that compute a node: ``variables`` are the variables that hold what
        arrives, ``given`` those that its results go into.
        """
        previous = self._variables
        self._variables = {**previous, **variables, **given}
        self._taken = {*self._taken, *variables.values(), *given.values()}
        try:
            is_repeated = self._parts.graph.nodes[node_id].repeat > 1
            lines = self._loop(node_id) if is_repeated else self._assignment(node_id)
        finally:
            self._variables = previous
        return [*statements(lines)]

    def returning(self, names: list[str]) -> cst.BaseStatement:
        """Return the statement that returns variables."""
        return statements(returned([*names], 2))[0]

    def decorations(self) -> list[str]:
        """Return the statements behind those that make something: how weights begin, what is
        frozen.
        """
        reached = {node_id: self._attribute(node_id) for node_id in self._parts.made()}
        lines = [*self._initializations(), *freezing(self._parts.graph, reached)]
        return [line.text for line in lines]

    def methods(self) -> list[str]:
        """Return the lines of the methods beside ``__init__`` and ``forward``."""
        reached = {node_id: self._attribute(node_id) for node_id in self._parts.made()}
        return [line.text for line in training_mode(self._parts.graph, reached)]

    def class_text(self) -> str:
        """Return the class."""
        return "\n".join(line.text for line in self.lines()) + "\n"


def statements(lines: list[str]) -> list[Statement]:
    """Return lines of source as statements."""
    module = cst.parse_module(textwrap.dedent("\n".join(lines)) + "\n")
    return list(module.body)
