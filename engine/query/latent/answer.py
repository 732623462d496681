"""Samples that a model draws from latent variables, and where those of the data lie."""

from dataclasses import dataclass
from functools import lru_cache

import torch
from torch import Tensor, nn

from engine.data.seed import mixed_seed
from engine.data.source.source import Part
from engine.diagnostics import DiagnosticError
from engine.graph.latent import LATENT, LatentParts, latent_parts
from engine.graph.module_name import module_name
from engine.query.block_inputs import block_inputs
from engine.query.latent.request import MOST_KNOWN, Decode, Decoded, DescribeLatent, LatentSpace
from engine.query.made_samples import check_count, float_bytes
from engine.query.results.answer import kept_model
from engine.train.training import Training

_HELD_OUT: tuple[Part, ...] = ("test", "validation")


@dataclass(frozen=True, kw_only=True)
class _Latent:
    """The parts of a model as modules; ``form`` is a batch of one point as the decoder takes it."""

    parts: LatentParts
    encoder: nn.Module
    decoder: nn.Module
    form: Tensor

    def means(self, values: Tensor) -> Tensor:
        """Return where samples (n, ...) lie: (n, latent variables)."""
        return _one_of(self.encoder(values), self.parts.mean).flatten(1)

    def samples(self, points: Tensor) -> Tensor:
        """Return the samples (n, ...) of points (n, latent variables)."""
        given = points.to(self.form).reshape(len(points), *self.form.shape[1:])
        return _one_of(self.decoder(given), self.parts.drawn)


def describe_latent(request: DescribeLatent) -> LatentSpace:
    """Return what a model draws. Raises :class:`DiagnosticError` P080 for a model without latent
    variables, P082 for one that draws what is no sample, and as
    :func:`~engine.query.results.answer.kept_model`.
    """
    trained = kept_model(request.run_folder, request.checkpoint)
    with trained.in_use() as training:
        latent = _latent(request.run_folder, trained.info.file, trained.info.sha256)
        name = latent.parts.field
        known = _known(training)
        target = next((field for field in training.data.info.fields if field.classes), None)
        labels = None if target is None else known.get(target.name)
        has_labels = target is not None and target.kind == "class" and labels is not None
        means = latent.means(training.normalized(name, known[name])) if known else None
        drawn = latent.samples(torch.zeros(1, latent.form[0].numel()))
        shape, wanted = tuple(drawn.shape[1:]), _wanted_shape(training, name)
        if shape != wanted:
            raise DiagnosticError.of("P082", name=name, drawn=str(shape), shape=str(wanted))
        return LatentSpace(
            checkpoint=trained.info.file,
            step=trained.info.step,
            field=name,
            size=latent.form[0].numel(),
            shape=shape,
            means=b"" if means is None else float_bytes(means),
            values=b"" if means is None else float_bytes(known[name]),
            labels=tuple(labels.tolist()) if labels is not None and has_labels else (),
            classes=target.classes if target is not None and has_labels else (),
        )


def decode(request: Decode) -> Decoded:
    """Return samples of points; the same seed gives the same. Raises :class:`DiagnosticError`: P080
    for a model without latent variables, P081 for points of another size, P073 for more samples
    than are made at once, and as :func:`~engine.query.results.answer.kept_model`.
    """
    trained = kept_model(request.run_folder, request.checkpoint)
    with trained.in_use():
        latent = _latent(request.run_folder, trained.info.file, trained.info.sha256)
        size = latent.form[0].numel()
        points = _points(request, size)
        drawn = latent.samples(points[:1])
        check_count(len(points), max(size, drawn.numel()))
        field = latent.parts.field
        values = trained.training.denormalized(field, latent.samples(points))
        return Decoded(
            checkpoint=trained.info.file,
            step=trained.info.step,
            field=field,
            shape=tuple(values.shape[1:]),
            latents=float_bytes(points),
            values=float_bytes(values),
        )


def _points(request: Decode, size: int) -> Tensor:
    """Return the points (n, size) of a request."""
    if not request.latents:
        generator = torch.Generator().manual_seed(mixed_seed(request.seed, 0))
        return torch.randn(request.samples, size, generator=generator)
    if len(request.latents) % (4 * size):
        raise DiagnosticError.of("P081", size=size, given=len(request.latents) // 4)
    return torch.frombuffer(bytearray(request.latents), dtype=torch.float32).reshape(-1, size)


@lru_cache(maxsize=1)
def _latent(run_folder: str, file: str, _sha256: str) -> _Latent:
    """Return the parts of a checkpoint, kept for the next question."""
    trained = kept_model(run_folder, file)
    training, graph = trained.training, trained.run.document.graph
    parts = latent_parts(graph)
    if parts is None or training.data.info.field(parts.field) is None:
        raise DiagnosticError.of("P080")
    encoder, decoder = (
        training.model.get_submodule(module_name(graph, node.id))
        for node in (parts.encoder, parts.decoder)
    )
    form = _form(training, decoder)
    return _Latent(parts=parts, encoder=encoder, decoder=decoder, form=form)


def _form(training: Training, decoder: nn.Module) -> Tensor:
    """Return what the decoder is given for one sample. Raises :class:`DiagnosticError` P080 where
    the model reads what no sample has by itself.
    """
    given = block_inputs(training, decoder)
    if given is None:
        raise DiagnosticError.of("P080")
    return given[LATENT]


def _known(training: Training) -> dict[str, Tensor]:
    """Return samples that the model did not learn from, before normalisation, if there are some."""
    for part in _HELD_OUT:
        if len(training.data.indices[part]):
            return dict(training.data.examples(part, MOST_KNOWN))
    return {}


def _wanted_shape(training: Training, field: str) -> tuple[int, ...]:
    """Return the shape of a sample of a field."""
    return tuple(training.data.examples("train", 1)[field].shape[1:])


def _one_of(outputs: Tensor | tuple[Tensor, ...], number: int) -> Tensor:
    """Return an output of a block that may have several."""
    return outputs if isinstance(outputs, Tensor) else outputs[number]
