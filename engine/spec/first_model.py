"""First models: for each kind of data a small and a larger one that can be trained at once.

Sizes of inputs and outputs come from the description of the data. They are ordinary models on the
canvas, to be changed from there.
"""

import math
from collections.abc import Sequence

from engine.catalog.spec import Value
from engine.graph.draft import Draft, sequential
from engine.graph.model import Block, Graph, Node
from engine.spec.box_model import box_model
from engine.spec.data import PADDING_KINDS, DataInfo, FieldInfo
from engine.spec.proposal import ModelSize
from engine.spec.residual_model import residual_model
from engine.spec.sequence_layers import (
    WORD_EMBEDDING,
    add_gru,
    add_recurrent,
    add_transformer,
    pair_model,
)
from engine.spec.target_scale import scaled_model

_CLASS_KINDS = ("class", "mask", "sequence", "box_classes")
_HIDDEN = {"small": 64, "large": 256}
_SMALLEST_SIDE = 4  # pixels of the last feature maps
_LEAST_STAGES, _MOST_STAGES = 2, 5
_CHANNELS = {"small": 16, "large": 32}
_WHOLE_SIDE = 64  # pixels from which on there are convolutions enough to see most of a picture
_MOST_CELLS = 7  # a side
_MOST_WEIGHTS = 2_000_000  # of the last layer
_UNET_LEVELS = {"small": 3, "large": 4}
_MOST_CHANNELS = 256
_WIDE, _WIDE_STEP = 80, 4  # samples of the first convolution over a waveform
_WIDEST_EMBEDDING = {"small": 16, "large": 50}  # of a category
_MOST_EMBEDDINGS = 24  # on a canvas; more categories share one
_LONGEST_ATTENTION = 1024  # tokens, each of which looks at each


def first_model(info: DataInfo, size: ModelSize = "small") -> Graph | None:
    """Return a model from the inputs of the data to its target; None where its kind of data has
    none. ``small`` trains in minutes on a CPU, ``large`` wants more samples and time. It ends with
    the scale of numbers that are far from what a new layer gives.
    """
    model, target = _model(info, size), _target(info)
    if model is None or target is None or target.kind in _CLASS_KINDS:
        return model
    return scaled_model(model, info.target_scales, target.shape)


def _model(info: DataInfo, size: ModelSize) -> Graph | None:
    inputs = [
        field for field in info.fields if field.role == "input" and field.kind not in PADDING_KINDS
    ]
    kinds = {field.kind for field in inputs}
    target = _target(info)
    if not inputs or target is None:
        return None
    if target.kind == "mask":
        return _pixel_model(inputs, len(target.classes), size)
    if kinds in ({"image"}, {"sound"}, {"video"}) and len(inputs) == 1:
        return _channel_model(info, inputs[0], target, size)
    if kinds == {"sequence"} and len(inputs) == 1:
        return _sequence_model(inputs[0], target, size)
    if target.kind == "sequence":
        return _generating_model(inputs, target, size)
    is_joined = all(map(_has_branch, inputs))
    return _joined_model(inputs, target, size) if is_joined else None


def _target(info: DataInfo) -> FieldInfo | None:
    """Return the field to predict: classes before numbers."""
    targets = [field for field in info.fields if field.role == "target"]
    classes = (field for field in targets if field.kind in _CLASS_KINDS)
    return next(classes, None) or next(
        (field for field in targets if field.kind in ("scalar", "vector")), None
    )


def _outputs(target: FieldInfo) -> int:
    """Return how many numbers the model has to give for a sample."""
    return len(target.classes) if target.kind == "class" else math.prod(target.shape)


def _ended(draft: Draft, target: FieldInfo) -> Graph:
    """Return the model that a head ends: as many numbers as the target has, in its shape."""
    draft.put("head", "Linear", out_features=_outputs(target))
    if target.kind != "class" and len(target.shape) > 1:
        draft.put("rows", "Unflatten", dim=1, unflattened_size=target.shape)
    return draft.put("output", "Output").model()


def _channel_model(
    info: DataInfo, field: FieldInfo, target: FieldInfo, size: ModelSize
) -> Graph | None:
    """Return a model for an image, a spectrogram, a waveform or a video."""
    if field.kind == "video":
        return _video_model(field, target, size)
    if field.kind == "sound" and len(field.shape) == 2:
        return _wave_model(field, target, size)
    if len(field.shape) != 3:
        return None
    if target.kind == "box_classes":
        masks = next((each for each in info.fields if each.kind == "box_masks"), None)
        return box_model(field, len(target.classes), size, masks)
    return _image_model(field, target, size)


def _has_branch(field: FieldInfo) -> bool:
    """Return whether a model of several inputs can read a field."""
    if field.kind in ("image", "mask"):
        return len(field.shape) == 3
    if field.kind in ("sound", "video"):
        return True
    return field.kind in ("vector", "point", "scalar", "categories", "sequence")


def _image_model(field: FieldInfo, target: FieldInfo, size: ModelSize) -> Graph:
    """Return convolutions that halve the picture until it is small, and what is left of it (see
    ``_left``); the larger one for pictures is ResNet-18.
    """
    if size == "large" and field.kind == "image":
        rows = () if target.kind == "class" else target.shape
        return residual_model(field, _outputs(target), rows)
    draft = Draft().put(field.kind, "Input", field=field.name, shape=field.shape)
    _add_convolutions(draft, field, size, outputs=_outputs(target))
    if size == "large":
        draft.put("dropout", "Dropout", p=0.2)
    return _ended(draft, target)


def _video_model(field: FieldInfo, target: FieldInfo, size: ModelSize) -> Graph:
    """Return convolutions over space and time that halve the frames until they are small, and the
    mean over what is left, in the manner of C3D (Tran et al.: Learning spatiotemporal features with
    3D convolutional networks, 2015).
    """
    draft = Draft().put("video", "Input", field=field.name, shape=field.shape)
    _add_video_convolutions(draft, field, size)
    if size == "large":
        draft.put("dropout", "Dropout", p=0.2)
    return _ended(draft, target)


def _add_video_convolutions(
    draft: Draft, field: FieldInfo, size: ModelSize, prefix: str = ""
) -> str:
    """Add convolutions to a video; return the node with the features of each."""
    side = min(field.shape[2:])
    halvings = int(math.log2(max(side / _SMALLEST_SIDE, 1)))
    channels = _CHANNELS[size]
    for stage in range(1, min(max(halvings, _LEAST_STAGES), _MOST_STAGES) + 1):
        name = f"{prefix}conv{stage}"
        # The first one halves the frames itself: they are many times as many as those of a picture.
        step = (1, 2, 2) if stage == 1 and halvings else 1
        draft.put(
            name, "Conv3d", out_channels=channels, kernel_size=3, stride=step, padding=1, bias=False
        )
        draft.put(f"{prefix}norm{stage}", "BatchNorm3d").put(f"{prefix}relu{stage}", "ReLU")
        if 1 < stage <= halvings:
            draft.put(f"{prefix}pool{stage}", "MaxPool3d", kernel_size=(1, 2, 2))
        channels = min(2 * channels, _MOST_CHANNELS)
    draft.put(f"{prefix}mean", "AdaptiveAvgPool3d", output_size=1)
    draft.put(f"{prefix}flatten", "Flatten")
    return f"{prefix}flatten"


def _wave_model(field: FieldInfo, target: FieldInfo, size: ModelSize) -> Graph:
    """Return convolutions over time, the first a wide one that takes the place of a spectrogram, as
    in M5 (Dai et al.: Very deep convolutional neural networks for raw waveforms, 2017).
    """
    draft = Draft().put("sound", "Input", field=field.name, shape=field.shape)
    _add_wave_convolutions(draft, field, size)
    if size == "large":
        draft.put("dropout", "Dropout", p=0.2)
    return _ended(draft, target)


def _add_wave_convolutions(
    draft: Draft, field: FieldInfo, size: ModelSize, prefix: str = ""
) -> str:
    """Add convolutions to a waveform; return the node with the features of each."""
    channels = 2 * _CHANNELS[size]
    length = field.shape[1]
    for stage in range(1, 5 if size == "small" else 6):
        width, step = (_WIDE, _WIDE_STEP) if stage == 1 and length >= _WIDE else (3, 1)
        length //= step
        draft.put(
            f"{prefix}conv{stage}",
            "Conv1d",
            out_channels=channels,
            kernel_size=width,
            stride=step,
            padding=width // 2,
            bias=False,
        )
        draft.put(f"{prefix}norm{stage}", "BatchNorm1d").put(f"{prefix}relu{stage}", "ReLU")
        if length >= _SMALLEST_SIDE:
            draft.put(f"{prefix}pool{stage}", "MaxPool1d", kernel_size=4)
            length //= 4
        channels = min(2 * channels, _MOST_CHANNELS) if stage % 2 == 0 else channels
    draft.put(f"{prefix}mean", "AdaptiveAvgPool1d", output_size=1)
    draft.put(f"{prefix}flatten", "Flatten")
    return f"{prefix}flatten"


def _add_convolutions(
    draft: Draft, field: FieldInfo, size: ModelSize, prefix: str = "", outputs: int = 1
) -> str:
    """Add convolutions to a picture or spectrogram; return the node with the features of each.
    ``outputs`` are the numbers that follow, each of which has a weight for each feature.
    """
    side = min(field.shape[1:])
    halvings = min(int(math.log2(max(side / _SMALLEST_SIDE, 1))), _MOST_STAGES)
    features = channels = _CHANNELS[size]
    for stage in range(1, max(halvings, _LEAST_STAGES) + 1):
        for part in ("a", "b") if size == "large" else ("",):
            name = f"{prefix}conv{stage}{part}"
            draft.put(name, "Conv2d", out_channels=channels, kernel_size=3, padding=1, bias=False)
            draft.put(f"{prefix}norm{stage}{part}", "BatchNorm2d")
            draft.put(f"{prefix}relu{stage}{part}", "ReLU")
        if stage <= halvings:
            draft.put(f"{prefix}pool{stage}", "MaxPool2d", kernel_size=2)
        features, channels = channels, min(2 * channels, _MOST_CHANNELS)
    rest = (field.shape[1] >> halvings, field.shape[2] >> halvings)
    left = _left(field, rest)
    if math.prod(left) * features * outputs > _MOST_WEIGHTS:
        left = (1, 1)
    if left != rest:
        draft.put(f"{prefix}mean", "AdaptiveAvgPool2d", output_size=left)
    draft.put(f"{prefix}flatten", "Flatten")
    return f"{prefix}flatten"


def _left(field: FieldInfo, rest: tuple[int, int]) -> tuple[int, int]:
    """Return over how many cells (height, width) features are told apart, of the ``rest`` that is
    left when a picture has been halved. Few convolutions see a small part of the picture each: the
    mean over all of it would lose where they saw what, which makes a 6 of a 9. Of a spectrogram
    the mean is over time alone: its frequencies tell sounds apart.
    """
    if field.kind == "sound":
        return max(rest[0], 1), 1
    if min(field.shape[1:]) >= _WHOLE_SIDE:
        return 1, 1
    # Divisors: formats of exported models know no cells of different sizes.
    height, width = (
        next(cells for cells in range(_MOST_CELLS, 0, -1) if side % cells == 0) for side in rest
    )
    return height, width


def _joined_model(inputs: list[FieldInfo], target: FieldInfo, size: ModelSize) -> Graph:
    """Return a perceptron over what a branch for each input says of it: convolutions of a picture,
    a sound or a video, a recurrent layer of a text, an embedding of each category, numbers as they
    are.
    """
    draft = Draft()
    _add_branches(draft, inputs, size)
    hidden = _HIDDEN[size]
    for number in range(1, 3 if size == "small" else 4):
        draft.put(f"hidden{number}", "Linear", out_features=hidden).put(f"relu{number}", "ReLU")
        if size == "large":
            draft.put(f"dropout{number}", "Dropout", p=0.1)
    return _ended(draft, target)


def _add_branches(draft: Draft, inputs: Sequence[FieldInfo], size: ModelSize) -> None:
    """Add a branch for each input; the node put last has what all of them say, side by side."""
    joined = list[str]()
    for field in inputs:
        draft.put(field.name, "Input", field=field.name, shape=field.shape, dtype=field.dtype)
        joined += _branch(draft, field, size)
    if len(joined) > 1:
        _add_joined(draft, "join", joined)


def _branch(draft: Draft, field: FieldInfo, size: ModelSize) -> list[str]:
    """Add what reads a field, whose node was put last; return the nodes to be joined, each of which
    gives a vector a sample.
    """
    prefix = f"{field.name}_"
    if field.has_channels:
        return [_add_features(draft, field, size, prefix)]
    if field.kind == "sequence":
        return [add_recurrent(draft, field, "small", prefix)]
    if field.kind == "categories" and 1 <= len(field.vocabularies) <= _MOST_EMBEDDINGS:
        return _add_embeddings(draft, field, size)
    if field.kind == "categories" or field.dtype == "int64":
        rows = (field.highest or 0) + 1
        width = _category_width(rows, size)
        draft.put(f"{prefix}embedding", "Embedding", num_embeddings=rows, embedding_dim=width)
        draft.put(f"{prefix}flat", "Flatten")
        return [f"{prefix}flat"]
    return [field.name]


def _add_features(draft: Draft, field: FieldInfo, size: ModelSize, prefix: str) -> str:
    """Add convolutions to a picture, a sound or a video; return the node with the features."""
    if field.kind == "video":
        return _add_video_convolutions(draft, field, size, prefix)
    if field.kind == "sound" and len(field.shape) == 2:
        return _add_wave_convolutions(draft, field, size, prefix)
    return _add_convolutions(draft, field, size, prefix)


def _add_embeddings(draft: Draft, field: FieldInfo, size: ModelSize) -> list[str]:
    """Add an embedding of its own for each category, as wide as it has values in all samples: the
    training part of another split may have those that are missing in this one.
    """
    count = len(field.vocabularies)
    split = f"{field.name}_split"
    draft.put(split, "unbind", count=count, dim=1)
    embeddings = embeddings_of(field)
    for number, (name, rows) in enumerate(embeddings.items()):
        draft.put(name, "Embedding", after=f"{split}.output.{number}",
                  num_embeddings=rows, embedding_dim=_category_width(rows, size))  # fmt: skip
    return [*embeddings]


def embeddings_of(field: FieldInfo) -> dict[str, int]:
    """Return what the embeddings of categories are called, by their columns where these can be
    names, and how many values each has.
    """
    found: dict[str, int] = {}
    for number, values in enumerate(field.vocabularies):
        rows = field.column_sizes[number] if number < len(field.column_sizes) else len(values)
        column = field.columns[number] if number < len(field.columns) else ""
        plain = column.isascii() and f"{column}_embedding".isidentifier()
        name = f"{column}_embedding" if plain else f"{field.name}_embedding{number + 1}"
        if name in found:
            name = f"{field.name}_embedding{number + 1}"
        found[name] = rows
    return found


def _category_width(values: int, size: ModelSize) -> int:
    """Return how many numbers stand for a category: a rule of thumb of tabular networks (Howard and
    Gugger: fastai, 2020).
    """
    return min(_WIDEST_EMBEDDING[size], round(1.6 * values**0.56))


def _pixel_model(inputs: Sequence[FieldInfo], classes: int, size: ModelSize) -> Graph | None:
    """Return a U-Net that halves the pictures until they are small; None without pictures of one
    size, or with an input that it cannot be given.
    """
    pictures = [each for each in inputs if each.kind in ("image", "mask")]
    others = [each for each in inputs if each not in pictures]
    sizes = {each.shape[1:] for each in pictures if len(each.shape) == 3}
    if len(sizes) != 1 or not all(map(_has_branch, inputs)):
        return None
    halvings = int(math.log2(max(min(min(sizes)) / _SMALLEST_SIDE, 1)))
    levels = max(1, min(halvings, _UNET_LEVELS[size]))
    channels = [_CHANNELS[size] << level for level in range(levels + 1)]
    dropout = 0.2 if size == "large" else 0.0
    return unet(pictures, classes, channels, dropout=dropout, beside=others)


def unet(
    pictures: Sequence[FieldInfo],
    classes: int,
    channels: Sequence[int],
    *,
    dropout: float = 0.0,
    beside: Sequence[FieldInfo] = (),
) -> Graph:
    """Return a U-Net (Ronneberger, Fischer, Brox: U-Net, 2015): features of so many ``channels``,
    at half the size each time, and up again, joined at each size with those on the way down. Where
    a side is odd a row or column is added on the way up, so that pictures of any size come out as
    they went in. Several pictures of a sample, all of one size, lie on each other as channels; what
    is known ``beside`` them is added to the features that are smallest.
    """
    draft = Draft({f"Double{each}": double_convolution(each) for each in channels})
    names = ["image", *(each.name for each in pictures[1:])]
    for name, field in zip(names, pictures, strict=True):
        draft.put(name, "Input", field=field.name, shape=field.shape)
    if len(names) > 1:
        _add_joined(draft, "pictures", names)
    height, width = pictures[0].shape[1:]
    odd: list[tuple[int, int]] = []
    for level, each in enumerate(channels[:-1], 1):
        draft.put(f"down{level}", f"block.Double{each}")
        draft.put(f"pool{level}", "MaxPool2d", kernel_size=2)
        odd.append((height % 2, width % 2))
        height, width = height // 2, width // 2
    draft.put("middle", f"block.Double{channels[-1]}")
    if beside:
        _add_beside(draft, beside, channels[-1])
    if dropout:
        draft.put("dropout", "Dropout", p=dropout)
    for level in range(len(odd), 0, -1):
        _join(draft, level, channels[level - 1], odd[level - 1])
    draft.put("head", "Conv2d", out_channels=classes, kernel_size=1)
    return draft.put("output", "Output").model()


def _add_beside(draft: Draft, fields: Sequence[FieldInfo], channels: int) -> None:
    """Add what a branch for each of some fields says to all places of the features put last."""
    known: list[str] = []
    for field in fields:
        draft.put(field.name, "Input", field=field.name, shape=field.shape, dtype=field.dtype)
        known += _branch(draft, field, "small")
    if len(known) > 1:
        _add_joined(draft, "known", known)
    draft.put("known_features", "Linear", out_features=channels)
    draft.put("everywhere", "Unflatten", dim=1, unflattened_size=(channels, 1, 1))
    draft.put("both", "add", after={"input": "middle", "other": "everywhere"})


def _add_joined(draft: Draft, name: str, nodes: Sequence[str]) -> None:
    """Add what joins the outputs of nodes along their channels."""
    ports = {f"tensors.{number}": node for number, node in enumerate(nodes)}
    draft.put(name, "cat", after=ports, dim=1)


def _join(draft: Draft, level: int, channels: int, odd: tuple[int, int]) -> None:
    """Add a way up: features at twice the size, those on the way down beside them."""
    up, down = f"up{level}", f"down{level}"
    params: dict[str, Value] = {"out_channels": channels, "kernel_size": 2, "stride": 2}
    params |= {"output_padding": odd} if any(odd) else {}
    draft.add(Node(id=up, type="ConvTranspose2d", name=up, params=params))
    draft.put(f"cat{level}", "cat", after={"tensors.0": up, "tensors.1": down}, dim=1)
    draft.put(f"across{level}", f"block.Double{channels}")


def double_convolution(channels: int) -> Block:
    """Return two convolutions of three by three, each normalised and rectified."""
    convolution: dict[str, Value] = {"out_channels": channels, "kernel_size": 3, "padding": 1}
    return sequential(
        ("conv1", "Conv2d", convolution),
        ("norm1", "BatchNorm2d", {}),
        ("relu1", "ReLU", {}),
        ("conv2", "Conv2d", convolution),
        ("norm2", "BatchNorm2d", {}),
        ("relu2", "ReLU", {}),
        note="Two convolutions of three by three, each normalised and rectified.",
    )


def _sequence_model(field: FieldInfo, target: FieldInfo, size: ModelSize) -> Graph | None:
    """Return a recurrent layer over embedded tokens or rows of numbers, and the mean over time; for
    a target of the same length a prediction at each place. The larger one for tokens is a small
    transformer.
    """
    is_each = target.kind == "sequence"
    if is_each and target.shape != field.shape:
        return None
    draft = Draft()
    is_attention = field.dtype == "int64" and 0 < field.shape[0] <= _LONGEST_ATTENTION
    if size == "large" and is_attention and len(field.shape) == 1:
        last = add_transformer(draft, field, is_causal=is_each)
    else:
        shape, dtype = field.shape, field.dtype
        draft.put(field.name, "Input", field=field.name, shape=shape, dtype=dtype)
        add_gru(draft, field, size)
        last = "gru.output"
    if not is_each:
        return _ended(draft.put("mean", "mean", after=last, dim=(1,)), target)
    draft.put("head", "Linear", after=last, out_features=len(target.classes))
    draft.put("classes_first", "transpose", dim0=1, dim1=2)  # as CrossEntropyLoss wants them
    return draft.put("output", "Output").model()


def _generating_model(
    inputs: Sequence[FieldInfo], target: FieldInfo, size: ModelSize
) -> Graph | None:
    """Return a model that writes a text; None where no input is the text before each token."""
    if all(field.kind == "sequence" for field in inputs) and len(inputs) == 2:
        return pair_model(inputs[0], inputs[1], target, size)
    return _caption_model(inputs, target, size)


def _caption_model(inputs: Sequence[FieldInfo], target: FieldInfo, size: ModelSize) -> Graph | None:
    """Return a decoder of a text beside what a branch for each other input says, from which its
    first state comes, in the manner of Show and tell (Vinyals et al.: A neural image caption
    generator, 2015): it reads the tokens so far, in training the true ones.
    """
    texts = [field for field in inputs if field.start is not None]
    others = [field for field in inputs if field.start is None]
    if len(texts) != 1 or texts[0].shape != target.shape or not all(map(_has_branch, others)):
        return None
    previous, width = texts[0], WORD_EMBEDDING[size]
    draft = Draft()
    _add_branches(draft, others, size)
    draft.put("summary", "Linear", out_features=2 * width).put("tanh", "Tanh")
    draft.put("first_state", "unsqueeze", dim=0)  # of one layer
    rows = (previous.highest or 0) + 1
    shape, dtype = previous.shape, previous.dtype
    draft.put(previous.name, "Input", field=previous.name, shape=shape, dtype=dtype)
    draft.put("embedding", "Embedding", num_embeddings=rows, embedding_dim=width)
    draft.put("decoder", "GRU", after={"input": "embedding", "hx": "first_state"},
              hidden_size=2 * width, batch_first=True)  # fmt: skip
    last = "decoder.output"
    if size == "large":
        draft.put("dropout", "Dropout", after=last, p=0.2)
        last = "dropout"
    draft.put("head", "Linear", after=last, out_features=len(target.classes))
    draft.put("classes_first", "transpose", dim0=1, dim1=2)  # as CrossEntropyLoss wants them
    return draft.put("output", "Output").model()
