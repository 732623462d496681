"""Controller of low-rank adaptation: adds blocks, takes them away, merges them into the weights of
a run, and writes and reads adapter files.
"""

from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path

from msgspec.structs import replace
from PySide6.QtWidgets import QFileDialog

from engine.diagnostics import Diagnostic
from engine.files import confined_file
from engine.graph.block import SEPARATOR
from engine.graph.edit.edits import apply
from engine.graph.edit.lora import (
    AddLora,
    RemoveLora,
    frozen_rest,
    layer_paths,
    lora_in,
    lora_paths,
    loras,
    with_rest_trained,
)
from engine.graph.error import GraphError
from engine.graph.model import Graph
from engine.project.weight_file import free_weights
from engine.query.lora.request import (
    CountTrained,
    LoadAdapter,
    LoraReport,
    MergeLora,
    SaveAdapter,
    WeightsSource,
)
from engine.query.request import Request
from engine.runs.folder import RunFolder
from engine.runs.record.state import RunState
from engine.spec.weight_name import names_in_file
from studio.i18n import filled, translate
from studio.model.lora.dialog import START, LoraDialog, LoraWeightsDialog
from studio.model.lora.presenter import about_text, count_text, frozen_text
from studio.services import Controller
from studio.session.run_states import read_states
from studio.session.session import Session
from studio.view.export import present_checkpoint_choices
from studio.view.weights_file import weight_filters
from studio.window.dialog.file import save_dialog, tell_saved
from widgets.common import parts

_States = dict[str, tuple[RunFolder, RunState]]


class LoraController(Controller):
    """Glue between the commands, their dialogs and the session."""

    def add(self) -> None:
        """Ask for the numbers of the blocks that come in the place of the selected layers."""
        session = self._session
        places = selected_paths(session)
        layers = layer_paths(session.graph, places)
        try:
            apply(AddLora(places=places), session.graph)
        except GraphError as error:
            self._notifications.report(error.problems)
            return
        dialog = LoraDialog(self._window, about_text(session.graph, layers))
        is_open = [True]

        def edit() -> AddLora:
            return AddLora(
                places=places,
                rank=dialog.rank.value(),
                alpha=dialog.alpha.value(),
                dropout=dialog.dropout.value(),
                freeze_rest=dialog.freeze.isChecked(),
            )

        def count() -> None:
            wanted = edit()
            self._ask_host(
                CountTrained(graph=apply(wanted, session.graph)),
                lambda found: dialog.set_count(count_text(found)),
                lambda problems: dialog.set_count(self._words(problems)),
                is_wanted=lambda: bool(is_open) and wanted == edit(),
            )

        label = translate("Lora", "Add LoRA")
        dialog.confirmed.connect(
            lambda: self._succeeds(lambda: session.edit(edit(), label)),
        )
        dialog.changed.connect(count)
        dialog.finished.connect(lambda _: is_open.clear())
        count()
        dialog.open()

    def remove(self) -> None:
        """Put the layers of the selected blocks back, without what the pairs have learned."""
        edit = RemoveLora(places=selected_paths(self._session))
        if self._succeeds(lambda: self._session.edit(edit, translate("Lora", "Remove LoRA"))):
            self._tell_done("")

    def merge(self) -> None:
        """Ask whose weights are merged; the blocks become plain layers, and the next run starts
        from the result.
        """
        graph = self._session.graph
        chosen = lora_paths(graph, selected_paths(self._session))
        places = chosen or lora_paths(graph, tuple(graph.nodes))
        count = len(loras(graph)) - len(loras(apply(RemoveLora(places=places), graph)))
        text = translate(
            "Lora",
            "{count} {count|LoRA block becomes a plain layer|LoRA blocks become plain layers} "
            "again. What was learned is added to the weights, and the next run starts from the "
            "result. You can undo this.",
        )
        title = translate("Lora", "Merge LoRA")
        self._ask_source(
            (title, filled(text, count=count), translate("Lora", "Merge")),
            lambda source: self._merge(graph, places, source),
        )

    def save(self) -> None:
        """Ask whose pairs are written, and where."""
        graph = self._session.graph
        text = translate(
            "Lora",
            "An adapter file holds only the trained pairs (lora_A, lora_B), so it is small. It "
            "needs the weights of the base model to be used.",
        )
        title = translate("Lora", "Save LoRA adapter")
        self._ask_source(
            (title, text, translate("Lora", "Choose file…")),
            lambda source: self._ask_target(graph, source),
        )

    def load(self) -> None:
        """Ask for an adapter file whose pairs come to the weights that the project starts from."""
        source = self._start()
        if source is None:
            self._notifications.report((Diagnostic(code="R522"),))
            return
        title = translate("Lora", "Load LoRA adapter")
        dialog = parts.named(QFileDialog(self._window, title), "dialog.load_adapter", title)
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setNameFilters(weight_filters())
        dialog.fileSelected.connect(lambda file: self.take(Path(file)))
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def take(self, file: Path) -> None:
        """Let the next run start from its weights with the pairs of an adapter file."""
        project, source, graph = self._session.project, self._start(), self._session.graph
        if project is None or source is None:
            return
        name = free_weights(project.path, "adapted")
        target = str(project.path / name)
        request = LoadAdapter(graph=graph, source=source, adapter=str(file), target=target)

        def take(report: LoraReport) -> None:
            self._change(graph, name, translate("Lora", "Load LoRA adapter"))
            text = translate("Lora", "The next run starts from {file}, with the adapter’s pairs.")
            if not report.has_scales:
                text = translate(
                    "Lora",
                    "The next run starts from {file}, with the adapter’s pairs. The adapter does "
                    "not tell its alpha, so that of the model is used.",
                )
            self._notifications.tell(text.format(file=name), "success")

        self._write(request, graph, take)

    def _merge(self, graph: Graph, places: tuple[str, ...], source: WeightsSource) -> None:
        project = self._session.project
        if project is None:
            return
        after = apply(RemoveLora(places=places), graph)
        modules = tuple(name for name in loras(graph) if name not in loras(after))
        name = free_weights(project.path, "merged")
        target = str(project.path / name)
        request = MergeLora(graph=graph, source=source, modules=modules, target=target)

        def take(_: LoraReport) -> None:
            self._change(after, name, translate("Lora", "Merge LoRA"))
            text = translate("Lora", "Merged. The next run starts from {file}.").format(file=name)
            self._tell_done(text)

        self._write(request, graph, take)

    def _tell_done(self, text: str) -> None:
        """Say what was done, and which layers are frozen still, with a button that changes that."""
        frozen = frozen_rest(self._session.graph)
        action = None
        if frozen:
            text = f"{text} {frozen_text(frozen)}".strip()
            action = (translate("Lora", "Train all layers"), self._train_rest)
        if text:
            self._notifications.tell(text, "success", action=action)

    def _train_rest(self) -> None:
        session = self._session
        after = with_rest_trained(session.graph)
        session.change(after, session.spec, translate("Lora", "Train all layers"))

    def _ask_target(self, graph: Graph, source: WeightsSource) -> None:
        title = translate("Lora", "Save LoRA adapter")
        filters = ("Safetensors (*.safetensors)",)
        dialog = save_dialog(self._window, "save_adapter", title, filters, "adapter.safetensors")
        dialog.fileSelected.connect(lambda file: self.write(graph, source, Path(file)))
        dialog.open()

    def write(self, graph: Graph, source: WeightsSource, file: Path) -> None:
        """Write the pairs of all blocks of a graph into an adapter file."""
        self._ask_host(
            SaveAdapter(graph=graph, source=source, target=str(file)),
            lambda _: tell_saved(file, self._notifications),
            self._notifications.report,
        )

    def _write(
        self, request: Request[LoraReport], graph: Graph, then: Callable[[LoraReport], object]
    ) -> None:
        session = self._session
        self._ask_host(
            request,
            then,
            self._notifications.report,
            is_wanted=lambda: graph is session.graph,
        )

    def _change(self, graph: Graph, weights: str, label: str) -> None:
        session = self._session
        session.change(graph, replace(session.spec, weights=weights, renamed={}), label)

    def _start(self) -> WeightsSource | None:
        """Return the weights that the project starts from, if there are any."""
        session = self._session
        project = session.project
        file = None if project is None else confined_file(project.path, session.spec.weights)
        if file is None:
            return None
        return WeightsSource(file=str(file), names=names_in_file(session.spec, session.graph))

    def _ask_source(
        self, words: tuple[str, str, str], then: Callable[[WeightsSource], object]
    ) -> None:
        """Ask for a run and its checkpoint, or the weights that the project starts from."""
        project, start = self._session.project, self._start()
        if project is None:
            return
        path, weights = project.path, self._session.spec.weights
        dialog = LoraWeightsDialog(self._window, *words)
        is_open = [True]
        dialog.finished.connect(lambda _: is_open.clear())

        def show(future: "Future[_States]") -> None:
            states = {key: each for key, each in future.result().items() if each[1].checkpoints}
            if not states and start is None:
                dialog.reject()
                self._notifications.report((Diagnostic(code="R522"),))
                return
            runs = [(key, run.document.name) for key, (run, _) in reversed(states.items())]
            checkpoints = {
                key: present_checkpoint_choices(state, run.document.spec.averaging)
                for key, (run, state) in states.items()
            }
            if start is not None:
                runs.append((START, translate("Lora", "Start weights")))
                checkpoints[START] = ((START, weights),)
            dialog.set_choices(runs, checkpoints)
            dialog.confirmed.connect(
                lambda run, checkpoint: then(_source(states, start, run, checkpoint))
            )

        self._handover.run(
            lambda: read_states(path), lambda future: show(future) if is_open else None
        )
        dialog.open()


def _source(
    states: _States, start: WeightsSource | None, run: str, checkpoint: str
) -> WeightsSource:
    if run in states:
        return WeightsSource(run_folder=str(states[run][0].path), checkpoint=checkpoint)
    assert start is not None
    return start


def selected_paths(session: Session) -> tuple[str, ...]:
    """Return the paths of what is selected on the canvas."""
    return tuple(SEPARATOR.join((*session.path, node_id)) for node_id in session.selection)


def has_selected_lora(session: Session) -> bool:
    """Return whether a low-rank block is selected, or a block with one inside."""
    return bool(lora_paths(session.graph, selected_paths(session)))


def has_lora(session: Session) -> bool:
    """Return whether the model has a low-rank block."""
    blocks = session.graph.blocks.values()
    return session.project is not None and any(lora_in(block) is not None for block in blocks)
