"""What introspection cannot know about layers: ports, categories, search words, suggestions."""

from typing import Any

from engine.catalog.spec import OutputVariant, ParamKind, ParamSpec, PartSpec, PortSpec

CATEGORIES = {
    "linear": "Linear",
    "conv": "Convolution",
    "pooling": "Pooling",
    "activation": "Activation",
    "batchnorm": "Normalization",
    "instancenorm": "Normalization",
    "normalization": "Normalization",
    "dropout": "Dropout",
    "flatten": "Shape",
    "Identity": "Shape",
    "rnn": "Recurrent",
    "transformer": "Attention",
    "MultiheadAttention": "Attention",
    "sparse": "Embedding",
    "padding": "Padding",
    "upsampling": "Resampling",
    "pixelshuffle": "Resampling",
    "channelshuffle": "Resampling",
    "fold": "Resampling",
    "distance": "Distance",
}
FIRST = (
    "Linear", "Conv2d", "Conv1d", "Conv3d", "MaxPool2d", "AvgPool2d", "AdaptiveAvgPool2d",
    "ReLU", "GELU", "Sigmoid", "Tanh", "Softmax", "LeakyReLU", "SiLU", "BatchNorm1d",
    "BatchNorm2d", "LayerNorm", "Dropout", "Dropout2d", "Flatten", "Unflatten", "LSTM", "GRU",
    "RNN", "MultiheadAttention", "TransformerEncoderLayer", "Embedding", "ZeroPad2d", "Upsample",
)  # fmt: skip

NOT_OFFERED = {
    **dict.fromkeys(
        (
            "LazyBatchNorm1d", "LazyBatchNorm2d", "LazyBatchNorm3d", "LazyConv1d", "LazyConv2d",
            "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d", "LazyConvTranspose3d",
            "LazyInstanceNorm1d", "LazyInstanceNorm2d", "LazyInstanceNorm3d", "LazyLinear",
        ),
        "The value “auto” infers sizes before the model is built, so the lazy form is not needed.",
    ),
    **dict.fromkeys(
        ("Container", "Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict"),
        "A container holds other modules and computes nothing; the canvas itself is the container.",
    ),
    "Module": "The base class of all layers; it computes nothing.",
    "RNNBase": "The abstract base of RNN, LSTM and GRU, which are offered.",
    "RNNCellBase": "The abstract base of RNNCell, LSTMCell and GRUCell, which are offered.",
    "DataParallel": (
        "Copies a whole model to several GPUs, which is a setting of a run, not a layer."
    ),
    "NLLLoss2d": "A deprecated name for NLLLoss, which is offered as a loss.",
    "CrossMapLRN2d": "A slower version of LocalResponseNorm, which is offered.",
    "functional.dropout": (
        "Also drops elements in evaluation mode by default; the Dropout layers do not."
    ),
    "AdaptiveLogSoftmaxWithLoss": (
        "Has parameters and needs the targets in the forward pass; losses here have "
        "none. Linear with CrossEntropyLoss computes the same for all but huge vocabularies."
    ),
    "LinearCrossEntropyLoss": (
        "Has parameters, which would not be part of the model. Linear with CrossEntropyLoss "
        "computes the same."
    ),
}  # fmt: skip

HIDDEN = {
    "Transformer": ("custom_encoder", "custom_decoder"),
    "TransformerEncoder": ("encoder_layer", "norm", "enable_nested_tensor", "mask_check"),
    "TransformerDecoder": ("decoder_layer", "norm"),
    "Identity": ("args", "kwargs"),
}


def _port(name: str, *, required: bool = True, keyword: bool = False, **more: Any) -> PortSpec:
    return PortSpec(name=name, required=required, keyword=keyword, **more)


def _mask(name: str) -> PortSpec:
    return PortSpec(name=name, required=False, keyword=True)


_X1_X2 = (_port("x1"), _port("x2"))
_UNPOOL = (_port("input"), _port("indices", help="The indices that max pooling returned."))
_CELL = (
    _port("input"),
    _port("hx", required=False, help="The hidden state; zeros if not connected."),
)
_LSTM_STATE = (
    _port(
        "h_0",
        required=False,
        path=(1, 0),
        help="The initial hidden state; connect both states or neither.",
    ),
    _port(
        "c_0",
        required=False,
        path=(1, 1),
        help="The initial cell state; connect both states or neither.",
    ),
)
_DECODER = (
    _port("tgt"),
    _port("memory"),
    _mask("tgt_mask"),
    _mask("memory_mask"),
    _mask("tgt_key_padding_mask"),
    _mask("memory_key_padding_mask"),
)
INPUTS: dict[str, tuple[PortSpec, ...]] = {
    "Bilinear": (_port("input1"), _port("input2")),
    "CosineSimilarity": _X1_X2,
    "PairwiseDistance": _X1_X2,
    "MaxUnpool1d": _UNPOOL,
    "MaxUnpool2d": _UNPOOL,
    "MaxUnpool3d": _UNPOOL,
    "RNN": _CELL,
    "GRU": _CELL,
    "RNNCell": _CELL,
    "GRUCell": _CELL,
    "LSTM": (_port("input"), *_LSTM_STATE),
    "LSTMCell": (_port("input"), *_LSTM_STATE),
    "RMSNorm": (_port("x"),),
    "EmbeddingBag": (
        _port("input"),
        _port("offsets", required=False, keyword=True),
        _port("per_sample_weights", required=False, keyword=True),
    ),
    "MultiheadAttention": (
        _port("query"),
        _port("key"),
        _port("value"),
        _mask("key_padding_mask"),
        _mask("attn_mask"),
    ),
    "Transformer": (
        _port("src"),
        _port("tgt"),
        *map(
            _mask,
            (
                "src_mask", "tgt_mask", "memory_mask", "src_key_padding_mask",
                "tgt_key_padding_mask", "memory_key_padding_mask",
            ),
        ),
    ),
    "TransformerEncoder": (_port("src"), _mask("mask"), _mask("src_key_padding_mask")),
    "TransformerEncoderLayer": (_port("src"), _mask("src_mask"), _mask("src_key_padding_mask")),
    "TransformerDecoder": _DECODER,
    "TransformerDecoderLayer": _DECODER,
}  # fmt: skip
_RECURRENT = (_port("output", path=(0,)), _port("h_n", path=(1,)))
_ATTENTION = (_port("attn_output", path=(0,)), _port("attn_weights", path=(1,)))
OUTPUTS: dict[str, tuple[PortSpec, ...]] = {
    "RNN": _RECURRENT,
    "GRU": _RECURRENT,
    "LSTM": (_port("output", path=(0,)), _port("h_n", path=(1, 0)), _port("c_n", path=(1, 1))),
    "RNNCell": (_port("h_1"),),
    "GRUCell": (_port("h_1"),),
    "LSTMCell": (_port("h_1", path=(0,)), _port("c_1", path=(1,))),
    "MultiheadAttention": _ATTENTION,
}
_WITH_INDICES = OutputVariant(
    when="return_indices", outputs=(_port("output", path=(0,)), _port("indices", path=(1,)))
)


def variants_of(name: str) -> tuple[OutputVariant, ...]:
    """Return the other sets of outputs that a layer can have."""
    if name == "MultiheadAttention":
        return (OutputVariant(when="!need_weights", outputs=_ATTENTION[:1]),)
    pools = ("MaxPool", "AdaptiveMaxPool", "FractionalMaxPool")
    return (_WITH_INDICES,) if name.startswith(pools) else ()


def _call(name: str, kind: ParamKind, default: Any, text: str, **more: Any) -> ParamSpec:
    return ParamSpec(name=name, kind=kind, default=default, help=text, call=True, **more)


_OUTPUT_SIZE = _call(
    "output_size",
    ParamKind.SHAPE,
    None,
    "The output size if several are possible; None uses the smallest.",
    optional=True,
    advanced=True,
    minimum=1,
    maximum=1_000_000,
)
_CAUSAL = (
    "Apply a causal mask: no position attends to later ones. The mask must be connected as well."
)
CALL_PARAMS: dict[str, tuple[ParamSpec, ...]] = {
    **dict.fromkeys(("MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d"), (_OUTPUT_SIZE,)),
    **dict.fromkeys(("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d"), (_OUTPUT_SIZE,)),
    "MultiheadAttention": (
        _call(
            "need_weights",
            ParamKind.BOOL,
            True,  # noqa: FBT003
            "Also output the attention weights, which is slower.",
        ),
        _call(
            "average_attn_weights",
            ParamKind.BOOL,
            True,  # noqa: FBT003
            "Average the attention weights over the heads.",
            advanced=True,
        ),
        _call("is_causal", ParamKind.BOOL, False, _CAUSAL, advanced=True),  # noqa: FBT003
    ),
    "TransformerEncoderLayer": (
        _call("is_causal", ParamKind.BOOL, False, _CAUSAL, advanced=True),  # noqa: FBT003
    ),
}
_ENCODER_PARAMS = (
    "d_model", "nhead", "dim_feedforward", "dropout", "activation", "layer_norm_eps",
    "batch_first", "norm_first", "bias",
)  # fmt: skip
PARTS = {
    "TransformerEncoder": (
        PartSpec(name="encoder_layer", target="nn.TransformerEncoderLayer", params=_ENCODER_PARAMS),
    ),
    "TransformerDecoder": (
        PartSpec(name="decoder_layer", target="nn.TransformerDecoderLayer", params=_ENCODER_PARAMS),
    ),
}

POSITIONAL: dict[str, tuple[str, ...]] = {
    "Softmax": (), "Softmin": (), "LogSoftmax": (),
    **dict.fromkeys(
        (
            "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout",
            "FeatureAlphaDropout",
        ),
        ("p",),
    ),
    "LeakyReLU": ("negative_slope",),
    **dict.fromkeys(("ELU", "CELU"), ("alpha",)),
    "TransformerEncoder": ("d_model", "nhead", "num_layers"),
    "TransformerDecoder": ("d_model", "nhead", "num_layers"),
    "Transformer": ("d_model", "nhead"),
}  # fmt: skip

_AUTO = {"auto": True}
_AXIS_1 = {"auto": True, "auto_axis": 1}
_BY_NAME: dict[str, dict[str, Any]] = {
    "in_features": _AUTO,
    "input_size": _AUTO,
    "num_features": _AXIS_1,
    "num_channels": _AXIS_1,
    "normalized_shape": _AUTO,
    "in1_features": {"auto": True, "auto_port": "input1"},
    "in2_features": {"auto": True, "auto_port": "input2"},
    "embed_dim": {"auto": True, "auto_port": "query"},
    "d_model": _AUTO,
    "out_features": {"suggested": 64},
    "out_channels": {"suggested": 16},
    "hidden_size": {"suggested": 64},
    "embedding_dim": {"suggested": 64},
    "num_embeddings": {"suggested": 1000},
    "num_heads": {"suggested": 4},
    "nhead": {"suggested": 4},
    "groups": {"advanced": False},
    "batch_first": {"suggested": True},
    "inplace": {"advanced": True},
    "padding_mode": {"advanced": True},
    "ceil_mode": {"advanced": True},
    "track_running_stats": {"advanced": True},
    "scale_grad_by_freq": {"advanced": True},
    "sparse": {"advanced": True},
    "recompute_scale_factor": {"advanced": True},
    "num_layers": {"suggested": 2},
    "mode": {"kind": ParamKind.CHOICE},
    "activation": {"kind": ParamKind.CHOICE, "choices": ("relu", "gelu")},
    "nonlinearity": {"kind": ParamKind.CHOICE, "choices": ("tanh", "relu")},
    "approximate": {"kind": ParamKind.CHOICE, "choices": ("none", "tanh")},
    "dim": {"kind": ParamKind.INT},
}
_AXIS_PARAM = {
    "kind": ParamKind.INT,
    "optional": False,
    "required": True,
    "default": None,
    "suggested": -1,
}
_UPSAMPLE_MODES = ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear")
_PADS = (
    "ConstantPad", "ReflectionPad", "ReplicationPad", "CircularPad", "ZeroPad",
)  # fmt: skip
_BY_CLASS: dict[str, dict[str, dict[str, Any]]] = {
    "Softmax": {"dim": _AXIS_PARAM},
    "Softmin": {"dim": _AXIS_PARAM},
    "LogSoftmax": {"dim": _AXIS_PARAM},
    "PReLU": {"num_parameters": {"maximum": 1_000_000}},
    "Threshold": {"threshold": {"suggested": 0.0}, "value": {"suggested": 0.0}},
    "Upsample": {
        "mode": {"kind": ParamKind.CHOICE, "choices": _UPSAMPLE_MODES},
        "scale_factor": {"suggested": 2.0},
    },
    "UpsamplingNearest2d": {"scale_factor": {"suggested": 2.0}},
    "UpsamplingBilinear2d": {"scale_factor": {"suggested": 2.0}},
    "EmbeddingBag": {
        "mode": {"kind": ParamKind.CHOICE, "choices": ("sum", "mean", "max")},
    },
    "PixelShuffle": {"upscale_factor": {"suggested": 2}},
    "PixelUnshuffle": {"downscale_factor": {"suggested": 2}},
    "ChannelShuffle": {"groups": {"suggested": 2}},
    "GroupNorm": {"num_groups": {"suggested": 4}},
    "LocalResponseNorm": {"size": {"suggested": 5}},
    "Unflatten": {
        "dim": {"suggested": 1},
        "unflattened_size": {"kind": ParamKind.SHAPE, "suggested": (1, -1)},
    },
    "Fold": {"output_size": {"suggested": 8}, "kernel_size": {"suggested": 2}},
    "Unfold": {"kernel_size": {"suggested": 2}},
    "LPPool1d": {"norm_type": {"suggested": 2.0}},
    "LPPool2d": {"norm_type": {"suggested": 2.0}},
    "LPPool3d": {"norm_type": {"suggested": 2.0}},
    "FractionalMaxPool2d": {"output_ratio": {"suggested": 0.5}},
    "FractionalMaxPool3d": {"output_ratio": {"suggested": 0.5}},
    "RReLU": {"lower": {"minimum": 0.0}, "upper": {"minimum": 0.0}},
    "PairwiseDistance": {"p": {"minimum": -1000.0, "maximum": 1000.0}},
    "ConvTranspose1d": {"padding_mode": {"choices": ("zeros",)}},
    "ConvTranspose2d": {"padding_mode": {"choices": ("zeros",)}},
    "ConvTranspose3d": {"padding_mode": {"choices": ("zeros",)}},
    "MultiheadAttention": {
        "embed_dim": {"kind": ParamKind.INT},
        "num_heads": {"kind": ParamKind.INT},
        "kdim": {"kind": ParamKind.INT, "advanced": True},
        "vdim": {"kind": ParamKind.INT, "advanced": True},
        "add_bias_kv": {"advanced": True},
        "add_zero_attn": {"advanced": True},
    },
    "Transformer": {"d_model": {"auto": True}, "nhead": {"suggested": None}},
    "Softplus": {"beta": {"exclusive_minimum": True}},
    "CELU": {"alpha": {}},
    "Embedding": {"norm_type": {"advanced": True}, "max_norm": {"advanced": True}},
}


def refinement_of(name: str) -> dict[str, dict[str, Any]]:
    """Return what the overlay says about the parameters of a layer, by name."""
    fields = {param: dict(values) for param, values in _BY_NAME.items()}
    spatial = int(name[-2]) if name.endswith(("1d", "2d", "3d")) else 0
    # The channel axis is counted from the back: a sample without a batch axis works too.
    channel = {"auto": True, "auto_axis": -1 - spatial} if spatial else _AXIS_1
    fields["in_channels"] = channel
    if name.startswith("InstanceNorm") or (name.startswith("BatchNorm") and spatial > 1):
        fields["num_features"] = dict(channel)
    if "pool" in name.lower():
        fields["kernel_size"] = {"suggested": 2}
        fields["output_size"] = {"suggested": 1} if name.startswith("Adaptive") else {}
    elif name.startswith("Conv"):
        fields["kernel_size"] = {"suggested": 3}
        if not name.startswith("ConvTranspose"):
            fields["padding"] = {"choices": ("valid", "same")}
    if name.startswith(_PADS):
        crops = name.startswith(("ZeroPad", "ConstantPad"))
        fields["padding"] = {"suggested": 1, "minimum": -10_000 if crops else 0}
        fields["value"] = {"suggested": 0.0}
    if name.endswith("shrink") or "shrink" in name.lower():
        fields["lambd"] = {}
    for param, values in _BY_CLASS.get(name, {}).items():
        fields[param] = fields.get(param, {}) | values
    return fields


ALIASES: dict[str, tuple[str, ...]] = {
    "Linear": ("dense", "fully connected", "fc", "affine", "perceptron"),
    "Conv1d": ("convolution",),
    "Conv2d": ("convolution", "cnn", "image"),
    "Conv3d": ("convolution", "volume"),
    "ConvTranspose1d": ("deconvolution", "upconvolution"),
    "ConvTranspose2d": ("deconvolution", "upconvolution"),
    "ConvTranspose3d": ("deconvolution", "upconvolution"),
    "MaxPool2d": ("downsample", "subsample"),
    "AvgPool2d": ("downsample", "mean"),
    "AdaptiveAvgPool2d": ("global average pooling", "gap"),
    "AdaptiveAvgPool1d": ("global average pooling", "gap"),
    "ReLU": ("rectifier", "nonlinearity"),
    "SiLU": ("swish",),
    "Sigmoid": ("logistic",),
    "BatchNorm1d": ("bn", "batch normalization"),
    "BatchNorm2d": ("bn", "batch normalization"),
    "BatchNorm3d": ("bn", "batch normalization"),
    "SyncBatchNorm": ("synchronized batch normalization", "distributed", "ddp"),
    "LayerNorm": ("ln", "layer normalization"),
    "Dropout": ("regularization",),
    "Flatten": ("reshape", "vector"),
    "Unflatten": ("reshape", "view"),
    "LSTM": ("sequence", "memory", "recurrent"),
    "GRU": ("sequence", "gated", "recurrent"),
    "RNN": ("sequence", "elman", "recurrent"),
    "MultiheadAttention": ("mha", "self attention", "transformer"),
    "TransformerEncoderLayer": ("bert", "self attention", "block"),
    "TransformerDecoderLayer": ("gpt", "cross attention", "block"),
    "Embedding": ("lookup", "token", "word", "dictionary"),
    "EmbeddingBag": ("bag of words", "lookup"),
    "Upsample": ("resize", "interpolate", "scale"),
    "Identity": ("pass", "noop", "placeholder"),
    "PixelShuffle": ("super resolution", "depth to space"),
    "PixelUnshuffle": ("space to depth",),
    "Unfold": ("im2col", "patches"),
    "Fold": ("col2im",),
    "Softmax": ("probabilities",),
}
# Where the first sentence of the documentation says too little.
RENAMED_SUMMARIES: dict[str, str] = {
    "Linear": "Multiplies by a matrix of weights and adds a bias: y = x·Wᵀ + b.",
    "Bilinear": "Multiplies two inputs with weights for all pairs of features.",
    "MultiheadAttention": (
        "Attention with several heads: how much each position attends to the others."
    ),
    "TransformerEncoderLayer": "An encoder block: self-attention, then a feed-forward network.",
    "TransformerDecoderLayer": "A decoder block: self-attention, cross-attention to the encoder's"
    " output, then a feed-forward network.",
    "TransformerEncoder": "A stack of encoder blocks.",
    "TransformerDecoder": "A stack of decoder blocks.",
    "Transformer": "A complete transformer: encoder and decoder.",
    "Identity": "Returns its input unchanged.",
    "InstanceNorm1d": "Normalizes each channel of each sequence separately.",
    "InstanceNorm2d": "Normalizes each channel of each image separately.",
    "InstanceNorm3d": "Normalizes each channel of each volume separately.",
    "Upsample": "Upsamples sequences, images or volumes.",
}
