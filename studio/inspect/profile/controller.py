"""Profile of the run that is followed: asked for, shown, its trace saved."""

from collections.abc import Callable
from pathlib import Path

from typing_extensions import override

from engine.events import ProfileSteps
from engine.files import confined, read_file
from studio.i18n import translate
from studio.inspect.profile.page import ProfilePage
from studio.inspect.profile.presenter import ProfileState, present_profile, profile_bars
from studio.services import PageController, Services
from studio.window.dialog.file import save_dialog, write_file
from widgets.canvas.canvas import Canvas

_LARGEST_TRACE = 2 << 30


class ProfileController(PageController[ProfilePage, ProfileState]):
    """Glue between the page and the run."""

    def __init__(
        self,
        services: Services,
        page: ProfilePage,
        *,
        canvas: Canvas,
        show_node: Callable[[str], object],
    ) -> None:
        super().__init__(services, page, ProfileState())
        self._canvas = canvas
        page.asked.connect(lambda verb: self._measure() if verb == "measure" else self._ask_save())
        page.on_canvas_changed.connect(lambda is_on: self._change(is_on_canvas=is_on))
        page.row_chosen.connect(lambda place: show_node(place) if place != "=" else None)
        self._session.level_changed.connect(self._mark)
        self._session.run_changed.connect(self._on_run_changed)
        self._present()
        self._on_run_changed()

    def _measure(self) -> None:
        command = ProfileSteps()
        self._runs.look(command, command.steps)

    def _ask_save(self) -> None:
        update, taken = self._session.run, self._state.taken
        if update is None or taken is None:
            return
        artefacts = update.folder.artefacts
        title = translate("Profile", "Save trace")
        file = str(update.folder.project.parent / f"{update.folder.id}-trace.json")
        dialog = save_dialog(self._page, "save_trace", title, ["JSON (*.json)"], file)
        dialog.fileSelected.connect(lambda target: self.save(artefacts, taken.file, Path(target)))
        dialog.open()

    def save(self, artefacts: Path, file: str, target: Path) -> None:
        """Copy a trace to where the user wants it."""
        self._handover.run(
            lambda: read_file(confined(artefacts, file), _LARGEST_TRACE, follow=False),
            lambda future: self._on_read(target, future.exception() or future.result()),
        )

    def _on_read(self, target: Path, content: bytes | BaseException) -> None:
        if isinstance(content, BaseException):
            text = translate("Profile", "The trace cannot be read: {reason}")
            self._notifications.tell(text.format(reason=content), "error")
        else:
            write_file(target, content, self._notifications)

    def _on_run_changed(self) -> None:
        update = self._session.run
        taken = update.state.profile if update is not None else None
        self._update(taken=taken, is_running=self._runs.is_running)

    @override
    def _present(self) -> None:
        self._page.set_view(present_profile(self._state, self._session.graph))
        self._mark()

    def _mark(self) -> None:
        self._canvas.mark_bars("profile", profile_bars(self._state, self._session.path))
