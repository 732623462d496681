"""What a foreign run tells and keeps, read and shown as the window does.

Its files are damaged by their values too: what is well-formed may still name a Function that is not
there, or tell a shape that its numbers do not have.
"""

from pathlib import Path
from typing import Any

import msgspec

from tests.fuzz.reader import Reader

_PLAIN = (msgspec.DecodeError, RecursionError)


def _asked(folder: Path) -> Path:
    """Return a run that told of all that can be asked of one while it trains."""
    from engine.events import CaptureGraph, CaptureTensor, ListTensors, MeasureMemory, ProfileSteps
    from tests.tiny_run import make_run, train

    found = sorted((folder / "asked" / "runs").glob("run-*"))
    if found:
        return found[0]
    run = make_run(folder / "asked", epochs=4)
    wanted = CaptureTensor(kind="parameter", name="hidden.weight")
    for command in (CaptureGraph(), ListTensors(), wanted, MeasureMemory(), ProfileSteps(count=1)):
        run.send(command)
    train(run)
    return run.path


def _artefact(folder: Path, ending: str) -> list[bytes]:
    return [path.read_bytes() for path in (_asked(folder) / "artefacts").rglob(f"*.{ending}")]


def _records(folder: Path) -> list[bytes]:
    """Return what a run told, as one JSON list, with what only other runs tell."""
    from engine.events import (
        DebugStopped,
        DebugValue,
        KnobChanged,
        RanksCompared,
        RankShare,
        TensorRead,
        encode_event,
    )
    from engine.runs.record.store import RunStore

    with RunStore.open(_asked(folder)) as store:
        told = [stored.event for stored in store.events()]
    value = DebugValue(key="output", kind="variable", shape=(2, 3), dtype="float32", mean=0.5)
    told[-1:-1] = [
        KnobChanged(step=3, name="optimizer.lr", value=0.1),
        RanksCompared(step=3, ranks=(RankShare(checksum=1, loss=0.5),)),
        DebugStopped(step=3, phase="forward", reason="layer", place="hidden", values=(value,)),
        TensorRead(step=3, key="output", start=0, values=(1.0, "nan")),
    ]
    return [b"[" + b",".join(map(encode_event, told)) + b"]"]


def _record(path: Path) -> object:
    """Fold what a run told and show it, as far as a run is shown without its curves."""
    from engine.events import decode_event
    from engine.runs.folder import RunFolder
    from engine.runs.record.state import RunState, fold
    from engine.runs.record.store import StoredEvent

    state, told = RunState(epochs=3), []
    for number, raw in enumerate(msgspec.json.decode(path.read_bytes(), type=list[msgspec.Raw])):
        try:
            event = decode_event(bytes(raw))
        except msgspec.ValidationError:
            continue  # the record leaves out what is none
        state = fold(state, event)
        told.append(StoredEvent(number + 1, event))
    _show_state(RunFolder.open(_asked(path.parents[1] / "made")), state, told)
    return told


def _show_state(folder: Any, state: Any, told: list[Any]) -> None:
    from studio.inspect.debugger import presenter as debugger
    from studio.inspect.memory import presenter as memory
    from studio.inspect.profile import presenter as profile
    from studio.log import presenter as log
    from studio.runs import rows
    from studio.session.run_follower import RunUpdate
    from studio.train import ranks
    from studio.view import curve, run
    from widgets.tables.format import cell_text

    graph = folder.document.graph
    update = RunUpdate(folder=folder, state=state, curves={}, starts=1, events=tuple(told))
    run.present_progress(update, "en")
    run.present_live(update, "")
    curve.marks_of(update)
    record = rows.RunRecord(folder=folder, state=state, sizes={})
    for table in (rows.present_runs([record], []), rows.present_checkpoints(record)):
        for row in table.rows:
            for cell, column in zip(row.cells, table.columns, strict=True):
                cell_text(cell, column.kind)
    ranks.present_ranks(state)
    log.present_events(told, "en")
    measured = state.memory.report if state.memory else None
    memory.present_memory(memory.MemoryState(report=measured, measured=measured), graph, "en")
    profile.present_profile(profile.ProfileState(taken=state.profile), graph)
    debugger.present_tensors(state.stop)
    if state.stop is not None:
        debugger.stop_text(state.stop, graph)
        for value in state.stop.values:
            debugger.present_values(state.read, value.shape)
            debugger.present_span(state.read, value.shape)


def _graphs(folder: Path) -> list[bytes]:
    return _artefact(folder, "graph")


def _graph(path: Path) -> object:
    from engine.graph.model import Graph
    from engine.runs.record.graph_files import read_graph
    from engine.runs.record.graph_text import graph_dot, graph_json
    from studio.inspect.graph.colour import Colouring, coloured
    from studio.inspect.graph.details import present_details
    from studio.inspect.graph.presenter import Zoom, present_autograd, present_summary
    from widgets.canvas.scene import Scene

    captured, model = read_graph(path), Graph()
    graph_dot(captured)
    graph_json(captured)
    for node in captured.nodes[:3]:
        present_details(captured, [node.id], model)
    for zoom in Zoom:
        view = present_autograd(captured, model, zoom, frozenset(), (800.0, 600.0))
        for colouring in Colouring:
            coloured(view, captured, colouring)
        Scene.of(view.canvas)
    present_summary(captured)
    return captured


def _tensors(folder: Path) -> list[bytes]:
    return _artefact(folder, "tensor")


def _tensor(path: Path) -> object:
    from engine.graph.model import Graph
    from engine.runs.record.tensor_capture import tensor_files
    from studio.inspect.tensors.presenter import present_tensor

    return present_tensor(tensor_files.read(path), "", Graph())


def _listings(folder: Path) -> list[bytes]:
    return _artefact(folder, "list")


def _listing(path: Path) -> object:
    from engine.graph.model import Graph
    from engine.runs.record.tensor_capture import listing_files
    from studio.inspect.tensors.tree import present_tree

    return present_tree(listing_files.read(path), Graph())


def _surfaces(folder: Path) -> list[bytes]:
    import numpy as np

    from engine.runs.record.surface import Surface

    def surface(outputs: int, *, is_classified: bool) -> bytes:
        values = np.full((outputs, 5, 5), 1 / outputs, "<f2").tobytes()
        made = Surface(
            step=3, x=(-1, 1), y=(0, 2), size=5, outputs=outputs, is_classified=is_classified,
            values=values,
        )  # fmt: skip
        return msgspec.msgpack.encode(made)

    return [surface(3, is_classified=True), surface(1, is_classified=False)]


def _surface(path: Path) -> object:
    from engine.runs.record.surface import SURFACES
    from studio.inspect.surface.presenter import present_shades, present_step

    surface = SURFACES.read(path)
    present_step(surface, None)
    return present_shades(surface, ((255, 0, 0), (0, 255, 0), (0, 0, 255)))


RUN_READERS = (
    Reader("told", "told.json", _records, _record, _PLAIN),
    Reader("autograd graph", "artefacts/autograd/000000001.graph", _graphs, _graph),
    Reader("tensor", "artefacts/tensors/000000001.tensor", _tensors, _tensor),
    Reader("tensor list", "artefacts/tensors/000000001.list", _listings, _listing),
    Reader("surface", "artefacts/surface/000000001.surface", _surfaces, _surface),
)
