"""Names of nodes: which are allowed, as they become attributes and variables of the generated
class.
"""

import keyword
import re
import unicodedata
from collections.abc import Container

from engine.diagnostics import Diagnostic

MAX_NAME_LENGTH = 100

RESERVED_NAMES = frozenset(
    """
    T_destination add_module apply bfloat16 buffers call_super_init children compile cpu cuda double
    dump_patches eval extra_repr float forward get_buffer get_extra_state get_parameter
    get_submodule half ipu load_state_dict modules mtia named_buffers named_children named_modules
    named_parameters parameters register_backward_hook register_buffer register_forward_hook
    register_forward_pre_hook register_full_backward_hook register_full_backward_pre_hook
    register_load_state_dict_post_hook register_load_state_dict_pre_hook register_module
    register_parameter register_state_dict_post_hook register_state_dict_pre_hook requires_grad_
    set_extra_state set_submodule share_memory state_dict to to_empty train training type xpu
    zero_grad
    """.split()  # noqa: SIM905 - a list of strings would take 54 lines
)
"""Public attributes of ``nn.Module``: a layer of that name would be shadowed by the method."""

_TAKEN_KEYS = RESERVED_NAMES | {"clear", "items", "keys", "pop", "update", "values"}
"""Attributes of ``nn.ModuleDict``, which it refuses as keys."""

_TAKEN_CLASSES = frozenset(
    """
    Model torch nn F OrderedDict self super range checkpoint recomputed
    """.split()  # noqa: SIM905 - as above
)
"""Names that the generated module has already."""

_SHORT_NAMES = {"Input": "x", "PReLU": "prelu", "RReLU": "rrelu", "SiLU": "silu"}
_ID = re.compile(r"[^\s.]{1,200}")
_HYPHENED = re.compile(r"[a-zA-Z]\w*(-\w+)+", re.ASCII)
_NUMBERED = re.compile(r"^(.*?)(\d*)$", re.DOTALL)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z0-9])(?=[A-Z][a-z])")
_DIMENSION = re.compile(r"[123]d$")


def name_problem(
    name: str, node: str | None = None, *, is_sequential: bool = False
) -> Diagnostic | None:
    """Return why a name cannot be used for a node, whatever else is in the graph.

    In an ``nn.Sequential`` numbers are names too: those that PyTorch gives its layers; and so are
    words with hyphens (``block1-0``). Elsewhere the place in a list or a dictionary of layers may
    stand behind its name: ``layers.0``, ``heads.left``.
    """
    if is_sequential and (is_number(name) or _HYPHENED.fullmatch(name)):
        return None
    list_position = list_place(name)
    if list_position is not None and not is_sequential and len(name) <= MAX_NAME_LENGTH:
        name = list_position[0]
    shown = name if len(name) <= MAX_NAME_LENGTH else name[:MAX_NAME_LENGTH] + "…"
    params: dict[str, str | int | float] = {"name": shown}
    if len(name) > MAX_NAME_LENGTH:
        code, params["limit"] = "G005", MAX_NAME_LENGTH
    elif not name.isidentifier() or name.startswith("_") or _normalized(name) != name:
        code = "G001"
    elif keyword.iskeyword(name):
        code = "G002"
    elif name in RESERVED_NAMES:
        code = "G003"
    else:
        return None
    return Diagnostic(code=code, node=node, field="name", params=params)


def is_number(name: str) -> bool:
    """Return whether a name is a whole number as PyTorch writes it: ``0``, ``12``."""
    return name.isascii() and name.isdigit() and len(name) < 6 and name == str(int(name))


def list_place(name: str) -> tuple[str, str] | None:
    """Return ``("layers", "0")`` for ``layers.0``, the name of a layer in a list, and ``("heads",
    "left")`` for ``heads.left``, that of one in a dictionary.
    """
    list_name, dot, key = name.partition(".")
    is_word = key.isidentifier() or _HYPHENED.fullmatch(key) is not None
    is_key = is_number(key) or (is_word and key not in _TAKEN_KEYS)
    return (list_name, key) if dot and is_key else None


def variable_name(name: str) -> str:
    """Return the name of a node as that of a variable: ``heads_left`` for ``heads.left``."""
    return re.sub(r"[.-]", "_", name)


def block_name_problem(name: str) -> Diagnostic | None:
    """Return why a name cannot be that of a block: it becomes a class of the generated module."""
    params: dict[str, str | int | float] = {"name": name[:MAX_NAME_LENGTH]}
    is_word = name.isidentifier() and _normalized(name) == name and not name.startswith("_")
    if not is_word or keyword.iskeyword(name) or len(name) > MAX_NAME_LENGTH:
        return Diagnostic(code="G057", field="name", params=params)
    if name in _TAKEN_CLASSES:
        return Diagnostic(code="G058", field="name", params=params)
    return None


def is_node_id(text: str) -> bool:
    """Return whether a text can be the id of a node: no spaces, no dots, at most 200 characters."""
    return _ID.fullmatch(text) is not None


def id_of(name: str) -> str:
    """Return the id that a new node of a name gets: ``layers_0`` for ``layers.0``."""
    return name.replace(".", "_")


def free_name(base: str, taken: Container[str]) -> str:
    """Return ``base``, or ``base`` with the next number that is not taken."""
    if base not in taken:
        return base
    match = _NUMBERED.match(base)
    stem, digits = match.groups() if match else (base, "")
    number = int(digits) + 1 if digits else 2
    while f"{stem[: MAX_NAME_LENGTH - len(str(number))]}{number}" in taken:
        number += 1
    return f"{stem[: MAX_NAME_LENGTH - len(str(number))]}{number}"


def default_name(key: str) -> str:
    """Return the name that a first node of a type gets: ``conv`` for ``Conv2d``."""
    if key in _SHORT_NAMES:
        return _SHORT_NAMES[key]
    snake = _CAMEL.sub("_", _DIMENSION.sub("", key.replace("ReLU", "Relu"))).lower()
    return sanitized_name(snake)


def sanitized_name(text: str) -> str:
    """Return the nearest text that :func:`name_problem` accepts."""
    cut = _normalized(text)[: MAX_NAME_LENGTH - 2]
    name = "".join(char if ("a" + char).isidentifier() else "_" for char in cut).strip("_")
    name = re.sub(r"_{2,}", "_", name)
    if not name:
        name = "node"
    if not name[0].isidentifier():
        name = f"n{name}"
    if keyword.iskeyword(name) or name in RESERVED_NAMES:
        name = f"{name}_"
    return name


def _normalized(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
