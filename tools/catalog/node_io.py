"""The ends of a graph: what comes in and what goes out."""

from engine.catalog.spec import Entry, EntryGroup, ParamKind, ParamSpec, PortSpec

INPUT_DOC = """Where data enters the model.

A model may have several inputs. Each takes one field of the data; its shape is that of one sample,
without the batch axis, which is added in front when the model runs.

When a data source is chosen, shape and type follow the field.
"""
OUTPUT_DOC = """What the model returns.

The name of the node is what loss terms call `model.<name>`. With one output the model returns a
tensor, with several a tuple, in the order in which the nodes were made.
"""
BLOCK_INPUT_DOC = """Where a value enters a block.

Each block input is one input port of the block and one argument of its `forward`, in the order in
which they were made. Its shape is that of the wire which ends at the port, batch axis included, and
may differ from use to use.
"""
BLOCK_OUTPUT_DOC = """What a block gives back.

Each block output is one output port of the block. With one the block returns a tensor, with several
a tuple, in the order in which they were made.
"""

_SHAPE = ParamSpec(
    name="shape",
    kind=ParamKind.SHAPE,
    required=True,
    minimum=1,
    maximum=1_000_000,
    suggested=(1, 8, 8),
    open_axes=True,
    help="The shape of one sample without the batch axis: (1, 28, 28) for a "
    "grayscale image of 28 × 28 pixels, (4,) for four numbers, () for a single "
    "number. -1: an axis of any length, such as (-1, 4) for boxes.",
)


def io_entries() -> list[Entry]:
    """Return the inputs and outputs of models and of blocks."""
    return [
        Entry(
            key="Input",
            group=EntryGroup.IO,
            category="Input and output",
            label="Input",
            summary="Where data enters the model: one field of the data, batch by batch.",
            doc=INPUT_DOC,
            params=(
                ParamSpec(
                    name="field",
                    kind=ParamKind.STR,
                    default="",
                    help="The data field that enters here. Empty if none is chosen yet.",
                ),
                _SHAPE,
                ParamSpec(
                    name="dtype",
                    kind=ParamKind.DTYPE,
                    default="float32",
                    help="The dtype: float32 for measurements and images, int64 for indices.",
                ),
            ),
            outputs=(PortSpec(name="output"),),
            aliases=("source", "data", "placeholder", "x"),
        ),
        Entry(
            key="Output",
            group=EntryGroup.IO,
            category="Input and output",
            label="Output",
            summary="What the model returns; loss terms refer to it by its name.",
            doc=OUTPUT_DOC,
            inputs=(PortSpec(name="input"),),
            aliases=("sink", "result", "return", "y"),
        ),
        *_block_ports(),
    ]


def _block_ports() -> list[Entry]:
    return [
        Entry(
            key="BlockInput",
            group=EntryGroup.IO,
            category="Input and output",
            label="Block input",
            summary="Where a value enters a block: one input port of the block.",
            doc=BLOCK_INPUT_DOC,
            outputs=(PortSpec(name="output"),),
            aliases=("port", "argument", "x"),
        ),
        Entry(
            key="BlockOutput",
            group=EntryGroup.IO,
            category="Input and output",
            label="Block output",
            summary="What a block returns: one output port of the block.",
            doc=BLOCK_OUTPUT_DOC,
            inputs=(PortSpec(name="input"),),
            aliases=("port", "return", "result", "y"),
        ),
    ]
