# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import cast

import httpx

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation

_STREAM_EVENTS = Operation("streamEvents", "GET", "/api/v1/events", query=("org_slug", "project_slug", "last_event_id", "seconds",), answers_bytes=True, repeatable=True)


class Events:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def stream_events(self, *, org_slug: str | None = None, project_slug: str | None = None, last_event_id: str | None = None, seconds: int | None = None) -> httpx.Response:
        """Follow imports, exports, checks, reviews and your notifications as they change. Server-sent events (`text/event-stream`). `ready` comes first, with `unread_count`; then `import`, `export` and `review` with the whole record each time it changes (of a review without its episodes and verdicts); `check` with where a run of the checks stands (`id`, `org_slug`, `project_slug`, `dataset_id` of the dataset or version, `revision_id`, `parts`, `status`, `done` of `total` episodes, `message`); and `notification`. `reset` means that too much was missed: reload your lists. A comment is sent every 15 s. A stream ends after 10 minutes at most; reconnect with `Last-Event-ID`, as browsers do, and what changed in the meantime is sent first. A record may come twice but is never outdated. (session, or token with workspace:read)"""
        return cast("httpx.Response", self._driver.run(_STREAM_EVENTS.call({"org_slug": org_slug, "project_slug": project_slug, "last_event_id": last_event_id, "seconds": seconds})))


class AsyncEvents:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def stream_events(self, *, org_slug: str | None = None, project_slug: str | None = None, last_event_id: str | None = None, seconds: int | None = None) -> httpx.Response:
        """Follow imports, exports, checks, reviews and your notifications as they change. Server-sent events (`text/event-stream`). `ready` comes first, with `unread_count`; then `import`, `export` and `review` with the whole record each time it changes (of a review without its episodes and verdicts); `check` with where a run of the checks stands (`id`, `org_slug`, `project_slug`, `dataset_id` of the dataset or version, `revision_id`, `parts`, `status`, `done` of `total` episodes, `message`); and `notification`. `reset` means that too much was missed: reload your lists. A comment is sent every 15 s. A stream ends after 10 minutes at most; reconnect with `Last-Event-ID`, as browsers do, and what changed in the meantime is sent first. A record may come twice but is never outdated. (session, or token with workspace:read)"""
        return cast("httpx.Response", await self._driver.run(_STREAM_EVENTS.call({"org_slug": org_slug, "project_slug": project_slug, "last_event_id": last_event_id, "seconds": seconds})))
