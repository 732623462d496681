"""Listing of a model: ``print(model)``, ``named_parameters()``, initial values of its weights."""

import math
from pathlib import Path

import torch
from msgspec.structs import replace
from torch import Tensor, nn

from engine.archive.weights import start_from
from engine.diagnostics import DiagnosticError
from engine.files import confined
from engine.graph.model import Graph
from engine.graph.module_name import module_name
from engine.graph.node_state.bypass import active
from engine.graph.node_state.initialization import (
    fills_in_model,
    initial_text,
    initials_in_model,
    is_meant,
)
from engine.model.module import to_module
from engine.query.listing.request import (
    Initial,
    ListModel,
    ModelListing,
    ModuleEntry,
    PreviewWeights,
    WeightEntry,
    WeightPreview,
    WeightValues,
)
from engine.train.tensor_file import start_from_files

_FAN_IN = (
    nn.Linear,
    nn.Conv1d,
    nn.Conv2d,
    nn.Conv3d,
    nn.ConvTranspose1d,
    nn.ConvTranspose2d,
    nn.ConvTranspose3d,
)
_NORM = (
    nn.BatchNorm1d,
    nn.BatchNorm2d,
    nn.BatchNorm3d,
    nn.SyncBatchNorm,
    nn.GroupNorm,
    nn.LayerNorm,
    nn.InstanceNorm1d,
    nn.InstanceNorm2d,
    nn.InstanceNorm3d,
    nn.RMSNorm,
)
_RECURRENT = (nn.RNN, nn.LSTM, nn.GRU, nn.RNNCell, nn.LSTMCell, nn.GRUCell)
_BINS = 40
_MOST_ELEMENTS = 20_000_000  # of a parameter that are looked at


def list_model(request: ListModel) -> ModelListing:
    """Return the text and the weights of a model; no memory is taken for the weights.

    Raises :class:`engine.diagnostics.DiagnosticError` when the graph cannot be written as a class.
    """
    with torch.device("meta"):
        model = to_module(request.graph)
    chosen = _chosen(request.graph, model)
    weights: list[WeightEntry] = []
    for prefix, module in model.named_modules():
        for parameter_name, tensor in module.named_parameters(prefix="", recurse=False):
            weights.append(
                _entry(
                    _join(prefix, parameter_name), tensor, *_initial(module, parameter_name, tensor)
                )
            )
        kept = module.state_dict().keys()
        for parameter_name, tensor in module.named_buffers(prefix="", recurse=False):
            if parameter_name in kept:
                weights.append(
                    _entry(
                        _join(prefix, parameter_name),
                        tensor,
                        *_buffer(parameter_name),
                        is_buffer=True,
                    )
                )
    return ModelListing(
        text=str(model),
        weights=tuple(
            replace(entry, chosen=chosen[entry.name]) if entry.name in chosen else entry
            for entry in weights
        ),
        modules=tuple(_module(name, module) for name, module in model.named_modules()),
    )


def _chosen(graph: Graph, model: nn.Module) -> dict[str, str]:
    """Return how parameters and tensors begin by the choice of the user, by their names."""
    modules, written = dict(model.named_modules()), active(graph)
    return dict(fills_in_model(written)) | {
        f"{name}.{parameter_name}": initial_text(initial)
        for name, weight, initial in initials_in_model(written)
        if name in modules
        for parameter_name, tensor in modules[name].named_parameters()
        if is_meant(weight, parameter_name, tensor.dim())
    }


def _module(name: str, module: nn.Module) -> ModuleEntry:
    inside = vars(module)
    hooks = [
        f"{key}: {len(value)}" for key, value in inside.items() if key.endswith("_hooks") and value
    ]
    return ModuleEntry(
        name=name,
        type=type(module).__name__,
        parameters=tuple(key for key, value in inside["_parameters"].items() if value is not None),
        buffers=tuple(key for key, value in inside["_buffers"].items() if value is not None),
        modules=tuple(inside["_modules"]),
        not_saved=tuple(sorted(inside["_non_persistent_buffers_set"])),
        hooks=tuple(hooks),
    )


def _join(prefix: str, name: str) -> str:
    return f"{prefix}.{name}" if prefix else name


def _entry(
    name: str, tensor: Tensor, initial: Initial, spread: float, *, is_buffer: bool = False
) -> WeightEntry:
    return WeightEntry(
        name=name,
        shape=tuple(tensor.shape),
        numel=tensor.numel(),
        dtype=str(tensor.dtype).removeprefix("torch."),
        is_buffer=is_buffer,
        initial=initial,
        spread=spread,
    )


def _buffer(name: str) -> tuple[Initial, float]:
    initials: dict[str, Initial] = {
        "running_mean": "zeros",
        "running_var": "ones",
        "num_batches_tracked": "zeros",
    }
    return initials.get(name, "unknown"), 0.0


def _initial(module: nn.Module, name: str, tensor: Tensor) -> tuple[Initial, float]:
    """Return how PyTorch fills a parameter of a layer that was just made."""
    initial: tuple[Initial, float] = ("unknown", 0.0)
    if isinstance(module, _NORM):
        initial = ("ones" if name == "weight" else "zeros"), 0.0
    elif isinstance(module, nn.MultiheadAttention):
        initial = _attention(name, tensor)
    elif isinstance(module, _FAN_IN):
        is_projection = type(module).__name__ == "NonDynamicallyQuantizableLinear"
        is_zero = is_projection and name == "bias"  # the one inside of an attention
        initial = ("zeros", 0.0) if is_zero else ("uniform", _bound(module.weight))
    elif isinstance(module, nn.Bilinear):
        initial = "uniform", 1 / math.sqrt(max(module.in1_features, 1))
    elif isinstance(module, nn.Embedding | nn.EmbeddingBag):
        initial = "normal", 1.0
    elif isinstance(module, _RECURRENT):
        initial = "uniform", 1 / math.sqrt(max(int(module.hidden_size), 1))
    elif isinstance(module, nn.PReLU):
        initial = "constant", 0.25
    return initial


def _attention(name: str, tensor: Tensor) -> tuple[Initial, float]:
    if name == "in_proj_bias":
        return "zeros", 0.0
    if name in ("bias_k", "bias_v"):
        return "normal", 1 / math.sqrt(max(tensor.numel(), 1))
    return "xavier", math.sqrt(6 / max(sum(tensor.shape[:2]), 1))


def _bound(weight: Tensor) -> float:
    """Return the bound of Kaiming's uniform filling with a = √5: one over the root of fan-in."""
    fan_in = weight[0].numel() if weight.dim() > 1 and len(weight) else 0
    return 1 / math.sqrt(fan_in) if fan_in else 0.0


def preview_weights(request: PreviewWeights) -> WeightPreview:
    """Return what the parameters of a layer begin with; of a repeated one its first.

    Raises :class:`DiagnosticError` when the model cannot be made or a file cannot be read.
    """
    folder = Path(request.project)
    model = _initialized(request.graph, request.seed, folder)
    if request.weights:
        start_from(model, confined(folder, request.weights), request.renamed)
    try:
        module = model.get_submodule(module_name(request.graph, request.place))
    except AttributeError as error:  # it leads to no output, or is no module
        raise DiagnosticError.of("R145", place=request.place) from error
    return WeightPreview(
        weights=tuple(_values(name, value) for name, value in module.named_parameters())
    )


def _initialized(graph: Graph, seed: int, project: Path) -> nn.Module:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = to_module(graph)
        start_from_files(model, graph, project)
    return model


def _values(name: str, parameter: Tensor) -> WeightValues:
    values = parameter.detach().flatten()[:_MOST_ELEMENTS].double()
    finite = values[torch.isfinite(values)]
    if not finite.numel():
        return WeightValues(
            name=name,
            shape=tuple(parameter.shape),
            mean=0.0,
            std=0.0,
            minimum=0.0,
            maximum=0.0,
            counts=(),
        )
    low, high = float(finite.min()), float(finite.max())
    counts = torch.histc(finite, _BINS, low, high) if high > low else torch.tensor([len(finite)])
    return WeightValues(
        name=name,
        shape=tuple(parameter.shape),
        mean=float(finite.mean()),
        std=float(finite.std(correction=0)),
        minimum=low,
        maximum=high,
        counts=tuple(int(count) for count in counts.tolist()),
    )
