"""Version of the data of a specification: settings, and what the files contain."""

from engine.data.source.fingerprint import content_digest
from engine.data.source.registry import load_source
from engine.spec.data_version import DataVersion, version_of
from engine.spec.run import DataSpec


def data_version(spec: DataSpec) -> DataVersion:
    """Return the version of data. Raises ``DiagnosticError`` where the source cannot be loaded."""
    return version_of(spec, content_digest(spec.source, load_source(spec.source)))
