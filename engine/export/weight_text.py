"""Weights of samples as text of the exported training class."""

import json

from engine.catalog.spec import Entry, PortContent
from engine.spec.sample_weight import WEIGHT_FIELD
from engine.syntax.format import Expression, call, keyword

WEIGHED = '''
    @staticmethod
    def weighed(each, weight):
        """Return what each sample costs times its weight."""
        return each * weight.reshape(-1, *[1] * (each.ndim - 1))
'''
CLASS_MEAN = '''
    @staticmethod
    def class_mean(each, target, ignored, classes=None):
        """Return the mean as PyTorch has it for class numbers: without those that are ignored, over
        the weights of the others.
        """
        if target.is_floating_point():  # probabilities
            return each.mean()
        counted = target != ignored
        if classes is not None:
            counted = classes.to(each)[target.where(counted, 0)] * counted
        return each.sum() / counted.sum()
'''
WEIGHT_NAMES = frozenset({"weighed", "class_mean"})
_BATCH = f"batch[{json.dumps(WEIGHT_FIELD)}]"
_CLASSES = (PortContent.CLASS_INDEX, PortContent.CLASS_INDEX_OR_PROBABILITIES)


def weighed_loss(
    each: Expression, reduction: object, target: str, ignored: object, classes: Expression | None
) -> Expression:
    """Return the loss of ``each`` sample, weighed and reduced. ``target`` are the class numbers of
    a loss that has a number to ignore (else empty), ``classes`` the weights of these.
    """
    weighed = call("self.weighed", [each, _BATCH])
    if reduction == "sum":
        return call("torch.sum", [weighed])
    if reduction == "batchmean":
        return call("torch.div", [call("torch.sum", [weighed]), f"len({_BATCH})"])
    if not target:
        return call("torch.mean", [weighed])
    given: list[Expression] = [weighed, target, str(ignored)]
    if classes is not None:
        given.append(keyword("classes", classes))
    return call("self.class_mean", given)


def is_of_classes(entry: Entry) -> bool:
    """Return whether the mean of a loss leaves out the elements of a class number."""
    ports = {port.name: port.content for port in entry.inputs}
    return ports.get("target") in _CLASSES and entry.param("ignore_index") is not None
