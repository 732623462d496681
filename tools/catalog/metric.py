"""Metrics, described by hand."""

from engine.catalog.spec import Entry, EntryGroup
from engine.spec.retrieval import RETRIEVAL_METRICS

BOTH = ("classification", "binary")
CLASSES = ("classification",)
CLASSES_OR_PIXELS = ("classification", "segmentation")
PIXELS = ("segmentation",)
BOXES = ("detection", "instances")
MASKS = ("instances",)
ANY_CLASSES = (*BOTH, *PIXELS)
REGRESSION = ("regression",)
RANKED = ("binary", "classification")
GRADED = (*RANKED, *REGRESSION)

METRICS: tuple[tuple[str, str, tuple[str, ...], str, str], ...] = (
    ("accuracy", "Accuracy", ANY_CLASSES, "Accuracy",
     "The fraction of samples that are classified correctly."),
    ("precision", "Precision", ANY_CLASSES, "Precision",
     "The fraction of predictions for a class that are correct, averaged over classes."),
    ("recall", "Recall", ANY_CLASSES, "Recall",
     "The fraction of samples of a class that are found, averaged over classes."),
    ("f1", "F1", ANY_CLASSES, "F1Score", "The harmonic mean of precision and recall."),
    ("auroc", "AUROC", ANY_CLASSES, "AUROC",
     "The probability that a sample of the class scores higher than one of another class."),
    ("specificity", "Specificity", ANY_CLASSES, "Specificity",
     "The fraction of samples outside a class that are not assigned to it, averaged over classes."),
    ("average_precision", "Average precision", ANY_CLASSES, "AveragePrecision",
     "The area under the precision-recall curve."),
    ("cohen_kappa", "Cohen's kappa", ANY_CLASSES, "CohenKappa",
     "Agreement beyond chance: 1 is perfect, 0 is chance."),
    ("matthews", "Matthews correlation", ANY_CLASSES, "MatthewsCorrCoef",
     "The correlation of predicted and true classes; suitable for imbalanced classes."),
    ("jaccard", "Jaccard index", ANY_CLASSES, "JaccardIndex",
     "The intersection of predicted and true samples over their union, averaged over classes."),
    ("top_3", "Top-3 accuracy", CLASSES, "Accuracy",
     "The fraction of samples whose class is among the 3 with the highest scores."),
    ("top_5", "Top-5 accuracy", CLASSES, "Accuracy",
     "The fraction of samples whose class is among the 5 with the highest scores."),
    ("weighted_precision", "Weighted precision", CLASSES_OR_PIXELS, "Precision",
     ("The fraction of predictions for a class that are correct, averaged over classes by how many"
      " samples they have.")),
    ("weighted_f1", "Weighted F1", CLASSES_OR_PIXELS, "F1Score",
     "F1 of each class, averaged over classes by how many samples they have."),
    ("class_precision", "Precision of each class", CLASSES_OR_PIXELS, "Precision",
     ("The fraction of predictions for a class that are correct, a curve for each class that occurs"
      " or is predicted.")),
    ("class_recall", "Recall of each class", CLASSES_OR_PIXELS, "Recall",
     ("The fraction of samples of a class that are found, a curve for each class that occurs: its"
      " accuracy.")),
    ("class_f1", "F1 of each class", CLASSES_OR_PIXELS, "F1Score",
     ("The harmonic mean of precision and recall, a curve for each class that occurs or is"
      " predicted.")),
    ("iou", "Mean IoU", PIXELS, "JaccardIndex",
     ("The pixels that predicted and true area of a class share over those of either, averaged"
      " over the classes that occur.")),
    ("class_iou", "IoU of each class", PIXELS, "JaccardIndex",
     ("The pixels that predicted and true area of a class share over those of either, a curve for"
      " each class. Automatic metrics contain it for at most 5 classes.")),
    ("dice", "Dice", PIXELS, "F1Score",
     ("Twice the pixels that predicted and true area of a class share over the sum of both,"
      " averaged over the classes that occur; of pixels the same as F1.")),
    ("map", "mAP", BOXES, "BoxTally",
     ("The mean average precision of boxes, as COCO has it: the area under precision over recall,"
      " averaged over the classes and over overlaps (IoU) of 0.50 to 0.95 that make a hit.")),
    ("map_50", "mAP at IoU 0.50", BOXES, "BoxTally",
     "The mean average precision where half of the united area makes a found box a hit."),
    ("map_75", "mAP at IoU 0.75", BOXES, "BoxTally",
     "The mean average precision where three quarters of the united area make a box a hit."),
    ("mask_map", "mAP of masks", MASKS, "BoxTally",
     ("The mean average precision of masks, as COCO has it: the pixels that a found object shares"
      " with a true one, over those of either, make a hit.")),
    ("mask_map_50", "mAP of masks at IoU 0.50", MASKS, "BoxTally",
     "The mean average precision where half of the united pixels make a found mask a hit."),
    ("mask_map_75", "mAP of masks at IoU 0.75", MASKS, "BoxTally",
     "The mean average precision where three quarters of the united pixels make a mask a hit."),
    ("perplexity", "Perplexity", CLASSES, "Perplexity",
     "The exponential of the mean cross-entropy: among how many tokens the model is undecided."),
    ("bleu", "BLEU score", CLASSES, "BLEUScore",
     ("How many of the runs of one to four words in the texts that the model writes itself are in"
      " the true ones, from 0 to 1 (Papineni et al. 2002). Validation and test only: each text is"
      " written word by word, with the likeliest each time.")),
    ("retrieval_map", "Retrieval MAP", RANKED, "RetrievalMAP",
     ("The mean over the queries of their average precision: how far up the relevant samples of a"
      " query are ranked, from 0 to 1. Validation and test only.")),
    ("retrieval_mrr", "Retrieval MRR", RANKED, "RetrievalMRR",
     ("The mean over the queries of 1 / rank of the first relevant sample. Validation and test"
      " only.")),
    ("retrieval_ndcg", "Retrieval NDCG", GRADED, "RetrievalNormalizedDCG",
     ("The normalised discounted cumulative gain of each query, their mean: a sample counts by its"
      " grade of relevance, less further down (Järvelin and Kekäläinen 2002). Validation and test"
      " only.")),
    ("retrieval_ndcg_10", "Retrieval NDCG@10", GRADED, "RetrievalNormalizedDCG",
     "NDCG of the 10 samples of a query that are ranked first. Validation and test only."),
    ("retrieval_precision_5", "Retrieval precision@5", RANKED, "RetrievalPrecision",
     ("The fraction of the 5 samples of a query ranked first that are relevant, the mean over the"
      " queries. Validation and test only.")),
    ("retrieval_recall_5", "Retrieval recall@5", RANKED, "RetrievalRecall",
     ("The fraction of the relevant samples of a query that are among its first 5, the mean over"
      " the queries. Validation and test only.")),
    ("retrieval_hit_5", "Retrieval hit rate@5", RANKED, "RetrievalHitRate",
     ("The fraction of the queries with a relevant sample among their first 5. Validation and test"
      " only.")),
    ("mae", "Mean absolute error", REGRESSION, "MeanAbsoluteError",
     "The mean absolute difference between prediction and target."),
    ("mse", "Mean squared error", REGRESSION, "MeanSquaredError",
     "The mean squared difference between prediction and target."),
    ("rmse", "Root mean squared error", REGRESSION, "MeanSquaredError",
     "The square root of the mean squared error, in the unit of the target."),
    ("r2", "R²", REGRESSION, "R2Score",
     "The fraction of the variance that is explained: 1 is perfect, 0 is no better than the mean."),
    ("number_mae", "Mean absolute error of each number", REGRESSION, "MeanAbsoluteError",
     ("The mean absolute difference between prediction and target, a curve for each of several"
      " numbers. Automatic metrics contain it for at most 8 of them.")),
    ("number_rmse", "Root mean squared error of each number", REGRESSION, "MeanSquaredError",
     "The square root of the mean squared error, a curve for each of several numbers."),
    ("number_r2", "R² of each number", REGRESSION, "R2Score",
     ("The fraction of the variance that is explained, a curve for each of several numbers."
      " Automatic metrics contain it for at most 8 of them.")),
    ("mape", "Mean percentage error", REGRESSION, "MeanAbsolutePercentageError",
     "The mean absolute difference relative to the target."),
    ("smape", "Symmetric percentage error", REGRESSION, "SymmetricMeanAbsolutePercentageError",
     ("The mean absolute difference relative to the mean of the sizes of both: from 0 to 2, also"
      " for targets near 0.")),
    ("explained_variance", "Explained variance", REGRESSION, "ExplainedVariance",
     "The fraction of the variance that is explained, ignoring a constant offset."),
)  # fmt: skip


def metric_entries() -> list[Entry]:
    """Return the measures of quality, by task."""
    return [
        Entry(
            key=key,
            group=EntryGroup.METRIC,
            category=_metric_category(key, tasks),
            label=label,
            target=target,
            summary=text,
            tasks=tasks,
        )
        for key, label, tasks, target, text in METRICS
    ]


def _metric_category(key: str, tasks: tuple[str, ...]) -> str:
    if key in RETRIEVAL_METRICS:
        return "Retrieval"
    if "regression" in tasks:
        return "Regression"
    if "instances" in tasks:
        return "Detection"
    return "Classification" if "classification" in tasks else "Segmentation"
