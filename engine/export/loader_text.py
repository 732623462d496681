"""Loader of batches as text of the exported training class."""

import json
from collections.abc import Sequence
from string import Template

from engine.catalog.spec import AUTO, ParamKind
from engine.data.load.load import LoadedData
from engine.data.transform.padding import PaddingField
from engine.export.custom_transform import transform_files
from engine.export.job import ExportJob
from engine.export.python_file import SourceParts
from engine.graph.code import SAMPLER_PARAM, SUFFIX, code_symbol
from engine.spec.data import IGNORED
from engine.spec.run import COLLATES, NO_FUNCTION, SAMPLERS, DataSpec, RunSpec
from engine.syntax.format import Expression, call, flat, keyword, statement, tuple_of
from engine.syntax.literal import literal

_METHOD = Template('''
    @staticmethod
    def data_loader(dataset, training=True, $given=None):
        """Return batches of a dataset of dictionaries, read as in the run.

        Without ``training`` all samples come, in order. $sampler
        """
$body
''')
_PAD = Template('''
    @staticmethod
    def pad(samples):
        """Return a batch of samples, each filled up to the size of the largest$told."""
        batch = {}
        for name in samples[0]:
            values = [torch.as_tensor(sample[name]) for sample in samples]
            is_class = name in $targets and not values[0].is_floating_point()
            sizes = [max(axis) for axis in zip(*(value.shape for value in values))]
            filling = $ignored if is_class else $filling
            batch[name] = values[0].new_full((len(values), *sizes), filling)
            for row, value in zip(batch[name], values):
                row[tuple(slice(size) for size in value.shape)] = value
$added        return batch
''')
_LENGTHS = """\
        batch[{name}] = torch.tensor([{sizes} for sample in samples])
"""
_MASK = """\
        sizes = [batch[{padded}].shape[axis + 1] for axis in {axes}]
        batch[{name}] = torch.ones(len(samples), *sizes, dtype=torch.bool)
        for row, sample in zip(batch[{name}], samples):
            row[tuple(slice(sample[{padded}].shape[axis]) for axis in {axes})] = False
"""
_UNIFORM = "A ``sampler`` replaces shuffling."
_DRAWN = "In the run, a ``sampler`` drew them ({kind})."
_OWN = "In the run, a\n        ``batch_sampler`` made the batches ({kind})."


def loader_files(spec: RunSpec) -> tuple[str, ...]:
    """Return the files of own code that the loader of a run, and its transforms, need."""
    data = spec.data
    names = [data.loader.worker_init_fn, data.collate, data.sampler, data.batch_sampler]
    if code_symbol(data.source.type) is not None:
        names.append(str(data.source.params.get(SAMPLER_PARAM, AUTO)))
    own = [name for name in names if name not in (NO_FUNCTION, AUTO, *COLLATES, *SAMPLERS)]
    types = [step.type for step in data.transforms if step.enabled]
    return (*(f"{name.partition('.')[0]}{SUFFIX}" for name in own), *transform_files(types))


def is_padded(spec: DataSpec, data: LoadedData | None) -> bool:
    """Return whether the samples of a batch are padded: all that differ in size, or texts that keep
    their own length.
    """
    texts = () if data is None else data.source.infos
    is_stacked = spec.collate == "stack" and any(info.longest for info in texts)
    return spec.collate == "pad" or is_stacked


def loader_text(job: ExportJob, source: SourceParts, targets: Sequence[str]) -> str:
    """Return the method that makes batches of a data set as the run did; ``targets`` are the fields
    that are compared with.
    """
    spec, data = job.spec, job.spec.data
    pad = ""
    given = "batch_sampler" if data.has_custom_batches else "sampler"
    size = (
        f"{data.batch_size} if batch_sampler is None else 1"  # DataLoader refuses another beside it
    )
    size = size if data.has_custom_batches else str(data.batch_size)
    items: list[Expression] = ["dataset", keyword("batch_size", size)]
    if data.shuffle:
        items.append(keyword("shuffle", f"training and {given} is None"))
    items.append(keyword(given, given))
    if is_padded(data, job.data):
        pad = _pad_text(job.data, targets)
        items.append(keyword("collate_fn", f"{source.names['TrainableModel']}.pad"))
    elif data.collate not in COLLATES:
        items.append(keyword("collate_fn", data.collate.partition(".")[2]))
    if data.drop_last:
        is_free = "training and batch_sampler is None"
        items.append(keyword("drop_last", is_free if data.has_custom_batches else "training"))
    if spec.compute.pin_memory:
        items.append(keyword("pin_memory", "torch.cuda.is_available()"))
    items += _worker_items(spec)
    made = call(source.imported("torch.utils.data", "DataLoader"), items)
    told = _UNIFORM if data.sampler == "uniform" else _DRAWN.format(kind=data.sampler)
    if data.has_custom_batches:
        told = _OWN.format(kind=data.batch_sampler)
    return pad + _METHOD.substitute(
        given=given,
        sampler=told,
        body="\n".join(statement("return ", made, depth=2)),
    )


def _pad_text(data: LoadedData | None, targets: Sequence[str]) -> str:
    """Return the method that pads a batch, and adds what tells of that."""
    names = tuple_of([literal(name, ParamKind.STR) for name in dict.fromkeys(targets)])
    texts = [info for info in data.source.infos if info.longest] if data is not None else []
    fills = {info.name: info.padding for info in texts if info.padding}
    fields = {} if data is None else data.collation.fields
    return _PAD.substitute(
        targets=flat(names),
        ignored=IGNORED,
        filling=f"{fills!r}.get(name, 0)" if fills else "0",
        told=", with\n        what tells of that" if fields else "",
        added="".join(_added(name, field) for name, field in fields.items()),
    )


def _added(padded: str, field: PaddingField) -> str:
    """Return the lines that add to a batch what tells of the padding of a field."""
    name, padded = json.dumps(field.info.name), json.dumps(padded)
    if field.info.kind == "padding_mask":
        return _MASK.format(name=name, padded=padded, axes=field.axes)
    sizes = ", ".join(f"sample[{padded}].shape[{axis}]" for axis in field.axes)
    return _LENGTHS.format(name=name, sizes=f"[{sizes}]" if field.info.shape else sizes)


def _worker_items(spec: RunSpec) -> list[Expression]:
    """Return the arguments about workers, which PyTorch refuses where there are none."""
    loader = spec.data.loader
    if not loader.num_workers:
        return []
    values: dict[str, Expression] = {"num_workers": str(loader.num_workers)}
    values["prefetch_factor"] = str(loader.prefetch_factor)
    if loader.timeout_s:
        values["timeout"] = literal(loader.timeout_s, ParamKind.FLOAT)
    if loader.persistent_workers:
        values["persistent_workers"] = "True"
    if loader.multiprocessing_context != "auto":
        values["multiprocessing_context"] = literal(loader.multiprocessing_context, ParamKind.STR)
    if loader.worker_init_fn != NO_FUNCTION:
        values["worker_init_fn"] = loader.worker_init_fn.partition(".")[2]
    return [keyword(name, value) for name, value in values.items()]
