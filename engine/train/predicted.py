"""What the outputs of a model say, one row a sample."""

import torch
from torch import Tensor

from engine.train.losses import Outputs
from engine.train.training import Training


def predictions(training: Training, outputs: Outputs) -> Tensor:
    """Return a row a sample: the probability of each class, or the numbers predicted. An output
    that is compared with no field of the data is taken as it is.
    """
    first = outputs if isinstance(outputs, Tensor) else outputs[0]
    name = training.comparison.field
    pair = None
    if name:  # the value of the target is never read, only its form
        form = training.data.parts["train"].form(name)
        example = form.new_zeros(1, *form.shape[1:], device=first.device)
        pair = training.comparison.pick(outputs, {name: example})
    if pair is None:
        return first.reshape(len(first), -1)
    predicted = pair[0]
    if training.comparison.task == "binary":
        chance = training.comparison.prepared(*pair)[0]
        both = torch.stack((1 - chance, chance), dim=1)
        return both if len(chance) == len(first) else chance.reshape(len(first), -1)
    if training.comparison.task == "classification":
        predicted = predicted.softmax(dim=1)
    return predicted.reshape(len(predicted), -1)
