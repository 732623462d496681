"""The table of operators, by what they do."""

from typing import Any

from engine.catalog.spec import Entry, ParamKind, ParamSpec, PortSpec
from tools.catalog.operator import operator, param

INT, INTS, FLOAT, FLOATS = ParamKind.INT, ParamKind.INTS, ParamKind.FLOAT, ParamKind.FLOATS
BOOL, CHOICE, SHAPE, STR = ParamKind.BOOL, ParamKind.CHOICE, ParamKind.SHAPE, ParamKind.STR

AXIS = param("dim", INT, required=True, suggested=-1)
AXES = param("dim", INTS, optional=True, suggested=-1)
KEEPDIM = param("keepdim", BOOL, default=False)
NUMBER = ParamSpec(name="other", kind=FLOAT, optional=True, minimum=-1e30, maximum=1e30)
OTHER = PortSpec(name="other", required=False)
TWO = ("input", PortSpec(name="other"))
VALUES_INDICES = (PortSpec(name="values", path=(0,)), PortSpec(name="indices", path=(1,)))
TENSORS = (PortSpec(name="tensors", variadic=True),)
SIGNED = {"minimum": -1_000_000, "maximum": 1_000_000}
SIZES = {"minimum": -1, "maximum": 1_000_000_000}


def infix(key: str, sign: str, category: str, summary: str, *aliases: str) -> Entry:
    """Return an operator between two values, the second of which may be a number."""
    return operator(
        key,
        f"infix:{sign}",
        category,
        summary,
        NUMBER,
        inputs=("input", OTHER),
        aliases=(*aliases, sign),
    )


def unary(key: str, summary: str, *aliases: str, target: str = "", category: str = "") -> Entry:
    """Return an operator on each element."""
    return operator(
        key, target or f"torch.{key}", category or "Arithmetic", summary, aliases=aliases
    )


def arithmetic() -> list[Entry]:
    """Return what works element by element."""
    group = "Arithmetic"
    return [
        infix("add", "+", group, "Adds two tensors, or a number to a tensor.", "plus", "residual"),
        infix("sub", "-", group, "Subtracts a tensor or a number.", "minus", "difference"),
        infix("mul", "*", group, "Multiplies element-wise, or by a number.", "times"),
        infix("div", "/", group, "Divides element-wise, or by a number.", "quotient"),
        infix("pow", "**", group, "Raises to a power.", "square", "exponent"),
        infix("floor_divide", "//", group, "Divides and rounds down."),
        infix("remainder", "%", group, "The remainder of the division.", "modulo"),
        operator(
            "rsub", "torch.rsub", group,
            "Subtracts the input from a tensor or a number: 1 - x.", NUMBER,
            inputs=("input", OTHER), positional=(), aliases=("subtract from", "1-x"),
        ),
        unary("neg", "The negative of each element.", "minus", "negative"),
        unary("abs", "The absolute value of each element.", "absolute", "magnitude"),
        unary("sqrt", "The square root of each element.", "root"),
        unary("rsqrt", "The reciprocal of the square root.", "root"),
        unary("square", "The square of each element.", "power"),
        unary("reciprocal", "The reciprocal of each element.", "inverse", "1/x"),
        unary("exp", "The exponential of each element.", "exponential"),
        unary("log", "The natural logarithm of each element.", "ln"),
        unary("log1p", "The natural logarithm of 1 + x, accurate for small x."),
        unary("sin", "The sine of each element."),
        unary("cos", "The cosine of each element."),
        unary("sign", "The sign of each element: -1, 0 or 1.", "signum"),
        unary("floor", "Rounds down."),
        unary("ceil", "Rounds up."),
        unary("round", "Rounds to the nearest integer."),
        unary("erf", "The error function of each element."),
        operator(
            "clamp", "torch.clamp", group, "Clamps every element to a range.",
            param("min", FLOAT, optional=True, minimum=-1e9, maximum=1e9),
            param("max", FLOAT, optional=True, minimum=-1e9, maximum=1e9),
            aliases=("clip", "limit"),
        ),
        operator("minimum", "torch.minimum", group, "The element-wise minimum of two tensors.",
                 inputs=TWO),
        operator("maximum", "torch.maximum", group, "The element-wise maximum of two tensors.",
                 inputs=TWO),
        *comparison(),
        *activations(),
    ]  # fmt: skip


def comparison() -> list[Entry]:
    """Return comparisons and what chooses by them."""
    group = "Comparison"
    signs = (
        ("eq", "==", "equal to"), ("ne", "!=", "not equal to"), ("lt", "<", "less than"),
        ("le", "<=", "at most"), ("gt", ">", "greater than"), ("ge", ">=", "at least"),
    )  # fmt: skip
    both = "True where both inputs are true."
    return [
        *(
            infix(key, sign, group, f"True where an element is {words} the other.", words)
            for key, sign, words in signs
        ),
        operator("logical_and", "torch.logical_and", group, both, inputs=TWO),
        operator("logical_or", "torch.logical_or", group,
                 "True where at least one input is true.", inputs=TWO),
        operator("logical_not", "torch.logical_not", group, "True where the input is false."),
        operator(
            "where", "torch.where", group, "Elements of one tensor where a condition is true, else"
            " of the other.", NUMBER, inputs=("condition", "input", OTHER),
            positional=(), aliases=("if", "choose", "mask"),
        ),
        operator(
            "masked_fill", "torch.masked_fill", group,
            "Fills elements with a value where a mask is true.",
            ParamSpec(name="value", kind=FLOAT, required=True, suggested=0.0, minimum=-1e30,
                      maximum=1e30),
            inputs=("input", "mask"), aliases=("mask",),
        ),
    ]  # fmt: skip


def activations() -> list[Entry]:
    """Return activations as functions (those with a layer of their own work the same)."""
    group = "Activation function"
    in_place = param("inplace", BOOL, default=False, advanced=True)
    slope = param("negative_slope", FLOAT, default=0.01)
    beta = param("beta", FLOAT, default=1.0, exclusive_minimum=True)
    alpha = param("alpha", FLOAT, default=1.0)
    exact = param("approximate", CHOICE, default="none", choices=("none", "tanh"))
    threshold = param("threshold", FLOAT, default=20.0)
    return [
        operator("relu", "F.relu", group, "Sets negative elements to zero.", in_place,
                 aliases=("rectifier",)),
        operator("gelu", "F.gelu", group,
                 "x times the cumulative normal distribution of x.", exact),
        operator("silu", "F.silu", group,
                 "x times the sigmoid of x.", in_place, aliases=("swish",)),
        unary("sigmoid",
                 "Maps each element to a value between 0 and 1.", "logistic", category=group),
        unary("tanh", "Maps each element to a value between -1 and 1.", category=group),
        operator("leaky_relu", "F.leaky_relu", group,
                 "ReLU with a small slope for negative elements.", slope,
                 in_place),
        operator("elu", "F.elu", group,
                 "ReLU with an exponential curve for negative elements.", alpha, in_place),
        operator("softplus", "F.softplus", group,
                 "A smooth approximation of ReLU.", beta, threshold),
        unary("logsigmoid", "The logarithm of the sigmoid.", target="F.logsigmoid", category=group),
        operator("mish", "F.mish", group, "x times the tanh of softplus(x).", in_place),
        operator("glu", "F.glu", group, "The first half times the sigmoid of the second half.",
                 param("dim", INT, default=-1)),
        operator("softmax", "F.softmax", group,
                 "Rescales to probabilities that sum to 1 along an axis.",
                 AXIS, positional=(), aliases=("probabilities",)),
        operator("log_softmax", "F.log_softmax", group, "The logarithm of the softmax.", AXIS,
                 positional=()),
    ]  # fmt: skip


def structure() -> list[Entry]:
    """Return matrix products, joining and splitting, and attention."""
    matrix = "Matrix"
    return [
        operator("matmul", "infix:@", matrix, "The matrix product; leading axes are batches.",
                 inputs=TWO, aliases=("@", "product", "mm", "dot")),
        operator("bmm", "torch.bmm", matrix, "The matrix product of two batches of matrices.",
                 inputs=("input", "mat2"), aliases=("batch", "product")),
        operator("mm", "torch.mm", matrix, "The matrix product of two matrices, without batches.",
                 inputs=("input", "mat2"), aliases=("product",)),
        operator(
            "einsum", "torch.einsum", matrix, "Sums of products in Einstein notation.",
            ParamSpec(name="equation", kind=STR, required=True, suggested="bi,bi->b"),
            inputs=(PortSpec(name="operands", variadic=True),),
            positional=("equation", "operands"), aliases=("einstein", "contract"),
        ),
        operator("outer", "torch.outer", matrix, "The outer product of two vectors.",
                 inputs=("input", "vec2")),
        operator("cdist", "torch.cdist", matrix,
                 "Distances between all pairs of rows of two matrices.",
                 param("p", FLOAT, default=2.0, minimum=0.0, maximum=1000.0),
                 inputs=("x1", "x2"), aliases=("distance",)),
        operator("cosine_similarity", "F.cosine_similarity", matrix,
                 "The cosine of the angle between two tensors along an axis.",
                 param("dim", INT, default=1), param("eps", FLOAT, default=1e-8),
                 inputs=("x1", "x2")),
        operator(
            "scaled_dot_product_attention", "F.scaled_dot_product_attention", "Attention",
            "softmax(query · key / √d) · value: attention without parameters.",
            param("is_causal", BOOL, default=False),
            param("scale", FLOAT, optional=True, advanced=True, minimum=0.0, maximum=1e6,
                  exclusive_minimum=True),
            inputs=("query", "key", "value",
                    PortSpec(name="attn_mask", required=False, keyword=True)),
            aliases=("sdpa", "transformer"),
        ),
        *joining(),
    ]  # fmt: skip


def joining() -> list[Entry]:
    """Return what puts tensors together and takes them apart."""
    group = "Join and split"
    return [
        operator("cat", "torch.cat", group, "Concatenates tensors along an axis.",
                 param("dim", INT, default=0, suggested=1), inputs=TENSORS,
                 aliases=("concatenate", "join", "merge", "skip connection")),
        operator("stack", "torch.stack", group, "Stacks tensors of equal shape along a new axis.",
                 param("dim", INT, default=0, suggested=1), inputs=TENSORS, aliases=("join",)),
        operator("chunk", "torch.chunk", group, "Splits into equal parts along an axis.",
                 param("chunks", INT, required=True, minimum=1, maximum=64, suggested=2),
                 param("dim", INT, default=0, suggested=1), counted_by="chunks",
                 outputs=_parts(2), aliases=("split",)),
        operator("split", "torch.split", group, "Splits into parts of given sizes.",
                 ParamSpec(name="sizes", kind=SHAPE, required=True, minimum=1, maximum=1_000_000,
                           suggested=(1, 1)),
                 param("dim", INT, default=0, suggested=1), counted_by="sizes",
                 outputs=_parts(2), aliases=("slice",)),
        operator("unbind", "torch.unbind", group,
                 "Splits along an axis; each position becomes an output.",
                 ParamSpec(name="count", kind=INT, required=True, minimum=1, maximum=64,
                           suggested=3, is_drawn=True),
                 param("dim", INT, default=0, suggested=1), counted_by="count", positional=(),
                 outputs=_parts(3), aliases=("unstack", "split", "query key value")),
    ]  # fmt: skip


def _parts(count: int) -> tuple[PortSpec, ...]:
    return tuple(PortSpec(name=f"output.{index}", path=(index,)) for index in range(count))


def shaping() -> list[Entry]:
    """Return what changes shape, order or size."""
    group = "Reshape"
    sizes = ParamSpec(name="shape", kind=SHAPE, required=True, suggested=(-1, 64), **SIZES)
    dims = param("dims", SHAPE, required=True, minimum=-16, maximum=15)
    return [
        operator("flatten", "torch.flatten", group, "Merges axes into one.",
                 param("start_dim", INT, default=0, suggested=1),
                 param("end_dim", INT, default=-1), positional=("start_dim",),
                 aliases=("vector",)),
        operator("reshape", "method:reshape", group, "The same elements in another shape.", sizes),
        operator("view", "method:view", group, "The same memory in another shape.", sizes),
        operator("unflatten", "method:unflatten", group, "Splits an axis into several.",
                 AXIS_1, ParamSpec(name="unflattened_size", kind=SHAPE, required=True,
                                   suggested=(1, -1), **SIZES)),
        operator("permute", "torch.permute", group, "Reorders the axes.",
                 _with(dims, suggested=(0, 2, 1)), aliases=("transpose", "order")),
        operator("transpose", "torch.transpose", group, "Swaps two axes.",
                 param("dim0", INT, required=True, suggested=1, minimum=-16, maximum=15),
                 param("dim1", INT, required=True, suggested=2, minimum=-16, maximum=15),
                 aliases=("swap",)),
        operator("movedim", "torch.movedim", group, "Moves axes to other positions.",
                 param("source", INTS, required=True, suggested=1, minimum=-16, maximum=15),
                 param("destination", INTS, required=True, suggested=-1, minimum=-16, maximum=15)),
        operator("squeeze", "torch.squeeze", group, "Removes axes of size 1.",
                 param("dim", INTS, required=True, suggested=-1), aliases=("remove axis",)),
        operator("unsqueeze", "torch.unsqueeze", group, "Adds an axis of size 1.", AXIS_1,
                 aliases=("add axis", "expand_dims")),
        *repeating(),
        operator("contiguous", "method:contiguous", group,
                 "Makes the memory contiguous, copying if necessary."),
        operator("flip", "torch.flip", group, "Reverses the order along axes.",
                 _with(dims, suggested=(-1,), minimum=-16), aliases=("reverse", "mirror")),
        operator("roll", "torch.roll", group,
                 "Shifts along axes; what leaves at the end enters at the front.",
                 ParamSpec(name="shifts", kind=INTS, required=True, suggested=1, **SIGNED),
                 ParamSpec(name="dims", kind=INTS, required=True, suggested=-1, minimum=-16,
                           maximum=15), aliases=("shift",)),
        operator("shuffle", "own:shuffle", group, "Permutes the positions of an axis at random.",
                 _with(AXIS_1, minimum=0), aliases=("permutation", "randperm", "mix")),
        *indexing(),
        *resampling(),
        *conversion(),
    ]  # fmt: skip


def repeating() -> list[Entry]:
    """Return what repeats a tensor along its axes."""
    group = "Reshape"
    sizes = ParamSpec(name="sizes", kind=SHAPE, required=True, suggested=(-1, 1), **SIZES)
    return [
        operator("expand", "method:expand", group, "Expands axes of size 1 without copying.",
                 sizes, aliases=("broadcast",)),
        operator("expand_as", "method:expand_as", group,
                 "Expands axes of size 1 to the shape of another tensor.", inputs=TWO,
                 aliases=("broadcast",)),
        operator("expand_batch", "own:expand_batch", group,
                 "Expands the first axis, of size 1, to the batch size of another tensor.",
                 inputs=("input", "like"), aliases=("class token", "broadcast", "batch")),
        operator("repeat", "method:repeat", group, "Repeats a tensor along its axes.",
                 ParamSpec(name="repeats", kind=SHAPE, required=True, suggested=(1, 2), minimum=1,
                           maximum=1_000_000), aliases=("tile",)),
        operator("repeat_interleave", "torch.repeat_interleave", group,
                 "Repeats each position of an axis in place.",
                 ParamSpec(name="repeats", kind=INT, required=True, suggested=2, minimum=1,
                           maximum=1_000_000), AXIS_1, positional=("repeats",)),
    ]  # fmt: skip


AXIS_1 = param("dim", INT, required=True, suggested=1)


def _with(spec: ParamSpec, **fields: Any) -> ParamSpec:
    own = {name: getattr(spec, name) for name in spec.__struct_fields__}
    return ParamSpec(**(own | fields))


def indexing() -> list[Entry]:
    """Return what takes parts of a tensor out."""
    group = "Indexing"
    index = PortSpec(name="index", keyword=True)
    whole = {"minimum": -1_000_000, "maximum": 1_000_000}
    diagonal = ParamSpec(name="diagonal", kind=INT, default=0, **whole)
    return [
        operator("select", "torch.select", group,
                 "Selects one position of an axis and removes the axis.",
                 AXIS_1, ParamSpec(name="index", kind=INT, required=True, suggested=-1, **whole),
                 aliases=("index", "last step", "take")),
        operator("narrow", "torch.narrow", group, "A slice of an axis.", AXIS_1,
                 ParamSpec(name="start", kind=INT, required=True, suggested=0, **whole),
                 ParamSpec(name="length", kind=INT, required=True, suggested=1, minimum=0,
                           maximum=1_000_000), aliases=("crop",)),
        operator("slice", "own:slice", group,
                 "Positions of an axis from start to stop, with a step.", AXIS_1,
                 ParamSpec(name="start", kind=INT, optional=True, **whole),
                 ParamSpec(name="stop", kind=INT, optional=True, **whole),
                 ParamSpec(name="step", kind=INT, default=1, suggested=2, minimum=1,
                           maximum=1_000_000), positional=("dim", "start", "stop", "step"),
                 aliases=("stride", "every second", "subsample", "[::2]")),
        operator("gather", "torch.gather", group,
                 "Gathers the elements at the positions of an index.",
                 AXIS, inputs=("input", index), positional=()),
        operator("index_select", "torch.index_select", group,
                 "Selects the positions in a list along an axis.",
                 AXIS, inputs=("input", index), positional=()),
        operator("take", "torch.take", group,
                 "Takes elements by their index in the flattened tensor.",
                 inputs=("input", index), positional=(), aliases=("flat index",)),
        operator("masked_select", "torch.masked_select", group,
                 "The elements where a mask is true, as a vector.",
                 inputs=("input", "mask"), aliases=("boolean mask", "x[mask]", "filter")),
        operator("scatter", "torch.scatter", group, "Writes elements to the positions of an index.",
                 AXIS, inputs=("input", index, PortSpec(name="src", keyword=True)), positional=(),
                 aliases=("one-hot", "write")),
        operator("one_hot", "F.one_hot", group,
                 "One-hot encoding: 1 at the index of the class, else 0.",
                 ParamSpec(name="num_classes", kind=INT, default=-1, suggested=10, minimum=-1,
                           maximum=1_000_000)),
        operator("tril", "torch.tril", group,
                 "The lower triangle: zero above a diagonal.", diagonal,
                 aliases=("triangle", "causal mask")),
        operator("triu", "torch.triu", group,
                 "The upper triangle: zero below a diagonal.", diagonal,
                 aliases=("triangle", "causal mask")),
    ]  # fmt: skip


def resampling() -> list[Entry]:
    """Return padding, pooling and resizing as functions."""
    group = "Resize and pool"
    modes = ("nearest", "nearest-exact", "linear", "bilinear", "bicubic", "trilinear", "area")
    pads = ("constant", "reflect", "replicate", "circular")
    return [
        operator(
            "interpolate", "F.interpolate", group, "Resizes images, sequences or volumes.",
            param("size", INTS, optional=True),
            param("scale_factor", FLOATS, optional=True, suggested=2.0),
            ParamSpec(name="mode", kind=CHOICE, default="nearest", choices=modes),
            param("align_corners", BOOL, optional=True, advanced=True),
            param("antialias", BOOL, default=False, advanced=True),
            aliases=("resize", "upsample", "scale"),
        ),
        operator(
            "pad", "F.pad", group, "Pads the edges.",
            ParamSpec(name="pad", kind=SHAPE, required=True, suggested=(1, 1), minimum=-10_000,
                      maximum=10_000),
            ParamSpec(name="mode", kind=CHOICE, default="constant", choices=pads),
            ParamSpec(name="value", kind=FLOAT, optional=True, minimum=-1e9, maximum=1e9),
            aliases=("border",),
        ),
        *(_pool(kind, dims) for kind in ("max", "avg") for dims in (1, 2, 3)),
        *(
            operator(
                f"adaptive_{kind}_pool{dims}d", f"F.adaptive_{kind}_pool{dims}d", group,
                f"{word} over windows chosen so that the output has a given size.",
                param("output_size", INTS, required=True, length=dims, suggested=1),
                aliases=("global",),
            )
            for kind, word in (("avg", "The mean"), ("max", "The maximum"))
            for dims in (1, 2, 3)
        ),
        operator("pixel_shuffle", "F.pixel_shuffle", group,
                 "Rearranges channels into pixels of a higher resolution.",
                 param("upscale_factor", INT, required=True, suggested=2)),
    ]  # fmt: skip


def _pool(kind: str, dims: int) -> Entry:
    word = "The maximum" if kind == "max" else "The mean"
    own = (
        param("dilation", INTS, default=1, length=dims, advanced=True)
        if kind == "max"
        else param("count_include_pad", BOOL, default=True, advanced=True)
    )
    return operator(
        f"{kind}_pool{dims}d",
        f"F.{kind}_pool{dims}d",
        "Resize and pool",
        f"{word} over each window of a {('sequence', 'picture', 'volume')[dims - 1]}.",
        param("kernel_size", INTS, required=True, length=dims, suggested=2),
        param("stride", INTS, optional=True, length=dims),
        param("padding", INTS, default=0, length=dims),
        own,
        param("ceil_mode", BOOL, default=False, advanced=True),
    )


def conversion() -> list[Entry]:
    """Return type changes, copies and new tensors."""
    group = "Type and copy"
    return [
        operator("cast", "method:to", group, "Converts the elements to another dtype.",
                 ParamSpec(name="dtype", kind=ParamKind.DTYPE, required=True,
                           suggested="float32"), aliases=("to", "dtype", "float", "convert")),
        operator("detach", "method:detach", group,
                 "Stops gradients: a tensor detached from the graph.",
                 aliases=("stop gradient",)),
        operator("clone", "torch.clone", group, "A copy of the tensor.", aliases=("copy",)),
        operator("zeros_like", "torch.zeros_like", group, "Zeros with the shape of the input."),
        operator("ones_like", "torch.ones_like", group, "Ones with the shape of the input."),
        operator("full_like", "torch.full_like", group, "One value with the shape of the input.",
                 ParamSpec(name="fill_value", kind=FLOAT, required=True, suggested=0.0,
                           minimum=-1e30, maximum=1e30)),
        operator("randn_like", "torch.randn_like", group,
                 "Standard normal random numbers with the shape of the input.",
                 aliases=("noise", "vae")),
        operator("rand_like", "torch.rand_like", group,
                 "Uniform random numbers from 0 to 1 (1 excluded) with the shape of the input.",
                 aliases=("noise", "uniform", "diffusion")),
    ]  # fmt: skip


def reduction() -> list[Entry]:
    """Return what makes few numbers of many."""
    group = "Reduction"
    correction = ParamSpec(name="correction", kind=INT, default=1, minimum=0, maximum=1_000_000)
    top = ParamSpec(name="k", kind=INT, required=True, suggested=5, minimum=1, maximum=1_000_000)
    down = param("descending", BOOL, default=False)
    largest = param("largest", BOOL, default=True)
    order = ParamSpec(name="ord", kind=FLOAT, default=2.0, minimum=0.0, maximum=1000.0)
    last = param("dim", INT, default=-1)
    pair = {"outputs": VALUES_INDICES}
    return [
        operator("mean", "torch.mean", group, "The mean along axes.", AXES, KEEPDIM,
                 aliases=("average", "global average pooling")),
        operator("sum", "torch.sum", group, "The sum along axes.", AXES, KEEPDIM),
        operator("prod", "torch.prod", group, "The product along an axis.", AXIS, KEEPDIM,
                 positional=()),
        operator("amax", "torch.amax", group, "The maximum along axes.",
                 _with(AXES, optional=False, default=()), KEEPDIM, aliases=("max",)),
        operator("amin", "torch.amin", group, "The minimum along axes.",
                 _with(AXES, optional=False, default=()), KEEPDIM, aliases=("min",)),
        operator("max", "torch.max", group, "The maximum and its index.", AXIS, KEEPDIM,
                 positional=(), **pair),
        operator("min", "torch.min", group, "The minimum and its index.", AXIS, KEEPDIM,
                 positional=(), **pair),
        operator("median", "torch.median", group, "The median and its index.", AXIS,
                 KEEPDIM, positional=(), **pair),
        operator("topk", "torch.topk", group, "The k largest values and their indices.", top,
                 last, largest, **pair),
        operator("sort", "torch.sort", group, "The sorted values and their original indices.", last,
                 down, **pair),
        operator("argmax", "torch.argmax", group, "The index of the maximum.", AXIS, KEEPDIM,
                 positional=(), aliases=("predicted class",)),
        operator("argmin", "torch.argmin", group, "The index of the minimum.", AXIS, KEEPDIM,
                 positional=()),
        operator("std", "torch.std", group, "The standard deviation along axes.", AXES,
                 correction, KEEPDIM, aliases=("deviation",)),
        operator("var", "torch.var", group, "The variance along axes.", AXES, correction,
                 KEEPDIM),
        operator("norm", "torch.linalg.vector_norm", group,
                 "Vector norms along axes.", order, AXES, KEEPDIM, aliases=("length", "magnitude")),
        operator("normalize", "F.normalize", group, "Scales vectors to norm 1.",
                 param("p", FLOAT, default=2.0, minimum=0.0, maximum=1000.0),
                 param("dim", INT, default=1), param("eps", FLOAT, default=1e-12)),
        operator("logsumexp", "torch.logsumexp", group, "The logarithm of the sum of exp(x).",
                 param("dim", INTS, required=True, suggested=-1), KEEPDIM, positional=()),
        operator("cumsum", "torch.cumsum", group, "The cumulative sum along an axis.", AXIS,
                 positional=()),
        operator("cumprod", "torch.cumprod", group, "The cumulative product along an axis.", AXIS,
                 positional=()),
    ]  # fmt: skip
