import keyword

import pytest
from torch import nn

from engine.graph.naming import RESERVED_NAMES, default_name, name_problem, sanitized_name


def test_that_the_reserved_names_are_those_of_the_installed_torch() -> None:
    public = {name for name in dir(nn.Module()) if not name.startswith("_")}
    assert public == RESERVED_NAMES


@pytest.mark.parametrize(
    ("key", "name"),
    [("Conv2d", "conv"), ("LSTM", "lstm"), ("ReLU", "relu"), ("MaxPool2d", "max_pool"),
     ("LeakyReLU", "leaky_relu"), ("MultiheadAttention", "multihead_attention"), ("Input", "x"),
     ("Output", "output"), ("add", "add"), ("PReLU", "prelu"), ("RMSNorm", "rms_norm")],
)  # fmt: skip
def test_that_a_type_gives_the_name_a_person_would_give(key: str, name: str) -> None:
    assert default_name(key) == name


def test_that_every_type_of_the_catalogue_gives_a_usable_name() -> None:
    from engine.catalog.registry import catalog

    for entry in catalog().nodes():
        assert name_problem(default_name(entry.key)) is None, entry.key


@pytest.mark.parametrize(
    "text",
    ["x;import os", "", "__class__", "1", "卷积 1", "def", "forward", "a" * 10_000, "ﬁ", "\n"],
)
def test_that_any_text_becomes_a_usable_name(text: str) -> None:
    name = sanitized_name(text)
    assert name_problem(name) is None
    assert name.isidentifier()
    assert not keyword.iskeyword(name)
