"""Python file with the class of a model and a function that loads its weights."""

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from engine.catalog.code.merge import Import, import_lines, merge_files
from engine.custom.source_module import load_source
from engine.data.load.normalization import Scaling
from engine.diagnostics import DiagnosticError
from engine.export.job import ExportJob
from engine.export.name_text import name_text
from engine.export.prepare_text import prepare_text
from engine.export.state_dict import write_state_dict
from engine.export.token_text import example_text, token_text
from engine.export.tokenizer_file import tokenizer_names
from engine.export.verify import require_equal
from engine.files import atomic_write
from engine.graph.model import Node
from engine.graph.naming import free_name
from engine.spec.choice import NO_CODE
from engine.train.precision import is_double

_HEAD = '''\
"""A model trained with Trellis ({title}). Requires only {needs}.

Call ``{load_model}()`` to load it. Run this file to check the shapes and dtypes of its outputs.
"""
'''
_LOADING = '''
{WEIGHTS} = Path(__file__).with_name({weights})


def {load_model}(weights={WEIGHTS}):
    """Return the trained model in evaluation mode, on the CPU."""
    model = {model}(){widened}
    model.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True))
    return model.eval()
'''
_SCALING = '''
{SCALINGS} = {scalings}


def {scale}(*inputs):
    """Return the inputs normalized as in training: ``(x - shift) / scale``."""
    return tuple(
        x if s is None else (x - torch.tensor(s[0])) / torch.tensor(s[1])
        for x, s in zip(inputs, {SCALINGS}, strict=True)
    )
'''
_MAIN = """
if __name__ == "__main__":
    with torch.no_grad():
        outputs = {load_model}()({inputs})
    for output in outputs if isinstance(outputs, tuple) else (outputs,):
        print(tuple(output.shape), output.dtype)
"""
_NAMES = (
    "load_model",
    "scale",
    "encode",
    "decode",
    "tokenizer",
    "WEIGHTS",
    "SCALINGS",
    "TRANSFORMS",
    "prepare",
    "VOCABULARIES",
    "CLASSES",
    "COLUMNS",
    "CATEGORIES",
    "TrainableModel",
)
_MODULE = "model.py"
_PATH = Import("pathlib", "Path", "")
_TORCH = Import("torch", "", "")


def write_python(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights and then the file that loads them, each compared before it takes its place.

    Returns the files and the largest difference. Raises :class:`DiagnosticError`: X011 when the
    weights would stand in the place of the Python file.
    """
    return write_text(job, output, source_text(job, output.with_suffix(".pt").name))


def write_text(job: ExportJob, output: Path, text: str) -> tuple[tuple[Path, ...], float]:
    """Write the weights and then a text that loads them, as :func:`write_python` does."""
    weights = output.with_suffix(".pt")
    if weights == output:
        raise DiagnosticError.of("X011", file=output.name)
    _, difference = write_state_dict(job, weights)

    source = SourceParts(job.source)

    def verify(file: Path) -> None:
        module = load_source(file.read_text(encoding="utf-8"))
        load_model: Callable[[Path], nn.Module] = getattr(module, source.names["load_model"])
        require_equal(job.module, load_model(weights), job.random_batches(), output.name)

    atomic_write(output, text.encode(), verify)
    return (output, weights), difference


class SourceParts:
    """The generated source in parts: its imports, the rest, the name of the model's class, and
    names for what the file adds that mean nothing else in it.

    ``own`` are files of own code that the model does not need, in an order in which they can be
    written; their names stay as they are. Raises :class:`DiagnosticError` where they clash with
    those of the model (U005, U006).
    """

    def __init__(self, source: str, own: Mapping[str, str] = NO_CODE) -> None:
        model = merge_files({_MODULE: source}, (_MODULE,))
        merged = merge_files({**own, _MODULE: source}, (_MODULE, *own)) if own else model
        if merged.problems:
            raise DiagnosticError(*merged.problems)
        self.imports = list(merged.imports.values())
        self.future = merged.future
        self.text = "\n".join(line.text for line in merged.lines)
        self.model = list(model.defined)[-1]
        self._taken = {*merged.defined, *merged.imports}
        self.names = {name: free_name(name, self._taken) for name in _NAMES}

    def imported(self, module: str, name: str) -> str:
        """Return what a name of a module is called here; it is imported where it is not yet."""
        for item in self.imports:
            if item.meaning == f"{module}.{name}":
                return item.bound
        bound = free_name(name, self._taken)
        self.imports.append(Import(module, name, "" if bound == name else bound))
        return bound

    def head(self) -> str:
        """Return the import statements with those that the file needs itself."""
        bound = {item.bound for item in self.imports}
        more = [item for item in (_PATH, _TORCH) if item.bound not in bound]
        return "\n".join(import_lines([*self.imports, *more]))

    def needs(self) -> str:
        """Return what has to be installed, in words."""
        found = {item.module.partition(".")[0] for item in self.imports}
        others = sorted(found - {"torch"} - set(sys.stdlib_module_names))
        return ", ".join(["PyTorch", *others])


def source_text(
    job: ExportJob,
    weights: str,
    extend: Callable[[SourceParts], str] | None = None,
    own: Mapping[str, str] = NO_CODE,
) -> str:
    """Return the text of the file; it needs nothing but PyTorch, what own code imports, and
    torchvision where images are transformed.

    ``extend`` gives a class ``TrainableModel`` upon that of the model, which is loaded instead;
    ``own`` are the files of own code that it needs and the model does not.
    """
    source = SourceParts(job.source, own)
    title = "".join(sign if sign.isprintable() and sign not in '"\\' else " " for sign in job.title)
    loaded = source.model if extend is None else source.names["TrainableModel"]
    extension = [] if extend is None else [extend(source)]
    words = {**source.names, "model": loaded, "title": title, "needs": source.needs()}
    is_wide = is_double(job.spec.compute)
    words["widened"] = ".double()" if is_wide and extend is None else ""
    future = [f"from __future__ import {', '.join(source.future)}\n"] if source.future else []
    modules = ("v2", "tv_tensors")
    if job.transforms:
        v2 = source.imported("torchvision.transforms", "v2")
        modules = (v2, source.imported("torchvision", "tv_tensors"))
        words["needs"] = source.needs()
    sentences: list[str] = []
    if job.sentences:
        files = tokenizer_names(job.tokenizers, weights)
        sentences = [token_text(job.sentences, files, source.names, source.imported)]
        words["needs"] = source.needs()
    parts = [
        _HEAD.format(**words),
        *future,
        source.head() + "\n",
        "\n" + source.text + "\n",
        _LOADING.format(weights=json.dumps(weights), **words),
        *sentences,
    ]
    if job.named:
        parts.append(name_text(job.named, source.names) + "\n")
    if job.transforms:
        parts.append(prepare_text(job.transforms, source.names, *modules))
    if any(job.scalings):
        parts.append(_SCALING.format(scalings=_scalings_text(job.scalings), **words))
    parts += extension
    examples = _examples(job, source)
    scale = source.names["scale"]
    inputs = f"*{scale}({examples})" if any(job.scalings) else examples
    parts.append(_MAIN.format(inputs=inputs, **words))
    return "\n".join(parts)


def _examples(job: ExportJob, source: SourceParts) -> str:
    is_wide, encode = is_double(job.spec.compute), source.names["encode"]
    nodes = [node for node in job.graph.nodes.values() if node.type == "Input"]
    known = {field.name: example_text(field, encode) for field in job.sentences}
    return ", ".join(
        known.get(str(node.params.get("field", ""))) or _example(node, is_wide=is_wide)
        for node in nodes
    )


def _example(node: Node, *, is_wide: bool) -> str:
    given = node.params.get("shape")
    axes = given if isinstance(given, tuple) else ()
    shape = [1, *(max(int(axis), 0) for axis in axes)]  # none of what there is any number of
    sizes = ", ".join(map(str, shape))
    dtype = str(node.params.get("dtype", "float32"))
    wide = "float64" if is_wide and "float" in dtype else dtype
    return f"torch.zeros({sizes}, dtype=torch.{wide})"


def _scalings_text(scalings: tuple[Scaling | None, ...]) -> str:
    return "(" + "".join(f"\n    {_pair_text(pair)}," for pair in scalings) + "\n)"


def _pair_text(pair: Scaling | None) -> str:
    if pair is None:
        return "None"
    return f"({_numbers(pair.shift)}, {_numbers(pair.scale)})"


def _numbers(values: Tensor) -> str:
    return json.dumps(values.to(torch.float32).tolist())
