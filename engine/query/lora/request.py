"""Questions about low-rank blocks of a model (LoRA), and their reports."""

import msgspec

from engine.graph.model import Graph
from engine.query.request import Request


class WeightsSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where the weights of a model are: in a ``checkpoint`` of the run at ``run_folder``, or in a
    ``file``, where ``names`` holds by the name of a module what it is called there.
    """

    run_folder: str = ""
    checkpoint: str = "best"
    file: str = ""
    names: dict[str, str] = {}


class ParameterCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many numbers the parameters of a model are, and how many of them are trained."""

    trained: int
    total: int


class LoraReport(msgspec.Struct, frozen=True, kw_only=True):
    """A file was written: how many ``blocks`` it is about, and how many numbers their pairs are.
    ``has_scales`` tells whether an adapter file that was read says what the factors are.
    """

    file: str
    blocks: int
    parameters: int
    has_scales: bool = True


class CountTrained(Request[ParameterCount], frozen=True, kw_only=True):
    """How many parameters of a graph would be trained."""

    graph: Graph

    handler = "engine.query.lora.answer.count_trained"
    custom_code = "graph"
    supersedes = True


class MergeLora(Request[LoraReport], frozen=True, kw_only=True):
    """Write the weights of a graph as they are without the low-rank blocks of some modules, the
    products of their pairs added to the layers.
    """

    graph: Graph
    source: WeightsSource
    modules: tuple[str, ...]
    target: str

    handler = "engine.query.lora.answer.merge_lora"
    custom_code = "graph"
    is_slow = True


class SaveAdapter(Request[LoraReport], frozen=True, kw_only=True):
    """Write the pairs of all low-rank blocks of a graph, and nothing else, into a file."""

    graph: Graph
    source: WeightsSource
    target: str

    handler = "engine.query.lora.answer.save_adapter"
    custom_code = "graph"
    is_slow = True


class LoadAdapter(Request[LoraReport], frozen=True, kw_only=True):
    """Write the weights of a graph with the pairs of an adapter file."""

    graph: Graph
    source: WeightsSource
    adapter: str
    target: str

    handler = "engine.query.lora.answer.load_adapter"
    custom_code = "graph"
    is_slow = True
