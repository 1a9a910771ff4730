"""Downloads files in parallel ranges into `<target>.part`; after an interruption the next call fetches what is missing."""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Callable, Mapping

from .effects import Block, Fetch, Sleep, Steps, Together
from .errors import ApiError, ConnectionFailed, DownloadFailed
from .retry import back_off, is_passing

PART_BYTES = 16 * 1024 * 1024
MOST_FAULTS = 8

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Downloaded:
    path: Path
    size_bytes: int
    sha256: str


@dataclass
class _Job:
    target: Path
    url: str
    etag: str
    size_bytes: int
    on_progress: Progress | None
    find_url: Callable[[], Steps[str]]
    done: set[int] = field(default_factory=set)
    done_bytes: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def part(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part")

    @property
    def note(self) -> Path:
        return self.target.with_name(f"{self.target.name}.part.json")

    def length_of(self, number: int) -> int:
        return min(PART_BYTES, self.size_bytes - number * PART_BYTES)

    def count(self, size: int) -> None:
        with self.lock:
            self.done_bytes += size
            if self.on_progress is not None:
                self.on_progress(self.done_bytes, self.size_bytes)

    def finish(self, number: int) -> None:
        with self.lock:
            self.done.add(number)
            state = {"etag": self.etag, "sizeBytes": self.size_bytes, "done": sorted(self.done)}
            self.note.write_text(json.dumps(state))


def download_file(
    find_url: Callable[[], Steps[str]],
    target: str | os.PathLike[str],
    *,
    sha256: str | None,
    parallel: int,
    on_progress: Progress | None,
) -> Steps[Downloaded]:
    job = yield from _open(find_url, Path(target), on_progress)
    yield Block(lambda: _prepare(job))
    job.count(0)
    numbers = [number for number in range(-(-job.size_bytes // PART_BYTES)) if number not in job.done]
    if numbers:
        yield Together([_fetch_part(job, number) for number in numbers], parallel)
    found: str = yield Block(lambda: hash_file(job.part))
    if sha256 is not None and found != sha256:
        job.part.unlink()
        job.note.unlink(missing_ok=True)
        raise DownloadFailed(
            f"{job.target} has sha256 {found} instead of {sha256}: it was damaged on the way. Download it again."
        )
    os.replace(job.part, job.target)
    job.note.unlink(missing_ok=True)
    return Downloaded(job.target, job.size_bytes, found)


def _open(find_url: Callable[[], Steps[str]], target: Path, on_progress: Progress | None) -> Steps[_Job]:
    """Size and identity of the file, from a range of one byte: a `HEAD` is refused by addresses that were signed for `GET`."""
    seen: dict[str, Any] = {}

    def begin(status: int, headers: Mapping[str, str]) -> None:
        size = re.search(r"/(\d+)$", headers.get("content-range", ""))
        if status != 206 or size is None:
            raise DownloadFailed("The server does not support range requests, which resumable downloads need.")
        seen.update(etag=headers.get("etag", ""), size_bytes=int(size[1]))

    faults = 0
    while True:
        try:
            url = yield from find_url()
            yield Fetch(url, {"range": "bytes=0-0"}, begin, lambda piece: None)
            return _Job(target, url, seen["etag"], seen["size_bytes"], on_progress, find_url)
        except Exception as error:
            if isinstance(error, ApiError) and error.status == 416:
                return _Job(target, url, "", 0, on_progress, find_url)
            faults += 1
            if faults > MOST_FAULTS or not is_passing(error, True):
                raise
            yield Sleep(back_off(faults, error))


def _prepare(job: _Job) -> None:
    job.target.parent.mkdir(parents=True, exist_ok=True)
    try:
        state = json.loads(job.note.read_text())
        if job.part.exists() and state["etag"] == job.etag and state["sizeBytes"] == job.size_bytes:
            job.done = set(state["done"])
    except (OSError, ValueError, KeyError):
        pass
    with open(job.part, "r+b" if job.done else "wb") as part:
        part.truncate(job.size_bytes)
    job.done_bytes = sum(job.length_of(number) for number in job.done)


def _fetch_part(job: _Job, number: int) -> Steps[None]:
    position = number * PART_BYTES
    end = position + job.length_of(number)
    faults = 0
    part: BinaryIO = yield Block(lambda: open(job.part, "r+b"))

    def begin(status: int, headers: Mapping[str, str]) -> None:
        if status != 206:
            raise DownloadFailed("The file changed during the download. Start the download again.")

    def take(piece: bytes) -> None:
        nonlocal position, faults
        part.seek(position)
        part.write(piece)
        position += len(piece)
        faults = 0
        job.count(len(piece))

    try:
        while position < end:
            try:
                headers = {"range": f"bytes={position}-{end - 1}", "if-range": job.etag}
                yield Fetch(job.url, headers, begin, take)
                if position < end:
                    raise ConnectionFailed("The connection was lost.")
            except Exception as error:
                faults += 1
                if faults > MOST_FAULTS:
                    raise
                if isinstance(error, ApiError) and error.status == 403:
                    job.url = yield from job.find_url()
                elif not is_passing(error, True):
                    raise
                yield Sleep(back_off(faults, error))
    finally:
        part.close()
    yield Block(lambda: job.finish(number))


def hash_file(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as source:
        while piece := source.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()
