"""Controller of the dialog for a project that begins with data of the user."""

import math
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog

from engine.catalog.spec import FOLDER
from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.files import is_folder
from engine.graph.model import Graph
from engine.project.document import ProjectDocument
from engine.query.data.request import (
    DrawSamples,
    ListTableColumns,
    PeekData,
    PreviewData,
    ProposeData,
    TakePictures,
)
from engine.spec.browse import PictureSheet
from engine.spec.data import PreviewInfo
from engine.spec.fields import field_param
from engine.spec.proposal import Peek, Proposal
from engine.spec.run import Choice
from engine.spec.table import TableColumns
from engine.spec.transform_preview import DrawnSamples
from studio.data.columns.choice import ColumnChoice, with_kind, with_role
from studio.data.columns.presenter import present_columns
from studio.data.start.dialog import DataProjectDialog
from studio.data.start.drawn_presenter import has_transforms, present_drawn
from studio.data.start.presenter import (
    augmentations,
    first_wrong,
    present_classes,
    present_first_rows,
    present_page,
    present_pictures,
    present_sample_images,
    present_steps,
    scalings,
    sources,
    targets,
)
from studio.data.start.sheet_presenter import sheets
from studio.data.start.state import (
    QUESTIONS,
    StartState,
    with_offer,
    with_path,
    with_setting,
    without_setting,
)
from studio.i18n import translate
from studio.project.project import ProjectController, free_folder, typed_folder
from studio.services import Services
from studio.view.reading import CANCELED, present_reading
from widgets.common.throttle import Debounce

_QUIET_MS = 300
_PICTURES, _AT_ONCE = 36, 12  # of a first look
_ROWS = 50
_MOST_NUMBERS = 400_000  # of samples that are shown
_MOST_SAMPLES = 24
_BOXED, _BOXED_SIDE = "detection_folder", 256
_OF_COLUMNS = ("target", "kinds")  # questions that the columns of a table answer
_DRAWN_ON = ("segmentation_folder", _BOXED)  # kinds of data whose targets lie over pictures


class DataProjectController(QObject):
    """Lets the user choose data, proposes how to train on it, and makes the project."""

    def __init__(self, services: Services, project: ProjectController) -> None:
        super().__init__(services.window)
        self._services = services
        self._project = project
        self._dialog: DataProjectDialog | None = None
        self._state = StartState()
        self._asked = 0  # how often something else was said: answers to what was before are dropped
        services.reading.changed.connect(self._show_reading)
        self._ask = Debounce(_QUIET_MS, self._ask_now, self)

    @property
    def is_open(self) -> bool:
        """Whether the dialog is open."""
        return self._dialog is not None

    def show(self, path: Path | None = None) -> None:
        """Open the dialog, with data where some is given."""
        if self._dialog is not None:
            self._dialog.bring_to_front()
        else:
            name = _name_of(path) if path is not None else translate("NewProject", "model")
            self._state = StartState()
            self._dialog = self._build(free_folder(name))
            self._present()
            self._dialog.open()
        if path is not None:
            self._dialog.set_path(str(path))

    def _build(self, folder: Path) -> DataProjectDialog:
        last = self._services.settings.value.data_folder
        start = last if last and is_folder(Path(last)) else ""  # Qt would begin anywhere
        dialog = DataProjectDialog(self._services.window, folder, start)
        dialog.path_changed.connect(self._on_path_changed)
        dialog.chosen.connect(
            lambda name, value: self._change(with_offer(self._state, name, value))
        )
        dialog.columns.kind_chosen.connect(
            lambda name, kind: self._say(with_kind(self._state.columns, name, kind))
        )
        dialog.columns.role_chosen.connect(
            lambda name, role: self._say(with_role(self._state.columns, name, role))
        )
        for form in dialog.forms.values():
            form.value_changed.connect(self._on_setting)
            form.reset_requested.connect(
                lambda name: self._change(without_setting(self._state, name))
            )
            form.browse_requested.connect(self._browse)
        dialog.again_requested.connect(lambda: self._change(self._state))
        dialog.preview.progress.cancel_requested.connect(self._give_up)
        dialog.opened.connect(self._on_opened)
        dialog.preview.drawn.draw_requested.connect(self._draw_again)
        dialog.create_requested.connect(self._create)
        dialog.train_requested.connect(self._create_and_train)
        dialog.finished.connect(self._on_finished)
        return dialog

    def _say(self, columns: ColumnChoice) -> None:
        """Take over what the user said of columns."""
        self._change(replace(self._state, columns=columns))

    def _on_path_changed(self) -> None:
        assert self._dialog is not None
        self._give_up()  # what is read for data that are not wanted any more
        self._dialog.steps.open("inputs")
        self._change(with_path(self._state, self._dialog.path))

    def _on_setting(self, name: str, text: str) -> None:
        try:
            self._change(with_setting(self._state, name, text))
        except DiagnosticError as error:
            reason = sentence(error.problems[0], self._services.language_code())
            self._state = replace(self._state, rejected=((name, text, reason),))
            self._present()

    def _browse(self, name: str) -> None:
        """Let the user choose the file or folder of a setting."""
        spec = self._state.spec
        if spec is None or self._dialog is None:
            return
        place = str(Path(self._dialog.path).parent)
        if FOLDER in field_param(spec, name).choices:
            title = translate("Data", "Folder with the data")
            chosen = QFileDialog.getExistingDirectory(self._dialog, title, place)
        else:
            title = translate("Data", "File with the data")
            chosen, _ = QFileDialog.getOpenFileName(self._dialog, title, place)
        if chosen:
            self._on_setting(name, chosen)

    def _change(self, state: StartState) -> None:
        """Take over what the user said, and ask what is proposed for it."""
        self._asked += 1
        is_waiting = bool(state.path)
        self._state = replace(
            state, proposal=None, problems=(), is_waiting=is_waiting, is_sampling=False
        )
        self._present()
        self._ask.request()

    def _ask_now(self) -> None:
        dialog, state = self._dialog, self._state
        if dialog is None or not state.path:
            return
        number, services = self._asked, self._services
        path = str(Path(state.path).expanduser().absolute())

        def is_wanted() -> bool:
            return number == self._asked and self._dialog is dialog

        if _is_absent(path):  # which the engine would say when it is there
            params: dict[str, str | int | float] = {"file": path}
            self._on_failed((Diagnostic(code="D020", field="data.source.path", params=params),))
            return
        if state.peek is None:
            self._peek(path, dialog)
        question = ProposeData(path=path, size=state.size, answers=state.asked())
        asked = services.host.request(question)
        if asked.cancelled():  # the program has just begun: nobody is there yet
            self._ask.request()
            return
        services.handover.deliver(
            asked,
            lambda future: self._on_proposal(future.result()),
            self._on_failed,
            is_wanted=is_wanted,
        )

    def _peek(self, path: str, dialog: DataProjectDialog) -> None:
        """Have a first look, some pictures at a time, while all is being read for the proposal."""
        state, services = self._state, self._services
        start, sheet = len(state.pictures), str(state.answers.params.get("sheet") or "")
        count = _AT_ONCE if start or is_folder(Path(path)) else _ROWS

        def is_wanted() -> bool:
            now = self._state
            is_same = (now.path, now.answers.params.get("sheet") or "") == (state.path, sheet)
            return self._dialog is dialog and is_same

        services.handover.deliver(
            services.host.request(PeekData(path=path, start=start, count=count, sheet=sheet)),
            lambda future: self._on_peek(path, dialog, future.result()),
            lambda _problems: None,  # the proposal says it
            is_wanted=is_wanted,
        )

    def _on_peek(self, path: str, dialog: DataProjectDialog, peek: Peek) -> None:
        pictures = self._state.pictures + peek.pictures
        self._state = replace(self._state, peek=peek, pictures=pictures)
        if peek.sheets:
            self._state = replace(self._state, sheet=peek.sheet, sheets=peek.sheets)
            dialog.set_offer("sheet", sheets(self._state))
        self._show_preview()
        if not peek.is_complete and len(pictures) < _PICTURES:
            self._peek(path, dialog)

    def _on_proposal(self, proposal: Proposal) -> None:
        assert self._dialog is not None
        state = self._state
        proposed = state.columns.proposed or proposal.table
        is_boxed = proposal.spec.data.source.type == _BOXED
        self._state = replace(
            state,
            proposal=proposal,
            last=proposal,
            spec=proposal.spec,
            columns=replace(state.columns, proposed=proposed, used=proposal.table),
            is_waiting=False,
            rejected=(),
            boxed=state.boxed if is_boxed else (),
            drawn=state.drawn if self._is_drawn() else None,
            undrawn=(),
        )
        self._dialog.propose_project(free_folder(_name_of(Path(state.path))))
        is_sampling = not self._shows_files() and self._ask_samples(proposal)
        self._state = replace(self._state, is_sampling=is_sampling)
        self._present()
        self._ask_drawn()

    def _ask_samples(self, proposal: Proposal) -> bool:
        """Show samples as they are read, where nothing of their files can be shown at once; return
        whether there are any to read.
        """
        data = proposal.spec.data
        if data.source.type == _BOXED:
            self._ask_boxed(proposal)
            return True
        numbers = sum(math.prod(map(abs, field.shape)) for field in proposal.info.fields)
        count = min(_MOST_NUMBERS // max(numbers, 1), _MOST_SAMPLES)
        if count < 1 or any(size < 0 for field in proposal.info.fields for size in field.shape):
            return False
        number, services = self._asked, self._services
        services.handover.deliver(
            services.host.request(PreviewData(data=data, count=count)),
            lambda future: self._on_samples(future.result()),
            lambda _problems: self._on_samples(None),  # training says it, the Samples page in full
            is_wanted=lambda: number == self._asked and self._dialog is not None,
        )
        return True

    def _ask_boxed(self, proposal: Proposal) -> None:
        """Show pictures with their boxes, small ones: samples of their size are large."""
        number, services = self._asked, self._services
        indices = tuple(range(min(proposal.info.samples, _MOST_SAMPLES)))
        asked = TakePictures(data=proposal.spec.data, indices=indices, side=_BOXED_SIDE)
        services.handover.deliver(
            services.host.request(asked),
            lambda future: self._on_boxed(future.result()),
            lambda _problems: self._on_samples(None),  # as above
            is_wanted=lambda: number == self._asked and self._dialog is not None,
        )

    def _on_boxed(self, sheet: PictureSheet) -> None:
        self._state = replace(self._state, boxed=sheet.samples, is_sampling=False)
        self._show_preview()

    def _on_opened(self) -> None:
        self._show_preview()
        if self._state.drawn is None:
            self._ask_drawn()

    def _draw_again(self) -> None:
        self._state = replace(self._state, draw=self._state.draw + 1)
        self._ask_drawn()

    def _ask_drawn(self) -> None:
        """Show training samples after the transforms, while the user is asked for these."""
        dialog, state = self._dialog, self._state
        if dialog is None or state.proposal is None or not self._is_drawn():
            return
        number, services = self._asked, self._services
        asked = DrawSamples(data=state.proposal.spec.data, draw=state.draw)
        services.handover.deliver(
            services.host.request(asked),
            lambda future: self._on_drawn(future.result(), ()),
            lambda problems: self._on_drawn(None, problems),
            is_wanted=lambda: (
                number == self._asked and self._dialog is dialog and self._state.draw == state.draw
            ),
        )

    def _on_drawn(self, drawn: DrawnSamples | None, problems: tuple[Diagnostic, ...]) -> None:
        self._state = replace(self._state, drawn=drawn, undrawn=problems)
        self._show_preview()

    def _is_drawn(self) -> bool:
        """Return whether the preview is of samples after the transforms."""
        is_asked = self._dialog is not None and self._dialog.question == "transforms"
        return is_asked and has_transforms(self._state)

    def _on_samples(self, preview: PreviewInfo | None) -> None:
        """Show samples; None where they could not be read."""
        preview = preview or self._state.preview
        self._state = replace(self._state, preview=preview, is_sampling=False)
        self._show_preview()

    def _shows_files(self) -> bool:
        """Return whether the first look shows what the samples are."""
        state = self._state
        peek, last = state.peek, state.last
        is_drawn_on = last is not None and last.spec.data.source.type in _DRAWN_ON
        return bool(state.pictures or (peek and (peek.rows or peek.lines))) and not is_drawn_on

    def _on_failed(self, problems: tuple[Diagnostic, ...]) -> None:
        assert self._dialog is not None
        state = self._state
        self._state = replace(state, problems=problems, is_waiting=False)
        self._present()
        wrong = first_wrong(problems, is_table=state.is_table)
        if state.last is None and wrong is not None:
            self._dialog.steps.open(wrong)
        if state.last is None and not state.columns.used and wrong in _OF_COLUMNS:
            self._ask_columns()

    def _ask_columns(self) -> None:
        """Show the columns of a table for which nothing is proposed: one may be the reason."""
        dialog, state, number = self._dialog, self._state, self._asked
        if state.answers.source not in ("", "table"):
            return
        path = str(Path(state.path).expanduser().absolute())
        source = Choice(type="table", params={**state.asked().params, "path": path})
        self._services.handover.deliver(
            self._services.host.request(ListTableColumns(source=source)),
            lambda future: self._on_columns(future.result()),
            lambda _problems: None,  # it is no table; what is wrong has been said
            is_wanted=lambda: number == self._asked and self._dialog is dialog,
        )

    def _on_columns(self, columns: TableColumns) -> None:
        said = replace(self._state.columns, proposed=columns.proposed, used=columns.used)
        self._state = replace(self._state, columns=said)
        self._present()

    def _present(self) -> None:
        dialog, state = self._dialog, self._state
        if dialog is None:
            return
        language = self._services.language_code()
        dialog.set_steps(present_steps(state, language))
        for question in QUESTIONS:
            dialog.set_page(question, present_page(question, state, language))
        dialog.set_offer("source", sources(state, language))
        dialog.set_offer("sheet", sheets(state))
        dialog.set_offer("target", targets(state))
        dialog.set_offer("augmentation", augmentations(state))
        dialog.set_offer("scaling", scalings(state))
        dialog.set_columns(present_columns(state.columns))
        proposal = None if state.rejected else state.proposal
        has_model = proposal is not None and proposal.graph is not None
        dialog.set_ready(is_ready=proposal is not None, has_model=has_model)
        dialog.show_problem("")
        dialog.set_canceled(is_on=any(problem.code in CANCELED for problem in state.problems))
        dialog.preview.set_balance(present_classes(state))
        self._show_preview()

    def _show_reading(self) -> None:
        """Show how far the reading for the proposal is."""
        progress = self._services.reading.now(ProposeData)
        if self._dialog is not None:
            shown = None if progress is None else present_reading(progress)
            self._dialog.preview.set_progress(shown)

    def _show_preview(self) -> None:
        dialog, state = self._dialog, self._state
        if dialog is None:
            return
        if self._is_drawn():
            dialog.preview.set_drawn(present_drawn(state, self._services.language_code()))
            return
        images = () if self._shows_files() else present_sample_images(state)
        language, last = self._services.language_code(), state.proposal or state.last
        seen, problem = present_pictures(state.pictures, language, last)
        images = images or seen
        dialog.preview.set_problem(problem)
        if images:
            dialog.preview.set_images(images, 0 if last is None else last.info.samples)
        else:
            dialog.preview.set_rows(present_first_rows(state))

    def _create(self) -> bool:
        """Make the project and open it; return whether that worked, else say why not."""
        dialog, proposal = self._dialog, self._state.proposal
        if dialog is None or proposal is None:
            return False
        document = ProjectDocument(graph=proposal.graph or Graph(), spec=proposal.spec)
        data = Path(self._state.path).expanduser().absolute()
        problem = self._project.refusal_to_create(typed_folder(dialog.project), document)
        if problem:
            dialog.show_problem(problem)
            return False
        self._services.settings.change(data_folder=str(data.parent))
        dialog.accept()
        return True

    def _create_and_train(self) -> None:
        if self._create():
            self._services.window.show_workspace("train")
            self._services.runs.start()

    def _give_up(self) -> None:
        self._services.reading.give_up(ProposeData)

    def _on_finished(self) -> None:
        self._give_up()
        self._dialog = None
        self._state = StartState()


def _is_absent(path: str) -> bool:
    """Return whether there is nothing at a path; what else may be wrong with it others say."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return "${" not in path
    except (OSError, ValueError):
        return False
    return False


def _name_of(path: Path) -> str:
    """Return what data are called: a file without its endings (``flowers.csv.gz``), a folder."""
    return path.name if is_folder(path) else Path(path.name.removesuffix(".gz")).stem
