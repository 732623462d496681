"""Controller of File > Import: the choice becomes a request to a process of its own, and its result
a project or a part of the model.
"""

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog

from engine.catalog.zoo import ZooModel, zoo
from engine.diagnostics import Diagnostic, DiagnosticError, sentence
from engine.files import confined_file, copy_file
from engine.graph.edit.edits import apply
from engine.graph.insert.embedding import embed
from engine.graph.model import Graph
from engine.graph.naming import sanitized_name
from engine.project.weight_file import free_weights
from engine.runtime import (
    Imported,
    ImportJob,
    ImportProgress,
    ImportRequest,
    ModelClass,
    model_classes,
    new_project,
)
from engine.runtime.importing.request import is_exported
from engine.spec.defaults import bind_losses
from studio.i18n import translate
from studio.model.importer.dialog import ImportDialog
from studio.model.importer.draft import (
    RANDOM,
    WITH_DETAIL,
    ImportDraft,
    field_of,
    is_chosen,
    model_title,
    request_of,
    typed_path,
)
from studio.model.importer.presenter import (
    present_file_form,
    present_import_progress,
    present_place_form,
    present_program_form,
    present_zoo,
    present_zoo_form,
    sizes_text,
)
from studio.project.project import ProjectController, free_folder
from studio.run_control.leaving import LeavingController
from studio.services import Controller, Services
from studio.view.weights_file import weight_filters
from studio.window.dialog.question import Answer, Question

_IMAGE = "3x224x224"


@dataclass(frozen=True, kw_only=True)
class _Kept:
    """What came of an import: a project, or a model whose weights are in the project already."""

    graph: Graph
    notices: tuple[Diagnostic, ...]
    project: Path | None = None
    weights: str = ""


class ImportController(Controller):
    """Glue between the dialog, the process that imports, and the projects.

    ``imported`` tells that a model has come into the window, and whether it was asked for to be
    fine-tuned.
    """

    imported = Signal(bool)

    def __init__(
        self,
        services: Services,
        project: ProjectController,
        *,
        leaving: LeavingController,
        select: Callable[[tuple[str, ...]], object],
    ) -> None:
        super().__init__(services, project)
        self._project = project
        self._leaving = leaving
        self._trust = services.trust
        self._select = select
        self._drafts: dict[str, ImportDraft] = {}
        self._draft = ImportDraft()
        self._classes: tuple[ModelClass, ...] = ()
        self._errors: dict[str, str] = {}
        self._dialog: ImportDialog | None = None
        self._is_for_fine_tuning = False
        self._job: ImportJob[_Kept] | None = None
        self._begun: tuple[str, float, float] = ("", 0.0, 0.0)
        self._window.model_dropped.connect(self.ask)

    def ask(self, file: Path | None = None) -> None:
        """Show the dialog, filled in for a file where one is given."""
        if self._dialog is not None:
            self._dialog.bring_to_front()
            return
        self._is_for_fine_tuning = False
        folder = str(free_folder("model").parent)
        self._drafts = {
            "zoo": ImportDraft(folder=folder),
            "file": ImportDraft(source="file", inputs=_IMAGE, folder=folder),
            "program": ImportDraft(source="program", folder=folder),
        }
        self._draft = self._drafts["zoo"]
        self._classes, self._errors = (), {}
        dialog = self._dialog = ImportDialog(self._window)
        dialog.set_models(present_zoo(list(zoo().values())))
        dialog.source_chosen.connect(self._on_source_chosen)
        dialog.model_chosen.connect(self._on_model_chosen)
        dialog.value_changed.connect(self._on_value_changed)
        dialog.browse_requested.connect(self._browse)
        dialog.import_requested.connect(self._on_import_requested)
        dialog.cancel_requested.connect(self.cancel)
        dialog.finished.connect(self._on_closed)
        if file is not None:
            dialog.show_source("program" if is_exported(file.name) else "file")
            self._on_value_changed("file", str(file))
        self._paint()
        dialog.open()

    def ask_to_fine_tune(self) -> None:
        """Show the dialog for a model that is fine-tuned as soon as it is there."""
        self.ask()
        self._is_for_fine_tuning = True

    def close(self) -> None:
        """Give up what goes on and wait until nothing is left of it: the program ends."""
        job, self._job = self._job, None
        if job is not None:
            job.close()

    def cancel(self) -> None:
        """Give up the import that goes on; the dialog stays as it was."""
        if self._job is not None and self._job.cancel():
            self._job = None
            if self._dialog is not None:
                self._dialog.set_busy(busy=False)
                self._dialog.show_problem("")
                self._paint()

    def _on_closed(self) -> None:
        self.cancel()
        self._dialog = None

    def _on_source_chosen(self, source: str) -> None:
        self._drafts[self._draft.source] = self._draft
        self._draft = self._drafts[source]
        self._errors = {}
        self._paint()

    def _on_model_chosen(self, name: str) -> None:
        model = zoo()[name]
        if self._draft.source == "zoo" and self._draft.model != name:
            self._draft = replace(
                self._draft,
                model=name,
                weights=RANDOM,
                classes=str(model.classes or ""),
                inputs=sizes_text(model.shape),
                name=self._proposed_name(name, is_block=self._draft.is_block),
            )
            self._errors = {}
            self._paint()

    def _on_value_changed(self, name: str, text: str) -> None:
        draft, model = self._draft, self._model()
        text = text.strip()
        self._errors.pop(name, None)
        if name == "place":
            is_block = text == "block"
            proposed = self._proposed_name(model_title(draft), is_block=is_block)
            draft = replace(draft, is_block=is_block, name=proposed)
        elif name == "classes" and not text and model is not None:
            draft = replace(draft, classes=str(model.classes))
        elif name == "weights" and model is not None:
            weights = model.find_weights(text)
            shape = weights.shape if weights is not None else model.shape
            draft = replace(draft, weights=text, inputs=sizes_text(shape))
        else:
            draft = replace(draft, **{name: text})  # type: ignore[arg-type]  # all others are texts
        self._draft = draft
        if name == "file" and draft.source == "file":
            self._read_file()
        elif name == "file":
            proposed = self._proposed_name(model_title(draft), is_block=draft.is_block)
            self._draft = replace(draft, name=proposed)
        elif name == "class_name":
            self._draft = replace(
                self._draft, name=self._proposed_name(text, is_block=draft.is_block)
            )
        self._paint()

    def _read_file(self) -> None:
        """Find the models of the file; it is read, not run."""
        self._classes = ()
        try:
            self._classes = model_classes(typed_path(self._draft.file))
        except DiagnosticError as error:
            self._errors["file"] = sentence(error.problems[0], self._language())
        names = [one.name for one in self._classes]
        chosen = names[-1] if names else ""  # the whole is mostly written after its parts
        self._draft = replace(
            self._draft,
            class_name=chosen,
            arguments="",
            name=self._proposed_name(chosen, is_block=self._draft.is_block),
        )

    def _proposed_name(self, name: str, *, is_block: bool) -> str:
        if not name:
            return ""
        if not is_block:
            return free_folder(name).name
        return embed(self._session.graph, Graph(), "Part", sanitized_name(name.lower()))[1]

    def _model(self) -> ZooModel | None:
        return zoo().get(self._draft.model) if self._draft.source == "zoo" else None

    def _paint(self) -> None:
        dialog, draft = self._dialog, self._draft
        if dialog is None:
            return
        form = {
            "zoo": lambda: present_zoo_form(draft, self._model(), self._errors),
            "file": lambda: present_file_form(draft, self._classes, self._errors),
            "program": lambda: present_program_form(draft, self._errors),
        }[draft.source]
        dialog.set_form(draft.source, form())
        session = self._session
        has_project = session.project is not None and not session.project.is_read_only
        dialog.set_form("place", present_place_form(draft, self._errors, has_project=has_project))
        dialog.set_ready(is_ready=is_chosen(draft))

    def _browse(self, name: str) -> None:
        assert self._dialog is not None
        if name == "folder":
            chosen = QFileDialog.getExistingDirectory(
                self._dialog,
                translate("Import", "Location of the project folder"),
                self._draft.folder,
            )
        else:
            wanted = translate("Import", "Python") + " (*.py)"
            if self._draft.source == "program":
                wanted = translate("Import", "Exported program") + " (*.pt2)"
            weights, every = weight_filters()
            chosen, _ = QFileDialog.getOpenFileName(
                self._dialog,
                translate("Import", "Choose file"),
                "",
                f"{wanted if name == 'file' else weights};;{every}",
            )
        if chosen:
            self._on_value_changed(name, chosen)

    def _on_import_requested(self) -> None:
        dialog, draft = self._dialog, self._draft
        if dialog is None or not is_chosen(draft) or self._job is not None:
            return
        self._errors = {}
        try:
            request = request_of(draft, self._model(), self._classes)
            if draft.is_block:
                request = self._beside(request, draft)
        except DiagnosticError as error:
            self._show_problems(error.problems)
            return
        if draft.source != "file":
            self._run(request)
            return
        Question(
            dialog,
            "import",
            title=translate("Import", "Run the code in “{file}”?").format(
                file=Path(draft.file).name
            ),
            text=translate(
                "Import",
                "To create “{name}”, this file and its imports run in a separate process "
                "with all your permissions on this computer. Continue only if you trust "
                "the source of the file.",
            ).format(name=draft.class_name),
            answers=(
                Answer(
                    name="run",
                    text=translate("Import", "Run and import"),
                    act=lambda: self._run(request),
                ),
            ),
            cancel=translate("Import", "Cancel"),
        ).open()

    def _beside(self, request: ImportRequest, draft: ImportDraft) -> ImportRequest:
        """Let the weights of the new part be written together with those of the project."""
        project, spec = self._session.project, self._session.spec
        assert project is not None
        _, name = embed(self._session.graph, Graph(), "Part", sanitized_name(draft.name))
        file = confined_file(project.path, spec.weights)
        beside = "" if file is None else str(file)
        return msgspec.structs.replace(request, prefix=f"{name}.", beside=beside)

    def _run(self, request: ImportRequest) -> None:
        dialog, draft, project = self._dialog, self._draft, self._session.project
        if dialog is None:
            return
        now = time.monotonic()
        self._begun = ("start", now, now)
        path = typed_path(draft.folder) / draft.name

        def keep(imported: Imported) -> _Kept:
            if not draft.is_block:
                made = new_project(imported, path)
                return _Kept(graph=made.graph, notices=imported.notices, project=made.path)
            assert project is not None
            weights = free_weights(project.path, sanitized_name(draft.name))
            copy_file(imported.weights, project.path / weights)
            return _Kept(graph=imported.graph, notices=imported.notices, weights=weights)

        def tell(progress: ImportProgress) -> None:
            self._handover.post(lambda: self._on_progress(job, progress))

        job = self._job = ImportJob(request, keep, tell)
        dialog.show_problem("")
        dialog.set_busy(busy=True)
        self._on_progress(job, ImportProgress(stage="start"))
        self._handover.deliver(job.start(), lambda future: self._on_done(job, future))

    def _on_progress(self, job: "ImportJob[_Kept]", progress: ImportProgress) -> None:
        if self._dialog is None or job is not self._job:
            return
        now = time.monotonic()
        stage, whole, begun = self._begun
        if progress.stage != stage:
            begun = now
            if stage == "download":  # what was waited for says nothing about the rest
                whole += now - self._begun[2]
            self._begun = (progress.stage, whole, begun)
        elapsed = now - (begun if progress.stage == "download" else whole)
        self._dialog.set_progress(present_import_progress(progress, elapsed))

    def _on_done(self, job: "ImportJob[_Kept]", future: "Future[_Kept]") -> None:
        if job is not self._job:
            return
        self._job = None
        dialog, draft = self._dialog, self._draft
        if dialog is not None:
            dialog.set_busy(busy=False)
        error = future.exception()
        if isinstance(error, DiagnosticError):
            self._show_problems(error.problems)
            return
        if error is not None:
            raise error
        kept = future.result()
        if dialog is not None:
            dialog.accept()
        self._notifications.report(kept.notices)
        self._trust.note(kept.graph.code.values())  # the program wrote it itself
        if kept.project is not None:
            self._trust.keep(kept.project, kept.graph.code)
            self._open(kept.project)
        else:
            self._put_in(kept, draft)

    def _open(self, path: Path) -> None:
        text = translate("Import", "Imported into {folder}.")
        self._notifications.tell(text.format(folder=path), "success")
        self._leaving.leave_then(lambda: self._show(path))

    def _show(self, path: Path) -> None:
        if self._project.open(path):
            self.imported.emit(self._is_for_fine_tuning)

    def _put_in(self, kept: _Kept, draft: ImportDraft) -> None:
        """Put the model into the one that is open: one step of undo."""
        session = self._session
        name = model_title(draft)
        block = "".join(part[:1].upper() + part[1:] for part in sanitized_name(name).split("_"))
        edit, node = embed(session.graph, kept.graph, block, sanitized_name(draft.name))
        graph = apply(edit, session.graph)
        spec = bind_losses(session.spec, session.graph, graph, session.findings.data)
        spec = msgspec.structs.replace(spec, weights=kept.weights)
        label = translate("Import", "Import model")
        session.enter(())
        session.change(graph, spec, label)
        self._window.show_workspace("model")
        self._select(tuple(one.id for one in session.graph.nodes.values() if one.name == node))
        text = translate("Import", "Imported as “{name}”; its weights are in {file}.")
        self._notifications.tell(text.format(name=node, file=kept.weights), "success")
        self.imported.emit(self._is_for_fine_tuning)

    def _show_problems(self, problems: tuple[Diagnostic, ...]) -> None:
        if self._dialog is None:  # closed in the last moment
            self._notifications.report(problems)
            return
        rest: list[str] = []
        for problem in problems:
            field = field_of(problem, self._draft)
            text = sentence(problem, self._language())
            if problem.code in WITH_DETAIL and problem.detail:
                text = f"{text}\n{problem.detail}"
            if field and field not in self._errors:
                self._errors[field] = text
            else:
                rest.append(text)
        self._paint()
        self._dialog.show_problem("\n".join(rest))
        if self._errors:
            self._dialog.focus_field(next(iter(self._errors)))
