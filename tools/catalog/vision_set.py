"""Data sets of torchvision: which are offered, found by introspection, and what each of them is."""

import inspect

from msgspec.structs import replace

from engine.catalog.spec import FOLDER, Entry, EntryGroup, Need, ParamKind, ParamSpec, Value
from engine.data.source.vision.array_set import ARRAY_SETS, vision_class
from engine.data.source.vision.by_hand import BY_HAND
from engine.data.source.vision.face import BOXES, IDENTITY, LANDMARKS
from engine.data.source.vision.pairs import PAIRS
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
_PATH_BY_HAND = replace(
    _PATH, help="The folder that contains the data set, laid out as torchvision does (its root)."
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
_FACE_VARIANT = ParamSpec(
    name="variant",
    kind=ParamKind.CHOICE,
    default="Smiling",
    choices=(
        *("5_o_Clock_Shadow", "Arched_Eyebrows", "Attractive", "Bags_Under_Eyes", "Bald", "Bangs"),
        *("Big_Lips", "Big_Nose", "Black_Hair", "Blond_Hair", "Blurry", "Brown_Hair"),
        *("Bushy_Eyebrows", "Chubby", "Double_Chin", "Eyeglasses", "Goatee", "Gray_Hair"),
        *("Heavy_Makeup", "High_Cheekbones", "Male", "Mouth_Slightly_Open", "Mustache"),
        *("Narrow_Eyes", "No_Beard", "Oval_Face", "Pale_Skin", "Pointy_Nose"),
        *("Receding_Hairline", "Rosy_Cheeks", "Sideburns", "Smiling", "Straight_Hair"),
        *("Wavy_Hair", "Wearing_Earrings", "Wearing_Hat", "Wearing_Lipstick"),
        *("Wearing_Necklace", "Wearing_Necktie", "Young", IDENTITY, LANDMARKS, BOXES),
    ),
    label="Attribute",
    help="Which of the 40 attributes is predicted, who it is (identity), where eyes, nose and"
    " corners of the mouth are (landmarks: ten numbers, x and y of each as shares of the picture's"
    " width and height, which transforms move with the picture), or the box around the face (boxes:"
    " of the pictures before they were aligned, which you unpack as celeba/img_celeba). Nobody is"
    " in two of the sets of its authors, so with identities choose another split than “given”.",
)
_NATURE_VARIANT = ParamSpec(
    name="variant",
    kind=ParamKind.CHOICE,
    default="2021_train_mini",
    choices=("2021_train_mini", "2021_train"),
    help="How many pictures are trained on: 50 of each species (a download of 42 GB), or all"
    " (224 GB). Both are validated on the same 100,000 (8 GB).",
)
_LFW_VARIANT = ParamSpec(
    name="variant",
    kind=ParamKind.CHOICE,
    default="funneled",
    choices=("original", "funneled", "deepfunneled"),
    help="As they were found, or aligned in one of two ways.",
)
_OMNIGLOT_VARIANT = ParamSpec(
    name="variant",
    kind=ParamKind.CHOICE,
    default="background",
    choices=("background", "evaluation"),
    help="Which alphabets: background has 964 characters of 30 alphabets with 19,280 images,"
    " evaluation 659 characters of 20 others with 13,180.",
)
_PLACES_VARIANT = ParamSpec(
    name="variant",
    kind=ParamKind.CHOICE,
    default="256px",
    choices=("256px", "full"),
    help="The size of the pictures: 256px is a download of 25 GB, full of 107 GB.",
)
_VARIANTS = {
    "CelebA": _FACE_VARIANT,
    "EMNIST": _EMNIST_VARIANT,
    "Imagenette": _IMAGENETTE_VARIANT,
    "INaturalist": _NATURE_VARIANT,
    "LFWPairs": _LFW_VARIANT,
    "LFWPeople": _LFW_VARIANT,
    "Omniglot": _OMNIGLOT_VARIANT,
    "Places365": _PLACES_VARIANT,
}
_WHOLE = (
    *("Caltech101", "Caltech256", "EuroSAT", "LFWPairs", "LFWPeople", "Omniglot", "SEMEION"),
    "SUN397",
)
"""Those that are not divided."""

_SIZES: dict[str, Value] = {
    "CelebA": 128,
    "EuroSAT": 64,
    "GTSRB": 48,
    "Imagenette": 160,
    "LFWPairs": 128,
    "LFWPeople": 128,
    "Omniglot": 105,
}

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
    "FER2013": (
        "FER2013", "28,709 + 3,589 + 3,589 grayscale faces with 7 expressions, 48 × 48", "300 MB",
        "P. Carrier, A. Courville, ICML 2013 Challenges in Representation Learning."),
    "PCAM": (
        "PatchCamelyon (PCAM)", ("262,144 + 32,768 + 32,768 color images of tissue, 96 × 96, with"
        " a tumor in their middle or without"), "8 GB (unpacked 9 GB)",
        ("B. Veeling et al., Rotation Equivariant CNNs for Digital Pathology, 2018. Its HDF5 files"
        " are read where they lie.")),
    "Caltech101": (
        "Caltech 101", "8,677 photographs of 101 kinds of objects", "137 MB",
        "L. Fei-Fei, R. Fergus, P. Perona, 2004. Its pictures of the background are left out."),
    "Caltech256": (
        "Caltech 256", "30,607 photographs of 256 kinds of objects, and others", "1.2 GB",
        "G. Griffin, A. Holub, P. Perona, Caltech-256 Object Category Dataset, 2007."),
    "CelebA": (
        "CelebA", ("162,770 + 19,867 + 19,962 faces with 40 attributes, identities, landmarks and"
        " boxes"), "1.4 GB",
        "Z. Liu et al., Deep Learning Face Attributes in the Wild, 2015."),
    "CLEVRClassification": (
        "CLEVR", "70,000 + 15,000 drawn scenes, classified by their number of objects", "18 GB",
        "J. Johnson et al., CLEVR, 2017. Its questions are left out."),
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
    "INaturalist": (
        "iNaturalist 2021", "500,000 (or 2,686,843) + 100,000 photographs of 10,000 species",
        "50 GB to 232 GB", "G. Van Horn et al., 2021."),
    "LFWPairs": (
        "LFW pairs", "6,000 pairs of faces, of the same person or of two", "240 MB",
        ("G. Huang et al., Labeled Faces in the Wild, 2007. The model reads two pictures. Split by"
        " the column fold, and nobody is in two parts.")),
    "LFWPeople": (
        "LFW people", "13,233 faces of 5,749 people", "240 MB",
        "G. Huang et al., Labeled Faces in the Wild, 2007. 4,069 of them are there but once."),
    "Omniglot": (
        "Omniglot", "19,280 (or 13,180) drawn characters of 964 (or 659) kinds, 105 × 105",
        "10 MB", "B. Lake, R. Salakhutdinov, J. Tenenbaum, 2015. 20 images of each."),
    "OxfordIIITPet": (
        "Oxford-IIIT Pet", "3,680 + 3,669 photographs of 37 breeds of cats and dogs", "810 MB",
        "O. Parkhi et al., Cats and Dogs, 2012."),
    "Places365": (
        "Places365", "1,803,460 + 36,500 photographs of 365 kinds of places", "25 GB to 107 GB",
        "B. Zhou et al., Places, 2017."),
    "RenderedSST2": (
        "Rendered SST2", "6,920 + 872 + 1,821 images of sentences, positive or negative",
        "130 MB", "OpenAI, from the Stanford Sentiment Treebank, 2021."),
    "StanfordCars": (
        "Stanford Cars", "8,144 + 8,041 photographs of 196 models of cars", "2 GB",
        "J. Krause et al., 3D Object Representations for Fine-Grained Categorization, 2013."),
    "SUN397": (
        "SUN397", "108,754 photographs of 397 kinds of places", "37 GB",
        "J. Xiao et al., SUN Database, 2010."),
}  # fmt: skip
"""By the name of the class: label, samples, size of the download, origin."""

_VIDEOS = "Choose its folder with the source Folder of videos instead."
_BOXES = "Choose its folder with the source Pictures with boxes instead."
_MASKS = "Has masks; choose its folders with the source Pictures with masks."
_OWN_BOXES = "Has boxes in a format of its own; convert them to those of COCO, VOC or YOLO first."
_MASKS_OF_MATLAB = "Has masks in files of MATLAB; write them as pictures of class numbers first."
_STEREO = "Has pairs of pictures with a disparity, which are not read."
_FLOW = "Has pairs of pictures with a flow, which are not read."
_PATCHES = "Has pairs of patches of large pictures; a data set in code can read them."
_FRAMES = "Has sequences of pictures without a target; a data set in code can read them."
_PICTURES = "Choose its folder with the source Folder of pictures instead."
_LMDB = "Its files are LMDB databases, which are not read; unpack the pictures into class folders."
_CAPTIONS = "Has captions as COCO has them; choose its folder with the source Table."
_OWN_CAPTIONS = "Has captions in a format of its own; a table with the columns image and caption is"
_NOTHING = "A base class, or a function, and no data."
SETS_NOT_OFFERED: dict[str, str] = {
    f"datasets.{name}": reason
    for reason, names in {
        _VIDEOS: "HMDB51 Kinetics UCF101",
        _FRAMES: "MovingMNIST",
        _BOXES: "CocoDetection VOCDetection",
        _OWN_BOXES: "Kitti WIDERFace",
        _MASKS: "Cityscapes VOCSegmentation",
        _MASKS_OF_MATLAB: "SBDataset",
        _STEREO: "CREStereo CarlaStereo ETH3DStereo FallingThingsStereo InStereo2k Kitti2012Stereo"
        " Kitti2015Stereo Middlebury2014Stereo SceneFlowStereo SintelStereo",
        _FLOW: "FlyingChairs FlyingThings3D HD1K KittiFlow Sintel",
        _PATCHES: "PhotoTour",
        _CAPTIONS: "CocoCaptions",
        f"{_OWN_CAPTIONS} read.": "Flickr30k Flickr8k SBU",
        _LMDB: "LSUN LSUNClass",
        _PICTURES: "ImageFolder ImageNet",
        _NOTHING: "DatasetFolder VisionDataset wrap_dataset_for_transforms_v2",
        "Made of random numbers; the source Random does the same.": "FakeData",
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
    if unknown or SETS.keys() != ARRAY_SETS.keys() | PICTURE_SETS.keys() | {PAIRS}:
        raise LookupError(f"Data sets that are neither offered nor left out: {sorted(unknown)}")
    return [_entry(name) for name in SETS]


def _entry(name: str) -> Entry:
    label, samples, size, origin = SETS[name]
    cls = vision_class(name)
    page = BY_HAND.get(name, "")
    whence = f"About {size}, which you download yourself: {page}" if page else ""
    text = f"{samples}. {whence or f'A download of about {size}'}."
    given = " Its own training, validation and test sets are kept." if name not in _WHOLE else ""
    if "root" not in inspect.signature(cls).parameters:
        raise LookupError(f"torchvision's {name} has no folder any more")
    params = [_PATH_BY_HAND if page else _PATH, *([_VARIANTS[name]] if name in _VARIANTS else [])]
    if name in PICTURE_SETS:
        params += [MODE, replace(SIZE, default=_SIZES.get(name, 224)), FIT, ON_DAMAGED]
    if name == PAIRS:
        params += [MODE, replace(SIZE, default=_SIZES[name]), FIT]
    is_binary = name in ("CelebA", "LFWPairs", "PCAM", "RenderedSST2")
    needs = (*((Need.GIVEN_SPLIT,) if name not in _WHOLE else ()),
             *((Need.BY_HAND,) if page else ()))  # fmt: skip
    return Entry(
        key=name,
        group=EntryGroup.DATA,
        category="torchvision",
        label=label,
        target=f"torchvision.datasets.{name}",
        summary=text,
        doc=f"{text}\n\n{origin}{given}\n",
        params=tuple(params),
        needs=needs,
        tasks=("binary", "classification") if is_binary else ("classification",),
        aliases=("torchvision",) if page else ("torchvision", "download"),
    )
