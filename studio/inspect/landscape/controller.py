"""Landscapes and races: computed in a process of their own, folded and shown as they come."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import assert_never

import msgspec
from PySide6.QtCore import QTimer
from typing_extensions import override

from engine.query.landscape.request import (
    LandscapeDone,
    LandscapeFailed,
    LandscapeMessage,
    LandscapePlane,
    LandscapeProgress,
    LandscapeRequest,
    LandscapeValues,
    RaceLosses,
    RacerOut,
)
from engine.runtime.job.request_job import LandscapeJob
from studio.i18n import translate
from studio.inspect.landscape.drawing import Drawing, fold
from studio.inspect.landscape.function_lesson import function_titles
from studio.inspect.landscape.page import LandscapePage
from studio.inspect.landscape.presenter import present_landscape, present_page, present_pointed
from studio.inspect.landscape.race import optimizer, racer_title
from studio.inspect.landscape.state import MODEL, RUN, LandscapeState, landscape_request
from studio.process.job_slot import JobSlot
from studio.run_choice.controller import RunChooser
from studio.services import PageController, Services
from studio.session.session import Session
from studio.view.taking_back import taking_back
from widgets.common.throttle import Throttle
from widgets.plots.view_model import LandscapeView

Job = Callable[[LandscapeRequest, Callable[[LandscapeMessage], object]], LandscapeJob]
_PAINT_MS = 100
_FRAME_MS = 33
_PLAY_S = 4.0


class LandscapeController(PageController[LandscapePage, LandscapeState]):
    """Glue between the page, the process, and the recipe. What was found is kept by subject."""

    def __init__(
        self,
        services: Services,
        page: LandscapePage,
        *,
        make_job: Job = LandscapeJob,
    ) -> None:
        super().__init__(services, page, LandscapeState())
        self._trust = services.trust
        self._make_job = make_job
        self._work: JobSlot[LandscapeJob] = JobSlot()
        self._pictured: Drawing | None = None
        self._project = _path(self._session)
        self._chooser = RunChooser(services, page.choice)
        self._paint = Throttle(_PAINT_MS, self._present, self)
        self._clock = QTimer(self, interval=_FRAME_MS)
        self._clock.timeout.connect(self._advance)
        page.set_subjects(
            (
                (RUN, translate("Landscape", "Around a run")),
                (MODEL, translate("Landscape", "Race on this model")),
                *function_titles().items(),
            )
        )
        self._connect()
        self._on_subject(RUN)

    def _connect(self) -> None:
        page = self._page
        self._chooser.changed.connect(self._on_choice)
        page.subject_changed.connect(self._on_subject)
        page.phase_changed.connect(self._on_phase)
        page.grid_changed.connect(
            lambda directions, points, samples: self._change(
                directions=directions, points=points, samples=samples
            )
        )
        page.steps_changed.connect(
            lambda steps: self._set(self._state.with_steps(self._session.spec, steps))
        )
        page.racers.rows_changed.connect(
            lambda rows: self._set(self._state.with_rows(self._session.spec, rows))
        )
        page.racers.kind_changed.connect(
            lambda number, key: self._set(
                self._state.with_optimizer(self._session.spec, number, key)
            )
        )
        page.racers.add_requested.connect(
            lambda: self._set(self._state.with_racer(self._session.spec))
        )
        page.start_requested.connect(self._start)
        page.cancel_requested.connect(self._cancel)
        page.take_requested.connect(self._use_winner)
        page.played.connect(self._play)
        page.step_chosen.connect(self._on_step)
        page.ground_pointed.connect(
            lambda *at: page.show_pointed(present_pointed(self._state.drawing, *at))
        )
        self._session.project_changed.connect(self._on_project)
        self._session.spec_changed.connect(self._present)
        page.destroyed.connect(self._work.give_up)

    def _on_subject(self, subject: str) -> None:
        """Show what is known of what was chosen, and who races there."""
        self._rest()
        self._pictured = None
        self._change(subject=subject, problem=None)
        self._page.set_way(self._state.drawing.steps)

    def _on_phase(self, phase: int) -> None:
        """Race the optimizer of another phase: what was drawn is of the one before."""
        self._rest()
        self._pictured = None
        self._set(replace(self._state.forget(MODEL), phase=phase))
        self._page.set_way(self._state.drawing.steps)

    def _on_choice(self) -> None:
        """Another checkpoint is meant: what was drawn is of the one before."""
        if self._work.job is None:
            has_checkpoint = self._chooser.folder is not None
            self._set(replace(self._state.forget(RUN), has_checkpoint=has_checkpoint))

    def _on_project(self) -> None:
        project = _path(self._session)
        if project != self._project:  # a saved one is the same
            self._project = project
            self._work.give_up()
            setups = self._state.setups
            self._state = replace(
                self._state.forget(RUN, MODEL),
                setups={key: one for key, one in setups.items() if key not in (RUN, MODEL)},
                has_checkpoint=self._chooser.folder is not None,
                progress=None,
            )
            self._on_subject(self._state.subject)

    def _start(self) -> None:
        state = self._state
        if state.subject == RUN and self._chooser.folder is None:
            self._start_run()
            return
        if self._session.project is None or self._work.job is not None:
            return
        self._rest()
        chooser = self._chooser
        request = landscape_request(
            state, self._session, self._trust, chooser.folder, chooser.checkpoint
        )
        rows = () if state.subject == RUN else state.setup(self._session.spec).rows
        self._state = replace(state, problem=None).with_drawing(Drawing(rows=rows))
        self._on_progress(LandscapeProgress(phase="load"))
        self._page.set_way(0)
        self._work.start(
            lambda tell: self._make_job(request, tell), self._on_message, self._handover
        )

    def _on_message(self, message: LandscapeMessage) -> None:
        state = self._state
        match message:
            case LandscapeProgress():
                self._on_progress(message)
            case LandscapePlane() | LandscapeValues() | RaceLosses() | RacerOut():
                self._state = state.with_drawing(fold(state.drawing, message))
                self._paint.request()
                if isinstance(message, LandscapePlane):
                    self._page.set_way(self._state.drawing.steps)
            case LandscapeDone():
                self._end(state)
            case LandscapeFailed():
                self._end(replace(state, problem=message.problems[0]))
                if state.drawing.plane is not None:  # what was reached stays to be seen
                    self._notifications.report(message.problems)
            case _:
                assert_never(message)

    def _on_progress(self, progress: LandscapeProgress) -> None:
        before = self._state.progress
        is_new = before is None or before.phase != progress.phase
        begun = time.monotonic() if is_new else self._state.begun
        self._take(progress=progress, begun=begun)
        self._present() if is_new else self._paint.request()

    def _end(self, state: LandscapeState) -> None:
        self._work.job = None
        self._set(replace(state, progress=None))
        if state.drawing.plane is not None:
            self._play(is_on=state.subject != RUN)

    def _cancel(self) -> None:
        self._work.give_up()
        self._change(progress=None)

    @override
    def _present(self) -> None:
        """Show what is known. The picture is made off Qt's thread."""
        state, drawing = self._state, self._state.drawing
        self._page.set_view(
            present_page(state, self._session.spec, self._language(), time.monotonic())
        )
        if not drawing.is_empty and drawing is not self._pictured:
            self._pictured = drawing
            self._handover.run(
                lambda: present_landscape(drawing),
                self._on_picture,
                is_wanted=lambda: drawing is self._state.drawing,
            )

    def _on_picture(self, future: "Future[LandscapeView | None]") -> None:
        self._page.show_ground(future.result())

    def _use_winner(self) -> None:
        session = self._session
        best = self._state.winner(session.spec)
        if best is None:
            return
        spec, phase = session.spec, self._state.raced_phase(session.spec)
        if phase:
            phases = list(spec.phases)
            phases[phase - 1] = msgspec.structs.replace(
                phases[phase - 1], optimizer=optimizer(best)
            )
            spec = msgspec.structs.replace(spec, phases=tuple(phases))
        else:
            spec = msgspec.structs.replace(spec, optimizer=optimizer(best), groups=())
        title = racer_title(best)
        text = translate("Landscape", "Use {optimizer}")
        session.change(session.graph, spec, text.format(optimizer=title))
        self._notifications.tell(
            translate("Landscape", "The recipe now uses {optimizer}.").format(optimizer=title),
            "success",
            action=taking_back(session, self._notifications),
        )

    def _on_step(self, step: int) -> None:
        self._rest()
        self._page.show_step(step)

    def _play(self, is_on: bool) -> None:
        if not is_on:
            self._rest()
            return
        self._page.set_playing(is_playing=True)
        self._page.show_step(0)
        self._clock.start()

    def _advance(self) -> None:
        """Draw the ways a little further: all of them in some seconds."""
        last = self._page.last_step
        stride = max(1, round(last * _FRAME_MS / 1000 / _PLAY_S))
        step = min(last, self._page.shown_step + stride)
        self._page.show_step(step)
        if step == last:
            self._rest()

    def _rest(self) -> None:
        self._clock.stop()
        self._page.set_playing(is_playing=False)


def _path(session: Session) -> Path | None:
    return session.project.path if session.project else None
