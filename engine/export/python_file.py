"""Python file with the class of a model and a function that loads its weights."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from torch import Tensor, nn

from engine.custom.source_module import load_source
from engine.data.load.normalization import Scaling
from engine.diagnostics import DiagnosticError
from engine.export.custom_transform import require_carried, transform_files
from engine.export.job import ExportJob
from engine.export.library_text import Library
from engine.export.name_text import name_text
from engine.export.prepare_text import prepare_text, with_inner
from engine.export.read_text import read_text
from engine.export.source_parts import SourceParts
from engine.export.state_dict import write_state_dict
from engine.export.token_text import example_text, token_text
from engine.export.tokenizer_file import tokenizer_names
from engine.export.verify import require_equal
from engine.files import atomic_write
from engine.graph.code import needed_files, used_files
from engine.graph.model import Node
from engine.spec.choice import NO_CODE
from engine.spec.data import PIXEL_KINDS
from engine.train.precision import is_double

_HEAD = '''\
"""A model trained with Trellis ({title}). Requires only {needs}.

Call ``{load_model}()`` to load it{called}. Run this file to check the shapes and dtypes of its
outputs.
"""
'''
_LOADING = '''
{WEIGHTS} = Path(__file__).with_name({weights})


def {load_model}(weights={WEIGHTS}):
    """Return the trained model in evaluation mode, on the CPU."""
    model = {model}(){widened}
    model.load_state_dict(torch.load(weights, map_location="cpu", weights_only=True)){restored}
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
if __name__ == "__main__"{unless}:
    with torch.no_grad():
        outputs = {load_model}()({inputs})
    for output in outputs if isinstance(outputs, tuple) else (outputs,):
        print(tuple(output.shape), output.dtype)
"""


def write_python(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights and then the file that loads them, each compared before it takes its place.

    Returns the files and the largest difference. Raises :class:`DiagnosticError`: X011 when the
    weights would stand in the place of the Python file, D545 for a transform that cannot be
    carried.
    """
    return write_text(job, output, carried_text(job, output.with_suffix(".pt").name))


def carried_text(
    job: ExportJob, weights: str, loading: Callable[[SourceParts], str] | None = None
) -> str:
    """Return the text of a file that holds all that reads and prepares samples; ``loading`` is as
    for :func:`source_text`. Raises :class:`DiagnosticError` D545 for a transform that cannot be.
    """
    require_carried((None if job.data is None else job.data.preparation,), (*PIXEL_KINDS, "sound"))
    code, known = job.graph.code, used_files(job.graph)
    files = needed_files(code, transform_files(each.type for each in with_inner(job.transforms)))
    own = {file: code[file] for file in files if file not in known}
    return source_text(job, weights, own=own, loading=loading)


def write_text(
    job: ExportJob, output: Path, text: str, expected: nn.Module | None = None
) -> tuple[tuple[Path, ...], float]:
    """Write the weights and then a text that loads them, as :func:`write_python` does; what it
    loads computes what ``expected`` does, by itself the model with these weights.
    """
    weights = output.with_suffix(".pt")
    if weights == output:
        raise DiagnosticError.of("X011", file=output.name)
    _, difference = write_state_dict(job, weights)

    load_model = SourceParts(job.source).names["load_model"]
    compared = job.module if expected is None else expected
    write_code(job, output, text, (load_model, weights), compared)
    return (output, weights), difference


def write_code(
    job: ExportJob, output: Path, text: str, loaded: tuple[str, Path], expected: nn.Module
) -> None:
    """Write a Python file; it takes its place only after it gave a model that computes what is
    ``expected``. ``loaded`` are the function that does, and the file of weights that it takes.

    Raises :class:`DiagnosticError` X010 for one that computes something else.
    """

    def verify(file: Path) -> None:
        module = load_source(file.read_text(encoding="utf-8"))
        load_model: Callable[[Path], nn.Module] = getattr(module, loaded[0])
        require_equal(expected, load_model(loaded[1]), job.random_batches(), output.name)

    atomic_write(output, text.encode(), verify)


def source_text(
    job: ExportJob,
    weights: str,
    extend: Callable[[SourceParts], str] | None = None,
    own: Mapping[str, str] = NO_CODE,
    run: Callable[[SourceParts, Library], str] | None = None,
    *,
    loading: Callable[[SourceParts], str] | None = None,
) -> str:
    """Return the text of the file; it needs nothing but PyTorch, what own code imports, and
    torchvision where images are transformed.

    ``extend`` gives a class ``TrainableModel`` upon that of the model, which is loaded instead;
    ``own`` are the files of own code that it needs and the model does not. ``run`` gives
    the function ``train``, which the file calls and which says whether it did something;
    ``loading`` gives the function that loads the weights, in place of the usual one.
    """
    source = SourceParts(job.source, own)
    title = "".join(sign if sign.isprintable() and sign not in '"\\' else " " for sign in job.title)
    loaded = source.model if extend is None else source.names["TrainableModel"]
    extension = [] if extend is None else [extend(source)]
    words = {**source.names, "model": loaded, "title": title, "needs": source.needs()}
    is_wide = is_double(job.spec.compute)
    words["restored"] = _restored(source) if extension and job.quantization else ""
    words["widened"] = ".double()" if is_wide and extend is None else ""
    future = [f"from __future__ import {', '.join(source.future)}\n"] if source.future else []
    loaded_by = loading(source) if loading else ""
    library = Library(source)
    reading = reading_text(job, source, weights, library)
    ending = [each for each in (run(source, library) if run else "",) if each]
    carried = [library.text()] if reading or ending else []
    words["needs"], words["called"] = source.needs(), _called(job, source.names)
    parts = [
        _HEAD.format(**words),
        *future,
        source.head() + "\n",
        "\n" + source.text + "\n",
        loaded_by or _LOADING.format(weights=json.dumps(weights), **words),
        *carried,
        *reading,
    ]
    parts += [*scaling_text(job, source), *extension, *ending]
    examples = _examples(job, source.names)
    scale = source.names["scale"]
    inputs = f"*{scale}({examples})" if any(job.scalings) else examples
    unless = f" and not {source.names['train']}()" if ending else ""
    parts.append(_MAIN.format(inputs=inputs, unless=unless, **words))
    return "\n".join(parts)


def _restored(source: SourceParts) -> str:
    """Return the line that gives a model the ranges of its quantization-aware training."""
    return f"\n    model.quantization.restore(**{source.names['RANGES']})"


def scaling_text(job: ExportJob, source: SourceParts) -> list[str]:
    """Return the function that normalizes inputs; nothing where none is."""
    if not any(job.scalings):
        return []
    return [_SCALING.format(scalings=_scalings_text(job.scalings), **source.names)]


def reading_text(job: ExportJob, source: SourceParts, weights: str, library: Library) -> list[str]:
    """Return what makes the inputs of raw samples, and says what their numbers stand for."""
    parts: list[str] = []
    if job.sentences:
        files = tokenizer_names(job.tokenizers, weights)
        parts.append(token_text(job.sentences, files, source.names, source.imported))
    if job.named:
        parts.append(name_text(job.named, source.names) + "\n")
    if job.transforms:
        parts.append(prepare_text(job.transforms, source.names, library))
    if job.readings:
        transformed = [transform.field for transform in job.transforms]
        parts.append(read_text(job.readings, transformed, source.names, library))
    return parts


def _called(job: ExportJob, names: dict[str, str]) -> str:
    """Return how the model is called with a raw sample, in words."""
    if not job.readings:
        return ""
    inputs = f"*{names['read_sample']}(sample).values()"
    scaled = f"*{names['scale']}({inputs})" if any(job.scalings) else inputs
    return f",\nand the model with ``{scaled}`` to apply it to a raw sample"


def example_inputs(job: ExportJob, names: Mapping[str, str]) -> str:
    """Return the expression for a tuple of one sample of zeros, as the model takes it."""
    examples = _examples(job, names)
    return f"{names['scale']}({examples})" if any(job.scalings) else f"({examples},)"


def _examples(job: ExportJob, names: Mapping[str, str]) -> str:
    is_wide, encode = is_double(job.spec.compute), names["encode"]
    nodes = [node for node in job.graph.nodes.values() if node.type == "Input"]
    known = {field.name: example_text(field, encode) for field in job.sentences}
    known |= _padding_examples(job, known)
    return ", ".join(
        known.get(str(node.params.get("field", ""))) or _example(node, is_wide=is_wide)
        for node in nodes
    )


def _padding_examples(job: ExportJob, known: Mapping[str, str]) -> dict[str, str]:
    """Return what tells of the padding of example sentences."""
    fields = {} if job.data is None else job.data.collation.fields
    found: dict[str, str] = {}
    for name, field in fields.items():
        if name in known:
            is_mask = field.info.kind == "padding_mask"
            length = f"{known[name]}.shape[1]"
            found[field.info.name] = (
                f"torch.zeros(1, {length}, dtype=torch.bool)"
                if is_mask
                else f"torch.tensor([{length}])"
            )
    return found


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
