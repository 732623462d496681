"""What the ports of a loss say is what the loss takes."""

import pytest
import torch
from torch import Tensor, nn

from engine.catalog.registry import catalog
from engine.catalog.spec import Entry, EntryGroup, PortContent
from engine.spec.output import MODEL_OUTPUT
from engine.train.losses import OutputLoss

SAMPLES, CLASSES = 4, 3


def content(kind: PortContent) -> Tensor:
    """Return a tensor as the content is described."""
    scores = torch.randn(SAMPLES, CLASSES)
    made = {
        PortContent.LOG_PROBABILITIES: scores.log_softmax(1),
        PortContent.PROBABILITIES: scores.sigmoid(),
        PortContent.POSITIVE: scores.abs(),
        PortContent.BINARY_SAME: (scores > 0).float(),
        PortContent.SIGN: scores.sign(),
        PortContent.CLASS_INDEX: torch.arange(SAMPLES) % CLASSES,
        PortContent.CLASS_INDEX_OR_PROBABILITIES: torch.arange(SAMPLES) % CLASSES,
        PortContent.CLASS_INDICES: torch.tensor([[0, 2, -1]] * SAMPLES),
    }
    return made.get(kind, scores)


def inputs(entry: Entry) -> list[Tensor]:
    if entry.key == "CTCLoss":
        lengths = [torch.full((SAMPLES,), length) for length in (10, 2)]
        return [torch.randn(10, SAMPLES, 5).log_softmax(2), torch.ones(SAMPLES, 2).long(), *lengths]
    found = [content(port.content) for port in entry.inputs if port.content is not None]
    if entry.key == "CosineEmbeddingLoss":  # one sign for a pair of vectors, not for each element
        found[-1] = found[-1][:, 0]
    return found


@pytest.mark.parametrize("entry", catalog().group(EntryGroup.LOSS), ids=lambda entry: entry.key)
def test_that_a_loss_takes_what_its_ports_describe(entry):
    torch.manual_seed(0)
    loss_class = OutputLoss if entry.key == MODEL_OUTPUT else getattr(nn, entry.key)
    loss = loss_class(**entry.initial_params())(*inputs(entry))
    assert loss.shape == ()
    assert torch.isfinite(loss)


def test_that_cross_entropy_takes_probabilities_too():
    scores = torch.randn(SAMPLES, CLASSES)
    assert torch.isfinite(nn.CrossEntropyLoss()(scores, scores.softmax(1)))
