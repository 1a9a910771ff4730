from __future__ import annotations

import json
from typing import Any, Callable

from .effects import Hang, Listen, NextEvent, Sleep, Steps
from .errors import ConnectionFailed, JobFailed, NmpError

FINAL = ("succeeded", "failed", "canceled")
FIRST_SECONDS = 0.5
LONGEST_SECONDS = 5.0
# The server ends the stream after this long; then one look covers whatever a stream may lose.
STREAM_SECONDS = 30
MOST_FAULTS = 3

Look = Callable[[], Steps[Any]]
Report = Callable[[Any], None]


class _Watched:
    def __init__(self, first: Any, on_progress: Report | None) -> None:
        self.job = first
        self._on_progress = on_progress
        if on_progress is not None:
            on_progress(first)

    @property
    def is_final(self) -> bool:
        return self.job["status"] in FINAL

    def see(self, found: Any) -> bool:
        changed: bool = found != self.job
        self.job = found
        if changed and self._on_progress is not None:
            self._on_progress(found)
        return changed


def wait_for_job(first: Any, look: Look, kind: str, on_progress: Report | None) -> Steps[Any]:
    """The job once it has succeeded; raises when it failed or was canceled."""
    job = yield from follow_job(first, look, kind, on_progress)
    if job["status"] == "succeeded":
        return job
    reason = job.get("error_message") or "no reason was given"
    ended = "was canceled." if job["status"] == "canceled" else f"failed: {reason}"
    raise JobFailed(job, f"The {kind} {job['id']} {ended}")


def follow_job(first: Any, look: Look, kind: str, on_progress: Report | None) -> Steps[Any]:
    """Waits until a job is final, by events or by polling. Stopping the wait does not stop the job."""
    watched = _Watched(first, on_progress)
    faults = 0
    while not watched.is_final and faults < MOST_FAULTS:
        try:
            yield from _listen(watched, look, kind)
            faults = 0
        except ConnectionFailed:
            faults += 1
        except NmpError:
            # Refused: a proxy that lets no streams through, say. A credential that opens nothing fails at the next look.
            faults = MOST_FAULTS
        if not watched.is_final:
            yield Sleep(FIRST_SECONDS)
            watched.see((yield from look()))
    yield from _poll(watched, look)
    return watched.job


def _listen(watched: _Watched, look: Look, kind: str) -> Steps[None]:
    places = [("org_slug", watched.job["org_slug"]), ("project_slug", watched.job.get("project_slug"))]
    params = [(name, value) for name, value in places if value]
    stream = yield Listen("/api/v1/events", [*params, ("seconds", str(STREAM_SECONDS))])
    # What happened before the stream was open.
    watched.see((yield from look()))
    while not watched.is_final:
        event = yield NextEvent(stream)
        if event is None:
            break
        if event.name == "reset":
            watched.see((yield from look()))
        elif event.name == kind:
            record = json.loads(event.data)
            if record.get("id") == watched.job["id"]:
                watched.see(record)
            elif kind == "check" and record.get("dataset_id") == watched.job["id"]:
                # A run of the checks is told without what it found.
                watched.see((yield from look()))
    yield Hang(stream)


def _poll(watched: _Watched, look: Look) -> Steps[None]:
    pause = FIRST_SECONDS
    while not watched.is_final:
        yield Sleep(pause)
        changed = watched.see((yield from look()))
        pause = FIRST_SECONDS if changed else min(LONGEST_SECONDS, pause * 1.5)
