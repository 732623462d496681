"""Choice of the source that reads a file or folder of the user, with its settings."""

import os
import re
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from math import ceil
from pathlib import Path
from statistics import median, median_low

from engine.catalog.spec import EntryGroup, Value
from engine.data.read import array, text
from engine.data.read.captions import find_captions, read_captions
from engine.data.read.idx import is_idx
from engine.data.read.image import read_image
from engine.data.read.picture_suffix import SUFFIXES
from engine.data.read.shards import PART_COLUMN, find_shards
from engine.data.read.sound import SUFFIXES as SOUND_SUFFIXES
from engine.data.read.sound import SoundHead
from engine.data.read.sound import read_head as read_sound_head
from engine.data.read.stream import first_bytes
from engine.data.read.table import is_table_folder
from engine.data.read.text_table import is_text_table
from engine.data.read.video import SUFFIXES as VIDEO_SUFFIXES
from engine.data.read.video import VideoHead, rehearse_video
from engine.data.read.video import read_head as read_video_head
from engine.data.source.arrays import targets_beside
from engine.data.source.boxes.files import box_files, folder_of_boxes
from engine.data.source.image_labels import is_image_list, listed_folder, read_labels
from engine.data.source.image_walk import check_root, layout_of
from engine.data.source.mask_pairs import has_masks
from engine.data.source.text_folder import BARE_TEXTS, TEXTS
from engine.data.source.vision.loader import find_variant, set_of_folder, sets_in
from engine.diagnostics import DiagnosticError
from engine.files import is_file, is_folder
from engine.query.data.series_choice import series_settings
from engine.spec.choice import initial_choice
from engine.spec.proposal import FILE_READERS, FOLDER_READERS, is_published
from engine.spec.run import Choice

_MOST_ENTRIES = 2000  # looked at to tell what a folder holds
_HEAD_BYTES = 1 << 16
_NAME = re.compile(r"[^\W\d][\w-]{0,39}")
_ATTRIBUTION = re.compile(r"CC[- ]BY|tatoeba", re.IGNORECASE)
_LEAST_NAMED, _MOSTLY = 4, 0.8  # lines, and of them sentences, by which a line of names is told
_NUMBERS = re.compile(r"^[\d\s:./+-]*$")  # and dates, which are no sentences
_OTHER_PACKED = (".xz", ".bz2", ".zip", ".zst", ".7z", ".z")
_HDF = (".h5", ".hdf5", ".hdf", ".he5")
_SIZES = (32, 64, 128, 224)
_LOOKED_AT = 9  # pictures whose size is read
_LARGEST_SIDE = 256  # of pictures that are all of one size and keep it
_RATES = (4000, 22_050)  # samples a second, of a first run
_SHORTEST_SOUND, _LONGEST_SOUND = 0.1, 5.0  # seconds
_VIDEO_FRAMES, _VIDEO_SIDES = 8, (32, 64, 112)


def readers_of(path: Path) -> tuple[str, ...]:
    """Return the kinds of source that read files, or folders."""
    if not is_folder(path):
        return FILE_READERS
    published = sets_in(path)
    if len(published) > 1:
        return (*published, *FOLDER_READERS)
    has_rows = find_shards(path) or find_captions(path) is not None
    return ("table", *FOLDER_READERS) if has_rows else FOLDER_READERS


def read_as(path: Path, kind: str) -> Choice:
    """Return a source of a kind that the user says, with what is proposed for it."""
    if is_published(kind):
        own = set_of_folder(path) if is_folder(path) else None
        return _published(kind, own[1] if own is not None and own[0] == kind else path)
    if kind == "table" and is_folder(path) and _has_part_column(path):
        return Choice(type=kind, params={"path": str(path), "ignored": PART_COLUMN})
    further = _folder_params(path, kind, *_content(path)) if is_folder(path) else {}
    folder = folder_of_boxes(path) if kind == "detection_folder" and is_file(path) else None
    if folder is not None:
        return _boxes_in(path, folder)
    if kind == "image_folder" and is_file(path) and is_image_list(path):
        return _listed_pictures(path)
    if kind == "series" and is_file(path):
        return Choice(
            type=kind, params={"path": str(path), **(series_settings(path, is_said=True) or {})}
        )
    task = _text_task(path) if kind == "text" and is_file(path) else None
    return Choice(
        type=kind, params={"path": str(path)} | further | ({} if task is None else {"task": task})
    )


def _has_part_column(folder: Path) -> bool:
    """Return whether the rows of a folder say which part they belong to."""
    if shards := find_shards(folder):
        return len({shard.part for shard in shards}) > 1
    return find_captions(folder) is not None and PART_COLUMN in read_captions(folder).names


def source_of(path: Path) -> Choice:
    """Return the source that reads a file or folder, with what it has to know."""
    if is_folder(path):
        return _folder_source(path)
    suffix = path.suffix.lower()
    if suffix in SUFFIXES | SOUND_SUFFIXES | VIDEO_SUFFIXES:
        code = "D151" if suffix in SUFFIXES else "D366"
        raise DiagnosticError.of(code, field="data.source.path", file=str(path))
    folder = folder_of_boxes(path)
    if folder is not None:
        return _boxes_in(path, folder)
    params: dict[str, Value] = {"path": str(path)}
    if suffix in array.SUFFIXES or is_idx(path.name):
        beside = targets_beside(path)
        further = {} if beside is None else {"target_path": str(beside)}
        return Choice(type="arrays", params=params | further)
    if text.is_text_name(path.name):
        return _of_text(path)
    if suffix in _OTHER_PACKED and text.is_text_name(path.stem):
        raise DiagnosticError.of("D132", field="data.source.path", file=str(path))
    if suffix in _HDF:
        raise DiagnosticError.of("D661", field="data.source.path", file=path.name)
    return read_as(path, "text") if suffix == ".tsv" and _has_pairs(path) else _of_rows(path)


def _of_text(path: Path) -> Choice:
    """Return the source of a text: a list of pictures, a table, or a text."""
    if is_image_list(path):
        return _listed_pictures(path)
    is_table = is_plain_table(path) or _has_names(_first_cells(path))
    return _of_rows(path) if is_table else read_as(path, "text")


def _listed_pictures(path: Path) -> Choice:
    """Return the source of pictures whose paths and labels are in a list."""
    folder = listed_folder(path)
    files = [folder / name for name in islice(read_labels(path), _MOST_ENTRIES)]
    params = {"path": str(folder), "labels": str(path)} | picture_params(files)
    return Choice(type="image_folder", params=params)


def _of_rows(path: Path) -> Choice:
    settings = series_settings(path)
    if settings is None:
        return Choice(type="table", params={"path": str(path)})
    return Choice(type="series", params={"path": str(path), **settings})


def is_plain_table(path: Path) -> bool:
    """Return whether a text is a table, and neither pairs nor labels of what stands beside them."""
    if not is_text_table(path):
        return False
    cells = _first_cells(path)
    are_numbers = all(_NUMBERS.search(cell) for row in cells[1:] for cell in row)
    return _text_task(path) is None or are_numbers


def _boxes_in(file: Path, folder: Path) -> Choice:
    """Return the source of the pictures in a folder whose boxes are in a file."""
    return Choice(type="detection_folder", params={"path": str(folder), "boxes": str(file)})


def _folder_source(path: Path) -> Choice:
    check_root(path)
    published = sets_in(path)
    if len(published) > 1:
        raise DiagnosticError.of(
            "D619",
            field="data.source.path",
            folder=str(path),
            names=", ".join(published),
            first=published[0],
        )
    if published:
        return _published(published[0], path)
    own = set_of_folder(path)
    if own is not None:
        return _published(*own)
    if is_table_folder(path):
        return read_as(path, "table")
    names, files = _content(path)
    kind = _folder_kind(path, names, files)
    if not kind:
        raise DiagnosticError.of("D150", field="data.source.path", folder=str(path))
    return Choice(type=kind, params={"path": str(path)} | _folder_params(path, kind, names, files))


def _published(name: str, root: Path) -> Choice:
    """Return a set of torchvision in a folder, in the variant that lies there."""
    params: dict[str, Value] = {"path": str(root)}
    variant = find_variant(name, root)
    if variant:
        params["variant"] = variant
    return initial_choice(EntryGroup.DATA, name, Choice(type="", params=params))


def _folder_kind(path: Path, names: set[str], files: Sequence[Path]) -> str:
    """Return which source reads a folder with these names and files; empty where none does."""
    suffixes = {file.suffix.lower() for file in files}
    if suffixes & SUFFIXES:
        pictures = (file for file in files if file.suffix.lower() in SUFFIXES)
        if has_masks(file.relative_to(path).as_posix() for file in pictures):
            return "segmentation_folder"
        return "image_folder" if box_files(path, path) is None else "detection_folder"
    if suffixes & VIDEO_SUFFIXES:  # beside which their sound may lie
        return "video_folder"
    if suffixes & SOUND_SUFFIXES:
        return "sound_folder"
    if any(map(text.is_text_name, (file.name for file in files))):
        return "text"
    is_array = suffixes & set(array.SUFFIXES) or any(map(is_idx, names))
    return "arrays" if is_array else "text" if _are_bare_texts(path, files) else ""


def _are_bare_texts(path: Path, files: Sequence[Path]) -> bool:
    """Return whether folders within a folder hold texts whose names have no ending."""
    bare = [file for file in files if BARE_TEXTS.takes(file.name) and file.parent != path]
    with suppress(DiagnosticError):  # it is no text
        return bool(bare and text.read_file_text(bare[0]).text.strip())
    return False


def _folder_params(
    path: Path, kind: str, names: set[str], files: Sequence[Path]
) -> dict[str, Value]:
    """Return what the source of a folder has to know beside the folder, by what lies in it."""
    if kind == "image_folder":
        return picture_params(files)
    if kind == "sound_folder":
        return sound_params(files)
    if kind == "video_folder":
        return video_params(files)
    if kind == "text" and _has_class_folders(path, names, files):
        return {"task": "classification"}
    return {}


def _has_class_folders(path: Path, names: set[str], files: Sequence[Path]) -> bool:
    """Return whether texts lie in several folders, which may be in the one of an archive."""
    is_named = any(text.is_text_name(file.name) for file in files)
    layout = layout_of(path, TEXTS if is_named else BARE_TEXTS)
    inside = names if not layout.base else {each.name for each in (path / layout.base).iterdir()}
    return sum(is_folder(path / layout.base / name) for name in inside) > 1


def _content(path: Path) -> tuple[set[str], list[Path]]:
    """Return the names in a folder, and the first files in it and below."""
    try:
        names = {entry.name for entry in path.iterdir()}
    except OSError as error:
        raise DiagnosticError.of(
            "D050", field="data.source.path", folder=str(path), detail=str(error)
        ) from error
    files = (Path(folder, name) for folder, _, inner in os.walk(path) for name in inner)
    return names, list(islice(files, _MOST_ENTRIES))


def picture_params(files: Sequence[Path]) -> dict[str, Value]:
    """Return size and colors that fit pictures, by some of them; other files are passed over."""
    shapes, mode = sizes_and_mode(files)
    if not shapes:
        return {}
    if len(shapes) == 1 and max(next(iter(shapes))) <= _LARGEST_SIDE:
        return mode | {"size": next(iter(shapes))}
    side = median(min(shape) for shape in shapes)
    return mode | {"size": max((each for each in _SIZES if each <= side), default=_SIZES[0])}


def sound_params(files: Sequence[Path]) -> dict[str, Value]:
    """Return rate and duration that fit sounds, by some of them; other files are passed over."""
    known = [file for file in files if file.suffix.lower() in SOUND_SUFFIXES]
    heads: list[SoundHead] = []
    for file in known[:: max(len(known) // _LOOKED_AT, 1)]:
        with suppress(DiagnosticError):  # told by the source, with all others of its kind
            heads.append(read_sound_head(file))
    if not heads:
        return {}
    rate = min(max(int(median_low(head.rate for head in heads)), _RATES[0]), _RATES[1])
    seconds = max(head.seconds for head in heads)
    if seconds > _LONGEST_SOUND:
        seconds = min(median(head.seconds for head in heads), _LONGEST_SOUND)
    return {"rate": rate, "seconds": max(ceil(seconds * 10) / 10, _SHORTEST_SOUND)}


def video_params(files: Sequence[Path]) -> dict[str, Value]:
    """Return number and size of frames that fit videos, by some of them; other files are passed
    over.
    """
    known = [file for file in files if file.suffix.lower() in VIDEO_SUFFIXES]
    heads: list[VideoHead] = []
    for file in known[:: max(len(known) // _LOOKED_AT, 1)]:
        with suppress(DiagnosticError):  # told by the source, with all others of its kind
            if not heads:  # one of these strangers, in a process that can harm nobody
                rehearse_video(file)
            heads.append(read_video_head(file))
    if not heads:
        return {}
    side = median_low(min(head.height, head.width) for head in heads)
    frames = median_low(head.frames for head in heads)
    return {
        "frames": max(min(frames, _VIDEO_FRAMES), 1),
        "size": max((each for each in _VIDEO_SIDES if each <= side), default=_VIDEO_SIDES[0]),
    }


def sizes_and_mode(files: Sequence[Path]) -> tuple[set[tuple[int, int]], dict[str, Value]]:
    """Return heights and widths of some pictures, and the colors that fit them."""
    known = [file for file in files if file.suffix.lower() in SUFFIXES]
    shapes: set[tuple[int, int]] = set()
    is_gray = True
    for file in known[:: max(len(known) // _LOOKED_AT, 1)]:
        try:
            picture = read_image(file)
        except DiagnosticError:
            continue  # told by the source, with all others of its kind
        shapes.add((picture.shape[1], picture.shape[2]))
        is_gray &= bool((picture == picture[:1]).all())
    return shapes, {"mode": "gray"} if is_gray and shapes else {}


def _has_pairs(path: Path) -> bool:
    """Return whether lines of a text are two sentences each, which are not told apart by a few
    values.
    """
    rows = _first_cells(path)
    if _text_task(path) != "pairs" or _has_names(rows):
        return False
    return all(2 * _sentences(rows, side) > len(rows) for side in (0, 1))


def _sentences(rows: list[list[str]], side: int) -> int:
    """Return how many cells of a column are several words."""
    return sum(" " in row[side].strip() and not _NUMBERS.search(row[side]) for row in rows)


def _has_names(rows: list[list[str]]) -> bool:
    """Return whether the first line of two columns has their names: words that come no more below,
    where nearly all cells of one column are sentences.
    """
    if len(rows) < _LEAST_NAMED or any(len(row) != 2 for row in rows):
        return False
    names, below = rows[0], rows[1:]
    if not all(_NAME.fullmatch(name.strip()) for name in names):
        return False
    if any(name in (row[side] for row in below) for side, name in enumerate(names)):
        return False
    return any(_sentences(below, side) > _MOSTLY * len(below) for side in (0, 1))


def _text_task(path: Path) -> str | None:
    """Return what lines of a text are for: a label beside each, pairs, or None for running text."""
    cells = _first_cells(path)
    if not cells or any(len(row) != 2 and not _is_attributed(row) for row in cells):
        return None
    fewer, more = sorted(len({row[side].strip() for row in cells}) for side in (0, 1))
    if 2 * fewer > len(cells):
        return "pairs"
    # Short lists of phrases come again and again, but alike on both sides; labels are fewer.
    is_alike = 2 * fewer > more and all(2 * _sentences(cells, side) > len(cells) for side in (0, 1))
    return "pairs" if is_alike else "classification"


def _is_attributed(row: list[str]) -> bool:
    """Return whether a pair is followed by where it is from and its licence, as in the files of
    sentence pairs of Tatoeba.
    """
    return len(row) == 3 and _ATTRIBUTION.search(row[2]) is not None


def _first_cells(path: Path) -> list[list[str]]:
    """Return what stands between tabs in the first lines of a text; nothing for none that can be
    read: the source says why.
    """
    try:
        head, _, _ = first_bytes(path, _HEAD_BYTES)
    except (OSError, ValueError, DiagnosticError):
        return []
    lines = [line for line in head.decode("utf-8", "replace").splitlines() if line.strip()]
    return [line.split("\t") for line in lines[:-1] or lines]
