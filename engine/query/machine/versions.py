"""Installed versions of what the product stands on."""

from importlib import metadata

_PACKAGES = (
    "torch",
    "torchvision",
    "numpy",
    "msgspec",
    "PySide6-Essentials",
    "pyqtgraph",
    "safetensors",
    "scikit-learn",
    "torchmetrics",
)


def package_versions() -> dict[str, str]:
    """Return the installed versions of what the product stands on (empty: not installed)."""
    versions: dict[str, str] = {}
    for package in _PACKAGES:
        try:
            versions[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            versions[package] = ""
    return versions
