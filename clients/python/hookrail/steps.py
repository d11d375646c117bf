"""Work that asks hooks in between, written once for the blocking and the asyncio client.

Such work is a generator: it yields a function to call and gets what the function returns, or what that comes to when it is
awaited.
"""

from __future__ import annotations

import inspect
from typing import Any, Callable, Generator, TypeVar

T = TypeVar("T")

Steps = Generator[Callable[[], Any], Any, T]


def run(steps: "Steps[T]") -> T:
    """Does the work, and waits for every step."""
    value: Any = None
    while True:
        try:
            step = steps.send(value)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        try:
            value = step()
        except BaseException as error:
            value = _Thrown(error)


async def run_async(steps: "Steps[T]") -> T:
    """Does the work, and awaits every step."""
    value: Any = None
    while True:
        try:
            step = steps.send(value)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        try:
            value = step()
            if inspect.isawaitable(value):
                value = await value
        except BaseException as error:
            value = _Thrown(error)


class _Thrown:
    """What a step raised, for work that looks at it."""

    def __init__(self, error: BaseException) -> None:
        self.error = error


def unwrap(value: Any) -> Any:
    """What a step returned; raises what it raised."""
    if isinstance(value, _Thrown):
        raise value.error
    return value
