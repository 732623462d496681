"""Source of the user's own sounds: described by hand."""

from msgspec.structs import replace

from engine.catalog.spec import FOLDER, Entry, EntryGroup, ParamKind, ParamSpec
from tools.catalog.image_source import CLASS_FOLDERS, ON_DAMAGED, WEIGHT

_INT, _CHOICE = ParamKind.INT, ParamKind.CHOICE
_SPECTROGRAM = "form=spectrogram"
_SUMMARY = "Your own sounds, with labels from subfolders or from a table."
_DETAILS = (
    "Sounds are WAV, FLAC, OGG or MP3 files. Each subfolder is a class, in natural order of the"
    " names (2 before 10); of folders such as patient1/ill the inner ones can be. Folders train,"
    " val and test, each with class folders, determine the split. A CSV file in a folder without"
    " class folders gives the labels: a row per sound with the name of the file and the label. The"
    " model reads the waveform or a log-mel spectrogram in decibels. Files are read in blocks and"
    " never changed. Needs the package soundfile."
)
_PARAMS = (
    ParamSpec(
        name="path",
        kind=ParamKind.PATH,
        default="",
        choices=(FOLDER,),
        label="Folder",
        help="The folder that contains the sounds.",
    ),
    ParamSpec(
        name="labels",
        kind=ParamKind.PATH,
        default="",
        label="Table of labels",
        help="A CSV file or a list as text, with a row per sound: file name and label. Leave"
        " empty to use class folders, or the table in the folder.",
    ),
    CLASS_FOLDERS,
    replace(WEIGHT, help=(WEIGHT.help or "").replace("picture", "sound")),
    ParamSpec(
        name="form",
        kind=_CHOICE,
        default="spectrogram",
        choices=("spectrogram", "waveform"),
        label="Input",
        help="What the model reads: a log-mel spectrogram (channels × bands × frames, in decibels),"
        " or the waveform (channels × samples).",
    ),
    ParamSpec(
        name="rate",
        kind=_INT,
        default=16_000,
        minimum=1000,
        maximum=192_000,
        label="Sample rate",
        help="Samples per second. Sounds of other rates are resampled. 16,000 is enough for"
        " speech, 22,050 or more for music.",
    ),
    ParamSpec(
        name="channels",
        kind=_CHOICE,
        default="mono",
        choices=("mono", "stereo"),
        help="One channel, the mean of those in the file, or two.",
    ),
    ParamSpec(
        name="seconds",
        kind=ParamKind.FLOAT,
        default=5.0,
        minimum=0.01,
        maximum=120.0,
        label="Seconds",
        help="The duration that all sounds get: longer ones are cut, shorter ones are followed by"
        " silence.",
    ),
    ParamSpec(
        name="piece",
        kind=_CHOICE,
        default="random",
        choices=("random", "middle"),
        label="Piece of long sounds",
        help="Which piece of a longer sound is used in training: another one in each epoch, which"
        " follows from the seed, or always the middle. Validation and test use the middle.",
    ),
    ParamSpec(
        name="mels",
        kind=_INT,
        default=64,
        minimum=1,
        maximum=512,
        when=_SPECTROGRAM,
        label="Mel bands",
        help="The number of frequency bands of the spectrogram, its height.",
    ),
    ParamSpec(
        name="n_fft",
        kind=_INT,
        default=1024,
        minimum=16,
        maximum=16_384,
        when=_SPECTROGRAM,
        advanced=True,
        label="FFT size",
        help="How many samples each column of the spectrogram looks at, as in torch.stft: more of"
        " them tell frequencies apart better, and moments worse.",
    ),
    ParamSpec(
        name="hop_length",
        kind=_INT,
        default=256,
        minimum=1,
        maximum=16_384,
        when=_SPECTROGRAM,
        advanced=True,
        label="Hop length",
        help="The number of samples from one column of the spectrogram to the next, at most the"
        " FFT size.",
    ),
    replace(
        ON_DAMAGED,
        label="Damaged sounds",
        help="What happens to a sound that cannot be read: stop names it and ends the run; replace"
        " takes the next sound of the same part and counts it.",
    ),
)


def sound_entries() -> list[Entry]:
    """Return the source that reads a folder of sounds."""
    return [
        Entry(
            key="sound_folder",
            group=EntryGroup.DATA,
            category="Your data",
            label="Folder of sounds",
            summary=_SUMMARY,
            doc=f"{_SUMMARY}\n\n{_DETAILS}\n",
            params=_PARAMS,
            tasks=("classification", "binary", "regression"),
        )
    ]
