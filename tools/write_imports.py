"""Writes ``docs/imported-models.md``: what the import makes of every model of torchvision.

``python tools/write_imports.py [NAME ...]`` imports the models named, or all that the table does
not have yet, and compares their results with the original's in evaluation and in training. What
was found is kept beside the table, so it can be done in pieces. A model takes seconds to minutes.
"""

import json
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from engine.catalog.zoo import zoo
from engine.diagnostics import DiagnosticError, sentence
from engine.files import atomic_write
from engine.graph.expand import expand
from engine.graph.model import Graph
from engine.importer.detector import is_detector
from engine.importer.module import from_module, require_same_results
from engine.model.module import to_module
from engine.runtime.importing.torchvision_model import untrained, usual_inputs

_TABLE = Path(__file__).parents[1] / "docs" / "imported-models.md"
_FOUND = Path(__file__).parents[1] / "docs" / "imported-models.json"
_HEAD = """# Imported models on the canvas

## Models of torchvision

Written by `tools/write_imports.py`: every model of torchvision with random weights, imported and
compared with the original for a batch of two, in evaluation and in training with the same random
numbers. *Equal* means the same to the last bit, with the same names in the `state_dict`.
*Nodes* counts what is computed, *blocks* the definitions, *own code* what is written into
`code/` because the catalogue has no layer for it. *Seconds* are processor time for following the
model, without loading PyTorch and without the comparison, where that was taken.

Detectors take a batch of pictures of one size and give tensors with the same number of rows for
each picture; rows with score 0 are empty. All that they may find is compared, however unlikely. In
training the originals take boxes and give losses (*no*): that is not on the canvas.

Of {total} models {count} are equal, {evaluated} of them in evaluation only.{left}

| model | nodes | blocks | own code | seconds | evaluation | training |
|---|---:|---:|---:|---:|---|---|
"""

_TAIL = """
## Models of transformers

A model of `transformers` comes in where `torch.export.export` can export it; saved with
`torch.export.save`, its `.pt2` file is imported. Tried with version 5.23, random weights, two small
layers, the first axis of the inputs left open, `use_cache=False`, in evaluation and with `sdpa`;
the results were compared with those of the original, to the last bit.

*Equal*, with the same names of weights and the same number of parameters (`lm_head.weight` that is
the weight of the embedding stays one weight): BERT, DistilBERT, RoBERTa, DeBERTa-v2 (also with
`relative_attention`), MobileBERT, GPT-2, GPT-NeoX, Phi, Phi-3, Falcon, Bloom, MPT, Llama, Mistral,
Qwen2, Gemma, Mamba, the encoders of BART and Whisper, text and vision of CLIP, ViT, BEiT, Swin,
LeViT, ConvNeXt, ConvNeXt-V2, PoolFormer, ResNet, Segformer, EfficientNet.

*Equal, without weights that the program never reads* (they are named at the import): T5's encoder,
BART with `decoder_input_ids` (`shared.weight`, which is a second name of the embedding), BERT for
masked words (`cls.predictions.bias`, likewise), BART's decoder alone (its cross attention), DINOv2
(`mask_token`), XLNet (`mask_emb`, `seg_embed`).

*Equal, with tensors more in the `state_dict`* (they are named at the import): GPT-J, whose table of
positions (`embed_positions`) is not among the weights of the original.

*Refused*, with the reason told:

| model | reason |
|---|---|
| BART without `decoder_input_ids` | writes into a part of a tensor (I008) |
| Funnel | calls layers with several inputs in a list of lists (I007) |
"""

Row = dict[str, Any]
_NOT_THERE = "no"


def main(names: Sequence[str]) -> None:
    """Import models and write the table anew after each."""
    found: dict[str, Row] = json.loads(_FOUND.read_text()) if _FOUND.exists() else {}
    by_size = sorted(zoo(), key=lambda name: zoo()[name].parameters)
    for name in names or [name for name in by_size if name not in found]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what old models say about themselves
            found[name] = _row(name)
        print(name, found[name], flush=True)
        atomic_write(_FOUND, (json.dumps(found, indent=1, sort_keys=True) + "\n").encode())
        atomic_write(_TABLE, _table(found).encode())


def _row(name: str) -> Row:
    torch.manual_seed(0)
    module = untrained(name, {})
    inputs = [torch.randn((2, *size.shape)) for size in usual_inputs(name)]
    begun = time.process_time()
    try:
        graph = from_module(module, inputs)
    except DiagnosticError as error:
        return {"reason": sentence(error.problems[0], "en")}
    seconds = time.process_time() - begun
    with torch.device("meta"):
        built = to_module(graph)
    if set(built.state_dict()) != set(module.state_dict()):
        return {"reason": "It has other weights than the original."}
    modes = ("evaluation",) if is_detector(module) else ("evaluation", "training")
    compared = {mode: _compared(graph, module, inputs, mode) for mode in modes}
    return {
        "nodes": len(expand(graph).graph.nodes),
        "blocks": len(graph.blocks),
        "code": sum(text.count("\ndef ") + text.count("\nclass ") for text in graph.code.values()),
        "seconds": round(seconds, 1),
        "evaluation": compared["evaluation"],
        "training": compared.get("training", _NOT_THERE),
    }


def _compared(graph: Graph, module: nn.Module, inputs: Sequence[Tensor], mode: str) -> str:
    try:
        require_same_results(graph, module, inputs, [mode])
    except DiagnosticError as error:
        return sentence(error.problems[0], "en")
    return "equal"


def _table(found: dict[str, Row]) -> str:
    keys = ("nodes", "blocks", "code", "seconds", "evaluation", "training")
    equal = [row for row in found.values() if row.get("evaluation") == "equal"]
    equal = [row for row in equal if row["training"] in ("equal", _NOT_THERE)]
    evaluated = sum(row["training"] == _NOT_THERE for row in equal)
    lines = [
        f"| {name} | " + " | ".join(str(row[key]) for key in keys) + " |"
        if "reason" not in row
        else f"| {name} | | | | | {row['reason']} | |"
        for name, row in sorted(found.items())
    ]
    missing = len(zoo()) - len(found)
    left = f"\n{missing} are not in the table yet." if missing else ""
    return (
        _HEAD.format(count=len(equal), evaluated=evaluated, total=len(zoo()), left=left)
        + "\n".join(lines)
        + "\n"
        + _TAIL
    )


if __name__ == "__main__":
    main(sys.argv[1:])
