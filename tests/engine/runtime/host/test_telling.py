"""The host tells how far the reading of data is before it answers."""

import os
import threading

import msgspec
import numpy as np
import pytest
from PIL import Image

from engine.query.data.request import DescribeData
from engine.runtime.host import process
from engine.runtime.host.protocol import Envelope, Reply
from engine.runtime.job.stream import read_frame, write_frame
from engine.spec.run import Choice, DataSpec


@pytest.fixture
def replies(monkeypatch):
    """Return a host in this process: the stream to ask it, and the one with its replies."""
    monkeypatch.setattr(process, "_QUIET_S", 0.0)
    asked, answered = os.pipe(), os.pipe()
    with (
        os.fdopen(asked[0], "rb") as requests,
        os.fdopen(asked[1], "wb") as questions,
        os.fdopen(answered[1], "wb") as writing,
        os.fdopen(answered[0], "rb") as reading,
    ):
        host = process.Host(requests, writing)
        thread = threading.Thread(target=host.serve)
        thread.start()
        yield questions, reading
        questions.close()
        thread.join()


def test_that_reading_is_told_before_the_answer(replies, tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        for number in range(3):
            Image.fromarray(np.zeros((4, 4, 3), np.uint8)).save(tmp_path / name / f"{number}.png")
    questions, reading = replies
    source = Choice(type="image_folder", params={"path": str(tmp_path)})
    envelope = Envelope(number=5, request=DescribeData(data=DataSpec(source=source)))
    write_frame(questions, msgspec.msgpack.encode(envelope))
    told = []
    while (reply := msgspec.msgpack.decode(read_frame(reading), type=Reply)).progress is not None:
        told.append(reply)
    assert {(each.number, each.progress.path) for each in told} == {(5, str(tmp_path))}
    assert told[-1].progress.done == 8  # two folders and their files
    assert reply.number == 5
    assert reply.answer
