"""Debugger of the run that is followed: its page, its marks on the canvas."""

from collections.abc import Callable
from dataclasses import replace
from math import prod
from typing import Literal

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QMenu
from typing_extensions import override

from engine.diagnostics import DiagnosticError, sentence
from engine.graph.block import node_on_level
from engine.runs.condition import parse_condition
from studio.i18n import translate
from studio.inspect.debugger.page import DebuggerPage
from studio.inspect.debugger.presenter import (
    DebuggerState,
    breakpoint_of,
    flat_index,
    kinds,
    present_debugger,
)
from studio.inspect.tensors.presenter import shape_text
from studio.run_control.debugging import Over
from studio.services import PageController, Services
from studio.session.run_follower import RunUpdate
from studio.view.phase import of_phase
from studio.view.run import misses, refusals
from widgets.canvas.canvas import Canvas


class DebuggerController(PageController[DebuggerPage, DebuggerState]):
    """Glue between the page and what the window keeps of the debugger; ``show_node`` shows a node
    of the model, by the path of its level and its id.
    """

    def __init__(
        self,
        services: Services,
        page: DebuggerPage,
        *,
        canvas: Canvas,
        show_node: Callable[[str], object],
    ) -> None:
        super().__init__(services, page, DebuggerState())
        self._debugging = debugging = services.debugging
        self._canvas = canvas
        self._show_node = show_node
        self._last_update: RunUpdate | None = None
        self._asked = ""  # the new value that the run may refuse
        self._showing = QTimer(self, singleShot=True, interval=0)
        self._showing.timeout.connect(self._show_stop)
        page.step_requested.connect(self._on_step)
        page.start_requested.connect(debugging.begin)
        page.add_requested.connect(self._on_add)
        page.kind_changed.connect(lambda: self._change(problem=""))
        page.value_typed.connect(lambda text: self._take(typed=text))
        page.write_requested.connect(self._on_write)
        page.first_typed.connect(lambda text: self._take(first=text))
        page.from_requested.connect(self._on_from)
        page.condition_typed.connect(lambda text: self._take(condition=text))
        page.condition_changed.connect(self._on_condition)
        page.points_chosen.connect(self._on_points_chosen)
        page.menu_requested.connect(self._on_menu)
        page.switch_requested.connect(debugging.switch)
        page.delete_requested.connect(lambda keys: debugging.remove(set(map(int, keys))))
        page.tensor_chosen.connect(self._on_tensor)
        page.value_chosen.connect(lambda value: self._change(value=value))
        debugging.changed.connect(self._on_points_changed)
        self._session.graph_changed.connect(self._on_points_changed)
        self._session.level_changed.connect(self._mark)
        self._session.run_changed.connect(self._on_run_changed)
        self._on_points_changed()
        self._on_run_changed()

    @override
    def _present(self) -> None:
        view = present_debugger(self._state, self._session.graph)
        update, stop = self._session.run, self._state.stop
        if update is not None and stop is not None:
            view = replace(view, where=of_phase(view.where, update, stop.step))
        self._page.set_view(view)

    def _on_step(self, over: Over | Literal["continue"]) -> None:
        if over == "continue":
            self._debugging.go_on()
        else:
            self._debugging.step(over)

    def _on_add(self, kind: str) -> None:
        text = self._state.typed
        try:
            point = breakpoint_of(kind, text)
        except DiagnosticError as error:
            self._change(problem=sentence(error.problems[0], self._language()))
            return
        if point is None:
            problem = translate(
                "Debugger", "“{text}” is not valid here. Enter a value such as {example}."
            )
            example = next(example for each, _, example in kinds() if each == kind)
            self._change(problem=problem.format(text=text, example=example))
            return
        self._change(problem="", typed="")
        self._debugging.add(point)

    def _on_condition(self) -> None:
        """Give the selected breakpoint a condition, or take it away."""
        text = self._state.condition.strip()
        if len(self._state.chosen) != 1:
            return
        try:
            if text:
                parse_condition(text)
        except DiagnosticError as error:
            self._change(problem=sentence(error.problems[0], self._language()))
            return
        self._change(problem="")
        self._debugging.set_condition(self._state.chosen[0], text)

    def _on_menu(self, chosen: list[str], position: QPoint) -> None:
        """Offer what can be done with breakpoints of the list."""
        if not chosen:
            return
        menu = QMenu(self._page)
        menu.setObjectName("debugger.points.menu")
        is_on = self._debugging.points[int(chosen[0])].is_on
        for name, text, press in (
            (
                "switch",
                translate("Debugger", "Disable") if is_on else translate("Debugger", "Enable"),
                lambda: self._switch(chosen, not is_on),
            ),
            (
                "remove",
                translate("Debugger", "Remove"),
                lambda: self._debugging.remove(set(map(int, chosen))),
            ),
        ):
            action = menu.addAction(text)
            action.setObjectName(f"debugger.points.{name}")
            action.triggered.connect(press)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(position)

    def _switch(self, chosen: list[str], is_on: bool) -> None:
        for key in chosen:
            if self._debugging.points[int(key)].is_on is not is_on:
                self._debugging.switch(int(key))

    def _on_points_chosen(self, chosen: tuple[int, ...]) -> None:
        state = replace(self._state, chosen=chosen, problem="")
        point = state.chosen_point
        self._set(replace(state, condition=point.condition if point is not None else ""))

    def _on_points_changed(self) -> None:
        points = self._debugging.points
        chosen = tuple(index for index in self._state.chosen if index < len(points))
        self._take(points=points)
        self._on_points_chosen(chosen)
        self._mark()

    def _on_write(self, expression: str) -> None:
        state = self._state
        self._change(value_problem="")
        if state.tensor:
            self._asked = expression
            self._debugging.write(state.tensor, expression, state.value)
            self._debugging.read(state.tensor, state.start)

    def _on_tensor(self, tensor: str) -> None:
        self._change(tensor=tensor, first="", start=0, value_problem="")
        if tensor:
            self._debugging.read(tensor)

    def _on_from(self) -> None:
        """Show the values of the tensor from an index on."""
        value, text = self._state.tensor_value, self._state.first
        if value is None:
            return
        start = flat_index(text, value.shape)
        if start is None:
            problem = translate(
                "Debugger", "“{text}” is not an index of a tensor of shape {shape}."
            )
            shape = shape_text(value.shape)
            self._change(value_problem=problem.format(text=text, shape=shape))
            return
        self._change(value_problem="", start=start)
        self._debugging.read(value.key, start)

    def _on_run_changed(self) -> None:
        update, last, stop = self._session.run, self._state.stop, self._debugging.stop
        changes = self._refused()
        if stop is None and last is not None:
            changes["value_problem"] = ""
        read = update.state.read if update is not None else None
        self._update(stop=stop, read=read, is_running=self._runs.is_running, **changes)
        if stop == last:
            return
        self._mark()
        if stop is None:
            return
        if stop.place and (last is None or last.place != stop.place):
            self._showing.start()
        value, start = self._state.tensor_value, self._state.start
        if stop.reason != "change" and value is not None:
            self._take(start=start if start < prod(value.shape) else 0)
            self._debugging.read(value.key, self._state.start)

    def _show_stop(self) -> None:
        """Show where the run stands, which may be inside a block: the canvas goes there once all
        know that the run has stopped.
        """
        stop = self._state.stop
        if stop is not None and stop.place:
            self._show_node(stop.place)

    def _refused(self) -> dict[str, str]:
        """Return the fields that say why a new value was refused, and what a breakpoint misses."""
        update, changes = self._session.run, dict[str, str]()
        if update is None or update is self._last_update:
            return changes
        self._last_update = update
        if self._asked and (problems := refusals(update.events)):  # not of a record read again
            self._asked = ""
            changes["value_problem"] = sentence(problems[-1], self._language())
        waiting = [point.place for point in self._state.points if point.is_on]
        for problem in misses(update.events):
            if self._runs.is_running and problem.params["function"] in waiting:
                changes["problem"] = sentence(problem, self._language())
        return changes

    def _mark(self) -> None:
        """Show on the canvas which nodes have a breakpoint, and before which the run stands."""
        points, stop = self._debugging.points, self._state.stop
        paths = [point.place for point in points if point.kind == "layer" and point.is_on]
        standing = [stop.place] if stop is not None and stop.place else []
        self._canvas.mark_stops(self._on_level(paths), self._on_level(standing))

    def _on_level(self, paths: list[str]) -> frozenset[str]:
        """Return the nodes of the level that is shown which hold those of these node paths."""
        level = self._session.path
        found = (node_on_level(path, level) for path in paths)
        return frozenset(node for node in found if node is not None)
