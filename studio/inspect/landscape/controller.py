"""The Loss landscape page: asks a process of its own for landscapes and races, and shows them."""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path
from typing import assert_never, cast

import msgspec
from PySide6.QtCore import QObject, QTimer

from engine.diagnostics import sentence
from engine.query.landscape.request import (
    FUNCTIONS,
    Directions,
    DrawLandscape,
    FunctionName,
    LandscapeDone,
    LandscapeFailed,
    LandscapeMessage,
    LandscapePlane,
    LandscapeProgress,
    LandscapeRequest,
    LandscapeValues,
    RaceFunction,
    RaceLosses,
    RaceModel,
    RacerOut,
)
from engine.runtime.landscape import LandscapeJob
from studio.i18n import translate
from studio.inspect.landscape.drawing import Drawing, fold
from studio.inspect.landscape.function_lesson import function_lesson, function_titles
from studio.inspect.landscape.page import MODEL, RUN, LandscapePage
from studio.inspect.landscape.presenter import (
    present_landscape,
    present_losses,
    present_out,
    present_pointed,
    present_told,
)
from studio.inspect.landscape.race import (
    RECIPE,
    RacerRow,
    RaceSetup,
    first_setup,
    optimizer,
    racer,
    racer_choices,
    racer_title,
    usual_rate,
)
from studio.inspect.run_choice.controller import RunChooser
from studio.process.thread_handover import ThreadHandover
from studio.run_control.controller import RunController
from studio.session.session import Session
from studio.session.trust import Trust
from studio.view.taking_back import taking_back
from studio.window.notifications import Notifications
from widgets.common.progress import ProgressView
from widgets.common.throttle import Throttle
from widgets.plots.view_model import LandscapeView

Job = Callable[[LandscapeRequest, Callable[[LandscapeMessage], object]], LandscapeJob]
_PAINT_MS = 100
_FRAME_MS = 33
_PLAY_S = 4.0


class _Work:
    """The process that is at it; no QObject, so that it can be ended when the page is gone."""

    def __init__(self) -> None:
        self.job: LandscapeJob | None = None

    def give_up(self) -> None:
        """End it, if there is one."""
        job, self.job = self.job, None
        if job is not None:
            job.cancel()


class LandscapeController(QObject):
    """Glue between the page, the process, and the recipe. What was found is kept by subject."""

    def __init__(
        self,
        *,
        session: Session,
        page: LandscapePage,
        runs: RunController,
        border: ThreadHandover,
        trust: Trust,
        messenger: Notifications,
        go_to: Callable[[str], object],
        language: Callable[[], str],
        make_job: Job = LandscapeJob,
    ) -> None:
        super().__init__(page)
        self._session = session
        self._page = page
        self._runs = runs
        self._border = border.of(self)
        self._trust = trust
        self._messenger = messenger
        self._go_to = go_to
        self._language = language
        self._make_job = make_job
        self._work = _Work()
        self._drawings: dict[str, Drawing] = {}
        self._setups: dict[str, RaceSetup] = {}
        self._shown = ""
        self._begun = 0.0
        self._phase = ""
        self._project = _path(session)
        self._chooser = RunChooser(session=session, choice=page.choice, runs=runs, border=border)
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
        self._on_subject()

    def _connect(self) -> None:
        page = self._page
        self._chooser.changed.connect(self._on_choice)
        page.subject_changed.connect(self._on_subject)
        page.start_requested.connect(self._start)
        page.progress.cancel_requested.connect(self._cancel)
        page.take_requested.connect(self._take)
        page.played.connect(self._play)
        page.step_chosen.connect(self._on_step)
        page.racers.kind_changed.connect(self._on_kind)
        page.racers.add_requested.connect(self._add_racer)
        page.chart.pointed.connect(self._on_pointed)
        self._session.project_changed.connect(self._on_project)
        self._session.spec_changed.connect(self._offer_winner)
        page.destroyed.connect(self._work.give_up)

    @property
    def _function(self) -> FunctionName | None:
        subject = self._page.subject
        return next((name for name in FUNCTIONS if name == subject), None)

    @property
    def _drawing(self) -> Drawing:
        return self._drawings.get(self._page.subject, Drawing())

    def _on_subject(self) -> None:
        """Show what is known of what was chosen, and who races there."""
        page, spec, function = self._page, self._session.spec, self._function
        if self._shown and self._shown != RUN:
            self._setups[self._shown] = RaceSetup(rows=page.racers.rows, steps=page.steps)
        self._shown = page.subject
        page.show_subject()
        if page.subject != RUN:
            page.racers.set_choices(racer_choices(of_model=function is None))
            setup = self._setups.get(page.subject) or first_setup(spec, function)
            page.racers.set_rows(setup.rows)
            page.set_steps(setup.steps)
        self._rest()
        self._present()
        self._page.set_way(self._drawing.steps)

    def _on_choice(self) -> None:
        """Another checkpoint is meant: what was drawn is of the one before."""
        if self._work.job is None:
            self._drawings.pop(RUN, None)
            if self._page.subject == RUN:
                self._present()

    def _on_project(self) -> None:
        project = _path(self._session)
        if project != self._project:  # a saved one is the same
            self._project = project
            self._work.give_up()
            self._page.set_running(is_running=False)
            for key in (RUN, MODEL):
                self._drawings.pop(key, None)
                self._setups.pop(key, None)
            self._shown = ""
            self._on_subject()

    def _on_kind(self, number: int) -> None:
        key = self._page.racers.rows[number].key
        self._page.racers.set_rate(number, usual_rate(key, self._session.spec, self._function))

    def _add_racer(self) -> None:
        rows, function = self._page.racers.rows, self._function
        taken = {row.key for row in rows}
        keys = [key for key, _ in racer_choices(of_model=function is None)]
        key = next((each for each in keys if each not in taken), keys[-1])
        rate = usual_rate(key, self._session.spec, function)
        self._page.racers.set_rows((*rows, RacerRow(key=key, rate=rate)))

    def _start(self) -> None:
        if self._page.subject == RUN and self._chooser.folder is None:
            self._go_to("train")
            self._runs.start()
            return
        if self._session.project is None or self._work.job is not None:
            return
        self._rest()
        rows = self._rows_now()
        self._drawings[self._page.subject] = Drawing(rows=rows)
        job = self._make_job(
            self._request(rows), lambda message: self._border.post(lambda: hear(message))
        )

        def hear(message: LandscapeMessage) -> None:
            if self._work.job is job:  # one that was given up may have said something last
                self._on_message(message)

        self._work.job = job
        self._phase = ""
        self._page.set_running(is_running=True)
        self._on_progress(LandscapeProgress(phase="load"))
        self._present()
        self._page.set_way(0)
        job.start()

    def _rows_now(self) -> tuple[RacerRow, ...]:
        """Return who races, the recipe with the rate that it has now."""
        if self._page.subject == RUN:
            return ()
        spec = self._session.spec
        rows = tuple(
            replace(row, rate=usual_rate(RECIPE, spec, None)) if row.key == RECIPE else row
            for row in self._page.racers.rows
        )
        self._page.racers.set_rows(rows)
        return rows

    def _request(self, rows: tuple[RacerRow, ...]) -> LandscapeRequest:
        page, session, function = self._page, self._session, self._function
        assert session.project is not None
        racers = tuple(racer(row, session.spec) for row in rows)
        if function is not None:
            return RaceFunction(function=function, racers=racers, steps=page.steps)
        if page.subject == MODEL:
            return RaceModel(
                graph=session.graph,
                spec=session.spec,
                racers=racers,
                project=str(session.project.path),
                steps=page.steps,
                size=page.points,
                samples=page.samples,
                trusted=self._trust.covers(session.graph.code),
            )
        folder = self._chooser.folder
        assert folder is not None
        return DrawLandscape(
            run_folder=str(folder.path),
            checkpoint=self._chooser.checkpoint,
            directions=cast("Directions", page.directions),
            size=page.points,
            samples=page.samples,
            trusted=self._trust.covers_run(folder.document.graph.code),
        )

    def _on_message(self, message: LandscapeMessage) -> None:
        match message:
            case LandscapeProgress():
                self._on_progress(message)
            case LandscapePlane() | LandscapeValues() | RaceLosses() | RacerOut():
                self._drawings[self._page.subject] = fold(self._drawing, message)
                self._paint.request()
                if isinstance(message, LandscapePlane):
                    self._page.set_way(self._drawing.steps)
            case LandscapeDone():
                self._end()
            case LandscapeFailed():
                self._end()
                text = sentence(message.problems[0], self._language())
                if self._drawing.plane is None:
                    self._page.set_empty(translate("Landscape", "There is nothing to show"), text)
                else:  # what was reached stays to be seen
                    self._messenger.report(message.problems)
            case _:
                assert_never(message)

    def _on_progress(self, message: LandscapeProgress) -> None:
        if message.phase != self._phase:
            self._phase, self._begun = message.phase, time.monotonic()
        texts = {
            "load": translate("Landscape", "Loading PyTorch and the data…"),
            "race": translate("Landscape", "Racing: step {done} of {total}"),
            "grid": translate("Landscape", "Landscape: point {done} of {total}"),
        }
        share = message.done / message.total if message.total else -1.0
        passed = time.monotonic() - self._begun
        self._page.progress.set_view(
            ProgressView(
                text=texts[message.phase].format(
                    done=f"{message.done:,}", total=f"{message.total:,}"
                ),
                fraction=share,
                left_s=passed / share - passed if share > 0 else -1.0,
                can_cancel=True,
            )
        )

    def _end(self) -> None:
        self._work.job = None
        self._page.set_running(is_running=False)
        self._present()
        if self._drawing.plane is not None:
            self._play(is_on=self._page.subject != RUN)

    def _cancel(self) -> None:
        self._work.give_up()
        self._page.set_running(is_running=False)
        self._present()

    def _present(self) -> None:
        """Show what is known. The picture is made off Qt's thread."""
        page, drawing = self._page, self._drawing
        if drawing.is_empty:
            page.show_ground(None)
            page.losses.set_view(present_losses(drawing))
            self._tell_nothing()
            return
        page.set_empty("")
        if page.subject != RUN:
            page.losses.set_view(present_losses(drawing))
        page.out.setText(present_out(drawing, self._language()))
        page.out.setVisible(bool(drawing.out))
        function = self._function
        is_going = self._work.job is not None
        words = present_told(drawing, self._language(), is_going=is_going)
        page.told.setText(words if function is None else f"{function_lesson(function)} {words}")
        self._offer_winner()
        self._border.run(
            lambda: present_landscape(drawing), lambda found: self._on_picture(drawing, found)
        )

    def _on_picture(self, drawing: Drawing, future: "Future[LandscapeView | None]") -> None:
        if drawing is self._drawing:
            self._page.show_ground(future.result())

    def _tell_nothing(self) -> None:
        page, function = self._page, self._function
        page.told.setText(function_lesson(function) if function else "")
        page.out.hide()
        page.take.hide()
        if self._work.job is not None:
            page.set_empty(translate("Landscape", "Computing…"))
        elif function is not None or page.subject == MODEL:
            page.set_empty(
                translate("Landscape", "Not raced yet"),
                translate(
                    "Landscape",
                    "All optimizers begin at the same place and see the same batches. Their ways "
                    "are drawn over the loss, their losses beside it.",
                ),
                translate("Landscape", "Race"),
            )
        elif self._chooser.folder is None:
            page.set_empty(
                translate("Landscape", "No checkpoint yet"),
                translate(
                    "Landscape",
                    "The loss around the weights of a run shows whether it ended in a wide valley "
                    "or a narrow one, and how it came there. Train a model first.",
                ),
                translate("Landscape", "Start training"),
            )
        else:
            page.set_empty(
                translate("Landscape", "Not computed yet"),
                translate(
                    "Landscape",
                    "The loss is measured at every point of a plane through the weights of this "
                    "checkpoint: some seconds for a small model.",
                ),
                translate("Landscape", "Compute"),
            )

    def _winner(self) -> RacerRow | None:
        """Return the racer that the recipe can learn from: the best, when it is another one."""
        order = self._drawing.ranking()
        if self._page.subject != MODEL or self._work.job is not None or not order:
            return None
        best, spec = self._drawing.rows[order[0]], self._session.spec
        if best.key == RECIPE or (optimizer(best) == spec.optimizer and not spec.groups):
            return None
        return best

    def _offer_winner(self) -> None:
        self._page.take.setVisible(self._winner() is not None)

    def _take(self) -> None:
        best = self._winner()
        if best is None:
            return
        session = self._session
        spec = msgspec.structs.replace(session.spec, optimizer=optimizer(best), groups=())
        title = racer_title(best)
        text = translate("Landscape", "Take over {optimizer}")
        session.change(session.graph, spec, text.format(optimizer=title))
        self._messenger.tell(
            translate("Landscape", "The recipe trains with {optimizer} now.").format(
                optimizer=title
            ),
            "success",
            action=taking_back(session, self._messenger),
        )

    def _on_pointed(self, x: float, y: float, height: float) -> None:
        self._page.pointed.setText(present_pointed(self._drawing, x, y, height))

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
