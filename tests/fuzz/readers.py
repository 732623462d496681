"""The readers of files that strangers may have made, and real files for each of them."""

import base64
import io
import zlib
from functools import cache
from pathlib import Path
from typing import IO, Any

import msgspec

from tests.fuzz.data_readers import DATA_READERS
from tests.fuzz.file_readers import FILE_READERS
from tests.fuzz.reader import Reader
from tests.fuzz.run_readers import RUN_READERS
from tests.fuzz.table_readers import TABLE_READERS
from tests.fuzz.tensor_readers import TENSOR_READERS

PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAGUlEQVR4nGNgYGD4////fwYGBgYGBgYGBgAk"
    "AgP9o2Z0OAAAAABJRU5ErkJggg=="
)


def _projects(folder: Path) -> list[bytes]:
    from engine.graph.templates import templates

    return [(info.path / "project.json").read_bytes() for info in templates()]


def _project(path: Path) -> object:
    from engine.project import Project

    project = Project.open(path.parent)
    project.recoveries()
    return project.save_as(path.parent / "copy")


def _autosave(path: Path) -> object:
    from engine.project.document import ProjectDocument
    from engine.project.recovery import read_leftovers

    return read_leftovers(path.parent, ProjectDocument())


def _autosaves(folder: Path) -> list[bytes]:
    from engine.graph.templates import templates
    from engine.project import document
    from engine.project.project import read_template

    names = [info.name for info in templates()][:6]
    return [document.encode(read_template(name), has_texts=True) for name in names]


def _clipboards(folder: Path) -> list[bytes]:
    from engine.graph import codec
    from tests.tiny_run import iris_graph

    graph = iris_graph()
    return [codec.to_text(graph, frozenset(graph.nodes)).encode()]


def _clipboard(path: Path) -> object:
    from engine.graph import codec
    from engine.graph.insert.fragment import fitted

    text = path.read_bytes().decode("utf-8", "replace")
    return fitted(codec.from_text(text), is_inside=False)


def _settings_files(folder: Path) -> list[bytes]:
    from studio.process.settings import SettingsStore

    store = SettingsStore(folder / "settings")
    store.change(language="zh_CN", autosave_s=30, trusted_runs=("a" * 64,))
    store.set_layout(b"state", b"geometry")
    return [(folder / "settings" / "settings.json").read_bytes()]


def _settings(path: Path) -> object:
    from studio.process.settings import SettingsStore

    store = SettingsStore(path.parent)
    store.layout()
    return not store.was_damaged, store.recent_projects()


def _run(folder: Path) -> Path:
    """Return a run that was trained for a moment; the same one for all readers of a process."""
    from tests.tiny_run import make_run, train

    found = sorted((folder / "project" / "runs").glob("run-*"))
    if found:
        return found[0]
    run = make_run(folder / "project", epochs=2)
    train(run)
    return run.path


def _run_documents(folder: Path) -> list[bytes]:
    return [(_run(folder) / "run.json").read_bytes()]


def _run_document(path: Path) -> object:
    from engine.runs.folder import RunFolder

    return RunFolder.open(path.parent)


def _journals(folder: Path) -> list[bytes]:
    from engine.runs.record.store import STORE_NAME

    return [(_run(folder) / STORE_NAME).read_bytes()]


def _journal(path: Path) -> object:
    from engine.runs.record.store import RunStore

    with RunStore.open(path) as store:
        found: list[Any] = [store.events(), store.samples(), store.last_event()]
        found += [store.scalars(name) for name in store.series_names()]
    return found


def _commands(folder: Path) -> list[bytes]:
    from engine.events import Pause, Stop, encode_command

    return [encode_command(Stop()) + b"\n" + encode_command(Pause()) + b"\n"]


def _command(path: Path) -> object:
    from engine.runs.folder import CommandReader

    reader, found = CommandReader(path), []
    while reader.has_more() and len(found) < 100_000:
        more = reader.poll()
        if not more:
            break
        found += more
    return found


def _tags(folder: Path) -> list[bytes]:
    return [msgspec.json.encode({"pid": 17, "created": 1.5, "after_event": 3})]


def _tag(path: Path) -> object:
    from engine.runs.process.run_lock import is_alive, read_tag
    from engine.runs.process.spawn_marker import read_spawn_marker

    (path.parent / "newcomer.json").write_bytes(path.read_bytes())
    newcomer = read_spawn_marker(path.parent)
    tag = read_tag(path.parent)
    states = (newcomer and newcomer.is_living(), tag and is_alive(tag))
    return tag, states


def _remotes(folder: Path) -> list[bytes]:
    remote = {"host": "gpu.example", "user": "ada", "port": 22, "python": "python3"}
    return [msgspec.json.encode({"remote": remote, "place": "runs/project-0123456789"})]


def _remote(path: Path) -> object:
    from engine.runs.machine.remote import read_remote

    return read_remote(path.parent)


def _queue_entries(folder: Path) -> list[bytes]:
    from engine.runs.queue import RunQueue
    from tests.tiny_run import iris_graph, iris_spec

    queue = RunQueue(folder / "queue")
    entry = queue.add(folder, iris_graph(), iris_spec())
    return [(folder / "queue" / f"{entry.id}.json").read_bytes()]


def _queue(path: Path) -> object:
    from engine.runs.queue import RunQueue

    queue = RunQueue(path.parent)
    return queue.entries([])


def _searches(folder: Path) -> list[bytes]:
    from engine.runs.search import SearchFolder
    from engine.spec.search import Dimension, SearchSpec
    from tests.tiny_run import iris_graph, iris_spec

    wanted = SearchSpec(space=(Dimension(name="optimizer.lr", low=0.1, high=0.2),))
    made = SearchFolder.create(folder / "project", iris_graph(), iris_spec(), wanted)
    return [(made.path / "search.json").read_bytes()]


def _search(path: Path) -> object:
    from engine.runs.search import SearchFolder

    return SearchFolder.open(path.parent).state()


def _breakpoint_files(folder: Path) -> list[bytes]:
    from engine.events import Breakpoint
    from engine.project.breakpoint_file import NAME, write_breakpoints

    write_breakpoints(
        folder, [Breakpoint(kind="layer", place="hidden"), Breakpoint(kind="step", value=3.0)]
    )
    return [(folder / NAME).read_bytes()]


def _breakpoints(path: Path) -> object:
    from engine.project.breakpoint_file import read_breakpoints

    return read_breakpoints(path.parent)


def _pictures(folder: Path) -> list[bytes]:
    from engine.project.picture import carrying, packed
    from engine.project.project import read_template

    document = read_template("digits-mlp")
    svg = b"<svg xmlns='http://www.w3.org/2000/svg'></svg>"
    project = packed(document)
    return [carrying(PIXEL, "png", project), carrying(svg, "svg", project)]


def _picture(path: Path) -> object:
    from engine.project.picture import read_picture

    return read_picture(path)


def _checkpoints(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted((_run(folder) / "checkpoints").glob("*.ckpt"))]


def _checkpoint(path: Path) -> object:
    from engine.train.checkpoint.file import load_checkpoint

    _read_mostly_here()
    return load_checkpoint(path)


@cache
def _read_mostly_here() -> None:
    """Let one of fifty files be read by a process of its own as in the program, in this process
    from now on: a process for each would take hours.
    """
    from engine.sandbox import reading
    from tests.unconfined import read_here

    whole = reading.ask

    def ask(reader: Any, stream: IO[bytes], *told: str, **more: float) -> Any:
        read = whole if zlib.crc32(stream.read()) % 50 == 0 else read_here
        stream.seek(0)
        return read(reader, stream, *told, **more)

    reading.ask = ask


def _weight_files(folder: Path) -> list[bytes]:
    import torch

    plain = {"a.weight": torch.rand(3, 4), "a.bias": torch.zeros(3, dtype=torch.float16)}
    torch.save(plain, folder / "flat.pt")
    torch.save({"state_dict": plain, "epoch": 3, "note": "x"}, folder / "nested.pt")
    return [(folder / name).read_bytes() for name in ("flat.pt", "nested.pt")]


def _weights(path: Path) -> object:
    from engine.export.load import contents

    _read_mostly_here()
    return contents(path)


def _programs(folder: Path) -> list[bytes]:
    import torch

    model = torch.nn.Sequential()
    model.add_module("hidden", torch.nn.Linear(4, 3))
    model.add_module("act", torch.nn.ReLU())
    batch = {0: torch.export.Dim("batch")}
    program = torch.export.export(model, (torch.rand(2, 4),), dynamic_shapes=(batch,))
    torch.export.save(program, folder / "p.pt2")
    return [(folder / "p.pt2").read_bytes()]


def _program(path: Path) -> object:
    from engine.importer.pt2 import from_exported

    return from_exported(path)


def _libraries(folder: Path) -> list[bytes]:
    from engine.graph.library import BlockLibrary
    from engine.graph.model import Block
    from tests.tiny_run import iris_graph

    inside = iris_graph()
    graph = msgspec.structs.replace(
        inside, blocks={"Tower": Block(nodes=inside.nodes, edges=inside.edges)}
    )
    library = BlockLibrary(folder / "blocks")
    library.save("Tower", graph)
    return [(folder / "blocks" / "Tower.json").read_bytes()]


def _library(path: Path) -> object:
    from engine.graph.library import BlockLibrary, library_entries
    from engine.graph.model import Graph

    found = BlockLibrary(path.parent).read()
    library_entries(found.blocks, Graph())
    return found.blocks


def _code_files(folder: Path) -> list[bytes]:
    text = (
        b"import torch\nfrom torch import nn\n\n\nclass Scale(nn.Module):\n"
        b'    """Multiply by a number."""\n\n'
        b"    def __init__(self, factor: float = 2.0, *, bias: bool = True) -> None:\n"
        b"        super().__init__()\n        self.factor = factor\n\n"
        b"    def forward(self, x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:\n"
        b"        return x * self.factor + y\n\n\n"
        b"def my_loss(input, target, weight: float = 1.0):\n"
        b"    return ((input - target) ** 2).mean() * weight\n"
    )
    return [text]


def _code(path: Path) -> object:
    from engine.catalog.code.file import read_file
    from engine.project.code_folder import read_code

    found = read_code(path.parents[1], {})
    return [read_file(name, text).nodes for name, text in found.texts.items()]


def _machine_lists(folder: Path) -> list[bytes]:
    from engine.runs.machine.known_machine import KnownMachines
    from engine.runs.machine.remote import Remote

    known = KnownMachines(folder / "machines.json")
    known.remember(Remote(host="gpu.example", user="ada"))
    return [(folder / "machines.json").read_bytes()]


def _machines(path: Path) -> object:
    from engine.runs.machine.known_machine import KnownMachines

    return KnownMachines(path).machines


def _notes(folder: Path) -> list[bytes]:
    """Return the small ones: who holds a project, how a queue is worked off, how the program was
    started, what was typed in the lab, what the watchdog wrote down.
    """
    tag = {"pid": 17, "created": 1.5, "host": "here"}
    running = {"key": "a", "seconds": 1.0, "since": 3.0}
    drafts = {"lesson": "first", "texts": {"first": "x = 1", "": "y = 2"}}
    starts = [{"time": 1.5, "is_clean": False, "pid": 17}]
    return list(map(msgspec.json.encode, (tag, running, drafts, starts, {"parallel": 2})))


def _note(path: Path) -> object:
    from engine.custom.watchdog import last_words
    from engine.project.lock import read_holder
    from engine.runs.queue import RunQueue
    from studio.process.settings import SettingsStore
    from studio.session.lab import Lab

    content = path.read_bytes()
    for name in ("lab.json", "starts.json", "settings.json"):
        (path.parent / name).write_bytes(content)
    lab = Lab(path.parent)
    try:
        drafts = lab.read()
    finally:
        lab.client.close()
    store = SettingsStore(path.parent)
    return [read_holder(path), RunQueue(path.parent).settings(), drafts, store, last_words(path, 1)]


def _drawings(folder: Path) -> list[bytes]:
    from PIL import Image

    picture, found = Image.new("RGBA", (9, 7), (200, 30, 60, 128)), [PIXEL]
    for number, kind in enumerate(("PNG", "GIF", "JPEG", "BMP", "WEBP", "TIFF")):
        path = folder / f"drawing-{number}"
        picture.convert("RGB" if kind in ("JPEG", "BMP") else "RGBA").save(path, kind)
        found.append(path.read_bytes())
    return [content for content in found if _is_shown(content)]


def _is_shown(content: bytes) -> bool:
    """Return whether a picture is of a kind that the program shows."""
    from engine.sandbox.answer import Picture
    from engine.sandbox.reading import Reader as Kind
    from tests.unconfined import read_here

    return isinstance(read_here(Kind.PICTURE, io.BytesIO(content)), Picture)


def _drawing(path: Path) -> object:
    from engine.sandbox.reading import read_picture

    _read_mostly_here()
    return read_picture(path).pixels


def _part_lists(folder: Path) -> list[bytes]:
    import torch
    from torch.distributed import checkpoint
    from torch.distributed.checkpoint.metadata import StorageMeta

    class Writer(checkpoint.FileSystemWriter):
        def storage_meta(self) -> StorageMeta:
            return StorageMeta()  # as the program writes it: without the path of the folder

    parts = {"model": {"a.weight": torch.rand(3, 4), "a.bias": torch.zeros(3)}}
    checkpoint.save(parts, storage_writer=Writer(folder / "parts"), no_dist=True)
    return [(folder / "parts" / ".metadata").read_bytes()]


def _part_list(path: Path) -> object:
    from engine.archive import shards

    _read_mostly_here()
    return shards.read_part_list(path).tensors


READERS = {
    reader.name: reader
    for reader in (
        *RUN_READERS,
        *TABLE_READERS,
        *DATA_READERS,
        *FILE_READERS,
        *TENSOR_READERS,
        Reader("project", "project.json", _projects, _project),
        Reader("autosave", "autosave.json", _autosaves, _autosave),
        Reader("clipboard", "clipboard.txt", _clipboards, _clipboard),
        Reader("settings", "settings.json", _settings_files, _settings),
        Reader("run", "run.json", _run_documents, _run_document),
        Reader("journal", "events.db", _journals, _journal),
        Reader("commands", "commands.jsonl", _commands, _command),
        Reader("worker", "worker.json", _tags, _tag),
        Reader("remote", "remote.json", _remotes, _remote),
        Reader("queue", "entry-0001.json", _queue_entries, _queue),
        Reader("search", "search.json", _searches, _search),
        Reader("breakpoints", "breakpoints.json", _breakpoint_files, _breakpoints),
        Reader("picture", "picture.png", _pictures, _picture),
        Reader("checkpoint", "step-00000001-0001.ckpt", _checkpoints, _checkpoint),
        Reader("weights", "weights.pt", _weight_files, _weights),
        Reader("program", "program.pt2", _programs, _program),
        Reader("block library", "Tower.json", _libraries, _library),
        Reader("own code", "code/functions.py", _code_files, _code),
        Reader("machines", "machines.json", _machine_lists, _machines),
        Reader("notes", "settings.json", _notes, _note),
        Reader("pixels", "drawing.png", _drawings, _drawing),
        Reader("parts", ".metadata", _part_lists, _part_list),
    )
}
