"""Settings of a source that suit its samples: the size of pictures with masks or boxes, and the
tokens of texts.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median

from msgspec.structs import replace

from engine.catalog.spec import Value
from engine.data.source.boxes.folder import DetectionFolderSource
from engine.data.source.mask_classes import IGNORED_OF_TABLE
from engine.data.source.mask_scan import mask_settings
from engine.data.source.mixed_table import MixedTableSource
from engine.data.source.registry import load_source, source_params
from engine.data.source.segmentation_folder import SegmentationFolderSource
from engine.data.source.source import Source
from engine.data.source.text_samples import TextSource
from engine.files import is_folder
from engine.query.data.source_choice import sizes_and_mode
from engine.query.data.text_cut import cut_of_source
from engine.spec.proposal import ModelSize
from engine.spec.run import Choice

_MASK_SIDE = {"small": 128, "large": 256}  # the most for which a class per pixel is learnt soon
_BOXED_SIDE = 320  # of pictures in which objects are found
_MASK_STEP = 16  # pixels, which a U-Net halves four times


def fitted_source(
    source: Choice, chosen: Mapping[str, Value], size: ModelSize
) -> tuple[Choice, Source]:
    """Return a source and its samples, with the size of pictures that suits masks or boxes, and
    the tokens that suit texts.
    """
    loaded = load_source(source)
    if isinstance(loaded, SegmentationFolderSource):
        pictures = [loaded.images.path(int(at)) for at in loaded.pairs.rows[:, 0]]
        masks = [loaded.masks.path(int(at)) for at in loaded.pairs.rows[:, 1]]
        source = with_params(_with_masks(source, pictures, masks, size), chosen)
    elif isinstance(loaded, MixedTableSource) and any(i.kind == "mask" for i in loaded.infos):
        source = with_params(_with_columns_of_masks(source, loaded, size), chosen)
    elif isinstance(loaded, DetectionFolderSource):
        source = with_params(_with_size(source, loaded), chosen)
    elif isinstance(loaded, TextSource):
        source = cut_of_source(source, loaded, chosen)
    else:
        return source, loaded
    return source, load_source(source)


def with_params(source: Choice, params: Mapping[str, Value]) -> Choice:
    """Return a source with settings of the user, as far as it has such."""
    known = source_params(source)
    own = {name: value for name, value in params.items() if name in known}
    return replace(source, params=source.params | own)


def _with_columns_of_masks(source: Choice, loaded: MixedTableSource, size: ModelSize) -> Choice:
    """Return a table with classes by some of its masks; where these are predicted, with a size that
    suits them, too.
    """
    columns = [each for each in loaded.files if each.info.kind == "mask"]
    paths = [each.path(at) for each in columns for at in range(loaded.samples)]
    if any(each.info.role == "target" for each in columns):
        below = columns[0].below
        pictures = [] if below is None else [below.path(at) for at in range(loaded.samples)]
        return _with_masks(source, pictures, paths, size)
    root = Path(str(source.params["path"])).parent
    return replace(source, params={**source.params, **_of_masks(source, root, paths)})


def _with_masks(
    source: Choice, pictures: Sequence[Path], masks: Sequence[Path], size: ModelSize
) -> Choice:
    """Return the source with classes by some of the masks, and a size that a U-Net reads fast; of
    pictures of different proportions all is kept, with borders that have no class.
    """
    root = Path(str(source.params["path"]))
    settings = _of_masks(source, root if is_folder(root) else root.parent, masks)
    shapes, mode = sizes_and_mode(pictures)
    most = _MASK_SIDE[size]
    fitted: dict[str, Value] = {"fit": "pad"}
    if len(shapes) == 1:
        shape = next(iter(shapes))
        if max(shape) > most:
            steps = [max(1, round(side * most / max(shape) / _MASK_STEP)) for side in shape]
            shape = (steps[0] * _MASK_STEP, steps[1] * _MASK_STEP)
        fitted = {"size": shape, "fit": "stretch"}
    elif shapes:
        side = min(median(max(shape) for shape in shapes), most)
        fitted["size"] = max(int(side) // _MASK_STEP, 2) * _MASK_STEP
    return Choice(type=source.type, params={**source.params, **settings, **mode, **fitted})


def _of_masks(source: Choice, root: Path, masks: Sequence[Path]) -> dict[str, Value]:
    """Return what masks say of their classes, as the settings of the source are called."""
    found = mask_settings(root, masks)
    is_table = source.type == "table"
    return {
        IGNORED_OF_TABLE if is_table and name == "ignored" else name: value
        for name, value in found.items()
    }


def _with_size(source: Choice, loaded: DetectionFolderSource) -> Choice:
    """Return the source with a size in which objects can be told, and all of each picture."""
    sizes = {(height, width) for height, width in loaded.pictures.table.sizes.tolist()}
    _, mode = sizes_and_mode([loaded.images.path(int(at)) for at in loaded.pictures.rows])
    most = max(max(size) for size in sizes)
    fitted: dict[str, Value] = {"size": min(most, _BOXED_SIDE), "fit": "pad"}
    if len(sizes) == 1:
        scale = min(_BOXED_SIDE / most, 1)
        shape = tuple(max(round(side * scale), 1) for side in next(iter(sizes)))
        fitted = {"size": shape, "fit": "stretch"}
    return Choice(type=source.type, params={**source.params, **mode, **fitted})
