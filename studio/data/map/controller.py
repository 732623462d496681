"""Map of the samples: computed a little at a time, then coloured and selected from."""

import time
from collections.abc import Callable, Sequence

import numpy as np
from msgspec.structs import replace
from typing_extensions import override

from engine.catalog.spec import EntryGroup
from engine.diagnostics import Diagnostic
from engine.graph.block import SEPARATOR, entry_of
from engine.graph.expand import expand
from engine.graph.module_name import module_name, module_names
from engine.query.density.request import CountSamples
from engine.query.embedding.request import MapActivations, MapSamples
from engine.runs.folder import RunFolder
from engine.spec.custom_code import data_code
from engine.spec.density import DensityStep
from engine.spec.sample_map import MapStep
from studio.data.map.density import Window, present_counting, present_density, window_of
from studio.data.map.layout import Layout
from studio.data.map.page import MapPage
from studio.data.map.presenter import (
    chosen,
    present_card,
    present_samples,
)
from studio.data.map.state import (
    MapState,
    Predictions,
    axes_of,
    color_of,
    points_of,
    present_map,
    present_progress,
    present_wait,
)
from studio.run_choice.controller import RunChooser
from studio.services import PageController, Services
from widgets.common.throttle import SeenThrottle
from widgets.plots.point_map import Combine

_Question = MapSamples | MapActivations


class MapController(PageController[MapPage, MapState]):
    """Glue between the Map page and the host process."""

    def __init__(
        self,
        services: Services,
        page: MapPage,
        *,
        show_samples: Callable[[Sequence[int]], object],
        predictions: Callable[[], Predictions] = Predictions,
    ) -> None:
        super().__init__(services, page, MapState())
        self._known_predictions = predictions
        self._predictions = Predictions()  # that the map has, or is to have
        self._number = 0  # of the map whose steps are waited for
        self._phase = ""
        self._started = 0.0
        self._counting = 0  # the number of what is counted
        self._counted: CountSamples | None = None
        self._made_of: tuple[object, ...] = ()
        self._project = self._session.project
        self._chooser = RunChooser(services, page.choice)
        self._seen = SeenThrottle(50, self._begin, page)
        self._chooser.changed.connect(self._on_run_chosen)
        self._chooser.renewed.connect(self._mark)
        self._session.spec_changed.connect(self._mark)
        self._session.data_changed.connect(self._on_data_changed)
        self._session.project_changed.connect(self._on_project_changed)
        page.chosen.connect(self._on_chosen)
        page.counted.connect(self._on_counted)
        page.map.framed.connect(lambda *frame: self._count(frame))
        page.compute_requested.connect(self._begin)
        page.start_requested.connect(self._start)
        page.cancel_requested.connect(self._cancel)
        page.select_requested.connect(self._on_select)
        page.show_requested.connect(lambda: show_samples(self._state.selected_indices))
        page.sample_chosen.connect(self._on_sample_chosen)
        page.map.picked.connect(self._on_picked)
        page.map.opened.connect(lambda position: self._select(np.asarray([position])))
        page.map.nearest_requested.connect(self._select_nearest)
        page.map.pointed.connect(self._on_pointed)
        self._on_run_chosen()
        self._seen.request()

    @override
    def _present(self) -> None:
        self._page.set_view(present_map(self._state, self._language()))

    def _on_project_changed(self) -> None:
        """Take away the map of another project."""
        if self._session.project is self._project:
            return
        self._project = self._session.project
        self._number += 1
        kept = self._state
        self._set(MapState(method=kept.method, parts=kept.parts, count=kept.count))
        self._on_run_chosen()
        self._seen.request()

    def _on_data_changed(self) -> None:
        """Try again where the data had a problem."""
        self._mark()
        if self._state.problem is not None and self._state.what == "values":
            self._seen.request()

    def _on_run_chosen(self) -> None:
        """Offer the layers of the run that is chosen, the last but one first."""
        run, state = self._chooser.folder, self._state
        layers = () if run is None else _layers(run)
        layer = state.layer if state.layer in layers else (("", *layers)[-2:][0])
        self._change(has_checkpoint=run is not None, layers=layers, layer=layer)
        self._mark()

    def _on_chosen(self, name: str, choice: str) -> None:
        if name == "color":
            self._change(color=choice)
            self._draw()
            return
        if name in ("x", "y"):
            x, y = self._state.axes
            self._take(axes=(choice, y) if name == "x" else (x, choice))
            self._draw()
            return
        field = {"part": "parts"}.get(name, name)
        self._change(**{field: int(choice) if name == "count" else choice})
        if name == "method":
            self._take(color=color_of(self._state))
        if self._can_begin:
            self._begin()
        else:
            self._number += 1
            self._change(progress=None, layout=None, points=None, selection=(), listed=None)
            self._count()

    @property
    def _can_begin(self) -> bool:
        is_ready = self._state.what == "values" or self._state.has_checkpoint
        return self._session.project is not None and is_ready

    def _start(self) -> None:
        if self._can_begin:
            self._begin()
        elif self._session.project is not None:
            self._start_run()

    def _begin(self) -> None:
        if not self._can_begin:
            return
        self._number += 1
        self._counting += 1
        self._counted = None
        self._phase = ""
        self._made_of = self._origin()
        self._predictions = self._known_predictions()
        self._change(progress=present_wait(), problem=None, is_stopped=False)
        self._ask(self._question(), self._number, is_new=True)

    def _question(self) -> _Question:
        state, run = self._state, self._chooser.folder
        if state.what == "layer":
            assert run is not None
            return MapActivations(
                run_folder=str(run.path),
                checkpoint=self._chooser.checkpoint,
                layer=state.layer,
                spec=state.spec,
            )
        data = self._session.spec.data
        code = data_code(data, self._session.graph.code)
        listed = self._predictions.listed
        return MapSamples(data=data, spec=state.spec, predictions=listed, code=code)

    def _ask(self, question: _Question, number: int, *, is_new: bool = False) -> None:
        self._ask_host(
            replace(question, is_new=is_new),
            lambda step: self._on_step(question, number, step),
            self._fail,
            is_wanted=lambda: number == self._number,
        )

    def _on_step(self, question: _Question, number: int, step: MapStep) -> None:
        if step.phase != self._phase:
            self._phase, self._started = step.phase, time.monotonic()
        if step.map is not None:
            run = self._chooser.folder if isinstance(question, MapActivations) else None
            name = self._predictions.parts_of if run is None else run.document.name
            self._show(Layout.of(step.map), name if step.map.has_run_parts else "")
        elif step.xy and self._state.layout is not None:
            self._take(layout=self._state.layout.moved(step.xy))
            self._draw()
        passed = time.monotonic() - self._started
        self._change(progress=None if step.is_done else present_progress(step, passed))
        if not step.is_done:
            self._ask(question, number)

    def _show(self, layout: Layout, parts_of: str) -> None:
        """Show another map; the samples that were selected stay selected."""
        kept = np.flatnonzero(np.isin(layout.indices, self._state.selected_indices))
        axes = axes_of(layout, self._state.axes)
        if self._state.method == "columns" and not layout.map.columns:
            self._take(method="pca")
        self._take(layout=layout, parts_of=parts_of, axes=axes, is_stale=False, selection=())
        self._take(color=color_of(self._state))
        self._counted = None  # the samples may be others
        self._draw()
        self._select(kept)
        self._mark()

    def _draw(self) -> None:
        self._change(points=points_of(self._state))
        self._count()

    def _on_counted(self, is_counted: bool) -> None:
        self._take(is_counted=is_counted)
        self._take(color=color_of(self._state))
        self._draw()

    def _count(self, frame: Window | None = None) -> None:
        """Count all samples in what is seen of the plane, unless that was asked for last."""
        state, spec = self._state, self._state.density_spec
        if spec is None:
            self._counting += 1
            self._counted = None
            self._change(density=None, picture=None)
            return
        data = self._session.spec.data
        question = CountSamples(
            data=data,
            spec=replace(spec, window=window_of(state.density, frame)),
            predictions=self._predictions.listed,
            code=data_code(data, self._session.graph.code),
        )
        if question == self._counted:
            return
        if self._counted is None or replace(self._counted.spec, window=None) != spec:
            question = replace(question, spec=spec)
            self._change(density=None, picture=None)
        self._counted = question
        self._counting += 1
        self._ask_counts(question, self._counting, time.monotonic(), is_new=True)

    def _ask_counts(
        self, question: CountSamples, number: int, started: float, *, is_new: bool = False
    ) -> None:
        self._ask_host(
            replace(question, is_new=is_new),
            lambda step: self._on_counts(question, number, started, step),
            self._fail,
            is_wanted=lambda: number == self._counting,
        )

    def _on_counts(
        self, question: CountSamples, number: int, started: float, step: DensityStep
    ) -> None:
        if not step.is_done:
            self._change(progress=present_counting(step, time.monotonic() - started))
            self._ask_counts(question, number, started)
            return
        density, layout = step.density, self._state.layout
        picture = None
        if density is not None and layout is not None:
            picture = present_density(density, layout, question.spec)
        self._change(density=density, picture=picture, progress=None)

    def _fail(self, problems: tuple[Diagnostic, ...]) -> None:
        if problems[0].code == "D280" and self._predictions.listed:
            self._predictions = Predictions()  # a map of the data needs none
            self._ask(self._question(), self._number, is_new=True)
            return
        self._change(
            progress=None, layout=None, points=None, selection=(), listed=None, problem=problems[0]
        )

    def _cancel(self) -> None:
        self._number += 1
        self._counting += 1
        is_counting = self._counted is not None and self._state.picture is None
        self._counted = None
        self._change(progress=None, is_stopped=True)
        if is_counting:
            self._on_counted(is_counted=False)

    def _origin(self) -> tuple[object, ...]:
        """Return what a map is made of, to be compared with what it would be made of later."""
        if self._state.what == "layer":
            run = self._chooser.folder
            return ("layer", None if run is None else run.path, self._chooser.file)
        data = self._session.spec.data
        return ("values", data.source, data.split, data.edits, self._session.findings.data)

    def _mark(self) -> None:
        """Say whether the map is of what is chosen now."""
        origin = self._origin()
        if self._made_of[-1:] == (None,) and self._made_of[:-1] == origin[:-1]:
            self._made_of = origin  # the data are described only now
        layout, source = self._state.layout, self._session.spec.data.source
        self._update(
            is_stale=layout is not None and self._made_of != origin,
            is_of_project=layout is not None and layout.map.data.source == source,
        )

    def _on_select(self, key: str) -> None:
        layout = self._state.layout
        if layout is None:
            return
        if key == "all":
            self._select(self._page.map.visible_points)
        elif key == "nearest":
            self._select_nearest(self._page.map.focused)
        else:
            self._select(chosen(layout, key, self._state.selection))

    def _select_nearest(self, focused: int) -> None:
        """Add the nearest neighbours of what is selected; of the focused point where nothing is."""
        layout, selection = self._state.layout, self._state.selection
        seeds = selection or ((focused,) if focused >= 0 else ())
        if layout is not None and seeds:
            self._select(chosen(layout, "nearest", seeds))

    def _on_picked(self, positions: np.ndarray, combine: Combine) -> None:
        before = np.asarray(self._state.selection, np.int64)
        if combine == "add":
            positions = np.union1d(before, positions)
        elif combine == "remove":
            positions = np.setdiff1d(before, positions)
        self._select(positions)

    def _select(self, positions: np.ndarray) -> None:
        layout = self._state.layout
        if layout is not None:
            selection = tuple(positions.tolist())
            self._change(selection=selection, listed=present_samples(layout, selection))

    def _on_sample_chosen(self, row: int) -> None:
        """Point at a sample of the list on the map."""
        if 0 <= row < len(self._state.selection):
            self._page.map.go_to(self._state.selection[row])

    def _on_pointed(self, position: int) -> None:
        layout = self._state.layout
        is_there = layout is not None and 0 <= position < len(layout)
        self._page.map.show_card(present_card(layout, position) if layout and is_there else None)


def _layers(run: RunFolder) -> tuple[str, ...]:
    """Return the layers and blocks of a run's model by name, in the order in which they end."""
    graph = run.document.graph
    nodes = expand(graph).graph.nodes
    names: dict[str, None] = {}
    for path, name in module_names(graph).items():
        entry = entry_of(graph, nodes[path])
        if entry is not None and entry.group is EntryGroup.LAYER:
            ids = path.split(SEPARATOR)
            blocks = [SEPARATOR.join(ids[:depth]) for depth in range(len(ids) - 1, 0, -1)]
            for each in (name, *(module_name(graph, block) for block in blocks)):
                names.pop(each, None)
                names[each] = None
    return tuple(names)
