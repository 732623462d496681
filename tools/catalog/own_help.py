"""Tooltips of our own, where the docstring has none or says too little: by class and name, or by
name for all classes.
"""

_POOL_STRIDE = "The stride of the window; None: the size of the window."
_ADAPTIVE = "The output size: one number for all axes, or one for each."
_TRANSPOSED = "The amount by which the output is cropped on both sides."
_BATCH_FIRST = (
    "If on, inputs and outputs have the shape (batch, sequence, feature), otherwise"
    " (sequence, batch, feature). Hidden states are not affected."
)

_STATISTICS = (
    "The weight of a new batch in the running mean and variance; None: cumulative average."
)


def _each(pattern: str, kinds: tuple[str, ...], text: str) -> dict[str, str]:
    return {pattern.format(kind, dims): text for kind in kinds for dims in (1, 2, 3)}


OWN_HELP: dict[str, str] = {
    "in_features": "The number of input features. “auto” infers it from the input.",
    "in1_features": "The number of features of the first input. “auto” infers it.",
    "in2_features": "The number of features of the second input. “auto” infers it.",
    "out_features": "The number of output features: the neurons of the layer.",
    "in_channels": "The number of input channels. “auto” infers it from the input.",
    "out_channels": "The number of output channels: the filters of the layer.",
    "num_features": (
        "The number of channels (features) of the input. “auto” infers it from the input."
    ),
    "num_channels": "The number of input channels. “auto” infers it from the input.",
    "input_size": "The number of features per time step. “auto” infers it from the input.",
    "embed_dim": "The number of features per position. “auto” infers it from the input.",
    "d_model": "The number of features per position. “auto” infers it from the input.",
    "normalized_shape": (
        "The sizes of the last axes, over which to normalize. “auto” uses the last axis."
    ),
    "num_heads": "The number of attention heads; must divide the number of features.",
    "nhead": "The number of attention heads; must divide the number of features.",
    "batch_first": _BATCH_FIRST,
    "inplace": "Overwrite the input instead of allocating a new tensor, which saves memory.",
    "value": "The fill value of the new elements.",
    "padding_mode": "How the padding is filled.",
    "norm_type": "The order of the norm: 1 is the sum, 2 the Euclidean norm.",
    "track_running_stats": "Keep a running mean and variance for use in evaluation.",
    "affine": "Apply a learned scale and shift afterwards.",
    "elementwise_affine": "Apply a learned scale and shift afterwards.",
    "Threshold.value": "The replacement for elements below the threshold.",
    **_each("{}Pool{}d.stride", ("Max", "Avg", "LP"), _POOL_STRIDE),
    **_each("Adaptive{}Pool{}d.output_size", ("Max", "Avg"), _ADAPTIVE),
    **_each("Conv{}{}d.padding", ("Transpose",), _TRANSPOSED),
    **_each("{}Norm{}d.momentum", ("Batch", "Instance"), _STATISTICS),
    "SyncBatchNorm.momentum": _STATISTICS,
    "PairwiseDistance.p": "The exponent of the norm; 2 is the Euclidean distance.",
    "PReLU.num_parameters": (
        "1 for a single slope, or the number of channels for one slope per channel."
    ),
    "PReLU.init": "The initial slope.",
    "Fold.output_size": "The height and width of the resulting image.",
    "ignore_index": "Targets with this value are ignored.",
    "label_smoothing": (
        "The share of the target that is spread evenly over all classes; 0 disables it."
    ),
    "margin": "The margin.",
    "CosineEmbeddingLoss.margin": (
        "Dissimilar pairs below this cosine have no loss; 0 to 0.5 is typical."
    ),
    "MultiMarginLoss.p": "1 for the hinge loss, 2 for its square.",
    "TripletMarginLoss.margin": (
        "How much farther from the anchor the negative must be than the positive."
    ),
    "TripletMarginWithDistanceLoss.margin": (
        "How much farther from the anchor the negative must be than the positive."
    ),
    "swap": "Use the distance from positive to negative if it is smaller.",
    "KLDivLoss.log_target": "Whether the target also contains log-probabilities.",
    "CTCLoss.blank": "The index of the blank class.",
    "lr": (
        "The step size: if it is too large, training diverges; if it is too small, training is "
        "slow."
    ),
    "momentum": "The fraction of the previous step that is kept; 0.9 is typical.",
    "betas": "The decay rates of the running means of the gradient and of its square.",
    "weight_decay": "How strongly weights are pulled toward 0 in each step.",
    "foreach": "Update many parameters in one operation; None: if that is faster.",
    "fused": "Use a single kernel for the whole step; for floating-point weights only.",
    "maximize": "Maximize the loss instead of minimizing it.",
    "RMSprop.alpha": "The decay rate of the running mean of the squared gradient.",
    "Adafactor.lr": "The largest relative step.",
    "Muon.adjust_lr_fn": (
        "How the learning rate is adjusted to the size of a matrix; None is “original”."
    ),
    "Rprop.etas": (
        "The factors by which steps shrink when the sign changes and grow when it does not."
    ),
    "gamma": "The factor for the learning rate.",
    "CyclicLR.gamma": "The amplitude of the cycle is multiplied by this in each step (exp_range).",
    "CyclicLR.mode": "Cycles of equal amplitude, of half the amplitude each, or scaled by gamma.",
    "step_size": "The number of epochs (or steps) after which the learning rate changes.",
    "max_lr": "The highest learning rate of the cycle.",
    "base_lr": "The lowest learning rate of the cycle.",
    "min_lr": "The lower bound of the learning rate.",
    "milestones": (
        "The epochs (or steps) at which the learning rate changes, in ascending order: 5, 8."
    ),
    "anneal_strategy": "Whether to anneal along a cosine or linearly.",
    "pct_start": "The fraction of the cycle in which the learning rate increases.",
    "three_phase": (
        "Return to the initial learning rate, then decrease it further in a third phase."
    ),
    "base_momentum": "The momentum at the highest learning rate.",
    "max_momentum": "The momentum at the lowest learning rate.",
    "patience": "The number of epochs without improvement to wait.",
    "ReduceLROnPlateau.mode": "Whether smaller (min) or larger (max) is better.",
    "ReduceLROnPlateau.factor": "The factor for the learning rate.",
    "threshold_mode": "Whether the threshold is relative to the best value or absolute.",
    "LinearLR.total_iters": "The number of epochs (or steps) until the end factor is reached.",
    "ConstantLR.total_iters": "The number of epochs (or steps) with the smaller learning rate.",
    "PolynomialLR.total_iters": "The number of epochs (or steps) until the learning rate is 0.",
    "start_factor": "The factor for the learning rate at the start.",
    "end_factor": "The factor for the learning rate at the end.",
    "ConstantLR.factor": "The factor for the learning rate.",
}
