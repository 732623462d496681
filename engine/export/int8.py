"""Weights of 8 bits (int8) in a safetensors file, and a Python file that loads them."""

import json
from pathlib import Path
from string import Template

import torch
from torch import Tensor

from engine.archive.weights import KEY, PRODUCER, digest, read_safetensors
from engine.diagnostics import DiagnosticError
from engine.export.int8_layer import with_int8
from engine.export.job import ExportJob
from engine.export.library_text import Library
from engine.export.python_file import source_text, write_code
from engine.export.source_parts import SourceParts
from engine.export.verify import largest_difference, require_equal
from engine.files import atomic_write
from engine.spec.group import patterns
from engine.train.precision import is_double
from engine.train.technique.fake_quantization import (
    Layer,
    quantized_layers,
    quantized_weight,
    weight_scales,
)
from engine.train.technique.quantization import fake_quantization, restore, trained_bits

BITS = 8
CODE = ".py"
_LOADING = Template('''
$WEIGHTS = Path(__file__).with_name($weights)


def $load_model(weights=$WEIGHTS):
    """Return the trained model with int8 weights, in evaluation mode, on the CPU."""
    return $with_int8($model()$widened, $load_file(weights)).eval()
''')


def write_int8(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights of linear and convolution layers as int8, with a scale for each output
    channel, and all else as it is; beside it a Python file with the class that computes with them.
    Each takes its place only after it was loaded and computed what it is to, bit for bit.

    A run that trained quantization-aware has the bits, the layers and the ranges of that.

    Returns the files and the largest difference from the outputs of the run. Raises
    :class:`DiagnosticError`: R567 for a model that has no such layer, X011 where both files would
    be one, else as ``write_python``.
    """
    from safetensors.torch import save

    code = output.with_suffix(CODE)
    if code == output:
        raise DiagnosticError.of("R568", file=output.name)
    tensors = int8_tensors(job)
    expected = with_int8(job.empty_module(), tensors).eval()
    metadata = {"format": "pt", "producer": PRODUCER}
    metadata[KEY] = digest(tensors, metadata)

    def verify(file: Path) -> None:
        loaded = with_int8(job.empty_module(), read_safetensors(file)).eval()
        require_equal(expected, loaded, job.random_batches(), output.name)

    load_model = SourceParts(job.source).names["load_model"]
    text = source_text(job, output.name, loading=lambda parts: _loading(job, output.name, parts))
    difference = largest_difference(job.rounded_module(), expected, job.random_batches())
    atomic_write(output, save(tensors, metadata), verify)
    write_code(job, code, text, (load_model, output), expected)
    return (output, code), difference


def int8_tensors(job: ExportJob) -> dict[str, Tensor]:
    """Return all that the file holds by name. Raises :class:`DiagnosticError` R567 for a model
    without a layer that can be stored so.
    """
    chosen, tensors = job.spec.quantization, job.weights()
    layers = quantized_layers(job.module, patterns(chosen.skip) if chosen.bits else ())
    if not layers:
        raise DiagnosticError.of("R567")
    bits = trained_bits(job.quantization, chosen.bits or BITS)
    for name, layer in layers.items():
        scales, whole = whole_weight(layer, bits)
        tensors |= {f"{name}.weight": whole, f"{name}.weight_scale": scales}
    if job.quantization:
        tensors |= _input_ranges(job)
    return tensors


def whole_weight(layer: Layer, bits: int) -> tuple[Tensor, Tensor]:
    """Return the scales of a layer's weight, one an output channel, and its whole numbers."""
    weight = layer.weight.detach()
    scales = weight_scales(weight, bits)
    rounded = quantized_weight(weight, bits).float()
    return scales, (rounded / scales.reshape(-1, *[1] * (weight.dim() - 1))).round().to(torch.int8)


def _input_ranges(job: ExportJob) -> dict[str, Tensor]:
    rounding = fake_quantization(job.spec.quantization, job.empty_module())
    restore(rounding, job.quantization)
    rows = zip(rounding.layers, rounding.known, rounding.scales, rounding.zeros, strict=True)
    tensors: dict[str, Tensor] = {}
    for name, is_known, scale, zero in rows:
        if is_known:
            tensors |= {f"{name}.input_scale": scale.clone()}
            tensors |= {f"{name}.input_zero_point": zero.clone()}
    return tensors


def _loading(job: ExportJob, weights: str, source: SourceParts) -> str:
    """Return the text of what loads the file, with all that it needs."""
    library = Library(source)
    loading = _LOADING.substitute(
        source.names,
        weights=json.dumps(weights),
        model=source.model,
        widened=".double()" if is_double(job.spec.compute) else "",
        with_int8=library.name("engine.export.int8_layer", "with_int8"),
        load_file=source.imported("safetensors.torch", "load_file"),
    )
    return library.text() + loading
