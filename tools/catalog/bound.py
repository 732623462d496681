"""What a parameter accepts, by its name: generous limits that only nonsense exceeds.

Sizes stop where a mistake is certain (a kernel of 10,000, a batch of a million); rates and factors
where no training could survive. A limit that differs for one class stands in that class's overlay.
"""

from typing import Any

SIZE = {"minimum": 1, "maximum": 1_000_000}
COUNT = {"minimum": 1, "maximum": 10_000}
FROM_ZERO = {"minimum": 0, "maximum": 10_000}
UNIT = {"minimum": 0.0, "maximum": 1.0}
BELOW_ONE = {"minimum": 0.0, "maximum": 1.0, "exclusive_maximum": True}
ABOVE_ZERO = {"minimum": 0.0, "exclusive_minimum": True, "maximum": 1e6}
NOT_NEGATIVE = {"minimum": 0.0, "maximum": 1e6}
ANY = {"minimum": -1e9, "maximum": 1e9}
EPSILON = {"minimum": 0.0, "maximum": 1.0, "advanced": True}
AXIS = {"minimum": -16, "maximum": 15}
RATE = {"minimum": 0.0, "exclusive_minimum": True, "maximum": 1000.0}
RATE_OR_ZERO = {"minimum": 0.0, "maximum": 1000.0}
FACTOR = {"minimum": 0.0, "exclusive_minimum": True, "maximum": 1000.0}

BOUNDS: dict[str, dict[str, Any]] = {
    **dict.fromkeys(
        (
            "in_features", "out_features", "in1_features", "in2_features", "in_channels",
            "out_channels", "num_features", "num_channels", "input_size", "hidden_size",
            "embedding_dim", "embed_dim", "d_model", "dim_feedforward", "normalized_shape",
            "num_parameters", "kdim", "vdim", "output_size", "T_max", "T_0", "total_iters",
            "step_size", "size", "num_classes",
        ),
        SIZE,
    ),
    **dict.fromkeys(
        (
            "kernel_size", "stride", "dilation", "groups", "num_layers", "num_heads", "nhead",
            "num_groups", "upscale_factor", "downscale_factor", "num_encoder_layers",
            "num_decoder_layers", "T_mult", "divisor_override",
        ),
        COUNT,
    ),
    **dict.fromkeys(("output_padding", "patience", "cooldown", "proj_size"), FROM_ZERO),
    **dict.fromkeys(("p", "dropout", "label_smoothing", "momentum", "pct_start"), UNIT),
    **dict.fromkeys(("betas", "rho", "alpha_smoothing"), BELOW_ONE),
    **dict.fromkeys(("eps", "layer_norm_eps"), EPSILON),
    **dict.fromkeys(("dim", "start_dim", "end_dim", "axis"), AXIS),
    **dict.fromkeys(("lr", "max_lr", "base_lr"), RATE),
    **dict.fromkeys(("eta_min", "min_lr"), RATE_OR_ZERO),
    **dict.fromkeys(("gamma", "factor", "start_factor", "end_factor"), FACTOR),
    **dict.fromkeys(("weight_decay", "lambd", "max_norm", "beta", "delta", "k"), NOT_NEGATIVE),
    **dict.fromkeys(("threshold", "value", "min_val", "max_val", "margin", "init"), ANY),
    **dict.fromkeys(("lower", "upper", "negative_slope", "alpha", "bias_k"), ANY),
    "norm_type": {"minimum": 0.0, "exclusive_minimum": True, "maximum": 1000.0},
    "padding": {"minimum": 0, "maximum": 10_000},
    "output_ratio": {
        "minimum": 0.0, "exclusive_minimum": True, "maximum": 1.0, "exclusive_maximum": True,
    },
    "scale_factor": {"minimum": 0.0, "exclusive_minimum": True, "maximum": 1000.0},
    "num_embeddings": {"minimum": 1, "maximum": 1_000_000_000},
    "padding_idx": {"minimum": -1_000_000_000, "maximum": 1_000_000_000},
    "unflattened_size": {"minimum": -1, "maximum": 1_000_000},
    "ignore_index": {"minimum": -1_000_000_000, "maximum": 1_000_000_000, "advanced": True},
    "weight": {"minimum": 0.0, "maximum": 1e9},
    "milestones": {"minimum": 1, "maximum": 1_000_000_000},
}  # fmt: skip
