# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    ListNotificationsAnswer,
    MarkNotificationsReadAnswer,
    MarkNotificationsReadBody,
    Notification,
)

_LIST_NOTIFICATIONS = Operation("listNotifications", "GET", "/api/v1/users/me/notifications", query=("limit", "cursor", "unread",), paging="cursor", repeatable=True)
_MARK_NOTIFICATIONS_READ = Operation("markNotificationsRead", "POST", "/api/v1/users/me/notifications/read", repeatable=True)


class Notifications:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def list_notifications(self, *, limit: int | None = None, cursor: str | None = None, unread: bool | None = None) -> ListNotificationsAnswer:
        """List your notifications, newest first. Kept for 90 days. The profile sets which kinds are listed here and which are mailed. Those of an organization that requires two-step sign-in are neither listed nor counted for sessions and tokens without it. (session, or token with workspace:read)"""
        return cast("ListNotificationsAnswer", self._driver.run(_LIST_NOTIFICATIONS.call({"limit": limit, "cursor": cursor, "unread": unread})))

    def iterate_notifications(self, *, limit: int | None = None, cursor: str | None = None, unread: bool | None = None) -> Iterator[Notification]:
        """Every item of every page of `list_notifications`."""
        return cast("Iterator[Notification]", paging.iterate(self._driver, _LIST_NOTIFICATIONS, {"limit": limit, "cursor": cursor, "unread": unread}))

    def mark_notifications_read(self, *, body: MarkNotificationsReadBody) -> MarkNotificationsReadAnswer:
        """Mark notifications as read: the given ones, or all. Without ids, all that are listed for you are marked. (session only)"""
        return cast("MarkNotificationsReadAnswer", self._driver.run(_MARK_NOTIFICATIONS_READ.call({}, body)))


class AsyncNotifications:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def list_notifications(self, *, limit: int | None = None, cursor: str | None = None, unread: bool | None = None) -> ListNotificationsAnswer:
        """List your notifications, newest first. Kept for 90 days. The profile sets which kinds are listed here and which are mailed. Those of an organization that requires two-step sign-in are neither listed nor counted for sessions and tokens without it. (session, or token with workspace:read)"""
        return cast("ListNotificationsAnswer", await self._driver.run(_LIST_NOTIFICATIONS.call({"limit": limit, "cursor": cursor, "unread": unread})))

    def iterate_notifications(self, *, limit: int | None = None, cursor: str | None = None, unread: bool | None = None) -> AsyncIterator[Notification]:
        """Every item of every page of `list_notifications`."""
        return cast("AsyncIterator[Notification]", paging.iterate_async(self._driver, _LIST_NOTIFICATIONS, {"limit": limit, "cursor": cursor, "unread": unread}))

    async def mark_notifications_read(self, *, body: MarkNotificationsReadBody) -> MarkNotificationsReadAnswer:
        """Mark notifications as read: the given ones, or all. Without ids, all that are listed for you are marked. (session only)"""
        return cast("MarkNotificationsReadAnswer", await self._driver.run(_MARK_NOTIFICATIONS_READ.call({}, body)))
