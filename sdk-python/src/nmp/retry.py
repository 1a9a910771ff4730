from __future__ import annotations

import random
from typing import Callable, TypeVar

from .effects import Sleep, Steps
from .errors import ApiError, ConnectionFailed

T = TypeVar("T")

BASE_SECONDS = 0.25
LONGEST_SECONDS = 20.0
LONGEST_ASKED_SECONDS = 120.0
PASSING = (429, 502, 503, 504)
# A wrong address is told after two seconds; a service that was there may take longer to come back, as it does when it is replaced.
ATTEMPTS_OF_STRANGER = 5
ATTEMPTS_OF_KNOWN = 9


def back_off(attempt: int, error: BaseException | None = None) -> float:
    """Full jitter: anywhere between nothing and the doubled bound, and never before the server asked to be called again."""
    asked = error.retry_after_seconds if isinstance(error, ApiError) else None
    if asked is not None:
        return min(LONGEST_ASKED_SECONDS, asked) + random.random() * BASE_SECONDS
    bound: float = min(LONGEST_SECONDS, BASE_SECONDS * 2**attempt)
    return random.random() * bound


def is_passing(error: BaseException, repeatable: bool) -> bool:
    """Whether the same call may succeed later. A 429 was refused before anything was done, so any call may come again."""
    if isinstance(error, ApiError):
        return error.status == 429 or (repeatable and error.status in PASSING)
    return repeatable and isinstance(error, ConnectionFailed)


def count_attempts(error: BaseException) -> int:
    return ATTEMPTS_OF_STRANGER if isinstance(error, ConnectionFailed) and not error.was_there else ATTEMPTS_OF_KNOWN


def with_retries(attempt: Callable[[], Steps[T]], *, repeatable: bool) -> Steps[T]:
    count = 0
    while True:
        try:
            return (yield from attempt())
        except Exception as error:
            count += 1
            if count >= count_attempts(error) or not is_passing(error, repeatable):
                raise
            yield Sleep(back_off(count, error))
