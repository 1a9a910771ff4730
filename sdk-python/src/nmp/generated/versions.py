# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, Literal, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    CancelVersionChecksAnswer,
    ChangeVersion,
    ChangeVersionAnswer,
    CheckSettings,
    CopyVersion,
    CopyVersionAnswer,
    CreateVersion,
    CreateVersionAnswer,
    DeleteVersionAnswer,
    DerivedDatasetVersion,
    GetDerivedVersionAnswer,
    GetRecipeDraftAnswer,
    GetSharedRecipeDraftAnswer,
    GetVersionLineageAnswer,
    ListExportTargetsAnswer,
    ListVersionFilesAnswer,
    ListVersionsAnswer,
    PreviewCuts,
    PreviewCutsAnswer,
    PreviewMerge,
    PreviewMergeAnswer,
    PreviewVersion,
    PreviewVersionAnswer,
    PutRecipeDraftAnswer,
    PutRecipeDraftBody,
    PutVersionCheckSettingsAnswer,
    RunChecks,
    RunVersionChecksAnswer,
    SuggestMap,
    SuggestMapAnswer,
    VersionFile,
)

_RUN_VERSION_CHECKS = Operation("runVersionChecks", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks")
_CANCEL_VERSION_CHECKS = Operation("cancelVersionChecks", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks/cancel", repeatable=True)
_PUT_VERSION_CHECK_SETTINGS = Operation("putVersionCheckSettings", "PUT", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/checks/settings", repeatable=True)
_LIST_VERSIONS = Operation("listVersions", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions", query=("project_slug", "status", "source", "q", "limit", "cursor",), paging="cursor", repeatable=True)
_CREATE_VERSION = Operation("createVersion", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions", headers=("idempotency-key",), takes_key=True)
_PREVIEW_VERSION = Operation("previewVersion", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/preview", repeatable=True)
_PREVIEW_CUTS = Operation("previewCuts", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/preview/cuts")
_PREVIEW_MERGE = Operation("previewMerge", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/preview/merge")
_SUGGEST_MAP = Operation("suggestMap", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/suggest-map")
_GET_DERIVED_VERSION = Operation("getDerivedVersion", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}", repeatable=True)
_CHANGE_VERSION = Operation("changeVersion", "PATCH", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}")
_DELETE_VERSION = Operation("deleteVersion", "DELETE", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}", repeatable=True)
_GET_RECIPE_DRAFT = Operation("getRecipeDraft", "GET", "/api/v1/users/me/recipe-drafts/{dataset_id}", repeatable=True)
_PUT_RECIPE_DRAFT = Operation("putRecipeDraft", "PUT", "/api/v1/users/me/recipe-drafts/{dataset_id}")
_GET_SHARED_RECIPE_DRAFT = Operation("getSharedRecipeDraft", "GET", "/api/v1/recipe-drafts/{draft_id}", repeatable=True)
_LIST_EXPORT_TARGETS = Operation("listExportTargets", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/export-targets", query=("options",), repeatable=True)
_LIST_VERSION_FILES = Operation("listVersionFiles", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/files", query=("limit", "cursor", "artifact_key",), paging="cursor", repeatable=True)
_COPY_VERSION = Operation("copyVersion", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/copy", headers=("idempotency-key",), takes_key=True)
_GET_VERSION_LINEAGE = Operation("getVersionLineage", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/lineage", repeatable=True)


class Versions:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def run_version_checks(self, *, org_slug: str, version_id: str, body: RunChecks) -> RunVersionChecksAnswer:
        """Check a derived version. Works like `runChecks`: the rules look at the version itself, through its recipe, whether it is exported or not. (session, or token with datasets:write)"""
        return cast("RunVersionChecksAnswer", self._driver.run(_RUN_VERSION_CHECKS.call({"org_slug": org_slug, "version_id": version_id}, body)))

    def cancel_version_checks(self, *, org_slug: str, version_id: str) -> CancelVersionChecksAnswer:
        """Cancel the checks of a derived version. Works like `cancelChecks`. (session, or token with datasets:write)"""
        return cast("CancelVersionChecksAnswer", self._driver.run(_CANCEL_VERSION_CHECKS.call({"org_slug": org_slug, "version_id": version_id})))

    def put_version_check_settings(self, *, org_slug: str, version_id: str, body: CheckSettings) -> PutVersionCheckSettingsAnswer:
        """Set cut-offs of a derived version. Works like `putCheckSettings`. (session, or token with datasets:write)"""
        return cast("PutVersionCheckSettingsAnswer", self._driver.run(_PUT_VERSION_CHECK_SETTINGS.call({"org_slug": org_slug, "version_id": version_id}, body)))

    def list_versions(self, *, org_slug: str, project_slug: str | None = None, status: Literal["materialization_required", "materializing", "materialized", "failed"] | None = None, source: str | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> ListVersionsAnswer:
        """List derived dataset versions, newest first. From the projects you have a role in. Index lists of over 1,000 entries are null here; `recipe_counts` has its length and `getDerivedVersion` the whole. (session, or token with workspace:read)"""
        return cast("ListVersionsAnswer", self._driver.run(_LIST_VERSIONS.call({"org_slug": org_slug, "project_slug": project_slug, "status": status, "source": source, "q": q, "limit": limit, "cursor": cursor})))

    def iterate_versions(self, *, org_slug: str, project_slug: str | None = None, status: Literal["materialization_required", "materializing", "materialized", "failed"] | None = None, source: str | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> Iterator[DerivedDatasetVersion]:
        """Every item of every page of `list_versions`."""
        return cast("Iterator[DerivedDatasetVersion]", paging.iterate(self._driver, _LIST_VERSIONS, {"org_slug": org_slug, "project_slug": project_slug, "status": status, "source": source, "q": q, "limit": limit, "cursor": cursor}))

    def create_version(self, *, org_slug: str, body: CreateVersion, idempotency_key: str | None = None) -> CreateVersionAnswer:
        """Create a version of a dataset from a recipe, or of several. Pins the source to its current revision and stores the recipe; nothing is computed until an export is queued. Posting a slug again makes its next version. Without `project_slug` the version goes to the source’s project if you may write there, else to `default`. A token also needs `workspace:read` if the source is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same version: 200 with `Idempotency-Replayed: true` instead of 201. (session, or token with versions:write)"""
        return cast("CreateVersionAnswer", self._driver.run(_CREATE_VERSION.call({"org_slug": org_slug, "idempotency-key": idempotency_key}, body)))

    def preview_version(self, *, org_slug: str, body: PreviewVersion) -> PreviewVersionAnswer:
        """Show what a recipe would give, without writing anything. Episodes, frames, tasks, an estimate of the size, statistics of the result (each says whether it is exact), what is copied, what is encoded again and why, and one frame and one episode’s actions before and after. (session, or token with workspace:read)"""
        return cast("PreviewVersionAnswer", self._driver.run(_PREVIEW_VERSION.call({"org_slug": org_slug}, body)))

    def preview_cuts(self, *, org_slug: str, body: PreviewCuts) -> PreviewCutsAnswer:
        """Show which frames a recipe would keep, without writing anything. Episodes, frames and seconds before and after, what each episode loses, and of one episode the frames that are kept and its rests. Answers sooner than `previewVersion`, which measures the result as well. (session, or token with workspace:read)"""
        return cast("PreviewCutsAnswer", self._driver.run(_PREVIEW_CUTS.call({"org_slug": org_slug}, body)))

    def preview_merge(self, *, org_slug: str, body: PreviewMerge) -> PreviewMergeAnswer:
        """Show what several sources would give together, without writing anything. Hours, episodes and frames per source and per task, the features of the result, and the share of each source in what a sampler draws. What does not fit is a 422 at its place. (session, or token with workspace:read)"""
        return cast("PreviewMergeAnswer", self._driver.run(_PREVIEW_MERGE.call({"org_slug": org_slug}, body)))

    def suggest_map(self, *, org_slug: str, body: SuggestMap) -> SuggestMapAnswer:
        """Suggest how the names, dimensions and units of several sources fit those of the first. By names, shapes, ranges and picture sizes. Each row says what it rests on; `is_sure` is set for equal names only, and everything else is for a person to look at. Nothing is written. (session, or token with workspace:read)"""
        return cast("SuggestMapAnswer", self._driver.run(_SUGGEST_MAP.call({"org_slug": org_slug}, body)))

    def get_derived_version(self, *, org_slug: str, version_id: str) -> GetDerivedVersionAnswer:
        """Get a derived dataset version. The full record with its recipe, artifacts and provenance. (session, or token with workspace:read)"""
        return cast("GetDerivedVersionAnswer", self._driver.run(_GET_DERIVED_VERSION.call({"org_slug": org_slug, "version_id": version_id})))

    def change_version(self, *, org_slug: str, version_id: str, body: ChangeVersion) -> ChangeVersionAnswer:
        """Edit the details of a version, or publish or withdraw it. Source and recipe never change. `visibility` needs a session, the role admin of the project, and read access to the source. `public` puts the version in the catalog under its id, even if its source is private: everyone can then see its episodes, its recipe, and the names of its source and of the versions in between. Its export is queued if it has no files yet. `private` removes it at once and ends public links to its media. (session, or token with versions:write)"""
        return cast("ChangeVersionAnswer", self._driver.run(_CHANGE_VERSION.call({"org_slug": org_slug, "version_id": version_id}, body)))

    def delete_version(self, *, org_slug: str, version_id: str) -> DeleteVersionAnswer:
        """Delete a version and its exports. Exports under way are canceled. The source dataset is not touched; the version number is not used again. A version that others in the organization are derived from is a 409 until those are deleted. (session, or token with versions:write)"""
        return cast("DeleteVersionAnswer", self._driver.run(_DELETE_VERSION.call({"org_slug": org_slug, "version_id": version_id})))

    def get_recipe_draft(self, *, dataset_id: str) -> GetRecipeDraftAnswer:
        """Get your draft of a recipe on a dataset or version. `item` is null where nothing was begun. (session, or token with workspace:read)"""
        return cast("GetRecipeDraftAnswer", self._driver.run(_GET_RECIPE_DRAFT.call({"dataset_id": dataset_id})))

    def put_recipe_draft(self, *, dataset_id: str, body: PutRecipeDraftBody) -> PutRecipeDraftAnswer:
        """Save your draft of a recipe. One per person and dataset. `revision` is that of the draft which is changed, 0 where there is none: a draft that was saved elsewhere meanwhile is a 409, and nothing is overwritten. (session, or token with versions:write)"""
        return cast("PutRecipeDraftAnswer", self._driver.run(_PUT_RECIPE_DRAFT.call({"dataset_id": dataset_id}, body)))

    def get_shared_recipe_draft(self, *, draft_id: str) -> GetSharedRecipeDraftAnswer:
        """Get a draft by its link. For whoever may read its dataset or version: the recipe, whose it is, and when it was changed last. (session, or token with workspace:read)"""
        return cast("GetSharedRecipeDraftAnswer", self._driver.run(_GET_SHARED_RECIPE_DRAFT.call({"draft_id": draft_id})))

    def list_export_targets(self, *, org_slug: str, version_id: str, options: str | None = None) -> ListExportTargetsAnswer:
        """List what a version can be exported as. Every artifact key with who reads it, the JSON Schema of its options, and for this version: about how large it would be, and what it has no place for. With the usual options, unless others are given. (session, or token with workspace:read)"""
        return cast("ListExportTargetsAnswer", self._driver.run(_LIST_EXPORT_TARGETS.call({"org_slug": org_slug, "version_id": version_id, "options": options})))

    def list_version_files(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None, artifact_key: Literal["lerobot", "lerobot-v2.1", "gr00t", "openpi-norm-stats", "rlds", "mcap", "robomimic", "zarr"] | None = None) -> ListVersionFilesAnswer:
        """List the files of a materialized version with signed URLs. The same files as in the tar of the artifact (`lerobot` by default), by path. Each URL is valid for 15 minutes and supports Range requests. (session, or token with workspace:read)"""
        return cast("ListVersionFilesAnswer", self._driver.run(_LIST_VERSION_FILES.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor, "artifact_key": artifact_key})))

    def iterate_version_files(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None, artifact_key: Literal["lerobot", "lerobot-v2.1", "gr00t", "openpi-norm-stats", "rlds", "mcap", "robomimic", "zarr"] | None = None) -> Iterator[VersionFile]:
        """Every item of every page of `list_version_files`."""
        return cast("Iterator[VersionFile]", paging.iterate(self._driver, _LIST_VERSION_FILES, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor, "artifact_key": artifact_key}))

    def copy_version(self, *, org_slug: str, version_id: str, body: CopyVersion, idempotency_key: str | None = None) -> CopyVersionAnswer:
        """Copy a version into a project as a dataset. Needs read access to the version and write access to the target project: `project_slug` of `org_slug`, by default the version’s own. Queues an import of the kind `version`; if the version has no files yet, its export is queued and the import waits for it. The result is an independent dataset that needs neither the version nor its source, with the version’s card, splits, flags and annotation sets, and its name as title unless you give one. `copied_from` of the import says where it came from. A token also needs `workspace:read` if the version is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same import: 200 with `Idempotency-Replayed: true` instead of 202. (session, or token with imports:write)"""
        return cast("CopyVersionAnswer", self._driver.run(_COPY_VERSION.call({"org_slug": org_slug, "version_id": version_id, "idempotency-key": idempotency_key}, body)))

    def get_version_lineage(self, *, org_slug: str, version_id: str) -> GetVersionLineageAnswer:
        """Tell what a version came from, and what came from it. Imports, pushes, revisions, versions and exports that it came from or that came from it, across projects, as far as you may see them. (session, or token with workspace:read)"""
        return cast("GetVersionLineageAnswer", self._driver.run(_GET_VERSION_LINEAGE.call({"org_slug": org_slug, "version_id": version_id})))


class AsyncVersions:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def run_version_checks(self, *, org_slug: str, version_id: str, body: RunChecks) -> RunVersionChecksAnswer:
        """Check a derived version. Works like `runChecks`: the rules look at the version itself, through its recipe, whether it is exported or not. (session, or token with datasets:write)"""
        return cast("RunVersionChecksAnswer", await self._driver.run(_RUN_VERSION_CHECKS.call({"org_slug": org_slug, "version_id": version_id}, body)))

    async def cancel_version_checks(self, *, org_slug: str, version_id: str) -> CancelVersionChecksAnswer:
        """Cancel the checks of a derived version. Works like `cancelChecks`. (session, or token with datasets:write)"""
        return cast("CancelVersionChecksAnswer", await self._driver.run(_CANCEL_VERSION_CHECKS.call({"org_slug": org_slug, "version_id": version_id})))

    async def put_version_check_settings(self, *, org_slug: str, version_id: str, body: CheckSettings) -> PutVersionCheckSettingsAnswer:
        """Set cut-offs of a derived version. Works like `putCheckSettings`. (session, or token with datasets:write)"""
        return cast("PutVersionCheckSettingsAnswer", await self._driver.run(_PUT_VERSION_CHECK_SETTINGS.call({"org_slug": org_slug, "version_id": version_id}, body)))

    async def list_versions(self, *, org_slug: str, project_slug: str | None = None, status: Literal["materialization_required", "materializing", "materialized", "failed"] | None = None, source: str | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> ListVersionsAnswer:
        """List derived dataset versions, newest first. From the projects you have a role in. Index lists of over 1,000 entries are null here; `recipe_counts` has its length and `getDerivedVersion` the whole. (session, or token with workspace:read)"""
        return cast("ListVersionsAnswer", await self._driver.run(_LIST_VERSIONS.call({"org_slug": org_slug, "project_slug": project_slug, "status": status, "source": source, "q": q, "limit": limit, "cursor": cursor})))

    def iterate_versions(self, *, org_slug: str, project_slug: str | None = None, status: Literal["materialization_required", "materializing", "materialized", "failed"] | None = None, source: str | None = None, q: str | None = None, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[DerivedDatasetVersion]:
        """Every item of every page of `list_versions`."""
        return cast("AsyncIterator[DerivedDatasetVersion]", paging.iterate_async(self._driver, _LIST_VERSIONS, {"org_slug": org_slug, "project_slug": project_slug, "status": status, "source": source, "q": q, "limit": limit, "cursor": cursor}))

    async def create_version(self, *, org_slug: str, body: CreateVersion, idempotency_key: str | None = None) -> CreateVersionAnswer:
        """Create a version of a dataset from a recipe, or of several. Pins the source to its current revision and stores the recipe; nothing is computed until an export is queued. Posting a slug again makes its next version. Without `project_slug` the version goes to the source’s project if you may write there, else to `default`. A token also needs `workspace:read` if the source is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same version: 200 with `Idempotency-Replayed: true` instead of 201. (session, or token with versions:write)"""
        return cast("CreateVersionAnswer", await self._driver.run(_CREATE_VERSION.call({"org_slug": org_slug, "idempotency-key": idempotency_key}, body)))

    async def preview_version(self, *, org_slug: str, body: PreviewVersion) -> PreviewVersionAnswer:
        """Show what a recipe would give, without writing anything. Episodes, frames, tasks, an estimate of the size, statistics of the result (each says whether it is exact), what is copied, what is encoded again and why, and one frame and one episode’s actions before and after. (session, or token with workspace:read)"""
        return cast("PreviewVersionAnswer", await self._driver.run(_PREVIEW_VERSION.call({"org_slug": org_slug}, body)))

    async def preview_cuts(self, *, org_slug: str, body: PreviewCuts) -> PreviewCutsAnswer:
        """Show which frames a recipe would keep, without writing anything. Episodes, frames and seconds before and after, what each episode loses, and of one episode the frames that are kept and its rests. Answers sooner than `previewVersion`, which measures the result as well. (session, or token with workspace:read)"""
        return cast("PreviewCutsAnswer", await self._driver.run(_PREVIEW_CUTS.call({"org_slug": org_slug}, body)))

    async def preview_merge(self, *, org_slug: str, body: PreviewMerge) -> PreviewMergeAnswer:
        """Show what several sources would give together, without writing anything. Hours, episodes and frames per source and per task, the features of the result, and the share of each source in what a sampler draws. What does not fit is a 422 at its place. (session, or token with workspace:read)"""
        return cast("PreviewMergeAnswer", await self._driver.run(_PREVIEW_MERGE.call({"org_slug": org_slug}, body)))

    async def suggest_map(self, *, org_slug: str, body: SuggestMap) -> SuggestMapAnswer:
        """Suggest how the names, dimensions and units of several sources fit those of the first. By names, shapes, ranges and picture sizes. Each row says what it rests on; `is_sure` is set for equal names only, and everything else is for a person to look at. Nothing is written. (session, or token with workspace:read)"""
        return cast("SuggestMapAnswer", await self._driver.run(_SUGGEST_MAP.call({"org_slug": org_slug}, body)))

    async def get_derived_version(self, *, org_slug: str, version_id: str) -> GetDerivedVersionAnswer:
        """Get a derived dataset version. The full record with its recipe, artifacts and provenance. (session, or token with workspace:read)"""
        return cast("GetDerivedVersionAnswer", await self._driver.run(_GET_DERIVED_VERSION.call({"org_slug": org_slug, "version_id": version_id})))

    async def change_version(self, *, org_slug: str, version_id: str, body: ChangeVersion) -> ChangeVersionAnswer:
        """Edit the details of a version, or publish or withdraw it. Source and recipe never change. `visibility` needs a session, the role admin of the project, and read access to the source. `public` puts the version in the catalog under its id, even if its source is private: everyone can then see its episodes, its recipe, and the names of its source and of the versions in between. Its export is queued if it has no files yet. `private` removes it at once and ends public links to its media. (session, or token with versions:write)"""
        return cast("ChangeVersionAnswer", await self._driver.run(_CHANGE_VERSION.call({"org_slug": org_slug, "version_id": version_id}, body)))

    async def delete_version(self, *, org_slug: str, version_id: str) -> DeleteVersionAnswer:
        """Delete a version and its exports. Exports under way are canceled. The source dataset is not touched; the version number is not used again. A version that others in the organization are derived from is a 409 until those are deleted. (session, or token with versions:write)"""
        return cast("DeleteVersionAnswer", await self._driver.run(_DELETE_VERSION.call({"org_slug": org_slug, "version_id": version_id})))

    async def get_recipe_draft(self, *, dataset_id: str) -> GetRecipeDraftAnswer:
        """Get your draft of a recipe on a dataset or version. `item` is null where nothing was begun. (session, or token with workspace:read)"""
        return cast("GetRecipeDraftAnswer", await self._driver.run(_GET_RECIPE_DRAFT.call({"dataset_id": dataset_id})))

    async def put_recipe_draft(self, *, dataset_id: str, body: PutRecipeDraftBody) -> PutRecipeDraftAnswer:
        """Save your draft of a recipe. One per person and dataset. `revision` is that of the draft which is changed, 0 where there is none: a draft that was saved elsewhere meanwhile is a 409, and nothing is overwritten. (session, or token with versions:write)"""
        return cast("PutRecipeDraftAnswer", await self._driver.run(_PUT_RECIPE_DRAFT.call({"dataset_id": dataset_id}, body)))

    async def get_shared_recipe_draft(self, *, draft_id: str) -> GetSharedRecipeDraftAnswer:
        """Get a draft by its link. For whoever may read its dataset or version: the recipe, whose it is, and when it was changed last. (session, or token with workspace:read)"""
        return cast("GetSharedRecipeDraftAnswer", await self._driver.run(_GET_SHARED_RECIPE_DRAFT.call({"draft_id": draft_id})))

    async def list_export_targets(self, *, org_slug: str, version_id: str, options: str | None = None) -> ListExportTargetsAnswer:
        """List what a version can be exported as. Every artifact key with who reads it, the JSON Schema of its options, and for this version: about how large it would be, and what it has no place for. With the usual options, unless others are given. (session, or token with workspace:read)"""
        return cast("ListExportTargetsAnswer", await self._driver.run(_LIST_EXPORT_TARGETS.call({"org_slug": org_slug, "version_id": version_id, "options": options})))

    async def list_version_files(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None, artifact_key: Literal["lerobot", "lerobot-v2.1", "gr00t", "openpi-norm-stats", "rlds", "mcap", "robomimic", "zarr"] | None = None) -> ListVersionFilesAnswer:
        """List the files of a materialized version with signed URLs. The same files as in the tar of the artifact (`lerobot` by default), by path. Each URL is valid for 15 minutes and supports Range requests. (session, or token with workspace:read)"""
        return cast("ListVersionFilesAnswer", await self._driver.run(_LIST_VERSION_FILES.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor, "artifact_key": artifact_key})))

    def iterate_version_files(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None, artifact_key: Literal["lerobot", "lerobot-v2.1", "gr00t", "openpi-norm-stats", "rlds", "mcap", "robomimic", "zarr"] | None = None) -> AsyncIterator[VersionFile]:
        """Every item of every page of `list_version_files`."""
        return cast("AsyncIterator[VersionFile]", paging.iterate_async(self._driver, _LIST_VERSION_FILES, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor, "artifact_key": artifact_key}))

    async def copy_version(self, *, org_slug: str, version_id: str, body: CopyVersion, idempotency_key: str | None = None) -> CopyVersionAnswer:
        """Copy a version into a project as a dataset. Needs read access to the version and write access to the target project: `project_slug` of `org_slug`, by default the version’s own. Queues an import of the kind `version`; if the version has no files yet, its export is queued and the import waits for it. The result is an independent dataset that needs neither the version nor its source, with the version’s card, splits, flags and annotation sets, and its name as title unless you give one. `copied_from` of the import says where it came from. A token also needs `workspace:read` if the version is private. With an idempotency key (body field or `Idempotency-Key` header, unique per project) the same request returns the same import: 200 with `Idempotency-Replayed: true` instead of 202. (session, or token with imports:write)"""
        return cast("CopyVersionAnswer", await self._driver.run(_COPY_VERSION.call({"org_slug": org_slug, "version_id": version_id, "idempotency-key": idempotency_key}, body)))

    async def get_version_lineage(self, *, org_slug: str, version_id: str) -> GetVersionLineageAnswer:
        """Tell what a version came from, and what came from it. Imports, pushes, revisions, versions and exports that it came from or that came from it, across projects, as far as you may see them. (session, or token with workspace:read)"""
        return cast("GetVersionLineageAnswer", await self._driver.run(_GET_VERSION_LINEAGE.call({"org_slug": org_slug, "version_id": version_id})))
