"""The losses of torch.nn, with what each expects at its inputs."""

from typing import Any

from torch import nn

from engine.catalog.spec import Entry, EntryGroup, ParamKind, PortContent, PortSpec
from engine.spec.output import MODEL_OUTPUT
from tools.catalog.docstring import markdown, summary
from tools.catalog.introspect import params_of
from tools.catalog.layer_overlay import NOT_OFFERED

C = PortContent
Ports = tuple[tuple[str, PortContent], ...]
_REGRESSION: Ports = (("input", C.VALUES), ("target", C.SAME_AS_INPUT))
_TRIPLET: Ports = (
    ("anchor", C.EMBEDDING),
    ("positive", C.EMBEDDING),
    ("negative", C.EMBEDDING),
)
PORTS: dict[str, tuple[str, Ports, tuple[str, ...]]] = {
    "CrossEntropyLoss": (
        "Classification",
        (("input", C.LOGITS), ("target", C.CLASS_INDEX_OR_PROBABILITIES)),
        ("classification",),
    ),
    "NLLLoss": (
        "Classification",
        (("input", C.LOG_PROBABILITIES), ("target", C.CLASS_INDEX)),
        ("classification",),
    ),
    "BCEWithLogitsLoss": (
        "Classification",
        (("input", C.BINARY_LOGITS), ("target", C.BINARY_SAME)),
        ("binary", "multilabel"),
    ),
    "BCELoss": (
        "Classification",
        (("input", C.PROBABILITIES), ("target", C.BINARY_SAME)),
        ("binary", "multilabel"),
    ),
    "MultiMarginLoss": (
        "Classification",
        (("input", C.LOGITS), ("target", C.CLASS_INDEX)),
        ("classification",),
    ),
    "MultiLabelMarginLoss": (
        "Classification",
        (("input", C.LOGITS), ("target", C.CLASS_INDICES)),
        ("multilabel",),
    ),
    "MultiLabelSoftMarginLoss": (
        "Classification",
        (("input", C.BINARY_LOGITS), ("target", C.BINARY_SAME)),
        ("multilabel",),
    ),
    "SoftMarginLoss": (
        "Classification",
        (("input", C.BINARY_LOGITS), ("target", C.SIGN)),
        ("binary",),
    ),
    "MSELoss": ("Regression", _REGRESSION, ("regression", "reconstruction")),
    "L1Loss": ("Regression", _REGRESSION, ("regression", "reconstruction")),
    "SmoothL1Loss": ("Regression", _REGRESSION, ("regression",)),
    "HuberLoss": ("Regression", _REGRESSION, ("regression",)),
    "PoissonNLLLoss": (
        "Regression",
        (("log_input", C.VALUES), ("target", C.SAME_AS_INPUT)),
        ("regression",),
    ),
    "GaussianNLLLoss": (
        "Regression",
        (("input", C.VALUES), ("target", C.SAME_AS_INPUT), ("var", C.POSITIVE)),
        ("regression",),
    ),
    "KLDivLoss": (
        "Distribution",
        (("input", C.LOG_PROBABILITIES), ("target", C.BINARY_SAME)),
        ("distribution",),
    ),
    "CTCLoss": (
        "Sequence",
        (
            ("log_probs", C.LOG_PROBABILITIES),
            ("targets", C.CLASS_INDICES),
            ("input_lengths", C.LENGTHS),
            ("target_lengths", C.LENGTHS),
        ),
        ("sequence",),
    ),
    "MarginRankingLoss": (
        "Similarity",
        (("input1", C.VALUES), ("input2", C.SAME_AS_INPUT), ("target", C.SIGN)),
        ("ranking",),
    ),
    "HingeEmbeddingLoss": (
        "Similarity",
        (("input", C.VALUES), ("target", C.SIGN)),
        ("embedding",),
    ),
    "CosineEmbeddingLoss": (
        "Similarity",
        (("input1", C.EMBEDDING), ("input2", C.EMBEDDING), ("target", C.SIGN)),
        ("embedding",),
    ),
    "TripletMarginLoss": ("Similarity", _TRIPLET, ("embedding",)),
    "TripletMarginWithDistanceLoss": ("Similarity", _TRIPLET, ("embedding",)),
}
ALIASES = {
    "CrossEntropyLoss": ("ce", "softmax", "classification"),
    "MSELoss": ("l2", "squared error", "least squares"),
    "L1Loss": ("mae", "absolute error"),
    "BCEWithLogitsLoss": ("binary cross entropy", "sigmoid"),
    "BCELoss": ("binary cross entropy",),
    "NLLLoss": ("negative log likelihood",),
    "KLDivLoss": ("kullback leibler", "divergence"),
}
OVERLAY: dict[str, dict[str, Any]] = {
    "reduction": {
        "kind": ParamKind.CHOICE,
        "choices": ("mean", "sum"),
        "help": (
            "How the losses of the elements are reduced to one number: their mean or their sum."
        ),
    },
    "pos_weight": {
        "minimum": 0.0,
        "maximum": 1e9,
        "help": "The weight of positive examples, one number per class.",
    },
    "weight": {"help": "The weight of each class, one number per class. None: equal weights."},
    "blank": {"minimum": 0, "maximum": 1_000_000},
}
BY_CLASS: dict[str, dict[str, dict[str, Any]]] = {
    "KLDivLoss": {
        "reduction": {"choices": ("mean", "batchmean", "sum"), "suggested": "batchmean"},
    },
    "MultiMarginLoss": {"p": {"minimum": 1, "maximum": 2}},
    "TripletMarginLoss": {
        "p": {"minimum": 0.0, "exclusive_minimum": True, "maximum": 1000.0},
        "margin": {
            "minimum": 0.0,
            "exclusive_minimum": True,
            "help": "How much farther from the anchor the negative must be than the positive.",
        },
    },
    "TripletMarginWithDistanceLoss": {"margin": {"minimum": 0.0, "exclusive_minimum": True}},
    "CosineEmbeddingLoss": {"margin": {"minimum": -1.0, "maximum": 1.0}},
    "HuberLoss": {"delta": {"exclusive_minimum": True}},
    "GaussianNLLLoss": {"eps": {"exclusive_minimum": True}},
    "PoissonNLLLoss": {"eps": {"exclusive_minimum": True}},
    "BCELoss": {"weight": {"help": "The weight of each element of the target."}},
    "BCEWithLogitsLoss": {"weight": {"help": "The weight of each element of the target."}},
}

_MODEL_OUTPUT = Entry(
    key=MODEL_OUTPUT,
    group=EntryGroup.LOSS,
    category="Computed by the model",
    label="Output of the model",
    target="",
    summary="An output of the model that is a loss already, minimized as it is.",
    doc="""An output of the model that is a loss already.

Some models compute what is to be minimized themselves: the divergence of a variational autoencoder,
an auxiliary loss in the middle, the losses of Faster R-CNN. Lead it to an Output and choose that
output here; `weight` is what it is multiplied by.

An output of one number is taken as it is, one of several by its mean. To be maximized, give it a
negative weight.
""",
    inputs=(PortSpec(name="input", content=C.VALUES),),
    outputs=(PortSpec(name="loss"),),
    aliases=("own loss", "auxiliary loss", "kl divergence", "elbo", "identity", "model output"),
    tasks=("regression", "classification", "binary", "reconstruction"),
)


def loss_names() -> list[str]:
    """Return the losses that torch.nn exports."""
    return [name for name in dir(nn) if name.endswith("Loss")]


def loss_entries() -> list[Entry]:
    """Return the losses, those for common tasks first."""
    unknown = set(loss_names()) - set(PORTS) - set(NOT_OFFERED)
    if unknown:
        raise LookupError(f"Losses without a description of their inputs: {sorted(unknown)}")
    return [*(_entry(name) for name in PORTS), _MODEL_OUTPUT]


def _entry(name: str) -> Entry:
    owner = getattr(nn, name)
    category, ports, tasks = PORTS[name]
    own = BY_CLASS.get(name, {})
    overlay = {key: OVERLAY.get(key, {}) | own.get(key, {}) for key in OVERLAY | own}
    return Entry(
        key=name,
        group=EntryGroup.LOSS,
        category=category,
        label=name,
        target=f"nn.{name}",
        summary=summary(owner.__doc__ or ""),
        doc=markdown(owner.__doc__ or ""),
        params=params_of(owner, overlay, 0, ("distance_function",)),
        inputs=tuple(PortSpec(name=port, content=content) for port, content in ports),
        outputs=(PortSpec(name="loss"),),
        aliases=ALIASES.get(name, ()),
        tasks=tasks,
    )
