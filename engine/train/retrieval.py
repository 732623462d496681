"""Rankings of the samples of each query, as metrics of retrieval judge them."""

import warnings
from collections.abc import Sequence
from typing import cast

import torch
from torch import Tensor

from engine.data.load.load import LoadedData
from engine.data.source.column import read_column
from engine.data.source.source import Part
from engine.spec.retrieval import RETRIEVAL_METRICS, query_column
from engine.spec.run import RunSpec

QUERY = "query of each sample"
"""What a batch calls the numbers of the queries of its samples; no field has this name."""

_KINDS = {
    "retrieval_map": "RetrievalMAP",
    "retrieval_mrr": "RetrievalMRR",
    "retrieval_ndcg": "RetrievalNormalizedDCG",
    "retrieval_ndcg_10": "RetrievalNormalizedDCG",
    "retrieval_precision_5": "RetrievalPrecision",
    "retrieval_recall_5": "RetrievalRecall",
    "retrieval_hit_5": "RetrievalHitRate",
}
_RELEVANT = 1  # the class of those that are


def part_queries(spec: RunSpec, data: LoadedData, part: Part) -> Tensor | None:
    """Return the number (int64) of the query of each sample of a part, (samples,); None where no
    metric asks for it. Raises :class:`DiagnosticError` for a column that the data has not.
    """
    column = query_column(spec.data)
    if not column or not any(name in RETRIEVAL_METRICS for name in spec.metrics):
        return None
    return read_column(data.source, column, "metrics").codes()[data.indices[part]]


def ranked(task: str, predicted: Tensor, target: Tensor) -> tuple[Tensor, Tensor] | None:
    """Return by what samples are ranked and how relevant they are, both (samples,); None where a
    sample has several predictions. Both are as :meth:`Comparison.prepared` gives them.
    """
    samples = len(target)
    if task == "classification":
        if predicted.shape != (samples, 2) or target.ndim != 1:
            return None
        return (predicted[:, _RELEVANT] - predicted[:, 1 - _RELEVANT]).float(), target
    if predicted.numel() != samples or target.numel() != samples:
        return None
    return predicted.flatten().float(), target.flatten()


class RankingTally:
    """Keeps what is predicted of samples, how relevant they are, and their queries. A query without
    a relevant sample does not count.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = [name for name in names if name in RETRIEVAL_METRICS]
        self._seen: list[list[Tensor]] = []

    def add(self, scores: Tensor, relevance: Tensor, queries: Tensor) -> None:
        """Count samples, each tensor of shape (samples,)."""
        if self._names:
            self._seen.append([each.detach().cpu() for each in (scores, relevance, queries)])

    def values(self) -> dict[str, float]:
        """Return the metrics by name; none where no query has a relevant sample, or where a grade
        of relevance is negative.
        """
        if not self._seen:
            return {}
        scores, relevance, queries = (torch.cat(each) for each in zip(*self._seen, strict=True))
        if not bool((relevance > 0).any()) or bool((relevance < 0).any()):
            return {}
        places = scores.unique(return_inverse=True)[1]  # torchmetrics leaves out scores below 0
        scores = (places + 1).double() / len(places)
        return {name: _value(name, scores, relevance, queries) for name in self._names}

    def reset(self) -> None:
        """Begin anew."""
        self._seen = []

    def state_dict(self) -> dict[str, object]:
        """Return what was counted: those of several processes add up by concatenation."""
        return {"seen": [list(each) for each in self._seen]}

    def load_state_dict(self, state: dict[str, object]) -> None:
        """Go on from what :meth:`state_dict` returned."""
        seen = cast("list[list[Tensor]]", state.get("seen", []))
        self._seen = [[each.cpu() for each in batch] for batch in seen]


def _value(name: str, scores: Tensor, relevance: Tensor, queries: Tensor) -> float:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that torchmetrics looks for
        from torchmetrics import retrieval

    top = RETRIEVAL_METRICS[name]
    chosen = {} if top is None else {"top_k": top}
    metric = getattr(retrieval, _KINDS[name])(
        empty_target_action="skip", sync_on_compute=False, **chosen
    )
    metric.update(scores, relevance, indexes=queries)
    return float(metric.compute())
