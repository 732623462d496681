"""Data sets of torchvision: which are offered, found by introspection, and what each of them is."""

import inspect

from msgspec.structs import replace

from engine.catalog.spec import FOLDER, Entry, EntryGroup, Need, ParamKind, ParamSpec, Value
from engine.data.source.vision.array_set import ARRAY_SETS, vision_class
from engine.data.source.vision.picture_set import PICTURE_SETS
from tools.catalog.image_source import FIT, MODE, ON_DAMAGED, SIZE

_PATH = ParamSpec(
    name="path",
    kind=ParamKind.PATH,
    default="",
    choices=(FOLDER,),
    label="Folder",
    help="The folder that contains the data set, laid out as torchvision does (its root), or an"
    " empty folder to download it into.",
)
_EMNIST_VARIANT = ParamSpec(
    name="variant",
    kind=ParamKind.CHOICE,
    default="balanced",
    choices=("balanced", "byclass", "bymerge", "letters", "digits", "mnist"),
    help="Which characters: balanced has 47 classes with 112,800 + 18,800 images, byclass 62 and"
    " bymerge 47 with 697,932 + 116,323, letters 26 with 124,800 + 20,800 (numbered from 1),"
    " digits 10 with 240,000 + 40,000, mnist 10 with 60,000 + 10,000.",
)
_IMAGENETTE_VARIANT = ParamSpec(
    name="variant",
    kind=ParamKind.CHOICE,
    default="160px",
    choices=("full", "320px", "160px"),
    help="The length of the shorter side: full is a download of 1.6 GB, 320px of 340 MB, 160px of"
    " 100 MB.",
)
_VARIANTS = {"EMNIST": _EMNIST_VARIANT, "Imagenette": _IMAGENETTE_VARIANT}
_WHOLE = ("EuroSAT", "SEMEION", "SUN397")
"""Those that are not divided."""

_SIZES: dict[str, Value] = {"EuroSAT": 64, "GTSRB": 48, "Imagenette": 160}

SETS: dict[str, tuple[str, str, str, str]] = {
    "MNIST": (
        "MNIST", "60,000 + 10,000 grayscale images of handwritten digits, 28 × 28", "12 MB",
        "Y. LeCun, C. Cortes, C. Burges, 1998."),
    "FashionMNIST": (
        "FashionMNIST", "60,000 + 10,000 grayscale images of clothes in 10 classes, 28 × 28",
        "31 MB", "Zalando Research (H. Xiao, K. Rasul, R. Vollgraf), 2017."),
    "KMNIST": (
        "KMNIST", "60,000 + 10,000 grayscale images of 10 Japanese characters, 28 × 28", "21 MB",
        "T. Clanuwat et al., Deep Learning for Classical Japanese Literature, 2018."),
    "QMNIST": (
        "QMNIST", "60,000 + 60,000 grayscale images of handwritten digits, 28 × 28", "20 MB",
        "C. Yadav, L. Bottou, Cold Case: The Lost MNIST Digits, 2019."),
    "EMNIST": (
        "EMNIST", ("Grayscale images of handwritten letters and digits, 28 × 28, in six variants of"
        " up to 697,932 + 116,323"), "560 MB",
        ("G. Cohen et al., EMNIST: an extension of MNIST to handwritten letters, 2017. The images"
        " are mirrored and turned, as they are in torchvision.")),
    "CIFAR10": (
        "CIFAR-10", "50,000 + 10,000 color images in 10 classes, 32 × 32", "170 MB",
        "A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009."),
    "CIFAR100": (
        "CIFAR-100", "50,000 + 10,000 color images in 100 classes, 32 × 32", "170 MB",
        "A. Krizhevsky, Learning Multiple Layers of Features from Tiny Images, 2009."),
    "SVHN": (
        "SVHN", "73,257 + 26,032 color images of house numbers in 10 classes, 32 × 32", "250 MB",
        "Y. Netzer et al., Reading Digits in Natural Images, 2011."),
    "STL10": (
        "STL-10", "5,000 + 8,000 color images in 10 classes, 96 × 96", "2.6 GB",
        "A. Coates, H. Lee, A. Ng, 2011. Its 100,000 images without a class are left out."),
    "USPS": (
        "USPS", "7,291 + 2,007 grayscale images of digits on envelopes, 16 × 16", "8 MB",
        "J. Hull, A Database for Handwritten Text Recognition Research, 1994."),
    "SEMEION": (
        "SEMEION", "1,593 black and white images of handwritten digits, 16 × 16", "3 MB",
        "Semeion Research Center, Rome, 1994."),
    "Country211": (
        "Country211", "31,650 + 10,550 + 21,100 photographs from 211 countries", "11 GB",
        "OpenAI, from YFCC100M, 2021."),
    "DTD": (
        "DTD textures", "1,880 + 1,880 + 1,880 photographs of 47 textures", "630 MB",
        "M. Cimpoi et al., Describing Textures in the Wild, 2014."),
    "EuroSAT": (
        "EuroSAT", "27,000 satellite images of 10 kinds of land, 64 × 64", "94 MB",
        "P. Helber et al., EuroSAT, 2019."),
    "FGVCAircraft": (
        "FGVC-Aircraft", "3,334 + 3,333 + 3,333 photographs of 100 aircraft variants", "2.8 GB",
        "S. Maji et al., Fine-Grained Visual Classification of Aircraft, 2013."),
    "Flowers102": (
        "Flowers102", "1,020 + 1,020 + 6,149 photographs of 102 flowers", "350 MB",
        "M. Nilsback, A. Zisserman, 2008."),
    "Food101": (
        "Food-101", "75,750 + 25,250 photographs of 101 dishes", "5 GB",
        "L. Bossard, M. Guillaumin, L. Van Gool, 2014."),
    "GTSRB": (
        "GTSRB", "26,640 + 12,630 photographs of 43 traffic signs", "280 MB",
        "J. Stallkamp et al., German Traffic Sign Recognition Benchmark, 2012."),
    "Imagenette": (
        "Imagenette", "9,469 + 3,925 photographs of 10 easily told classes of ImageNet",
        "100 MB to 1.6 GB", "fast.ai, 2019."),
    "OxfordIIITPet": (
        "Oxford-IIIT Pet", "3,680 + 3,669 photographs of 37 breeds of cats and dogs", "810 MB",
        "O. Parkhi et al., Cats and Dogs, 2012."),
    "RenderedSST2": (
        "Rendered SST2", "6,920 + 872 + 1,821 images of sentences, positive or negative",
        "130 MB", "OpenAI, from the Stanford Sentiment Treebank, 2021."),
    "SUN397": (
        "SUN397", "108,754 photographs of 397 kinds of places", "37 GB",
        "J. Xiao et al., SUN Database, 2010."),
}  # fmt: skip
"""By the name of the class: label, samples, size of the download, origin."""

_VIDEO = "Contains videos, which are not read yet."
_BOXES = "Needs targets with boxes, which are not read yet."
_STEREO = "Has pairs of pictures with a disparity, which are not read yet."
_FLOW = "Has pairs of pictures with a flow, which are not read yet."
_PAIRS = "Has pairs of pictures or patches, which are not read yet."
_OTHER_WAY = "Choose its folder with the source Folder of pictures instead."
_DRIVE = "Its files are on a drive that needs a package of its own to download from."
_CAPTIONS = "Has several sentences for each picture, which are not read yet."
_NOTHING = "A base class, or a function, and no data."
SETS_NOT_OFFERED: dict[str, str] = {
    f"datasets.{name}": reason
    for reason, names in {
        _VIDEO: "HMDB51 Kinetics MovingMNIST UCF101",
        _BOXES: "CocoDetection Kitti VOCDetection WIDERFace",
        _STEREO: "CREStereo CarlaStereo ETH3DStereo FallingThingsStereo InStereo2k Kitti2012Stereo"
        " Kitti2015Stereo Middlebury2014Stereo SceneFlowStereo SintelStereo",
        _FLOW: "FlyingChairs FlyingThings3D HD1K KittiFlow Sintel",
        _PAIRS: "LFWPairs PhotoTour",
        _CAPTIONS: "CocoCaptions Flickr30k Flickr8k SBU",
        _DRIVE: "Caltech101 CelebA PCAM",
        _NOTHING: "DatasetFolder VisionDataset wrap_dataset_for_transforms_v2",
        _OTHER_WAY: "Caltech256 ImageFolder ImageNet INaturalist LFWPeople Omniglot Places365",
        "Its pages ask to register or its download has ended; put the pictures into class folders"
        " and choose Folder of pictures.": "FER2013 LSUN LSUNClass StanfordCars",
        "Made of random numbers; the source Random does the same.": "FakeData",
        "Its target is a question about each picture.": "CLEVRClassification",
        "Has masks; choose its folders with the source Pictures with masks.":
            "Cityscapes SBDataset VOCSegmentation",
    }.items()
    for name in names.split()
}  # fmt: skip


def vision_entries() -> list[Entry]:
    """Return the sources that torchvision knows. Raises ``LookupError`` where an update of it
    brought a set that is neither offered nor left out.
    """
    from torchvision import datasets

    left_out = {name.removeprefix("datasets.") for name in SETS_NOT_OFFERED}
    unknown = {*datasets.__all__} - SETS.keys() - left_out
    if unknown or SETS.keys() != ARRAY_SETS.keys() | PICTURE_SETS.keys():
        raise LookupError(f"Data sets that are neither offered nor left out: {sorted(unknown)}")
    return [_entry(name) for name in SETS]


def _entry(name: str) -> Entry:
    label, samples, size, origin = SETS[name]
    cls = vision_class(name)
    text = f"{samples}. A download of about {size}."
    given = " Its own training, validation and test sets are kept." if name not in _WHOLE else ""
    if "root" not in inspect.signature(cls).parameters:
        raise LookupError(f"torchvision's {name} has no folder any more")
    params = [_PATH, *([_VARIANTS[name]] if name in _VARIANTS else [])]
    if name in PICTURE_SETS:
        params += [MODE, replace(SIZE, default=_SIZES.get(name, 224)), FIT, ON_DAMAGED]
    is_binary = name == "RenderedSST2"
    return Entry(
        key=name,
        group=EntryGroup.DATA,
        category="torchvision",
        label=label,
        target=f"torchvision.datasets.{name}",
        summary=text,
        doc=f"{text}\n\n{origin}{given}\n",
        params=tuple(params),
        needs=(Need.GIVEN_SPLIT,) if name not in _WHOLE else (),
        tasks=("binary", "classification") if is_binary else ("classification",),
        aliases=("torchvision", "download"),
    )
