"""Tensors that belong to a model without being a layer: parameters, buffers, constants."""

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec, PortSpec

PARAMETER_DOC = """A tensor that is learned: `nn.Parameter`.

It has no batch axis, is counted with the weights, moves with the model and stands in the
`state_dict` under the name of the node. In `forward` it is read as `self.name`.

Typical uses: a learned scale for each channel, position embeddings, a class token, the weight of a
layer of your own.

With **requires_grad** off it is saved and counted but never changed by the optimizer.

`xavier` and `kaiming` look at the sizes of the first two axes, so they need a shape of two axes or
more.
"""
BUFFER_DOC = """A tensor that belongs to the model but is not learned: `register_buffer`.

It moves with the model to another device and, while **persistent** is on, stands in the
`state_dict` under the name of the node. No gradient reaches it and no optimizer changes it.

Typical uses: masks, position numbers, the mean and standard deviation of the data.
"""
CONSTANT_DOC = """A tensor that is fixed once and for all: given numbers, or random ones of a seed.

It moves with the model but does not stand in the `state_dict`: the same seed makes the same numbers
again wherever the model is built. **Save with model** turns it into a saved buffer.

Typical uses: a random projection that is not trained, the mean of the data, a mask.
"""
MODES = ("fan_in", "fan_out")
GAINS = ("relu", "leaky_relu", "linear", "tanh", "sigmoid", "selu")
LEARNED = (
    "zeros", "ones", "constant", "normal", "uniform", "trunc_normal", "xavier_uniform",
    "xavier_normal", "kaiming_uniform", "kaiming_normal", "orthogonal",
)  # fmt: skip
FIXED = ("zeros", "ones", "constant", "values", "arange", "eye", "uniform", "normal")
ANY = {"minimum": -1e30, "maximum": 1e30}


def tensor_entries() -> list[Entry]:
    """Return what the model holds beside its layers."""
    return [_parameter(), _buffer(), _constant()]


def _parameter() -> Entry:
    return Entry(
        key="Parameter",
        group=EntryGroup.TENSOR,
        category="Tensor",
        label="Parameter",
        target="nn.Parameter",
        summary="A trainable tensor: nn.Parameter.",
        doc=PARAMETER_DOC,
        params=(
            _shape(),
            ParamSpec(
                name="fill",
                kind=ParamKind.CHOICE,
                default="zeros",
                suggested="ones",
                choices=LEARNED,
                help="The initial values.",
            ),
            *_numbers(),
            ParamSpec(
                name="mode",
                when="fill=kaiming_uniform|kaiming_normal",
                kind=ParamKind.CHOICE,
                default="fan_in",
                choices=MODES,
                advanced=True,
                help="For kaiming: preserve the variance in the forward pass (fan_in) or "
                "the backward pass (fan_out).",
            ),
            ParamSpec(
                name="nonlinearity",
                when="fill=kaiming_uniform|kaiming_normal",
                kind=ParamKind.CHOICE,
                default="relu",
                choices=GAINS,
                advanced=True,
                help="For kaiming: the activation after it.",
            ),
            ParamSpec(
                name="requires_grad",
                kind=ParamKind.BOOL,
                default=True,
                help="Off: the tensor is saved with the weights but not trained.",
            ),
        ),
        outputs=(PortSpec(name="output"),),
        aliases=("weight", "learned", "scale", "token", "embedding", "nn.Parameter"),
    )


def _buffer() -> Entry:
    return Entry(
        key="Buffer",
        group=EntryGroup.TENSOR,
        category="Tensor",
        label="Buffer",
        target="register_buffer",
        summary="A tensor that is saved with the model but not trained: register_buffer.",
        doc=BUFFER_DOC,
        params=(
            *_fixed("zeros"),
            ParamSpec(
                name="persistent",
                kind=ParamKind.BOOL,
                default=True,
                help="Off: the buffer is not in the state_dict and is recreated with the model.",
            ),
        ),
        outputs=(PortSpec(name="output"),),
        aliases=("mask", "register_buffer", "statistics", "not learned"),
    )


def _constant() -> Entry:
    return Entry(
        key="Constant",
        group=EntryGroup.TENSOR,
        category="Tensor",
        label="Constant",
        target="register_buffer",
        summary="A fixed tensor with given values, or random values from a seed.",
        doc=CONSTANT_DOC,
        params=(
            *_fixed("uniform"),
            ParamSpec(
                name="persistent",
                kind=ParamKind.BOOL,
                default=False,
                label="Save with model",
                help="On: the tensor becomes a buffer in the state_dict. Off: it is "
                "recreated with the model.",
            ),
        ),
        outputs=(PortSpec(name="output"),),
        aliases=("fixed", "random", "number", "values", "tensor", "literal"),
    )


def _shape() -> ParamSpec:
    return ParamSpec(
        name="shape",
        kind=ParamKind.SHAPE,
        required=True,
        minimum=1,
        maximum=1_000_000,
        suggested=(64,),
        help="The complete shape without a batch axis: (64,) for one value for each of 64 "
        "features, () for a scalar.",
    )


def _numbers() -> tuple[ParamSpec, ...]:
    return (
        ParamSpec(
            name="value",
            when="fill=constant",
            kind=ParamKind.FLOAT,
            default=0.0,
            help="For “constant”: the value of all elements.",
            **ANY,
        ),
        ParamSpec(
            name="mean",
            when="fill=normal|trunc_normal",
            kind=ParamKind.FLOAT,
            default=0.0,
            advanced=True,
            help="For “normal” and “trunc_normal”: the mean.",
            **ANY,
        ),
        ParamSpec(
            name="std",
            when="fill=normal|trunc_normal",
            kind=ParamKind.FLOAT,
            default=1.0,
            minimum=0.0,
            maximum=1e6,
            help="For “normal” and “trunc_normal”: the standard deviation.",
        ),
        ParamSpec(
            name="low",
            when="fill=uniform",
            kind=ParamKind.FLOAT,
            default=0.0,
            advanced=True,
            help="For “uniform”: the lower bound.",
            **ANY,
        ),
        ParamSpec(
            name="high",
            when="fill=uniform",
            kind=ParamKind.FLOAT,
            default=1.0,
            advanced=True,
            help="For “uniform”: the upper bound.",
            **ANY,
        ),
    )


def _fixed(suggested: str) -> tuple[ParamSpec, ...]:
    return (
        _shape(),
        ParamSpec(
            name="fill",
            kind=ParamKind.CHOICE,
            default="zeros",
            suggested=suggested,
            choices=FIXED,
            help="The values of the tensor. “arange” is 0, 1, 2, …; “eye” has ones on the "
            "diagonal.",
        ),
        *_numbers(),
        ParamSpec(
            name="values",
            when="fill=values",
            kind=ParamKind.FLOATS,
            default=(),
            help="For “values”: the values, row by row, as many as the shape has elements.",
            **ANY,
        ),
        ParamSpec(
            name="seed",
            when="fill=uniform|normal",
            kind=ParamKind.INT,
            default=0,
            minimum=0,
            maximum=2**31 - 1,
            advanced=True,
            help="For “uniform” and “normal”: the same seed gives the same values.",
        ),
        ParamSpec(
            name="dtype",
            kind=ParamKind.DTYPE,
            default="float32",
            choices=("float32", "float64", "int64", "int32", "bool"),
            help="The dtype: int64 for indices, bool for masks.",
        ),
    )
