from __future__ import annotations

from types import TracebackType

import httpx

from .drivers import AsyncDriver, SyncDriver, TokenSource
from .generated.groups import AsyncGroups, Groups
from .groups import (
    AsyncChecks,
    AsyncDatasets,
    AsyncExports,
    AsyncImports,
    AsyncUploads,
    AsyncVersions,
    Checks,
    Datasets,
    Exports,
    Imports,
    Uploads,
    Versions,
)


class Client(Groups):
    """`client.<group>.<operation>(…)` returns the API's JSON unchanged. Safe calls are retried after failures."""

    imports: Imports
    exports: Exports
    versions: Versions
    datasets: Datasets

    def __init__(self, base_url: str, token: TokenSource = None, *, http: httpx.Client | None = None) -> None:
        self._driver = SyncDriver(base_url, token, http)
        super().__init__(self._driver)
        self.base_url = self._driver.base_url
        self.imports = Imports(self._driver)
        self.exports = Exports(self._driver)
        self.versions = Versions(self._driver)
        self.datasets = Datasets(self._driver)
        self.checks = Checks(self._driver)
        self.uploads = Uploads(self._driver)

    def close(self) -> None:
        self._driver.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()


class AsyncClient(AsyncGroups):
    """The same, awaited."""

    imports: AsyncImports
    exports: AsyncExports
    versions: AsyncVersions
    datasets: AsyncDatasets

    def __init__(self, base_url: str, token: TokenSource = None, *, http: httpx.AsyncClient | None = None) -> None:
        self._driver = AsyncDriver(base_url, token, http)
        super().__init__(self._driver)
        self.base_url = self._driver.base_url
        self.imports = AsyncImports(self._driver)
        self.exports = AsyncExports(self._driver)
        self.versions = AsyncVersions(self._driver)
        self.datasets = AsyncDatasets(self._driver)
        self.checks = AsyncChecks(self._driver)
        self.uploads = AsyncUploads(self._driver)

    async def close(self) -> None:
        await self._driver.close()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.close()
