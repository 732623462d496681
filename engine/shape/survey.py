"""Survey of a whole model, node by node: blocks and repeats spread out, then computed."""

from functools import lru_cache
from typing import NamedTuple

from engine.diagnostics import Diagnostic, Severity
from engine.graph.analysis import NodeReport, TensorType
from engine.graph.block import SEPARATOR
from engine.graph.expand import MAX_NODES, Flat, expand, is_first_copy, place_of
from engine.graph.model import Graph
from engine.graph.node_state.freezing import PARAMETER
from engine.graph.node_state.mute import is_zeros
from engine.shape.node_result import NodeResult
from engine.shape.propagate import Propagator, placed

Resolved = dict[str, dict[str, int]]
"""By path of a node (with the numbers of copies) the numbers that stand for "auto"."""


class Survey(NamedTuple):
    """The flat graph and the outcome of each of its nodes."""

    flat: Flat
    outcomes: dict[str, NodeResult]

    @property
    def resolved(self) -> Resolved:
        """The numbers that stand for "auto"."""
        return {node_id: outcome.resolved for node_id, outcome in self.outcomes.items()}

    def is_frozen(self, flat_id: str) -> bool:
        """Return whether the parameters of a node are not trained."""
        node = self.flat.graph.nodes[flat_id]
        return node.frozen or (
            node.type == PARAMETER and node.params.get("requires_grad", True) is False
        )

    def problems(self) -> list[Diagnostic]:
        """Return what was found, each at its node; in a block at the first use that has it."""
        found = self._findings()
        if self.flat.is_cut:
            found.append(Diagnostic(code="G069", params={"limit": MAX_NODES}))
        return found

    def _findings(self) -> list[Diagnostic]:
        found: list[Diagnostic] = []
        seen: set[object] = set()
        for node_id, outcome in self.outcomes.items():
            findings = outcome.findings
            if all(finding.severity is not Severity.ERROR for finding in findings):
                findings = (*findings, *self._unlike(node_id, outcome))
            for finding in findings:
                node = self.flat.graph.nodes[node_id]
                problem = placed(finding, node, place_of(node_id))
                key = (self._written_at(node_id), problem.code, str(problem.params))
                if key not in seen:
                    seen.add(key)
                    found.append(problem)
        return found

    def _unlike(self, node_id: str, outcome: NodeResult) -> tuple[Diagnostic, ...]:
        """Find weights that are used twice and would need two sizes."""
        owner = self.outcomes.get(self.flat.tied.get(node_id, ""))
        if owner is None:
            return ()
        for name, size in outcome.resolved.items():
            other = owner.resolved.get(name, size)
            if other != size:
                params: dict[str, str | int | float] = {"size": size, "other": other}
                return (Diagnostic(code="S031", field=name, params=params),)
        return ()

    def _written_at(self, node_id: str) -> tuple[str, str]:
        """Return the block and the id inside it where a node is written once for all its uses."""
        above, _, own = node_id.rpartition(SEPARATOR)
        return self.flat.owners.get(above, above), place_of(own)

    def reports(self) -> dict[str, NodeReport]:
        """Return what is known about every node, by path.

        Inside a repeated block that is its first copy; a repeated node has the sum of its copies
        and gives what the last one gives. Weights that are used twice count once.
        """
        outputs: dict[str, dict[str, TensorType]] = {path: {} for path in self.flat.owners}
        absent: dict[str, tuple[str, ...]] = {}
        counts: dict[str, list[int]] = {}
        resolved: dict[str, dict[str, int]] = {}
        names: dict[str, tuple[str, ...]] = {}
        for node_id in self.flat.graph.nodes:
            outcome = self.outcomes.get(node_id, _UNKNOWN)
            path = _seen_at(node_id)
            if path is not None and not is_zeros(node_id):
                types = {port: signal.tensor_type() for port, signal in outcome.outputs.items()}
                outputs[path], absent[path] = types, outcome.absent
                resolved.setdefault(path, outcome.resolved)
                names[path] = outcome.names
            if node_id not in self.flat.tied:
                for place in _counted_at(node_id):
                    count = counts.setdefault(place, [0, 0, 0])
                    count[0] += outcome.parameters
                    count[1] += outcome.buffers
                    count[2] += outcome.parameters if self.is_frozen(node_id) else 0
        for (path, port), source in self.flat.passed.items():
            outcome = self.outcomes.get(source[0], _UNKNOWN)
            signal = outcome.outputs.get(source[1])
            types = outputs.setdefault(path, {})
            if signal is not None:
                types[port] = signal.tensor_type()
            elif source[1] in outcome.absent:
                absent[path] = (*absent.get(path, ()), port)
        return {
            path: NodeReport(
                outputs=types,
                absent=absent.get(path, ()),
                parameters=counts.get(path, _NONE)[0],
                buffers=counts.get(path, _NONE)[1],
                frozen=counts.get(path, _NONE)[2],
                resolved=resolved.get(path, {}),
                names=names.get(path, ()),
            )
            for path, types in outputs.items()
            if is_first_copy(path)
        }


_UNKNOWN = NodeResult()
_NONE = (0, 0, 0)


_PATHS = 20_000  # that are remembered: most edits leave them as they are


@lru_cache(_PATHS)
def _seen_at(flat_id: str) -> str | None:
    """Return the path where a node is seen: nothing inside a further copy of a block."""
    above, separator, own = flat_id.rpartition(SEPARATOR)
    return f"{above}{separator}{place_of(own)}" if is_first_copy(above) else None


@lru_cache(_PATHS)
def _counted_at(flat_id: str) -> tuple[str, ...]:
    """Return the paths whose counts a node belongs to: its own and those of the blocks around it,
    from the outside to the first one that it is a further copy in.
    """
    found: list[str] = []
    path = ""
    for part in flat_id.split(SEPARATOR):
        found.append(path + place_of(part))
        if not is_first_copy(part):
            break
        path = f"{path}{part}{SEPARATOR}"
    return tuple(found)


def survey(graph: Graph, propagator: Propagator) -> Survey:
    """Return what a model does; never raises."""
    flat = expand(graph)
    return Survey(flat, propagator.outcomes(flat.graph))
