"""The description of everything that can be configured: one entry drives form, command line,
validation, tooltip, translation, code generation and file format.

The entries are data (``resources/catalog/*.json``), written by ``tools/build_catalog.py`` from the
installed torch and refined by hand; this module loads without torch.
"""

from enum import StrEnum

import msgspec

Value = None | bool | int | float | str | tuple[bool | int | float | str, ...]
"""A parameter value as it stands in a document. ``"auto"`` is allowed where ``ParamSpec.auto``."""

AUTO = "auto"


class ParamKind(StrEnum):
    """Which editor, parser and check a parameter gets."""

    BOOL = "bool"
    INT = "int"
    FLOAT = "float"
    STR = "str"
    CHOICE = "choice"  # one of ParamSpec.choices
    DTYPE = "dtype"  # "float32", "int64", ...: names of torch dtypes without the prefix
    INTS = "ints"  # one int, or a tuple of ParamSpec.length ints (any length when 0)
    FLOATS = "floats"  # one float, or a tuple of ParamSpec.length floats
    SHAPE = "shape"  # tuple of ints; -1 where ParamSpec.minimum allows it


class ParamSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One parameter: what it accepts and how it is explained."""

    name: str
    kind: ParamKind
    default: Value = None
    required: bool = False  # no default: the user must give it (or leave it on "auto")
    optional: bool = False  # None is a value
    auto: bool = False  # "auto": inferred from what arrives on the wire
    choices: tuple[str, ...] = ()
    length: int = 0
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    advanced: bool = False  # folded away in forms
    label: str = ""  # empty: made from the name
    help: str = ""  # one to three sentences, English; the tooltip
    unit: str = ""


class PortSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One input or output of a node.

    ``path`` places the port in the tuple that a call takes or returns: an LSTM returns
    ``output`` at ``(0,)``, ``h_n`` at ``(1, 0)``, ``c_n`` at ``(1, 1)``; inputs with the same first
    index are passed as one tuple. Empty: the value itself. A variadic input (``cat``) is drawn as
    ports ``name.0``, ``name.1`` and so on, and passed as one list.
    """

    name: str
    required: bool = True
    variadic: bool = False
    keyword: bool = False  # passed as name=value
    path: tuple[int, ...] = ()
    help: str = ""


class EntryGroup(StrEnum):
    """What an entry is: nodes of the graph, parts of a run specification, or data."""

    LAYER = "layer"  # an nn.Module class, built in __init__
    OPERATOR = "operator"  # a function or method, called in forward
    IO = "io"  # Input and Output nodes
    LOSS = "loss"
    OPTIMIZER = "optimizer"
    SCHEDULER = "scheduler"
    METRIC = "metric"
    DATA = "data"
    SETTING = "setting"  # fields of the run specification itself


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that can be put on the canvas or chosen in a form.

    ``key`` is what documents hold (``Conv2d``, ``add``, ``Input``, ``CrossEntropyLoss``, ``Adam``,
    ``digits``); it is unique within its group's kind (nodes; losses; ...) and never an import path.
    ``target`` is used by the code generator only: ``nn.Conv2d``, ``torch.flatten``, ``F.relu``,
    ``method:view``, ``infix:+``.
    ``positional`` names the parameters written without their name in generated code.
    """

    key: str
    group: EntryGroup
    category: str = ""
    label: str = ""
    target: str = ""
    summary: str = ""  # one sentence, English
    doc: str = ""  # Markdown, English: the layer's own documentation
    params: tuple[ParamSpec, ...] = ()
    inputs: tuple[PortSpec, ...] = ()
    outputs: tuple[PortSpec, ...] = ()
    positional: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()  # search words
    tasks: tuple[str, ...] = ()  # losses, metrics: classification, binary, regression, ...

    def param(self, name: str) -> ParamSpec | None:
        """Return the parameter with that name, if there is one."""
        return next((param for param in self.params if param.name == name), None)

    def is_node(self) -> bool:
        """Return whether the entry can stand on the canvas."""
        return self.group in (EntryGroup.LAYER, EntryGroup.OPERATOR, EntryGroup.IO)
