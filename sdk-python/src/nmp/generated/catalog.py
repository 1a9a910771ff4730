# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import Any, AsyncIterator, Iterator, Literal, cast

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    BrowseCatalogAnswer,
    CatalogEntry,
    CheckFinding,
    CheckRanking,
    EpisodeRecord,
    GetCatalogDatasetAnswer,
    GetChecksAnswer,
    GetEpisodeChecksAnswer,
    GetEpisodeMediaAnswer,
    GetEpisodeNavigationAnswer,
    GetEpisodeRowsAnswer,
    GetEpisodeSpriteUrlAnswer,
    GetFeatureStatisticsAnswer,
    GetFilteringAnswer,
    GetInsightsAnswer,
    GetMotionCurvesAnswer,
    GetStatisticsAnswer,
    GetThumbnailsAnswer,
    ListCheckFindingsAnswer,
    ListCheckRankingsAnswer,
    ListCheckRulesAnswer,
    ListEpisodesAnswer,
    ListFilesAnswer,
    ListFramesAnswer,
    StoredFile,
)

_BROWSE_CATALOG = Operation("browseCatalog", "GET", "/api/v1/catalog/datasets", query=("q", "robot_type", "tag", "task", "size", "cameras", "source_kind", "min_seconds", "max_seconds", "min_bytes", "max_bytes", "min_episodes", "max_episodes", "sort", "limit", "counts", "cursor",), paging="cursor", repeatable=True)
_GET_CATALOG_DATASET = Operation("getCatalogDataset", "GET", "/api/v1/catalog/datasets/{dataset_id}", query=("offset", "limit", "q", "split", "sort", "order",), repeatable=True)
_LIST_EPISODES = Operation("listEpisodes", "GET", "/api/v1/catalog/datasets/{dataset_id}/episodes", query=("offset", "limit", "q", "split", "sort", "order",), paging="offset", repeatable=True)
_GET_EPISODE_NAVIGATION = Operation("getEpisodeNavigation", "GET", "/api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/navigation", repeatable=True)
_LIST_FRAMES = Operation("listFrames", "GET", "/api/v1/catalog/datasets/{dataset_id}/frames", query=("offset", "limit", "view", "camera_key",), paging="offset", repeatable=True)
_GET_STATISTICS = Operation("getStatistics", "GET", "/api/v1/catalog/datasets/{dataset_id}/statistics", repeatable=True)
_GET_FILTERING = Operation("getFiltering", "GET", "/api/v1/catalog/datasets/{dataset_id}/filtering", repeatable=True)
_GET_THUMBNAILS = Operation("getThumbnails", "GET", "/api/v1/catalog/datasets/{dataset_id}/thumbnails", repeatable=True)
_GET_FEATURE_STATISTICS = Operation("getFeatureStatistics", "GET", "/api/v1/catalog/datasets/{dataset_id}/feature-statistics", repeatable=True)
_GET_INSIGHTS = Operation("getInsights", "GET", "/api/v1/catalog/datasets/{dataset_id}/insights", query=("offset", "limit",), repeatable=True)
_GET_MOTION_CURVES = Operation("getMotionCurves", "GET", "/api/v1/catalog/datasets/{dataset_id}/motion-curves", query=("offset", "limit",), repeatable=True)
_LIST_FILES = Operation("listFiles", "GET", "/api/v1/catalog/datasets/{dataset_id}/files", query=("limit", "cursor",), paging="cursor", repeatable=True)
_GET_EPISODE_ROWS = Operation("getEpisodeRows", "GET", "/api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/rows", query=("columns", "points", "recorded", "start_frame", "end_frame", "format",), repeatable=True)
_GET_EPISODE_MEDIA = Operation("getEpisodeMedia", "GET", "/api/v1/catalog/datasets/{dataset_id}/episodes/{episode_index}/media", repeatable=True)
_GET_EPISODE_SPRITE_URL = Operation("getEpisodeSpriteUrl", "GET", "/api/v1/catalog/datasets/{dataset_id}/episode-sprite", query=("camera_key", "offset", "limit",), repeatable=True)
_LIST_CHECK_RULES = Operation("listCheckRules", "GET", "/api/v1/checks/rules", repeatable=True)
_GET_CHECKS = Operation("getChecks", "GET", "/api/v1/catalog/datasets/{dataset_id}/checks", repeatable=True)
_LIST_CHECK_FINDINGS = Operation("listCheckFindings", "GET", "/api/v1/catalog/datasets/{dataset_id}/checks/findings", query=("rule", "family", "severity", "episode_index", "cut_off", "offset", "limit",), paging="offset", repeatable=True)
_LIST_CHECK_RANKINGS = Operation("listCheckRankings", "GET", "/api/v1/catalog/datasets/{dataset_id}/checks/rankings", query=("rule", "episode_index", "order", "offset", "limit",), paging="offset", repeatable=True)
_GET_EPISODE_CHECKS = Operation("getEpisodeChecks", "GET", "/api/v1/catalog/datasets/{dataset_id}/checks/episodes/{episode_index}", repeatable=True)


class Catalog:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def browse_catalog(self, *, q: str | None = None, robot_type: str | None = None, tag: str | None = None, task: str | None = None, size: Literal["under-100", "100-to-1k", "1k-to-10k", "over-10k"] | None = None, cameras: Literal["0", "1", "2", "3", "4-or-more"] | None = None, source_kind: str | None = None, min_seconds: float | None = None, max_seconds: float | None = None, min_bytes: int | None = None, max_bytes: int | None = None, min_episodes: int | None = None, max_episodes: int | None = None, sort: Literal["newest", "name", "recorded", "episodes", "size"] | None = None, limit: int | None = None, counts: bool | None = None, cursor: str | None = None) -> BrowseCatalogAnswer:
        """Browse the public datasets. Every word of `q` must begin a word of the title, slug, tags, tasks, robot type, embodiment, work or description. `facets` and `histograms` count what each filter value would leave, and are only sent with the first page. (no credential needed)"""
        return cast("BrowseCatalogAnswer", self._driver.run(_BROWSE_CATALOG.call({"q": q, "robot_type": robot_type, "tag": tag, "task": task, "size": size, "cameras": cameras, "source_kind": source_kind, "min_seconds": min_seconds, "max_seconds": max_seconds, "min_bytes": min_bytes, "max_bytes": max_bytes, "min_episodes": min_episodes, "max_episodes": max_episodes, "sort": sort, "limit": limit, "counts": counts, "cursor": cursor})))

    def iterate_catalog(self, *, q: str | None = None, robot_type: str | None = None, tag: str | None = None, task: str | None = None, size: Literal["under-100", "100-to-1k", "1k-to-10k", "over-10k"] | None = None, cameras: Literal["0", "1", "2", "3", "4-or-more"] | None = None, source_kind: str | None = None, min_seconds: float | None = None, max_seconds: float | None = None, min_bytes: int | None = None, max_bytes: int | None = None, min_episodes: int | None = None, max_episodes: int | None = None, sort: Literal["newest", "name", "recorded", "episodes", "size"] | None = None, limit: int | None = None, counts: bool | None = None, cursor: str | None = None) -> Iterator[CatalogEntry]:
        """Every item of every page of `browse_catalog`."""
        return cast("Iterator[CatalogEntry]", paging.iterate(self._driver, _BROWSE_CATALOG, {"q": q, "robot_type": robot_type, "tag": tag, "task": task, "size": size, "cameras": cameras, "source_kind": source_kind, "min_seconds": min_seconds, "max_seconds": max_seconds, "min_bytes": min_bytes, "max_bytes": max_bytes, "min_episodes": min_episodes, "max_episodes": max_episodes, "sort": sort, "limit": limit, "counts": counts, "cursor": cursor}))

    def get_catalog_dataset(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, q: str | None = None, split: str | None = None, sort: str | None = None, order: Literal["asc", "desc"] | None = None) -> GetCatalogDatasetAnswer:
        """Get a dataset's manifest. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetCatalogDatasetAnswer", self._driver.run(_GET_CATALOG_DATASET.call({"dataset_id": dataset_id, "offset": offset, "limit": limit, "q": q, "split": split, "sort": sort, "order": order})))

    def list_episodes(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, q: str | None = None, split: str | None = None, sort: str | None = None, order: Literal["asc", "desc"] | None = None) -> ListEpisodesAnswer:
        """List the episodes of a dataset. Every page costs the same at any offset. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("ListEpisodesAnswer", self._driver.run(_LIST_EPISODES.call({"dataset_id": dataset_id, "offset": offset, "limit": limit, "q": q, "split": split, "sort": sort, "order": order})))

    def iterate_episodes(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, q: str | None = None, split: str | None = None, sort: str | None = None, order: Literal["asc", "desc"] | None = None) -> Iterator[EpisodeRecord]:
        """Every item of every page of `list_episodes`."""
        return cast("Iterator[EpisodeRecord]", paging.iterate(self._driver, _LIST_EPISODES, {"dataset_id": dataset_id, "offset": offset, "limit": limit, "q": q, "split": split, "sort": sort, "order": order}))

    def get_episode_navigation(self, *, dataset_id: str, episode_index: int | str) -> GetEpisodeNavigationAnswer:
        """Get an episode and its neighbours. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetEpisodeNavigationAnswer", self._driver.run(_GET_EPISODE_NAVIGATION.call({"dataset_id": dataset_id, "episode_index": episode_index})))

    def list_frames(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, view: str | None = None, camera_key: str | None = None) -> ListFramesAnswer:
        """List the first or last frames of the episodes. Each stream names the shared video file with the seconds of the episode in it, and a picture of the frame. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("ListFramesAnswer", self._driver.run(_LIST_FRAMES.call({"dataset_id": dataset_id, "offset": offset, "limit": limit, "view": view, "camera_key": camera_key})))

    def iterate_frames(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, view: str | None = None, camera_key: str | None = None) -> Iterator[dict[str, Any]]:
        """Every item of every page of `list_frames`."""
        return cast("Iterator[dict[str, Any]]", paging.iterate(self._driver, _LIST_FRAMES, {"dataset_id": dataset_id, "offset": offset, "limit": limit, "view": view, "camera_key": camera_key}))

    def get_statistics(self, *, dataset_id: str) -> GetStatisticsAnswer:
        """Get the statistics of the episodes. Exact, over every episode. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetStatisticsAnswer", self._driver.run(_GET_STATISTICS.call({"dataset_id": dataset_id})))

    def get_filtering(self, *, dataset_id: str) -> GetFilteringAnswer:
        """Get the episodes that move unusually little or shake unusually much. Every frame of every episode is scored; each list holds at most 1,000. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetFilteringAnswer", self._driver.run(_GET_FILTERING.call({"dataset_id": dataset_id})))

    def get_thumbnails(self, *, dataset_id: str) -> GetThumbnailsAnswer:
        """Get pictures of a few episodes. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetThumbnailsAnswer", self._driver.run(_GET_THUMBNAILS.call({"dataset_id": dataset_id})))

    def get_feature_statistics(self, *, dataset_id: str) -> GetFeatureStatisticsAnswer:
        """Get mean, spread and quantiles of every feature. Over every row, computed at import. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetFeatureStatisticsAnswer", self._driver.run(_GET_FEATURE_STATISTICS.call({"dataset_id": dataset_id})))

    def get_insights(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None) -> GetInsightsAnswer:
        """Get length, motion and variance of every episode, for plots. Arrays by episode number, starting at `offset`. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetInsightsAnswer", self._driver.run(_GET_INSIGHTS.call({"dataset_id": dataset_id, "offset": offset, "limit": limit})))

    def get_motion_curves(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None) -> GetMotionCurvesAnswer:
        """Get a motion curve of each episode, for rows of a list. By episode number, starting at `offset`. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetMotionCurvesAnswer", self._driver.run(_GET_MOTION_CURVES.call({"dataset_id": dataset_id, "offset": offset, "limit": limit})))

    def list_files(self, *, dataset_id: str, limit: int | None = None, cursor: str | None = None) -> ListFilesAnswer:
        """List the files of the stored dataset. The LeRobot v3 dataset as it is stored, file by file. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("ListFilesAnswer", self._driver.run(_LIST_FILES.call({"dataset_id": dataset_id, "limit": limit, "cursor": cursor})))

    def iterate_files(self, *, dataset_id: str, limit: int | None = None, cursor: str | None = None) -> Iterator[StoredFile]:
        """Every item of every page of `list_files`."""
        return cast("Iterator[StoredFile]", paging.iterate(self._driver, _LIST_FILES, {"dataset_id": dataset_id, "limit": limit, "cursor": cursor}))

    def get_episode_rows(self, *, dataset_id: str, episode_index: int | str, columns: str | None = None, points: int | None = None, recorded: bool | None = None, start_frame: int | None = None, end_frame: int | None = None, format: Literal["json", "csv", "arrow"] | None = None) -> GetEpisodeRowsAnswer:
        """The rows of an episode as JSON, CSV or Arrow. JSON is for charts: at most `points` positions. A longer episode is cut into buckets of equal length; each gives two positions, its first and last frame, which show the smallest and the largest value of the bucket in the order in which they came, so no peak is lost. CSV and Arrow (IPC file) hold every row, and are sent as fast as they are read. (no credential needed)"""
        return cast("GetEpisodeRowsAnswer", self._driver.run(_GET_EPISODE_ROWS.call({"dataset_id": dataset_id, "episode_index": episode_index, "columns": columns, "points": points, "recorded": recorded, "start_frame": start_frame, "end_frame": end_frame, "format": format})))

    def get_episode_media(self, *, dataset_id: str, episode_index: int | str) -> GetEpisodeMediaAnswer:
        """Get the media URLs of an episode. Signed URLs per camera: the video file with the seconds of the episode in it, a poster, a strip of eight frames, a clip to save. They are the same within an hour. (no credential needed)"""
        return cast("GetEpisodeMediaAnswer", self._driver.run(_GET_EPISODE_MEDIA.call({"dataset_id": dataset_id, "episode_index": episode_index})))

    def get_episode_sprite_url(self, *, dataset_id: str, camera_key: str | None = None, offset: int | None = None, limit: int | None = None) -> GetEpisodeSpriteUrlAnswer:
        """Get the thumbnails of a page of episodes. One picture with the first frames of episodes `offset` to `offset + limit`, one below the other, for tables: tile i begins at pixel row i times `tile_height`. (no credential needed)"""
        return cast("GetEpisodeSpriteUrlAnswer", self._driver.run(_GET_EPISODE_SPRITE_URL.call({"dataset_id": dataset_id, "camera_key": camera_key, "offset": offset, "limit": limit})))

    def list_check_rules(self) -> ListCheckRulesAnswer:
        """List the rules of the checks. What each measures, from where on something is found, and what to do about it. (no credential needed)"""
        return cast("ListCheckRulesAnswer", self._driver.run(_LIST_CHECK_RULES.call({})))

    def get_checks(self, *, dataset_id: str) -> GetChecksAnswer:
        """Get what the checks found, in numbers. Of the revision that is shown, or of the version: where the checks stand, counts by rule, family and severity at the cut-offs in force, and which episodes to look at first. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. (no credential needed)"""
        return cast("GetChecksAnswer", self._driver.run(_GET_CHECKS.call({"dataset_id": dataset_id})))

    def list_check_findings(self, *, dataset_id: str, rule: str | None = None, family: Literal["signals", "motion", "pictures", "sets"] | None = None, severity: Literal["error", "warning", "info"] | None = None, episode_index: int | None = None, cut_off: float | None = None, offset: int | None = None, limit: int | None = None) -> ListCheckFindingsAnswer:
        """List what the checks found. The most severe first, then by rule, episode and frame. With `rule` and `cut_off`: what that cut-off finds, at once, where the rule keeps it. A rule lists at most a thousand, and twenty of an episode. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. (no credential needed)"""
        return cast("ListCheckFindingsAnswer", self._driver.run(_LIST_CHECK_FINDINGS.call({"dataset_id": dataset_id, "rule": rule, "family": family, "severity": severity, "episode_index": episode_index, "cut_off": cut_off, "offset": offset, "limit": limit})))

    def iterate_check_findings(self, *, dataset_id: str, rule: str | None = None, family: Literal["signals", "motion", "pictures", "sets"] | None = None, severity: Literal["error", "warning", "info"] | None = None, episode_index: int | None = None, cut_off: float | None = None, offset: int | None = None, limit: int | None = None) -> Iterator[CheckFinding]:
        """Every item of every page of `list_check_findings`."""
        return cast("Iterator[CheckFinding]", paging.iterate(self._driver, _LIST_CHECK_FINDINGS, {"dataset_id": dataset_id, "rule": rule, "family": family, "severity": severity, "episode_index": episode_index, "cut_off": cut_off, "offset": offset, "limit": limit}))

    def list_check_rankings(self, *, dataset_id: str, rule: str | None = None, episode_index: int | None = None, order: Literal["episode", "lowest", "highest"] | None = None, offset: int | None = None, limit: int | None = None) -> ListCheckRankingsAnswer:
        """List what rules measure of every episode. Rankings are no verdicts: a value, a rank and a percentile for each episode, of one rule or of all of them, one after the other. Some rules that flag rank too. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. (no credential needed)"""
        return cast("ListCheckRankingsAnswer", self._driver.run(_LIST_CHECK_RANKINGS.call({"dataset_id": dataset_id, "rule": rule, "episode_index": episode_index, "order": order, "offset": offset, "limit": limit})))

    def iterate_check_rankings(self, *, dataset_id: str, rule: str | None = None, episode_index: int | None = None, order: Literal["episode", "lowest", "highest"] | None = None, offset: int | None = None, limit: int | None = None) -> Iterator[CheckRanking]:
        """Every item of every page of `list_check_rankings`."""
        return cast("Iterator[CheckRanking]", paging.iterate(self._driver, _LIST_CHECK_RANKINGS, {"dataset_id": dataset_id, "rule": rule, "episode_index": episode_index, "order": order, "offset": offset, "limit": limit}))

    def get_episode_checks(self, *, dataset_id: str, episode_index: int | str) -> GetEpisodeChecksAnswer:
        """Get what the checks found in one episode, and its rankings. Its findings at the cut-offs in force, its value, rank and percentile by every rule that ranks, and its place among the episodes to look at first. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. (no credential needed)"""
        return cast("GetEpisodeChecksAnswer", self._driver.run(_GET_EPISODE_CHECKS.call({"dataset_id": dataset_id, "episode_index": episode_index})))


class AsyncCatalog:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def browse_catalog(self, *, q: str | None = None, robot_type: str | None = None, tag: str | None = None, task: str | None = None, size: Literal["under-100", "100-to-1k", "1k-to-10k", "over-10k"] | None = None, cameras: Literal["0", "1", "2", "3", "4-or-more"] | None = None, source_kind: str | None = None, min_seconds: float | None = None, max_seconds: float | None = None, min_bytes: int | None = None, max_bytes: int | None = None, min_episodes: int | None = None, max_episodes: int | None = None, sort: Literal["newest", "name", "recorded", "episodes", "size"] | None = None, limit: int | None = None, counts: bool | None = None, cursor: str | None = None) -> BrowseCatalogAnswer:
        """Browse the public datasets. Every word of `q` must begin a word of the title, slug, tags, tasks, robot type, embodiment, work or description. `facets` and `histograms` count what each filter value would leave, and are only sent with the first page. (no credential needed)"""
        return cast("BrowseCatalogAnswer", await self._driver.run(_BROWSE_CATALOG.call({"q": q, "robot_type": robot_type, "tag": tag, "task": task, "size": size, "cameras": cameras, "source_kind": source_kind, "min_seconds": min_seconds, "max_seconds": max_seconds, "min_bytes": min_bytes, "max_bytes": max_bytes, "min_episodes": min_episodes, "max_episodes": max_episodes, "sort": sort, "limit": limit, "counts": counts, "cursor": cursor})))

    def iterate_catalog(self, *, q: str | None = None, robot_type: str | None = None, tag: str | None = None, task: str | None = None, size: Literal["under-100", "100-to-1k", "1k-to-10k", "over-10k"] | None = None, cameras: Literal["0", "1", "2", "3", "4-or-more"] | None = None, source_kind: str | None = None, min_seconds: float | None = None, max_seconds: float | None = None, min_bytes: int | None = None, max_bytes: int | None = None, min_episodes: int | None = None, max_episodes: int | None = None, sort: Literal["newest", "name", "recorded", "episodes", "size"] | None = None, limit: int | None = None, counts: bool | None = None, cursor: str | None = None) -> AsyncIterator[CatalogEntry]:
        """Every item of every page of `browse_catalog`."""
        return cast("AsyncIterator[CatalogEntry]", paging.iterate_async(self._driver, _BROWSE_CATALOG, {"q": q, "robot_type": robot_type, "tag": tag, "task": task, "size": size, "cameras": cameras, "source_kind": source_kind, "min_seconds": min_seconds, "max_seconds": max_seconds, "min_bytes": min_bytes, "max_bytes": max_bytes, "min_episodes": min_episodes, "max_episodes": max_episodes, "sort": sort, "limit": limit, "counts": counts, "cursor": cursor}))

    async def get_catalog_dataset(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, q: str | None = None, split: str | None = None, sort: str | None = None, order: Literal["asc", "desc"] | None = None) -> GetCatalogDatasetAnswer:
        """Get a dataset's manifest. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetCatalogDatasetAnswer", await self._driver.run(_GET_CATALOG_DATASET.call({"dataset_id": dataset_id, "offset": offset, "limit": limit, "q": q, "split": split, "sort": sort, "order": order})))

    async def list_episodes(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, q: str | None = None, split: str | None = None, sort: str | None = None, order: Literal["asc", "desc"] | None = None) -> ListEpisodesAnswer:
        """List the episodes of a dataset. Every page costs the same at any offset. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("ListEpisodesAnswer", await self._driver.run(_LIST_EPISODES.call({"dataset_id": dataset_id, "offset": offset, "limit": limit, "q": q, "split": split, "sort": sort, "order": order})))

    def iterate_episodes(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, q: str | None = None, split: str | None = None, sort: str | None = None, order: Literal["asc", "desc"] | None = None) -> AsyncIterator[EpisodeRecord]:
        """Every item of every page of `list_episodes`."""
        return cast("AsyncIterator[EpisodeRecord]", paging.iterate_async(self._driver, _LIST_EPISODES, {"dataset_id": dataset_id, "offset": offset, "limit": limit, "q": q, "split": split, "sort": sort, "order": order}))

    async def get_episode_navigation(self, *, dataset_id: str, episode_index: int | str) -> GetEpisodeNavigationAnswer:
        """Get an episode and its neighbours. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetEpisodeNavigationAnswer", await self._driver.run(_GET_EPISODE_NAVIGATION.call({"dataset_id": dataset_id, "episode_index": episode_index})))

    async def list_frames(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, view: str | None = None, camera_key: str | None = None) -> ListFramesAnswer:
        """List the first or last frames of the episodes. Each stream names the shared video file with the seconds of the episode in it, and a picture of the frame. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("ListFramesAnswer", await self._driver.run(_LIST_FRAMES.call({"dataset_id": dataset_id, "offset": offset, "limit": limit, "view": view, "camera_key": camera_key})))

    def iterate_frames(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None, view: str | None = None, camera_key: str | None = None) -> AsyncIterator[dict[str, Any]]:
        """Every item of every page of `list_frames`."""
        return cast("AsyncIterator[dict[str, Any]]", paging.iterate_async(self._driver, _LIST_FRAMES, {"dataset_id": dataset_id, "offset": offset, "limit": limit, "view": view, "camera_key": camera_key}))

    async def get_statistics(self, *, dataset_id: str) -> GetStatisticsAnswer:
        """Get the statistics of the episodes. Exact, over every episode. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetStatisticsAnswer", await self._driver.run(_GET_STATISTICS.call({"dataset_id": dataset_id})))

    async def get_filtering(self, *, dataset_id: str) -> GetFilteringAnswer:
        """Get the episodes that move unusually little or shake unusually much. Every frame of every episode is scored; each list holds at most 1,000. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetFilteringAnswer", await self._driver.run(_GET_FILTERING.call({"dataset_id": dataset_id})))

    async def get_thumbnails(self, *, dataset_id: str) -> GetThumbnailsAnswer:
        """Get pictures of a few episodes. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetThumbnailsAnswer", await self._driver.run(_GET_THUMBNAILS.call({"dataset_id": dataset_id})))

    async def get_feature_statistics(self, *, dataset_id: str) -> GetFeatureStatisticsAnswer:
        """Get mean, spread and quantiles of every feature. Over every row, computed at import. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetFeatureStatisticsAnswer", await self._driver.run(_GET_FEATURE_STATISTICS.call({"dataset_id": dataset_id})))

    async def get_insights(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None) -> GetInsightsAnswer:
        """Get length, motion and variance of every episode, for plots. Arrays by episode number, starting at `offset`. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetInsightsAnswer", await self._driver.run(_GET_INSIGHTS.call({"dataset_id": dataset_id, "offset": offset, "limit": limit})))

    async def get_motion_curves(self, *, dataset_id: str, offset: int | None = None, limit: int | None = None) -> GetMotionCurvesAnswer:
        """Get a motion curve of each episode, for rows of a list. By episode number, starting at `offset`. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("GetMotionCurvesAnswer", await self._driver.run(_GET_MOTION_CURVES.call({"dataset_id": dataset_id, "offset": offset, "limit": limit})))

    async def list_files(self, *, dataset_id: str, limit: int | None = None, cursor: str | None = None) -> ListFilesAnswer:
        """List the files of the stored dataset. The LeRobot v3 dataset as it is stored, file by file. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. `ETag` and `If-None-Match` are supported. (no credential needed)"""
        return cast("ListFilesAnswer", await self._driver.run(_LIST_FILES.call({"dataset_id": dataset_id, "limit": limit, "cursor": cursor})))

    def iterate_files(self, *, dataset_id: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[StoredFile]:
        """Every item of every page of `list_files`."""
        return cast("AsyncIterator[StoredFile]", paging.iterate_async(self._driver, _LIST_FILES, {"dataset_id": dataset_id, "limit": limit, "cursor": cursor}))

    async def get_episode_rows(self, *, dataset_id: str, episode_index: int | str, columns: str | None = None, points: int | None = None, recorded: bool | None = None, start_frame: int | None = None, end_frame: int | None = None, format: Literal["json", "csv", "arrow"] | None = None) -> GetEpisodeRowsAnswer:
        """The rows of an episode as JSON, CSV or Arrow. JSON is for charts: at most `points` positions. A longer episode is cut into buckets of equal length; each gives two positions, its first and last frame, which show the smallest and the largest value of the bucket in the order in which they came, so no peak is lost. CSV and Arrow (IPC file) hold every row, and are sent as fast as they are read. (no credential needed)"""
        return cast("GetEpisodeRowsAnswer", await self._driver.run(_GET_EPISODE_ROWS.call({"dataset_id": dataset_id, "episode_index": episode_index, "columns": columns, "points": points, "recorded": recorded, "start_frame": start_frame, "end_frame": end_frame, "format": format})))

    async def get_episode_media(self, *, dataset_id: str, episode_index: int | str) -> GetEpisodeMediaAnswer:
        """Get the media URLs of an episode. Signed URLs per camera: the video file with the seconds of the episode in it, a poster, a strip of eight frames, a clip to save. They are the same within an hour. (no credential needed)"""
        return cast("GetEpisodeMediaAnswer", await self._driver.run(_GET_EPISODE_MEDIA.call({"dataset_id": dataset_id, "episode_index": episode_index})))

    async def get_episode_sprite_url(self, *, dataset_id: str, camera_key: str | None = None, offset: int | None = None, limit: int | None = None) -> GetEpisodeSpriteUrlAnswer:
        """Get the thumbnails of a page of episodes. One picture with the first frames of episodes `offset` to `offset + limit`, one below the other, for tables: tile i begins at pixel row i times `tile_height`. (no credential needed)"""
        return cast("GetEpisodeSpriteUrlAnswer", await self._driver.run(_GET_EPISODE_SPRITE_URL.call({"dataset_id": dataset_id, "camera_key": camera_key, "offset": offset, "limit": limit})))

    async def list_check_rules(self) -> ListCheckRulesAnswer:
        """List the rules of the checks. What each measures, from where on something is found, and what to do about it. (no credential needed)"""
        return cast("ListCheckRulesAnswer", await self._driver.run(_LIST_CHECK_RULES.call({})))

    async def get_checks(self, *, dataset_id: str) -> GetChecksAnswer:
        """Get what the checks found, in numbers. Of the revision that is shown, or of the version: where the checks stand, counts by rule, family and severity at the cut-offs in force, and which episodes to look at first. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. (no credential needed)"""
        return cast("GetChecksAnswer", await self._driver.run(_GET_CHECKS.call({"dataset_id": dataset_id})))

    async def list_check_findings(self, *, dataset_id: str, rule: str | None = None, family: Literal["signals", "motion", "pictures", "sets"] | None = None, severity: Literal["error", "warning", "info"] | None = None, episode_index: int | None = None, cut_off: float | None = None, offset: int | None = None, limit: int | None = None) -> ListCheckFindingsAnswer:
        """List what the checks found. The most severe first, then by rule, episode and frame. With `rule` and `cut_off`: what that cut-off finds, at once, where the rule keeps it. A rule lists at most a thousand, and twenty of an episode. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. (no credential needed)"""
        return cast("ListCheckFindingsAnswer", await self._driver.run(_LIST_CHECK_FINDINGS.call({"dataset_id": dataset_id, "rule": rule, "family": family, "severity": severity, "episode_index": episode_index, "cut_off": cut_off, "offset": offset, "limit": limit})))

    def iterate_check_findings(self, *, dataset_id: str, rule: str | None = None, family: Literal["signals", "motion", "pictures", "sets"] | None = None, severity: Literal["error", "warning", "info"] | None = None, episode_index: int | None = None, cut_off: float | None = None, offset: int | None = None, limit: int | None = None) -> AsyncIterator[CheckFinding]:
        """Every item of every page of `list_check_findings`."""
        return cast("AsyncIterator[CheckFinding]", paging.iterate_async(self._driver, _LIST_CHECK_FINDINGS, {"dataset_id": dataset_id, "rule": rule, "family": family, "severity": severity, "episode_index": episode_index, "cut_off": cut_off, "offset": offset, "limit": limit}))

    async def list_check_rankings(self, *, dataset_id: str, rule: str | None = None, episode_index: int | None = None, order: Literal["episode", "lowest", "highest"] | None = None, offset: int | None = None, limit: int | None = None) -> ListCheckRankingsAnswer:
        """List what rules measure of every episode. Rankings are no verdicts: a value, a rank and a percentile for each episode, of one rule or of all of them, one after the other. Some rules that flag rank too. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. (no credential needed)"""
        return cast("ListCheckRankingsAnswer", await self._driver.run(_LIST_CHECK_RANKINGS.call({"dataset_id": dataset_id, "rule": rule, "episode_index": episode_index, "order": order, "offset": offset, "limit": limit})))

    def iterate_check_rankings(self, *, dataset_id: str, rule: str | None = None, episode_index: int | None = None, order: Literal["episode", "lowest", "highest"] | None = None, offset: int | None = None, limit: int | None = None) -> AsyncIterator[CheckRanking]:
        """Every item of every page of `list_check_rankings`."""
        return cast("AsyncIterator[CheckRanking]", paging.iterate_async(self._driver, _LIST_CHECK_RANKINGS, {"dataset_id": dataset_id, "rule": rule, "episode_index": episode_index, "order": order, "offset": offset, "limit": limit}))

    async def get_episode_checks(self, *, dataset_id: str, episode_index: int | str) -> GetEpisodeChecksAnswer:
        """Get what the checks found in one episode, and its rankings. Its findings at the cut-offs in force, its value, rank and percentile by every rule that ranks, and its place among the episodes to look at first. Public datasets need no credential; private ones need read access to the project and are a 404 for everyone else. (no credential needed)"""
        return cast("GetEpisodeChecksAnswer", await self._driver.run(_GET_EPISODE_CHECKS.call({"dataset_id": dataset_id, "episode_index": episode_index})))
