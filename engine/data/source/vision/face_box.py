"""Pictures of CelebA before they were aligned, each with the box around its face."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engine.catalog.spec import Value
from engine.data.source.boxes.files import BoxFiles
from engine.data.source.boxes.folder import DetectionFolderSource
from engine.data.source.boxes.found import FoundBoxes, NamedPicture
from engine.data.source.boxes.heads import PictureSizes
from engine.data.source.boxes.pictures import assign_boxes
from engine.data.source.file_hashes import FileHashes
from engine.data.source.image_folder import fit_param, mode_param, size_param
from engine.data.source.image_index import ImageIndex
from engine.data.source.version import file_version
from engine.data.source.vision.array_set import vision_class
from engine.data.source.vision.face import boxes_file, face_boxes
from engine.data.source.vision.landmarks import FACES
from engine.data.source.vision.picture_set import damaged

_CLASS = "face"


def face_box_source(
    images: ImageIndex, root: Path, hashes: FileHashes, params: Mapping[str, Value]
) -> DetectionFolderSource:
    """Return pictures that were indexed with their boxes, all of one class; ``mode``, ``size`` and
    ``fit`` are as in the catalogue.

    Raises :class:`DiagnosticError` D254 for a damaged list, and what reading of a picture does.
    """
    cls = vision_class(FACES)
    try:
        boxes = face_boxes(cls, root)
    except (OSError, ValueError, LookupError) as error:
        raise damaged(FACES, root, error) from error
    file = boxes_file(cls, root)
    names = [images.name(at) for at in range(len(images))]
    found = FoundBoxes()
    label = found.label_of(_CLASS)
    for name, corners in zip(names, boxes, strict=True):
        found.add_box(found.add_picture(NamedPicture(name, file.name)), corners, label)
    sizes = PictureSizes(images)
    parts = images.arrays["part"].astype(np.int64)
    pictures = assign_boxes(names, found, sizes.of, parts if images.head.has_parts else None)
    sizes.keep()
    return DetectionFolderSource(
        images=images,
        pictures=pictures,
        classes=tuple(found.classes),
        files=BoxFiles("table", file.parent, (file.name,)),
        stamps={file: file_version(file)},
        mode=mode_param(params),
        size=size_param(params),
        fit=fit_param(params),
        hashes=hashes,
    )
