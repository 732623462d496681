"""Metrics of retrieval: the samples of one query are ranked by what the model says of them."""

from collections.abc import Mapping
from types import MappingProxyType

from engine.spec.run import COLLATES, DataSpec

RETRIEVAL_METRICS: Mapping[str, int | None] = MappingProxyType(
    {
        "retrieval_map": None,
        "retrieval_mrr": None,
        "retrieval_ndcg": None,
        "retrieval_ndcg_10": 10,
        "retrieval_precision_5": 5,
        "retrieval_recall_5": 5,
        "retrieval_hit_5": 5,
    }
)
"""How many samples at the top of a ranking a metric looks at, None for all, by its key."""

GRADED = ("retrieval_ndcg", "retrieval_ndcg_10")
"""Those that take grades of relevance (numbers from 0 on), too."""

_RELEVANT_OR_NOT = 2


def fits_ranking(metric: str, task: str, classes: int) -> bool:
    """Return whether what is predicted ranks samples, where a metric needs that: samples are
    relevant or not (two classes), or have a grade.
    """
    if metric not in RETRIEVAL_METRICS:
        return True
    if task == "regression":
        return metric in GRADED
    return task == "binary" or (task == "classification" and classes == _RELEVANT_OR_NOT)


def query_column(data: DataSpec) -> str:
    """Return the column that says which query a sample belongs to: that of a split by groups, else
    that of the role group; empty where neither is chosen, or where one's own code makes batches.
    """
    if data.collate not in COLLATES:
        return ""
    if data.split.kind == "group" and data.split.column.strip():
        return data.split.column.strip()
    return str(data.source.params.get("group") or "").strip().strip('"')
