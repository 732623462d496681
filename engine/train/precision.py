"""Precision: the numbers of weights, data and loss, and automatic mixed precision.

In double precision all of them are float64, as PyTorch's own default is float32. In mixed precision
the order in a step is that of PyTorch's "Automatic Mixed Precision examples": forward under
``torch.autocast``, backward from the scaled loss, gradients unscaled before anybody looks at them
or clips them, the step skipped where one of them overflowed, then the scale adjusted.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

from engine.diagnostics import DiagnosticError
from engine.spec.run import ComputeSpec
from engine.train.checkpoint.restored import fitted
from engine.train.losses import LossTerms, Outputs

Network = Callable[..., Outputs]

_DTYPES = {"float16": torch.float16, "bfloat16": torch.bfloat16}
_SCALED = ("cuda", "cpu")  # where PyTorch has a GradScaler


def is_double(spec: ComputeSpec) -> bool:
    """Return whether weights, data and loss of a run are float64."""
    return spec.precision == "float64"


def model_in_precision(model: nn.Module, spec: ComputeSpec) -> nn.Module:
    """Return a model (or a loss) with its weights and buffers in the numbers of a run."""
    return model.double() if is_double(spec) else model


def loss_in_precision(loss: LossTerms, spec: ComputeSpec) -> LossTerms:
    """Return a loss with the weights of its classes in the numbers of a run."""
    for term in loss.terms:
        model_in_precision(term.module, spec)
    return loss


def in_precision(values: Tensor, spec: ComputeSpec) -> Tensor:
    """Return data in the numbers of a run; whole numbers stay what they are."""
    return values.double() if is_double(spec) and values.is_floating_point() else values


def fields_in_precision(fields: Mapping[str, Tensor], spec: ComputeSpec) -> dict[str, Tensor]:
    """Return fields of the data in the numbers of a run."""
    return {name: in_precision(values, spec) for name, values in fields.items()}


def require_double(device: torch.device) -> None:
    """Raise :class:`DiagnosticError` R189 for a device that has no float64."""
    if device.type == "mps":
        raise DiagnosticError.of("R189", field="compute.precision", device=str(device))


class Precision:
    """How one run computes its steps: in mixed precision weights, loss and metrics are float32.

    Raises :class:`DiagnosticError` R182 for float16 on a device without scaled gradients.
    """

    def __init__(self, spec: ComputeSpec, device: torch.device) -> None:
        self._device = device.type
        self._dtype = _DTYPES.get(spec.precision)
        self._scaler: GradScaler | None = None
        if spec.precision != "float16":
            return
        if device.type not in _SCALED:
            raise DiagnosticError.of("R182", field="compute.precision", device=str(device))
        self._scaler = GradScaler(device.type)

    @property
    def scale(self) -> float | None:
        """What the loss is multiplied by before the backward pass; None where it is not."""
        return None if self._scaler is None else self._scaler.get_scale()

    def forward(self, network: Network, inputs: Sequence[Tensor]) -> Outputs:
        """Go forward; what comes out is float32 again, as losses and metrics want it."""
        if self._dtype is None:
            return network(*inputs)
        with torch.autocast(self._device, self._dtype):
            outputs = network(*inputs)
        return (
            _as_float32(outputs)
            if isinstance(outputs, Tensor)
            else tuple(map(_as_float32, outputs))
        )

    def start(self, loss: Tensor) -> Tensor:
        """Return the scaled loss, to call ``backward`` on."""
        return loss if self._scaler is None else self._scaler.scale(loss)

    def unscale(self, optimizer: Optimizer) -> None:
        """Give the gradients the size they have without scaling."""
        if self._scaler is not None:
            self._scaler.unscale_(optimizer)

    def step(self, optimizers: Sequence[Optimizer]) -> None:
        """Change the weights, but not by gradients that overflowed, of an optimizer."""
        for optimizer in optimizers:
            if self._scaler is None:
                optimizer.step()
            else:
                self._scaler.step(optimizer)
        if self._scaler is not None:
            self._scaler.update()

    def state_dict(self) -> dict[str, object]:
        """Return the state for a checkpoint (empty without scaling)."""
        return {} if self._scaler is None else self._scaler.state_dict()

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from a state. Raises :class:`ValueError` for what is none."""
        if self._scaler is not None and state:
            own = self._scaler.state_dict()
            self._scaler.load_state_dict(cast("dict[str, Any]", fitted(state, own)))


def _as_float32(output: Any) -> Any:
    """Return an output in float32; a model may give None for a loss that it did not compute."""
    is_low_precision = isinstance(output, Tensor) and output.is_floating_point()
    return output.float() if is_low_precision else output
