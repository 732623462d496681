"""A recorded backward pass at one moment: what has run, what is ready, what still waits."""

from collections import Counter
from dataclasses import dataclass

from engine.runs.record.autograd_graph import (
    AutogradGraph,
    AutogradNode,
    BackwardCall,
    Reading,
    saved_size,
)
from studio.i18n import translate
from studio.inspect.graph.colour import Mark, norm_text, time_text
from studio.inspect.graph.presenter import AutogradView
from widgets.tables.format import size_text
from widgets.tables.view_model import ColumnView, RowView, TableData

_MOST_ROWS = 200


@dataclass(frozen=True, kw_only=True)
class Moment:
    """What is shown after so many calls: the Function that ran last, marks by node of the picture,
    the queue and a sentence.
    """

    current: str
    marks: dict[str, Mark]
    queue: TableData
    text: str


class Playback:
    """Goes through the calls of a captured step. A Function is ready when a gradient has come over
    each of its edges: the engine counts these dependencies before it begins.
    """

    def __init__(self, captured: AutogradGraph) -> None:
        self.calls = captured.calls
        self._nodes = {node.id: node for node in captured.nodes}
        self._number = {call.id: number for number, call in enumerate(captured.calls)}
        self._needed = Counter(target for _, target, _ in captured.edges)
        self._edges = captured.edges

    def moment(self, position: int, view: AutogradView) -> Moment:
        """Return what is shown after ``position`` calls."""
        arrived = Counter(
            target for source, target, _ in self._edges if self._is_done(source, position)
        )
        current = self.calls[position - 1].id if position else ""
        marks = {
            key: self._mark(members, current, position, arrived)
            for key, members in view.members.items()
            if members
        }
        return Moment(
            current=current,
            marks=marks,
            queue=self._queue(position, arrived),
            text=self._text(position),
        )

    def _is_done(self, function: str, position: int) -> bool:
        return self._number.get(function, position) < position

    def _is_ready(self, function: str, position: int, arrived: Counter[str]) -> bool:
        is_open = self._number.get(function, -1) >= position
        return is_open and arrived[function] == self._needed[function]

    def _mark(
        self, members: tuple[str, ...], current: str, position: int, arrived: Counter[str]
    ) -> Mark:
        done = sum(self._is_done(each, position) for each in members)
        count = f"{done}/{len(members)}"
        if current in members:
            badge = f"▶ {position}" if len(members) == 1 else f"▶ {count}"
            return Mark(color="blue", badge=badge, detail=translate("Autograd", "Last run"))
        if done == len(members):
            return Mark(color="green", badge="✓", detail=translate("Autograd", "Done"))
        if any(self._is_ready(each, position, arrived) for each in members):
            text = translate("Autograd", "ready")
            detail = translate("Autograd", "Ready: all incoming gradients have been received")
            return Mark(color="yellow", badge=text, detail=detail)
        if len(members) == 1:
            count = f"{arrived[members[0]]}/{self._needed[members[0]]}"
            detail = translate("Autograd", "Waiting: gradients received / needed")
            return Mark(color="gray", badge=count, detail=detail)
        text = translate("Autograd", "Functions run / total")
        return Mark(color="gray", badge=count, detail=text)

    def _queue(self, position: int, arrived: Counter[str]) -> TableData:
        """Return the ready Functions in the order in which they run, then those that wait for
        more gradients.
        """
        waiting = [call for call in self.calls[position:] if self._has_input(call.id, arrived)]
        rows = sorted(waiting, key=lambda call: not self._is_ready(call.id, position, arrived))[
            :_MOST_ROWS
        ]
        return TableData(
            columns=(
                ColumnView(key="function", title=translate("Autograd", "Ready queue"), width=16),
                ColumnView(key="state", title=translate("Autograd", "State"), width=8),
                ColumnView(key="arrived", title=translate("Autograd", "Incoming"), width=8),
            ),
            rows=tuple(
                RowView(
                    id=call.id,
                    cells=(
                        name_of(self._nodes[call.id]),
                        translate("Autograd", "ready")
                        if self._is_ready(call.id, position, arrived)
                        else translate("Autograd", "waiting"),
                        f"{arrived[call.id]}/{self._needed[call.id]}",
                    ),
                    is_muted=not self._is_ready(call.id, position, arrived),
                )
                for call in rows
            ),
            empty_text=translate("Autograd", "The queue is empty. The backward pass is complete."),
        )

    def _has_input(self, function: str, arrived: Counter[str]) -> bool:
        return arrived[function] > 0 or not self._needed[function]

    def _text(self, position: int) -> str:
        left = (node for key, node in self._nodes.items() if not self._is_done(key, position))
        size = size_text(saved_size(left))
        if not position:
            text = translate("Autograd", "Before backward: {size} saved")
            return text.format(size=size)
        call = self.calls[position - 1]
        text = translate("Autograd", "{name}: {took}, norm {arrived}, {size} still saved")
        return text.format(
            name=name_of(self._nodes[call.id]),
            took=time_text(call.took_s),
            arrived=norm_text(call.norm) + _passed_on_text(call),
            size=size,
        )


def name_of(node: AutogradNode) -> str:
    """Return the Function, and for a leaf the parameter that it adds to."""
    return f"{node.name} ({node.parameter})" if node.parameter else node.name


def reading_text(reading: Reading | None) -> str:
    """Return what was read of a tensor: its norm and, where they are few, its numbers."""
    if reading is None:
        return translate("Autograd", "none")
    text = translate("Autograd", "norm {norm}").format(norm=f"{reading.norm:.6g}")
    if not reading.values:
        return text
    return f"{text}  [{', '.join(f'{value:.6g}' for value in reading.values)}]"


def _passed_on_text(call: BackwardCall) -> str:
    norms = [norm_text(each.norm) for each in call.left if each is not None]
    return f" → {', '.join(norms)}" if norms else ""
