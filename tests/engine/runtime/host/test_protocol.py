import io
from importlib import import_module
from typing import get_type_hints

import msgspec
import pytest

from engine.diagnostics import Diagnostic
from engine.graph.model import Edge, Graph, Node
from engine.query.model.request import Analyse, Check
from engine.query.questions import QUESTIONS, AnyQuestion
from engine.runtime.host.protocol import Envelope, Reply
from engine.runtime.job.stream import FrameError, read_frame, write_frame
from engine.spec.run import Choice, DataSpec, LossTerm, RunSpec

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
        frame = msgspec.msgpack.encode(sent)
        assert msgspec.msgpack.decode(frame, type=Envelope[AnyQuestion]) == sent


def test_that_a_reply_survives_the_way_back():
    for sent in (Reply(number=1, answer=b"x"), Reply(number=2, problems=(Diagnostic(code="E1"),))):
        assert msgspec.msgpack.decode(msgspec.msgpack.encode(sent), type=Reply) == sent


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.__name__)
def test_that_the_handler_of_a_question_takes_it_and_gives_what_it_says(question):
    module, name = question.handler.rsplit(".", 1)
    hints = get_type_hints(getattr(import_module(module), name))
    assert list(hints.values()) == [question, question.answer_type]
    assert issubclass(question.answer_type, msgspec.Struct)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.__name__)
def test_that_a_question_about_custom_code_tells_whose(question):
    fields = get_type_hints(question)
    if question.custom_code == "graph":
        assert fields["graph"] is Graph
    elif question.custom_code == "run":
        assert fields["run_folder"] is str
    elif question.custom_code == "runs":
        assert fields["run_folders"] == tuple[str, ...]
    elif question.custom_code == "texts":
        assert fields["code"] == dict[str, str]
    else:
        assert "graph" not in fields
        assert "code" not in fields
        assert fields.get("data") is not DataSpec  # its class may be the user's own


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
