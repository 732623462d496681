"""Techniques of a run as text of the exported training class."""

from collections.abc import Mapping
from string import Template
from typing import NamedTuple

from engine.export.python_file import SourceParts
from engine.spec.phase import chooses_terms, has_phases
from engine.spec.run import RunSpec
from engine.spec.technique import AveragingSpec
from engine.spec.unfreezing import unfreezing_epochs
from engine.syntax.format import INDENT, Expression, Group, call, keyword, statement
from engine.train.technique.gradient_noise import SEED_STRIDE
from engine.train.technique.penalty import MATRIX

STEPS_FROM_0 = f"{INDENT * 2}self.steps = 0"
COUNTED_STEPS = f"\n{INDENT * 2}self.steps += 1"
_AVERAGES = "torch.optim.swa_utils"
_AFTER_EPOCH = Template("""
            if epoch >= $start:
                average.update_parameters(self)
                average.module.update_norms(batches)""")
_NORMS = '''
    @torch.no_grad()
    def update_norms(self, batches):
        """Take the statistics of batch norms anew, over an iterable of batches."""
        kind = nn.modules.batchnorm._BatchNorm
        norms = [module for module in self.modules() if isinstance(module, kind)]
        momenta = [norm.momentum for norm in norms]
        for norm in norms:
            norm.reset_running_stats()
            norm.momentum = None
        self.train()
        again = getattr(batches, "again", lambda: batches)  # of the run: the same ones once more
        for batch in again() if norms else ():
            self.forward_batch(batch)
        for norm, momentum in zip(norms, momenta):
            norm.momentum = momentum
'''
_PENALTY = Template('''
    def penalized(self, loss):
        """Return a loss with the penalty of the weights that are trained."""
        for parameter in self.parameters():
            if parameter.requires_grad$weights_only:
$terms
        return loss
''')
_TERMS = {
    "l1": "loss = loss + {factor} * parameter.abs().sum()",
    "l2": "loss = loss + {factor} * parameter.square().sum()",
}
_NOISE = Template('''
    def add_gradient_noise(self):
        """Add noise to the gradients, less with every step (Neelakantan et al., 2015)."""
        generator = torch.Generator().manual_seed($seed + $stride * (self.steps + 1))
        deviation = ($variance / (1 + self.steps) ** $decay) ** 0.5
        for parameter in self.parameters():
            if parameter.grad is not None:
                noise = torch.randn(parameter.grad.shape, generator=generator)
                parameter.grad.add_(noise.to(parameter.grad), alpha=deviation)
''')
_STOP = Template("""
            if $value < best - $min_delta:
                best, waited = $value, 0
            else:
                waited += 1
            if waited == $patience:
                break""")


_HELD = f"\n{INDENT * 2}self.held = set()  # of ids, what no phase trains in this epoch"
_HOLD = """
                    if epoch < start:
                        self.held.add(id(parameter))"""
_UNFREEZE = Template('''
    def unfreeze(self, epoch):
        """Train parameters from the epoch (from 1) of the first pattern on that names them."""
$starts$held
        for name, parameter in self.named_parameters():
            for pattern, start in starts.items():
                if $fits(name, pattern) or name.startswith(f"{pattern}."):
                    parameter.requires_grad_(epoch >= start)$hold
                    break
''')


class TechniqueText(NamedTuple):
    """Parts of the class that deal with techniques; without any they change nothing.

    ``init`` are lines of ``__init__``, ``methods`` are methods; ``penalized`` is what the gradients
    are taken of, ``noise`` the call that follows them, ``counted`` the line after an update.
    ``waiting`` begins ``fit``; ``stop`` follows an epoch, with what it was ``monitored`` to.
    ``after_step`` follows the call of a step, ``after_steps`` those of an epoch, ``evaluated`` is
    what is validated, and ``ending`` comes before ``fit`` returns. ``epoch`` is what its number is
    called, where it is needed. ``released`` are lines of ``__init__`` before the optimizer is made,
    ``before_steps`` comes before the steps of an epoch; ``given`` is what the model goes forward
    with in a step.
    """

    init: tuple[str, ...] = ()
    methods: str = ""
    penalized: str = ""
    noise: str = ""
    counted: str = ""
    waiting: str = ""
    stop: str = ""
    after_step: str = ""
    after_steps: str = ""
    epoch: str = "_"
    evaluated: str = "self"
    released: tuple[str, ...] = ()
    before_steps: str = ""
    ending: str = ""
    given: str = "batch"

    def of_epochs(self) -> dict[str, str]:
        """Return the parts of ``fit`` around its steps, by name."""
        return {
            "before_steps": self.before_steps,
            "after_steps": self.after_steps,
            "epoch": self.epoch,
            "ending": self.ending,
        }


def technique_text(spec: RunSpec, key: str, source: SourceParts) -> TechniqueText:
    """Return the parts for a run. ``key`` is the result that early stopping goes by."""
    text = TechniqueText()
    if spec.averaging.kind != "none":
        text = _averaging(spec.averaging, source)
    if epochs := unfreezing_epochs(spec.unfreezing.schedule):
        text = text._replace(
            released=(f"{INDENT * 2}self.unfreeze({max(epochs.values())})",),
            methods=text.methods + _unfreezing(epochs, source, is_noted=has_phases(spec)),
            before_steps=f"\n{INDENT * 3}self.unfreeze(epoch + 1)",
            epoch="epoch",
        )
    if spec.distillation.teacher:
        terms = ", self.terms_of(phases)" if chooses_terms(spec) else ""
        text = text._replace(penalized=f"self.distilled(loss, outputs, batch{terms})")
    if spec.penalty.is_on:
        methods = text.methods + _penalty(spec)
        text = text._replace(
            methods=methods, penalized=f"self.penalized({text.penalized or 'loss'})"
        )
    if spec.gradient_noise.variance:
        noise = _NOISE.substitute(
            seed=spec.seed,
            stride=SEED_STRIDE,
            variance=spec.gradient_noise.variance,
            decay=spec.gradient_noise.decay,
        )
        text = text._replace(
            init=(STEPS_FROM_0,),
            methods=text.methods + noise,
            noise="self.add_gradient_noise()",
            counted=COUNTED_STEPS,
        )
    if spec.early_stopping.patience:
        sign = "-" if spec.checkpoint.mode == "max" else ""
        stop = _STOP.substitute(
            value=f'{sign}monitored["{key}"]',
            min_delta=spec.early_stopping.min_delta,
            patience=spec.early_stopping.patience,
        )
        waiting = f'{INDENT * 2}best, waited = float("inf"), 0\n'
        text = text._replace(waiting=text.waiting + waiting, stop=stop)
    return text


def _unfreezing(epochs: Mapping[str, int], source: SourceParts, *, is_noted: bool) -> str:
    """Return the method that unfreezes parameters; with phases it notes which it holds."""
    items = [f'"{pattern}": {epoch}' for pattern, epoch in epochs.items()]
    starts = statement("starts = ", Group("{", tuple(items), "}"), depth=2)
    fits = source.imported("fnmatch", "fnmatchcase")
    held, hold = (_HELD, _HOLD) if is_noted else ("", "")
    return _UNFREEZE.substitute(starts="\n".join(starts), fits=fits, held=held, hold=hold)


def _averaging(spec: AveragingSpec, source: SourceParts) -> TechniqueText:
    """Return the parts that keep an average of the weights; where it is what the run evaluates,
    ``fit`` leaves the model with it.
    """
    settings: list[Expression] = ["self"]
    model = source.imported(_AVERAGES, "AveragedModel")
    if spec.kind == "ema":
        ema = source.imported(_AVERAGES, "get_ema_multi_avg_fn")
        settings.append(keyword("multi_avg_fn", f"{ema}({spec.decay})"))
    if spec.use_buffers:
        settings.append(keyword("use_buffers", "True"))
    ending = f"{INDENT * 2}self.averaged = average.module.state_dict()\n"
    if spec.evaluate:
        ending += f"{INDENT * 2}self.load_state_dict(self.averaged)\n"
    text = TechniqueText(
        waiting="\n".join(statement("average = ", call(model, settings), depth=2)) + "\n",
        evaluated="average.module" if spec.evaluate else "self",
        ending=ending,
    )
    if spec.kind == "ema":
        return text._replace(after_step=f"\n{INDENT * 4}average.update_parameters(self)")
    after = _AFTER_EPOCH.substitute(start=spec.start)
    return text._replace(methods=_NORMS, after_steps=after, epoch="epoch")


def _penalty(spec: RunSpec) -> str:
    chosen = {"l1": spec.penalty.l1, "l2": spec.penalty.l2}
    terms = [
        INDENT * 4 + _TERMS[name].format(factor=factor) for name, factor in chosen.items() if factor
    ]
    only = f" and parameter.ndim >= {MATRIX}" if spec.penalty.weights_only else ""
    return _PENALTY.substitute(weights_only=only, terms="\n".join(terms))
