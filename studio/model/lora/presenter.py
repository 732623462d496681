"""Words about low-rank adaptation."""

from collections.abc import Sequence

from engine.graph.block import place_name
from engine.graph.model import Graph
from engine.query.lora.request import ParameterCount
from studio.i18n import filled, translate

_SHOWN = 6


def about_text(graph: Graph, places: tuple[str, ...]) -> str:
    """Return what the command does to the layers at places."""
    names = [place_name(graph, place) for place in places]
    shown = [*names[:_SHOWN], "…"] if len(names) > _SHOWN else names
    text = translate(
        "Lora",
        "{count} {count|layer|layers}: {names}. Each becomes a block that keeps the layer, frozen, "
        "and adds a small trained pair: base_layer(x) + alpha / rank · lora_B(lora_A(x)). The "
        "output is unchanged until training.",
    )
    return filled(text, count=len(names), names=", ".join(shown))


def frozen_text(names: Sequence[str]) -> str:
    """Return that layers are not trained, though no low-rank block is left that they wait for."""
    shown = [*names[:_SHOWN], "…"] if len(names) > _SHOWN else names
    text = translate("Lora", "{count} {count|layer stays|layers stay} frozen: {names}.")
    return filled(text, count=len(names), names=", ".join(shown))


def count_text(count: ParameterCount) -> str:
    """Return how many parameters would be trained."""
    text = translate("Lora", "{trained} of {total} parameters are trained ({share}).")
    share = f"{count.trained / count.total:.2%}" if count.total else "0%"
    return text.format(trained=f"{count.trained:,}", total=f"{count.total:,}", share=share)
