"""The parameters of the layers, as far as it can be said how they begin."""

from engine.catalog.spec import WeightMatch, WeightSpec

_CONVOLUTIONS = ("Conv1d", "Conv2d", "Conv3d")
_TRANSPOSED = ("ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d")
_AFFINE = (
    "BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "InstanceNorm1d",
    "InstanceNorm2d", "InstanceNorm3d", "SyncBatchNorm",
)  # fmt: skip
_TRANSFORMERS = (
    "Transformer", "TransformerEncoder", "TransformerDecoder", "TransformerEncoderLayer",
    "TransformerDecoderLayer",
)  # fmt: skip
_BIAS = ("bias",)


def _one(name: str, rank: int, *when: str) -> WeightSpec:
    return WeightSpec(name=name, rank=rank, when=when)


def _many(name: str, rank: int, match: WeightMatch, *when: str) -> WeightSpec:
    return WeightSpec(name=name, rank=rank, match=match, when=when)


def _recurrent(match: WeightMatch) -> tuple[WeightSpec, ...]:
    return (
        _many("weight_ih", 2, match),
        _many("weight_hh", 2, match),
        _many("bias_ih", 1, match, *_BIAS),
        _many("bias_hh", 1, match, *_BIAS),
    )


_LAYER_NORM = (
    _one("weight", 1, "elementwise_affine"),
    _one("bias", 1, "elementwise_affine", *_BIAS),
)
_ATTENTION = (
    _many("proj_weight", 2, WeightMatch.SUFFIX),
    _one("in_proj_bias", 1, *_BIAS),
    _one("out_proj.weight", 2),
    _one("out_proj.bias", 1, *_BIAS),
)
_TRANSFORMER = (
    _many("weight", 2, WeightMatch.MATRICES),
    _many("bias", 1, WeightMatch.SUFFIX, *_BIAS),
)
WEIGHTS: dict[str, tuple[WeightSpec, ...]] = {
    "Linear": (_one("weight", 2), _one("bias", 1, *_BIAS)),
    "Bilinear": (_one("weight", 3), _one("bias", 1, *_BIAS)),
    **{
        name: (_one("weight", rank + 3), _one("bias", 1, *_BIAS))
        for names in (_CONVOLUTIONS, _TRANSPOSED)
        for rank, name in enumerate(names)
    },
    **{name: (_one("weight", 1, "affine"), _one("bias", 1, "affine")) for name in _AFFINE},
    "LayerNorm": _LAYER_NORM,
    "RMSNorm": _LAYER_NORM[:1],
    "Embedding": (_one("weight", 2),),
    "EmbeddingBag": (_one("weight", 2),),
    "PReLU": (_one("weight", 1),),
    **{name: _recurrent(WeightMatch.PREFIX) for name in ("RNN", "LSTM", "GRU")},
    **{name: _recurrent(WeightMatch.ONE) for name in ("RNNCell", "LSTMCell", "GRUCell")},
    "MultiheadAttention": _ATTENTION,
    **dict.fromkeys(_TRANSFORMERS, _TRANSFORMER),
}
"""By class. What is left out keeps the beginning that PyTorch gives it."""
