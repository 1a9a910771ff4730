# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import cast

import httpx

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .records import (
    GetConsoleConfigAnswer,
    GetHealthAnswer,
    GetReadinessAnswer,
    GetVersionAnswer,
)

_GET_VERSION = Operation("getVersion", "GET", "/api/v1/version", repeatable=True)
_GET_CONSOLE_CONFIG = Operation("getConsoleConfig", "GET", "/api/v1/console-config", repeatable=True)
_GET_HEALTH = Operation("getHealth", "GET", "/healthz", repeatable=True)
_GET_READINESS = Operation("getReadiness", "GET", "/readyz", repeatable=True)
_GET_METRICS = Operation("getMetrics", "GET", "/metrics", answers_bytes=True, repeatable=True)


class Platform:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def get_version(self) -> GetVersionAnswer:
        """What is running here. (no credential needed)"""
        return cast("GetVersionAnswer", self._driver.run(_GET_VERSION.call({})))

    def get_console_config(self) -> GetConsoleConfigAnswer:
        """How a browser signs in here. (no credential needed)"""
        return cast("GetConsoleConfigAnswer", self._driver.run(_GET_CONSOLE_CONFIG.call({})))

    def get_health(self) -> GetHealthAnswer:
        """Whether the process is alive. (no credential needed)"""
        return cast("GetHealthAnswer", self._driver.run(_GET_HEALTH.call({})))

    def get_readiness(self) -> GetReadinessAnswer:
        """Whether the process can serve: the database and the object storage answer. (no credential needed)"""
        return cast("GetReadinessAnswer", self._driver.run(_GET_READINESS.call({})))

    def get_metrics(self) -> httpx.Response:
        """Counters for Prometheus. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_METRICS.call({})))


class AsyncPlatform:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def get_version(self) -> GetVersionAnswer:
        """What is running here. (no credential needed)"""
        return cast("GetVersionAnswer", await self._driver.run(_GET_VERSION.call({})))

    async def get_console_config(self) -> GetConsoleConfigAnswer:
        """How a browser signs in here. (no credential needed)"""
        return cast("GetConsoleConfigAnswer", await self._driver.run(_GET_CONSOLE_CONFIG.call({})))

    async def get_health(self) -> GetHealthAnswer:
        """Whether the process is alive. (no credential needed)"""
        return cast("GetHealthAnswer", await self._driver.run(_GET_HEALTH.call({})))

    async def get_readiness(self) -> GetReadinessAnswer:
        """Whether the process can serve: the database and the object storage answer. (no credential needed)"""
        return cast("GetReadinessAnswer", await self._driver.run(_GET_READINESS.call({})))

    async def get_metrics(self) -> httpx.Response:
        """Counters for Prometheus. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_METRICS.call({})))
