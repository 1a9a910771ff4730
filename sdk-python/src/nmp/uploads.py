"""Files and folders by tus 1.0: breaks, restarts and lost answers cost at most a piece."""

from __future__ import annotations

import base64
import hashlib
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Callable, Sequence, Union
from urllib.parse import urljoin, urlsplit

from .effects import Block, Send, Sleep, Steps, Together
from .errors import ApiError, ConnectionFailed
from .retry import back_off, is_passing

Progress = Callable[[int, int], None]
PathLike = Union[str, "os.PathLike[str]"]

ENDPOINT = "/api/v1/uploads"
MOST_PIECE_BYTES = 16 * 1024 * 1024
FIRST_PIECE_BYTES = 8 * 1024 * 1024
LEAST_PIECE_BYTES = 256 * 1024
# The service stores parts of this size; pieces that end with one cost it nothing more.
PART_BYTES = 8 * 1024 * 1024
# A piece that a break destroys is sent anew as a whole, so none should take much longer than this.
PIECE_SECONDS = 2.0
TIMEOUT_SECONDS = 600.0
# In a row, without a byte of progress between them.
MOST_FAULTS = 8
TUS = {"tus-resumable": "1.0.0"}


@dataclass(frozen=True)
class LocalFile:
    path: Path
    name: str
    size_bytes: int


@dataclass(frozen=True)
class Upload:
    """A finished upload; `id` goes into `upload_ids` of an import."""

    id: str
    name: str
    size_bytes: int


def list_files(paths: PathLike | Sequence[PathLike]) -> list[LocalFile]:
    """The files that paths name; a folder means everything in it except hidden files."""
    given = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
    files: list[LocalFile] = []
    for path in map(Path, given):
        if not path.is_dir():
            files.append(LocalFile(path, path.name, path.stat().st_size))
            continue
        for found in path.rglob("*"):
            name = found.relative_to(path).as_posix()
            if found.is_file() and not any(part.startswith(".") for part in name.split("/")):
                files.append(LocalFile(found, name, found.stat().st_size))
    files.sort(key=lambda file: file.name)
    for one, other in zip(files, files[1:]):
        if one.name == other.name:
            raise ValueError(f"Two files would both be called {one.name}. Upload the folder that contains them.")
    return files


def upload_paths(
    base_url: str,
    paths: PathLike | Sequence[PathLike],
    *,
    org_slug: str | None,
    project_slug: str | None,
    parallel: int,
    on_progress: Progress | None,
) -> Steps[list[Upload]]:
    files: list[LocalFile] = yield Block(lambda: list_files(paths))
    if not files:
        raise ValueError("There are no files at the path you gave.")
    total = sum(file.size_bytes for file in files)
    sent = [0] * len(files)

    def report(index: int) -> Callable[[int], None]:
        def note(offset: int) -> None:
            sent[index] = offset
            if on_progress is not None:
                on_progress(sum(sent), total)

        return note

    place = {"org_slug": org_slug, "project_slug": project_slug}
    tasks = [_upload(base_url, file, place, report(index)) for index, file in enumerate(files)]
    uploads: list[Upload] = yield Together(tasks, parallel)
    return uploads


def _upload(base_url: str, file: LocalFile, place: dict[str, str | None], note: Callable[[int], None]) -> Steps[Upload]:
    path: str | None = None
    offset: int | None = None
    faults = 0
    piece_bytes = FIRST_PIECE_BYTES
    while True:
        try:
            if path is not None and offset is None:
                offset = yield from _find_offset(path, file.size_bytes)
            if path is None or offset is None:
                path, offset = (yield from _create(base_url, file, place)), 0
            note(offset)
            while offset < file.size_bytes:
                began = time.monotonic()
                offset = yield from _send_piece(path, file, offset, piece_bytes)
                faults = 0
                if time.monotonic() - began < PIECE_SECONDS / 2:
                    piece_bytes = min(MOST_PIECE_BYTES, piece_bytes * 2)
                note(offset)
            return Upload(path.rsplit("/", 1)[-1], file.name, file.size_bytes)
        except Exception as error:
            faults += 1
            if faults > MOST_FAULTS or not _is_repairable(error):
                raise
            # What was stored of the piece that broke, only the server knows.
            offset = None
            piece_bytes = max(LEAST_PIECE_BYTES, piece_bytes // 2)
            if _is_gone(error):
                path = None
            yield Sleep(back_off(faults, error))


def _create(base_url: str, file: LocalFile, place: dict[str, str | None]) -> Steps[str]:
    entries = {"filename": file.name, **place}
    metadata = ",".join(f"{name} {_base64(value.encode())}" for name, value in entries.items() if value)
    response = yield Send(
        "POST", ENDPOINT, headers={**TUS, "upload-length": str(file.size_bytes), "upload-metadata": metadata}
    )
    location = response.headers.get("location")
    if not location:
        raise ConnectionFailed("The server created an upload but sent no Location header; a proxy may have removed it.")
    # The credential goes to our address only, whatever a proxy wrote into Location.
    path: str = urlsplit(urljoin(f"{base_url}{ENDPOINT}/", location)).path
    return path


def _find_offset(path: str, size_bytes: int) -> Steps[int | None]:
    """`None` when the server no longer has it, or has another one under that address."""
    try:
        response = yield Send("HEAD", path, headers=dict(TUS))
    except ApiError as error:
        if _is_gone(error):
            return None
        raise
    if int(response.headers.get("upload-length", size_bytes)) != size_bytes:
        return None
    return int(response.headers["upload-offset"])


def _send_piece(path: str, file: LocalFile, offset: int, piece_bytes: int) -> Steps[int]:
    aligned = (offset + piece_bytes) // PART_BYTES * PART_BYTES
    end = min(file.size_bytes, aligned if aligned > offset else offset + piece_bytes)
    length = end - offset
    piece: bytes = yield Block(lambda: _read(file.path, offset, length))
    headers = {
        **TUS,
        "content-type": "application/offset+octet-stream",
        "upload-offset": str(offset),
        "upload-checksum": f"sha256 {_base64(hashlib.sha256(piece).digest())}",
    }
    response = yield Send("PATCH", path, headers=headers, content=piece, timeout_seconds=TIMEOUT_SECONDS)
    stored = int(response.headers.get("upload-offset", -1))
    if not offset < stored <= file.size_bytes:
        raise ConnectionFailed("The server accepted part of the upload but did not say how much.")
    return stored


def _read(path: Path, offset: int, length: int) -> bytes:
    with open(path, "rb") as source:
        source.seek(offset)
        piece = source.read(length)
    if len(piece) != length:
        raise ValueError(f"{path} became shorter during the upload.")
    return piece


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()


def _is_gone(error: BaseException) -> bool:
    return isinstance(error, ApiError) and error.status in (404, 410)


def _is_repairable(error: BaseException) -> bool:
    """409: the offset is another than we thought; 423: our broken request still holds it; 460: the piece arrived damaged."""
    if isinstance(error, ApiError) and error.status in (408, 409, 423, 460):
        return True
    return is_passing(error, True) or _is_gone(error)
