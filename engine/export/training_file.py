"""A Python file whose class carries loss, measure and optimizer: it trains on by itself."""

from collections.abc import Mapping
from pathlib import Path

from engine.build.call import (
    Argument,
    Arguments,
    Built,
    Constant,
    Listed,
    complete_params,
    constructor_arguments,
)
from engine.build.construction import items_of
from engine.build.format import INDENT, Expression, call, flat, statement
from engine.catalog.registry import catalog
from engine.catalog.spec import AUTO, Entry, EntryGroup, PortContent
from engine.diagnostics import Diagnostic, DiagnosticError
from engine.export.job import ExportJob
from engine.export.python_file import SourceParts, source_text, write_text
from engine.spec.run import Choice, LossTerm

_CLASS_INDICES = (PortContent.CLASS_INDEX, PortContent.CLASS_INDEX_OR_PROBABILITIES)
_BINARY = (PortContent.BINARY_LOGITS, PortContent.PROBABILITIES)
_BY_CLASS = ("weight", "pos_weight")  # lists in documents, tensors to PyTorch
_CLASS = '''
class {name}({model}):
    """The model with its loss, its measure and its optimizer.

    A batch is a dictionary: {fields}. ``fit`` goes over an iterable of batches.
    """

    def __init__(self):
        super().__init__()
{optimizer}

    def call(self, batch):
        """Return the outputs for a batch."""
        return self({inputs})

    def loss_func(self, outputs, batch):
        """Return the loss of a batch."""
{loss}

    def metric_func(self, outputs, batch):
        """Return {measure}."""
{metric}

    def train_step(self, batch):
        """Take one step; return loss and measure of the batch before it."""
        self.train()
        found = {{}}

        def closure():
            self.optimizer.zero_grad()
            outputs = self.call(batch)
            loss = self.loss_func(outputs, batch)
            loss.backward()
            found["loss"] = loss.item()
            found["metric"] = self.metric_func(outputs, batch).item()
            return loss

        self.optimizer.step(closure)
        return found

    @torch.no_grad()
    def evaluate(self, batches):
        """Return the mean loss and measure over batches, without learning."""
        self.eval()
        steps = []
        for batch in batches:
            outputs = self.call(batch)
            loss, metric = self.loss_func(outputs, batch), self.metric_func(outputs, batch)
            steps.append({{"loss": loss.item(), "metric": metric.item()}})
        return self.mean_of(steps)

    def fit(self, batches, epochs=1):
        """Train; return the mean loss and measure of each epoch."""
        history = []
        for _ in range(epochs):
            steps = [self.train_step(batch) for batch in batches]
            history.append(self.mean_of(steps))
        return history

    @staticmethod
    def mean_of(steps):
        """Return the means of what some steps told."""
        return {{key: sum(step[key] for step in steps) / len(steps) for key in steps[0]}}
'''
_OWN_NAMES = frozenset(
    {"optimizer", "call", "loss_func", "metric_func", "train_step", "evaluate", "fit", "mean_of"}
)


def write_training_class(job: ExportJob, output: Path) -> tuple[tuple[Path, ...], float]:
    """Write the weights and the file with the class that trains itself, both compared.

    Returns the files and the largest difference. Raises :class:`DiagnosticError`: X033 for what
    the class cannot carry (losses of own code, groups of parameters), else as ``write_python``.
    """
    _require_plain(job)
    weights = output.with_suffix(".pt").name
    text = source_text(job, weights, lambda source: _class_text(job, source))
    return write_text(job, output, text)


def _require_plain(job: ExportJob) -> None:
    spec = job.spec
    losses = [term.loss.type for term in spec.losses]
    found = [key for key in losses if catalog().entry(EntryGroup.LOSS, key) is None]
    found += ["groups"] if spec.groups else []
    found += [] if spec.losses else ["loss"]
    found += [name for name, _ in job.module.named_children() if name in _OWN_NAMES]
    if found:
        raise DiagnosticError(Diagnostic(code="X033", params={"what": ", ".join(found)}))


def _class_text(job: ExportJob, source: SourceParts) -> str:
    nodes = job.graph.nodes.values()
    inputs = [node for node in nodes if node.type == "Input"]
    fields = [str(node.params.get("field", "") or node.name) for node in inputs]
    outputs = [node.name for node in nodes if node.type == "Output"]
    needed = list(dict.fromkeys([*fields, *_targets(job.spec.losses)]))
    values = ", ".join(f'batch["{field}"]' for field in fields)
    measure, metric = _metric(job.spec.losses[0], outputs)
    return _CLASS.format(
        name=source.names["TrainableModel"],
        model=source.model,
        fields=", ".join(f"``{field}``" for field in needed),
        inputs=f"*{source.names['scale']}({values})" if any(job.scalings) else values,
        optimizer="\n".join(_optimizer(job)),
        loss="\n".join(_loss(job.spec.losses, outputs)),
        measure=measure,
        metric="\n".join(statement("return ", metric, depth=2)),
    )


def _targets(terms: tuple[LossTerm, ...]) -> list[str]:
    bindings = [binding for term in terms for binding in term.inputs.values()]
    return [b.removeprefix("data.") for b in bindings if b.startswith("data.")]


def _optimizer(job: ExportJob) -> list[str]:
    choice = job.spec.optimizer
    entry = catalog().entry(EntryGroup.OPTIMIZER, choice.type)
    assert entry is not None  # a run was made with it
    is_frozen = any(not parameter.requires_grad for parameter in job.module.parameters())
    trained = "[p for p in self.parameters() if p.requires_grad]" if is_frozen else ""
    items: list[Expression] = [trained or "self.parameters()", *_items(entry, choice)]
    return statement("self.optimizer = ", call(entry.target, items), depth=2)


def _loss(terms: tuple[LossTerm, ...], outputs: list[str]) -> list[str]:
    made = [_term(term, outputs) for term in terms]
    if len(made) == 1 and terms[0].weight == 1.0:
        return statement("return ", made[0], depth=2)
    lines = [f"{INDENT * 2}loss = 0.0"]
    for term, value in zip(terms, made, strict=True):
        lines += statement(f"loss = loss + {term.weight} * ", value, depth=2)
    return [*lines, f"{INDENT * 2}return loss"]


def _term(term: LossTerm, outputs: list[str]) -> Expression:
    entry = catalog().entry(EntryGroup.LOSS, term.loss.type)
    assert entry is not None  # looked for in _require_plain
    made = flat(call(entry.target or f"nn.{entry.key}", _items(entry, term.loss)))
    ports = [port.name for port in entry.inputs if port.name in term.inputs]
    return call(made, [_bound(term.inputs[port], outputs) for port in ports])


def _bound(binding: str, outputs: list[str]) -> str:
    kind, _, name = binding.partition(".")
    if kind == "data":
        return f'batch["{name}"]'
    return "outputs" if len(outputs) == 1 else f"outputs[{outputs.index(name)}]"


def _items(entry: Entry, choice: Choice) -> list[Expression]:
    values = complete_params(entry, choice.params, {})
    given = {name: value for name, value in values.items() if value != AUTO}
    found = constructor_arguments(entry, {**values, **given})
    return items_of(
        Arguments(
            tuple(map(_tensor, found.positional)),
            tuple((name, _tensor(argument)) for name, argument in found.keywords),
        ),
        {},
    )


def _tensor(argument: Argument) -> Argument:
    """Return the weights of classes as the tensor that PyTorch wants."""
    is_weights = isinstance(argument, Constant) and argument.spec.name in _BY_CLASS
    if not is_weights or not isinstance(argument, Constant) or argument.value is None:
        return argument
    value = argument.value if isinstance(argument.value, tuple) else (argument.value,)
    numbers = Listed(tuple(float(number) for number in value if isinstance(number, int | float)))
    return Built("torch.tensor", Arguments((numbers,)))


def _metric(term: LossTerm, outputs: list[str]) -> tuple[str, str]:
    """Return what is measured, in words and as an expression."""
    entry = catalog().entry(EntryGroup.LOSS, term.loss.type)
    bound: Mapping[str, str] = {port: _bound(b, outputs) for port, b in term.inputs.items()}
    ports = {port.name: port.content for port in entry.inputs} if entry is not None else {}
    if "target" not in bound or "input" not in bound:
        return "the loss: there is no target to compare with", "self.loss_func(outputs, batch)"
    given, target = bound["input"], bound["target"]
    if ports["target"] in _CLASS_INDICES:
        return "the part that is told rightly", f"({given}.argmax(1) == {target}).float().mean()"
    if ports["input"] in _BINARY:
        bar = "0" if ports["input"] is PortContent.BINARY_LOGITS else "0.5"
        words = "the part that is told rightly"
        return words, f"(({given} > {bar}) == ({target} > 0.5)).float().mean()"
    return "the mean absolute error", f"({given} - {target}).abs().mean()"
