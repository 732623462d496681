import io
from typing import get_args

import msgspec
import pytest

from engine.diagnostics import Diagnostic
from engine.graph.model import Edge, Graph, Node
from engine.runtime import answer
from engine.runtime.protocol import (
    Analyse,
    AnyRequest,
    Check,
    Envelope,
    FrameError,
    Reply,
    Request,
    read_frame,
    write_frame,
)
from engine.spec.run import Choice, LossTerm, RunSpec

GRAPH = Graph(
    nodes={
        "c": Node(
            id="c",
            type="Conv2d",
            name="卷积",
            params={"kernel_size": (3, 3), "bias": False, "scale": 0.1, "x": None},
            position=(1.5, -2.0),
        )
    },
    edges=(Edge(source="a", source_port="o", target="c", target_port="i"),),
)


def test_that_a_request_survives_the_way_to_the_host():
    spec = RunSpec(losses=(LossTerm(loss=Choice(type="MSELoss"), inputs={"input": "model.y"}),))
    for request in (Analyse(graph=GRAPH), Check(graph=GRAPH, spec=spec)):
        sent = Envelope(number=7, request=request)
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(sent), type=Envelope) == sent


def test_that_a_reply_survives_the_way_back():
    for sent in (Reply(number=1, answer=b"x"), Reply(number=2, problems=(Diagnostic(code="E1"),))):
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(sent), type=Reply) == sent


def test_that_every_request_says_what_it_answers():
    assert len(get_args(AnyRequest)) > 10
    groups = (answer.ModelRequest, answer.ResultRequest)
    grouped = {request for group in groups for request in get_args(group)}
    for request in get_args(AnyRequest):
        assert issubclass(request, Request)
        assert issubclass(request.answer_type, msgspec.Struct)
        assert request in grouped or request.__name__ in answer.__dict__


def test_that_frames_come_out_as_they_went_in():
    stream = io.BytesIO()
    for content in (b"", b"abc", b"\0" * 100_000):
        write_frame(stream, content)
    stream.seek(0)
    assert [read_frame(stream) for _ in range(4)] == [b"", b"abc", b"\0" * 100_000, None]


@pytest.mark.parametrize("data", [b"\0", b"\0\0\0\x05abc", b"\xff\xff\xff\xff"])
def test_that_a_torn_or_absurd_frame_is_refused(data):
    with pytest.raises(FrameError):
        read_frame(io.BytesIO(data))
