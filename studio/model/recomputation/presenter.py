"""What recomputing activations saves and costs, in words."""

from engine.query.memory.request import RecomputationReport
from studio.i18n import translate
from studio.view.wording import size_text


def about_text(names: tuple[str, ...]) -> str:
    """Return what the command does to nodes of these names."""
    text = translate(
        "Recomputation",
        "{names}: tensors inside are not kept for the backward pass. Only the inputs are; the "
        "forward pass is repeated when gradients are needed. The numbers of a run do not change.",
    )
    return text.format(names=", ".join(names))


def saving_text(report: RecomputationReport) -> str:
    """Return how memory and operations of a training step change."""
    before, after = report.step.memory, report.after.memory
    share = f"{max(report.more_flops, 0.0):.0%}"
    if report.saved_memory <= 0:
        text = translate(
            "Recomputation",
            "This saves no memory: a step needs {after} instead of {before}. Other layers keep "
            "the same tensors, or one part has to be recomputed as a whole. Mark several smaller "
            "blocks instead.",
        )
        return text.format(after=size_text(after), before=size_text(before))
    text = translate(
        "Recomputation",
        "A training step needs {after} of memory instead of {before}, {saved} less, and {share} "
        "more operations.",
    )
    return text.format(
        after=size_text(after),
        before=size_text(before),
        saved=size_text(report.saved_memory),
        share=share,
    )
