"""The lines of code that bring an array from a file into the lab."""

import json
import re
from pathlib import Path

from engine.graph.naming import free_name, sanitized_name

_NUMPY = "import numpy as np"


def with_array(code: str, file: Path, *, is_shared: bool) -> str:
    """Return code with the lines that load a ``.npy`` file as an array and make it a tensor: one in
    the memory of the array (``torch.from_numpy``), or a copy (``torch.tensor``).
    """
    taken = set(re.findall(r"\w+", code))
    array = free_name("array", taken)
    tensor = free_name(sanitized_name(file.stem), taken | {array, "np", "torch"})
    function = "torch.from_numpy" if is_shared else "torch.tensor"
    lines = [] if re.search(rf"^{_NUMPY}\b", code, re.MULTILINE) else [_NUMPY]
    lines += [f"{array} = np.load({json.dumps(str(file), ensure_ascii=False)})"]
    lines += [f"{tensor} = {function}({array})"]
    before = code.rstrip()
    return "\n".join([*([before] if before else []), *lines]) + "\n"
