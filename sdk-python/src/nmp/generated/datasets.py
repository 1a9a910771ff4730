# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, Literal, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    ChangeProjectDatasetAnswer,
    ChangeProjectDatasetBody,
    DatasetRevision,
    DeleteProjectDatasetAnswer,
    GetProjectDatasetAnswer,
    GetProjectDatasetManifestAnswer,
    ListDatasetRevisionsAnswer,
    ListProjectDatasetsAnswer,
    ProjectDataset,
    RenameDataset,
    RenameProjectDatasetAnswer,
    RestoreDatasetRevisionAnswer,
    RestoreProjectDatasetAnswer,
)

_LIST_PROJECT_DATASETS = Operation("listProjectDatasets", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets", query=("limit", "cursor",), paging="cursor", repeatable=True)
_GET_PROJECT_DATASET = Operation("getProjectDataset", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}", repeatable=True)
_CHANGE_PROJECT_DATASET = Operation("changeProjectDataset", "PATCH", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}")
_DELETE_PROJECT_DATASET = Operation("deleteProjectDataset", "DELETE", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}", query=("confirm",), repeatable=True)
_RESTORE_PROJECT_DATASET = Operation("restoreProjectDataset", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/restore", repeatable=True)
_LIST_DATASET_REVISIONS = Operation("listDatasetRevisions", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/revisions", query=("limit", "cursor",), paging="cursor", repeatable=True)
_RESTORE_DATASET_REVISION = Operation("restoreDatasetRevision", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/revisions/{number}/restore", repeatable=True)
_GET_PROJECT_DATASET_MANIFEST = Operation("getProjectDatasetManifest", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/manifest", query=("offset", "limit", "q", "split", "sort", "order",), repeatable=True)
_RENAME_PROJECT_DATASET = Operation("renameProjectDataset", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/rename")


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

    def rename_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: RenameDataset) -> RenameProjectDatasetAnswer:
        """Give a dataset another slug. Its id, revisions, versions, flags and annotations stay, and its imports and Hub repository move with it. The old slug leads to the dataset until something else takes it. (session, or token with datasets:write)"""
        return cast("RenameProjectDatasetAnswer", self._driver.run(_RENAME_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))


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

    async def rename_project_dataset(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: RenameDataset) -> RenameProjectDatasetAnswer:
        """Give a dataset another slug. Its id, revisions, versions, flags and annotations stay, and its imports and Hub repository move with it. The old slug leads to the dataset until something else takes it. (session, or token with datasets:write)"""
        return cast("RenameProjectDatasetAnswer", await self._driver.run(_RENAME_PROJECT_DATASET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))
