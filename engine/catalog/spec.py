"""Description of everything that can be configured: one entry drives form, command line,
validation, tooltip, translation, code generation and file format.

The entries are data (``resources/catalog/*.json``), written by ``tools/build_catalog.py`` from the
installed torch and refined by hand; this module loads without torch.
"""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

Value = None | bool | int | float | str | tuple[bool | int | float | str, ...]
"""A parameter value as it stands in a document. ``"auto"`` is allowed where ``ParamSpec.auto``."""

AUTO = "auto"
MAXIMUM_PORTS = 64  # of a node whose number of outputs is a parameter


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
    PATH = "path"  # a file, or a FOLDER, of the user's data
    LITERAL = "literal"  # any number, truth value, text or tuple of them (the user's own code)


FOLDER = "folder"
"""As the one choice of a PATH: a folder is meant, not a file."""


class ParamSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One parameter: what it accepts and how it is explained."""

    name: str
    kind: ParamKind
    default: Value = None
    required: bool = False  # no default: the user must give it (or leave it on "auto")
    optional: bool = False  # None is a value
    auto: bool = False  # "auto": inferred from what arrives on the wire
    choices: tuple[str, ...] = ()  # of INTS: words for numbers; STR: suggestions; PATH: see FOLDER
    length: int = 0
    single: bool = True  # INTS and FLOATS: one number may stand for all
    minimum: float | None = None
    maximum: float | None = None
    exclusive_minimum: bool = False
    exclusive_maximum: bool = False
    advanced: bool = False  # folded away in forms
    when: str = ""  # of no effect but while another is set (``a``), is one of (``a=x|y``) or none
    # of (``a!=x``); several conditions are separated by commas
    label: str = ""  # empty: made from the name
    help: str = ""  # one to three sentences, English; the tooltip
    unit: str = ""
    suggested: Value = None  # what a newly placed node gets; see Entry.initial_params
    auto_port: str = ""  # the input whose shape decides an "auto" value; empty: the first one
    auto_axis: int = -1  # the axis of that input
    is_drawn: bool = False  # only tells how many outputs are drawn; not passed to torch
    open_axes: bool = False  # of a SHAPE: -1 stands for an axis of any length
    call: bool = False  # of a layer: passed when it is called (forward), not to the constructor


class PortContent(StrEnum):
    """What a loss or a metric expects at a port, beyond a shape."""

    LOGITS = "logits"  # float, N x C x ...: scores of C classes
    LOG_PROBABILITIES = "log_probabilities"  # the same, after log_softmax
    BINARY_LOGITS = "binary_logits"  # float, any shape: scores before sigmoid
    PROBABILITIES = "probabilities"  # float in [0, 1]
    VALUES = "values"  # float, any shape
    CLASS_INDEX = "class_index"  # int64 in [0, C), the shape of the logits without C
    CLASS_INDEX_OR_PROBABILITIES = "class_index_or_probabilities"  # or float like the logits
    CLASS_INDICES = "class_indices"  # int64, N x C: labels of a sample, then -1
    SAME_AS_INPUT = "same_as_input"  # float, the shape of the first input
    BINARY_SAME = "binary_same"  # float in [0, 1], the shape of the first input
    SIGN = "sign"  # 1 or -1
    POSITIVE = "positive"  # float, not negative
    EMBEDDING = "embedding"  # float, N x D, all alike
    LENGTHS = "lengths"  # int64, N


class PortSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One input or output of a node.

    ``path`` places the port in the tuple that a call takes or returns: an LSTM returns
    ``output`` at ``(0,)``, ``h_n`` at ``(1, 0)``, ``c_n`` at ``(1, 1)``; inputs with the same first
    index are passed as one tuple. Empty: the value itself. A variadic input (``cat``) is drawn as
    ports ``name.0``, ``name.1`` and so on, and passed as one list.
    """

    name: str
    label: str = ""  # what is shown for it; empty: the name
    required: bool = True
    variadic: bool = False
    keyword: bool = False  # passed as name=value
    path: tuple[int, ...] = ()
    help: str = ""
    content: PortContent | None = None


class OutputVariant(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The outputs that stand in the place of ``Entry.outputs`` while the bool parameter ``when``
    is true (``MaxPool2d`` with ``return_indices``), or false with an exclamation mark before it.
    """

    when: str
    outputs: tuple[PortSpec, ...]


class PartSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A module that the constructor takes as an argument and that has parameters of its own:
    ``nn.TransformerEncoder(nn.TransformerEncoderLayer(d_model=..., ...), num_layers=...)``.

    ``params`` names the parameters of the entry that go to ``target``; the others go to the entry's
    own target. The part is the first argument, written without its name.
    """

    name: str
    target: str
    params: tuple[str, ...]


class WeightMatch(StrEnum):
    """Which parameters of a layer a :class:`WeightSpec` means."""

    ONE = "one"  # the one of that name, or path: ``weight``, ``out_proj.bias``
    PREFIX = "prefix"  # all whose name begins so: ``weight_hh`` of every layer of an LSTM
    SUFFIX = "suffix"  # all whose path ends so
    MATRICES = "matrices"  # all with two axes or more, at any depth


class WeightSpec(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Parameters of a layer that begin alike and can be given another beginning.

    ``rank`` is the number of their axes. They are there only while all bool parameters named in
    ``when`` are true.
    """

    name: str
    rank: int
    match: WeightMatch = WeightMatch.ONE
    when: tuple[str, ...] = ()


class EntryGroup(StrEnum):
    """What an entry is: nodes of the graph, parts of a run specification, or data."""

    LAYER = "layer"  # an nn.Module class, built in __init__
    OPERATOR = "operator"  # a function or method, called in forward
    TENSOR = "tensor"  # a parameter, buffer or constant: made in __init__, read in forward
    IO = "io"  # Input and Output nodes
    BLOCK = "block"  # a block of the graph; never in the catalogue's files
    LOSS = "loss"
    OPTIMIZER = "optimizer"
    SCHEDULER = "scheduler"
    METRIC = "metric"
    DATA = "data"
    TRANSFORM = "transform"  # of a sample of the data
    BATCH_TRANSFORM = "batch_transform"  # of a batch of the data
    SETTING = "setting"  # fields of the run specification itself
    INITIALISER = "initialiser"  # a function of nn.init: how a parameter of a layer begins


class Need(StrEnum):
    """What an optimizer, scheduler, transform or data source needs beyond its parameters."""

    CLOSURE = "closure"  # calls the forward and backward pass again (LBFGS)
    SPARSE_GRADIENTS = "sparse_gradients"  # SparseAdam
    MATRICES = "matrices"  # only parameters with two axes (Muon)
    METRIC = "metric"  # step() takes the monitored value (ReduceLROnPlateau)
    EVERY_STEP = "every_step"  # made to be stepped after every batch (OneCycleLR, CyclicLR)
    RUN_LENGTH = "run_length"  # a parameter on "auto" is the number of scheduler steps of the run
    RANDOM_NUMBERS = "random_numbers"  # a transform that does something else with each sample
    SOUND = "sound"  # a transform of sounds, of waveforms and spectrograms alike but for:
    WAVEFORM = "waveform"
    SPECTROGRAM = "spectrogram"
    FLOAT_IMAGE = "float_image"  # only images of decimal numbers (Normalize)
    VIDEO = "video"  # a transform of the frames of videos
    STEPS = "steps"  # a transform that holds others and draws which of them are applied
    WHOLE_SAMPLE = "whole_sample"  # an own transform that takes all fields as a dictionary
    TOGETHER = "together"  # an own transform that takes images with masks and boxes
    MADE = "made"  # an own transform that is an object of a class, made with its settings
    GIVEN_SPLIT = "given_split"  # data that come divided into training and test sets
    BY_HAND = "by_hand"  # data that the user has to fetch: their publishers want a login, or ended


class Entry(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing that can be put on the canvas or chosen in a form.

    ``key`` is what documents hold (``Conv2d``, ``add``, ``Input``, ``CrossEntropyLoss``, ``Adam``,
    ``digits``); it is unique within its group's kind (nodes; losses; ...) and never an import path.
    ``target`` is used by the code generator only: ``nn.Conv2d``, ``torch.flatten``, ``F.relu``,
    ``method:view``, ``infix:+``, ``own:shuffle`` (in ``engine.syntax.composite``).
    ``positional`` names the parameters written without their name in generated code; they come
    after the positional ports. Where port names stand in it too (``einsum``: equation before
    operands), it gives the order of all positional arguments.

    **A port and a parameter of the same name** (``add``: port ``other`` and parameter ``other``):
    the port is not required; the wire is used where there is one, else the parameter. With neither
    (its default is None) the node is incomplete.

    ``weights`` are the parameters of a layer, by what can be said about how they begin; ``ranks``
    the numbers of axes that an initialiser can fill (empty: any).
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
    variants: tuple[OutputVariant, ...] = ()
    counted_by: str = ""  # outputs ``output.0``, ... as many as this parameter says
    parts: tuple[PartSpec, ...] = ()
    needs: tuple[Need, ...] = ()
    weights: tuple[WeightSpec, ...] = ()
    ranks: tuple[int, ...] = ()

    def param(self, name: str) -> ParamSpec | None:
        """Return the parameter with that name, if there is one."""
        return next((param for param in self.params if param.name == name), None)

    def output_ports(self, params: Mapping[str, Value]) -> tuple[PortSpec, ...]:
        """Return the outputs for parameters as a document holds them (defaults left out).

        Always use this instead of ``outputs``, which is what the defaults give.
        """
        for variant in self.variants:
            name = variant.when.removeprefix("!")
            if bool(self.value(params, name)) != variant.when.startswith("!"):
                return variant.outputs
        if not self.counted_by:
            return self.outputs
        value = self.value(params, self.counted_by)
        count = len(value) if isinstance(value, tuple) else value
        if not isinstance(count, int) or not 1 <= count <= MAXIMUM_PORTS:
            return self.outputs
        return tuple(PortSpec(name=f"output.{index}", path=(index,)) for index in range(count))

    def value(self, params: Mapping[str, Value], name: str) -> Value:
        """Return the value of a parameter: the one in the document, else the default."""
        if name in params:
            return params[name]
        param = self.param(name)
        return None if param is None else param.default

    def matters(self, param: ParamSpec, params: Mapping[str, Value]) -> bool:
        """Return whether a parameter has an effect, given what the others are."""
        conditions = param.when.split(",") if param.when else ()
        return all(self._holds(condition, params) for condition in conditions)

    def _holds(self, condition: str, params: Mapping[str, Value]) -> bool:
        name, _, values = condition.partition("=")
        value = self.value(params, name.removesuffix("!"))
        if not values:
            return value is not None and value is not False and value != ""
        return (str(value) in values.split("|")) is not name.endswith("!")

    def initial_params(self) -> dict[str, Value]:
        """Return what a newly placed node starts with: "auto" for what can be inferred, and the
        suggestions for what has no default or is seldom meant as PyTorch's default has it.
        """
        values: dict[str, Value] = {}
        for param in self.params:
            if param.suggested is not None:
                values[param.name] = param.suggested
            elif param.required and param.auto:
                values[param.name] = AUTO
        return values

    def is_custom(self) -> bool:
        """Return whether it is of the user's own code, not of the catalogue."""
        return self.key.startswith("code.")

    def is_node(self) -> bool:
        """Return whether the entry can stand on the canvas."""
        return self.group in _NODE_GROUPS


_NODE_GROUPS = (
    EntryGroup.LAYER,
    EntryGroup.OPERATOR,
    EntryGroup.TENSOR,
    EntryGroup.IO,
    EntryGroup.BLOCK,
)
