"""Sources of the user's own pictures: described by hand."""

from engine.catalog.spec import FOLDER, Entry, EntryGroup, ParamKind, ParamSpec

_PATH = ParamSpec(
    name="path",
    kind=ParamKind.PATH,
    default="",
    choices=(FOLDER,),
    label="Folder",
    help="The folder that contains the pictures.",
)
SIZE = ParamSpec(
    name="size",
    kind=ParamKind.INTS,
    default=224,
    optional=True,
    length=2,
    minimum=1,
    maximum=16384,
    help="The height and width that all pictures get; one number for a square. Leave empty to keep"
    " the size of each picture, which needs a Resize or a crop in the transforms.",
)
FIT = ParamSpec(
    name="fit",
    kind=ParamKind.CHOICE,
    default="crop",
    choices=("crop", "stretch", "pad"),
    when="size",
    help="How pictures of other proportions get this size: crop takes the center, stretch changes"
    " the proportions, pad adds black borders.",
)
MODE = ParamSpec(
    name="mode",
    kind=ParamKind.CHOICE,
    default="RGB",
    choices=("RGB", "gray"),
    label="Colors",
    help="The channels of a picture: three for RGB, one for gray.",
)
WEIGHT = ParamSpec(
    name="weight",
    kind=ParamKind.STR,
    default="",
    advanced=True,
    label="Weight column",
    help="A column of the table of labels with numbers from 0 on, how much the loss of each picture"
    " counts: the loss of a batch is the mean of each sample's loss times its weight, (loss *"
    " weight).mean(), in training and evaluation. Metrics are not weighed. Predicting does not need"
    " the column.",
)
CLASS_FOLDERS = ParamSpec(
    name="class_folders",
    kind=ParamKind.CHOICE,
    default="outer",
    choices=("outer", "inner"),
    when="labels=|",  # without a table of labels
    label="Class folders",
    help="Which folders are the classes: outer, those directly in the folder, or in its train, val"
    " and test; inner, those in which the files lie, such as ill and well in patient1/ill and"
    " patient1/well. The folders within or around the classes are the column folder, by which the"
    " split keeps groups together.",
)
ON_DAMAGED = ParamSpec(
    name="on_damaged",
    kind=ParamKind.CHOICE,
    default="stop",
    choices=("stop", "replace"),
    label="Damaged pictures",
    advanced=True,
    help="What happens to a picture that cannot be read: stop names it and ends the"
    " run; replace takes the next picture of the same part and counts it.",
)
MASK_CLASSES = (
    ParamSpec(
        name="classes",
        kind=ParamKind.INT,
        default=2,
        minimum=2,
        maximum=1000,
        when="colors=|",  # without colors, which say how many there are
        help="The number of classes, including the background.",
    ),
    ParamSpec(
        name="names",
        kind=ParamKind.STR,
        default="",
        label="Class names",
        help="The names of the classes, separated by commas: background, cat, dog. Leave"
        " empty to use their numbers.",
    ),
    ParamSpec(
        name="colors",
        kind=ParamKind.STR,
        default="",
        label="Class colors",
        help="For colored masks: the colors of the classes in order, such as #000000"
        " #ff0000. Leave empty if the values of the masks are the class numbers.",
    ),
    ParamSpec(
        name="ignored",
        kind=ParamKind.STR,
        default="auto",
        label="Ignored pixels",
        help="The values (of colored masks the colors) of pixels without a class, which"
        " losses and metrics ignore. auto: 255, unless there are two classes. Leave empty"
        " for none.",
    ),
)
"""Settings that say what the pixels of masks stand for."""

FOLDERS: tuple[tuple[str, str, tuple[str, ...], str, str, tuple[ParamSpec, ...]], ...] = (
    (
        "image_folder",
        "Folder of pictures",
        ("classification", "binary", "regression"),
        "Your own pictures, with labels from subfolders or from a table.",
        (
            "Pictures are PNG, JPEG, WebP, BMP, TIFF or GIF files. Each subfolder is a class, in"
            " natural order of the names (2 before 10); of folders such as patient1/ill the inner"
            " ones can be. Folders train, val and test, each with"
            " class folders, determine the split. A CSV file in a folder without class folders"
            " gives the labels: a row per picture with the name of the file and the label. Files"
            " are only read, never changed."
        ),
        (
            _PATH,
            ParamSpec(
                name="labels",
                kind=ParamKind.PATH,
                default="",
                label="Table of labels",
                help="A CSV file or a list as text, with a row per picture: file name and label."
                " Leave empty to use class folders, or the table in the folder.",
            ),
            CLASS_FOLDERS,
            WEIGHT,
            MODE,
            SIZE,
            FIT,
            ON_DAMAGED,
        ),
    ),
    (
        "segmentation_folder",
        "Pictures with masks",
        ("classification",),
        "Your own pictures with a class for each pixel, for semantic segmentation.",
        (
            "The folder contains a folder of pictures (images) and one of masks (masks), whose"
            " files have the same names; or pictures and masks lie side by side, such as 1.jpg"
            " and 1_mask.png. Folders train, val and test, in these or around them, or the lists"
            " of Pascal VOC determine the split. The value of a pixel of a mask (of a palette"
            " its index) is its class; with two classes, every value but 0 is the second."
            " Colored masks need the colors of the classes. Pixels without a class are -100 in"
            " the target, which losses and metrics ignore. Files are only read, never changed."
        ),
        (
            _PATH,
            ParamSpec(
                name="masks",
                kind=ParamKind.PATH,
                default="",
                label="Folder of masks",
                help="The folder that contains the masks. Leave empty if they are in the folder of"
                " the data.",
            ),
            *MASK_CLASSES,
            MODE,
            SIZE,
            FIT,
        ),
    ),
    (
        "detection_folder",
        "Pictures with boxes",
        ("classification",),
        "Your own pictures with a box and a class for each object, for object detection.",
        (
            "Boxes are read from COCO JSON, Pascal VOC XML (a file per picture), YOLO text (a"
            " file per picture, with names of classes in data.yaml or classes.txt), or a CSV file"
            " or JSON lines with a row per box: path, x1, y1, x2, y2, class, or path, x, y, w, h,"
            " class (left, top, width and height in pixels). Corners of Pascal VOC count from 1"
            " unless a box begins at 0 or has a fraction, or the settings say so. Folders train,"
            " val and test, files named after them, or the lists of Pascal VOC determine the"
            " split. Boxes around a crowd are left out, boxes are cut off at the border of the"
            " picture, and boxes without an area are left out; all of these are counted. The"
            " target boxes has left, top, right and bottom in pixels of the picture as the model"
            " gets it, the target labels the class of each box. In a batch samples with fewer"
            " boxes are padded: boxes with 0, labels with -100, which losses ignore. Files are"
            " only read, never changed."
        ),
        (
            _PATH,
            ParamSpec(
                name="boxes",
                kind=ParamKind.PATH,
                default="",
                label="File of boxes",
                help="The JSON, JSON lines, CSV or data.yaml file with the boxes, or the folder"
                " with one XML or text file per picture. Leave empty if they are in the folder of"
                " the data.",
            ),
            ParamSpec(
                name="masks",
                kind=ParamKind.BOOL,
                default=False,
                label="Masks of objects",
                help="Also read the outline of each object from COCO JSON, polygons or run lengths,"
                " as a further target masks: which pixels are of each box. Mask R-CNN needs it.",
            ),
            ParamSpec(
                name="voc_origin",
                kind=ParamKind.CHOICE,
                default="auto",
                choices=("auto", "one", "zero"),
                label="Pascal VOC counts from",
                advanced=True,
                help="What the corners in XML files count from: one as in Pascal VOC, where xmax"
                " and ymax are the last pixels inside; zero as other programs write them; auto"
                " takes zero if a box begins at 0 or has a fraction, and one otherwise.",
            ),
            MODE,
            SIZE,
            FIT,
        ),
    ),
)


def image_entries() -> list[Entry]:
    """Return the sources that read folders of pictures."""
    return [
        Entry(
            key=key,
            group=EntryGroup.DATA,
            category="Your data",
            label=label,
            summary=text,
            doc=f"{text}\n\n{details}\n",
            params=params,
            tasks=tasks,
        )
        for key, label, tasks, text, details, params in FOLDERS
    ]
