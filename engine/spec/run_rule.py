"""Rules for the settings of a run: precision, devices, data, parameter groups and processes."""

from collections.abc import Iterator

from engine.catalog.spec import EntryGroup, Need
from engine.diagnostics import Diagnostic, Severity, shortened
from engine.graph.analysis import Analysis
from engine.graph.expand import expand, place_of
from engine.graph.model import Graph
from engine.graph.node_state.synchronizing import BATCH_NORMS, SYNC_NORM
from engine.spec.choice import chosen_entry, has_need
from engine.spec.data import DataInfo
from engine.spec.group import fits, group_params, patterns
from engine.spec.placement import part_names
from engine.spec.run import TOGETHER, DataSpec, RunSpec
from engine.spec.sampler_rule import WITH_COLUMNS, check_curriculum, check_sampler
from engine.spec.split_rule import check_split

_WITH_COLUMNS = {"R025": "D656", **WITH_COLUMNS}  # what the data say, with their columns
_WILD = ("*", "?", "[")
_WITH_WHOLE_WEIGHTS = ("Adafactor", "LBFGS")
_FEWEST_GPUS = 2  # of DataParallel
_EXAMPLE_GPUS = 2
_LISTED = 4  # layers in a sentence


def _idle(data: DataSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield the settings that are set and say nothing beside the others, or of the file."""
    field, column = "data.sampler_column", data.sampler_column.strip()
    if data.sampler == "uniform" and column and not data.batch_sampler:
        yield Diagnostic.of("D658", severity=Severity.HINT, field=field, column=column[:60])
    entry = chosen_entry(EntryGroup.DATA, data.source)
    if info is None or entry is None:
        return
    for name in info.unused:
        value, param = data.source.params.get(name), entry.param(name)
        if param is not None and value not in {None, "", param.default}:
            key = f"data.source.{name}"
            yield Diagnostic.of("D659", severity=Severity.HINT, field=key, value=str(value)[:60])


def check_compute(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield the findings about precision and devices that need no device to be seen."""
    is_half = spec.compute.precision == "float16"
    if is_half and has_need(EntryGroup.OPTIMIZER, spec.optimizer, Need.CLOSURE):
        yield Diagnostic.of("R183", field="compute.precision", optimizer=spec.optimizer.type)
    if spec.compute.gpus and spec.mode == "thread":
        yield Diagnostic(code="R186", field="compute.gpus", params={"gpus": spec.compute.gpus})


def check_data(spec: RunSpec, info: DataInfo | None) -> Iterator[Diagnostic]:
    """Yield the findings about split and batch size."""
    split = spec.data.split
    told = {problem.code for problem in info.problems} if info is not None else set[str]()
    problems = list(check_split(split))
    for problem in (*check_sampler(spec.data), *problems):
        if _WITH_COLUMNS.get(problem.code) not in told:
            yield problem
    yield from _idle(spec.data, info)
    yield from check_curriculum(spec)
    if problems or info is None or not info.splits:
        return
    for part in info.splits:
        fraction = getattr(split, part.name)
        if part.samples == 0 and fraction > 0:
            small = "D731" if part.name == "train" else "R022"  # which cannot be 0
            yield Diagnostic(
                code=small if fraction * info.samples < 1 else "D473",
                field=f"data.split.{part.name}",
                params={
                    "part": part.name,
                    "fraction": fraction,
                    "samples": info.samples,
                },
            )
    train = info.part("train")
    size = spec.data.batch_size
    if train is None or not 0 < train.samples < size or spec.data.has_custom_batches:
        return
    yield Diagnostic(
        code="R024" if spec.data.drop_last else "R023",
        severity=Severity.ERROR if spec.data.drop_last else Severity.WARNING,
        field="data.batch_size",
        params={"batch": size, "samples": train.samples},
    )


def check_groups(spec: RunSpec, graph: Graph, analysis: Analysis) -> Iterator[Diagnostic]:
    """Yield the findings: an optimizer without groups, settings that it does not have, and patterns
    that name nothing, as far as that is known without the model itself.
    """
    if not spec.groups:
        return
    if has_need(EntryGroup.OPTIMIZER, spec.optimizer, Need.CLOSURE):
        yield Diagnostic.of("R059", field="groups.0.match", optimizer=spec.optimizer.type)
    known = {param.name for param in group_params(spec)}
    names = part_names(graph, analysis) if analysis.is_ok() else None
    for index, group in enumerate(spec.groups):
        field = f"groups.{index}.match"
        for name in group.params.keys() - known:
            yield Diagnostic.of("R009", field=field, type=spec.optimizer.type, name=name[:60])
        for pattern in patterns(group.match) if names is not None else ():
            if not any(may_fit(pattern, name) for name in names or ()):
                yield Diagnostic(code="R056", field=field, params={"match": pattern[:100]})


def may_fit(pattern: str, module: str) -> bool:
    """Return whether a pattern may name a parameter of a module: what it has is not known here."""
    if any(sign in pattern for sign in _WILD):
        return True
    own = pattern.rstrip(".")
    return fits(own, f"{module}.weight") or own == module or own.startswith(f"{module}.")


def check_processes(spec: RunSpec) -> Iterator[Diagnostic]:
    """Yield what cannot be where each process keeps a part of the weights."""
    if spec.mode != "fsdp":
        return
    optimizer = spec.optimizer.type
    if optimizer in _WITH_WHOLE_WEIGHTS:
        yield Diagnostic(code="R200", field="optimizer", params={"optimizer": optimizer})
    if spec.compute.compile:
        yield Diagnostic(code="R201", field="compute.compile")
    if spec.compute.channels_last:
        yield Diagnostic(code="R202", field="compute.channels_last")


def check_gpus(spec: RunSpec, graph: Graph, device: str, gpus: int) -> Iterator[Diagnostic]:
    """Yield the findings about a run on a kind of device (``cpu``, ``cuda``, ``mps``) with so many
    GPUs that it may use.
    """
    if spec.mode in TOGETHER and device != "cuda":
        yield from _check_norms(spec, graph)
    if spec.mode in TOGETHER and _processes(spec) > 1 and not spec.processes.sync_norms:
        yield from _norms_of_each(spec, graph)
    if spec.mode == "dp":
        yield _split(spec, gpus if device == "cuda" else 0)


def chunks(batch: int, parts: int) -> tuple[int, ...]:
    """Return how many samples of a batch each GPU gets from DataParallel, which splits it as
    ``torch.chunk`` does: equal ones as long as there are, then the rest.
    """
    size = -(-batch // parts)
    return tuple(min(size, batch - start) for start in range(0, batch, size))


def _check_norms(spec: RunSpec, graph: Graph) -> Iterator[Diagnostic]:
    """Yield where batch norms are synchronized, which is computed on GPUs only."""
    if spec.processes.sync_norms:
        yield Diagnostic(code="R205", severity=Severity.WARNING, field="processes.sync_norms")
    for node in expand(graph).graph.nodes.values():
        if node.type == SYNC_NORM:
            yield Diagnostic.of("R208", node=place_of(node.id), name=node.name)


def _norms_of_each(spec: RunSpec, graph: Graph) -> Iterator[Diagnostic]:
    """Yield that batch norms take the statistics of the samples of each process."""
    norms = [node.name for node in expand(graph).graph.nodes.values() if node.type in BATCH_NORMS]
    if norms:
        yield Diagnostic.of(
            "D695",
            severity=Severity.WARNING,
            field="processes.sync_norms",
            count=len(norms),
            names=shortened(norms, _LISTED),
            processes=_processes(spec),
            batch=spec.data.batch_size,
            share=-(-spec.data.batch_size // _processes(spec)),
        )


def _processes(spec: RunSpec) -> int:
    """Return how many processes share each batch of a run, on all machines."""
    return spec.nproc * max(spec.processes.nnodes, 1)


def _split(spec: RunSpec, gpus: int) -> Diagnostic:
    """Return the advice against DataParallel, with what it does to a batch; an error where there
    are too few GPUs for it.
    """
    enough = gpus >= _FEWEST_GPUS
    batch, count = spec.data.batch_size, gpus if enough else _EXAMPLE_GPUS
    params: dict[str, str | int | float] = {
        "batch": batch,
        "count": count,
        "split": " + ".join(map(str, chunks(batch, count))),
        "gpus": gpus,
    }
    if enough:
        return Diagnostic(code="R207", severity=Severity.WARNING, field="mode", params=params)
    return Diagnostic(code="R206", field="mode", params=params)
