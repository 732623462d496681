"""The tensors of a run as a tree: by layer, what belongs to it."""

from collections.abc import Iterator

from engine.graph.block import SEPARATOR
from engine.graph.model import Graph
from engine.runs.record.tensor_capture import TensorEntry, TensorListing
from studio.i18n import translate
from studio.inspect.tensors.presenter import kind_title, shape_text, tensor_id, tensor_title
from widgets.tables.view_model import ColumnView, TreeData, TreeRow

_ORDER = (
    "parameter",
    "gradient",
    "state",
    "buffer",
    "activation",
    "activation_gradient",
    "attention",
    "batch",
)
_MADE_BY = ("activation", "activation_gradient", "attention")  # the layer itself has one
_BATCH = "batch"
_GROUP = "group "


def present_tree(listing: TensorListing, model: Graph) -> TreeData:
    """Return all tensors that can be looked at, below the layers that they belong to."""
    columns = (
        ColumnView(key="name", title=translate("Tensors", "Name")),
        ColumnView(key="kind", title=translate("Tensors", "Kind")),
        ColumnView(key="shape", title=translate("Tensors", "Shape"), kind="code"),
        ColumnView(key="dtype", title=translate("Tensors", "Type"), kind="code", is_visible=False),
        ColumnView(
            key="device",
            title=translate("Tensors", "Device"),
            kind="code",
            is_visible=any(entry.device not in ("", "cpu") for entry in listing.tensors),
        ),
    )
    layers: dict[str, list[TensorEntry]] = {}
    for entry in sorted(listing.tensors, key=lambda each: each.kind not in _MADE_BY):
        layers.setdefault(_layer(entry, model), []).append(entry)
    batch = layers.pop(_BATCH, [])
    groups: set[str] = set()
    rows: list[TreeRow] = []
    for layer, entries in layers.items():
        rows += _groups(layer, groups)
        rows += _leaves(_GROUP + layer if layer else "", entries)
    if batch:
        group = TreeRow(id=_GROUP + "batch:", cells=(kind_title("batch"),), is_group=True)
        rows += [group, *_leaves(group.id, batch)]
    return TreeData(columns=columns, rows=tuple(rows))


def _layer(entry: TensorEntry, model: Graph) -> str:
    """Return the full name of the module that a tensor belongs to, as ``named_modules`` has it."""
    if entry.kind == "batch":
        return _BATCH
    if entry.kind in _MADE_BY:
        return tensor_title(entry.kind, entry.name, model).replace(SEPARATOR, ".")
    return entry.name.partition(":")[0].rpartition(".")[0]


def _groups(layer: str, groups: set[str]) -> Iterator[TreeRow]:
    """Yield the rows of a layer and of those around it, each once."""
    parts = layer.split(".") if layer else []
    for end in range(1, len(parts) + 1):
        name = ".".join(parts[:end])
        if name not in groups:
            groups.add(name)
            above = _GROUP + ".".join(parts[: end - 1]) if end > 1 else ""
            yield TreeRow(
                id=_GROUP + name, cells=(parts[end - 1],), parent=above, is_group=True, tooltip=name
            )


def _leaves(group: str, entries: list[TensorEntry]) -> Iterator[TreeRow]:
    for entry in sorted(entries, key=lambda each: _ORDER.index(each.kind)):
        title = kind_title(entry.kind)
        name = entry.name if entry.kind == "batch" else entry.name.rpartition(".")[2]
        yield TreeRow(
            id=tensor_id(entry),
            cells=(
                title if entry.kind in _MADE_BY else name,
                "" if entry.kind in _MADE_BY else title,
                shape_text(entry.shape),
                entry.dtype,
                entry.device,
            ),
            parent=group,
            tooltip=" · ".join(part for part in (title, entry.name, entry.device) if part),
        )
