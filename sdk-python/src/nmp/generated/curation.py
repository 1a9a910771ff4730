# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import AsyncIterator, Iterator, Literal, cast

import httpx

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation
from .. import paging
from .records import (
    AnnotationSet,
    ChangeReviewAnswer,
    ChangeReviewBody,
    CopyAnnotationSetAnswer,
    CopyAnnotationSetBody,
    CopyFlagsAnswer,
    CopyFlagsBody,
    CreateAnnotationSetAnswer,
    CreateAnnotationSetBody,
    CreateReviewAnswer,
    CreateReviewBody,
    CreateRobotAnswer,
    CreateRobotBody,
    CreateVersionAnnotationSetAnswer,
    CreateVersionAnnotationSetBody,
    DecideReviewAnswer,
    DecideReviewBody,
    DeleteAnnotationSetAnswer,
    DeleteFlagAnswer,
    DeleteFlagsAnswer,
    DeleteFlagsBody,
    DeleteReviewAnswer,
    DeleteRobotAnswer,
    DeleteVersionAnnotationSetAnswer,
    DeleteVersionFlagAnswer,
    DeleteVersionFlagsAnswer,
    DeleteVersionFlagsBody,
    EpisodeFlag,
    GetAnnotationSetAnswer,
    GetDatasetRobotAnswer,
    GetReviewAnswer,
    GetVersionAnnotationSetAnswer,
    ListAnnotationSetsAnswer,
    ListFlagsAnswer,
    ListReviewsAnswer,
    ListRobotsAnswer,
    ListVersionAnnotationSetsAnswer,
    ListVersionFlagsAnswer,
    PutAnnotationSetAnswer,
    PutAnnotationSetBody,
    PutDatasetRobotAnswer,
    PutDatasetRobotBody,
    PutFlagsAnswer,
    PutFlagsBody,
    PutVersionAnnotationSetAnswer,
    PutVersionAnnotationSetBody,
    PutVersionFlagsAnswer,
    PutVersionFlagsBody,
    Review,
    UseNamedRobotAnswer,
)

_LIST_FLAGS = Operation("listFlags", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags", query=("limit", "cursor", "episode_index", "reason", "revision_number",), paging="cursor", repeatable=True)
_PUT_FLAGS = Operation("putFlags", "PUT", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags", query=("revision_number",), repeatable=True)
_DELETE_FLAG = Operation("deleteFlag", "DELETE", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags/{flag_id}", repeatable=True)
_DELETE_FLAGS = Operation("deleteFlags", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags/delete")
_COPY_FLAGS = Operation("copyFlags", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/flags/copy")
_LIST_ANNOTATION_SETS = Operation("listAnnotationSets", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets", query=("limit", "cursor", "revision_number",), paging="cursor", repeatable=True)
_CREATE_ANNOTATION_SET = Operation("createAnnotationSet", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets", query=("revision_number",))
_GET_ANNOTATION_SET = Operation("getAnnotationSet", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}", query=("version", "episode_index",), repeatable=True)
_PUT_ANNOTATION_SET = Operation("putAnnotationSet", "PUT", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}")
_DELETE_ANNOTATION_SET = Operation("deleteAnnotationSet", "DELETE", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}", repeatable=True)
_COPY_ANNOTATION_SET = Operation("copyAnnotationSet", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/datasets/{dataset_slug}/annotation-sets/{set_id}/copy")
_LIST_VERSION_FLAGS = Operation("listVersionFlags", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags", query=("limit", "cursor", "episode_index", "reason",), paging="cursor", repeatable=True)
_PUT_VERSION_FLAGS = Operation("putVersionFlags", "PUT", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags", repeatable=True)
_DELETE_VERSION_FLAG = Operation("deleteVersionFlag", "DELETE", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags/{flag_id}", repeatable=True)
_DELETE_VERSION_FLAGS = Operation("deleteVersionFlags", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/flags/delete")
_LIST_VERSION_ANNOTATION_SETS = Operation("listVersionAnnotationSets", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets", query=("limit", "cursor",), paging="cursor", repeatable=True)
_CREATE_VERSION_ANNOTATION_SET = Operation("createVersionAnnotationSet", "POST", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets")
_GET_VERSION_ANNOTATION_SET = Operation("getVersionAnnotationSet", "GET", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets/{set_id}", query=("version", "episode_index",), repeatable=True)
_PUT_VERSION_ANNOTATION_SET = Operation("putVersionAnnotationSet", "PUT", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets/{set_id}")
_DELETE_VERSION_ANNOTATION_SET = Operation("deleteVersionAnnotationSet", "DELETE", "/api/v1/orgs/{org_slug}/derived-dataset-versions/{version_id}/annotation-sets/{set_id}", repeatable=True)
_LIST_REVIEWS = Operation("listReviews", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews", query=("limit", "cursor", "dataset_id",), paging="cursor", repeatable=True)
_CREATE_REVIEW = Operation("createReview", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews")
_GET_REVIEW = Operation("getReview", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}", repeatable=True)
_CHANGE_REVIEW = Operation("changeReview", "PATCH", "/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}")
_DELETE_REVIEW = Operation("deleteReview", "DELETE", "/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}", repeatable=True)
_DECIDE_REVIEW = Operation("decideReview", "PUT", "/api/v1/orgs/{org_slug}/projects/{project_slug}/reviews/{review_id}/verdicts", repeatable=True)
_LIST_ROBOTS = Operation("listRobots", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/robots", repeatable=True)
_CREATE_ROBOT = Operation("createRobot", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/robots")
_GET_ROBOT_FILE = Operation("getRobotFile", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/robots/{robot_id}/file", answers_bytes=True, repeatable=True)
_DELETE_ROBOT = Operation("deleteRobot", "DELETE", "/api/v1/orgs/{org_slug}/projects/{project_slug}/robots/{robot_id}", repeatable=True)
_GET_DATASET_ROBOT = Operation("getDatasetRobot", "GET", "/api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}", repeatable=True)
_PUT_DATASET_ROBOT = Operation("putDatasetRobot", "PUT", "/api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}", repeatable=True)
_USE_NAMED_ROBOT = Operation("useNamedRobot", "POST", "/api/v1/orgs/{org_slug}/projects/{project_slug}/robot-choices/{dataset_id}/named")


class Curation:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def list_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None, episode_index: int | None = None, reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"] | None = None, revision_number: int | None = None) -> ListFlagsAnswer:
        """List the flags of a dataset. Sorted by episode. The items can be sent to `putFlags` unchanged, here or on another installation. (session, or token with workspace:read)"""
        return cast("ListFlagsAnswer", self._driver.run(_LIST_FLAGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor, "episode_index": episode_index, "reason": reason, "revision_number": revision_number})))

    def iterate_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None, episode_index: int | None = None, reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"] | None = None, revision_number: int | None = None) -> Iterator[EpisodeFlag]:
        """Every item of every page of `list_flags`."""
        return cast("Iterator[EpisodeFlag]", paging.iterate(self._driver, _LIST_FLAGS, {"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor, "episode_index": episode_index, "reason": reason, "revision_number": revision_number}))

    def put_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: PutFlagsBody, revision_number: int | None = None) -> PutFlagsAnswer:
        """Flag episodes. All or none are saved. An episode has one flag per reason and range of frames; sending it again changes its note. `created_ids` lists the new ones: delete them to undo the request. The other editors of the dataset get one notification per request. (session, or token with datasets:write)"""
        return cast("PutFlagsAnswer", self._driver.run(_PUT_FLAGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "revision_number": revision_number}, body)))

    def delete_flag(self, *, org_slug: str, project_slug: str, dataset_slug: str, flag_id: str) -> DeleteFlagAnswer:
        """Take a flag away. Returns the deleted flag; send it to `putFlags` to undo. (session, or token with datasets:write)"""
        return cast("DeleteFlagAnswer", self._driver.run(_DELETE_FLAG.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "flag_id": flag_id})))

    def delete_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: DeleteFlagsBody) -> DeleteFlagsAnswer:
        """Delete several flags. Returns the flags that were deleted; unknown ids are ignored. (session, or token with datasets:write)"""
        return cast("DeleteFlagsAnswer", self._driver.run(_DELETE_FLAGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    def copy_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: CopyFlagsBody) -> CopyFlagsAnswer:
        """Copy the flags of an older revision. Copies flags of episodes that are the same in both revisions, whatever their numbers: same length, tasks and statistics of every feature and camera. `changed_episodes` lists the others by their old numbers. (session, or token with datasets:write)"""
        return cast("CopyFlagsAnswer", self._driver.run(_COPY_FLAGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    def list_annotation_sets(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None, revision_number: int | None = None) -> ListAnnotationSetsAnswer:
        """List the annotation sets of a dataset. Sets of one revision, by default of the revision that the dataset shows. (session, or token with workspace:read)"""
        return cast("ListAnnotationSetsAnswer", self._driver.run(_LIST_ANNOTATION_SETS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor, "revision_number": revision_number})))

    def iterate_annotation_sets(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None, revision_number: int | None = None) -> Iterator[AnnotationSet]:
        """Every item of every page of `list_annotation_sets`."""
        return cast("Iterator[AnnotationSet]", paging.iterate(self._driver, _LIST_ANNOTATION_SETS, {"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor, "revision_number": revision_number}))

    def create_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: CreateAnnotationSetBody, revision_number: int | None = None) -> CreateAnnotationSetAnswer:
        """Create an annotation set. Task text, success, tags, note and labelled ranges of frames per episode. It belongs to one revision; a recipe that names it replaces the task texts and exports the rest in a separate file. The answer of `getAnnotationSet` can be sent here unchanged. (session, or token with datasets:write)"""
        return cast("CreateAnnotationSetAnswer", self._driver.run(_CREATE_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "revision_number": revision_number}, body)))

    def get_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, set_id: str, version: int | None = None, episode_index: int | None = None) -> GetAnnotationSetAnswer:
        """One annotation set with its episodes. By default at its newest version. (session, or token with workspace:read)"""
        return cast("GetAnnotationSetAnswer", self._driver.run(_GET_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "set_id": set_id, "version": version, "episode_index": episode_index})))

    def put_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, set_id: str, body: PutAnnotationSetBody) -> PutAnnotationSetAnswer:
        """Make the next version of an annotation set. Versions never change. With `merge`, episodes that are not sent stay, and an episode sent empty is removed. With `base_version`, the request is a 409 if someone else has made a version in the meantime. (session, or token with datasets:write)"""
        return cast("PutAnnotationSetAnswer", self._driver.run(_PUT_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "set_id": set_id}, body)))

    def delete_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, set_id: str) -> DeleteAnnotationSetAnswer:
        """Delete an annotation set. Derived versions that use it keep working. (session, or token with datasets:write)"""
        return cast("DeleteAnnotationSetAnswer", self._driver.run(_DELETE_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "set_id": set_id})))

    def copy_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, set_id: str, body: CopyAnnotationSetBody) -> CopyAnnotationSetAnswer:
        """Copy an annotation set to another revision. Copies episodes whose rows and pictures are the same in both revisions, under their new numbers. `changed_episodes` lists the others by their old numbers. (session, or token with datasets:write)"""
        return cast("CopyAnnotationSetAnswer", self._driver.run(_COPY_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "set_id": set_id}, body)))

    def list_version_flags(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None, episode_index: int | None = None, reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"] | None = None) -> ListVersionFlagsAnswer:
        """List the flags of a derived version. Sorted by episode, in the version's own numbers. The items can be sent to `putVersionFlags` unchanged. (session, or token with workspace:read)"""
        return cast("ListVersionFlagsAnswer", self._driver.run(_LIST_VERSION_FLAGS.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor, "episode_index": episode_index, "reason": reason})))

    def iterate_version_flags(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None, episode_index: int | None = None, reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"] | None = None) -> Iterator[EpisodeFlag]:
        """Every item of every page of `list_version_flags`."""
        return cast("Iterator[EpisodeFlag]", paging.iterate(self._driver, _LIST_VERSION_FLAGS, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor, "episode_index": episode_index, "reason": reason}))

    def put_version_flags(self, *, org_slug: str, version_id: str, body: PutVersionFlagsBody) -> PutVersionFlagsAnswer:
        """Flag episodes of a derived version. Works like `putFlags`: all or none are saved, and the other editors of the project get one notification. (session, or token with datasets:write)"""
        return cast("PutVersionFlagsAnswer", self._driver.run(_PUT_VERSION_FLAGS.call({"org_slug": org_slug, "version_id": version_id}, body)))

    def delete_version_flag(self, *, org_slug: str, version_id: str, flag_id: str) -> DeleteVersionFlagAnswer:
        """Delete a flag of a derived version. Returns the deleted flag; send it to `putVersionFlags` to undo. (session, or token with datasets:write)"""
        return cast("DeleteVersionFlagAnswer", self._driver.run(_DELETE_VERSION_FLAG.call({"org_slug": org_slug, "version_id": version_id, "flag_id": flag_id})))

    def delete_version_flags(self, *, org_slug: str, version_id: str, body: DeleteVersionFlagsBody) -> DeleteVersionFlagsAnswer:
        """Delete several flags of a derived version. Returns the flags that were deleted; unknown ids are ignored. (session, or token with datasets:write)"""
        return cast("DeleteVersionFlagsAnswer", self._driver.run(_DELETE_VERSION_FLAGS.call({"org_slug": org_slug, "version_id": version_id}, body)))

    def list_version_annotation_sets(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> ListVersionAnnotationSetsAnswer:
        """List the annotation sets of a derived version. In the episode numbers of the version itself. (session, or token with workspace:read)"""
        return cast("ListVersionAnnotationSetsAnswer", self._driver.run(_LIST_VERSION_ANNOTATION_SETS.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor})))

    def iterate_version_annotation_sets(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> Iterator[AnnotationSet]:
        """Every item of every page of `list_version_annotation_sets`."""
        return cast("Iterator[AnnotationSet]", paging.iterate(self._driver, _LIST_VERSION_ANNOTATION_SETS, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor}))

    def create_version_annotation_set(self, *, org_slug: str, version_id: str, body: CreateVersionAnnotationSetBody) -> CreateVersionAnnotationSetAnswer:
        """Create an annotation set of a derived version. As for a dataset, in the version's own episode numbers; `revision_number` is the number of the version. Recipes of versions that are derived from it can name it. (session, or token with datasets:write)"""
        return cast("CreateVersionAnnotationSetAnswer", self._driver.run(_CREATE_VERSION_ANNOTATION_SET.call({"org_slug": org_slug, "version_id": version_id}, body)))

    def get_version_annotation_set(self, *, org_slug: str, version_id: str, set_id: str, version: int | None = None, episode_index: int | None = None) -> GetVersionAnnotationSetAnswer:
        """One annotation set of a derived version with its episodes. By default at its newest version. (session, or token with workspace:read)"""
        return cast("GetVersionAnnotationSetAnswer", self._driver.run(_GET_VERSION_ANNOTATION_SET.call({"org_slug": org_slug, "version_id": version_id, "set_id": set_id, "version": version, "episode_index": episode_index})))

    def put_version_annotation_set(self, *, org_slug: str, version_id: str, set_id: str, body: PutVersionAnnotationSetBody) -> PutVersionAnnotationSetAnswer:
        """Make the next version of an annotation set of a derived version. Works like `putAnnotationSet`. (session, or token with datasets:write)"""
        return cast("PutVersionAnnotationSetAnswer", self._driver.run(_PUT_VERSION_ANNOTATION_SET.call({"org_slug": org_slug, "version_id": version_id, "set_id": set_id}, body)))

    def delete_version_annotation_set(self, *, org_slug: str, version_id: str, set_id: str) -> DeleteVersionAnnotationSetAnswer:
        """Delete an annotation set of a derived version. Versions that use it keep working. (session, or token with datasets:write)"""
        return cast("DeleteVersionAnnotationSetAnswer", self._driver.run(_DELETE_VERSION_ANNOTATION_SET.call({"org_slug": org_slug, "version_id": version_id, "set_id": set_id})))

    def list_reviews(self, *, org_slug: str, project_slug: str, dataset_id: str, limit: int | None = None, cursor: str | None = None) -> ListReviewsAnswer:
        """List the reviews of a dataset or version. Queues of episodes that people go through, newest first, of the revision that the dataset shows. (session, or token with workspace:read)"""
        return cast("ListReviewsAnswer", self._driver.run(_LIST_REVIEWS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id, "limit": limit, "cursor": cursor})))

    def iterate_reviews(self, *, org_slug: str, project_slug: str, dataset_id: str, limit: int | None = None, cursor: str | None = None) -> Iterator[Review]:
        """Every item of every page of `list_reviews`."""
        return cast("Iterator[Review]", paging.iterate(self._driver, _LIST_REVIEWS, {"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id, "limit": limit, "cursor": cursor}))

    def create_review(self, *, org_slug: str, project_slug: str, body: CreateReviewBody) -> CreateReviewAnswer:
        """Start a review. A queue of episodes in the order given, of the revision that the dataset shows, dealt between `people`. What is said of an episode (`decideReview`) changes nothing else: the episodes that are left out become a version by a recipe. (session, or token with datasets:write)"""
        return cast("CreateReviewAnswer", self._driver.run(_CREATE_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug}, body)))

    def get_review(self, *, org_slug: str, project_slug: str, review_id: str) -> GetReviewAnswer:
        """One review with its episodes and verdicts. Also one of an earlier revision: its numbers are that revision’s. (session, or token with workspace:read)"""
        return cast("GetReviewAnswer", self._driver.run(_GET_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug, "review_id": review_id})))

    def change_review(self, *, org_slug: str, project_slug: str, review_id: str, body: ChangeReviewBody) -> ChangeReviewAnswer:
        """Rename a review, or deal it anew. Its name, or the people among whom its episodes are dealt; verdicts stay. (session, or token with datasets:write)"""
        return cast("ChangeReviewAnswer", self._driver.run(_CHANGE_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug, "review_id": review_id}, body)))

    def delete_review(self, *, org_slug: str, project_slug: str, review_id: str) -> DeleteReviewAnswer:
        """Delete a review. With its verdicts; flags and recipes that came of it stay. Returns the review as it was. (session, or token with datasets:write)"""
        return cast("DeleteReviewAnswer", self._driver.run(_DELETE_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug, "review_id": review_id})))

    def decide_review(self, *, org_slug: str, project_slug: str, review_id: str, body: DecideReviewBody) -> DecideReviewAnswer:
        """Say what becomes of episodes of a review. All or none are saved. An episode has one verdict, the last; `null` takes it back. Everybody who follows the events of the project gets a `review` event. (session, or token with datasets:write)"""
        return cast("DecideReviewAnswer", self._driver.run(_DECIDE_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug, "review_id": review_id}, body)))

    def list_robots(self, *, org_slug: str, project_slug: str) -> ListRobotsAnswer:
        """List the robot models of a project. URDF files, alone or in a zip with their meshes, by name. (session, or token with workspace:read)"""
        return cast("ListRobotsAnswer", self._driver.run(_LIST_ROBOTS.call({"org_slug": org_slug, "project_slug": project_slug})))

    def create_robot(self, *, org_slug: str, project_slug: str, body: CreateRobotBody) -> CreateRobotAnswer:
        """Add a robot model. Of a finished upload: a URDF, or a zip of one with its mesh files, 64 MB at most. It is stored as it is; only browsers that draw it read it. (session, or token with datasets:write)"""
        return cast("CreateRobotAnswer", self._driver.run(_CREATE_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug}, body)))

    def get_robot_file(self, *, org_slug: str, project_slug: str, robot_id: str) -> httpx.Response:
        """The file of a robot model. As it was uploaded, always as a download: nothing in it is run or shown by the server. (session, or token with workspace:read)"""
        return cast("httpx.Response", self._driver.run(_GET_ROBOT_FILE.call({"org_slug": org_slug, "project_slug": project_slug, "robot_id": robot_id})))

    def delete_robot(self, *, org_slug: str, project_slug: str, robot_id: str) -> DeleteRobotAnswer:
        """Delete a robot model. Datasets that had it are drawn without one. Returns the model as it was. (session, or token with datasets:write)"""
        return cast("DeleteRobotAnswer", self._driver.run(_DELETE_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug, "robot_id": robot_id})))

    def get_dataset_robot(self, *, org_slug: str, project_slug: str, dataset_id: str) -> GetDatasetRobotAnswer:
        """The robot model of a dataset or version. `item` is null where nobody chose one: the model whose name is the `robot_type` counts then, and joints are found by their names. (session, or token with workspace:read)"""
        return cast("GetDatasetRobotAnswer", self._driver.run(_GET_DATASET_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id})))

    def put_dataset_robot(self, *, org_slug: str, project_slug: str, dataset_id: str, body: PutDatasetRobotBody) -> PutDatasetRobotAnswer:
        """Choose the robot model of a dataset or version. With which number of the state turns which joint, and in which unit that number is. A `robot_id` of null takes the choice back. (session, or token with datasets:write)"""
        return cast("PutDatasetRobotAnswer", self._driver.run(_PUT_DATASET_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id}, body)))

    def use_named_robot(self, *, org_slug: str, project_slug: str, dataset_id: str) -> UseNamedRobotAnswer:
        """Use the robot model that a dataset names. Fetches the URDF, or zip of one, at the `robot_description_uri` of a dataset or version within a minute, adds it to the project and chooses it. Addresses are checked as those of imports are. A model of the same content that the project has is chosen instead of a second one. (session, or token with datasets:write)"""
        return cast("UseNamedRobotAnswer", self._driver.run(_USE_NAMED_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id})))


class AsyncCuration:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def list_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None, episode_index: int | None = None, reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"] | None = None, revision_number: int | None = None) -> ListFlagsAnswer:
        """List the flags of a dataset. Sorted by episode. The items can be sent to `putFlags` unchanged, here or on another installation. (session, or token with workspace:read)"""
        return cast("ListFlagsAnswer", await self._driver.run(_LIST_FLAGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor, "episode_index": episode_index, "reason": reason, "revision_number": revision_number})))

    def iterate_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None, episode_index: int | None = None, reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"] | None = None, revision_number: int | None = None) -> AsyncIterator[EpisodeFlag]:
        """Every item of every page of `list_flags`."""
        return cast("AsyncIterator[EpisodeFlag]", paging.iterate_async(self._driver, _LIST_FLAGS, {"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor, "episode_index": episode_index, "reason": reason, "revision_number": revision_number}))

    async def put_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: PutFlagsBody, revision_number: int | None = None) -> PutFlagsAnswer:
        """Flag episodes. All or none are saved. An episode has one flag per reason and range of frames; sending it again changes its note. `created_ids` lists the new ones: delete them to undo the request. The other editors of the dataset get one notification per request. (session, or token with datasets:write)"""
        return cast("PutFlagsAnswer", await self._driver.run(_PUT_FLAGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "revision_number": revision_number}, body)))

    async def delete_flag(self, *, org_slug: str, project_slug: str, dataset_slug: str, flag_id: str) -> DeleteFlagAnswer:
        """Take a flag away. Returns the deleted flag; send it to `putFlags` to undo. (session, or token with datasets:write)"""
        return cast("DeleteFlagAnswer", await self._driver.run(_DELETE_FLAG.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "flag_id": flag_id})))

    async def delete_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: DeleteFlagsBody) -> DeleteFlagsAnswer:
        """Delete several flags. Returns the flags that were deleted; unknown ids are ignored. (session, or token with datasets:write)"""
        return cast("DeleteFlagsAnswer", await self._driver.run(_DELETE_FLAGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    async def copy_flags(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: CopyFlagsBody) -> CopyFlagsAnswer:
        """Copy the flags of an older revision. Copies flags of episodes that are the same in both revisions, whatever their numbers: same length, tasks and statistics of every feature and camera. `changed_episodes` lists the others by their old numbers. (session, or token with datasets:write)"""
        return cast("CopyFlagsAnswer", await self._driver.run(_COPY_FLAGS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug}, body)))

    async def list_annotation_sets(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None, revision_number: int | None = None) -> ListAnnotationSetsAnswer:
        """List the annotation sets of a dataset. Sets of one revision, by default of the revision that the dataset shows. (session, or token with workspace:read)"""
        return cast("ListAnnotationSetsAnswer", await self._driver.run(_LIST_ANNOTATION_SETS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor, "revision_number": revision_number})))

    def iterate_annotation_sets(self, *, org_slug: str, project_slug: str, dataset_slug: str, limit: int | None = None, cursor: str | None = None, revision_number: int | None = None) -> AsyncIterator[AnnotationSet]:
        """Every item of every page of `list_annotation_sets`."""
        return cast("AsyncIterator[AnnotationSet]", paging.iterate_async(self._driver, _LIST_ANNOTATION_SETS, {"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "limit": limit, "cursor": cursor, "revision_number": revision_number}))

    async def create_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, body: CreateAnnotationSetBody, revision_number: int | None = None) -> CreateAnnotationSetAnswer:
        """Create an annotation set. Task text, success, tags, note and labelled ranges of frames per episode. It belongs to one revision; a recipe that names it replaces the task texts and exports the rest in a separate file. The answer of `getAnnotationSet` can be sent here unchanged. (session, or token with datasets:write)"""
        return cast("CreateAnnotationSetAnswer", await self._driver.run(_CREATE_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "revision_number": revision_number}, body)))

    async def get_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, set_id: str, version: int | None = None, episode_index: int | None = None) -> GetAnnotationSetAnswer:
        """One annotation set with its episodes. By default at its newest version. (session, or token with workspace:read)"""
        return cast("GetAnnotationSetAnswer", await self._driver.run(_GET_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "set_id": set_id, "version": version, "episode_index": episode_index})))

    async def put_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, set_id: str, body: PutAnnotationSetBody) -> PutAnnotationSetAnswer:
        """Make the next version of an annotation set. Versions never change. With `merge`, episodes that are not sent stay, and an episode sent empty is removed. With `base_version`, the request is a 409 if someone else has made a version in the meantime. (session, or token with datasets:write)"""
        return cast("PutAnnotationSetAnswer", await self._driver.run(_PUT_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "set_id": set_id}, body)))

    async def delete_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, set_id: str) -> DeleteAnnotationSetAnswer:
        """Delete an annotation set. Derived versions that use it keep working. (session, or token with datasets:write)"""
        return cast("DeleteAnnotationSetAnswer", await self._driver.run(_DELETE_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "set_id": set_id})))

    async def copy_annotation_set(self, *, org_slug: str, project_slug: str, dataset_slug: str, set_id: str, body: CopyAnnotationSetBody) -> CopyAnnotationSetAnswer:
        """Copy an annotation set to another revision. Copies episodes whose rows and pictures are the same in both revisions, under their new numbers. `changed_episodes` lists the others by their old numbers. (session, or token with datasets:write)"""
        return cast("CopyAnnotationSetAnswer", await self._driver.run(_COPY_ANNOTATION_SET.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_slug": dataset_slug, "set_id": set_id}, body)))

    async def list_version_flags(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None, episode_index: int | None = None, reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"] | None = None) -> ListVersionFlagsAnswer:
        """List the flags of a derived version. Sorted by episode, in the version's own numbers. The items can be sent to `putVersionFlags` unchanged. (session, or token with workspace:read)"""
        return cast("ListVersionFlagsAnswer", await self._driver.run(_LIST_VERSION_FLAGS.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor, "episode_index": episode_index, "reason": reason})))

    def iterate_version_flags(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None, episode_index: int | None = None, reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"] | None = None) -> AsyncIterator[EpisodeFlag]:
        """Every item of every page of `list_version_flags`."""
        return cast("AsyncIterator[EpisodeFlag]", paging.iterate_async(self._driver, _LIST_VERSION_FLAGS, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor, "episode_index": episode_index, "reason": reason}))

    async def put_version_flags(self, *, org_slug: str, version_id: str, body: PutVersionFlagsBody) -> PutVersionFlagsAnswer:
        """Flag episodes of a derived version. Works like `putFlags`: all or none are saved, and the other editors of the project get one notification. (session, or token with datasets:write)"""
        return cast("PutVersionFlagsAnswer", await self._driver.run(_PUT_VERSION_FLAGS.call({"org_slug": org_slug, "version_id": version_id}, body)))

    async def delete_version_flag(self, *, org_slug: str, version_id: str, flag_id: str) -> DeleteVersionFlagAnswer:
        """Delete a flag of a derived version. Returns the deleted flag; send it to `putVersionFlags` to undo. (session, or token with datasets:write)"""
        return cast("DeleteVersionFlagAnswer", await self._driver.run(_DELETE_VERSION_FLAG.call({"org_slug": org_slug, "version_id": version_id, "flag_id": flag_id})))

    async def delete_version_flags(self, *, org_slug: str, version_id: str, body: DeleteVersionFlagsBody) -> DeleteVersionFlagsAnswer:
        """Delete several flags of a derived version. Returns the flags that were deleted; unknown ids are ignored. (session, or token with datasets:write)"""
        return cast("DeleteVersionFlagsAnswer", await self._driver.run(_DELETE_VERSION_FLAGS.call({"org_slug": org_slug, "version_id": version_id}, body)))

    async def list_version_annotation_sets(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> ListVersionAnnotationSetsAnswer:
        """List the annotation sets of a derived version. In the episode numbers of the version itself. (session, or token with workspace:read)"""
        return cast("ListVersionAnnotationSetsAnswer", await self._driver.run(_LIST_VERSION_ANNOTATION_SETS.call({"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor})))

    def iterate_version_annotation_sets(self, *, org_slug: str, version_id: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[AnnotationSet]:
        """Every item of every page of `list_version_annotation_sets`."""
        return cast("AsyncIterator[AnnotationSet]", paging.iterate_async(self._driver, _LIST_VERSION_ANNOTATION_SETS, {"org_slug": org_slug, "version_id": version_id, "limit": limit, "cursor": cursor}))

    async def create_version_annotation_set(self, *, org_slug: str, version_id: str, body: CreateVersionAnnotationSetBody) -> CreateVersionAnnotationSetAnswer:
        """Create an annotation set of a derived version. As for a dataset, in the version's own episode numbers; `revision_number` is the number of the version. Recipes of versions that are derived from it can name it. (session, or token with datasets:write)"""
        return cast("CreateVersionAnnotationSetAnswer", await self._driver.run(_CREATE_VERSION_ANNOTATION_SET.call({"org_slug": org_slug, "version_id": version_id}, body)))

    async def get_version_annotation_set(self, *, org_slug: str, version_id: str, set_id: str, version: int | None = None, episode_index: int | None = None) -> GetVersionAnnotationSetAnswer:
        """One annotation set of a derived version with its episodes. By default at its newest version. (session, or token with workspace:read)"""
        return cast("GetVersionAnnotationSetAnswer", await self._driver.run(_GET_VERSION_ANNOTATION_SET.call({"org_slug": org_slug, "version_id": version_id, "set_id": set_id, "version": version, "episode_index": episode_index})))

    async def put_version_annotation_set(self, *, org_slug: str, version_id: str, set_id: str, body: PutVersionAnnotationSetBody) -> PutVersionAnnotationSetAnswer:
        """Make the next version of an annotation set of a derived version. Works like `putAnnotationSet`. (session, or token with datasets:write)"""
        return cast("PutVersionAnnotationSetAnswer", await self._driver.run(_PUT_VERSION_ANNOTATION_SET.call({"org_slug": org_slug, "version_id": version_id, "set_id": set_id}, body)))

    async def delete_version_annotation_set(self, *, org_slug: str, version_id: str, set_id: str) -> DeleteVersionAnnotationSetAnswer:
        """Delete an annotation set of a derived version. Versions that use it keep working. (session, or token with datasets:write)"""
        return cast("DeleteVersionAnnotationSetAnswer", await self._driver.run(_DELETE_VERSION_ANNOTATION_SET.call({"org_slug": org_slug, "version_id": version_id, "set_id": set_id})))

    async def list_reviews(self, *, org_slug: str, project_slug: str, dataset_id: str, limit: int | None = None, cursor: str | None = None) -> ListReviewsAnswer:
        """List the reviews of a dataset or version. Queues of episodes that people go through, newest first, of the revision that the dataset shows. (session, or token with workspace:read)"""
        return cast("ListReviewsAnswer", await self._driver.run(_LIST_REVIEWS.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id, "limit": limit, "cursor": cursor})))

    def iterate_reviews(self, *, org_slug: str, project_slug: str, dataset_id: str, limit: int | None = None, cursor: str | None = None) -> AsyncIterator[Review]:
        """Every item of every page of `list_reviews`."""
        return cast("AsyncIterator[Review]", paging.iterate_async(self._driver, _LIST_REVIEWS, {"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id, "limit": limit, "cursor": cursor}))

    async def create_review(self, *, org_slug: str, project_slug: str, body: CreateReviewBody) -> CreateReviewAnswer:
        """Start a review. A queue of episodes in the order given, of the revision that the dataset shows, dealt between `people`. What is said of an episode (`decideReview`) changes nothing else: the episodes that are left out become a version by a recipe. (session, or token with datasets:write)"""
        return cast("CreateReviewAnswer", await self._driver.run(_CREATE_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug}, body)))

    async def get_review(self, *, org_slug: str, project_slug: str, review_id: str) -> GetReviewAnswer:
        """One review with its episodes and verdicts. Also one of an earlier revision: its numbers are that revision’s. (session, or token with workspace:read)"""
        return cast("GetReviewAnswer", await self._driver.run(_GET_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug, "review_id": review_id})))

    async def change_review(self, *, org_slug: str, project_slug: str, review_id: str, body: ChangeReviewBody) -> ChangeReviewAnswer:
        """Rename a review, or deal it anew. Its name, or the people among whom its episodes are dealt; verdicts stay. (session, or token with datasets:write)"""
        return cast("ChangeReviewAnswer", await self._driver.run(_CHANGE_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug, "review_id": review_id}, body)))

    async def delete_review(self, *, org_slug: str, project_slug: str, review_id: str) -> DeleteReviewAnswer:
        """Delete a review. With its verdicts; flags and recipes that came of it stay. Returns the review as it was. (session, or token with datasets:write)"""
        return cast("DeleteReviewAnswer", await self._driver.run(_DELETE_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug, "review_id": review_id})))

    async def decide_review(self, *, org_slug: str, project_slug: str, review_id: str, body: DecideReviewBody) -> DecideReviewAnswer:
        """Say what becomes of episodes of a review. All or none are saved. An episode has one verdict, the last; `null` takes it back. Everybody who follows the events of the project gets a `review` event. (session, or token with datasets:write)"""
        return cast("DecideReviewAnswer", await self._driver.run(_DECIDE_REVIEW.call({"org_slug": org_slug, "project_slug": project_slug, "review_id": review_id}, body)))

    async def list_robots(self, *, org_slug: str, project_slug: str) -> ListRobotsAnswer:
        """List the robot models of a project. URDF files, alone or in a zip with their meshes, by name. (session, or token with workspace:read)"""
        return cast("ListRobotsAnswer", await self._driver.run(_LIST_ROBOTS.call({"org_slug": org_slug, "project_slug": project_slug})))

    async def create_robot(self, *, org_slug: str, project_slug: str, body: CreateRobotBody) -> CreateRobotAnswer:
        """Add a robot model. Of a finished upload: a URDF, or a zip of one with its mesh files, 64 MB at most. It is stored as it is; only browsers that draw it read it. (session, or token with datasets:write)"""
        return cast("CreateRobotAnswer", await self._driver.run(_CREATE_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug}, body)))

    async def get_robot_file(self, *, org_slug: str, project_slug: str, robot_id: str) -> httpx.Response:
        """The file of a robot model. As it was uploaded, always as a download: nothing in it is run or shown by the server. (session, or token with workspace:read)"""
        return cast("httpx.Response", await self._driver.run(_GET_ROBOT_FILE.call({"org_slug": org_slug, "project_slug": project_slug, "robot_id": robot_id})))

    async def delete_robot(self, *, org_slug: str, project_slug: str, robot_id: str) -> DeleteRobotAnswer:
        """Delete a robot model. Datasets that had it are drawn without one. Returns the model as it was. (session, or token with datasets:write)"""
        return cast("DeleteRobotAnswer", await self._driver.run(_DELETE_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug, "robot_id": robot_id})))

    async def get_dataset_robot(self, *, org_slug: str, project_slug: str, dataset_id: str) -> GetDatasetRobotAnswer:
        """The robot model of a dataset or version. `item` is null where nobody chose one: the model whose name is the `robot_type` counts then, and joints are found by their names. (session, or token with workspace:read)"""
        return cast("GetDatasetRobotAnswer", await self._driver.run(_GET_DATASET_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id})))

    async def put_dataset_robot(self, *, org_slug: str, project_slug: str, dataset_id: str, body: PutDatasetRobotBody) -> PutDatasetRobotAnswer:
        """Choose the robot model of a dataset or version. With which number of the state turns which joint, and in which unit that number is. A `robot_id` of null takes the choice back. (session, or token with datasets:write)"""
        return cast("PutDatasetRobotAnswer", await self._driver.run(_PUT_DATASET_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id}, body)))

    async def use_named_robot(self, *, org_slug: str, project_slug: str, dataset_id: str) -> UseNamedRobotAnswer:
        """Use the robot model that a dataset names. Fetches the URDF, or zip of one, at the `robot_description_uri` of a dataset or version within a minute, adds it to the project and chooses it. Addresses are checked as those of imports are. A model of the same content that the project has is chosen instead of a second one. (session, or token with datasets:write)"""
        return cast("UseNamedRobotAnswer", await self._driver.run(_USE_NAMED_ROBOT.call({"org_slug": org_slug, "project_slug": project_slug, "dataset_id": dataset_id})))
