# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, Literal, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    CancelChecksAnswer,
    ChangeDatasetSignalsAnswer,
    ChangeDatasetSignalsBody,
    ChangeProjectDatasetAnswer,
    ChangeProjectDatasetBody,
    CheckSettings,
    DatasetRevision,
    DeleteProjectDatasetAnswer,
    GetDatasetLineageAnswer,
    GetDatasetSignalsAnswer,
    GetDiffAnswer,
    GetProjectDatasetAnswer,
    GetProjectDatasetManifestAnswer,
    ListDatasetRevisionsAnswer,
    ListProjectDatasetsAnswer,
    ProjectDataset,
    PutCheckSettingsAnswer,
    RenameDataset,
    RenameProjectDatasetAnswer,
    RestoreDatasetRevisionAnswer,
    RestoreProjectDatasetAnswer,
    RunChecks,
    RunChecksAnswer,
)

_LIST_PROJECT_DATASETS = Operation("listProjectDatasets", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets", query=("limit", "cursor",), paging="cursor", repeatable=True)
_GET_PROJECT_DATASET = Operation("getProjectDataset", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}", repeatable=True)
_CHANGE_PROJECT_DATASET = Operation("changeProjectDataset", "PATCH", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}")
_DELETE_PROJECT_DATASET = Operation("deleteProjectDataset", "DELETE", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}", query=("confirm",), repeatable=True)
_RESTORE_PROJECT_DATASET = Operation("restoreProjectDataset", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/restore", repeatable=True)
_LIST_DATASET_REVISIONS = Operation("listDatasetRevisions", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/revisions", query=("limit", "cursor",), paging="cursor", repeatable=True)
_RESTORE_DATASET_REVISION = Operation("restoreDatasetRevision", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/revisions/{number}/restore", repeatable=True)
_GET_PROJECT_DATASET_MANIFEST = Operation("getProjectDatasetManifest", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/manifest", query=("offset", "limit", "q", "split", "sort", "order",), repeatable=True)
_RUN_CHECKS = Operation("runChecks", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/checks")
_CANCEL_CHECKS = Operation("cancelChecks", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/checks/cancel", repeatable=True)
_PUT_CHECK_SETTINGS = Operation("putCheckSettings", "PUT", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/checks/settings", repeatable=True)
_GET_DATASET_SIGNALS = Operation("getDatasetSignals", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/signals", repeatable=True)
_CHANGE_DATASET_SIGNALS = Operation("changeDatasetSignals", "PATCH", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/signals")
_RENAME_PROJECT_DATASET = Operation("renameProjectDataset", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/rename")
_GET_DIFF = Operation("getDiff", "GET", "/api/v1/orgs/{org_slug}/diff", query=("from", "to", "kind", "offset", "limit", "again",), repeatable=True)
_GET_DATASET_LINEAGE = Operation("getDatasetLineage", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/lineage", repeatable=True)


class Datasets:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def list_project_datasets(self, *, org_slug: str, project_slug: str, limit: int | None = None, cursor: str | None = None) -> ListProjectDatasetsAnswer:
        """List the datasets of a project. Private and public datasets of the project, including those about to be deleted. (session, or token with workspace:read)"""
        return cast("ListProjectDatasetsAnswer", self._driver.run(_LIST_PROJECT_DATASETS.call({"org_slug": org_slug, "project_slug": project_slug, "limit": limit, "cursor": cursor})))

    def iterate_project_datasets(self, *, org_slug: str, project_slug: str, limit: int | None = None, cursor: str | None = None) -> Iterator[ProjectDataset]:
        """Every item of every page of `list_project_datasets`."""
        return cast("Iterator[ProjectDataset]", paging.iterate(self._driver, _LIST_PROJECT_DATASETS, {"org_slug": org_slug, "project_slug": project_slug, "limit": limit, "cursor": cursor}))

    def get_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> GetProjectDatasetAnswer:
        """Get a dataset of a project. The record of the dataset; `getProjectDatasetManifest` has its contents. (session, or token with workspace:read)"""
        return cast("GetProjectDatasetAnswer", self._driver.run(_GET_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))

    def change_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: ChangeProjectDatasetBody) -> ChangeProjectDatasetAnswer:
        """Edit the details of a dataset, or publish or withdraw it. A field that is sent overrides later revisions; null restores what the card and the files of the source say; an empty text or list means that there is none. `visibility` needs a session and the role admin of the project: `public` puts the dataset in the catalog under its id, with the revision that it shows and later ones; older ones are shown only with `public_history`. `private` takes it out at once. (session, or token with datasets:write)"""
        return cast("ChangeProjectDatasetAnswer", self._driver.run(_CHANGE_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    def delete_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str, confirm: str) -> DeleteProjectDatasetAnswer:
        """Delete a dataset after a grace period. It leaves the catalog at once and is deleted after 7 days; until then it can be restored. (session, or token with datasets:delete)"""
        return cast("DeleteProjectDatasetAnswer", self._driver.run(_DELETE_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "confirm": confirm})))

    def restore_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> RestoreProjectDatasetAnswer:
        """Restore a dataset that is to be deleted. Possible until the grace period ends. (session, or token with datasets:delete)"""
        return cast("RestoreProjectDatasetAnswer", self._driver.run(_RESTORE_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))

    def list_dataset_revisions(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None) -> ListDatasetRevisionsAnswer:
        """List the revisions of a dataset, newest first. Each successful import of the dataset is a revision. (session, or token with workspace:read)"""
        return cast("ListDatasetRevisionsAnswer", self._driver.run(_LIST_DATASET_REVISIONS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor})))

    def iterate_dataset_revisions(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None) -> Iterator[DatasetRevision]:
        """Every item of every page of `list_dataset_revisions`."""
        return cast("Iterator[DatasetRevision]", paging.iterate(self._driver, _LIST_DATASET_REVISIONS, {"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor}))

    def restore_dataset_revision(self, *, org_slug: str, project_slug: str, dataset_slug: str, number: int | str) -> RestoreDatasetRevisionAnswer:
        """Show an older revision again. Nothing is lost: newer revisions stay listed and can be shown again in the same way. (session, or token with datasets:write)"""
        return cast("RestoreDatasetRevisionAnswer", self._driver.run(_RESTORE_DATASET_REVISION.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "number": number})))

    def get_project_dataset_manifest(self, *, org_slug: str, project_slug: str, dataset_slug: str, offset: int | None = None, limit: int | None = None, q: str | None = None, split: str | None = None, sort: str | None = None, order: Literal["asc", "desc"] | None = None) -> GetProjectDatasetManifestAnswer:
        """Get the manifest of a project's dataset. The same shape as in the catalog. (session, or token with workspace:read)"""
        return cast("GetProjectDatasetManifestAnswer", self._driver.run(_GET_PROJECT_DATASET_MANIFEST.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "offset": offset, "limit": limit, "q": q, "split": split, "sort": sort, "order": order})))

    def run_checks(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: RunChecks) -> RunChecksAnswer:
        """Check a dataset. Queues a run over the revision that is shown, for what has no results of the present rules and cut-offs yet; with `again` for all of it. A run that is under way stays. Results of before are shown until it ends. (session, or token with datasets:write)"""
        return cast("RunChecksAnswer", self._driver.run(_RUN_CHECKS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    def cancel_checks(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> CancelChecksAnswer:
        """Cancel the checks of a dataset. What was measured so far is kept: the next run goes on after it. (session, or token with datasets:write)"""
        return cast("CancelChecksAnswer", self._driver.run(_CANCEL_CHECKS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))

    def put_check_settings(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: CheckSettings) -> PutCheckSettingsAnswer:
        """Set cut-offs of a dataset, and whether pictures are looked at. Counts and lists follow at once where a rule keeps what other cut-offs find; `needs_run` names the others. Later imports go by these settings. (session, or token with datasets:write)"""
        return cast("PutCheckSettingsAnswer", self._driver.run(_PUT_CHECK_SETTINGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    def get_dataset_signals(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> GetDatasetSignalsAnswer:
        """Get which columns of a dataset are state and action. What is set, what the shown revision was measured by, and what could be set. (session, or token with workspace:read)"""
        return cast("GetDatasetSignalsAnswer", self._driver.run(_GET_DATASET_SIGNALS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))

    def change_dataset_signals(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: ChangeDatasetSignalsBody) -> ChangeDatasetSignalsAnswer:
        """Set which columns of a dataset are state and action. For datasets that call them otherwise. Insights, checks, charts and the action steps of recipes go by them. The dataset is measured anew by a job and gets a revision with the same files; until then the numbers of before are shown. Null is found by name again; what is left out stays. Later imports keep to it where they have the columns; versions made before stay as they are. (session, or token with datasets:write)"""
        return cast("ChangeDatasetSignalsAnswer", self._driver.run(_CHANGE_DATASET_SIGNALS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    def rename_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: RenameDataset) -> RenameProjectDatasetAnswer:
        """Give a dataset another slug. Its id, revisions, versions, flags and annotations stay, and its imports and Hub repository move with it. The old slug leads to the dataset until something else takes it. (session, or token with datasets:write)"""
        return cast("RenameProjectDatasetAnswer", self._driver.run(_RENAME_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    def get_diff(self, *, org_slug: str, from_: str, to: str, kind: Literal["same", "relabelled", "re_encoded", "trimmed", "changed", "removed", "added"] | None = None, offset: int | None = None, limit: int | None = None, again: bool | None = None) -> GetDiffAnswer:
        """Tell what differs between two datasets, revisions or versions. Both may be anything you can read. Episodes are known by their content (rows, packets, tasks), never by their number: only what is equal in every feature is called the same. It is told from what is stored; a side whose episodes were never fingerprinted is read by a job first, and the answer says so (`state`). (session, or token with workspace:read)"""
        return cast("GetDiffAnswer", self._driver.run(_GET_DIFF.call({"org_slug": org_slug, "from": from_, "to": to, "kind": kind, "offset": offset, "limit": limit, "again": again})))

    def get_dataset_lineage(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> GetDatasetLineageAnswer:
        """Tell what a dataset came from, and what came from it. Imports, pushes, revisions, versions and exports that it came from or that came from it, across projects, as far as you may see them. (session, or token with workspace:read)"""
        return cast("GetDatasetLineageAnswer", self._driver.run(_GET_DATASET_LINEAGE.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))


class AsyncDatasets:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def list_project_datasets(self, *, org_slug: str, project_slug: str, limit: int | None = None, cursor: str | None = None) -> ListProjectDatasetsAnswer:
        """List the datasets of a project. Private and public datasets of the project, including those about to be deleted. (session, or token with workspace:read)"""
        return cast("ListProjectDatasetsAnswer", await self._driver.run(_LIST_PROJECT_DATASETS.call({"org_slug": org_slug, "project_slug": project_slug, "limit": limit, "cursor": cursor})))

    def iterate_project_datasets(self, *, org_slug: str, project_slug: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[ProjectDataset]:
        """Every item of every page of `list_project_datasets`."""
        return cast("AsyncIterator[ProjectDataset]", paging.iterate_async(self._driver, _LIST_PROJECT_DATASETS, {"org_slug": org_slug, "project_slug": project_slug, "limit": limit, "cursor": cursor}))

    async def get_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> GetProjectDatasetAnswer:
        """Get a dataset of a project. The record of the dataset; `getProjectDatasetManifest` has its contents. (session, or token with workspace:read)"""
        return cast("GetProjectDatasetAnswer", await self._driver.run(_GET_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))

    async def change_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: ChangeProjectDatasetBody) -> ChangeProjectDatasetAnswer:
        """Edit the details of a dataset, or publish or withdraw it. A field that is sent overrides later revisions; null restores what the card and the files of the source say; an empty text or list means that there is none. `visibility` needs a session and the role admin of the project: `public` puts the dataset in the catalog under its id, with the revision that it shows and later ones; older ones are shown only with `public_history`. `private` takes it out at once. (session, or token with datasets:write)"""
        return cast("ChangeProjectDatasetAnswer", await self._driver.run(_CHANGE_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    async def delete_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str, confirm: str) -> DeleteProjectDatasetAnswer:
        """Delete a dataset after a grace period. It leaves the catalog at once and is deleted after 7 days; until then it can be restored. (session, or token with datasets:delete)"""
        return cast("DeleteProjectDatasetAnswer", await self._driver.run(_DELETE_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "confirm": confirm})))

    async def restore_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> RestoreProjectDatasetAnswer:
        """Restore a dataset that is to be deleted. Possible until the grace period ends. (session, or token with datasets:delete)"""
        return cast("RestoreProjectDatasetAnswer", await self._driver.run(_RESTORE_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))

    async def list_dataset_revisions(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None) -> ListDatasetRevisionsAnswer:
        """List the revisions of a dataset, newest first. Each successful import of the dataset is a revision. (session, or token with workspace:read)"""
        return cast("ListDatasetRevisionsAnswer", await self._driver.run(_LIST_DATASET_REVISIONS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor})))

    def iterate_dataset_revisions(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[DatasetRevision]:
        """Every item of every page of `list_dataset_revisions`."""
        return cast("AsyncIterator[DatasetRevision]", paging.iterate_async(self._driver, _LIST_DATASET_REVISIONS, {"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor}))

    async def restore_dataset_revision(self, *, org_slug: str, project_slug: str, dataset_slug: str, number: int | str) -> RestoreDatasetRevisionAnswer:
        """Show an older revision again. Nothing is lost: newer revisions stay listed and can be shown again in the same way. (session, or token with datasets:write)"""
        return cast("RestoreDatasetRevisionAnswer", await self._driver.run(_RESTORE_DATASET_REVISION.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "number": number})))

    async def get_project_dataset_manifest(self, *, org_slug: str, project_slug: str, dataset_slug: str, offset: int | None = None, limit: int | None = None, q: str | None = None, split: str | None = None, sort: str | None = None, order: Literal["asc", "desc"] | None = None) -> GetProjectDatasetManifestAnswer:
        """Get the manifest of a project's dataset. The same shape as in the catalog. (session, or token with workspace:read)"""
        return cast("GetProjectDatasetManifestAnswer", await self._driver.run(_GET_PROJECT_DATASET_MANIFEST.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "offset": offset, "limit": limit, "q": q, "split": split, "sort": sort, "order": order})))

    async def run_checks(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: RunChecks) -> RunChecksAnswer:
        """Check a dataset. Queues a run over the revision that is shown, for what has no results of the present rules and cut-offs yet; with `again` for all of it. A run that is under way stays. Results of before are shown until it ends. (session, or token with datasets:write)"""
        return cast("RunChecksAnswer", await self._driver.run(_RUN_CHECKS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    async def cancel_checks(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> CancelChecksAnswer:
        """Cancel the checks of a dataset. What was measured so far is kept: the next run goes on after it. (session, or token with datasets:write)"""
        return cast("CancelChecksAnswer", await self._driver.run(_CANCEL_CHECKS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))

    async def put_check_settings(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: CheckSettings) -> PutCheckSettingsAnswer:
        """Set cut-offs of a dataset, and whether pictures are looked at. Counts and lists follow at once where a rule keeps what other cut-offs find; `needs_run` names the others. Later imports go by these settings. (session, or token with datasets:write)"""
        return cast("PutCheckSettingsAnswer", await self._driver.run(_PUT_CHECK_SETTINGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    async def get_dataset_signals(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> GetDatasetSignalsAnswer:
        """Get which columns of a dataset are state and action. What is set, what the shown revision was measured by, and what could be set. (session, or token with workspace:read)"""
        return cast("GetDatasetSignalsAnswer", await self._driver.run(_GET_DATASET_SIGNALS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))

    async def change_dataset_signals(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: ChangeDatasetSignalsBody) -> ChangeDatasetSignalsAnswer:
        """Set which columns of a dataset are state and action. For datasets that call them otherwise. Insights, checks, charts and the action steps of recipes go by them. The dataset is measured anew by a job and gets a revision with the same files; until then the numbers of before are shown. Null is found by name again; what is left out stays. Later imports keep to it where they have the columns; versions made before stay as they are. (session, or token with datasets:write)"""
        return cast("ChangeDatasetSignalsAnswer", await self._driver.run(_CHANGE_DATASET_SIGNALS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    async def rename_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: RenameDataset) -> RenameProjectDatasetAnswer:
        """Give a dataset another slug. Its id, revisions, versions, flags and annotations stay, and its imports and Hub repository move with it. The old slug leads to the dataset until something else takes it. (session, or token with datasets:write)"""
        return cast("RenameProjectDatasetAnswer", await self._driver.run(_RENAME_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    async def get_diff(self, *, org_slug: str, from_: str, to: str, kind: Literal["same", "relabelled", "re_encoded", "trimmed", "changed", "removed", "added"] | None = None, offset: int | None = None, limit: int | None = None, again: bool | None = None) -> GetDiffAnswer:
        """Tell what differs between two datasets, revisions or versions. Both may be anything you can read. Episodes are known by their content (rows, packets, tasks), never by their number: only what is equal in every feature is called the same. It is told from what is stored; a side whose episodes were never fingerprinted is read by a job first, and the answer says so (`state`). (session, or token with workspace:read)"""
        return cast("GetDiffAnswer", await self._driver.run(_GET_DIFF.call({"org_slug": org_slug, "from": from_, "to": to, "kind": kind, "offset": offset, "limit": limit, "again": again})))

    async def get_dataset_lineage(self, *, org_slug: str, project_slug: str, dataset_slug: str) -> GetDatasetLineageAnswer:
        """Tell what a dataset came from, and what came from it. Imports, pushes, revisions, versions and exports that it came from or that came from it, across projects, as far as you may see them. (session, or token with workspace:read)"""
        return cast("GetDatasetLineageAnswer", await self._driver.run(_GET_DATASET_LINEAGE.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug})))
