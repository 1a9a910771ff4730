# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import Literal, cast

import httpx

from ..drivers import AsyncDriver, SyncDriver
from ..operation import Operation

_GET_DATASET_ARCHIVE = Operation("getDatasetArchive", "GET", "/api/v1/media/{dataset_id}/{revision_id}/archive", query=("access", "expires", "signature",), answers_bytes=True, repeatable=True)
_GET_VIDEO_FILE = Operation("getVideoFile", "GET", "/api/v1/media/{dataset_id}/{revision_id}/video", query=("path", "access", "expires", "signature",), answers_bytes=True, repeatable=True)
_GET_DATASET_FILE = Operation("getDatasetFile", "GET", "/api/v1/media/{dataset_id}/{revision_id}/file", query=("path", "access", "expires", "signature",), answers_bytes=True, repeatable=True)
_GET_POSTER = Operation("getPoster", "GET", "/api/v1/media/{dataset_id}/{revision_id}/poster", query=("episode", "camera", "frame", "width", "format", "access", "expires", "signature",), answers_bytes=True, repeatable=True)
_GET_DEPTH_FRAME = Operation("getDepthFrame", "GET", "/api/v1/media/{dataset_id}/{revision_id}/depth", query=("episode", "camera", "frame", "width", "access", "expires", "signature",), answers_bytes=True, repeatable=True)
_GET_SPRITE = Operation("getSprite", "GET", "/api/v1/media/{dataset_id}/{revision_id}/sprite", query=("episode", "camera", "access", "expires", "signature",), answers_bytes=True, repeatable=True)
_GET_EPISODE_SPRITE = Operation("getEpisodeSprite", "GET", "/api/v1/media/{dataset_id}/{revision_id}/episode-sprite", query=("camera", "offset", "limit", "at", "access", "expires", "signature",), answers_bytes=True, repeatable=True)
_GET_CLIP = Operation("getClip", "GET", "/api/v1/media/{dataset_id}/{revision_id}/clip", query=("episode", "camera", "access", "expires", "signature",), answers_bytes=True, repeatable=True)
_GET_ARTIFACT_TAR = Operation("getArtifactTar", "GET", "/api/v1/media/{version_id}/{checksum}/artifact", query=("key", "access", "expires", "signature",), answers_bytes=True, repeatable=True)


class Media:
    def __init__(self, driver: SyncDriver) -> None:
        self._driver = driver

    def get_dataset_archive(self, *, dataset_id: str, revision_id: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """The stored dataset as one tar. Its length is known in advance and any Range can be requested. The manifest contains a signed address; without a signature, read access to the dataset is needed. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_DATASET_ARCHIVE.call({"dataset_id": dataset_id, "revision_id": revision_id, "access": access, "expires": expires, "signature": signature})))

    def get_video_file(self, *, dataset_id: str, revision_id: str, path: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """A video file, played by Range. One file holds many episodes; the frames page says at which seconds. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_VIDEO_FILE.call({"dataset_id": dataset_id, "revision_id": revision_id, "path": path, "access": access, "expires": expires, "signature": signature})))

    def get_dataset_file(self, *, dataset_id: str, revision_id: str, path: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """Download a stored file of the dataset. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_DATASET_FILE.call({"dataset_id": dataset_id, "revision_id": revision_id, "path": path, "access": access, "expires": expires, "signature": signature})))

    def get_poster(self, *, dataset_id: str, revision_id: str, episode: int, camera: str, frame: int, width: int | None = None, format: Literal["jpeg", "webp"] | None = None, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """One frame as a picture. Exactly frame `frame` of the episode, counted from 0. `width` and `format` may be added to a signed URL. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_POSTER.call({"dataset_id": dataset_id, "revision_id": revision_id, "episode": episode, "camera": camera, "frame": frame, "width": width, "format": format, "access": access, "expires": expires, "signature": signature})))

    def get_depth_frame(self, *, dataset_id: str, revision_id: str, episode: int, camera: str, frame: int, width: int | None = None, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """One frame of a depth camera in millimetres. A grey PNG of 16 bits: each pixel is a number of millimetres, 0 where nothing was measured (or, in a video, something nearer than its range begins), and the end of the range also stands for everything beyond it. A camera whose distances are not known is a 409 that says why; `GET …/media` of the episode says so beforehand. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_DEPTH_FRAME.call({"dataset_id": dataset_id, "revision_id": revision_id, "episode": episode, "camera": camera, "frame": frame, "width": width, "access": access, "expires": expires, "signature": signature})))

    def get_sprite(self, *, dataset_id: str, revision_id: str, episode: int, camera: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """Eight frames of an episode side by side. Tiles of at most 160 pixels width: the first frame, the last, and six between. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_SPRITE.call({"dataset_id": dataset_id, "revision_id": revision_id, "episode": episode, "camera": camera, "access": access, "expires": expires, "signature": signature})))

    def get_episode_sprite(self, *, dataset_id: str, revision_id: str, camera: str, offset: int, limit: int, at: int | None = None, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """A frame of each episode of a page, one below the other. Tiles of at most 96 pixels width, in the order of the episode numbers from `offset` on; the first frames unless `at` is added to a signed URL. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_EPISODE_SPRITE.call({"dataset_id": dataset_id, "revision_id": revision_id, "camera": camera, "offset": offset, "limit": limit, "at": at, "access": access, "expires": expires, "signature": signature})))

    def get_clip(self, *, dataset_id: str, revision_id: str, episode: int, camera: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """One episode of one camera as a video of its own. An MP4 with exactly the frames of the episode, copied without loss, beginning at zero. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_CLIP.call({"dataset_id": dataset_id, "revision_id": revision_id, "episode": episode, "camera": camera, "access": access, "expires": expires, "signature": signature})))

    def get_artifact_tar(self, *, version_id: str, checksum: str, key: str, access: Literal["private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """An artifact as one tar. Made from the files of the artifact while it is sent, with the checksum that the artifact has. Its length is known in advance and any Range can be requested. Needs a signature: `download-url` has the address. (no credential needed)"""
        return cast("httpx.Response", self._driver.run(_GET_ARTIFACT_TAR.call({"version_id": version_id, "checksum": checksum, "key": key, "access": access, "expires": expires, "signature": signature})))


class AsyncMedia:
    def __init__(self, driver: AsyncDriver) -> None:
        self._driver = driver

    async def get_dataset_archive(self, *, dataset_id: str, revision_id: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """The stored dataset as one tar. Its length is known in advance and any Range can be requested. The manifest contains a signed address; without a signature, read access to the dataset is needed. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_DATASET_ARCHIVE.call({"dataset_id": dataset_id, "revision_id": revision_id, "access": access, "expires": expires, "signature": signature})))

    async def get_video_file(self, *, dataset_id: str, revision_id: str, path: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """A video file, played by Range. One file holds many episodes; the frames page says at which seconds. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_VIDEO_FILE.call({"dataset_id": dataset_id, "revision_id": revision_id, "path": path, "access": access, "expires": expires, "signature": signature})))

    async def get_dataset_file(self, *, dataset_id: str, revision_id: str, path: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """Download a stored file of the dataset. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_DATASET_FILE.call({"dataset_id": dataset_id, "revision_id": revision_id, "path": path, "access": access, "expires": expires, "signature": signature})))

    async def get_poster(self, *, dataset_id: str, revision_id: str, episode: int, camera: str, frame: int, width: int | None = None, format: Literal["jpeg", "webp"] | None = None, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """One frame as a picture. Exactly frame `frame` of the episode, counted from 0. `width` and `format` may be added to a signed URL. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_POSTER.call({"dataset_id": dataset_id, "revision_id": revision_id, "episode": episode, "camera": camera, "frame": frame, "width": width, "format": format, "access": access, "expires": expires, "signature": signature})))

    async def get_depth_frame(self, *, dataset_id: str, revision_id: str, episode: int, camera: str, frame: int, width: int | None = None, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """One frame of a depth camera in millimetres. A grey PNG of 16 bits: each pixel is a number of millimetres, 0 where nothing was measured (or, in a video, something nearer than its range begins), and the end of the range also stands for everything beyond it. A camera whose distances are not known is a 409 that says why; `GET …/media` of the episode says so beforehand. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_DEPTH_FRAME.call({"dataset_id": dataset_id, "revision_id": revision_id, "episode": episode, "camera": camera, "frame": frame, "width": width, "access": access, "expires": expires, "signature": signature})))

    async def get_sprite(self, *, dataset_id: str, revision_id: str, episode: int, camera: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """Eight frames of an episode side by side. Tiles of at most 160 pixels width: the first frame, the last, and six between. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_SPRITE.call({"dataset_id": dataset_id, "revision_id": revision_id, "episode": episode, "camera": camera, "access": access, "expires": expires, "signature": signature})))

    async def get_episode_sprite(self, *, dataset_id: str, revision_id: str, camera: str, offset: int, limit: int, at: int | None = None, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """A frame of each episode of a page, one below the other. Tiles of at most 96 pixels width, in the order of the episode numbers from `offset` on; the first frames unless `at` is added to a signed URL. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_EPISODE_SPRITE.call({"dataset_id": dataset_id, "revision_id": revision_id, "camera": camera, "offset": offset, "limit": limit, "at": at, "access": access, "expires": expires, "signature": signature})))

    async def get_clip(self, *, dataset_id: str, revision_id: str, episode: int, camera: str, access: Literal["public", "private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """One episode of one camera as a video of its own. An MP4 with exactly the frames of the episode, copied without loss, beginning at zero. The frames page, the manifest and the list of files contain these URLs, signed for one to two hours; a signature also ends when the visibility changes. Without one, read access to the dataset is needed. Range, `ETag` and conditions follow RFC 9110; with `NMP_S3_PUBLIC_ENDPOINT` a stored file is a redirect to the bucket that is valid for a minute. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_CLIP.call({"dataset_id": dataset_id, "revision_id": revision_id, "episode": episode, "camera": camera, "access": access, "expires": expires, "signature": signature})))

    async def get_artifact_tar(self, *, version_id: str, checksum: str, key: str, access: Literal["private"] | None = None, expires: int | None = None, signature: str | None = None) -> httpx.Response:
        """An artifact as one tar. Made from the files of the artifact while it is sent, with the checksum that the artifact has. Its length is known in advance and any Range can be requested. Needs a signature: `download-url` has the address. (no credential needed)"""
        return cast("httpx.Response", await self._driver.run(_GET_ARTIFACT_TAR.call({"version_id": version_id, "checksum": checksum, "key": key, "access": access, "expires": expires, "signature": signature})))
