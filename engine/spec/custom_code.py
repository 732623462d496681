"""Custom losses, metrics and data of a specification, when the files of custom code change."""

from collections.abc import Mapping, Sequence

import msgspec

from engine.graph.code import (
    CODE_PREFIX,
    COLLATE_PARAM,
    SAMPLER_PARAM,
    SUFFIX,
    code_key,
    code_symbol,
)
from engine.spec.judged import split_metric
from engine.spec.run import COLLATES, NO_FUNCTION, SAMPLERS, Choice, DataSpec, RunSpec
from engine.spec.series import custom_metric_of
from engine.spec.transform import is_custom


def data_code(spec: DataSpec, code: Mapping[str, str]) -> dict[str, str]:
    """Return the texts of all files where the data use one of them; nothing for other data."""
    return dict(code) if uses_code(spec) else {}


def uses_code(spec: DataSpec) -> bool:
    """Return whether the user's code has the samples, or is run by what reads them."""
    has_function = spec.loader.worker_init_fn != NO_FUNCTION or spec.collate not in COLLATES
    has_transform = any(step.enabled and is_custom(step.type) for step in spec.transforms)
    has_function = has_function or spec.sampler not in SAMPLERS or spec.has_custom_batches
    return has_function or has_transform or code_symbol(spec.source.type) is not None


def rename_custom(spec: RunSpec, file: str, new_file: str) -> RunSpec:
    """Return the specification after a file of code (``losses.py``) got another name."""
    terms = list(spec.losses)
    for index, term in enumerate(terms):
        symbol = code_symbol(term.loss.type)
        if symbol is not None and symbol.file == file:
            loss = msgspec.structs.replace(term.loss, type=code_key(new_file, symbol.name))
            terms[index] = msgspec.structs.replace(term, loss=loss)
    stems = [f"{name.removesuffix(SUFFIX)}." for name in (file, new_file)]
    start, collate, sampler, batches = (_moved(name, stems) for name in _names(spec.data))
    loader = msgspec.structs.replace(spec.data.loader, worker_init_fn=start)
    transforms = tuple(
        msgspec.structs.replace(step, type=_renamed(step.type, file, new_file))
        for step in spec.data.transforms
    )
    metrics = tuple(_moved(name, stems) for name in spec.metrics)
    part, dot, measure = spec.checkpoint.monitor.partition(".")
    is_own = custom_metric_of(measure) in spec.metrics  # or the name of a class follows the dot
    monitor = f"{part}{dot}{_moved(measure, stems) if is_own else measure}"
    data = msgspec.structs.replace(
        spec.data,
        loader=loader,
        collate=collate,
        sampler=sampler,
        batch_sampler=batches,
        transforms=transforms,
    )
    return msgspec.structs.replace(
        spec,
        losses=tuple(terms),
        metrics=metrics,
        checkpoint=msgspec.structs.replace(spec.checkpoint, monitor=monitor),
        data=msgspec.structs.replace(data, source=_renamed_source(data.source, file, new_file)),
    )


def _moved(name: str, stems: Sequence[str]) -> str:
    """Return a name of the user's code (``data.pad``) after its file got another name."""
    before, after = stems
    bare = split_metric(name)[1]  # of a metric, without the output that it names
    moved = bare.replace(before, after, 1) if bare.startswith(before) else bare
    return name.removesuffix(bare) + moved


def _renamed_source(source: Choice, file: str, new_file: str) -> Choice:
    """Return a choice of data after a file got another name, in which its class, what it puts its
    batches together with, or what draws its samples may stand: each in a file of its own.
    """
    if code_symbol(source.type) is None:
        return source
    stems = [f"{name.removesuffix(SUFFIX)}." for name in (file, new_file)]
    params = {
        name: str(value).replace(stems[0], stems[1], 1)
        if name in (COLLATE_PARAM, SAMPLER_PARAM) and str(value).startswith(stems[0])
        else value
        for name, value in source.params.items()
    }
    return Choice(type=_renamed(source.type, file, new_file), params=params)


def _names(data: DataSpec) -> tuple[str, str, str, str]:
    """Return the settings of the data that can name a function or class of the user's code."""
    return data.loader.worker_init_fn, data.collate, data.sampler, data.batch_sampler


def _renamed(key: str, file: str, new_file: str) -> str:
    symbol = code_symbol(key)
    is_there = symbol is not None and symbol.file == file
    return code_key(new_file, symbol.name) if symbol is not None and is_there else key


def custom_from(spec: RunSpec, file: str) -> tuple[str, ...]:
    """Return what is in use (losses, metrics, data, transforms, functions) that a file of code
    defines, by its name.
    """
    keys = [*(term.loss.type for term in spec.losses), spec.data.source.type]
    keys += [step.type for step in spec.data.transforms]
    names = [*_names(spec.data), *(split_metric(name)[1] for name in spec.metrics)]
    if code_symbol(spec.data.source.type) is not None:
        params = spec.data.source.params
        names += [str(params.get(name, "")) for name in (COLLATE_PARAM, SAMPLER_PARAM)]
    keys += [f"{CODE_PREFIX}{name}" for name in names]
    symbols = map(code_symbol, keys)
    return tuple(symbol.name for symbol in symbols if symbol is not None and symbol.file == file)
