"""Rehearsal of a video in a confined process: it is opened, and some of its frames are decoded.

FFmpeg is a large program in C, and its files come from strangers. It needs TorchCodec, without
which this module is not imported.
"""

import io
from typing import IO

from torchcodec.decoders import VideoDecoder  # pyright: ignore[reportPrivateImportUsage]

from engine.sandbox.answer import Answer, Refused, Watched


def rehearse_video(stream: IO[bytes], most: str) -> Answer:
    """Return how many frames a video has, of which the first, the middle and the last were decoded;
    a frame may have ``most`` pixels.
    """
    assert isinstance(stream, io.BufferedReader)
    try:
        decoder = VideoDecoder(stream, num_ffmpeg_threads=1, device="cpu")
        told, count = decoder.metadata, len(decoder)
        if (told.width or 0) * (told.height or 0) > int(most):
            return Refused.because("D392", f"{told.width} × {told.height}")
        for index in sorted({0, count // 2, count - 1}):
            decoder.get_frame_at(index)
    except BaseException as error:  # noqa: BLE001 - the library raises any kind
        return Refused.because("D391", str(error))
    return Watched(frames=count)
