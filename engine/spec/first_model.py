"""First models: for each kind of data a small and a larger one that can be trained at once.

Sizes of inputs and outputs come from the description of the data. They are ordinary models on the
canvas, to be changed from there.
"""

import math
from typing import Literal

from engine.graph.draft import Draft
from engine.graph.model import Graph
from engine.spec.data import DataInfo, FieldInfo

ModelSize = Literal["small", "large"]

_HIDDEN = {"small": 64, "large": 256}
_SMALLEST_SIDE = 4  # pixels of the last feature maps
_LEAST_STAGES, _MOST_STAGES = 2, 5
_CHANNELS = {"small": 16, "large": 32}
_MOST_CHANNELS = 256
_EMBEDDING = {"small": 8, "large": 16}
_WORD_EMBEDDING = {"small": 32, "large": 128}


def first_model(info: DataInfo, size: ModelSize = "small") -> Graph | None:
    """Return a model from the inputs of the data to its target; None where its kind of data has
    none. ``small`` trains in minutes on a CPU, ``large`` wants more samples and time.
    """
    inputs = [field for field in info.fields if field.role == "input"]
    outputs = _outputs(info)
    kinds = {field.kind for field in inputs}
    if not inputs or not outputs:
        return None
    if kinds == {"image"} and len(inputs) == 1 and len(inputs[0].shape) == 3:
        return _image_model(inputs[0], outputs, size)
    if kinds == {"sequence"} and len(inputs) == 1:
        return _sequence_model(inputs[0], outputs, size)
    if kinds <= {"vector", "point", "scalar", "categories"}:
        return _table_model(inputs, outputs, size)
    return None


def _outputs(info: DataInfo) -> int:
    """Return how many numbers the model has to give for a sample; 0 where there is no target."""
    targets = [field for field in info.fields if field.role == "target"]
    label = next((field for field in targets if field.kind == "class" and not field.shape), None)
    if label is not None:
        return len(label.classes)
    number = next((field for field in targets if field.kind in ("scalar", "vector")), None)
    return 0 if number is None else math.prod(number.shape)


def _image_model(field: FieldInfo, outputs: int, size: ModelSize) -> Graph:
    """Return convolutions that halve the picture until it is small, and the mean over the rest."""
    side = min(field.shape[1:])
    halvings = int(math.log2(max(side / _SMALLEST_SIDE, 1)))
    draft = Draft().put("image", "Input", field=field.name, shape=field.shape)
    channels = _CHANNELS[size]
    for stage in range(1, min(max(halvings, _LEAST_STAGES), _MOST_STAGES) + 1):
        for part in ("a", "b") if size == "large" else ("",):
            name = f"conv{stage}{part}"
            draft.put(name, "Conv2d", out_channels=channels, kernel_size=3, padding=1, bias=False)
            draft.put(f"norm{stage}{part}", "BatchNorm2d").put(f"relu{stage}{part}", "ReLU")
        if stage <= halvings:
            draft.put(f"pool{stage}", "MaxPool2d", kernel_size=2)
        channels = min(2 * channels, _MOST_CHANNELS)
    draft.put("mean", "AdaptiveAvgPool2d", output_size=1).put("flatten", "Flatten")
    if size == "large":
        draft.put("dropout", "Dropout", p=0.2)
    return draft.put("head", "Linear", out_features=outputs).put("output", "Output").model()


def _table_model(inputs: list[FieldInfo], outputs: int, size: ModelSize) -> Graph:
    """Return a perceptron over the numbers and the embeddings of the categories."""
    draft, joined = Draft(), list[str]()
    for field in inputs:
        draft.put(field.name, "Input", field=field.name, shape=field.shape, dtype=field.dtype)
        last = field.name
        if field.kind == "categories" or field.dtype == "int64":
            last = f"{field.name}_embedding"
            rows = (field.highest or 0) + 1
            draft.put(last, "Embedding", num_embeddings=rows, embedding_dim=_EMBEDDING[size])
            last = f"{field.name}_flat"
            draft.put(last, "Flatten")
        joined.append(last)
    if len(joined) > 1:
        ports = {f"tensors.{number}": name for number, name in enumerate(joined)}
        draft.put("join", "cat", after=ports, dim=1)
    hidden = _HIDDEN[size]
    for number in range(1, 3 if size == "small" else 4):
        draft.put(f"hidden{number}", "Linear", out_features=hidden).put(f"relu{number}", "ReLU")
        if size == "large":
            draft.put(f"dropout{number}", "Dropout", p=0.1)
    return draft.put("head", "Linear", out_features=outputs).put("output", "Output").model()


def _sequence_model(field: FieldInfo, outputs: int, size: ModelSize) -> Graph:
    """Return an embedding, a recurrent layer, and the mean over time."""
    width = _WORD_EMBEDDING[size]
    draft = Draft().put(field.name, "Input", field=field.name, shape=field.shape, dtype=field.dtype)
    rows = (field.highest or 0) + 1
    draft.put("embedding", "Embedding", num_embeddings=rows, embedding_dim=width)
    draft.put("gru", "GRU", hidden_size=2 * width, batch_first=True)
    draft.put("mean", "mean", after="gru.output", dim=(1,))
    return draft.put("head", "Linear", out_features=outputs).put("output", "Output").model()
