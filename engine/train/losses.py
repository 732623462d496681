"""Loss of a run: a weighted sum of terms, each bound to model outputs and data fields."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import copy

import torch
from torch import Tensor, nn
from typing_extensions import override

from engine.catalog.spec import EntryGroup, Value
from engine.diagnostics import DiagnosticError
from engine.graph.code import code_loss, code_symbol
from engine.spec.choice import NO_CODE, Code
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import LossTerm
from engine.train.choice import arguments, chosen_class
from engine.train.custom_loss import custom_loss
from engine.train.sample_weight import WeighedLoss

Batch = Mapping[str, Tensor]
Outputs = Tensor | tuple[Tensor, ...]
_WEIGHTS = ("weight", "pos_weight")
Getter = Callable[[Outputs, Batch], Tensor]


class BoundTerm:
    """One term, ready to be called. ``name`` is the series suffix of its own curve,
    ``output_names`` are those of the model.
    """

    def __init__(
        self, term: LossTerm, name: str, output_names: Sequence[str], code: Code = NO_CODE
    ) -> None:
        self.name = name
        self.type = term.loss.type
        self.weight = term.weight
        self.bindings = term.inputs
        self.output_names = output_names
        entry = code_loss(code, term.loss.type)
        if term.loss.type == MODEL_OUTPUT:
            self.module: nn.Module = OutputLoss()
            ports = ["input"]
        elif entry is None:
            loss_class = chosen_class(EntryGroup.LOSS, term.loss, nn)
            self.module = loss_class(**_arguments(term))
            ports = list(inspect.signature(self.module.forward).parameters)
        else:
            ports = [port.name for port in entry.inputs if port.name in term.inputs]
            self.module = custom_loss(entry, term.loss.params, ports, code)
        self.weighed_by = ""  # a field of the batch
        self._weighed: WeighedLoss | None = None
        self._getters = [
            bind(term.inputs[port], output_names, name) for port in ports if port in term.inputs
        ]

    def __call__(self, outputs: Outputs, batch: Batch) -> Tensor:
        """Return the value of the term, without its weight."""
        arguments = [getter(outputs, batch) for getter in self._getters]
        if self._weighed is not None:
            return self._weighed(arguments, batch[self.weighed_by])
        return self.module(*arguments)

    def weigh(self, field: str, place: str) -> None:
        """Weigh the samples by a field of the batch from now on, unless the term reads it anyway.
        Raises :class:`DiagnosticError` R524, at ``place``, where that cannot be.
        """
        if field not in self.data_fields():
            self._weighed = WeighedLoss(self.module, self.type, place)
            self.weighed_by = field

    def data_fields(self) -> list[str]:
        """Return the data fields that the term reads."""
        parts = [binding.partition(".") for binding in self.bindings.values()]
        names = [name for kind, _, name in parts if kind == "data"]
        return [*names, self.weighed_by] if self.weighed_by else names

    def comparison(self) -> tuple[Getter, str] | None:
        """Return what gives the prediction and the field it is compared with; None where the
        term is not of that kind (a triplet, a ranking).
        """
        predicted = self.bindings.get("input", "")
        kind, _, field = self.bindings.get("target", "").partition(".")
        if kind != "data" or not predicted.startswith("model."):
            return None
        return bind(predicted, self.output_names, self.name), field


class OutputLoss(nn.Module):
    """The loss that a model computes itself: one number, or one for each sample."""

    @override
    def forward(self, loss: Tensor) -> Tensor:
        """Return the mean of the numbers; one number stays to the last bit."""
        return loss.mean()


class LossTerms:
    """The total loss. Raises :class:`DiagnosticError` when a term cannot be built or bound."""

    def __init__(
        self,
        terms: Sequence[LossTerm],
        output_names: Sequence[str],
        device: torch.device,
        code: Code = NO_CODE,
    ) -> None:
        if not terms:
            raise DiagnosticError.of("R113", field="losses.0.loss")
        names = _names(terms)
        self.terms = [
            BoundTerm(term, name, output_names, code)
            for term, name in zip(terms, names, strict=True)
        ]
        for term in self.terms:
            term.module.to(device)
        self.part_names = [f"loss.{term.name}" for term in self.terms] if len(terms) > 1 else []
        self._plain = len(terms) == 1 and terms[0].weight == 1.0

    def weigh_samples(self, field: str) -> None:
        """Weigh the samples by a field of the batch. Raises :class:`DiagnosticError` R524 for a
        term that does not tell what each of them costs.
        """
        for index, term in enumerate(self.terms):
            term.weigh(field, f"losses.{index}.loss")

    def only(self, number: int) -> "LossTerms":
        """Return the loss with one of its terms alone."""
        alone = copy(self)
        alone.terms, alone.part_names = [self.terms[number]], []
        alone.reweigh([self.terms[number].weight])
        return alone

    def reweigh(self, weights: Sequence[float]) -> None:
        """Give the terms other weights, one each."""
        for term, weight in zip(self.terms, weights, strict=True):
            term.weight = weight
        self._plain = len(self.terms) == 1 and weights[0] == 1.0

    def __call__(
        self, outputs: Outputs, batch: Batch, wanted: Sequence[int] | None = None
    ) -> tuple[Tensor, list[Tensor]]:
        """Return the total (a scalar) and, when there are several terms, each one's weighted
        part, detached. ``wanted`` are the terms that count, from 0, all by default.
        """
        if self._plain:
            return self.terms[0](outputs, batch), []
        terms = self.terms if wanted is None else [self.terms[number] for number in wanted]
        parts = [term.weight * term(outputs, batch) for term in terms]
        total = parts[0]
        for part in parts[1:]:
            total = total + part
        return total, [part.detach() for part in parts] if self.part_names else []


def _arguments(term: LossTerm) -> dict[str, Value | Tensor]:
    """Return the parameters of a loss; its weights by class are a tensor to PyTorch."""
    values: dict[str, Value | Tensor] = dict(arguments(EntryGroup.LOSS, term.loss))
    for name in _WEIGHTS:
        value = values.get(name)
        if value is not None and not isinstance(value, Tensor):
            numbers = value if isinstance(value, tuple) else (value,)
            values[name] = torch.tensor(numbers, dtype=torch.float32)
    return values


def _names(terms: Sequence[LossTerm]) -> list[str]:
    keys = [_short(term) for term in terms]
    return [
        f"{key}.{keys[: index + 1].count(key)}" if keys.count(key) > 1 else key
        for index, key in enumerate(keys)
    ]


def _short(term: LossTerm) -> str:
    """Return the name of a loss in the names of series: of a custom one without its file, of one
    that the model computes that of the output.
    """
    key = term.loss.type
    if key == MODEL_OUTPUT:
        return term.inputs.get("input", "").removeprefix("model.") or key
    place = code_symbol(key)
    return key if place is None else place.name


def bind(binding: str, output_names: Sequence[str], term: str) -> Getter:
    """Return a function that takes ``model.<output>`` or ``data.<field>`` from outputs and batch.

    Raises :class:`DiagnosticError` R114 when there is no such output.
    """
    kind, _, name = binding.partition(".")
    if kind == "data" and name:
        return lambda _outputs, batch: batch[name]
    if kind == "model" and name in output_names:
        if len(output_names) == 1:
            return lambda outputs, _batch: outputs  # pyright: ignore[reportReturnType] - one output is returned bare
        index = list(output_names).index(name)
        return lambda outputs, _batch: outputs[index]
    raise DiagnosticError.of("R114", field="losses.0.loss", binding=binding, term=term)
