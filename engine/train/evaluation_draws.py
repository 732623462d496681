"""Random numbers that a model draws while it is evaluated, a little at a time."""

import random
from collections.abc import Generator
from contextlib import contextmanager

import numpy as np
import torch
from torch import Tensor

from engine.data.seed import all_seeded, evaluation_seed
from engine.data.source.source import Part
from engine.train.training import Training


class EvaluationDraws:
    """The random numbers of an evaluation of a part that others do something between: they are
    those of :func:`~engine.train.part_evaluation.evaluate_part`, batch after batch.
    """

    def __init__(self, training: Training, part: Part) -> None:
        self._number = evaluation_seed(training.spec.seed, part)
        self._device = training.device
        self._states: tuple[Tensor, Tensor | None, object, object] | None = None

    @contextmanager
    def going_on(self) -> Generator[None]:
        """Draw on from where the last time ended; afterwards all is as if none had been drawn."""
        has_gpu = self._device.type == "cuda"
        with torch.random.fork_rng([self._device] if has_gpu else []), all_seeded(self._number):
            if self._states is not None:
                self._restore(*self._states)
            elif has_gpu:
                torch.cuda.manual_seed(self._number)
            yield
            of_gpu = torch.cuda.get_rng_state(self._device) if has_gpu else None
            of_numpy = np.random.get_state(legacy=False)
            self._states = (torch.get_rng_state(), of_gpu, random.getstate(), of_numpy)

    def _restore(
        self, of_torch: Tensor, of_gpu: Tensor | None, of_python: object, of_numpy: object
    ) -> None:
        torch.set_rng_state(of_torch)
        if of_gpu is not None:
            torch.cuda.set_rng_state(of_gpu, self._device)
        random.setstate(of_python)  # pyright: ignore[reportArgumentType]
        np.random.set_state(of_numpy)  # pyright: ignore[reportArgumentType]
