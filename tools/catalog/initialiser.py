"""The functions of torch.nn.init, and the beginning from a file."""

from typing import Any

from torch import nn

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec
from tools.catalog.docstring import markdown
from tools.catalog.introspect import params_of

_ANY = 1e6
_SPREAD = {"minimum": 0.0, "maximum": _ANY}
_PLACE = {"minimum": -_ANY, "maximum": _ANY}
_MATRICES = (2, 3, 4, 5)
ACTIVATIONS = ("linear", "sigmoid", "tanh", "relu", "leaky_relu", "selu")
SUMMARIES = {
    "kaiming_normal_": "Normal distribution that preserves the variance through layers "
    "with ReLU (He).",
    "kaiming_uniform_": "Uniform distribution that preserves the variance through layers "
    "with ReLU (He).",
    "xavier_normal_": (
        "Normal distribution that preserves the variance through layers with tanh or sigmoid "
        "(Glorot)."
    ),
    "xavier_uniform_": (
        "Uniform distribution that preserves the variance through layers with tanh or sigmoid "
        "(Glorot)."
    ),
    "normal_": "Normal distribution with a mean and a standard deviation.",
    "trunc_normal_": "Normal distribution truncated to two bounds.",
    "uniform_": "Uniform distribution between two bounds.",
    "constant_": "A constant value.",
    "zeros_": "Zeros.",
    "ones_": "Ones.",
    "orthogonal_": "A random orthogonal matrix, which preserves norms. For deep and "
    "recurrent networks.",
    "eye_": "The identity matrix: outputs equal inputs.",
    "dirac_": "An identity convolution: every channel is passed through unchanged.",
    "sparse_": "Normal distribution with a fraction of zeros in every column.",
}
OVERLAY: dict[str, dict[str, dict[str, Any]]] = {
    "normal_": {"mean": _PLACE, "std": _SPREAD},
    "trunc_normal_": {"mean": _PLACE, "std": _SPREAD, "a": _PLACE, "b": _PLACE},
    "uniform_": {"a": _PLACE, "b": _PLACE},
    "constant_": {"val": {**_PLACE, "suggested": 0.1}},
    "sparse_": {
        "sparsity": {
            "minimum": 0.0, "maximum": 1.0, "exclusive_maximum": True, "suggested": 0.9,
            "help": "The fraction of zeros in each column.",
        },
        "std": _SPREAD,
    },
    "dirac_": {"groups": {"minimum": 1, "maximum": 1_000_000}},
    **{
        name: {
            "a": {
                **_PLACE,
                "label": "Slope below zero",
                "help": "The slope of the rectifier below zero; only used with leaky_relu.",
            },
            "mode": {"kind": ParamKind.CHOICE, "choices": ("fan_in", "fan_out")},
            "nonlinearity": {
                "kind": ParamKind.CHOICE,
                "choices": ("relu", "leaky_relu", "linear", "sigmoid", "tanh", "selu"),
                "help": "The activation after the layer. PyTorch's default is leaky_relu; "
                        "relu is the most common.",
                "suggested": "relu",
            },
        }
        for name in ("kaiming_normal_", "kaiming_uniform_")
    },
    **{
        name: {"gain": {"minimum": -_ANY, "maximum": _ANY}}
        for name in ("xavier_normal_", "xavier_uniform_", "orthogonal_")
    },
}  # fmt: skip
HELP = {
    "mean": "The mean.",
    "std": "The standard deviation.",
    "a": "The lower bound.",
    "b": "The upper bound.",
    "val": "The value.",
    "gain": "A factor for all values.",
    "mode": "fan_in preserves the variance in the forward pass, fan_out in the backward pass.",
    "groups": "The number of groups of the convolution.",
}
LABELS = {"std": "Deviation", "a": "Lower bound", "b": "Upper bound", "val": "Number"}
RANKS = {
    **dict.fromkeys(("kaiming_normal_", "kaiming_uniform_"), _MATRICES),
    **dict.fromkeys(("xavier_normal_", "xavier_uniform_", "orthogonal_"), _MATRICES),
    "eye_": (2,),
    "sparse_": (2,),
    "dirac_": (3, 4, 5),
}
ACTIVATION = ParamSpec(
    name="activation",
    kind=ParamKind.CHOICE,
    choices=ACTIVATIONS,
    optional=True,
    help="The activation after the layer. Uses nn.init.calculate_gain for the factor "
    "instead of “gain”.",
)
FILE = Entry(
    key="file",
    group=EntryGroup.INITIALISER,
    category="Initializer",
    label="From a file",
    summary="The values of a tensor in a file of the project.",
    doc="The weights are copied from a tensor in a file before the first step of a new run. The "
    "file lies in the folder of the project and is given relative to it. It can be a `.safetensors`"
    " file, a `.npy` array of NumPy, or a `.pt` file with tensors; no code in a file is ever run. "
    "The tensor has to have the shape of the weights.",
    params=(
        ParamSpec(
            name="file",
            kind=ParamKind.STR,
            required=True,
            suggested="weights/start.npy",
            help="The path of the file relative to the project folder, such as weights/edges.npy.",
        ),
        ParamSpec(
            name="tensor",
            kind=ParamKind.STR,
            default="",
            help="The name of the tensor in the file. Leave empty if the file contains only one.",
        ),
    ),
)


def initialiser_names() -> list[str]:
    """Return the functions of torch.nn.init that fill a tensor."""
    return [name for name in dir(nn.init) if name.endswith("_") and not name.startswith("_")]


def initialiser_entries() -> list[Entry]:
    """Return all ways in which a parameter can begin, the usual ones first."""
    unknown = set(initialiser_names()) ^ set(SUMMARIES)
    if unknown:
        raise LookupError(f"Initializers that are not described, or gone: {sorted(unknown)}")
    return [*(_entry(name) for name in SUMMARIES), FILE]


def _entry(name: str) -> Entry:
    function = getattr(nn.init, name)
    own = OVERLAY.get(name, {})
    texts = {key: {"help": text, "label": LABELS.get(key, "")} for key, text in HELP.items()}
    overlay = {key: texts.get(key, {}) | own.get(key, {}) for key in texts | own}
    params = params_of(function, overlay, hidden=("tensor", "generator"))
    is_scaled = any(param.name == "gain" for param in params)
    return Entry(
        key=name,
        group=EntryGroup.INITIALISER,
        category="Initializer",
        label=name,
        target=f"nn.init.{name}",
        summary=SUMMARIES[name],
        doc=markdown(function.__doc__ or ""),
        params=(*params, ACTIVATION) if is_scaled else params,
        positional=tuple(param.name for param in params if param.required),
        ranks=RANKS.get(name, ()),
    )
