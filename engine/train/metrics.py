"""Metrics of a run: the mean loss, torchmetrics chosen by what is predicted, and the user's own.

torchmetrics is imported when the first value is due: that takes seconds, which the first steps
of a run need not wait for. Predictions are buffered, and metrics updated with many at a time.
"""

import warnings
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor

from engine.diagnostics import DiagnosticError
from engine.spec.choice import NO_CODE, Code
from engine.spec.defaults import (
    BLEU,
    CLASS_IOU,
    CLASS_METRICS,
    MASK_PREFIX,
    NUMBER_METRICS,
    TOP_METRICS,
)
from engine.spec.retrieval import RETRIEVAL_METRICS, fits_ranking
from engine.spec.series import (
    chosen_metrics,
    fits_classes,
    fits_numbers,
    is_custom_metric,
)
from engine.train.average_precision import BoxTally
from engine.train.comparison import Comparison
from engine.train.custom_metric import CustomMetric, Measured
from engine.train.each_metric import determination, of_each_class, of_each_number
from engine.train.losses import Batch, Outputs
from engine.train.ranks.world import ALONE, World
from engine.train.retrieval import QUERY, RankingTally, ranked

if TYPE_CHECKING:
    from torchmetrics import Metric

MeterState = dict[str, object]
"""State of a partial epoch: tensors and plain values."""

_BUFFER_ELEMENTS = 1 << 16
_NO_SYNC = {"sync_on_compute": False}  # states of several ranks are merged here


class EpochMeter:
    """Mean loss and metrics over the batches of an epoch or of a part.

    Its result does not depend on where the epoch was interrupted: the buffer goes into the
    checkpoint as it is. ``code`` is the user's own, of which metrics can be; ``others`` measure
    further outputs of the model, whose metrics come with their names before them.
    """

    def __init__(
        self,
        names: Sequence[str],
        comparison: Comparison,
        device: torch.device,
        world: World = ALONE,
        code: Code = NO_CODE,
        *,
        others: "Mapping[str, EpochMeter]" = MappingProxyType({}),
    ) -> None:
        self._world = world
        self._others = others
        self._comparison = comparison
        self._device = device
        numbers = len(comparison.numbers)
        self._names = chosen_metrics(names, comparison.metric_task, comparison.classes, numbers)
        self._metrics: dict[str, Metric] = {}
        boxes, classes = comparison.boxes, comparison.classes
        self._tally = None if boxes is None else BoxTally(classes)
        self._mask_tally = BoxTally(classes) if boxes is not None and boxes.masks else None
        self._ranking = RankingTally(self._names)
        self._buffer: list[tuple[Tensor, Tensor]] = []
        self._elements = 0
        self._loss_sum = 0.0
        self._samples = 0
        own = [name for name in self._names if is_custom_metric(name) and boxes is None]
        usual = [name for name in self._names if name not in own]
        check_names(usual, comparison.metric_task, classes, numbers)
        self._code = code
        self._own = {name: self._made_own(name) for name in own}

    def add_loss(self, value: float, samples: int) -> None:
        """Count the mean loss of a batch."""
        self._loss_sum += value * samples
        self._samples += samples

    def observe(self, outputs: Outputs, batch: Batch) -> None:
        """Buffer the predictions of a batch until there are enough to update metrics at once; what
        a detector finds is counted.
        """
        for other in self._others.values():
            other.observe(outputs, batch)
        if self._comparison.boxes is not None:
            found = self._comparison.boxes.pick(outputs, batch) if self._names else None
            if found is not None and self._tally is not None:
                self._tally.add(*found)
            if found is not None and self._mask_tally is not None:
                overlaps = self._comparison.boxes.overlaps(outputs, batch)
                if overlaps is not None:
                    self._mask_tally.add(*found, overlaps)
            return
        pair = self._comparison.pick(outputs, batch)
        if pair is None or not self._names:
            return
        if QUERY in batch:
            rows = ranked(self._comparison.task, *self._comparison.prepared(*pair))
            if rows is not None:
                self._ranking.add(*rows, batch[QUERY])
        self._buffer.append(pair)
        self._elements += pair[0].numel()
        if self._elements >= _BUFFER_ELEMENTS:
            self._update()

    @property
    def needs_texts(self) -> bool:
        """Whether a metric compares texts that the model writes of its own."""
        return BLEU in self._names

    def observe_texts(self, written: Sequence[list[str]], true: Sequence[list[str]]) -> None:
        """Count the words of texts that the model wrote, beside those that are right."""
        self._make_metrics()
        texts = [" ".join(words) for words in written]
        self._metrics[BLEU].update(texts, [[" ".join(words)] for words in true])

    def compute(self) -> dict[str, float]:
        """Return the mean loss (``loss``) and the metrics by name; empty before the first batch.

        A metric that is not defined for so few samples is left out. A collective where there are
        several ranks, once for all metrics: torchmetrics would call one for each number.
        """
        self._update()
        if self._world.size > 1:
            whole = self._empty()
            whole.load_state_dict(merged_states(self._world.gather(self.state_dict(), MeterState)))
            return whole.compute()
        values = {"loss": self._loss_sum / self._samples} if self._samples else {}
        if self._tally is not None:
            averages = self._tally.values()
            if self._mask_tally is not None:
                masks = self._mask_tally.values()
                averages |= {f"{MASK_PREFIX}{name}": value for name, value in masks.items()}
            values |= {name: averages[name] for name in self._names if name in averages}
        for name, metric in self._metrics.items():
            if not metric.update_called:
                continue  # all steps of the epoch were left out
            if name in CLASS_METRICS:
                values |= of_each_class(name, metric, self._comparison.names)
                continue
            if name in NUMBER_METRICS:
                values |= of_each_number(name, metric, self._comparison.numbers)
                continue
            if name == "r2":
                scores = determination(metric)
                values |= {} if scores is None else {name: float(scores.mean())}
                continue
            values[name] = float(metric.compute())
        values |= self._ranking.values()
        for own in self._own.values():
            values |= own.compute() if own.is_updated else {}
        for name, other in self._others.items():
            values |= {f"{name}:{key}": value for key, value in other.compute().items()}
        return values

    def reset(self) -> None:
        """Begin a new epoch."""
        for other in self._others.values():
            other.reset()
        self._buffer, self._elements, self._loss_sum, self._samples = [], 0, 0.0, 0
        for metric in self._metrics.values():
            metric.reset()
        for own in self._own.values():
            own.reset()
        self._ranking.reset()
        for tally in (self._tally, self._mask_tally):
            if tally is not None:
                tally.reset()

    def state_dict(self) -> dict[str, object]:
        """Return the partial epoch for a checkpoint: tensors and plain values."""
        others = {name: other.state_dict() for name, other in self._others.items()}
        return {
            "loss_sum": self._loss_sum,
            "samples": self._samples,
            "elements": self._elements,
            "buffer": [list(pair) for pair in self._buffer],
            "metrics": {
                name: {"count": metric.update_count, "values": dict(metric.metric_state)}
                for name, metric in self._metrics.items()
                if metric.update_called
            },
            "own": {name: own.states() for name, own in self._own.items()},
            "ranking": self._ranking.state_dict(),
            **({} if self._tally is None else {"boxes": self._tally.state_dict()}),
            **({} if self._mask_tally is None else {"masks": self._mask_tally.state_dict()}),
            **({"others": others} if others else {}),
        }

    def load_state_dict(self, state: dict[str, object]) -> None:
        """Go on from a partial epoch; of several ranks the first, with the states of all."""
        self.reset()
        self._loss_sum = cast("float", state["loss_sum"])
        self._samples = cast("int", state["samples"])
        self._elements = cast("int", state["elements"])
        buffer = cast("list[list[Tensor]]", state["buffer"])
        self._buffer = [(pair[0].to(self._device), pair[1].to(self._device)) for pair in buffer]
        if self._tally is not None:
            self._tally.load_state_dict(cast("dict[str, object]", state["boxes"]))
        if self._mask_tally is not None:
            self._mask_tally.load_state_dict(cast("dict[str, object]", state["masks"]))
        self._ranking.load_state_dict(cast("dict[str, object]", state.get("ranking", {})))
        own = cast("dict[str, list[dict[str, object]]]", state.get("own", {}))
        for name, states in own.items():
            if name in self._own:
                self._own[name].load(states, self._device)
        others = cast("dict[str, dict[str, object]]", state.get("others", {}))
        for name, content in others.items():
            if name in self._others:
                self._others[name].load_state_dict(content)
        saved = cast("dict[str, dict[str, object]]", state["metrics"])
        if not saved:
            return
        self._make_metrics()
        for name, content in saved.items():
            if name in self._metrics:
                _restore(self._metrics[name], content, self._device)

    def _empty(self) -> "EpochMeter":
        """Return a meter of the same that has seen nothing and counts alone."""
        others = {name: other._empty() for name, other in self._others.items()}  # noqa: SLF001 - of this class
        return EpochMeter(
            self._names, self._comparison, self._device, code=self._code, others=others
        )

    def _update(self) -> None:
        if not self._buffer:
            return
        self._make_metrics()
        predicted = torch.cat([pair[0] for pair in self._buffer])
        target = torch.cat([pair[1] for pair in self._buffer])
        self._buffer, self._elements = [], 0
        predicted, target = self._comparison.prepared(predicted, target)
        for name, metric in self._metrics.items():
            if name == BLEU:  # of texts that are written: observe_texts
                continue
            if _is_double(name, self._device):
                metric.update(predicted.double(), target.double())
            elif name == "perplexity":
                metric.update(_by_position(predicted), target.reshape(len(target), -1))
            else:
                metric.update(predicted, target)
        for own in self._own.values():
            own.update(predicted, target)

    def _make_metrics(self) -> None:
        if not self._metrics:
            self._metrics = {
                name: _on_device(_metric(name, self._comparison), name, self._device)
                for name in self._names
                if name not in self._own and name not in RETRIEVAL_METRICS
            }

    def _made_own(self, name: str) -> CustomMetric:
        import_metrics()
        measured = Measured(self._comparison.names, self._comparison.ignored)
        return CustomMetric(name, self._code, measured, self._device)


def merged_states(states: Sequence[dict[str, object]]) -> dict[str, object]:
    """Return the partial epochs of several ranks as one: numbers and tensors are added, lists are
    concatenated. That merges the states of all metrics of this program.
    """
    merged: dict[str, object] = {}
    for state in states:
        for name, value in state.items():
            merged[name] = _merged(merged[name], value) if name in merged else value
    return merged


def check_names(names: Sequence[str], task: str, classes: int = 0, numbers: int = 0) -> None:
    """Raise :class:`DiagnosticError` R119 when a metric does not exist for a task, or not for so
    few classes or numbers.
    """
    available = REGRESSION | _EACH_NUMBER if task == "regression" else CLASSES
    if task == "classification":
        available = CLASSES | _WEIGHTED | _EACH_CLASS | _TOP | _TOKENS
    elif task == "segmentation":
        available = CLASSES | _WEIGHTED | _EACH_CLASS | _PIXELS
    elif task == "detection":
        available = _BOXES
    elif task == "instances":
        available = _BOXES | _MASKS
    rankings = {name for name in RETRIEVAL_METRICS if fits_ranking(name, task, classes)}
    fitting = (name for name in available if fits_classes(name, classes))
    available = {*rankings, *(name for name in fitting if fits_numbers(name, numbers))}
    for name in names:
        if name not in available:
            raise DiagnosticError.of(
                "R119", field="metrics", name=name, task=task, known=", ".join(sorted(available))
            )


CLASSES = {
    "accuracy": "Accuracy",
    "precision": "Precision",
    "recall": "Recall",
    "f1": "F1Score",
    "auroc": "AUROC",
    "specificity": "Specificity",
    "average_precision": "AveragePrecision",
    "cohen_kappa": "CohenKappa",
    "matthews": "MatthewsCorrCoef",
    "jaccard": "JaccardIndex",
}
_WEIGHTED = {"weighted_precision": "Precision", "weighted_f1": "F1Score"}
_EACH_CLASS = {"class_precision": "Precision", "class_recall": "Recall", "class_f1": "F1Score"}
_TOP = dict.fromkeys(TOP_METRICS, "Accuracy")
_PIXELS = {"iou": "JaccardIndex", CLASS_IOU: "JaccardIndex", "dice": "F1Score"}
"""Of two areas: what they share over their union, and twice what they share over their sum, which
is the F1 score of the pixels. All are of the counts of all pixels of a part; but for the one of
each class they are means over the classes that occur."""
_BOXES = dict.fromkeys(("map", "map_50", "map_75"), "")  # of BoxTally
_MASKS = {f"{MASK_PREFIX}{name}": "" for name in _BOXES}
_TOKENS = {"perplexity": "Perplexity", BLEU: "BLEUScore"}
REGRESSION = {
    "mae": "MeanAbsoluteError",
    "mse": "MeanSquaredError",
    "rmse": "MeanSquaredError",
    "r2": "R2Score",
    "mape": "MeanAbsolutePercentageError",
    "smape": "SymmetricMeanAbsolutePercentageError",
    "explained_variance": "ExplainedVariance",
}
_EACH_NUMBER = {name: REGRESSION[kind] for name, kind in NUMBER_METRICS.items()}

_OF_VARIANCE = ("r2", "number_r2", "explained_variance")


def import_metrics() -> None:
    """Import torchmetrics (seconds, once)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that torchmetrics looks for
        import torchmetrics  # noqa: F401 - for its effect  # pyright: ignore[reportUnusedImport]


def _metric(name: str, comparison: Comparison) -> "Metric":
    import_metrics()
    from torchmetrics import classification, regression, text

    if comparison.task == "regression":
        kind = getattr(regression, (REGRESSION | _EACH_NUMBER)[name])
        if name in ("number_mae", "number_rmse"):
            options = {"squared": False} if name == "number_rmse" else {}
            return kind(num_outputs=len(comparison.numbers), **options, **_NO_SYNC)
        return kind(squared=False, **_NO_SYNC) if name == "rmse" else kind(**_NO_SYNC)
    if comparison.task == "binary":
        return getattr(classification, f"Binary{CLASSES[name]}")(validate_args=False, **_NO_SYNC)
    if name == BLEU:
        return text.BLEUScore(sync_on_compute=False)
    if name == "perplexity":
        return getattr(text, _TOKENS[name])(ignore_index=comparison.ignored, **_NO_SYNC)
    known = CLASSES | _WEIGHTED | _EACH_CLASS | _TOP | _PIXELS
    kind = getattr(classification, f"Multiclass{known[name]}")
    options: dict[str, object] = {"ignore_index": comparison.ignored, "validate_args": False}
    if name == "accuracy" or name in _TOP:  # of the samples that are right, no mean of classes
        options["average"] = "micro"
    if name in _TOP:
        options["top_k"] = TOP_METRICS[name]
    if name in _WEIGHTED:
        options["average"] = "weighted"
    if name in _EACH_CLASS:
        options["average"] = "none"
    return kind(comparison.classes, **options, **_NO_SYNC)


def _on_device(metric: "Metric", name: str, device: torch.device) -> "Metric":
    metric = metric.set_dtype(torch.float64) if _is_double(name, device) else metric
    return metric.to(device)


def _is_double(name: str, device: torch.device) -> bool:
    """Return whether a metric is of the variance, which subtracts sums of squares: float32 leaves
    little of these where the mean is large beside the deviation, as of years.
    """
    return name in _OF_VARIANCE and device.type != "mps"  # which knows no float64


def _by_position(scores: Tensor) -> Tensor:
    """Return scores (samples, classes, ...) as (samples, positions, classes)."""
    return scores.reshape(*scores.shape[:2], -1).transpose(1, 2)


def _merged(first: object, second: object) -> object:
    match first, second:
        case dict(), dict():
            states = cast("list[dict[str, object]]", [first, second])
            return merged_states(states)
        case list(), list():
            return [*cast("list[object]", first), *cast("list[object]", second)]
        case Tensor(), Tensor():
            return first + second
        case ((int() | float()), (int() | float())):
            return first + second
        case _:
            raise TypeError(f"{type(first).__name__} and {type(second).__name__} do not add up")


def _restore(metric: "Metric", content: dict[str, object], device: torch.device) -> None:
    for name, value in cast("dict[str, Tensor | list[Tensor]]", content["values"]).items():
        if name not in metric.metric_state:
            raise ValueError(f"{name} is no part of the state of a metric")
        if isinstance(value, list):
            setattr(metric, name, [item.to(device) for item in value])
        else:
            setattr(metric, name, value.to(device))
    metric._update_count = cast("int", content["count"])  # noqa: SLF001  # pyright: ignore[reportPrivateUsage] - compute() warns without it
