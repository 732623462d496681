"""Version of the data of a specification: settings, and what the files contain."""

from engine.data.source.fingerprint import content_digest
from engine.data.source.registry import load_source
from engine.spec.choice import NO_CODE, Code
from engine.spec.data_version import DataVersion, version_of
from engine.spec.run import DataSpec


def data_version(spec: DataSpec, code: Code = NO_CODE) -> DataVersion:
    """Return the version of data; ``code`` is the user's own, for data of a class of theirs. Raises
    ``DiagnosticError`` where the source cannot be loaded.
    """
    files = content_digest(spec.source, load_source(spec.source, code), code)
    return version_of(spec, files, code)
