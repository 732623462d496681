"""Tooltips of our own, where the docstring has none or says too little: by class and name, or by
name for all classes.
"""

_POOL_STRIDE = "How far the window moves each time; None: as far as the window is wide."
_ADAPTIVE = "The size of what comes out: one number for all axes, or one for each."
_TRANSPOSED = "By how much the output is cropped on every side."
_BATCH_FIRST = (
    "If on, inputs and outputs are (batch, sequence, feature), else (sequence, batch, feature)."
    " Hidden states are not affected."
)

_STATISTICS = "How fast the running mean and variance follow; None: plain average."


def _each(pattern: str, kinds: tuple[str, ...], text: str) -> dict[str, str]:
    return {pattern.format(kind, dims): text for kind in kinds for dims in (1, 2, 3)}


OWN_HELP: dict[str, str] = {
    "in_features": "How many numbers a sample has. “auto” takes it from the wire.",
    "in1_features": "Features of the first input. “auto” takes it from the wire.",
    "in2_features": "Features of the second input. “auto” takes it from the wire.",
    "out_features": "How many numbers come out: the neurons of the layer.",
    "in_channels": "Channels of the input. “auto” takes it from the wire.",
    "out_channels": "Channels of the output: how many filters are learned.",
    "num_features": "Channels (features) of the input. “auto” takes it from the wire.",
    "num_channels": "Channels of the input. “auto” takes it from the wire.",
    "input_size": "Features of each step of the sequence. “auto” takes it from the wire.",
    "embed_dim": "Features of each position. “auto” takes it from the wire.",
    "d_model": "Features of each position. “auto” takes it from the wire.",
    "normalized_shape": "The last axes, over which it normalizes. “auto” takes the last one.",
    "num_heads": "How many heads look in parallel; must divide the features.",
    "nhead": "How many heads look in parallel; must divide the features.",
    "batch_first": _BATCH_FIRST,
    "inplace": "Overwrite the input instead of making a new tensor: less memory.",
    "value": "What the new elements are filled with.",
    "padding_mode": "What stands in the padding.",
    "norm_type": "The exponent of the norm: 1 sums, 2 is the Euclidean norm.",
    "track_running_stats": "Keep a running mean and variance for use in evaluation.",
    "affine": "Multiply and add learned numbers afterwards.",
    "elementwise_affine": "Multiply and add learned numbers afterwards.",
    "Threshold.value": "What smaller elements become.",
    **_each("{}Pool{}d.stride", ("Max", "Avg", "LP"), _POOL_STRIDE),
    **_each("Adaptive{}Pool{}d.output_size", ("Max", "Avg"), _ADAPTIVE),
    **_each("Conv{}{}d.padding", ("Transpose",), _TRANSPOSED),
    **_each("{}Norm{}d.momentum", ("Batch", "Instance"), _STATISTICS),
    "SyncBatchNorm.momentum": _STATISTICS,
    "PairwiseDistance.p": "The exponent of the norm; 2 is the Euclidean distance.",
    "PReLU.num_parameters": "1 slope for all, or one for each channel.",
    "PReLU.init": "The slope at the start.",
    "Fold.output_size": "The height and width of the image that is put together.",
    "ignore_index": "Targets with this number do not count.",
    "label_smoothing": "How much of the target is spread evenly over all classes; 0: none.",
    "margin": "The difference that is asked for.",
    "CosineEmbeddingLoss.margin": "Unlike pairs cost nothing below this cosine; 0 to 0.5 is usual.",
    "MultiMarginLoss.p": "1 for the hinge, 2 for its square.",
    "TripletMarginLoss.margin": "How much farther than the positive the negative has to be.",
    "TripletMarginWithDistanceLoss.margin": (
        "How much farther than the positive the negative has to be."
    ),
    "swap": "Also use the distance from positive to negative where that one is smaller.",
    "KLDivLoss.log_target": "Whether the target is given as logarithms too.",
    "CTCLoss.blank": "The index of the class that stands for nothing.",
    "lr": "How far each step goes: too large and training diverges, too small and it is slow.",
    "momentum": "How much of the last step is kept: 0.9 is usual.",
    "betas": "How much of the running means of the gradient and of its square is kept.",
    "weight_decay": "How strongly weights are pulled towards 0 at every step.",
    "foreach": "Update many parameters in one operation; None: where that is faster.",
    "fused": "Use one kernel for the whole step, for floating-point weights only.",
    "maximize": "Make the loss larger instead of smaller.",
    "RMSprop.alpha": "How much of the running mean of the squared gradient is kept.",
    "Adafactor.lr": "The largest relative step.",
    "Muon.adjust_lr_fn": "How the rate follows the size of a matrix; None is “original”.",
    "Rprop.etas": "By what steps shrink when the sign changes, and grow when it stays.",
    "gamma": "The rate is multiplied by this.",
    "CyclicLR.gamma": "The height of the cycle is multiplied by this every step (exp_range).",
    "CyclicLR.mode": "Cycles of equal height, of half the height each, or shrinking by gamma.",
    "step_size": "After how many epochs (or steps) the rate changes.",
    "max_lr": "The highest rate of the cycle.",
    "base_lr": "The lowest rate of the cycle.",
    "min_lr": "The rate does not go below this.",
    "milestones": "The epochs (or steps) at which the rate changes, in rising order: 5, 8.",
    "anneal_strategy": "Along a cosine or along a straight line.",
    "pct_start": "The share of the cycle in which the rate rises.",
    "three_phase": "Come down to the first rate, then lower in a third phase.",
    "base_momentum": "The momentum where the rate is highest.",
    "max_momentum": "The momentum where the rate is lowest.",
    "patience": "How many epochs without an improvement are waited for.",
    "ReduceLROnPlateau.mode": "Whether smaller (min) or larger (max) is better.",
    "ReduceLROnPlateau.factor": "The rate is multiplied by this.",
    "threshold_mode": "Whether the threshold is a share of the best value or a difference.",
    "LinearLR.total_iters": "After how many epochs (or steps) the end factor is reached.",
    "ConstantLR.total_iters": "For how many epochs (or steps) the rate is smaller.",
    "PolynomialLR.total_iters": "After how many epochs (or steps) the rate is 0.",
    "start_factor": "The rate is multiplied by this at the start.",
    "end_factor": "The rate is multiplied by this at the end.",
    "ConstantLR.factor": "The rate is multiplied by this.",
}
