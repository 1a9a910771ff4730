# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import Literal, cast

import httpx

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .records import (
    GetConsoleConfigAnswer,
    GetHealthAnswer,
    GetReadinessAnswer,
    GetStatusAnswer,
    GetStatusDetailsAnswer,
    GetVersionAnswer,
)

_GET_VERSION = Operation("getVersion", "GET", "/api/v1/version", repeatable=True)
_GET_CONSOLE_CONFIG = Operation("getConsoleConfig", "GET", "/api/v1/console-config", repeatable=True)
_GET_HEALTH = Operation("getHealth", "GET", "/healthz", repeatable=True)
_GET_READINESS = Operation("getReadiness", "GET", "/readyz", query=("for",), repeatable=True)
_GET_METRICS = Operation("getMetrics", "GET", "/metrics", answers_bytes=True, repeatable=True)
_GET_STATUS = Operation("getStatus", "GET", "/api/v1/status", repeatable=True)
_GET_STATUS_DETAILS = Operation("getStatusDetails", "GET", "/api/v1/status/details", repeatable=True)


class Platform:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def get_version(self) -> GetVersionAnswer:
        """Get the version of the program. Name, version, channel and commit of the running program. Needs no credential. (no credential needed)"""
        return cast("GetVersionAnswer", self._driver.run(_GET_VERSION.call({})))

    def get_console_config(self) -> GetConsoleConfigAnswer:
        """Get what a browser needs to sign in. The OpenID Connect issuer, client and audience that the console signs in with. Needs no credential. (no credential needed)"""
        return cast("GetConsoleConfigAnswer", self._driver.run(_GET_CONSOLE_CONFIG.call({})))

    def get_health(self) -> GetHealthAnswer:
        """Check that the process is alive. For liveness probes: answers as long as the process runs. (no credential needed)"""
        return cast("GetHealthAnswer", self._driver.run(_GET_HEALTH.call({})))

    def get_readiness(self, *, for_: Literal["writes"] | None = None) -> GetReadinessAnswer:
        """Check that the database and the object storage answer. For readiness probes: 503 names the part that does not answer. Where the disk is full the status is `read_only`: 200, since reading goes on, and 503 for who asks `?for=writes`. (no credential needed)"""
        return cast("GetReadinessAnswer", self._driver.run(_GET_READINESS.call({"for": for_})))

    def get_metrics(self) -> httpx.Response:
        """Counters for Prometheus. Counters and gauges in the Prometheus text format. Those of a worker that runs beside the API have the label `process`. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_METRICS.call({})))

    def get_status(self) -> GetStatusAnswer:
        """Get how it stands with the platform. Whether workers run, what waits for them, and what the background check of stored contents has found: counts and times, no names. Needs no credential. (no credential needed)"""
        return cast("GetStatusAnswer", self._driver.run(_GET_STATUS.call({})))

    def get_status_details(self) -> GetStatusDetailsAnswer:
        """Get what an operator needs to know. Workers by name, the database, the disk, and every damaged content with what needs it. For the first account, `admin@localhost`, alone. (session only)"""
        return cast("GetStatusDetailsAnswer", self._driver.run(_GET_STATUS_DETAILS.call({})))


class AsyncPlatform:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def get_version(self) -> GetVersionAnswer:
        """Get the version of the program. Name, version, channel and commit of the running program. Needs no credential. (no credential needed)"""
        return cast("GetVersionAnswer", await self._driver.run(_GET_VERSION.call({})))

    async def get_console_config(self) -> GetConsoleConfigAnswer:
        """Get what a browser needs to sign in. The OpenID Connect issuer, client and audience that the console signs in with. Needs no credential. (no credential needed)"""
        return cast("GetConsoleConfigAnswer", await self._driver.run(_GET_CONSOLE_CONFIG.call({})))

    async def get_health(self) -> GetHealthAnswer:
        """Check that the process is alive. For liveness probes: answers as long as the process runs. (no credential needed)"""
        return cast("GetHealthAnswer", await self._driver.run(_GET_HEALTH.call({})))

    async def get_readiness(self, *, for_: Literal["writes"] | None = None) -> GetReadinessAnswer:
        """Check that the database and the object storage answer. For readiness probes: 503 names the part that does not answer. Where the disk is full the status is `read_only`: 200, since reading goes on, and 503 for who asks `?for=writes`. (no credential needed)"""
        return cast("GetReadinessAnswer", await self._driver.run(_GET_READINESS.call({"for": for_})))

    async def get_metrics(self) -> httpx.Response:
        """Counters for Prometheus. Counters and gauges in the Prometheus text format. Those of a worker that runs beside the API have the label `process`. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_METRICS.call({})))

    async def get_status(self) -> GetStatusAnswer:
        """Get how it stands with the platform. Whether workers run, what waits for them, and what the background check of stored contents has found: counts and times, no names. Needs no credential. (no credential needed)"""
        return cast("GetStatusAnswer", await self._driver.run(_GET_STATUS.call({})))

    async def get_status_details(self) -> GetStatusDetailsAnswer:
        """Get what an operator needs to know. Workers by name, the database, the disk, and every damaged content with what needs it. For the first account, `admin@localhost`, alone. (session only)"""
        return cast("GetStatusDetailsAnswer", await self._driver.run(_GET_STATUS_DETAILS.call({})))
