"""Custom code with samples, trusted, and what it is loaded as."""

import pytest

from engine.custom.trust import set_trust
from engine.data.source.registry import forget_sources, load_source
from engine.diagnostics import DiagnosticError
from engine.spec.run import Choice

HEAD = """
import random
from collections import namedtuple

import numpy as np
import torch
from PIL import Image
from torch.utils.data import Dataset, IterableDataset, Sampler
"""
POINTS = """
class Points(Dataset):
    '''Points on a line.

    Args:
        count: how many there are.
    '''

    def __init__(self, count: int = 20, scale: float = 2.0):
        self.x = torch.arange(count, dtype=torch.float32) * scale

    def __len__(self):
        return len(self.x)

    def __getitem__(self, index):
        x = self.x[index]
        return torch.stack([x, -x]), int(x > 10)
"""


def trusted(text, name="data.py"):
    forget_sources()
    code = {name: HEAD + text}
    set_trust(code, trusted=True)
    return code


def source_of(text, cls="Data", **params):
    code = trusted(text)
    return load_source(Choice(type=f"code.data.{cls}", params=params), code)


def of_item(item, extra="", length="8"):
    """Return the source of a class whose samples are an expression of ``i``."""
    return source_of(
        f"""
class Data(Dataset):
    {extra or "pass"}

    def __len__(self):
        return {length}

    def __getitem__(self, i):
        return {item}
"""
    )


def refusal(act):
    with pytest.raises(DiagnosticError) as error:
        act()
    return error.value.problems[0]
