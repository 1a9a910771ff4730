# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, Literal, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    CancelImportAnswer,
    CheckHuggingFace,
    CheckHuggingFaceAnswer,
    CreateImport,
    CreateImportAnswer,
    DismissImport,
    DismissImportAnswer,
    GetImportAnswer,
    GetImportPreviewUrlAnswer,
    GetImportReportAnswer,
    ListImportsAnswer,
    LookupImportAnswer,
    RetryImport,
    RetryImportAnswer,
    WorkspaceImportIdempotencyLookup,
    WorkspaceImportJob,
)

_CREATE_IMPORT = Operation("createImport", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports", headers=("idempotency-key",), takes_key=True)
_LIST_IMPORTS = Operation("listImports", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports", query=("status", "q", "limit", "cursor",), paging="cursor", repeatable=True)
_LOOKUP_IMPORT = Operation("lookupImport", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/lookup", repeatable=True)
_CHECK_HUGGING_FACE = Operation("checkHuggingFace", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/check", repeatable=True)
_GET_IMPORT = Operation("getImport", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}", repeatable=True)
_CANCEL_IMPORT = Operation("cancelImport", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/cancel", repeatable=True)
_DISMISS_IMPORT = Operation("dismissImport", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/dismiss")
_RETRY_IMPORT = Operation("retryImport", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/retry")
_GET_IMPORT_REPORT = Operation("getImportReport", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/report", repeatable=True)
_GET_IMPORT_PREVIEW_URL = Operation("getImportPreviewUrl", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/imports/{job_id}/previews/{name}", repeatable=True)


class Imports:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def create_import(self, *, org_slug: str, project_slug: str, body: CreateImport, idempotency_key: str | None = None) -> CreateImportAnswer:
        """Import a dataset. Queues a job that brings data into the project: from Hugging Face (`hf_repo_id`), from finished uploads (`upload_ids`) or from an https address (`source_uri`). On success the dataset `dataset_slug` is created, or gets a new revision. With an idempotency key (body field or `Idempotency-Key` header) the same request returns the same job: 200 with `Idempotency-Replayed: true` instead of 201. (session, or token with imports:write)"""
        return cast("CreateImportAnswer", self._driver.run(_CREATE_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "idempotency-key": idempotency_key}, body)))

    def list_imports(self, *, org_slug: str, project_slug: str, status: Literal["queued", "running", "succeeded", "failed", "canceled"] | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> ListImportsAnswer:
        """List the imports of a project, newest first. Lists inside an HDF5 summary are cut to 20 entries here; `getImport` returns them in full. (session, or token with workspace:read)"""
        return cast("ListImportsAnswer", self._driver.run(_LIST_IMPORTS.call({"org_slug": org_slug, "project_slug": project_slug, "status": status, "q": q, "limit": limit, "cursor": cursor})))

    def iterate_imports(self, *, org_slug: str, project_slug: str, status: Literal["queued", "running", "succeeded", "failed", "canceled"] | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[WorkspaceImportJob]:
        """Every item of every page of `list_imports`."""
        return cast("Iterator[WorkspaceImportJob]", paging.iterate(self._driver, _LIST_IMPORTS, {"org_slug": org_slug, "project_slug": project_slug, "status": status, "q": q, "limit": limit, "cursor": cursor}))

    def lookup_import(self, *, org_slug: str, project_slug: str, body: WorkspaceImportIdempotencyLookup) -> LookupImportAnswer:
        """Find an import by its idempotency key. Changes nothing. A fingerprint that differs from the stored one is a 409. (session, or token with workspace:read)"""
        return cast("LookupImportAnswer", self._driver.run(_LOOKUP_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug}, body)))

    def check_hugging_face(self, *, org_slug: str, project_slug: str, body: CheckHuggingFace) -> CheckHuggingFaceAnswer:
        """Look at a Hugging Face repository before importing it. Nothing is stored. `sentence` says whether it can be imported, and if not, what to do. (session, or token with imports:write)"""
        return cast("CheckHuggingFaceAnswer", self._driver.run(_CHECK_HUGGING_FACE.call({"org_slug": org_slug, "project_slug": project_slug}, body)))

    def get_import(self, *, org_slug: str, project_slug: str, job_id: str) -> GetImportAnswer:
        """Get an import. The full record: status, progress, losses, previews and, for HDF5 sources, a summary of the files. (session, or token with workspace:read)"""
        return cast("GetImportAnswer", self._driver.run(_GET_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id})))

    def cancel_import(self, *, org_slug: str, project_slug: str, job_id: str) -> CancelImportAnswer:
        """Cancel an import. A queued import is canceled at once. A running one keeps the status `running` until its worker has stopped, which takes seconds; after this answer it can no longer succeed. Canceling twice returns the same record. (session, or token with imports:write)"""
        return cast("CancelImportAnswer", self._driver.run(_CANCEL_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id})))

    def dismiss_import(self, *, org_slug: str, project_slug: str, job_id: str, body: DismissImport) -> DismissImportAnswer:
        """Dismiss a failed import. For a failure that has been seen to: `dismissed_at` says when, and the console no longer counts it. The record, its report and a retry stay. `{"dismissed": false}` takes it back. (session, or token with imports:write)"""
        return cast("DismissImportAnswer", self._driver.run(_DISMISS_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id}, body)))

    def retry_import(self, *, org_slug: str, project_slug: str, job_id: str, body: RetryImport) -> RetryImportAnswer:
        """Run a finished import again. A new import with the same source, options and target; `retry_of` names the old one. Options that you send replace the old ones, for example to import with another frame rate. A token for the source is never stored, so send it again if it is needed. (session, or token with imports:write)"""
        return cast("RetryImportAnswer", self._driver.run(_RETRY_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id}, body)))

    def get_import_report(self, *, org_slug: str, project_slug: str, job_id: str) -> GetImportReportAnswer:
        """What an import found, repaired and left out. Available once the first attempt has ended, for failed imports too. (session, or token with workspace:read)"""
        return cast("GetImportReportAnswer", self._driver.run(_GET_IMPORT_REPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id})))

    def get_import_preview_url(self, *, org_slug: str, project_slug: str, job_id: str, name: str) -> GetImportPreviewUrlAnswer:
        """Get a signed address of a preview. `name` is the last part of the `path` of a preview asset. The address works for 15 minutes. (session, or token with workspace:read)"""
        return cast("GetImportPreviewUrlAnswer", self._driver.run(_GET_IMPORT_PREVIEW_URL.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id, "name": name})))


class AsyncImports:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def create_import(self, *, org_slug: str, project_slug: str, body: CreateImport, idempotency_key: str | None = None) -> CreateImportAnswer:
        """Import a dataset. Queues a job that brings data into the project: from Hugging Face (`hf_repo_id`), from finished uploads (`upload_ids`) or from an https address (`source_uri`). On success the dataset `dataset_slug` is created, or gets a new revision. With an idempotency key (body field or `Idempotency-Key` header) the same request returns the same job: 200 with `Idempotency-Replayed: true` instead of 201. (session, or token with imports:write)"""
        return cast("CreateImportAnswer", await self._driver.run(_CREATE_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "idempotency-key": idempotency_key}, body)))

    async def list_imports(self, *, org_slug: str, project_slug: str, status: Literal["queued", "running", "succeeded", "failed", "canceled"] | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> ListImportsAnswer:
        """List the imports of a project, newest first. Lists inside an HDF5 summary are cut to 20 entries here; `getImport` returns them in full. (session, or token with workspace:read)"""
        return cast("ListImportsAnswer", await self._driver.run(_LIST_IMPORTS.call({"org_slug": org_slug, "project_slug": project_slug, "status": status, "q": q, "limit": limit, "cursor": cursor})))

    def iterate_imports(self, *, org_slug: str, project_slug: str, status: Literal["queued", "running", "succeeded", "failed", "canceled"] | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[WorkspaceImportJob]:
        """Every item of every page of `list_imports`."""
        return cast("AsyncIterator[WorkspaceImportJob]", paging.iterate_async(self._driver, _LIST_IMPORTS, {"org_slug": org_slug, "project_slug": project_slug, "status": status, "q": q, "limit": limit, "cursor": cursor}))

    async def lookup_import(self, *, org_slug: str, project_slug: str, body: WorkspaceImportIdempotencyLookup) -> LookupImportAnswer:
        """Find an import by its idempotency key. Changes nothing. A fingerprint that differs from the stored one is a 409. (session, or token with workspace:read)"""
        return cast("LookupImportAnswer", await self._driver.run(_LOOKUP_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug}, body)))

    async def check_hugging_face(self, *, org_slug: str, project_slug: str, body: CheckHuggingFace) -> CheckHuggingFaceAnswer:
        """Look at a Hugging Face repository before importing it. Nothing is stored. `sentence` says whether it can be imported, and if not, what to do. (session, or token with imports:write)"""
        return cast("CheckHuggingFaceAnswer", await self._driver.run(_CHECK_HUGGING_FACE.call({"org_slug": org_slug, "project_slug": project_slug}, body)))

    async def get_import(self, *, org_slug: str, project_slug: str, job_id: str) -> GetImportAnswer:
        """Get an import. The full record: status, progress, losses, previews and, for HDF5 sources, a summary of the files. (session, or token with workspace:read)"""
        return cast("GetImportAnswer", await self._driver.run(_GET_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id})))

    async def cancel_import(self, *, org_slug: str, project_slug: str, job_id: str) -> CancelImportAnswer:
        """Cancel an import. A queued import is canceled at once. A running one keeps the status `running` until its worker has stopped, which takes seconds; after this answer it can no longer succeed. Canceling twice returns the same record. (session, or token with imports:write)"""
        return cast("CancelImportAnswer", await self._driver.run(_CANCEL_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id})))

    async def dismiss_import(self, *, org_slug: str, project_slug: str, job_id: str, body: DismissImport) -> DismissImportAnswer:
        """Dismiss a failed import. For a failure that has been seen to: `dismissed_at` says when, and the console no longer counts it. The record, its report and a retry stay. `{"dismissed": false}` takes it back. (session, or token with imports:write)"""
        return cast("DismissImportAnswer", await self._driver.run(_DISMISS_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id}, body)))

    async def retry_import(self, *, org_slug: str, project_slug: str, job_id: str, body: RetryImport) -> RetryImportAnswer:
        """Run a finished import again. A new import with the same source, options and target; `retry_of` names the old one. Options that you send replace the old ones, for example to import with another frame rate. A token for the source is never stored, so send it again if it is needed. (session, or token with imports:write)"""
        return cast("RetryImportAnswer", await self._driver.run(_RETRY_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id}, body)))

    async def get_import_report(self, *, org_slug: str, project_slug: str, job_id: str) -> GetImportReportAnswer:
        """What an import found, repaired and left out. Available once the first attempt has ended, for failed imports too. (session, or token with workspace:read)"""
        return cast("GetImportReportAnswer", await self._driver.run(_GET_IMPORT_REPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id})))

    async def get_import_preview_url(self, *, org_slug: str, project_slug: str, job_id: str, name: str) -> GetImportPreviewUrlAnswer:
        """Get a signed address of a preview. `name` is the last part of the `path` of a preview asset. The address works for 15 minutes. (session, or token with workspace:read)"""
        return cast("GetImportPreviewUrlAnswer", await self._driver.run(_GET_IMPORT_PREVIEW_URL.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id, "name": name})))
