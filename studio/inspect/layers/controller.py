"""Statistics of the run that is followed: read bit by bit and shown layer by layer."""

from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QTimer
from typing_extensions import override

from engine.diagnostics import DiagnosticError
from engine.events import RunEvent, SetWatching, WatchingChanged
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.runs.record.statistic import Key, Kind, StatisticHistory
from engine.runs.record.store import NO_RECORD, RunStore
from studio.inspect.layers.page import LayersPage
from studio.inspect.layers.presenter import (
    LayersState,
    Reading,
    key_title,
    keys_of_layer,
    layer_bars,
    layer_of,
    present_facts,
    present_key,
    present_layers,
    present_page,
)
from studio.services import PageController, Services
from studio.view.status import watching_text
from widgets.canvas.canvas import Canvas

_AGAIN_MS = 800  # a table full of lines takes some milliseconds to paint


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """What is to be read; ``index`` is that of a recorded step, -1 the newest."""

    folder: Path
    model: Graph
    layer: str
    key: str
    index: int


class LayersController(PageController[LayersPage, LayersState]):
    """Glue between the page of layers and the run. Records are read and prepared off Qt's thread,
    about once a second while the run goes on and the page is seen.
    """

    def __init__(self, services: Services, page: LayersPage, *, canvas: Canvas) -> None:
        super().__init__(services, page, LayersState())
        self._canvas = canvas
        self._history = StatisticHistory()
        self._is_reading = self._is_stale = False
        self._timer = QTimer(self, interval=_AGAIN_MS, singleShot=True)
        self._timer.timeout.connect(self._read)
        page.shown.connect(self._read)
        page.start_requested.connect(self._inspect_run)
        page.layer_chosen.connect(self._on_layer)
        page.key_chosen.connect(lambda key: self._want(key=key))
        page.step_chosen.connect(lambda index: self._want(index=index))
        page.watching_changed.connect(self._on_watching)
        page.measure_changed.connect(self._on_measure)
        self._session.level_changed.connect(self._mark)
        self._session.run_changed.connect(self._on_run_changed)
        self._present()
        self._on_run_changed()

    @override
    def _present(self) -> None:
        self._page.set_view(present_page(self._state))

    def _on_run_changed(self) -> None:
        update, asked = self._session.run, self._state.asked
        changes: dict[str, object] = {"is_running": self._runs.is_running}
        folder = update.folder.path if update is not None else Path()
        is_other = folder != self._state.folder
        if is_other:
            self._history, asked = StatisticHistory(), None
            changes |= {"folder": folder, "asked": None, "index": -1, "reading": None}
        if update is not None:
            is_confirmed = any(_confirms(stored.event, asked) for stored in update.events)
            changes |= {
                "asked": None if is_confirmed else asked,
                "watch": update.state.watch or update.folder.document.spec.watch,
                "cost": watching_text(update.state),
            }
        self._update(**changes)
        if is_other:
            self._mark()
        if update is not None and self._is_seen() and not self._timer.isActive():
            self._timer.start()

    def _want(self, **changes: object) -> None:
        """Read something else."""
        self._take(**changes)
        self._read()

    def _on_layer(self, name: str) -> None:
        if name != self._state.layer:
            self._want(layer=name)

    def _on_watching(self, is_on: bool, limit: float) -> None:
        update = self._session.run
        if update is None or not self._runs.is_running:
            return
        every = self._state.watch.every_steps
        command = SetWatching(statistics=is_on, every_steps=every, limit=limit)
        if self._succeeds(lambda: update.folder.send(command)):
            self._change(asked=command)
        else:
            self._present()  # as the run still watches

    def _is_seen(self) -> bool:
        """Return whether somebody sees the page, or what it tells on the canvas."""
        is_marking = bool(self._state.measure) and self._canvas.isVisible()
        return is_marking or self._page.isVisible()

    def _on_measure(self, measure: str) -> None:
        self._take(measure=measure)
        self._mark()
        self._read()

    def _mark(self) -> None:
        """Show the chosen figure below the nodes of the level that is seen, or none."""
        reading, measure, bars = self._state.reading, self._state.measure, {}
        if measure and reading is not None:
            bars = layer_bars(reading.layers, reading.modules, measure, self._session.path)
        self._canvas.mark_bars("layers", bars)

    def _read(self) -> None:
        """Read and prepare what is to be shown; what is wanted meanwhile is read after it."""
        update, state = self._session.run, self._state
        if update is None or not self._is_seen():
            return
        if self._is_reading:
            self._is_stale = True
            return
        self._is_reading, self._is_stale = True, False
        history = self._history
        wanted = _Wanted(
            folder=update.folder.path,
            model=update.folder.document.graph,
            layer=state.layer,
            key=state.key,
            index=state.index,
        )
        self._handover.run(
            lambda: _read(history, wanted), lambda future: self._on_read(history, wanted, future)
        )

    def _on_read(
        self, history: StatisticHistory, wanted: _Wanted, future: "Future[Reading | None]"
    ) -> None:
        self._is_reading = False
        error = future.exception()
        if isinstance(error, DiagnosticError):
            if error.problems[0].code != NO_RECORD or not self._runs.is_running:
                self._notifications.report(error.problems)
            return
        reading = future.result()
        if history is self._history and reading is not None:
            if wanted.layer == self._state.layer:
                self._change(reading=reading, layer=reading.layer)
            else:  # another layer that was chosen meanwhile stays chosen
                self._change(reading=reading)
            self._mark()
        if self._is_stale:
            self._read()


def _read(history: StatisticHistory, wanted: _Wanted) -> Reading | None:
    """Read what is new and prepare what is wanted; None where nothing is recorded."""
    with RunStore.open(wanted.folder) as store:
        history.update(store)
    steps = tuple(history.steps.tolist())
    if not steps:
        return None
    index = wanted.index if 0 <= wanted.index < len(steps) else len(steps) - 1
    modules = module_names(wanted.model)
    layers = present_layers(history, modules, steps[index])
    names = [row.id for row in layers.table.rows]
    layer = wanted.layer if wanted.layer in names else names[0]
    keys = keys_of_layer(history, layer)
    key = next((each for each in keys if _id(each) == wanted.key), keys[0])
    return Reading(
        steps=steps,
        index=index,
        layers=layers,
        layer=layer,
        keys=tuple((_id(each), key_title(each)) for each in keys),
        key=_id(key),
        modules=modules,
        history=present_key(history, key, f"{layer} · {key_title(key)}", steps[index]),
        facts=present_facts(history, key, steps[index]),
    )


def _id(key: Key) -> str:
    """Return what stands for the same in every layer: ``gradient weight``."""
    kind, name = key
    parameter = "" if kind is Kind.ACTIVATION else name.removeprefix(layer_of(key)).strip(".")
    return f"{kind.value} {parameter}".strip()


def _confirms(event: RunEvent, asked: SetWatching | None) -> bool:
    """Return whether a run says that it watches as it was asked to."""
    if asked is None or not isinstance(event, WatchingChanged):
        return False
    return (event.statistics, event.limit) == (asked.statistics, asked.limit)
