"""Schedules that are several schedulers of PyTorch in series, and what such a series needs."""

from engine.catalog.spec import Entry, EntryGroup, Need, ParamKind, ParamSpec

FLOAT = ParamKind.FLOAT
_WARMUP = ParamSpec(
    name="warmup", kind=FLOAT, label="Warm-up", default=0.05, minimum=0.0, maximum=1.0,
    help="The fraction of the run in which the learning rate rises linearly. 0.05 is 5 %.",
)  # fmt: skip
_START = ParamSpec(
    name="start_factor", kind=FLOAT, label="Start factor", default=0.01, minimum=0.0,
    exclusive_minimum=True, maximum=1.0,
    help="The learning rate of the first step, relative to the full one.",
)  # fmt: skip


def composed_schedules() -> list[Entry]:
    """Return the schedules with a warm-up."""
    cosine = ParamSpec(
        name="eta_min", kind=FLOAT, label="Lowest rate", default=0.0, minimum=0.0, maximum=1000.0,
        help="The learning rate at the end of the cosine.",
    )  # fmt: skip
    decay = ParamSpec(
        name="decay", kind=FLOAT, label="Decay", default=0.2, minimum=0.0, maximum=1.0,
        exclusive_minimum=True,
        help="The fraction of the run, at its end, in which the learning rate falls linearly.",
    )  # fmt: skip
    end = ParamSpec(
        name="end_factor", kind=FLOAT, label="End factor", default=0.0, minimum=0.0, maximum=1.0,
        help="The learning rate at the end, relative to the full one.",
    )  # fmt: skip
    return [
        _drawn_curve(),
        _entry(
            "WarmupCosine",
            "Warm-up + cosine",
            "A linear warm-up, then half a cosine to the end of the run; the usual choice for "
            "transformers.",
            doc="`SequentialLR` of `LinearLR` and `CosineAnnealingLR`.",
            params=(_WARMUP, _START, cosine),
            aliases=("warmup", "cosine", "transformer"),
        ),
        _entry(
            "WarmupStableDecay",
            "Warm-up, stable, decay",
            "A linear warm-up, the full learning rate for most of the run, and a linear decay at "
            "its end (WSD).",
            doc="`SequentialLR` of `LinearLR`, `ConstantLR` and `LinearLR`.",
            params=(_WARMUP, _START, decay, end),
            aliases=("wsd", "warmup", "trapezoid"),
        ),
    ]


def _drawn_curve() -> Entry:
    points = ParamSpec(
        name="points", kind=ParamKind.STR, label="Points", default="0:0.1, 0.1:1, 1:0",
        single=False,
        help="Points of the curve, one after the other: the fraction of the run, a colon, and the "
        "factor of the learning rate there. 0:0.1, 0.1:1, 1:0 rises from a tenth of it and falls "
        "to nothing. The curve is drawn below the charts.",
    )  # fmt: skip
    joined = ParamSpec(
        name="interpolation", kind=ParamKind.CHOICE, label="Between points", default="linear",
        choices=("linear", "log"),
        help="linear: straight lines; log: straight lines where the learning rate is on a "
        "logarithmic scale, for factors above 0.",
    )  # fmt: skip
    return _entry(
        "DrawnCurve",
        "Drawn curve",
        "The learning rate times a factor that goes through points of your own.",
        doc="`LambdaLR` with a factor that is interpolated between the points.",
        params=(points, joined),
        aliases=("points", "piecewise", "custom", "lambda"),
    )


def _entry(
    key: str,
    label: str,
    text: str,
    *,
    doc: str,
    params: tuple[ParamSpec, ...],
    aliases: tuple[str, ...],
) -> Entry:
    return Entry(
        key=key,
        group=EntryGroup.SCHEDULER,
        category="Scheduler",
        label=label,
        summary=text,
        doc=doc,
        params=params,
        aliases=aliases,
        needs=(Need.EVERY_STEP, Need.RUN_LENGTH),
    )
