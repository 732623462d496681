"""Which samples a batch has: source, split, sampler, batches."""

from collections.abc import Iterator

from engine.catalog.spec import EntryGroup
from engine.spec.choice import chosen_entry
from engine.spec.data_path import path_params
from engine.spec.run import SAMPLERS, TOGETHER, DataSpec
from studio.data.pipeline.stage import (
    PipelineState,
    makes_custom_batches,
    samples_of,
    samples_text,
    stage,
    title_of,
)
from studio.i18n import filled, translate
from studio.view.data import split_title
from studio.view.recipe import RecipeState
from widgets.flow.view_model import FlowBox, FlowLane

SETTING = "data.batch_sampler"


def order_lane(state: PipelineState, recipe: RecipeState) -> FlowLane:
    """Return the stages that say which samples a batch has."""
    note = translate(
        "Pipeline", "The main process lists the samples of every batch before any of them is read."
    )
    boxes = (
        _source(recipe),
        _split(state, recipe),
        *_drawing(state, recipe),
        *_ranks(state, recipe),
    )
    return FlowLane(title=translate("Pipeline", "Which samples"), note=note, boxes=boxes)


def _source(recipe: RecipeState) -> FlowBox:
    data, info = recipe.spec.data, recipe.data
    entry = chosen_entry(EntryGroup.DATA, data.source, recipe.graph.code)
    return stage(
        "data.source",
        translate("Pipeline", "Source"),
        "data",
        title_of(entry, data.source.type, recipe.language),
        recipe,
        notes=(
            *_file_names(data, recipe),
            *((samples_text(info.samples),) if info is not None else ()),
        ),
        tip=_tips()["source"],
    )


def _split(state: PipelineState, recipe: RecipeState) -> FlowBox:
    samples = samples_of(state, recipe)
    return stage(
        "data.split.kind",
        translate("Pipeline", "Split"),
        "cut",
        split_title(state.part),
        recipe,
        notes=(
            *((samples_text(samples),) if samples is not None else ()),
            _split_text(recipe.spec.data),
        ),
        covers=("data.split",),
        tip=_tips()["split"],
    )


def _drawing(state: PipelineState, recipe: RecipeState) -> tuple[FlowBox, ...]:
    if makes_custom_batches(state, recipe):
        return (_custom_batches(recipe),)
    return _sampler(state, recipe), _batches(state, recipe)


def _custom_batches(recipe: RecipeState) -> FlowBox:
    """Return the batch sampler of the project's code, in place of sampler and batches."""
    own = translate("Pipeline", "the project's code draws from seed {seed} and the epoch")
    return stage(
        SETTING,
        "BatchSampler",
        "grid",
        recipe.spec.data.batch_sampler.rpartition(".")[2],
        recipe,
        notes=(own.format(seed=recipe.spec.seed),),
        covers=(SETTING,),
        tip=_tips()["custom_batches"],
    )


def _sampler(state: PipelineState, recipe: RecipeState) -> FlowBox:
    value, note, key = _sampler_text(state, recipe.spec.data, recipe.spec.seed)
    return stage(
        key,
        "Sampler",
        "select",
        value,
        recipe,
        notes=(note,),
        covers=("data.sampler", "data.shuffle", "data.curriculum"),
        tip=_tips()["sampler"],
    )


def _batches(state: PipelineState, recipe: RecipeState) -> FlowBox:
    data = recipe.spec.data
    is_dropped = data.drop_last and state.part == "train"
    return stage(
        "data.batch_size",
        "BatchSampler",
        "grid",
        filled(
            translate("Pipeline", "{count} {count|index|indices} per batch"), count=data.batch_size
        ),
        recipe,
        notes=(
            translate("Pipeline", "a smaller last batch is left out")
            if is_dropped
            else translate("Pipeline", "the last batch may be smaller"),
        ),
        covers=("data.batch_size", "data.drop_last"),
        tip=_tips()["batches"],
    )


def _ranks(state: PipelineState, recipe: RecipeState) -> Iterator[FlowBox]:
    if recipe.spec.mode not in TOGETHER:
        return
    count = recipe.spec.nproc * max(recipe.spec.processes.nnodes, 1)
    share = -(-recipe.spec.data.batch_size // max(count, 1))
    if makes_custom_batches(state, recipe):
        note = translate("Pipeline", "each reads its share of every batch")
    else:
        note = filled(
            translate("Pipeline", "each reads {count} {count|sample|samples} of every batch"),
            count=share,
        )
    yield stage(
        "nproc",
        translate("Pipeline", "Processes"),
        "layers",
        filled(translate("Pipeline", "{count} {count|rank|ranks}"), count=count),
        recipe,
        notes=(note,),
        tip=_tips()["ranks"],
    )


def _sampler_text(state: PipelineState, data: DataSpec, seed: int) -> tuple[str, str, str]:
    """Return how samples are drawn, what is to be known of it, and the setting that says so."""
    if state.part != "train":
        value = translate("Pipeline", "in order")
        return value, translate("Pipeline", "as every evaluation"), "data.split.kind"
    drawn = translate("Pipeline", "drawn from seed {seed} and the epoch").format(seed=seed)
    if data.sampler not in SAMPLERS:
        own = translate("Pipeline", "the project's code draws from seed {seed} and the epoch")
        return data.sampler, own.format(seed=seed), "data.sampler"
    if data.sampler != "uniform":
        return _drawn_text(data), drawn, "data.sampler"
    if data.shuffle:
        return translate("Pipeline", "shuffled, each sample once"), drawn, "data.shuffle"
    note = translate("Pipeline", "the same order in every epoch")
    return translate("Pipeline", "in order"), note, "data.shuffle"


def _drawn_text(data: DataSpec) -> str:
    column = data.sampler_column
    match data.sampler:
        case "balanced":
            by = column or translate("Pipeline", "class")
            return translate("Pipeline", "balanced by {column}").format(column=by)
        case "weighted":
            return translate("Pipeline", "weighted by {column}").format(column=column)
        case "curriculum":
            judge = data.curriculum.run or column
            return translate("Pipeline", "the easiest by {column} first").format(column=judge)
        case _:
            return translate("Pipeline", "bucketed by length")


def _split_text(data: DataSpec) -> str:
    split = data.split
    if split.folds:
        text = translate("Pipeline", "fold {fold} of {folds}")
        return text.format(fold=split.fold + 1, folds=split.folds)
    kinds = {
        "random": translate("Pipeline", "drawn at random"),
        "stratified": translate("Pipeline", "stratified"),
        "group": translate("Pipeline", "by groups of {column}"),
        "column": translate("Pipeline", "as {column} says"),
        "given": translate("Pipeline", "as the data says"),
        "time": translate("Pipeline", "by time ({column})"),
        "sequential": translate("Pipeline", "in the order of the data"),
    }
    return kinds[split.kind].format(column=split.column or "?")


def _file_names(data: DataSpec, recipe: RecipeState) -> tuple[str, ...]:
    """Return the names of the files or folders of the source."""
    params = data.source.params
    paths = [str(params.get(name) or "") for name in path_params(data.source, recipe.graph.code)]
    return tuple(path.replace("\\", "/").rstrip("/").rpartition("/")[2] for path in paths if path)


def _tips() -> dict[str, str]:
    """Return what each stage is, in words that teach."""
    return {
        "source": translate(
            "Pipeline",
            "The data set: it knows how many samples there are and reads one by its number "
            "(Dataset.__getitem__). Choose to go to its settings.",
        ),
        "split": translate(
            "Pipeline",
            "Which samples belong to this part. Each sample is in one part only, so that "
            "evaluation uses samples that the model has not learned from.",
        ),
        "sampler": translate(
            "Pipeline",
            "The order in which samples are used (torch.utils.data.Sampler). It gives numbers, "
            "not samples. Evaluation goes through its part in order.",
        ),
        "batches": translate(
            "Pipeline",
            "Groups the numbers of the sampler (BatchSampler). Each group becomes one batch.",
        ),
        "custom_batches": translate(
            "Pipeline",
            "Lists the numbers of the samples of each training batch (batch_sampler), in place of "
            "a sampler and a batch size. Evaluation goes through its part in order.",
        ),
        "ranks": translate(
            "Pipeline",
            "With several processes, each computes its share of every batch, as with "
            "DistributedSampler. The results are those of one process with the whole batch.",
        ),
    }
