"""Teacher forcing as text of the exported training class."""

from string import Template

from engine.diagnostics import DiagnosticError
from engine.export.forward_text import fields_of
from engine.export.job import ExportJob
from engine.export.loss_text import LossText
from engine.export.technique_text import COUNTED_STEPS, STEPS_FROM_0, TechniqueText
from engine.syntax.format import INDENT
from engine.train.running_text import running_field, unwritten_tokens
from engine.train.technique.gradient_noise import SEED_STRIDE
from engine.train.technique.teacher_forcing import FIELD

FORCING_NAMES = frozenset(("own_tokens", "batches", "steps"))
"""The methods and attributes that other classes do not have."""
_METHOD = Template('''
    def own_tokens(self, batch):
        """Return a batch in which the model reads some tokens that it chose itself instead of the
        true ones (scheduled sampling; Bengio et al., 2015), all chosen in one pass before.
        """
        ratio = $ratio
        generator = torch.Generator().manual_seed($seed + $stride * (self.batches + 1))
        self.batches += 1
        true, target = batch["$running"], batch["$target"]
        drawn = torch.rand(true.shape[::-1], generator=generator).T
        is_own = (drawn >= ratio).to(true.device)[:, 1:]
        is_own &= (target[:, :-1] >= 0) & (true[:, 1:] != $padding)
        self.eval()
        with torch.no_grad(), torch.random.fork_rng(devices=[]):
            outputs = self.forward_batch(batch)
            scores = $scores.clone()
        self.train()
        scores[:, $unwritten] = float("-inf")
        mixed = true.clone()
        mixed[:, 1:] = torch.where(is_own, scores.argmax(1)[:, :-1], true[:, 1:])
        return {**batch, "$running": mixed}
''')


def with_forcing(techniques: TechniqueText, job: ExportJob, term: LossText) -> TechniqueText:
    """Return the parts of techniques with those that replace true tokens; ``term`` is the first of
    the loss. Raises :class:`DiagnosticError` R540 for a model that reads no such text.
    """
    spec = job.spec.teacher_forcing
    if not spec.is_on:
        return techniques
    infos = {info.name: info for info in job.sentences}
    running = running_field([infos.get(name) for name in fields_of(job)])
    target = term.term.inputs.get("target", "").removeprefix("data.")
    if running is None or not target:
        raise DiagnosticError.of("R540", field=FIELD)
    ratio = f"{spec.ratio}"
    if spec.decay_steps:
        change = f"({spec.final_ratio} - {spec.ratio}) * min(self.steps / {spec.decay_steps}, 1.0)"
        ratio = f"{spec.ratio} + {change}"
    method = _METHOD.substitute(
        ratio=ratio,
        seed=job.spec.seed,
        stride=SEED_STRIDE,
        running=running.name,
        target=target,
        padding=running.padding,
        scores=term.bound["input"],
        unwritten=unwritten_tokens(running),
    )
    init = (f"{INDENT * 2}self.batches = 0",)
    counted = techniques.counted
    if spec.decay_steps and not counted:
        init, counted = (*init, STEPS_FROM_0), COUNTED_STEPS
    return techniques._replace(
        init=(*techniques.init, *init),
        methods=techniques.methods + method,
        counted=counted,
        given="self.own_tokens(batch)",
    )
