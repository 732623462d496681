"""Samples of a model on the command line: the part of ``generate`` that writes them."""

from argparse import Namespace
from pathlib import Path

import msgspec

from engine.query.diffusion.file import write_samples
from engine.query.diffusion.request import (
    MOST_SAMPLES,
    MOST_STEPS,
    Denoise,
    Denoising,
    DenoisingStep,
)
from engine.query.generator.request import Sampled, SampleGenerator
from engine.query.latent.request import Decode, Decoded
from engine.query.results.request import ModelInputs
from engine.runs.folder import RunFolder
from studio.cli.asking import ask
from studio.cli.output import number, write, write_document
from studio.cli.parser import UsageError
from studio.cli.wording import said

FORMATS = (".npy", ".png")


def denoising(options: Namespace) -> Denoising:
    """Return how samples are made. Raises :class:`UsageError` for what cannot be."""
    checks = (
        (
            "samples",
            1 <= options.samples <= MOST_SAMPLES,
            said("a number from {least} to {most}", least=1, most=MOST_SAMPLES),
        ),
        (
            "steps",
            1 <= options.steps <= MOST_STEPS,
            said("a number from {least} to {most}", least=1, most=MOST_STEPS),
        ),
        ("eta", 0 <= options.eta <= 1, said("a number from {least} to {most}", least=0, most=1)),
    )
    for name, is_right, expected in checks:
        if not is_right:
            raise UsageError(
                said(
                    "--{name} {given}: expected {expected}",
                    name=name,
                    given=getattr(options, name),
                    expected=expected,
                )
            )
    return Denoising(
        samples=options.samples, steps=options.steps, seed=options.seed, eta=options.eta
    )


def make_samples(
    options: Namespace, run: RunFolder, inputs: ModelInputs, chosen: Denoising
) -> None:
    """Have a diffusion model, the generator of a GAN, or a decoder of latent variables make samples
    and write them to the output.
    """
    if options.text is not None:
        raise UsageError(said("TEXT: this model reads no text; it makes samples of noise"))
    if not options.output.lower().endswith(FORMATS):
        raise UsageError(said("--output FILE: expected a file that ends in .npy or .png"))
    step = _made(options, run, inputs, chosen)
    field = next(field for field in inputs.fields if field.info.name == step.field)
    write_samples(step, Path(options.output), field.low, field.high)
    distance, of_data = None, None
    if isinstance(step, DenoisingStep | Sampled):
        distance, of_data = step.distance, step.distance_of_data
    if options.json:
        document = {
            "run": run.id,
            "checkpoint": step.checkpoint,
            "step": step.step,
            "field": step.field,
            "shape": [chosen.samples, *step.shape],
            "energy_distance": distance,
            "energy_distance_of_data": of_data,
            "output": options.output,
        }
        write_document(document)
        return
    write(
        said(
            "{samples} samples of {run} {checkpoint}: {output}",
            samples=f"{chosen.samples:,}",
            run=run.id,
            checkpoint=step.checkpoint,
            output=options.output,
        )
    )
    if distance is not None:
        line = said("energy distance to held-out data: {distance}", distance=number(distance))
        if of_data is not None:
            line += said(" (of as many training samples: {distance})", distance=number(of_data))
        write(line)


def _made(
    options: Namespace, run: RunFolder, inputs: ModelInputs, chosen: Denoising
) -> DenoisingStep | Sampled | Decoded:
    """Return the samples of a model."""
    if inputs.diffuses:
        return _denoised(options, run, chosen)
    return _sampled(options, run, chosen) if inputs.generates else _decoded(options, run, chosen)


def _sampled(options: Namespace, run: RunFolder, chosen: Denoising) -> Sampled:
    """Return samples that the generator of a GAN makes of noise."""
    return ask(
        SampleGenerator(
            run_folder=str(run.path),
            checkpoint=options.checkpoint,
            samples=chosen.samples,
            seed=chosen.seed,
        )
    )


def _decoded(options: Namespace, run: RunFolder, chosen: Denoising) -> Decoded:
    """Return samples decoded from latent variables that are normally distributed."""
    return ask(
        Decode(
            run_folder=str(run.path),
            checkpoint=options.checkpoint,
            samples=chosen.samples,
            seed=chosen.seed,
        )
    )


def _denoised(options: Namespace, run: RunFolder, chosen: Denoising) -> DenoisingStep:
    """Return samples of a diffusion model, made step by step."""
    question = Denoise(run_folder=str(run.path), checkpoint=options.checkpoint, denoising=chosen)
    step = ask(question)
    while not step.is_done:
        question = msgspec.structs.replace(
            question, done=step.done, state=step.state, checkpoint=step.checkpoint
        )
        step = ask(question)
    return step
