"""Settings of what a run monitors: described by hand."""

from engine.catalog.spec import ParamKind, ParamSpec
from tools.catalog.setting import setting

INT, FLOAT, BOOL = ParamKind.INT, ParamKind.FLOAT, ParamKind.BOOL


def watch_settings() -> tuple[ParamSpec, ...]:
    """Return the settings of what a run monitors by itself."""
    return (
        setting("statistics", BOOL, "Layer statistics",
                 "Record the distribution of weights, gradients, updates and activations of "
                 "every layer. This does not affect the results of the run.",
                 default=True),
        setting("every_steps", INT, "Statistics every",
                 "Record at most once every this many steps, and at most four times per second.",
                 default=10, minimum=1, maximum=1_000_000, unit="steps",
                 advanced=True),
        setting("limit", FLOAT, "Cost limit",
                 "The maximum share of time for monitoring. Beyond it, statistics are recorded "
                 "less often. 0.03 is 3 %.", default=0.03,
                 minimum=0.0, exclusive_minimum=True, maximum=1.0, advanced=True),
        setting("learned", BOOL, "When samples are learned",
                 "Record for each training sample from which step on its class was predicted "
                 "correctly: a column of Data, Samples. Takes 4 bytes per sample in checkpoints. "
                 "Not with ddp, fsdp, blended batches, own batch samplers and collate functions.",
                 default=True, advanced=True),
    )  # fmt: skip
