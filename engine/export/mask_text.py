"""Text of the methods that count the pixels of masks, in a class that trains itself."""

from string import Template

from engine.catalog.spec import Value
from engine.syntax.format import INDENT

MASK_METRIC = f'{INDENT * 2}return self.mask_scores(self.class_counts(outputs, batch))["metric"]'
"""The lines of the method that gives the metric of a batch."""
MASK_COUNTS = """
            "counts": self.class_counts(outputs, batch),"""
"""What the result of a batch holds besides."""
MASK_NAMES = frozenset(("class_counts", "mask_scores"))
"""The methods that classes without masks do not have."""
_MASK_AVERAGE = Template('''
    def class_counts(self, outputs, batch):
        """Return the number of pixels by true class (rows) and predicted class (columns)."""
        target, predicted = $target.flatten(), $given.argmax(1).flatten()
        is_counted = target != $ignored
        classes = $given.shape[1]
        cells = target[is_counted] * classes + predicted[is_counted]
        return cells.bincount(minlength=classes**2).reshape(classes, classes)

    @staticmethod
    def mask_scores(counts):
        """Return mean IoU, mean Dice and accuracy; the means are over the classes that occur."""
        hits, areas = counts.diagonal(), counts.sum(0) + counts.sum(1)
        occurs = areas > 0
        return {
            "metric": (hits / (areas - hits))[occurs].mean(),
            "dice": (2 * hits / areas)[occurs].mean(),
            "accuracy": hits.sum() / counts.sum(),
        }

    @classmethod
    def average(cls, results):
        """Return the mean loss of several batches and the scores of all their pixels."""
        samples = sum(result["samples"] for result in results)
        scores = cls.mask_scores(sum(result["counts"] for result in results))
        loss = sum(result["loss"] * result["samples"] for result in results) / samples
        return {"loss": loss, **{name: score.item() for name, score in scores.items()}}
''')


def mask_methods(given: str, target: str, ignored: Value) -> str:
    """Return methods that count true and predicted classes of the pixels of ``target`` and
    ``given`` (scores of classes), but for those of a class, and that tell what follows of batches.
    """
    return _MASK_AVERAGE.substitute(given=given, target=target, ignored=ignored)
