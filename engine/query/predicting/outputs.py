"""What a model says about a batch in all its outputs that are compared with the data."""

from collections.abc import Sequence
from dataclasses import replace

from engine.data.read.placement import Placement
from engine.query.predicting.block import SAMPLE, Block, OutColumn, OutputReader, apart
from engine.query.predicting.masks import MaskFolder
from engine.train.losses import Batch, Outputs
from engine.train.training import Training


class OutputReaders:
    """Turns outputs of a model into columns: those of the first term of the loss with their bare
    names, those of further outputs with the name of the output before them
    (``position_prediction_x``).
    """

    def __init__(self, training: Training, masks: MaskFolder | None) -> None:
        self._first = OutputReader(training, masks)
        self._others = {
            name: OutputReader(training.judging(name), masks) for name in training.others
        }

    @property
    def has_masks(self) -> bool:
        """Whether masks are predicted, which are files of their own."""
        return any(each.has_masks for each in (self._first, *self._others.values()))

    @property
    def is_placed(self) -> bool:
        """Whether something lies on a picture: boxes or masks."""
        return any(each.is_placed for each in (self._first, *self._others.values()))

    def truths(self, batch: Batch, indices: Sequence[int]) -> Block:
        """Return what is right for the samples of a batch of the data of the run, as
        :meth:`OutputReader.truths` does.
        """
        found = self._first.truths(batch, indices)
        for name, reader in self._others.items():
            found += _of_output(name, reader.truths(batch, indices))
        return found

    def block(
        self,
        names: Sequence[str],
        batch: Batch,
        outputs: Outputs,
        truths: Block,
        placements: Sequence[Placement | None] = (),
    ) -> Block:
        """Return the rows of a batch, as :meth:`OutputReader.block` does and raises."""
        if not self._others:
            return self._first.block(names, batch, outputs, truths, placements)
        block = [OutColumn(SAMPLE, names), *self._first.columns(names, batch, outputs, placements)]
        for name, reader in self._others.items():
            files = [f"{sample}.{name}" for sample in names] if reader.has_masks else names
            block += _of_output(name, reader.columns(files, batch, outputs, placements))
        return [*block, *apart(block, truths)]


def _of_output(name: str, block: Block) -> Block:
    return [
        replace(
            column, name=f"{name}_{column.name}", group=column.group and f"{name}_{column.group}"
        )
        for column in block
    ]
