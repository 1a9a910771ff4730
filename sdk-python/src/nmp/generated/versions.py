# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, Literal, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    ChangeVersion,
    ChangeVersionAnswer,
    CopyVersion,
    CopyVersionAnswer,
    CreateVersion,
    CreateVersionAnswer,
    DeleteVersionAnswer,
    DerivedDatasetVersion,
    GetDerivedVersionAnswer,
    ListVersionFilesAnswer,
    ListVersionsAnswer,
    PreviewVersion,
    PreviewVersionAnswer,
    VersionFile,
)

_LIST_VERSIONS = Operation("listVersions", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions", query=("project_slug", "status", "source", "q", "limit", "cursor",), paging="cursor", repeatable=True)
_CREATE_VERSION = Operation("createVersion", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions", headers=("idempotency-key",), takes_key=True)
_PREVIEW_VERSION = Operation("previewVersion", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/preview", repeatable=True)
_GET_DERIVED_VERSION = Operation("getDerivedVersion", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}", repeatable=True)
_CHANGE_VERSION = Operation("changeVersion", "PATCH", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}")
_DELETE_VERSION = Operation("deleteVersion", "DELETE", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}", repeatable=True)
_LIST_VERSION_FILES = Operation("listVersionFiles", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/files", query=("limit", "cursor",), paging="cursor", repeatable=True)
_COPY_VERSION = Operation("copyVersion", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/copy", headers=("idempotency-key",), takes_key=True)


class Versions:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def list_versions(self, *, org_slug: str, project_slug: str | None = None, status: Literal["materialization_required", "materializing", "materialized", "failed"] | None = None, source: str | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> ListVersionsAnswer:
        """List derived dataset versions, newest first. From the projects you have a role in. Index lists of over 1,000 entries are null here; `recipe_counts` has its length and `getDerivedVersion` the whole. (session, or token with workspace:read)"""
        return cast("ListVersionsAnswer", self._driver.run(_LIST_VERSIONS.call({"org_slug": org_slug, "project_slug": project_slug, "status": status, "source": source, "q": q, "limit": limit, "cursor": cursor})))

    def iterate_versions(self, *, org_slug: str, project_slug: str | None = None, status: Literal["materialization_required", "materializing", "materialized", "failed"] | None = None, source: str | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[DerivedDatasetVersion]:
        """Every item of every page of `list_versions`."""
        return cast("Iterator[DerivedDatasetVersion]", paging.iterate(self._driver, _LIST_VERSIONS, {"org_slug": org_slug, "project_slug": project_slug, "status": status, "source": source, "q": q, "limit": limit, "cursor": cursor}))

    def create_version(self, *, org_slug: str, body: CreateVersion, idempotency_key: str | None = None) -> CreateVersionAnswer:
        """Create a version of a dataset from a recipe. Pins the source to its current revision and stores the recipe; nothing is computed until an export is queued. Posting a slug again makes its next version. Without `project_slug` the version goes to the source’s project if you may write there, else to `default`. A token also needs `workspace:read` if the source is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same version: 200 with `Idempotency-Replayed: true` instead of 201. (session, or token with versions:write)"""
        return cast("CreateVersionAnswer", self._driver.run(_CREATE_VERSION.call({"org_slug": org_slug, "idempotency-key": idempotency_key}, body)))

    def preview_version(self, *, org_slug: str, body: PreviewVersion) -> PreviewVersionAnswer:
        """Show what a recipe would give, without writing anything. Episodes, frames, tasks, an estimate of the size, statistics of the result (each says whether it is exact), what is copied, what is encoded again and why, and one frame and one episode’s actions before and after. (session, or token with workspace:read)"""
        return cast("PreviewVersionAnswer", self._driver.run(_PREVIEW_VERSION.call({"org_slug": org_slug}, body)))

    def get_derived_version(self, *, org_slug: str, version_id: str) -> GetDerivedVersionAnswer:
        """Get a derived dataset version. The full record with its recipe, artifacts and provenance. (session, or token with workspace:read)"""
        return cast("GetDerivedVersionAnswer", self._driver.run(_GET_DERIVED_VERSION.call({"org_slug": org_slug, "version_id": version_id})))

    def change_version(self, *, org_slug: str, version_id: str, body: ChangeVersion) -> ChangeVersionAnswer:
        """Edit the details of a version, or publish or withdraw it. Source and recipe never change. `visibility` needs a session, the role admin of the project, and read access to the source. `public` puts the version in the catalog under its id, even if its source is private: everyone can then see its episodes, its recipe, and the names of its source and of the versions in between. Its export is queued if it has no files yet. `private` removes it at once and ends public links to its media. (session, or token with versions:write)"""
        return cast("ChangeVersionAnswer", self._driver.run(_CHANGE_VERSION.call({"org_slug": org_slug, "version_id": version_id}, body)))

    def delete_version(self, *, org_slug: str, version_id: str) -> DeleteVersionAnswer:
        """Delete a version and its exports. Exports under way are canceled. The source dataset is not touched; the version number is not used again. A version that others in the organization are derived from is a 409 until those are deleted. (session, or token with versions:write)"""
        return cast("DeleteVersionAnswer", self._driver.run(_DELETE_VERSION.call({"org_slug": org_slug, "version_id": version_id})))

    def list_version_files(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> ListVersionFilesAnswer:
        """List the files of a materialized version with signed URLs. The same files as in the tar, by path. Each URL is valid for 15 minutes and supports Range requests. (session, or token with workspace:read)"""
        return cast("ListVersionFilesAnswer", self._driver.run(_LIST_VERSION_FILES.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor})))

    def iterate_version_files(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> Iterator[VersionFile]:
        """Every item of every page of `list_version_files`."""
        return cast("Iterator[VersionFile]", paging.iterate(self._driver, _LIST_VERSION_FILES, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor}))

    def copy_version(self, *, org_slug: str, version_id: str, body: CopyVersion, idempotency_key: str | None = None) -> CopyVersionAnswer:
        """Copy a version into a project as a dataset. Needs read access to the version and write access to the target project: `project_slug` of `org_slug`, by default the version’s own. Queues an import of the kind `version`; if the version has no files yet, its export is queued and the import waits for it. The result is an independent dataset that needs neither the version nor its source, with the version’s card, splits, flags and annotation sets, and its name as title unless you give one. `copied_from` of the import says where it came from. A token also needs `workspace:read` if the version is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same import: 200 with `Idempotency-Replayed: true` instead of 202. (session, or token with imports:write)"""
        return cast("CopyVersionAnswer", self._driver.run(_COPY_VERSION.call({"org_slug": org_slug, "version_id": version_id, "idempotency-key": idempotency_key}, body)))


class AsyncVersions:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def list_versions(self, *, org_slug: str, project_slug: str | None = None, status: Literal["materialization_required", "materializing", "materialized", "failed"] | None = None, source: str | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> ListVersionsAnswer:
        """List derived dataset versions, newest first. From the projects you have a role in. Index lists of over 1,000 entries are null here; `recipe_counts` has its length and `getDerivedVersion` the whole. (session, or token with workspace:read)"""
        return cast("ListVersionsAnswer", await self._driver.run(_LIST_VERSIONS.call({"org_slug": org_slug, "project_slug": project_slug, "status": status, "source": source, "q": q, "limit": limit, "cursor": cursor})))

    def iterate_versions(self, *, org_slug: str, project_slug: str | None = None, status: Literal["materialization_required", "materializing", "materialized", "failed"] | None = None, source: str | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[DerivedDatasetVersion]:
        """Every item of every page of `list_versions`."""
        return cast("AsyncIterator[DerivedDatasetVersion]", paging.iterate_async(self._driver, _LIST_VERSIONS, {"org_slug": org_slug, "project_slug": project_slug, "status": status, "source": source, "q": q, "limit": limit, "cursor": cursor}))

    async def create_version(self, *, org_slug: str, body: CreateVersion, idempotency_key: str | None = None) -> CreateVersionAnswer:
        """Create a version of a dataset from a recipe. Pins the source to its current revision and stores the recipe; nothing is computed until an export is queued. Posting a slug again makes its next version. Without `project_slug` the version goes to the source’s project if you may write there, else to `default`. A token also needs `workspace:read` if the source is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same version: 200 with `Idempotency-Replayed: true` instead of 201. (session, or token with versions:write)"""
        return cast("CreateVersionAnswer", await self._driver.run(_CREATE_VERSION.call({"org_slug": org_slug, "idempotency-key": idempotency_key}, body)))

    async def preview_version(self, *, org_slug: str, body: PreviewVersion) -> PreviewVersionAnswer:
        """Show what a recipe would give, without writing anything. Episodes, frames, tasks, an estimate of the size, statistics of the result (each says whether it is exact), what is copied, what is encoded again and why, and one frame and one episode’s actions before and after. (session, or token with workspace:read)"""
        return cast("PreviewVersionAnswer", await self._driver.run(_PREVIEW_VERSION.call({"org_slug": org_slug}, body)))

    async def get_derived_version(self, *, org_slug: str, version_id: str) -> GetDerivedVersionAnswer:
        """Get a derived dataset version. The full record with its recipe, artifacts and provenance. (session, or token with workspace:read)"""
        return cast("GetDerivedVersionAnswer", await self._driver.run(_GET_DERIVED_VERSION.call({"org_slug": org_slug, "version_id": version_id})))

    async def change_version(self, *, org_slug: str, version_id: str, body: ChangeVersion) -> ChangeVersionAnswer:
        """Edit the details of a version, or publish or withdraw it. Source and recipe never change. `visibility` needs a session, the role admin of the project, and read access to the source. `public` puts the version in the catalog under its id, even if its source is private: everyone can then see its episodes, its recipe, and the names of its source and of the versions in between. Its export is queued if it has no files yet. `private` removes it at once and ends public links to its media. (session, or token with versions:write)"""
        return cast("ChangeVersionAnswer", await self._driver.run(_CHANGE_VERSION.call({"org_slug": org_slug, "version_id": version_id}, body)))

    async def delete_version(self, *, org_slug: str, version_id: str) -> DeleteVersionAnswer:
        """Delete a version and its exports. Exports under way are canceled. The source dataset is not touched; the version number is not used again. A version that others in the organization are derived from is a 409 until those are deleted. (session, or token with versions:write)"""
        return cast("DeleteVersionAnswer", await self._driver.run(_DELETE_VERSION.call({"org_slug": org_slug, "version_id": version_id})))

    async def list_version_files(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> ListVersionFilesAnswer:
        """List the files of a materialized version with signed URLs. The same files as in the tar, by path. Each URL is valid for 15 minutes and supports Range requests. (session, or token with workspace:read)"""
        return cast("ListVersionFilesAnswer", await self._driver.run(_LIST_VERSION_FILES.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor})))

    def iterate_version_files(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[VersionFile]:
        """Every item of every page of `list_version_files`."""
        return cast("AsyncIterator[VersionFile]", paging.iterate_async(self._driver, _LIST_VERSION_FILES, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor}))

    async def copy_version(self, *, org_slug: str, version_id: str, body: CopyVersion, idempotency_key: str | None = None) -> CopyVersionAnswer:
        """Copy a version into a project as a dataset. Needs read access to the version and write access to the target project: `project_slug` of `org_slug`, by default the version’s own. Queues an import of the kind `version`; if the version has no files yet, its export is queued and the import waits for it. The result is an independent dataset that needs neither the version nor its source, with the version’s card, splits, flags and annotation sets, and its name as title unless you give one. `copied_from` of the import says where it came from. A token also needs `workspace:read` if the version is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same import: 200 with `Idempotency-Replayed: true` instead of 202. (session, or token with imports:write)"""
        return cast("CopyVersionAnswer", await self._driver.run(_COPY_VERSION.call({"org_slug": org_slug, "version_id": version_id, "idempotency-key": idempotency_key}, body)))
