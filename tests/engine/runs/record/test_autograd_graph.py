"""A captured graph as plain values."""

from engine.runs.record.autograd_graph import AutogradNode, SavedValue, TensorMeta, saved_size

META = TensorMeta((4,), "float32")


def test_that_memory_that_several_functions_keep_counts_once_and_a_number_takes_none() -> None:
    whole = SavedValue(name="self", tensor=META, storage=0, size=16)
    part = SavedValue(name="mat1", tensor=META, storage=0, size=8)
    number = SavedValue(name="dim", text="1")
    other = SavedValue(name="mat2", tensor=META, storage=1, size=4)
    nodes = (
        AutogradNode(id="0", name="MulBackward0", saved=(whole, number)),
        AutogradNode(id="1", name="MmBackward0", saved=(part, other)),
    )
    assert saved_size(nodes) == 20
