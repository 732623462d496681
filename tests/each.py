"""Cases that one test looks at one after the other, where most are looked at in a moment: as tests
of their own they take several times as long.
"""

from collections.abc import Callable, Iterable
from functools import wraps
from inspect import Signature, signature
from typing import Any


def for_each(
    names: str, cases: Iterable[Any], called: Callable[[Any], str] = str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Have a test look at all cases, as ``pytest.mark.parametrize`` has several tests look at one
    each. It goes on after a case that fails, and tells all that did. Fixtures are shared.
    """
    wanted = names.split(", ")
    given = [case if len(wanted) > 1 else (case,) for case in cases]
    assert given, "no cases"

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def look_at_all(**fixtures: Any) -> None:
            failures: list[Exception] = []
            for case in given:
                try:
                    test(**dict(zip(wanted, case, strict=True)), **fixtures)
                except Exception as error:
                    error.add_note(f"with {', '.join(map(called, case))}")
                    failures.append(error)
            if failures:
                raise ExceptionGroup(f"{len(failures)} of {len(given)} cases", failures)

        others = [each for each in signature(test).parameters.values() if each.name not in wanted]
        look_at_all.__signature__ = Signature(others)  # type: ignore[attr-defined]
        return look_at_all

    return decorate
