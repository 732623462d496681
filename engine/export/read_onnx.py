"""Plain script that loads an ``.onnx`` file and computes with it, as anyone without Trellis would.

``python -I read_onnx.py SEED`` reads the path of a file (a line of JSON) and batches
(``numpy.savez``, ``batch.input``) from its standard input and writes the outputs to its standard
output (``batch.output``). It needs NumPy and ONNX Runtime, not PyTorch.
"""

import io
import json
import sys

import numpy as np
import onnxruntime


def main(seed: int) -> None:
    """Answer with the outputs for each batch."""
    onnxruntime.disable_telemetry_events()
    onnxruntime.set_default_logger_severity(3)  # errors alone
    onnxruntime.set_seed(seed)
    line = sys.stdin.buffer.readline()
    if not line:  # nobody asks any more
        return
    session = onnxruntime.InferenceSession(json.loads(line), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    asked = np.load(io.BytesIO(sys.stdin.buffer.read()))
    batches = 1 + max(int(key.partition(".")[0]) for key in asked)
    found: dict[str, np.ndarray] = {}
    for batch in range(batches):
        inputs = {name: asked[f"{batch}.{place}"] for place, name in enumerate(names)}
        for place, values in enumerate(session.run(None, inputs)):
            found[f"{batch}.{place}"] = np.asarray(values)
    answer = io.BytesIO()
    np.savez(answer, allow_pickle=False, **found)
    sys.stdout.buffer.write(answer.getvalue())


if __name__ == "__main__":
    main(int(sys.argv[1]))
