"""The transforms of sounds: described by hand."""

from engine.catalog.spec import Entry, EntryGroup, Need, ParamKind, ParamSpec

_FLOAT = ParamKind.FLOAT
_LEAST, _MOST = -80.0, 80.0  # decibels


def _decibels(name: str, default: float, help_text: str) -> ParamSpec:
    return ParamSpec(
        name=name, kind=_FLOAT, default=default, minimum=_LEAST, maximum=_MOST, help=help_text
    )


def _masks(axis: str) -> tuple[ParamSpec, ...]:
    return (
        ParamSpec(
            name="width",
            kind=_FLOAT,
            default=0.2,
            minimum=0.0,
            maximum=1.0,
            help=f"The greatest width of a masked range, as a fraction of the {axis}.",
        ),
        ParamSpec(
            name="count",
            kind=ParamKind.INT,
            default=2,
            minimum=1,
            maximum=100,
            help="How many ranges are masked.",
        ),
    )


_SPECAUGMENT = (
    "As in SpecAugment (Park et al. 2019). A masked range is as loud as the sound is on average,"
    " which is 0 once the data is normalized."
)
_TRANSFORMS: tuple[tuple[str, str, str, str, Need | None, tuple[ParamSpec, ...]], ...] = (
    (
        "RandomGain",
        "Random gain",
        "Makes the sound louder or quieter at random.",
        "A waveform is multiplied; the decibels of a spectrogram are shifted.",
        None,
        (
            _decibels("low", -12.0, "The smallest gain in decibels."),
            _decibels("high", 6.0, "The greatest gain in decibels."),
        ),
    ),
    (
        "AddNoise",
        "Add noise",
        "Adds white noise to the waveform at random.",
        "The signal-to-noise ratio is drawn between two values.",
        Need.WAVEFORM,
        (
            _decibels("low", 10.0, "The smallest signal-to-noise ratio in decibels."),
            _decibels("high", 40.0, "The greatest signal-to-noise ratio in decibels."),
            ParamSpec(
                name="p",
                kind=_FLOAT,
                default=0.5,
                minimum=0.0,
                maximum=1.0,
                help="The probability that the sound is changed.",
            ),
        ),
    ),
    (
        "TimeShift",
        "Time shift",
        "Moves the sound to an earlier or later time at random.",
        "Silence comes before or after it; nothing is repeated.",
        None,
        (
            ParamSpec(
                name="fraction",
                kind=_FLOAT,
                default=0.2,
                minimum=0.0,
                maximum=1.0,
                help="The greatest shift in both directions, as a fraction of the duration.",
            ),
        ),
    ),
    (
        "FrequencyMasking",
        "Frequency masking",
        "Masks random ranges of frequencies of the spectrogram.",
        _SPECAUGMENT,
        Need.SPECTROGRAM,
        _masks("bands"),
    ),
    (
        "TimeMasking",
        "Time masking",
        "Masks random ranges of time of the spectrogram.",
        _SPECAUGMENT,
        Need.SPECTROGRAM,
        _masks("frames"),
    ),
)


def sound_transform_entries() -> list[Entry]:
    """Return the transforms of a sound."""
    return [
        Entry(
            key=key,
            group=EntryGroup.TRANSFORM,
            category="Sound",
            label=label,
            summary=summary,
            doc=f"{summary}\n\n{details}\n",
            params=params,
            aliases=("audio", "specaugment") if "Masking" in key else ("audio",),
            needs=(Need.RANDOM_NUMBERS, Need.SOUND, *(() if need is None else (need,))),
        )
        for key, label, summary, details, need, params in _TRANSFORMS
    ]
