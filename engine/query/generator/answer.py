"""Samples of a generator: the model computes as in training, and what is made is taken."""

import torch
from torch import Tensor, nn

from engine.data.seed import mixed_seed
from engine.diagnostics import DiagnosticError
from engine.graph.generator import generator_parts
from engine.graph.module_name import module_name
from engine.query.diffusion.distance import held_out_samples, sample_distance
from engine.query.generator.request import Sampled, SampleGenerator
from engine.query.made_samples import check_count, float_bytes
from engine.query.results.answer import kept_model
from engine.train.training import Training


def sample_generator(request: SampleGenerator) -> Sampled:
    """Return samples; the same seed gives the same. Raises :class:`DiagnosticError`: R583 for a
    model that is no GAN, P073 for more samples than are made at once, and as
    :func:`~engine.query.results.answer.kept_model`.
    """
    trained = kept_model(request.run_folder, request.checkpoint)
    parts = generator_parts(trained.run.document.graph)
    with trained.in_use() as training:
        name = "" if parts is None else parts.field
        if parts is None or training.data.info.field(name) is None:
            raise DiagnosticError.of("R583")
        path = module_name(trained.run.document.graph, parts.generator.id)
        generator = training.model.get_submodule(path)
        form = training.data.examples("train", 1)[name][0]
        check_count(request.samples, form.numel())
        made = _made(training, generator, parts.made, request)
        values = training.denormalized(name, made)
        held_out = held_out_samples(training, name, len(values))
        distance = sample_distance(training, name, values, held_out)
    return Sampled(
        checkpoint=trained.info.file,
        step=trained.info.step,
        field=name,
        shape=tuple(values.shape[1:]),
        values=float_bytes(values),
        held_out=b"" if held_out is None else float_bytes(held_out),
        distance=distance.distance,
        distance_of_data=distance.of_data,
    )


def _made(
    training: Training, generator: nn.Module, number: int, request: SampleGenerator
) -> Tensor:
    """Return an output of the generator, whose noise follows from the seed and has the shape that
    it has for a batch. Raises :class:`DiagnosticError` R583 where the model reads what no sample
    has by itself.
    """
    example = training.data.examples("train", 1)
    if not set(training.input_fields) <= set(example):
        raise DiagnosticError.of("R583")
    inputs = [training.normalized(name, example[name]) for name in training.input_fields]
    batch = [each.expand(request.samples, *each.shape[1:]) for each in inputs]
    made: list[Tensor] = []

    def take(_: nn.Module, _given: object, outputs: Tensor | tuple[Tensor, ...]) -> None:
        made.append(outputs if isinstance(outputs, Tensor) else outputs[number])

    handle = generator.register_forward_hook(take)
    devices = [training.device] if training.device.type == "cuda" else []
    try:
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(mixed_seed(request.seed, 0))
            training.model(*batch)
    finally:
        handle.remove()
    return made[0]
