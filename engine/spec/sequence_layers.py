"""Layers that read sequences, and a model of pairs of texts, for first models
(:mod:`engine.spec.first_model`).
"""

from engine.graph.draft import Draft
from engine.graph.model import Graph
from engine.spec.data import FieldInfo
from engine.spec.proposal import ModelSize

WORD_EMBEDDING = {"small": 32, "large": 128}
_ATTENTION_LAYERS, _HEADS = 2, 4
_MASKED = -1e9  # what is added to scores that are not to count


def add_recurrent(draft: Draft, field: FieldInfo, size: ModelSize, prefix: str = "") -> str:
    """Add a recurrent layer to a sequence, whose node was put last, and the mean over time."""
    add_gru(draft, field, size, prefix)
    draft.put(f"{prefix}mean", "mean", after=f"{prefix}gru.output", dim=(1,))
    return f"{prefix}mean"


def add_gru(draft: Draft, field: FieldInfo, size: ModelSize, prefix: str = "") -> None:
    """Add a recurrent layer to a sequence, whose node was put last."""
    width = WORD_EMBEDDING[size]
    if field.dtype == "int64":
        rows = (field.highest or 0) + 1
        draft.put(f"{prefix}embedding", "Embedding", num_embeddings=rows, embedding_dim=width)
    draft.put(f"{prefix}gru", "GRU", hidden_size=2 * width, batch_first=True)


def pair_model(
    source: FieldInfo, previous: FieldInfo, target: FieldInfo, size: ModelSize
) -> Graph | None:
    """Return an encoder and a decoder for pairs of texts: the decoder reads the tokens so far, goes
    on from the last state of the encoder, and at each place looks at all that the encoder said
    (Luong et al.: Effective approaches to attention-based neural machine translation, 2015).
    """
    if target.shape != previous.shape or {source.dtype, previous.dtype} != {"int64"}:
        return None
    width = WORD_EMBEDDING[size]
    draft = Draft()
    for field, part, state in (
        (source, "encoder", {}),
        (previous, "decoder", {"hx": "encoder.h_n"}),
    ):
        rows = (field.highest or 0) + 1
        draft.put(field.name, "Input", field=field.name, shape=field.shape, dtype=field.dtype)
        draft.put(f"{part}_embedding", "Embedding", num_embeddings=rows, embedding_dim=width)
        draft.put(part, "GRU", after={"input": f"{part}_embedding", **state},
                  hidden_size=2 * width, batch_first=True)  # fmt: skip
    looked_at = {"query": "decoder.output", "key": "encoder.output", "value": "encoder.output"}
    draft.put("attention", "scaled_dot_product_attention", after=looked_at)
    both = {"tensors.0": "decoder.output", "tensors.1": "attention"}
    draft.put("both", "cat", after=both, dim=2)
    if size == "large":
        draft.put("dropout", "Dropout", p=0.2)
    draft.put("head", "Linear", out_features=len(target.classes))
    draft.put("classes_first", "transpose", dim0=1, dim1=2)  # as CrossEntropyLoss wants them
    return draft.put("output", "Output").model()


def add_transformer(draft: Draft, field: FieldInfo, *, is_causal: bool) -> str:
    """Add an encoder of tokens with a vector for each position; ``is_causal``: none looks at those
    that come later, as they are to be predicted. Return its last node.
    """
    width, length = WORD_EMBEDDING["large"], field.shape[0]
    draft.put("positions", "Parameter", shape=(length, width), fill="normal", std=0.02)
    mask: dict[str, str] = {}
    if is_causal:
        draft.put("scores", "Constant", shape=(length, length), fill="constant", value=_MASKED)
        draft.put("later", "triu", diagonal=1)
        mask = {"src_mask": "later"}
    draft.put(field.name, "Input", field=field.name, shape=field.shape, dtype=field.dtype)
    rows = (field.highest or 0) + 1
    draft.put("embedding", "Embedding", num_embeddings=rows, embedding_dim=width)
    draft.put("placed", "add", after={"input": "embedding", "other": "positions"})
    last = "placed"
    for number in range(1, _ATTENTION_LAYERS + 1):
        draft.put(
            f"attention{number}",
            "TransformerEncoderLayer",
            after={"src": last, **mask},
            nhead=_HEADS,
            dim_feedforward=4 * width,
            batch_first=True,
            norm_first=True,
        )
        last = f"attention{number}"
    draft.put("norm", "LayerNorm", after=last, normalized_shape=(width,))
    return "norm"
