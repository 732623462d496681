"""What a block of a trained model is given for a sample."""

import inspect

from torch import Tensor, nn

from engine.train.training import Training


def block_inputs(training: Training, block: nn.Module) -> dict[str, Tensor] | None:
    """Return what a block is given for the first sample of the training part, a batch of one, by
    the name of the parameter of its ``forward``; None where the model reads what no sample has by
    itself.
    """
    given: dict[str, Tensor] = {}

    def look(_: nn.Module, args: tuple[Tensor, ...], named: dict[str, Tensor]) -> None:
        given.update(zip(inspect.signature(block.forward).parameters, args, strict=False))
        given.update(named)

    example = training.data.examples("train", 1)
    if not set(training.input_fields) <= set(example):
        return None
    inputs = [training.normalized(name, example[name]) for name in training.input_fields]
    handle = block.register_forward_pre_hook(look, with_kwargs=True)
    try:
        training.model(*inputs)
    finally:
        handle.remove()
    return given
