"""What takes several calls, written once; `groups` offers it waiting and awaited."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Callable, Mapping, Sequence

from .downloads import Downloaded, Progress, download_file
from .effects import Block, Steps
from .errors import ApiError, DownloadFailed, JobFailed
from .generated import catalog, exports, imports, users, versions
from .lerobot import default_cache, open_dataset, unpack
from .waiting import wait_for_job

Watch = Callable[[Any], None]
PARALLEL = 4


def create_import_and_wait(org_slug: str, project_slug: str, body: Any, on_progress: Watch | None) -> Steps[Any]:
    values = {"org_slug": org_slug, "project_slug": project_slug}
    answer = yield from imports._CREATE_IMPORT.call(values, body)
    return (yield from follow_import(answer["item"], on_progress))


def copy_version_and_wait(org_slug: str, version_id: str, body: Any, on_progress: Watch | None) -> Steps[Any]:
    answer = yield from versions._COPY_VERSION.call({"org_slug": org_slug, "version_id": version_id}, body)
    return (yield from follow_import(answer["item"], on_progress))


def wait_for_import(org_slug: str, project_slug: str, job_id: str, on_progress: Watch | None) -> Steps[Any]:
    answer = yield from imports._GET_IMPORT.call({"org_slug": org_slug, "project_slug": project_slug, "job_id": job_id})
    return (yield from follow_import(answer["item"], on_progress))


def follow_import(first: Any, on_progress: Watch | None) -> Steps[Any]:
    values = {"org_slug": first["org_slug"], "project_slug": first["project_slug"], "job_id": first["id"]}

    def look() -> Steps[Any]:
        return (yield from imports._GET_IMPORT.call(values))["item"]

    return (yield from wait_for_job(first, look, "import", on_progress))


def export_and_wait(
    org_slug: str,
    version_id: str,
    on_progress: Watch | None,
    artifact_key: str = "lerobot",
    options: Mapping[str, Any] | None = None,
) -> Steps[Any]:
    by_key = None if options is None else {artifact_key: options}
    return (yield from export_several_and_wait(org_slug, version_id, on_progress, [artifact_key], by_key))[0]


def export_several_and_wait(
    org_slug: str,
    version_id: str,
    on_progress: Watch | None,
    artifact_keys: Sequence[str],
    options: Mapping[str, Mapping[str, Any]] | None,
) -> Steps[list[Any]]:
    """The jobs once all have succeeded; the first that has not is raised when the last one has ended."""
    values = {"org_slug": org_slug, "version_id": version_id}
    body: dict[str, Any] = {"artifact_keys": list(artifact_keys)}
    if options is not None:
        body["options"] = {key: dict(chosen) for key, chosen in options.items()}
    answer = yield from exports._QUEUE_EXPORT.call(values, body)
    ended: list[Any] = []
    failures: list[JobFailed] = []
    for job in answer["jobs"]:
        try:
            ended.append((yield from follow_export(job, on_progress)))
        except JobFailed as failure:
            failures.append(failure)
    if failures:
        raise failures[0]
    return ended


def wait_for_export(org_slug: str, version_id: str, job_id: str, on_progress: Watch | None) -> Steps[Any]:
    values = {"org_slug": org_slug, "version_id": version_id, "job_id": job_id}
    return (yield from follow_export((yield from exports._GET_EXPORT_JOB.call(values))["item"], on_progress))


def follow_export(first: Any, on_progress: Watch | None) -> Steps[Any]:
    values = {"org_slug": first["org_slug"], "version_id": first["version_id"], "job_id": first["id"]}

    def look() -> Steps[Any]:
        return (yield from exports._GET_EXPORT_JOB.call(values))["item"]

    return (yield from wait_for_job(first, look, "export", on_progress))


def find_version(version_id: str, org_slug: str | None) -> Steps[Any]:
    """The version; without an organization, in whichever of the caller's it is."""
    if org_slug is not None:
        return (yield from versions._GET_DERIVED_VERSION.call({"org_slug": org_slug, "version_id": version_id}))["item"]
    user = (yield from users._GET_CURRENT_USER.call({}))["user"]
    missing: ApiError | None = None
    for slug in user["org_slugs"]:
        try:
            return (yield from versions._GET_DERIVED_VERSION.call({"org_slug": slug, "version_id": version_id}))["item"]
        except ApiError as error:
            if error.status != 404:
                raise
            missing = error
    raise missing or ValueError(f"You are not in any organization, so {version_id} cannot be found.")


def download_version(
    version_id: str,
    target: str | os.PathLike[str],
    org_slug: str | None,
    parallel: int,
    on_progress: Progress | None,
    artifact_key: str = "lerobot",
) -> Steps[Downloaded]:
    version = yield from find_version(version_id, org_slug)
    return (yield from _download(version, target, parallel, on_progress, artifact_key))


def _download(
    version: Any,
    target: str | os.PathLike[str],
    parallel: int,
    on_progress: Progress | None,
    artifact_key: str = "lerobot",
) -> Steps[Downloaded]:
    values = {"org_slug": version["org_slug"], "version_id": version["id"], "artifact_key": artifact_key}
    checksums = [one["checksum_sha256"] for one in version["export_artifacts"] if one["key"] == artifact_key]

    def find_url() -> Steps[str]:
        url: str = (yield from exports._GET_ARTIFACT_DOWNLOAD_URL.call(values))["url"]
        return url

    sha256 = checksums[0] if checksums else None
    return (yield from download_file(find_url, target, sha256=sha256, parallel=parallel, on_progress=on_progress))


def download_dataset(
    dataset_id: str, target: str | os.PathLike[str], parallel: int, on_progress: Progress | None
) -> Steps[Downloaded]:
    def find_url() -> Steps[str]:
        manifest = (yield from catalog._GET_CATALOG_DATASET.call({"dataset_id": dataset_id, "limit": 1}))["item"]
        for artifact in manifest["export_artifacts"]:
            if artifact["key"] == "lerobot":
                url: str = artifact["href"]
                return url
        raise DownloadFailed(f"{dataset_id} has no archive to download.")

    return (yield from download_file(find_url, target, sha256=None, parallel=parallel, on_progress=on_progress))


def fetch_version(
    version_id: str, cache_dir: str | os.PathLike[str] | None, org_slug: str | None, on_progress: Progress | None
) -> Steps[tuple[Any, Path]]:
    """The version as a folder in the cache, exported first if need be. A version never changes, so once is enough."""
    version = yield from find_version(version_id, org_slug)
    folder = Path(cache_dir or default_cache()) / version_id
    if folder.is_dir():
        return version, folder
    yield from export_and_wait(version["org_slug"], version_id, None)
    version = yield from find_version(version_id, version["org_slug"])
    archive = folder.with_name(f"{version_id}.tar")
    yield from _download(version, archive, PARALLEL, on_progress)
    yield Block(lambda: unpack(archive, folder))
    archive.unlink()
    return version, folder


def open_version(
    version_id: str,
    cache_dir: str | os.PathLike[str] | None,
    org_slug: str | None,
    on_progress: Progress | None,
    options: dict[str, Any],
) -> Steps[Any]:
    version, folder = yield from fetch_version(version_id, cache_dir, org_slug, on_progress)
    repo_id = f"{version['org_slug']}/{version['slug']}"
    return (yield Block(lambda: open_dataset(repo_id, folder, options)))
