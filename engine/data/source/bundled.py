"""Real data sets that ship inside scikit-learn: digits, iris, wine, breast cancer, diabetes.

The files are read where they lie: importing scikit-learn takes seconds, reading takes milliseconds.
A test compares every set with scikit-learn's own loader.
"""

import importlib.util
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn.functional import avg_pool2d, interpolate

from engine.catalog.spec import Value
from engine.data.source.field import (
    image_field,
    label_field,
    target_field,
    truth_field,
    vector_field,
)
from engine.data.source.parameter import check_size, int_param
from engine.data.source.tensors import TensorSource
from engine.diagnostics import DiagnosticError
from engine.spec.data import Task

_DIGIT_LEVELS = 16  # grey values of the digits run from 0 to 16
_DIGIT_SIDE = 8  # pixels
_CHANNELS = 3
_DARKEST_INK = 0.5  # of digits in color; the ground is darker
_MEAN_COLUMNS = (
    *(f"row {number}" for number in range(1, _DIGIT_SIDE + 1)),
    *(f"column {number}" for number in range(1, _DIGIT_SIDE + 1)),
    *("top left", "top right", "bottom left", "bottom right"),
)
_IRIS_COLUMNS = ("sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)")
_WINE_COLUMNS = (
    "alcohol",
    "malic acid",
    "ash",
    "alcalinity of ash",
    "magnesium",
    "total phenols",
    "flavanoids",
    "nonflavanoid phenols",
    "proanthocyanins",
    "color intensity",
    "hue",
    "od280/od315 of diluted wines",
    "proline",
)
_CELL_MEASURES = (
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave points",
    "symmetry",
    "fractal dimension",
)
_BREAST_CANCER_COLUMNS = (
    *(f"mean {measure}" for measure in _CELL_MEASURES),
    *(f"{measure} error" for measure in _CELL_MEASURES),
    *(f"worst {measure}" for measure in _CELL_MEASURES),
)
_DIABETES_COLUMNS = ("age", "sex", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6")


def load_digits(params: Mapping[str, Value]) -> TensorSource:
    """Return 1,797 handwritten digits with ``label``: ``image`` (1 x size x size, float32 from 0 to
    1; the scans have 8 pixels a side, others are interpolated between; 3 channels for the mode RGB:
    each bright in a color on a dark ground of another), or ``features`` (20): the mean of each row,
    column and quarter.
    """
    table = _read("digits.csv.gz", skip=0)
    images = torch.tensor(table[:, :-1], dtype=torch.float32) / _DIGIT_LEVELS
    images = images.reshape(-1, 1, _DIGIT_SIDE, _DIGIT_SIDE)
    size = int_param(params, "size")
    if params.get("kind") == "vector":
        inputs = vector_field("features", _means(images.squeeze(1)), _MEAN_COLUMNS)
    else:
        check_size(len(images) * size * size * _CHANNELS)
        if size != _DIGIT_SIDE:
            images = interpolate(images, size=(size, size), mode="bilinear", antialias=True)
        inputs = image_field(_colored(images) if params.get("mode") == "RGB" else images)
    label = label_field(torch.tensor(table[:, -1]), tuple(str(digit) for digit in range(10)))
    return TensorSource(task="classification", fields=(inputs, label))


def _colored(images: Tensor) -> Tensor:
    """Return images (samples, 1, H, W) in colors (samples, 3, H, W), always the same ones."""
    generator = torch.Generator().manual_seed(0)
    colors = torch.rand(2, len(images), _CHANNELS, 1, 1, generator=generator)
    ground, ink = _DARKEST_INK * colors[0], _DARKEST_INK + (1 - _DARKEST_INK) * colors[1]
    return ground + (ink - ground) * images


def _means(images: Tensor) -> Tensor:
    """Return the means (samples, 20) of rows, columns and quarters of images (samples, 8, 8)."""
    quarters = avg_pool2d(images.unsqueeze(1), _DIGIT_SIDE // 2).flatten(1)
    return torch.cat((images.mean(dim=2), images.mean(dim=1), quarters), dim=1)


def load_iris(params: Mapping[str, Value]) -> TensorSource:
    """Return 150 flowers of three kinds: ``features`` (4, in cm) and ``label``."""
    del params
    classes = ("setosa", "versicolor", "virginica")
    return _classified("iris.csv", _IRIS_COLUMNS, classes, "classification")


def load_wine(params: Mapping[str, Value]) -> TensorSource:
    """Return 178 wines of three growers: ``features`` (13 chemical measures) and ``label``."""
    del params
    classes = ("class_0", "class_1", "class_2")
    return _classified("wine_data.csv", _WINE_COLUMNS, classes, "classification")


def load_breast_cancer(params: Mapping[str, Value]) -> TensorSource:
    """Return 569 tumours: ``features`` (30 measures of the cells) and ``label``."""
    del params
    classes = ("malignant", "benign")
    return _classified("breast_cancer.csv", _BREAST_CANCER_COLUMNS, classes, "binary")


def load_diabetes(params: Mapping[str, Value]) -> TensorSource:
    """Return 442 patients: ``features`` (10, in their own units) and ``target``, the progression
    of the disease after a year, shape (1,).
    """
    del params
    features = torch.tensor(_read("diabetes_data_raw.csv.gz", skip=0, delimiter=None))
    target = torch.tensor(_read("diabetes_target.csv.gz", skip=0, delimiter=None))
    return TensorSource(
        task="regression",
        fields=(
            vector_field("features", features, _DIABETES_COLUMNS),
            target_field(target.reshape(-1, 1)),
        ),
    )


def _classified(
    file: str, columns: tuple[str, ...], classes: tuple[str, ...], task: Task
) -> TensorSource:
    table = torch.tensor(_read(file, skip=1))
    fields = (vector_field("features", table[:, :-1], columns), label_field(table[:, -1], classes))
    if task == "binary":
        fields = (*fields, truth_field(table[:, -1]))
    return TensorSource(task=task, fields=fields)


def _read(file: str, skip: int, delimiter: str | None = ",") -> np.ndarray:
    """Return the numbers of a table in scikit-learn's data folder, float64."""
    package = importlib.util.find_spec("sklearn")
    if package is None or package.origin is None:
        raise DiagnosticError.of("D001", file=file)
    path = Path(package.origin).parent / "datasets" / "data" / file
    try:
        return np.loadtxt(path, delimiter=delimiter, skiprows=skip)
    except (OSError, ValueError) as error:
        raise DiagnosticError.of("D001", detail=str(error), file=file) from error
