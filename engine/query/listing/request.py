"""Question about the text and the weights of a model."""

from engine.graph.model import Graph
from engine.query.listing.report import ModelListing
from engine.query.request import Request


class ListModel(Request[ModelListing], frozen=True, kw_only=True, tag="ListModel"):
    """The text of the module and its weights."""

    graph: Graph

    answer_type = ModelListing
    handler = "engine.query.listing.answer.list_model"
    custom_code = "graph"
    supersedes = True
