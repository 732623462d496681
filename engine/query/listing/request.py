"""The question what ``print(model)`` tells."""

from engine.graph.model import Graph
from engine.query.listing.report import ModelListing
from engine.query.request import Request


class ListModel(Request[ModelListing], frozen=True, kw_only=True, tag="ListModel"):
    """The text of the module and its weights."""

    graph: Graph

    answer_type = ModelListing
    handler = "engine.query.listing.answer.answer"
    custom_code = "graph"
    supersedes = True
