"""Debugger of the run that is followed: its page, its marks on the canvas."""

from collections.abc import Callable
from math import prod
from typing import Literal

from PySide6.QtCore import QObject, QPoint, Qt
from PySide6.QtWidgets import QMenu

from engine.diagnostics import DiagnosticError, sentence
from engine.events import DebugStopped, DebugValue
from engine.graph.block import SEPARATOR
from engine.runs.condition import parse_condition
from studio.i18n import translate
from studio.inspect.debugger.page import DebuggerPage
from studio.inspect.debugger.presenter import (
    breakpoint_of,
    flat_index,
    present_breakpoints,
    present_span,
    present_tensors,
    present_values,
    stop_text,
)
from studio.inspect.tensors.presenter import shape_text
from studio.run_control.controller import RunController
from studio.run_control.debugging import Debugging, Over
from studio.session.run_follower import RunUpdate
from studio.session.session import Session
from studio.view.run import misses, refusals
from studio.window.page import EmptyView
from widgets.canvas.canvas import Canvas

_WRITABLE = ("variable", "parameter", "buffer", "gradient", "incoming")


class DebuggerController(QObject):
    """Glue between the page and what the window keeps of the debugger; ``show_node`` shows a node
    of the model, by the path of its level and its id, ``show_page`` brings the page to the front.
    """

    def __init__(
        self,
        *,
        session: Session,
        page: DebuggerPage,
        debugging: Debugging,
        runs: RunController,
        canvas: Canvas,
        show_node: Callable[[str], object],
        language: Callable[[], str],
    ) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._debugging = debugging
        self._runs = runs
        self._canvas = canvas
        self._show_node = show_node
        self._language = language
        self._stop: DebugStopped | None = None
        self._heard: RunUpdate | None = None
        self._asked = ""  # the new value that the run may refuse
        self._start = 0  # the flat index from which on values are shown
        page.step_requested.connect(self._on_step)
        page.start_requested.connect(debugging.begin)
        page.add_requested.connect(self._on_add)
        page.write_requested.connect(self._on_write)
        page.from_requested.connect(self._on_from)
        page.condition_changed.connect(self._on_condition)
        page.point_chosen.connect(self._paint_condition)
        page.menu_requested.connect(self._on_menu)
        page.switch_requested.connect(debugging.switch)
        page.delete_requested.connect(lambda keys: debugging.remove(set(map(int, keys))))
        page.tensor_chosen.connect(self._on_tensor)
        page.value_chosen.connect(lambda: page.set_target(self._target()))
        debugging.changed.connect(self._paint_points)
        session.graph_changed.connect(self._paint_points)
        session.level_changed.connect(self._mark)
        session.run_changed.connect(self._on_run_changed)
        self._paint_points()
        self._tell_empty()
        self._paint_values()
        self._on_run_changed()

    def _on_step(self, over: Over | Literal["continue"]) -> None:
        if over == "continue":
            self._debugging.go_on()
        else:
            self._debugging.step(over)

    def _on_add(self, kind: str, text: str) -> None:
        try:
            point = breakpoint_of(kind, text)
        except DiagnosticError as error:
            self._page.show_problem(sentence(error.problems[0], self._language()))
            return
        if point is None:
            told = translate(
                "Debugger", "“{text}” is not valid here. Enter a value such as {example}."
            )
            self._page.show_problem(told.format(text=text, example=self._page.example))
            return
        self._page.show_problem("")
        self._debugging.add(point)
        self._page.clear_value()

    def _on_condition(self, text: str) -> None:
        """Give the selected breakpoint a condition, or take it away."""
        chosen = self._page.chosen.points
        if len(chosen) != 1:
            return
        try:
            if text:
                parse_condition(text)
        except DiagnosticError as error:
            self._page.show_problem(sentence(error.problems[0], self._language()))
            return
        self._page.show_problem("")
        self._debugging.set_condition(chosen[0], text)

    def _on_menu(self, chosen: list[str], at: QPoint) -> None:
        """Offer what can be done with breakpoints of the list."""
        if not chosen:
            return
        menu = QMenu(self._page)
        menu.setObjectName("debugger.points.menu")
        points = [self._debugging.points[int(key)] for key in chosen]
        switch = translate("Debugger", "Disable") if points[0].is_on else ""
        switch = switch or translate("Debugger", "Enable")
        for name, text, press in (
            ("switch", switch, lambda: self._switch(chosen, not points[0].is_on)),
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
        menu.popup(at)

    def _switch(self, chosen: list[str], is_on: bool) -> None:
        for key in chosen:
            if self._debugging.points[int(key)].is_on is not is_on:
                self._debugging.switch(int(key))

    def _paint_condition(self) -> None:
        chosen = self._page.chosen.points
        point = self._debugging.points[chosen[0]] if len(chosen) == 1 else None
        can_have = point is not None and point.kind != "condition"
        text = point.condition if point is not None and can_have else ""
        self._page.show_condition(text, can_write=can_have)

    def _on_write(self, expression: str) -> None:
        self._page.show_wrong("")
        chosen = self._page.chosen
        if chosen.tensor:
            self._asked = expression
            self._debugging.write(chosen.tensor, expression, chosen.value)
            self._debugging.read(chosen.tensor, self._start)

    def _on_tensor(self) -> None:
        self._page.show_wrong("")
        self._page.clear_first()
        self._start = 0
        self._paint_values()
        if tensor := self._page.chosen.tensor:
            self._debugging.read(tensor)

    def _on_from(self, text: str) -> None:
        """Show the values of the tensor from an index on."""
        value = self._value()
        if value is None:
            return
        start = flat_index(text, value.shape)
        if start is None:
            told = translate("Debugger", "“{text}” is not an index of a tensor of shape {shape}.")
            self._page.show_wrong(told.format(text=text, shape=shape_text(value.shape)))
            return
        self._page.show_wrong("")
        self._start = start
        self._debugging.read(value.key, start)

    def _on_run_changed(self) -> None:
        self._tell_refusal()
        stop = self._debugging.stop
        self._page.set_running(is_running=self._runs.is_running)
        if stop == self._stop:
            if stop is not None:
                self._paint_values()
            else:
                self._tell_empty()
            return
        before, self._stop = self._stop, stop
        if stop is None:
            self._page.show_wrong("")
        text = stop_text(stop, self._session.graph) if stop is not None else ""
        self._page.show_stop(text, present_tensors(stop))
        self._mark()
        self._paint_values()
        if stop is None:
            self._tell_empty()
        elif stop.place and (before is None or before.place != stop.place):
            self._show_node(stop.place)
        if stop is not None and stop.reason != "change" and (value := self._value()):
            self._start = self._start if self._start < prod(value.shape) else 0
            self._debugging.read(value.key, self._start)

    def _tell_refusal(self) -> None:
        """Say at their fields why a new value could not be taken, and what a breakpoint misses."""
        update = self._session.run
        if update is None or update is self._heard:
            return
        self._heard = update
        if self._asked and (problems := refusals(update.events)):  # not of a record read again
            self._asked = ""
            self._page.show_wrong(sentence(problems[-1], self._language()))
        waiting = [each.place for each in self._debugging.points if each.is_on]
        for problem in misses(update.events):
            if self._runs.is_running and problem.params["function"] in waiting:
                self._page.show_problem(sentence(problem, self._language()))

    def _value(self) -> DebugValue | None:
        """Return what was told of the tensor that is chosen."""
        values = {value.key: value for value in (self._stop.values if self._stop else ())}
        return values.get(self._page.chosen.tensor)

    def _target(self) -> str:
        chosen = self._page.chosen
        if not chosen.tensor:
            return ""
        if chosen.value is None:
            return translate("Debugger", "All of {tensor} =").format(tensor=chosen.tensor)
        return f"{chosen.tensor}{chosen.index} ="

    def _paint_values(self) -> None:
        update, value = self._session.run, self._value()
        read = update.state.read if update is not None and value is not None else None
        if value is None or (read is not None and read.key != value.key):
            read = None
        self._page.show_values(
            present_values(read, value.shape if value is not None else ()),
            can_write=value is not None and value.kind in _WRITABLE,
            target=self._target(),
        )
        self._page.show_span(present_span(read, value.shape if value is not None else ()))

    def _tell_empty(self) -> None:
        title = translate("Debugger", "The run is not paused within a step")
        text = translate(
            "Debugger",
            "The run stops before a layer with a breakpoint, or when you step. Here you "
            "can view and change its tensors. Stopping does not affect the training "
            "results.",
        )
        action = translate("Debugger", "Stop before the first layer")
        if not self._runs.is_running:
            action = translate("Debugger", "Train and stop before the first layer")
        self._page.set_empty(EmptyView(title, text, action))

    def _paint_points(self) -> None:
        points = self._debugging.points
        self._page.show_points(present_breakpoints(points, self._session.graph))
        self._paint_condition()
        self._mark()

    def _mark(self) -> None:
        """Show on the canvas which nodes have a breakpoint, and before which the run stands."""
        points = self._debugging.points
        places = [point.place for point in points if point.kind == "layer" and point.is_on]
        stands = [self._stop.place] if self._stop is not None and self._stop.place else []
        self._canvas.mark_stops(self._here(places), self._here(stands))

    def _here(self, places: list[str]) -> frozenset[str]:
        """Return the nodes of the level that is shown which hold those places."""
        path = self._session.path
        parts = [tuple(place.split(SEPARATOR)) for place in places]
        return frozenset(
            each[len(path)] for each in parts if each[: len(path)] == path and len(each) > len(path)
        )
