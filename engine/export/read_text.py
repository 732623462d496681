"""Text of the functions that read a raw sample as evaluation does: a file, a row, a text."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import Template

from engine.data.read.file_form import ArrayForm, FileForm
from engine.data.read.mask_form import MaskForm
from engine.data.read.picture_form import PictureForm
from engine.data.read.row import CategoryCell, FlagCell, NumberCell
from engine.data.read.sound import SoundForm
from engine.data.read.video import VideoForm
from engine.data.source.array_form import RowsForm
from engine.data.source.row_form import RowForm
from engine.export.library_text import Library
from engine.spec.data import IGNORED, PIXEL_KINDS, FieldInfo
from engine.syntax.format import INDENT

_CHAIN = "engine.data.transform.chain"
_FIT = "engine.data.read.fit"
_IMAGE = "engine.data.read.image"
_MASK = "engine.data.read.mask_form"
_ROW = "engine.data.read.row"
_SEED = "engine.data.seed"
_SPECTROGRAM = "engine.data.read.spectrogram"
_READERS: Mapping[type, str] = {
    PictureForm: "read_image",
    MaskForm: "read_mask",
    SoundForm: "read_sound",
    VideoForm: "read_video",
}
_PIECES = (SoundForm, VideoForm)
_MEANT: Mapping[type, str] = {
    PictureForm: "the path of a picture",
    MaskForm: "the path of a mask",
    SoundForm: "the path of a sound",
    VideoForm: "the path of a video",
    ArrayForm: "the path of an array",
    RowsForm: "what the array holds for the sample",
}


@dataclass(frozen=True, kw_only=True)
class InputReading:
    """How an input is read: its field as the data has it, what it is called in a raw sample, and
    the form of its files, of the rows of its table or of its array; none for values that are taken
    as they are. ``is_text`` tells that it is encoded. One that tells of the padding of another
    input, along ``axes`` of it, is no part of a raw sample: ``key`` is the name of that input.
    ``columns`` are what the numbers in each row of a series are called.
    """

    field: FieldInfo
    key: str
    form: FileForm | RowForm | RowsForm | None = None
    is_text: bool = False
    axes: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()


_READ_IMAGE = Template('''
# Colors, height and width, how a picture is fitted to them, and the least size to decode it at.
$IMAGES = {$entries
}


def $read_image(path, field=$first):
    """Return the picture in a file, upright, of shape (channels, height, width)."""
    mode, size, fit, least = $IMAGES[field]
    image = $decode(Path(path).read_bytes(), mode, least)[0]
    if size is None:
        return $as_bytes(image)
    image = $fit_image(image, *size, fit)
    return image.float().div_(255) if image.dtype == torch.uint8 else image
''')
_READ_MASK = Template('''
# How many classes, their colors where a mask has such, what has none, and the size that is read.
$MASKS = {$entries
}


def $read_mask(path, field=$first):
    """Return the mask in a file as a plane of 0 and 1 for each class, of shape (classes, height,
    width).
    """
    classes, colors, ignored, size, fit = $MASKS[field]
    content = Path(path).read_bytes()
    if colors:
        red, green, blue = $as_bytes($decode(content, "RGB", None)[0]).long()
        codes = red << 16 | green << 8 | blue
        numbers = torch.full_like(codes, $ignored_class)
        for number, color in enumerate(colors):
            numbers[codes == color] = number
    else:
        numbers = $decode_mask(content, classes == 2)
        is_ignored = torch.isin(numbers, torch.tensor(ignored, dtype=torch.int64))
        numbers = (numbers != 0).long() if classes == 2 else numbers
        numbers = numbers.masked_fill(is_ignored, $ignored_class)
    if size is not None:
        numbers = $fit_mask(numbers, *size, fit, $ignored_class)
    return $planes_of(numbers, classes)
''')
_READ_SOUND = Template('''
# Samples a second, channels, samples, and the bands of a spectrogram.
$SOUNDS = {$entries
}


def $read_sound(path, field=$first, position=0.5):
    """Return a piece of the sound in a file, the first (0) to the last (1), followed by silence
    where it is shorter.
    """
    rate, channels, samples, bands = $SOUNDS[field]
    with $SoundFile(path) as sound:
        wanted = $ceil(samples * sound.samplerate / rate)
        start = round(position * max(sound.frames - wanted, 0))
        if start:  # some decoders start anew where they are told to go to the beginning
            sound.seek(start)
        wave = sound.read(min(wanted, sound.frames - start), dtype="float32", always_2d=True)
        before = sound.samplerate
    if channels == "mono":
        wave = wave.mean(axis=1, keepdims=True)
    elif wave.shape[1] == 1:
        wave = wave.repeat(2, axis=1)
    wave = $resample(torch.from_numpy(wave[:, :2].T.copy()), before, rate)
    wave = torch.nn.functional.pad(wave, (0, max(samples - wave.shape[1], 0)))[:, :samples]
    return wave.contiguous() if bands is None else $log_mel(wave, rate, bands)
''')
_READ_VIDEO = Template('''
# Frames, height and width, and how a frame is fitted to them.
$VIDEOS = {$entries
}


def $read_video(path, field=$first, offsets=()):
    """Return frames of the video in a file, one of each of as many segments: the middle one, or
    that at ``offsets`` from 0 to 1; the shape is (3, frames, height, width).
    """
    count, size, fit = $VIDEOS[field]
    decoder = $VideoDecoder(path, num_ffmpeg_threads=1)
    offsets = offsets or [0.5] * count
    numbers = [int((at + each) * len(decoder) / count) for at, each in enumerate(offsets)]
    frames = [decoder.get_frame_at(min(number, len(decoder) - 1)).data for number in numbers]
    frames = [$fit_image(frame, *size, fit) for frame in frames]
    return torch.stack(frames, dim=1).float().div_(255)
''')
_READ_ARRAY = Template('''

def $read_array(path):
    """Return the one array in a file of NumPy (.npy, .npz) or PyTorch (.pt, .pth), float32."""
    path = Path(path)
    if path.suffix in (".pt", ".pth"):
        array = torch.load(path, map_location="cpu", weights_only=True)
    else:
        array = $load(path)
    if not hasattr(array, "shape"):  # a dictionary of arrays
        (name,) = array
        array = array[name]
    return torch.as_tensor(array).float()
''')
_READ_ROW = Template('''
$tables

def $read_row(row):
    """Return the inputs for a row of the table: ``row`` has a cell for each column by its name,
    written as in the file; None, an empty cell and one that is not there are missing.
    """
    return {$entries
    }
''')
_READ_SAMPLE = Template('''

def $read_values(sample$drawn):
    """Return the inputs of the model by name, as they are read before any transform$told.
    ``sample`` is a dictionary with
$keys
    """
    with $one_thread():
$row        return {$values
        }


def $read_sample(sample):
    """Return the inputs of the model by name, each as a batch of one, as evaluation reads them
    before normalization. ``sample`` is as in ``$read_values``.
    """
    with $one_thread():
        values = $read_values(sample)
        return {$entries
        }
''')
_TOLD = """; ``drawn``
    are random numbers that choose a piece of a file, by input"""


def read_text(
    readings: Sequence[InputReading],
    transformed: Iterable[str],
    names: Mapping[str, str],
    library: Library,
) -> str:
    """Return the functions that read the files and rows of the inputs, and those that read a whole
    sample; ``transformed`` are the images and sounds that transforms of evaluation change,
    ``names`` what the functions are called in the file.
    """
    files = [_images, _masks, _sounds, _videos, _arrays]
    parts = [text for make in files if (text := make(readings, names, library))]
    row = next((each.form for each in readings if isinstance(each.form, RowForm)), None)
    if row is not None:
        parts.append(_row(row, names, library))
    parts.append(_sample(readings, set(transformed), names, library))
    return "".join(parts)


def _images(readings: Sequence[InputReading], names: Mapping[str, str], library: Library) -> str:
    lines = {
        each.field.name: f"{form.mode!r}, {form.size!r}, {form.fit!r}, {_plain(form.least)!r}"
        for each in readings
        if isinstance(form := each.form, PictureForm)
    }
    if not lines:
        return ""
    return _READ_IMAGE.substitute(
        names,
        entries=_entries(lines),
        first=json.dumps(next(iter(lines))),
        decode=library.name(_IMAGE, "_decode"),
        as_bytes=library.name(_FIT, "as_bytes"),
        fit_image=library.name(_FIT, "fit_image"),
    )


def _masks(readings: Sequence[InputReading], names: Mapping[str, str], library: Library) -> str:
    lines = {
        each.field.name: f"{len(kinds.names)}, {kinds.colors!r}, {kinds.ignored!r}, "
        f"{form.size!r}, {form.fit!r}"
        for each in readings
        if isinstance(form := each.form, MaskForm)
        for kinds in (form.classes,)
    }
    if not lines:
        return ""
    return _READ_MASK.substitute(
        names,
        entries=_entries(lines),
        first=json.dumps(next(iter(lines))),
        as_bytes=library.name(_FIT, "as_bytes"),
        decode=library.name(_IMAGE, "_decode"),
        decode_mask=library.name(_IMAGE, "_decode_mask"),
        fit_mask=library.name(_FIT, "fit_mask"),
        planes_of=library.name(_MASK, "planes_of"),
        ignored_class=IGNORED,
    )


def _plain(values: Iterable[int] | None) -> tuple[int, ...] | None:
    return None if values is None else tuple(values)


def _sounds(readings: Sequence[InputReading], names: Mapping[str, str], library: Library) -> str:
    forms = {each.field.name: each.form for each in readings if isinstance(each.form, SoundForm)}
    if not forms:
        return ""
    lines: dict[str, str] = {}
    for field, form in forms.items():
        bands = "None"
        if form.bands is not None:
            bound = library.name(_SPECTROGRAM, "Bands")
            bands = f"{bound}{repr(form.bands).removeprefix('Bands')}"
        lines[field] = f"{form.rate!r}, {form.channels!r}, {form.samples!r}, {bands}"
    return _READ_SOUND.substitute(
        names,
        entries=_entries(lines),
        first=json.dumps(next(iter(lines))),
        SoundFile=library.imported("soundfile", "SoundFile"),
        ceil=library.imported("math", "ceil"),
        resample=library.name("engine.data.read.resample", "resample"),
        log_mel=library.name(_SPECTROGRAM, "log_mel"),
    )


def _videos(readings: Sequence[InputReading], names: Mapping[str, str], library: Library) -> str:
    lines = {
        each.field.name: f"{form.frames!r}, {form.size!r}, {form.fit!r}"
        for each in readings
        if isinstance(form := each.form, VideoForm)
    }
    if not lines:
        return ""
    return _READ_VIDEO.substitute(
        names,
        entries=_entries(lines),
        first=json.dumps(next(iter(lines))),
        VideoDecoder=library.imported("torchcodec.decoders", "VideoDecoder"),
        fit_image=library.name(_FIT, "fit_image"),
    )


def _arrays(readings: Sequence[InputReading], names: Mapping[str, str], library: Library) -> str:
    if not any(isinstance(each.form, ArrayForm) for each in readings):
        return ""
    return _READ_ARRAY.substitute(names, load=library.imported("numpy", "load"))


def _row(form: RowForm, names: Mapping[str, str], library: Library) -> str:
    tables: list[str] = []
    entries: list[str] = []
    if form.features:
        tables.append(_cells(names["ROW_FEATURES"], form.features, library))
        features = library.name(_ROW, "features_of")
        numbers = f"{features}(row, {names['ROW_FEATURES']})"
        entries.append(f'"features": torch.tensor([{numbers}], dtype=torch.float32)')
    if form.categories:
        tables.append(_cells(names["ROW_CATEGORIES"], form.categories, library))
        categories = library.name(_ROW, "categories_of")
        entries.append(
            f'"categories": torch.tensor([{categories}(row, {names["ROW_CATEGORIES"]})])'
        )
    return _READ_ROW.substitute(
        names,
        tables="\n".join(tables),
        entries="".join(f"\n{INDENT * 2}{entry}," for entry in entries),
    )


def _cells(
    name: str, forms: Sequence[NumberCell | FlagCell | CategoryCell], library: Library
) -> str:
    lines: list[str] = []
    for form in forms:
        bound = library.name(_ROW, type(form).__name__)
        defaults = type(form)._field_defaults
        given = [
            f"{field}={value!r}"
            for field, value in form._asdict().items()
            if field not in defaults or value != defaults[field]
        ]
        lines.append(f"{INDENT}{bound}({', '.join(given)}),\n")
    return f"{name} = (\n{''.join(lines)})\n"


def _sample(
    readings: Sequence[InputReading],
    transformed: set[str],
    names: Mapping[str, str],
    library: Library,
) -> str:
    has_row = any(isinstance(each.form, RowForm) for each in readings)
    has_pieces = any(isinstance(each.form, _PIECES) for each in readings)
    given = [each for each in readings if not each.axes]
    keys = dict.fromkeys(
        f"{INDENT}- {'the cells of the row' if has else f'``{each.key}``: {_meant(each)}'}"
        for each in given
        for has in (isinstance(each.form, RowForm),)
    )
    return _READ_SAMPLE.substitute(
        names,
        one_thread=library.name(_SEED, "one_thread"),
        drawn=", drawn={}" if has_pieces else "",
        told=_TOLD if has_pieces else "",
        keys="\n".join(keys),
        row=f"{INDENT * 2}row = {names['read_row']}(sample)\n" if has_row else "",
        values=_lines({each.field.name: _read(each, names) for each in given}),
        entries=_lines(
            {
                each.field.name: _evaluated(each, each.field.name in transformed, names, library)
                for each in readings
            }
        ),
    )


def _lines(entries: Mapping[str, str]) -> str:
    return "".join(
        f"\n{INDENT * 3}{json.dumps(field)}: {value}," for field, value in entries.items()
    )


def _meant(reading: InputReading) -> str:
    """Return what a raw sample has to hold for an input."""
    if reading.is_text:
        return "a text"
    if reading.form is not None:
        return _MEANT[type(reading.form)]
    field = reading.field
    shape = ", ".join("any" if size < 0 else str(size) for size in field.shape)
    values = f"values of shape ({shape}{',' if len(field.shape) == 1 else ''})"
    if not reading.columns:
        return values
    names = ", ".join(json.dumps(name, ensure_ascii=False) for name in reading.columns)
    return f"{values}, a row for each step in time, with the columns\n{INDENT * 2}{names}"


def _evaluated(
    reading: InputReading, is_transformed: bool, names: Mapping[str, str], library: Library
) -> str:
    """Return the expression for an input as a batch of one."""
    name = json.dumps(reading.field.name)
    if reading.axes:
        sizes = [f"values[{json.dumps(reading.key)}].shape[{axis}]" for axis in reading.axes]
        if reading.field.kind == "padding_mask":
            return f"torch.zeros(1, {', '.join(sizes)}, dtype=torch.bool)"
        return f"torch.tensor([{', '.join(sizes)}]{'[None]' if reading.field.shape else ''})"
    value = f"values[{name}]"
    if is_transformed:
        return f"{names['prepare']}({value}, {name})"
    if is_image_of_bytes(reading.field):
        value = f"{library.name(_CHAIN, 'image_numbers')}({value})"
    return f"{value}[None]"


def is_image_of_bytes(field: FieldInfo) -> bool:
    """Return whether a field is read as whole numbers that become decimal ones."""
    return field.kind in PIXEL_KINDS and field.dtype.startswith("uint")


def _read(reading: InputReading, names: Mapping[str, str]) -> str:
    """Return the expression for an input as it is read."""
    field, form = reading.field, reading.form
    name, raw = json.dumps(field.name), f"sample[{json.dumps(reading.key)}]"
    if isinstance(form, RowForm):
        return f"row[{name}][0]"
    if reading.is_text:
        return f"{names['encode']}({raw}, {name})[0]"
    reader = _READERS.get(type(form))
    if reader is not None:
        drawn = ""
        if isinstance(form, _PIECES):
            star = "*" if isinstance(form, SoundForm) else ""
            drawn = f", {star}drawn.get({name}, ())"
        return f"{names[reader]}({raw}, {name}{drawn})"
    if isinstance(form, ArrayForm):
        return f"{names['read_array']}({raw})"
    if isinstance(form, RowsForm):
        return _of_array(form, raw)
    return f"torch.as_tensor({raw}, dtype=torch.{field.dtype})"


def _of_array(form: RowsForm, raw: str) -> str:
    """Return what an array holds for a sample as a value."""
    value = f"torch.as_tensor({raw}).to(torch.{form.dtype})"
    if form.scale != 1.0:
        value = f"({value} / {form.scale})"
    if form.is_channels_last:
        value = f"{value}.movedim(-1, 0)"
    return f"{value}.reshape({form.shape!r})"


def _entries(lines: Mapping[str, str]) -> str:
    return "".join(f"\n{INDENT}{json.dumps(name)}: ({line})," for name, line in lines.items())
