"""Statistics of the run that is followed: read bit by bit and shown layer by layer."""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer

from engine.diagnostics import DiagnosticError
from engine.events import RunEvent, SetWatching, WatchingChanged
from engine.graph.model import Graph
from engine.graph.module_name import module_names
from engine.runs.record.statistic import Key, Kind, StatisticHistory
from engine.runs.record.store import NO_RECORD, RunStore
from studio.i18n import translate
from studio.inspect.layers.page import LayersPage
from studio.inspect.layers.presenter import (
    LayersView,
    key_title,
    keys_of_layer,
    layer_bars,
    layer_of,
    present_facts,
    present_key,
    present_layers,
)
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.session.session import Session
from studio.view.status import watching_text
from studio.window.notifications import Notifications
from studio.window.page import EmptyView
from widgets.canvas.canvas import Canvas
from widgets.plots.histogram_history import HistoryView

_AGAIN_MS = 800  # a table full of lines takes some milliseconds to paint
_APART_MS = 60  # of the two halves of the page: painted at once they would hold up the window


@dataclass(frozen=True, kw_only=True)
class _Wanted:
    """What the page shall show; ``at`` is the number of a recorded step, -1 the newest."""

    folder: Path
    model: Graph
    layer: str
    key: str
    at: int


@dataclass(frozen=True, kw_only=True)
class _Reading:
    """What was read. ``modules`` are the names of the modules of the nodes, by flat place."""

    steps: tuple[int, ...]
    at: int
    layers: LayersView
    layer: str
    keys: tuple[tuple[str, str], ...]
    key: str
    modules: dict[str, str]
    history: HistoryView
    facts: tuple[tuple[str, str], ...]


class LayersController(QObject):
    """Glue between the page of layers and the run. Records are read and prepared off Qt's thread,
    about once a second while the run goes on and the page is seen.
    """

    def __init__(
        self,
        *,
        session: Session,
        page: LayersPage,
        runs: RunController,
        border: ThreadHandover,
        messenger: Notifications,
        canvas: Canvas,
        go_to: Callable[[str], object],
    ) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._runs = runs
        self._border = border.of(self)
        self._messenger = messenger
        self._canvas = canvas
        self._go_to = go_to
        self._folder = Path()
        self._history = StatisticHistory()
        self._layer = self._key = self._measure = ""
        self._at = -1
        self._is_reading = self._is_stale = False
        self._told: SetWatching | None = None
        self._timer = QTimer(self, interval=_AGAIN_MS, singleShot=True)
        self._timer.timeout.connect(self._read)
        self._found: _Reading | None = None
        self._details = QTimer(self, interval=_APART_MS, singleShot=True)
        self._details.timeout.connect(self._show_details)
        page.shown.connect(self._read)
        page.start_requested.connect(self._begin)
        page.layer_chosen.connect(self._on_layer)
        page.key_chosen.connect(self._on_key)
        page.step_chosen.connect(self._on_step)
        page.watching_changed.connect(self._on_watching)
        page.measure_changed.connect(self._on_measure)
        session.level_changed.connect(self._mark)
        session.run_changed.connect(self._on_run_changed)
        self._tell_empty()
        self._on_run_changed()

    def _begin(self) -> None:
        self._runs.start()
        self._go_to("inspect")

    def _on_run_changed(self) -> None:
        update = self._session.run
        if update is None:
            self._folder, self._found = Path(), None
            self._tell_empty()
            self._mark()
            return
        if update.folder.path != self._folder:
            self._folder = update.folder.path
            self._history = StatisticHistory()
            self._told, self._at, self._found = None, -1, None
            self._tell_empty()
            self._mark()
        if any(_is_of(stored.event, self._told) for stored in update.events):
            self._told = None
        watch = self._told or update.state.watch or update.folder.document.spec.watch
        self._page.set_watching(
            is_on=watch.statistics,
            limit=watch.limit,
            is_running=self._runs.is_running,
            cost=watching_text(update.state),
        )
        if self._is_seen() and not self._timer.isActive():
            self._timer.start()

    def _tell_empty(self) -> None:
        text = translate(
            "Layers",
            "During a run, Trellis regularly records statistics of the weights, gradients, "
            "updates and activations of each layer. Here you see how they develop.",
        )
        action = "" if self._runs.is_running else translate("Layers", "Train")
        self._page.set_empty(EmptyView(translate("Layers", "No statistics yet"), text, action))

    def _on_layer(self, name: str) -> None:
        if name != self._layer:
            self._layer = name
            self._read()

    def _on_key(self, key: str) -> None:
        self._key = key
        self._read()

    def _on_step(self, at: int) -> None:
        self._at = at
        self._read()

    def _on_watching(self, is_on: bool, limit: float) -> None:
        update = self._session.run
        if update is None or not self._runs.is_running:
            return
        every = (update.state.watch or update.folder.document.spec.watch).every_steps
        command = SetWatching(statistics=is_on, every_steps=every, limit=limit)
        try:
            update.folder.send(command)
        except DiagnosticError as error:
            self._messenger.report(error.problems)
            return
        self._told = command

    def _is_seen(self) -> bool:
        """Return whether somebody sees the page, or what it tells on the canvas."""
        is_marking = bool(self._measure) and self._canvas.isVisible()
        return is_marking or self._page.isVisible()

    def _on_measure(self, measure: str) -> None:
        self._measure = measure
        self._mark()
        self._read()

    def _mark(self) -> None:
        """Show the chosen figure below the nodes of the level that is seen, or none."""
        found, bars = self._found, {}
        if self._measure and found is not None:
            bars = layer_bars(found.layers, found.modules, self._measure, self._session.path)
        self._canvas.mark_bars("layers", bars)

    def _read(self) -> None:
        """Read and prepare what is to be shown; what is wanted meanwhile is read after it."""
        update = self._session.run
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
            layer=self._layer,
            key=self._key,
            at=self._at,
        )
        self._border.run(
            lambda: _find(history, wanted), lambda future: self._on_read(history, wanted, future)
        )

    def _on_read(
        self, history: StatisticHistory, wanted: _Wanted, future: "Future[_Reading | None]"
    ) -> None:
        self._is_reading = False
        error = future.exception()
        if isinstance(error, DiagnosticError):
            if error.problems[0].code != NO_RECORD or not self._runs.is_running:
                self._messenger.report(error.problems)
            return
        found = future.result()
        if history is self._history and found is not None:
            self._found = found
            self._mark()
            if self._page.isVisible():
                self._show(found, is_still_wanted=wanted.layer == self._layer)
        if self._is_stale:
            self._read()

    def _show(self, found: _Reading, *, is_still_wanted: bool) -> None:
        """Show what was read; another layer that was chosen meanwhile stays chosen."""
        page = self._page
        page.set_empty(None)
        if self._at < 0 or not self._is_stale:
            page.set_steps(found.steps, found.at)
        if is_still_wanted:
            self._layer = found.layer
        page.show_layers(found.layers, found.layer if is_still_wanted else "")
        if is_still_wanted and not self._details.isActive():
            self._details.start()

    def _show_details(self) -> None:
        """Show the layer that was read last, unless another one was chosen meanwhile."""
        found = self._found
        if found is not None and found.layer == self._layer:
            self._page.set_keys(found.keys, found.key)
            self._page.show_history(found.history, found.facts)


def _find(history: StatisticHistory, wanted: _Wanted) -> _Reading | None:
    """Read what is new and prepare what is wanted; None where nothing is recorded."""
    with RunStore.open(wanted.folder) as store:
        history.update(store)
    steps = tuple(history.steps.tolist())
    if not steps:
        return None
    at = wanted.at if 0 <= wanted.at < len(steps) else len(steps) - 1
    modules = module_names(wanted.model)
    layers = present_layers(history, modules, steps[at])
    names = [row.id for row in layers.table.rows]
    layer = wanted.layer if wanted.layer in names else names[0]
    keys = keys_of_layer(history, layer)
    key = _like(wanted.key, keys)
    return _Reading(
        steps=steps,
        at=at,
        layers=layers,
        layer=layer,
        keys=tuple((key_title(each), _id(each)) for each in keys),
        key=_id(key),
        modules=modules,
        history=present_key(history, key, f"{layer} · {key_title(key)}", steps[at]),
        facts=present_facts(history, key, steps[at]),
    )


def _id(key: Key) -> str:
    """Return what stands for the same in every layer: ``gradient weight``."""
    kind, name = key
    own = "" if kind is Kind.ACTIVATION else name.removeprefix(layer_of(key)).strip(".")
    return f"{kind.value} {own}".strip()


def _like(wanted: str, keys: list[Key]) -> Key:
    """Return what was looked at of the layer before, where this one has it too."""
    return next((key for key in keys if _id(key) == wanted), keys[0])


def _is_of(event: RunEvent, told: SetWatching | None) -> bool:
    """Return whether a run says that it does what it was told."""
    if told is None or not isinstance(event, WatchingChanged):
        return False
    return (event.statistics, event.limit) == (told.statistics, told.limit)
