"""The generated groups, and what takes several calls."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

from . import checks, workflows
from .downloads import Downloaded, Progress
from .drivers import AsyncDriver, SyncDriver
from .generated import datasets, exports, imports, versions
from .generated.records import CheckSummary, CopyVersion, CreateImport, DerivedDatasetExportJob, WorkspaceImportJob
from .uploads import PathLike, Upload, upload_paths


class Uploads:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def send(
        self,
        paths: PathLike | Sequence[PathLike],
        *,
        org_slug: str | None = None,
        project_slug: str | None = None,
        parallel: int = workflows.PARALLEL,
        on_progress: Progress | None = None,
    ) -> list[Upload]:
        """Sends files, a folder, or both; an interruption costs at most one piece. Their ids go into `upload_ids` of an import."""
        steps = upload_paths(
            self._driver.base_url, paths, org_slug=org_slug, project_slug=project_slug, parallel=parallel, on_progress=on_progress
        )
        return self._driver.run(steps)


class AsyncUploads:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def send(
        self,
        paths: PathLike | Sequence[PathLike],
        *,
        org_slug: str | None = None,
        project_slug: str | None = None,
        parallel: int = workflows.PARALLEL,
        on_progress: Progress | None = None,
    ) -> list[Upload]:
        """Sends files, a folder, or both; an interruption costs at most one piece. Their ids go into `upload_ids` of an import."""
        steps = upload_paths(
            self._driver.base_url, paths, org_slug=org_slug, project_slug=project_slug, parallel=parallel, on_progress=on_progress
        )
        return await self._driver.run(steps)


class Imports(imports.Imports):
    def create_and_wait(
        self, *, org_slug: str, project_slug: str, body: CreateImport, on_progress: Callable[[WorkspaceImportJob], None] | None = None
    ) -> WorkspaceImportJob:
        """Queues an import and returns its record when it has succeeded; raises `JobFailed` when it failed or was canceled."""
        job: WorkspaceImportJob = self._driver.run(workflows.create_import_and_wait(org_slug, project_slug, body, on_progress))
        return job

    def copy_and_wait(
        self, *, org_slug: str, version_id: str, body: CopyVersion, on_progress: Callable[[WorkspaceImportJob], None] | None = None
    ) -> WorkspaceImportJob:
        """Copies a version into a project as a dataset and returns the import when it has succeeded."""
        job: WorkspaceImportJob = self._driver.run(workflows.copy_version_and_wait(org_slug, version_id, body, on_progress))
        return job

    def wait(
        self, *, org_slug: str, project_slug: str, job_id: str, on_progress: Callable[[WorkspaceImportJob], None] | None = None
    ) -> WorkspaceImportJob:
        """Waits for an import that exists."""
        job: WorkspaceImportJob = self._driver.run(workflows.wait_for_import(org_slug, project_slug, job_id, on_progress))
        return job


class AsyncImports(imports.AsyncImports):
    async def create_and_wait(
        self, *, org_slug: str, project_slug: str, body: CreateImport, on_progress: Callable[[WorkspaceImportJob], None] | None = None
    ) -> WorkspaceImportJob:
        """Queues an import and returns its record when it has succeeded; raises `JobFailed` when it failed or was canceled."""
        job: WorkspaceImportJob = await self._driver.run(workflows.create_import_and_wait(org_slug, project_slug, body, on_progress))
        return job

    async def copy_and_wait(
        self, *, org_slug: str, version_id: str, body: CopyVersion, on_progress: Callable[[WorkspaceImportJob], None] | None = None
    ) -> WorkspaceImportJob:
        """Copies a version into a project as a dataset and returns the import when it has succeeded."""
        job: WorkspaceImportJob = await self._driver.run(workflows.copy_version_and_wait(org_slug, version_id, body, on_progress))
        return job

    async def wait(
        self, *, org_slug: str, project_slug: str, job_id: str, on_progress: Callable[[WorkspaceImportJob], None] | None = None
    ) -> WorkspaceImportJob:
        """Waits for an import that exists."""
        job: WorkspaceImportJob = await self._driver.run(workflows.wait_for_import(org_slug, project_slug, job_id, on_progress))
        return job


class Exports(exports.Exports):
    def create_and_wait(
        self,
        *,
        org_slug: str,
        version_id: str,
        artifact_key: str = "lerobot",
        options: Mapping[str, Any] | None = None,
        on_progress: Callable[[DerivedDatasetExportJob], None] | None = None,
    ) -> DerivedDatasetExportJob:
        """Queues the export of a version (as LeRobot, unless another artifact is named, with options of its own), or joins the running one, and returns its job when it has succeeded."""
        job: DerivedDatasetExportJob = self._driver.run(workflows.export_and_wait(org_slug, version_id, on_progress, artifact_key, options))
        return job

    def create_several_and_wait(
        self,
        *,
        org_slug: str,
        version_id: str,
        artifact_keys: Sequence[str],
        options: Mapping[str, Mapping[str, Any]] | None = None,
        on_progress: Callable[[DerivedDatasetExportJob], None] | None = None,
    ) -> list[DerivedDatasetExportJob]:
        """Queues several artifacts in one request (options by artifact), so that pictures which more than one of them needs are decoded once, and returns their jobs when all have succeeded; raises the first that has not when the last one has ended."""
        jobs: list[DerivedDatasetExportJob] = self._driver.run(workflows.export_several_and_wait(org_slug, version_id, on_progress, artifact_keys, options))
        return jobs

    def wait(
        self, *, org_slug: str, version_id: str, job_id: str, on_progress: Callable[[DerivedDatasetExportJob], None] | None = None
    ) -> DerivedDatasetExportJob:
        """Waits for an export that exists."""
        job: DerivedDatasetExportJob = self._driver.run(workflows.wait_for_export(org_slug, version_id, job_id, on_progress))
        return job


class AsyncExports(exports.AsyncExports):
    async def create_and_wait(
        self,
        *,
        org_slug: str,
        version_id: str,
        artifact_key: str = "lerobot",
        options: Mapping[str, Any] | None = None,
        on_progress: Callable[[DerivedDatasetExportJob], None] | None = None,
    ) -> DerivedDatasetExportJob:
        """Queues the export of a version (as LeRobot, unless another artifact is named, with options of its own), or joins the running one, and returns its job when it has succeeded."""
        job: DerivedDatasetExportJob = await self._driver.run(workflows.export_and_wait(org_slug, version_id, on_progress, artifact_key, options))
        return job

    async def create_several_and_wait(
        self,
        *,
        org_slug: str,
        version_id: str,
        artifact_keys: Sequence[str],
        options: Mapping[str, Mapping[str, Any]] | None = None,
        on_progress: Callable[[DerivedDatasetExportJob], None] | None = None,
    ) -> list[DerivedDatasetExportJob]:
        """Queues several artifacts in one request (options by artifact), so that pictures which more than one of them needs are decoded once, and returns their jobs when all have succeeded; raises the first that has not when the last one has ended."""
        jobs: list[DerivedDatasetExportJob] = await self._driver.run(workflows.export_several_and_wait(org_slug, version_id, on_progress, artifact_keys, options))
        return jobs

    async def wait(
        self, *, org_slug: str, version_id: str, job_id: str, on_progress: Callable[[DerivedDatasetExportJob], None] | None = None
    ) -> DerivedDatasetExportJob:
        """Waits for an export that exists."""
        job: DerivedDatasetExportJob = await self._driver.run(workflows.wait_for_export(org_slug, version_id, job_id, on_progress))
        return job


class Checks:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def run_and_wait(
        self,
        *,
        dataset_id: str,
        pictures: bool = True,
        again: bool = False,
        on_progress: Callable[[CheckSummary], None] | None = None,
    ) -> CheckSummary:
        """Checks what has no results of the present rules and cut-offs (everything, with `again`) of a dataset or version, and returns what was found, in numbers; raises `JobFailed` when the run failed or was canceled."""
        summary: CheckSummary = self._driver.run(checks.run_checks_and_wait(dataset_id, pictures, again, on_progress))
        return summary

    def wait(
        self, *, dataset_id: str, pictures: bool = True, on_progress: Callable[[CheckSummary], None] | None = None
    ) -> CheckSummary:
        """Waits for the checks that are under way. The summary says of each part whether it was looked at."""
        summary: CheckSummary = self._driver.run(checks.wait_for_checks(dataset_id, pictures, on_progress))
        return summary


class AsyncChecks:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def run_and_wait(
        self,
        *,
        dataset_id: str,
        pictures: bool = True,
        again: bool = False,
        on_progress: Callable[[CheckSummary], None] | None = None,
    ) -> CheckSummary:
        """Checks what has no results of the present rules and cut-offs (everything, with `again`) of a dataset or version, and returns what was found, in numbers; raises `JobFailed` when the run failed or was canceled."""
        summary: CheckSummary = await self._driver.run(checks.run_checks_and_wait(dataset_id, pictures, again, on_progress))
        return summary

    async def wait(
        self, *, dataset_id: str, pictures: bool = True, on_progress: Callable[[CheckSummary], None] | None = None
    ) -> CheckSummary:
        """Waits for the checks that are under way. The summary says of each part whether it was looked at."""
        summary: CheckSummary = await self._driver.run(checks.wait_for_checks(dataset_id, pictures, on_progress))
        return summary


class Datasets(datasets.Datasets):
    def download(
        self,
        dataset_id: str,
        target: str | os.PathLike[str],
        *,
        parallel: int = workflows.PARALLEL,
        on_progress: Progress | None = None,
    ) -> Downloaded:
        """Downloads a stored dataset as one tar; called again after an interruption, it fetches what is missing."""
        return self._driver.run(workflows.download_dataset(dataset_id, target, parallel, on_progress))


class AsyncDatasets(datasets.AsyncDatasets):
    async def download(
        self,
        dataset_id: str,
        target: str | os.PathLike[str],
        *,
        parallel: int = workflows.PARALLEL,
        on_progress: Progress | None = None,
    ) -> Downloaded:
        """Downloads a stored dataset as one tar; called again after an interruption, it fetches what is missing."""
        return await self._driver.run(workflows.download_dataset(dataset_id, target, parallel, on_progress))


class Versions(versions.Versions):
    def download(
        self,
        version_id: str,
        target: str | os.PathLike[str],
        *,
        org_slug: str | None = None,
        artifact_key: str = "lerobot",
        parallel: int = workflows.PARALLEL,
        on_progress: Progress | None = None,
    ) -> Downloaded:
        """Downloads the exported version as one tar, checked against its sha256; called again after an interruption, it fetches what is missing."""
        return self._driver.run(workflows.download_version(version_id, target, org_slug, parallel, on_progress, artifact_key))

    def fetch(
        self,
        version_id: str,
        *,
        cache_dir: str | os.PathLike[str] | None = None,
        org_slug: str | None = None,
        on_progress: Progress | None = None,
    ) -> Path:
        """The version as a folder on this machine, exported and downloaded if necessary."""
        return self._driver.run(workflows.fetch_version(version_id, cache_dir, org_slug, on_progress))[1]

    def as_lerobot(
        self,
        version_id: str,
        *,
        cache_dir: str | os.PathLike[str] | None = None,
        org_slug: str | None = None,
        on_progress: Progress | None = None,
        **options: Any,
    ) -> Any:
        """The version as a `LeRobotDataset` (of lerobot, which must be installed); `options` go to its constructor."""
        return self._driver.run(workflows.open_version(version_id, cache_dir, org_slug, on_progress, options))


class AsyncVersions(versions.AsyncVersions):
    async def download(
        self,
        version_id: str,
        target: str | os.PathLike[str],
        *,
        org_slug: str | None = None,
        artifact_key: str = "lerobot",
        parallel: int = workflows.PARALLEL,
        on_progress: Progress | None = None,
    ) -> Downloaded:
        """Downloads the exported version as one tar, checked against its sha256; called again after an interruption, it fetches what is missing."""
        return await self._driver.run(workflows.download_version(version_id, target, org_slug, parallel, on_progress, artifact_key))

    async def fetch(
        self,
        version_id: str,
        *,
        cache_dir: str | os.PathLike[str] | None = None,
        org_slug: str | None = None,
        on_progress: Progress | None = None,
    ) -> Path:
        """The version as a folder on this machine, exported and downloaded if necessary."""
        return (await self._driver.run(workflows.fetch_version(version_id, cache_dir, org_slug, on_progress)))[1]

    async def as_lerobot(
        self,
        version_id: str,
        *,
        cache_dir: str | os.PathLike[str] | None = None,
        org_slug: str | None = None,
        on_progress: Progress | None = None,
        **options: Any,
    ) -> Any:
        """The version as a `LeRobotDataset` (of lerobot, which must be installed); `options` go to its constructor."""
        return await self._driver.run(workflows.open_version(version_id, cache_dir, org_slug, on_progress, options))
