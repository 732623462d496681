"""Source of the user's own videos: described by hand."""

from msgspec.structs import replace

from engine.catalog.spec import FOLDER, Entry, EntryGroup, ParamKind, ParamSpec
from tools.catalog.image_source import CLASS_FOLDERS, FIT, ON_DAMAGED, SIZE

_SUMMARY = "Your own videos, with labels from subfolders or from a table."
_DETAILS = (
    "Videos are MP4, AVI, MKV, WebM or MOV files. Each subfolder is a class, in natural order of"
    " the names (2 before 10); of folders such as patient1/ill the inner ones can be. Folders"
    " train, val and test, each with class folders, determine the split. A CSV file in a folder"
    " without class folders gives the labels: a row per video with the name of the file and the"
    " label. A video is cut into segments of equal length, of each of which the model reads one"
    " frame (channels × frames × height × width). Files are only read, never changed. Needs the"
    " package torchcodec and FFmpeg."
)
_PARAMS = (
    ParamSpec(
        name="path",
        kind=ParamKind.PATH,
        default="",
        choices=(FOLDER,),
        label="Folder",
        help="The folder that contains the videos.",
    ),
    ParamSpec(
        name="labels",
        kind=ParamKind.PATH,
        default="",
        label="Table of labels",
        help="A CSV file or a list as text, with a row per video: file name and label. Leave"
        " empty to use class folders, or the table in the folder.",
    ),
    CLASS_FOLDERS,
    ParamSpec(
        name="frames",
        kind=ParamKind.INT,
        default=8,
        minimum=1,
        maximum=1024,
        label="Frames",
        help="How many frames the model reads: a video is cut into as many segments of equal"
        " length, of each of which one frame is taken.",
    ),
    ParamSpec(
        name="sampling",
        kind=ParamKind.CHOICE,
        default="random",
        choices=("random", "middle"),
        label="Frame of a segment",
        help="Which frame of a segment is used in training: another one in each epoch, which"
        " follows from the seed, or always the middle. Validation and test use the middle.",
    ),
    replace(
        SIZE,
        default=112,
        optional=False,
        maximum=4096,
        help="The height and width that all frames get; one number for a square.",
    ),
    replace(
        FIT,
        when="",
        help="How frames of other proportions get this size: crop takes the center, stretch changes"
        " the proportions, pad adds black borders.",
    ),
    replace(
        ON_DAMAGED,
        label="Damaged videos",
        help="What happens to a video that cannot be read: stop names it and ends the run; replace"
        " takes the next video of the same part and counts it.",
    ),
)


def video_entries() -> list[Entry]:
    """Return the source that reads a folder of videos."""
    return [
        Entry(
            key="video_folder",
            group=EntryGroup.DATA,
            category="Your data",
            label="Folder of videos",
            summary=_SUMMARY,
            doc=f"{_SUMMARY}\n\n{_DETAILS}\n",
            params=_PARAMS,
            tasks=("classification", "binary", "regression"),
        )
    ]
