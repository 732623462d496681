"""A small GPT: characters and their positions, layers of attention, and scores for the next one."""

from dataclasses import dataclass

from engine.graph.draft import Draft
from engine.graph.model import Block, Graph

_MASKED = -1e9  # what is added to scores that are not to count


@dataclass(frozen=True, kw_only=True)
class GptSize:
    """How large a GPT is: the ``characters`` are those of the text, with marks for what fills up
    and what is unknown.
    """

    window: int
    width: int
    heads: int
    layers: int
    characters: int


def _layer(size: GptSize) -> Block:
    draft = Draft().put(
        "scores", "Constant", shape=(size.window, size.window), fill="constant", value=_MASKED
    )
    draft.put("later", "triu", diagonal=1).put("tokens", "BlockInput")
    draft.put("norm1", "LayerNorm", after="tokens", normalized_shape=(size.width,))
    looked_at = dict.fromkeys(("query", "key", "value"), "norm1")
    draft.put(
        "attention",
        "MultiheadAttention",
        after={**looked_at, "attn_mask": "later"},
        num_heads=size.heads,
        batch_first=True,
    )
    draft.put("attended", "add", after={"input": "tokens", "other": "attention"})
    draft.put("norm2", "LayerNorm", normalized_shape=(size.width,))
    draft.put("wide", "Linear", out_features=4 * size.width).put("gelu", "GELU")
    draft.put("narrow", "Linear", out_features=size.width)
    draft.put("sum", "add", after={"input": "attended", "other": "narrow"})
    return draft.put("output", "BlockOutput").block(
        "A layer of a transformer, normalized first (Radford et al., 2019): each token looks at "
        "itself and those before it, then a small network goes over each alone."
    )


def gpt(size: GptSize) -> Graph:
    """Return a GPT of a size."""
    draft = Draft({"Layer": _layer(size)})
    draft.put("positions", "Parameter", shape=(size.window, size.width), fill="normal", std=0.02)
    draft.put("text", "Input", field="text", shape=(size.window,), dtype="int64")
    draft.put("embedding", "Embedding", num_embeddings=size.characters, embedding_dim=size.width)
    draft.put("placed", "add", after={"input": "embedding", "other": "positions"})
    for number in range(1, size.layers + 1):
        draft.put(f"layer{number}", "block.Layer")
    draft.put("norm", "LayerNorm", normalized_shape=(size.width,))
    draft.put("head", "Linear", out_features=size.characters)
    draft.put("classes_first", "transpose", dim0=1, dim1=2)  # as CrossEntropyLoss wants them
    return draft.put("logits", "Output").model()
