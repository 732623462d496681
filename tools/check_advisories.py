"""Compare the packages of this project with known advisories, without a network.

    python tools/check_advisories.py

Every direct dependency has one pin; no pin, no lowest version that ``pyproject.toml`` admits and no
installed package is one that ``.ci/advisories.toml`` names. Ends with 1 where that is not so.
"""

import sys
import tomllib
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parents[1]


class Advisory(NamedTuple):
    """What is known against some versions of a package."""

    package: str
    id: str
    affected: SpecifierSet
    what: str


def read_advisories(file: Path = ROOT / ".ci" / "advisories.toml") -> tuple[Advisory, ...]:
    """Return the known advisories. Raises ``ValueError`` for a file that cannot be understood."""
    document = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(
        Advisory(
            package=canonicalize_name(entry["package"]),
            id=entry["id"],
            affected=SpecifierSet(entry["affected"], prereleases=True),
            what=entry["what"],
        )
        for entry in document["advisory"]
    )


def problems(
    project: dict[str, Any], installed: dict[str, str], advisories: tuple[Advisory, ...]
) -> Iterator[str]:
    """Yield what is wrong, a sentence each. ``project`` is the content of ``pyproject.toml``,
    ``installed`` are versions by canonical name.
    """
    pins = dict(_pins(project))
    for wanted in _dependencies(project):
        name = canonicalize_name(wanted.name)
        pin = pins.get(name)
        if pin is None:
            yield f"{wanted.name} has no pin in constraint-dependencies"
        elif not wanted.specifier.contains(pin, prereleases=True):
            yield f"the pin {wanted.name}=={pin} is outside of {wanted}"
        for bound in wanted.specifier:
            if bound.operator in (">=", "=="):
                yield from _known(name, Version(bound.version), "the lowest version of", advisories)
    for name, version in pins.items():
        yield from _known(name, version, "the pin of", advisories)
    for name, text in installed.items():
        yield from _known(name, Version(text), "the installed", advisories)


def _known(
    name: str, version: Version, which: str, advisories: tuple[Advisory, ...]
) -> Iterator[str]:
    for advisory in advisories:
        if advisory.package == name and advisory.affected.contains(version):
            yield f"{which} {name} {version}: {advisory.id}, {advisory.what}"


def _dependencies(project: dict[str, Any]) -> Iterator[Requirement]:
    """Yield what the project and its groups ask for."""
    of_extras = project["project"].get("optional-dependencies", {})
    groups = {**project.get("dependency-groups", {}), **of_extras}
    for texts in (project["project"]["dependencies"], *groups.values()):
        yield from (Requirement(text) for text in texts if isinstance(text, str))


def _pins(project: dict[str, Any]) -> Iterator[tuple[str, Version]]:
    for text in project["tool"]["uv"]["constraint-dependencies"]:
        pin = Requirement(text)
        exact = [Version(part.version) for part in pin.specifier if part.operator == "=="]
        if len(exact) == 1:
            yield canonicalize_name(pin.name), exact[0]


def main() -> int:
    """Print what is wrong and return the exit code."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    installed = {
        canonicalize_name(found.metadata["Name"]): found.version
        for found in metadata.distributions()
    }
    found = sorted(set(problems(project, installed, read_advisories())))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
