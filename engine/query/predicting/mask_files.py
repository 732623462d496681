"""Files of masks in a folder of pictures, which are nothing to predict."""

import os
from pathlib import Path

from engine.data.load.form_lookup import pairs_masks
from engine.data.source.mask_pairs import mask_names
from engine.data.source.source import Source


def without_masks(root: Path, names: list[str], source: Source) -> list[str]:
    """Return the files below a folder without those that the source of a run reads as masks: its
    own, and of a folder of pictures with masks those that are called so. All of them where nothing
    else is there.
    """
    fields = [info.name for info in source.infos if info.kind == "mask"]
    if not fields:
        return names
    masks = mask_names(names) if pairs_masks(source) else set[str]()
    files = (source.file(field, at) for field in fields for at in range(source.samples))
    own = {os.path.abspath(file) for file in files if file is not None}  # noqa: PTH100 - as it is written
    start = Path(os.path.abspath(root))  # noqa: PTH100
    kept = [name for name in names if name not in masks and str(start / name) not in own]
    return kept or names
