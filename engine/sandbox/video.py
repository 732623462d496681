"""Rehearsal of videos in a confined process: they are opened, and some of their frames are decoded.

FFmpeg is a large program in C, and its files come from strangers. It needs TorchCodec, without
which this module is not imported.
"""

import io
import os
from typing import IO

from torchcodec.decoders import VideoDecoder  # pyright: ignore[reportPrivateImportUsage]

from engine.sandbox.answer import Answer, Refused, Watched


def rehearse_videos(stream: IO[bytes], most: str, *others: str) -> Answer:
    """Return how many frames each video has, of which the first, the middle and the last were
    decoded; a frame may have ``most`` pixels. ``others`` are the descriptors of further open files.
    The first that is refused is the answer for all.
    """
    counts: list[int] = []
    for each in (stream, *(os.fdopen(int(other), "rb", closefd=False) for other in others)):
        each.seek(0)
        found = _rehearsed(each, int(most))
        if isinstance(found, Refused):
            return found
        counts.append(found)
    return Watched(frames=tuple(counts))


def _rehearsed(stream: IO[bytes], most: int) -> int | Refused:
    assert isinstance(stream, io.BufferedReader)
    try:
        decoder = VideoDecoder(stream, num_ffmpeg_threads=1, device="cpu")
        told, count = decoder.metadata, len(decoder)
        if (told.width or 0) * (told.height or 0) > most:
            return Refused.because("D392", f"{told.width} × {told.height}")
        for index in sorted({0, count // 2, count - 1}):
            decoder.get_frame_at(index)
    except BaseException as error:  # noqa: BLE001 - the library raises any kind
        return Refused.because("D391", str(error))
    return count
