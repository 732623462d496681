"""What exported training code does not do as its run did, in words."""

from engine.export.chain_text import draws_by_itself, has_same_scalings, training_draws
from engine.export.job import ExportJob
from engine.export.sample_list import SampleList
from engine.export.sampler_text import carried_sampler
from engine.graph.expand import expand
from engine.graph.node_state.bypass import active
from engine.graph.node_state.initialization import FILE, initials_in_model
from engine.graph.node_state.synchronizing import BATCH_NORMS
from engine.runs.record.state import ROLLED_BACK, RunState
from engine.spec.live import LiveValue

_MOST_CHANGES = 20
_LAST_DIGITS = "so losses may differ in their last digits."


def note_text(job: ExportJob, found: SampleList, state: RunState, *, has_start: bool) -> str:
    """Return a sentence for each, empty where there is nothing to tell; ``has_start`` tells that
    the weights that the run began with are beside the code.
    """
    notes = [*_data_notes(job, found), *_run_notes(job, state)]
    is_from_files = job.spec.weights or any(
        choice.type == FILE for _, _, choice in initials_in_model(active(job.graph))
    )
    if is_from_files and not has_start:
        notes.append(
            "The run began with weights from a file that is gone; here they begin from the seed."
        )
    return "".join(f"\n\n{note}" for note in notes)


def _data_notes(job: ExportJob, found: SampleList) -> list[str]:
    data = job.data
    if data is None:
        return []
    notes: list[str] = []
    if draws_by_itself(data):
        notes.append(
            "The code that gives the data draws anew in every epoch. The list has the samples as "
            "it gave them once, so the losses of a training differ from those of the run."
        )
    if found.is_whole and training_draws(data, found.carried):
        notes.append(
            "The run took another piece of a sound, or other frames of a video, in every epoch; "
            "here a training has those in the middle, and its losses differ from those of the run."
        )
    if data.sampler.custom_sampler is not None and carried_sampler(data) is None:
        notes.append(
            "The run drew its samples by a sampler of its own code, which looks at samples of a "
            "data set of its own code that reads files, or is made by a data module; here all "
            "come in each epoch, "
            + ("shuffled." if data.sampler.spec.shuffle else "in their order.")
        )
    if not has_same_scalings(data):
        notes.append(
            "The run normalized its training samples in another way than those of evaluation; "
            "here all are normalized as in evaluation."
        )
    return notes


def _value_text(value: LiveValue) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"{one:g}" for one in value)
    return str(value).lower() if isinstance(value, bool) or value is None else f"{value}"


def _parts_note(job: ExportJob) -> str:
    spec, nodes = job.spec, expand(active(job.graph)).graph.nodes.values()
    text = f"The run computed each batch in several parts (mode {spec.mode}); here it is computed "
    has_norms = any(node.type in BATCH_NORMS for node in nodes)
    if has_norms and not spec.processes.sync_norms:
        return (
            f"{text}at once. Batch norms took their statistics of a part there and take those of "
            "the whole batch here, so the losses differ."
        )
    return f"{text}at once, {_LAST_DIGITS}"


def _run_notes(job: ExportJob, state: RunState) -> list[str]:
    spec = job.spec
    notes: list[str] = []
    if changes := [knob for knob in state.knobs if knob.origin != "technique"]:
        shown = [f"`{one.name} = {_value_text(one.value)}` at step {one.step}" for one in changes]
        more = f" and {len(shown) - _MOST_CHANGES} more" if len(shown) > _MOST_CHANGES else ""
        notes.append(
            "While the run trained it was changed: "
            f"{', '.join(shown[:_MOST_CHANGES])}{more}. Here every setting is that of the start, "
            f"so the losses are those of the run up to step {changes[0].step}; "
            "`train --replay` of Trellis repeats the changes."
        )
    if state.changes:
        notes.append("Tensors were changed by hand while the run trained; here none is.")
    if state.device not in ("", "cpu"):
        notes.append(f"The run computed on `{state.device}`; here the CPU does, {_LAST_DIGITS}")
    if spec.mode in ("ddp", "fsdp", "dp"):
        notes.append(_parts_note(job))
    if spec.non_finite == "skip":
        notes.append(
            "The run leaves out steps whose loss or gradients are NaN or infinite; here every step "
            "is taken."
        )
    if spec.non_finite == "roll_back":
        backs = sum(problem.code in ROLLED_BACK for problem in state.warnings)
        times = f"; it did so {backs} time{'s' * (backs != 1)}" if backs else ""
        notes.append(
            "After a step whose loss or gradients are NaN or infinite the run goes back to its "
            f"last checkpoint and halves its learning rate{times}. A training here does not."
        )
    if spec.compute.compile:
        notes.append(
            f"The run compiled its model (`torch.compile`); here it is not, {_LAST_DIGITS}"
        )
    return notes
