"""The command that continues a text with a language model, or makes samples."""

import math
import sys
from argparse import Namespace
from collections.abc import Sequence

import msgspec

from engine.diagnostics import STEERING, DiagnosticError
from engine.query.diffusion.request import Denoising
from engine.query.generation.request import (
    MOST_BEAMS,
    MOST_TOKENS,
    Generate,
    GenerationStep,
    Sampling,
)
from engine.query.results.request import DescribeModel, ModelInputs
from engine.runs.folder import find_run
from studio.cli.asking import ask
from studio.cli.data_root import take_roots
from studio.cli.denoise_command import denoising, make_samples
from studio.cli.generate_options import OF_DECODER, OF_DIFFUSION, OF_TEXT
from studio.cli.output import write, write_document
from studio.cli.parser import UsageError
from studio.cli.run_command import project_folder
from studio.cli.trusting import trust_run
from studio.cli.wording import said

_MOST_SEED = 2**63 - 1
_UNSURE = 4  # characters at the end of a text whose bytes may be half of a letter


def generate(options: Namespace) -> int:
    """Write on from a text, as the tokens come; or have the model make samples."""
    take_roots(options)
    given = [name for name in (*OF_TEXT, *OF_DIFFUSION) if _value(options, name) not in (None, "")]
    for standard in (Denoising(), Sampling()):
        for name, value in msgspec.structs.asdict(standard).items():
            if getattr(options, name) is None:
                setattr(options, name, value)
    sampling = _sampling(options)
    chosen = denoising(options)
    run = find_run(project_folder(options.project), options.run)
    trust_run(run, options)
    folder = str(run.path)
    inputs = ask(DescribeModel(run_folder=folder, checkpoint=options.checkpoint))
    _require_options(given, inputs)
    if inputs.diffuses or inputs.generates or inputs.decodes:
        make_samples(options, run, inputs, chosen)
        return 0
    if options.text is None:
        raise UsageError(said("TEXT: give the text that the model reads"))
    question = Generate(
        run_folder=folder,
        checkpoint=options.checkpoint,
        texts={_text_field(inputs): options.text},
        sampling=sampling,
    )
    printed = _Printed(is_quiet=options.json, stop=sampling.stop)
    while True:
        step = ask(question)
        printed.show(step)
        if step.is_done:
            break
        question = msgspec.structs.replace(
            question, written=step.written, beams=step.beams, checkpoint=step.checkpoint
        )
    if options.json:
        document = msgspec.to_builtins(step)
        del document["is_done"]
        write_document({"run": run.id, **document})
    else:
        write("")
    return 0


def _value(options: Namespace, name: str) -> object:
    """Return an option by the name that is typed."""
    return getattr(options, name.replace("-", "_"))


def _require_options(given: Sequence[str], inputs: ModelInputs) -> None:
    """Refuse options that such a model does not have: they would change nothing, in secret. Raises
    :class:`UsageError`.
    """
    kind, own = said("a model that writes text"), OF_TEXT
    if inputs.diffuses:
        kind, own = said("a diffusion model"), OF_DIFFUSION
    elif inputs.generates:
        kind, own = said("the generator of a GAN"), OF_DECODER
    elif inputs.decodes:
        kind, own = said("a model that decodes latent variables"), OF_DECODER
    for name in given:
        if name not in own:
            known = ", ".join(f"--{each}" for each in own)
            raise UsageError(
                said(
                    "--{name}: {kind} has no such option; it has {known}",
                    name=name,
                    kind=kind,
                    known=known,
                )
            )


class _Printed:
    """What stands on standard output so far."""

    def __init__(self, *, is_quiet: bool, stop: str) -> None:
        self._is_quiet = is_quiet
        self._kept_back = max(len(stop) - 1, _UNSURE)
        self._done = 0

    def show(self, step: GenerationStep) -> None:
        """Print what is new; the last letters, which may still change, only when it is done. A beam
        search may change all of its text.
        """
        if self._is_quiet or (step.beams and not step.is_done):
            return
        text = step.before + step.text
        new = text[self._done : len(text) if step.is_done else max(len(text) - self._kept_back, 0)]
        self._done += len(new)
        sys.stdout.write(STEERING.sub("", new) if sys.stdout.isatty() else new)
        sys.stdout.flush()


def _sampling(options: Namespace) -> Sampling:
    """Return how tokens are chosen. Raises :class:`UsageError` for what cannot be."""
    checks = (
        ("temperature", 0 <= options.temperature < math.inf, said("a number from 0")),
        ("top-k", options.top_k >= 0, said("a number from 0")),
        ("seed", 0 <= options.seed <= _MOST_SEED, said("a number from 0")),
        (
            "beams",
            1 <= options.beams <= MOST_BEAMS,
            said("a number from {least} to {most}", least=1, most=MOST_BEAMS),
        ),
        (
            "tokens",
            1 <= options.tokens <= MOST_TOKENS,
            said("a number from {least} to {most}", least=1, most=MOST_TOKENS),
        ),
    )
    for name, is_right, expected in checks:
        if not is_right:
            raise UsageError(
                said(
                    "--{name} {given}: expected {expected}",
                    name=name,
                    given=_value(options, name),
                    expected=expected,
                )
            )
    return Sampling(
        temperature=options.temperature,
        top_k=options.top_k,
        seed=options.seed,
        tokens=options.tokens,
        stop=options.stop,
        beams=options.beams,
    )


def _text_field(inputs: ModelInputs) -> str:
    """Return the field of the text that the model reads. Raises :class:`DiagnosticError`: P069 for
    a model without one, P071 for one that reads more than that.
    """
    names = [field.info.name for field in inputs.fields if field.info.words]
    others = [field.info.name for field in inputs.fields if not field.info.words]
    if not names:
        raise DiagnosticError.of("P069")
    if others or inputs.columns or len(names) > 1:
        columns = [column.name for column in inputs.columns]
        raise DiagnosticError.of("P071", names=", ".join((*names, *others, *columns)))
    return names[0]
