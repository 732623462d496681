"""Class folders of a source, whatever lies in them: pictures, sounds, videos or texts."""

from engine.data.source.file_folder import FileFolderSource
from engine.data.source.image_index import ImageIndex
from engine.data.source.source import Source
from engine.data.source.text_samples import TextSource


def index_of(source: Source) -> ImageIndex | None:
    """Return the index of the folder whose files are the samples of a source; None for others. The
    samples of texts have an order of their own.
    """
    if isinstance(source, FileFolderSource):
        return source.index
    if isinstance(source, TextSource) and source.folder is not None:
        return source.folder.index
    return None
