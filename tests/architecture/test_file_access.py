"""Files are read and written by ``engine.files``: bounded, plain, whole, inside.

Whoever opens a file otherwise stands below with the reason: it is one that ships with the program,
one that the user chose as a program to run, or one that this process made itself.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
METHODS = {"read_bytes", "read_text", "write_bytes", "write_text", "touch"}
OPENERS = {"open", "memmap", "open_memmap", "mkstemp", "NamedTemporaryFile"}
WORDS = re.compile(rf"\b({'|'.join((*METHODS, *OPENERS, 'load'))})\b")
"""One of them stands in each source that opens a file: the others need not be taken apart."""
SHIPPED = "ships with the program"
OWN = "made by this process, or for it by its parent"
ALLOWED = {
    "engine/graph/shipped_code.py": SHIPPED,
    "engine/model/module.py": OWN,
    "engine/custom/watchdog.py": OWN,
    "engine/catalog/registry.py": SHIPPED,
    "engine/catalog/text.py": SHIPPED,
    "engine/catalog/zoo.py": SHIPPED,
    "engine/diagnostics.py": SHIPPED,
    "engine/data/fetch/unpack.py": "into a folder that was made for it a moment before",
    "engine/data/read/array_cache.py": "mapped, and checked before it is used",
    "engine/export/onnx_file.py": OWN,
    "engine/export/python_file.py": OWN,
    "engine/export/read_onnx.py": OWN,
    "engine/export/read_torch.py": OWN,
    "engine/export/tensor_file.py": OWN,
    "engine/export/tensorboard.py": OWN,
    "engine/export/torch_file.py": OWN,
    "engine/export/trackers/wandb_run.py": OWN,
    "engine/export/trackers/write.py": OWN,
    "engine/graph/templates.py": SHIPPED,
    "engine/project/lock.py": "made only where nothing stands",
    "engine/runs/certificate.py": OWN,
    "engine/runs/record/derivative.py": SHIPPED,
    "engine/runs/record/journal.py": OWN,
    "engine/runs/queue.py": "made only where nothing stands",
    "engine/runtime/job/culprit.py": OWN,
    "engine/runtime/remote/program.py": SHIPPED,
    "engine/runtime/remote/station.py": "goes on with a file that it began itself",
    "engine/runs/process/forking.py": "the system's own numbers",
    "engine/runtime/job/fork_client.py": "the standard streams",
    "engine/runtime/job/stream.py": "the standard streams",
    "engine/sandbox/landlock.py": "folders, to name them to the kernel",
    "engine/sandbox/limit.py": "the system's own numbers",
    "engine/train/watch/profile_watcher.py": OWN,
    "engine/train/tensor_file.py": "mapped, so that no header claims more than there is",
    "engine/query/finder/batch.py": "a setting of the system",
    "engine/train/worker.py": "a setting of the system",
    "studio/cli/parser.py": "the standard streams",
    "studio/help/controller.py": OWN,
    "studio/process/crash.py": OWN,
    "studio/installation.py": SHIPPED,
    "studio/start.py": "the standard streams",
    "studio/i18n.py": SHIPPED,
    "studio/help/presenter.py": SHIPPED,
    "studio/inspect/lab/lesson.py": SHIPPED,
    "studio/model/custom_code/snippet.py": SHIPPED,
    "widgets/common/icons.py": SHIPPED,
}


def openings(source: str) -> list[tuple[int, str]]:
    """Return the lines that open a file by themselves, with the word for it."""
    found = []
    for node in ast.walk(ast.parse(source)) if WORDS.search(source) else ():
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Attribute) and node.func.attr in METHODS:
            found.append((node.lineno, node.func.attr))
        elif isinstance(node.func, ast.Name) and node.func.id in OPENERS:
            found.append((node.lineno, node.func.id))
        elif isinstance(node.func, ast.Attribute) and node.func.attr in OPENERS:
            if node.func.attr != "open" or _is_file_open(node):
                found.append((node.lineno, node.func.attr))
        elif isinstance(node.func, ast.Attribute) and _is_load(node.func):
            found.append((node.lineno, "load"))
    return found


def _is_load(function: ast.Attribute) -> bool:
    return function.attr == "load" and ast.unparse(function) in ("np.load", "torch.load")


def _is_file_open(node: ast.Call) -> bool:
    """Return whether ``x.open(...)`` opens a file: it is given a mode, or it is one of ``os``."""
    if ast.unparse(node.func) in ("os.open", "io.open", "gzip.open", "tarfile.open"):
        return True
    modes = [part.value for part in node.args[:1] if isinstance(part, ast.Constant)]
    modes += [part.value.value for part in node.keywords if part.arg == "mode"]
    return any(isinstance(mode, str) and set(mode) <= set("rwxab+t") for mode in modes)


def test_that_no_file_is_opened_by_another_way():
    seen: dict[str, list[str]] = {}
    for folder in ("engine", "studio", "widgets"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = path.relative_to(ROOT).as_posix()
            if not name.startswith("engine/files/"):
                for line, word in openings(path.read_text(encoding="utf-8")):
                    seen.setdefault(name, []).append(f"{word} in line {line}")
    strange = {name: lines for name, lines in seen.items() if name not in ALLOWED}
    assert strange == {}, "read and write by engine.files, or say in ALLOWED why not"
    assert set(ALLOWED) <= set(seen), "these open no file any more"


def test_that_the_scan_sees_each_way():
    source = "p.read_bytes()\nopen('x')\nos.open(p, 0)\np.open('rb')\np.open(mode='w')\nnp.load(p)"
    assert len(openings(source)) == len(source.splitlines())
    assert openings("dialog.open()\nProject.open(path)") == []
