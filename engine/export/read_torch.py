"""Plain script that loads an exported file and computes with it, as anyone without Trellis would.

``python -I read_torch.py SEED KIND [FOLDER]`` reads the path of a file (a line of JSON) and batches
(``torch.save``) from its standard input and writes the outputs to its standard output. It needs
PyTorch alone, and for a project what that says that it needs.
"""

import hashlib
import importlib
import importlib.util
import io
import json
import os
import sys
import tempfile
import types
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import torch
from torch import Tensor

Model = Callable[..., Tensor | tuple[Tensor, ...]]


def load_program(file: str, _folder: str) -> Model:
    """Return the model of a ``.pt2`` file."""
    with Path(file).open("rb") as stream:
        return torch.export.load(stream).module()


def load_torchscript(file: str, _folder: str) -> Model:
    """Return the model of a TorchScript file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return torch.jit.load(file, map_location="cpu")


def load_project(file: str, folder: str) -> Model:
    """Return the model of a project, which is unpacked into a folder."""
    return _loaded(_imported(_unpacked(file, folder, "*/*/__init__.py")))


def load_service(file: str, folder: str) -> Model:
    """Return the model of a prediction service, which is unpacked into a folder."""
    module = _imported(_unpacked(file, folder, "*/model.py"))
    model = module.load_model()
    return lambda *inputs: module.compute(model, inputs)


def load_huggingface(file: str, folder: str) -> Model:
    """Return the model of a folder of Hugging Face, which is unpacked into a folder."""
    return _loaded(_imported(_unpacked(file, folder, "*/modeling.py")))


def load_notebook(file: str, folder: str) -> Model:
    """Return the model that the definitions of a notebook load, in the folder of its files."""
    os.chdir(folder)
    cells = json.loads(Path(file).read_text(encoding="utf-8"))["cells"]
    tagged = [cell for cell in cells if "definitions" in cell["metadata"].get("tags", ())]
    code = "\n\n".join("".join(cell["source"]) for cell in tagged)
    script = Path(folder) / "notebook_definitions.py"
    script.write_text(code, encoding="utf-8")
    return _loaded(_imported(script))


def load_lightning(file: str, folder: str) -> Model:
    """Return the module of a file for Lightning, in the folder of its files. Where Lightning is not
    installed, a module of PyTorch stands for its own.
    """
    if importlib.util.find_spec("lightning") is None:
        sys.modules["lightning"] = stand_in = types.ModuleType("lightning")
        vars(stand_in)["LightningModule"] = torch.nn.Module
    script = Path(folder) / "lightning_definitions.py"
    script.write_bytes(Path(file).read_bytes())
    return _loaded(_imported(script), "load_module")


def load_bundle(file: str, folder: str) -> Model:
    """Return the model of a bundle with its weights, once its checksums were found right."""
    from safetensors.torch import load_file

    sums = _unpacked(file, folder, "*/SHA256SUMS")
    for line in sums.read_text(encoding="utf-8").splitlines():
        wanted, place = line.split("  ", 1)
        if hashlib.sha256((sums.parent / place).read_bytes()).hexdigest() != wanted:
            sys.exit(f"{place} has another checksum.")
    (found,) = sums.parent.glob("code/*/__init__.py")
    model = _loaded(_imported(found))
    model.load_state_dict(load_file(sums.parent / "model.safetensors"))
    return model


def load_compiled(file: str, _folder: str) -> Model:
    """Return the model of a package of AOTInductor."""
    return importlib.import_module("torch._inductor").aoti_load_package(file)


def load_pickle(file: str, folder: str) -> Model:
    """Return the model of a pickle, whose class is in a file of the folder."""
    sys.dont_write_bytecode = True
    sys.path.insert(0, folder)
    return torch.load(file, weights_only=False)


def _unpacked(file: str, folder: str, pattern: str) -> Path:
    """Return the only file of a pattern in an archive, which is unpacked into a folder."""
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    (found,) = Path(folder).glob(pattern)
    return found


def _imported(script: Path) -> types.ModuleType:
    """Return the module of a Python file, or the package of an ``__init__.py``."""
    place = script.parent if script.stem == "__init__" else script
    sys.dont_write_bytecode = True
    sys.path.insert(0, str(place.parent))
    return importlib.import_module(place.stem)


def _loaded(module: types.ModuleType, start: str = "load_model") -> torch.nn.Module:
    """Return what the function of a module gives whose name starts so; it has a number behind it
    where a layer of the user is called so.
    """
    return getattr(module, next(name for name in vars(module) if name.startswith(start)))()


LOADERS = {
    "program": load_program,
    "torchscript": load_torchscript,
    "project": load_project,
    "pickle": load_pickle,
    "huggingface": load_huggingface,
    "service": load_service,
    "notebook": load_notebook,
    "lightning": load_lightning,
    "bundle": load_bundle,
    "compiled": load_compiled,
}


def load_libraries() -> None:
    """Load what ``torch.export`` loads first when it is used, some seconds."""
    stream = io.BytesIO()
    program = torch.export.export(torch.nn.Identity(), (torch.zeros(1),))
    torch.export.save(program, stream)
    stream.seek(0)
    torch.export.load(stream)


def main(seed: int, kind: str, beside: str = "") -> None:
    """Answer with a tuple of outputs for each batch; ``beside`` is the folder of what lies beside
    the file.
    """
    if kind == "program":
        load_libraries()
    line = sys.stdin.buffer.readline()
    if not line:  # nobody asks any more
        return
    batches = torch.load(io.BytesIO(sys.stdin.buffer.read()), weights_only=True)
    found: list[tuple[Tensor, ...]] = []
    with tempfile.TemporaryDirectory() as folder, torch.no_grad():
        model = LOADERS[kind](json.loads(line), beside or folder)
        for inputs in batches:
            torch.manual_seed(seed)
            outputs = model(*inputs)
            found.append(outputs if isinstance(outputs, tuple) else (outputs,))
    answer = io.BytesIO()
    torch.save(found, answer)
    sys.stdout.buffer.write(answer.getvalue())


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
