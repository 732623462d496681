"""Loss terms of a run as text of the exported training class."""

from collections.abc import Sequence
from itertools import count

from msgspec.structs import replace

from engine.catalog.code.target import is_custom, written_target
from engine.catalog.spec import AUTO, Entry, EntryGroup, ParamKind, ParamSpec
from engine.codegen.construction import items_of
from engine.export.job import ExportJob
from engine.export.weight_text import (
    CLASS_MEAN,
    WEIGHED,
    is_of_classes,
    weighed_loss,
)
from engine.spec.choice import entry_of_key
from engine.spec.data import IGNORED
from engine.spec.output import MODEL_OUTPUT
from engine.spec.run import Choice, LossTerm, RunSpec
from engine.spec.sample_weight import WEIGHT_FIELD, has_weights
from engine.syntax.call import (
    Argument,
    Arguments,
    Built,
    Constant,
    Listed,
    call_arguments,
    complete_params,
    constructor_arguments,
)
from engine.syntax.format import (
    INDENT,
    Expression,
    call,
    flat,
    statement,
    tuple_of,
)
from engine.train.custom_loss import CustomLoss, custom_loss
from engine.train.precision import is_double

_WEIGHT = f"data.{WEIGHT_FIELD}"
_BY_CLASS = ("weight", "pos_weight")  # lists in documents, tensors to PyTorch
_DOUBLE_BATCH = """\
        batch = {
            name: value.double() if value.is_floating_point() else value
            for name, value in batch.items()
        }
"""


class LossText:
    """A term of the loss as it is written. ``made`` is what is made once, with the model: a loss of
    own code may remember something.
    """

    def __init__(self, job: ExportJob, term: LossTerm) -> None:
        code = job.graph.code
        self._dtype = "float64" if is_double(job.spec.compute) else "float32"
        entry = entry_of_key(EntryGroup.LOSS, term.loss.type, code)
        assert entry is not None  # looked for in _require_plain
        self.entry = entry
        self.term = term
        self.outputs = [node.name for node in job.graph.nodes.values() if node.type == "Output"]
        self.bound = {port: self._variable(binding) for port, binding in term.inputs.items()}
        self._ports = [port.name for port in entry.inputs if port.name in term.inputs]
        self._is_function = False
        self.is_weighed = has_weights(job.spec.data) and _WEIGHT not in term.inputs.values()
        self.made: Expression | None = None
        if is_custom(entry.target):
            loss = custom_loss(entry, term.loss.params, self._ports, code)
            self._is_function = isinstance(loss, CustomLoss)
            self.made = None if self._is_function else self._constructed()

    def value(self, criterion: str) -> Expression:
        """Return the term without its weight; ``criterion`` is where what was made is kept."""
        if self._is_function:
            values = complete_params(self.entry, self.term.loss.params, {})
            arguments = call_arguments(self.entry, values, self._ports)
            return call(written_target(self.entry.target), items_of(arguments, self.bound))
        if self.entry.key == MODEL_OUTPUT:
            return f"{self.bound['input']}.mean()"
        loss = criterion if self.made is not None else flat(self._constructed())
        value = call(loss, [self.bound[port] for port in self._ports])
        return self._weighed(value) if self.is_weighed else value

    @property
    def is_class_mean(self) -> bool:
        """Whether the samples are weighed, and those of a class number do not count."""
        is_mean = self.term.loss.params.get("reduction", "mean") == "mean"
        return self.is_weighed and is_mean and is_of_classes(self.entry)

    def _weighed(self, each: Expression) -> Expression:
        params = self.term.loss.params
        classes = params.get("weight")
        if classes is not None:
            numbers = classes if isinstance(classes, tuple) else (classes,)
            wide = ", dtype=torch.float64" if self._dtype == "float64" else ""
            classes = f"torch.tensor({[float(str(each)) for each in numbers]}{wide})"
        return weighed_loss(
            each,
            params.get("reduction", "mean"),
            self.bound["target"] if self.is_class_mean else "",
            params.get("ignore_index", IGNORED),
            classes,
        )

    def _constructed(self) -> Expression:
        target = self.entry.target or f"nn.{self.entry.key}"
        loss = self.term.loss
        if self.is_weighed:
            loss = replace(loss, params={**loss.params, "reduction": "none"})
        return call(written_target(target), choice_items(self.entry, loss, self._dtype))

    def _variable(self, binding: str) -> str:
        kind, _, name = binding.partition(".")
        if kind == "data":
            return f'batch["{name}"]'
        return "outputs" if len(self.outputs) == 1 else f"outputs[{self.outputs.index(name)}]"


def compared_fields(spec: RunSpec) -> list[str]:
    """Return the fields that the loss reads."""
    weights = [WEIGHT_FIELD] if has_weights(spec.data) else []
    return [*target_fields(spec.losses), *weights]


def weight_methods(terms: Sequence[LossText]) -> str:
    """Return the methods by which losses are weighed."""
    weighed = WEIGHED if any(term.is_weighed for term in terms) else ""
    return weighed + (CLASS_MEAN if any(term.is_class_mean for term in terms) else "")


def target_fields(terms: tuple[LossTerm, ...]) -> list[str]:
    """Return the fields of the data at the inputs of losses."""
    bindings = [binding for term in terms for binding in term.inputs.values()]
    return [b.removeprefix("data.") for b in bindings if b.startswith("data.")]


def criteria(terms: Sequence[LossText]) -> list[str]:
    """Return the lines that make once what losses of own code keep."""
    made = [term.made for term in terms if term.made is not None]
    return statement("self.criteria = ", tuple_of(made), depth=2) if made else []


def loss_lines(terms: Sequence[LossText], *, has_terms: bool, is_wide: bool) -> list[str]:
    """Return the lines of the method that returns the loss of a batch; ``has_terms``: of those
    terms that it is given, ``is_wide``: in float64.
    """
    wide = [_DOUBLE_BATCH.rstrip("\n")] if is_wide else []
    numbers = count()
    made = [
        term.value(f"self.criteria[{next(numbers)}]" if term.made is not None else "")
        for term in terms
    ]
    if len(made) == 1 and terms[0].term.weight == 1.0:
        return [*wide, *statement("return ", made[0], depth=2)]
    lines = [*wide, f"{INDENT * 2}loss = 0.0"]
    for index, (term, value) in enumerate(zip(terms, made, strict=True)):
        lines += [f"{INDENT * 2}if terms is None or {index} in terms:"] if has_terms else []
        depth = 3 if has_terms else 2
        lines += statement(f"loss = loss + {term.term.weight} * ", value, depth=depth)
    return [*lines, f"{INDENT * 2}return loss"]


def choice_items(entry: Entry, choice: Choice, dtype: str = "float32") -> list[Expression]:
    """Return the arguments of the constructor of a choice; weights of classes have a ``dtype``."""
    values = complete_params(entry, choice.params, {})
    given = {name: value for name, value in values.items() if value != AUTO}
    found = constructor_arguments(entry, {**values, **given})
    return items_of(
        Arguments(
            tuple(_tensor(argument, dtype) for argument in found.positional),
            tuple((name, _tensor(argument, dtype)) for name, argument in found.keywords),
        ),
        {},
    )


def _tensor(argument: Argument, dtype: str) -> Argument:
    """Return the weights of classes as the tensor that PyTorch wants."""
    is_weights = isinstance(argument, Constant) and argument.spec.name in _BY_CLASS
    if not is_weights or not isinstance(argument, Constant) or argument.value is None:
        return argument
    value = argument.value if isinstance(argument.value, tuple) else (argument.value,)
    numbers = Listed(tuple(float(number) for number in value if isinstance(number, int | float)))
    wide = ("dtype", Constant(dtype, ParamSpec(name="dtype", kind=ParamKind.DTYPE)))
    return Built("torch.tensor", Arguments((numbers,), (wide,) if dtype != "float32" else ()))
