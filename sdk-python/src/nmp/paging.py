from __future__ import annotations

from typing import Any, AsyncIterator, Iterator, Mapping

from .drivers import AsyncDriver, SyncDriver
from .operation import Operation

Values = Mapping[str, Any]


def _read(operation: Operation, values: Values, page: Any) -> tuple[list[Any], Values | None]:
    """The items of a page, and what to ask for next."""
    if operation.paging == "offset":
        items = page["item"]["items"]
        reached = page["item"]["offset"] + len(items)
        return items, {**values, "offset": reached} if items and reached < page["item"]["total"] else None
    cursor = page.get("next_cursor")
    return page["items"], {**values, "cursor": cursor} if cursor else None


def iterate(driver: SyncDriver, operation: Operation, values: Values) -> Iterator[Any]:
    rest: Values | None = values
    while rest is not None:
        items, rest = _read(operation, rest, driver.run(operation.call(rest)))
        yield from items


async def iterate_async(driver: AsyncDriver, operation: Operation, values: Values) -> AsyncIterator[Any]:
    rest: Values | None = values
    while rest is not None:
        items, rest = _read(operation, rest, await driver.run(operation.call(rest)))
        for item in items:
            yield item
