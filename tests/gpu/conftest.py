"""Tests that need a GPU that PyTorch can compute on (CUDA): ``pytest -m gpu``."""

from pathlib import Path

import pytest
import torch

HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder, and leave them out where there is no GPU."""
    for item in items:
        if item.path.parent == HERE:
            item.add_marker("gpu")
            if not torch.cuda.is_available():
                item.add_marker(pytest.mark.skip(reason="needs a GPU (CUDA)"))
