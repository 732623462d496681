"""Text of the methods that count found boxes, and masks, in a class that trains itself."""

from collections.abc import Mapping
from string import Template

from engine.syntax.format import INDENT

BOX_METRIC = "\n".join(
    (
        f"{INDENT * 2}if self.training:  # nothing is found then",
        f'{INDENT * 3}return torch.tensor(float("nan"))',
        f'{INDENT * 2}return self.box_scores([self.found_boxes(outputs, batch)])["metric"]',
    )
)
"""The lines of the method that gives the metric of a batch."""
BOX_COUNTS = """
            "found": None if self.training else self.found_boxes(outputs, batch),"""
"""What the result of a batch holds besides."""
SHAPE_COUNTS = """
            "found_masks": None if self.training else self.found_masks(outputs, batch),"""
"""What it holds besides where the model finds masks, too."""
BOX_NAMES = frozenset(
    ("found_boxes", "found_objects", "box_scores", "box_hits", "average_precision")
)
"""The methods that classes without boxes do not have."""
SHAPE_NAMES = frozenset(("found_masks", "mask_overlaps"))
"""The methods that classes without masks of objects do not have."""
_BOX_AVERAGE = Template('''
    @classmethod
    def found_boxes(cls, outputs, batch):
        """Return class, score and hits at ten overlaps of each found box, and all true classes."""
        pairs = zip($boxes, $true_boxes)
        overlaps = [$box_iou(found.double(), true.double()) for found, true in pairs]
        return cls.found_objects(overlaps, outputs, batch)
$found_masks
    @classmethod
    def found_objects(cls, overlaps, outputs, batch):
        """Return class, score and hits of what is found in each image, given its overlaps (IoU)
        with what is there, and all true classes.
        """
        found = []
        images = zip(overlaps, $labels, $scores, $true_labels)
        for near, labels, scores, true_labels in images:
            for number in labels[scores > 0].unique().tolist():
                rows = ((labels == number) & (scores > 0)).nonzero().flatten()
                rows = rows[scores[rows].argsort(descending=True, stable=True)][:100]
                hits = cls.box_hits(near[rows][:, true_labels == number].cpu())
                found += [(number, *row) for row in zip(scores[rows].tolist(), hits.tolist())]
        true = $true_labels
        return found, true[true >= 0].tolist()

    @staticmethod
    def box_hits(overlaps):
        """Return which objects, the likeliest first, hit a true one that no other has hit, for
        overlaps (IoU) of 0.50 to 0.95, of shape (objects, 10).
        """
        hits = torch.zeros(len(overlaps), 10, dtype=torch.bool)
        if not overlaps.shape[1]:
            return hits
        for column in range(10):
            threshold = (50 + 5 * column) / 100
            is_free = torch.ones(overlaps.shape[1], dtype=torch.bool)
            for row, overlap in enumerate(overlaps):
                best, index = overlap.where(is_free, torch.tensor(-1.0).double()).max(0)
                if best >= threshold:
                    hits[row, column] = True
                    is_free[index] = False
        return hits

    @classmethod
    def box_scores(cls, results):
        """Return the mean average precision of all images, as COCO defines it (``metric``), and at
        overlaps of 0.50 and 0.75; 0 without true boxes.
        """
        found = [row for result in results for row in result[0]]
        true = [number for result in results for number in result[1]]
        precisions = []
        for number in sorted(set(true)):
            rows = [row[1:] for row in found if row[0] == number]
            scores = torch.tensor([score for score, _ in rows])
            hits = torch.tensor([hit for _, hit in rows]).reshape(-1, 10)
            precisions.append(cls.average_precision(scores, hits, true.count(number)))
        means = torch.stack(precisions).mean(0) if precisions else torch.zeros(10)
        return {"metric": means.mean(), "map_50": means[0], "map_75": means[5]}

    @staticmethod
    def average_precision(scores, hits, count):
        """Return the average precision of a class with ``count`` true boxes, at each overlap."""
        grid = torch.linspace(0, 1, 101, dtype=torch.float64)
        values = []
        for is_hit in hits.T:
            order = is_hit.to(torch.int8).argsort(stable=True)  # misses first among equal scores
            order = order[scores[order].argsort(descending=True, stable=True)]
            right = is_hit[order].double().cumsum(0)
            precision = right / torch.arange(1, len(right) + 1)
            best = precision.flip(0).cummax(0).values.flip(0) if len(right) else precision
            index = torch.searchsorted(right / count, grid)
            values.append(torch.cat((best, torch.zeros(1)))[index].mean())
        return torch.stack(values)

    @classmethod
    def average(cls, results):
        """Return the mean loss of several batches and the scores of all their boxes, which is no
        number for batches that were trained on.
        """
        samples = sum(result["samples"] for result in results)
        loss = sum(result["loss"] * result["samples"] for result in results) / samples
        found = [result["found"] for result in results if result["found"] is not None]
        if not found:
            return {"loss": loss, "metric": float("nan")}
        scores = cls.box_scores(found)
$mask_scores        return {"loss": loss, **{name: score.item() for name, score in scores.items()}}
''')
_FOUND_MASKS = Template('''
    @classmethod
    def found_masks(cls, outputs, batch):
        """Return class, score and hits of each found object by the pixels that it shares with a
        true one, and all true classes.
        """
        pairs = zip($masks, $true_masks)
        overlaps = [cls.mask_overlaps(found > 0.5, true) for found, true in pairs]
        return cls.found_objects(overlaps, outputs, batch)

    @staticmethod
    def mask_overlaps(found, true):
        """Return how much (IoU) each found mask shares with each true one."""
        found, true = found.flatten(1).float(), true.flatten(1).float()
        shared = (found @ true.T).double()
        areas = found.sum(1).double()[:, None] + true.sum(1).double()
        return shared / (areas - shared).clamp(min=1)
''')
_MASK_SCORES = """\
        masks = cls.box_scores([result["found_masks"] for result in results])
        scores |= {f"mask_{name.replace('metric', 'map')}": masks[name] for name in masks}
"""


def box_methods(bound: Mapping[str, str]) -> str:
    """Return methods that compare found boxes (``boxes``, ``labels``, ``scores``) with the true
    ones (``true_boxes``, ``true_labels``), and that tell what follows of batches; ``bound`` is what
    each is called, and torchvision's ``box_iou``. Where it has ``masks`` and ``true_masks``, these
    are compared too.
    """
    has_masks = "masks" in bound
    return _BOX_AVERAGE.substitute(
        bound,
        found_masks=_FOUND_MASKS.substitute(bound) if has_masks else "",
        mask_scores=_MASK_SCORES if has_masks else "",
    )
