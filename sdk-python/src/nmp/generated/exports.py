# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    CancelExportJobAnswer,
    DerivedDatasetExportJob,
    GetArtifactDownloadUrlAnswer,
    GetExportJobAnswer,
    ListExportJobsAnswer,
    QueueExport,
    QueueExportAnswer,
    RetryExportJobAnswer,
)

_QUEUE_EXPORT = Operation("queueExport", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs", repeatable=True)
_LIST_EXPORT_JOBS = Operation("listExportJobs", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs", query=("limit", "cursor",), paging="cursor", repeatable=True)
_GET_EXPORT_JOB = Operation("getExportJob", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs/{job_id}", repeatable=True)
_CANCEL_EXPORT_JOB = Operation("cancelExportJob", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs/{job_id}/cancel", repeatable=True)
_RETRY_EXPORT_JOB = Operation("retryExportJob", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-jobs/{job_id}/retry")
_GET_ARTIFACT_DOWNLOAD_URL = Operation("getArtifactDownloadUrl", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/artifacts/{artifact_key}/download-url", repeatable=True)


class Exports:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def queue_export(self, *, org_slug: str, version_id: str, body: QueueExport) -> QueueExportAnswer:
        """Materialize artifacts of a version. Queues a job per artifact. An artifact that is queued, running or ready keeps its job, which is returned; a key sent twice makes one job. Other targets than `lerobot` are made from its files, so that one is queued too where it is not made. A target that is ready is made anew if its options differ; while it is being made, that is a 409. (session, or token with exports:write)"""
        return cast("QueueExportAnswer", self._driver.run(_QUEUE_EXPORT.call({"org_slug": org_slug, "version_id": version_id}, body)))

    def list_export_jobs(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> ListExportJobsAnswer:
        """List the export jobs of a version, newest first. Every attempt to export the version. (session, or token with workspace:read)"""
        return cast("ListExportJobsAnswer", self._driver.run(_LIST_EXPORT_JOBS.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor})))

    def iterate_export_jobs(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> Iterator[DerivedDatasetExportJob]:
        """Every item of every page of `list_export_jobs`."""
        return cast("Iterator[DerivedDatasetExportJob]", paging.iterate(self._driver, _LIST_EXPORT_JOBS, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor}))

    def get_export_job(self, *, org_slug: str, version_id: str, job_id: str) -> GetExportJobAnswer:
        """Get an export job. Status, progress, checksum and, if it failed, the reason. (session, or token with workspace:read)"""
        return cast("GetExportJobAnswer", self._driver.run(_GET_EXPORT_JOB.call({"org_slug": org_slug, "version_id": version_id, "job_id": job_id})))

    def cancel_export_job(self, *, org_slug: str, version_id: str, job_id: str) -> CancelExportJobAnswer:
        """Cancel an export job. A queued job is canceled at once. A running one keeps its status until its worker has stopped; after this answer it can no longer succeed. The artifact goes back to `planned`. Canceling twice returns the same record. (session, or token with exports:write)"""
        return cast("CancelExportJobAnswer", self._driver.run(_CANCEL_EXPORT_JOB.call({"org_slug": org_slug, "version_id": version_id, "job_id": job_id})))

    def retry_export_job(self, *, org_slug: str, version_id: str, job_id: str) -> RetryExportJobAnswer:
        """Run a failed or canceled export again. Queues a new job for the same artifact; the old one stays as it is. (session, or token with exports:write)"""
        return cast("RetryExportJobAnswer", self._driver.run(_RETRY_EXPORT_JOB.call({"org_slug": org_slug, "version_id": version_id, "job_id": job_id})))

    def get_artifact_download_url(self, *, org_slug: str, version_id: str, artifact_key: str) -> GetArtifactDownloadUrlAnswer:
        """Get a signed URL of an artifact. Valid for 15 minutes, needs no header, and supports Range requests, so downloads can be resumed. (session, or token with workspace:read)"""
        return cast("GetArtifactDownloadUrlAnswer", self._driver.run(_GET_ARTIFACT_DOWNLOAD_URL.call({"org_slug": org_slug, "version_id": version_id, "artifact_key": artifact_key})))


class AsyncExports:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def queue_export(self, *, org_slug: str, version_id: str, body: QueueExport) -> QueueExportAnswer:
        """Materialize artifacts of a version. Queues a job per artifact. An artifact that is queued, running or ready keeps its job, which is returned; a key sent twice makes one job. Other targets than `lerobot` are made from its files, so that one is queued too where it is not made. A target that is ready is made anew if its options differ; while it is being made, that is a 409. (session, or token with exports:write)"""
        return cast("QueueExportAnswer", await self._driver.run(_QUEUE_EXPORT.call({"org_slug": org_slug, "version_id": version_id}, body)))

    async def list_export_jobs(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> ListExportJobsAnswer:
        """List the export jobs of a version, newest first. Every attempt to export the version. (session, or token with workspace:read)"""
        return cast("ListExportJobsAnswer", await self._driver.run(_LIST_EXPORT_JOBS.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor})))

    def iterate_export_jobs(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[DerivedDatasetExportJob]:
        """Every item of every page of `list_export_jobs`."""
        return cast("AsyncIterator[DerivedDatasetExportJob]", paging.iterate_async(self._driver, _LIST_EXPORT_JOBS, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor}))

    async def get_export_job(self, *, org_slug: str, version_id: str, job_id: str) -> GetExportJobAnswer:
        """Get an export job. Status, progress, checksum and, if it failed, the reason. (session, or token with workspace:read)"""
        return cast("GetExportJobAnswer", await self._driver.run(_GET_EXPORT_JOB.call({"org_slug": org_slug, "version_id": version_id, "job_id": job_id})))

    async def cancel_export_job(self, *, org_slug: str, version_id: str, job_id: str) -> CancelExportJobAnswer:
        """Cancel an export job. A queued job is canceled at once. A running one keeps its status until its worker has stopped; after this answer it can no longer succeed. The artifact goes back to `planned`. Canceling twice returns the same record. (session, or token with exports:write)"""
        return cast("CancelExportJobAnswer", await self._driver.run(_CANCEL_EXPORT_JOB.call({"org_slug": org_slug, "version_id": version_id, "job_id": job_id})))

    async def retry_export_job(self, *, org_slug: str, version_id: str, job_id: str) -> RetryExportJobAnswer:
        """Run a failed or canceled export again. Queues a new job for the same artifact; the old one stays as it is. (session, or token with exports:write)"""
        return cast("RetryExportJobAnswer", await self._driver.run(_RETRY_EXPORT_JOB.call({"org_slug": org_slug, "version_id": version_id, "job_id": job_id})))

    async def get_artifact_download_url(self, *, org_slug: str, version_id: str, artifact_key: str) -> GetArtifactDownloadUrlAnswer:
        """Get a signed URL of an artifact. Valid for 15 minutes, needs no header, and supports Range requests, so downloads can be resumed. (session, or token with workspace:read)"""
        return cast("GetArtifactDownloadUrlAnswer", await self._driver.run(_GET_ARTIFACT_DOWNLOAD_URL.call({"org_slug": org_slug, "version_id": version_id, "artifact_key": artifact_key})))
