from __future__ import annotations

from typing import Any, Callable

from .effects import Sleep, Steps
from .errors import JobFailed

FINAL = ("succeeded", "failed", "canceled")
FIRST_SECONDS = 0.5
LONGEST_SECONDS = 5.0


def wait_for_job(
    first: Any, look: Callable[[], Steps[Any]], kind: str, on_progress: Callable[[Any], None] | None
) -> Steps[Any]:
    """Looks at a job until it is final, less and less often while nothing changes. Stopping the wait does not stop the job."""
    job = first
    pause = FIRST_SECONDS
    if on_progress is not None:
        on_progress(job)
    while job["status"] not in FINAL:
        yield Sleep(pause)
        found = yield from look()
        pause = FIRST_SECONDS if found != job else min(LONGEST_SECONDS, pause * 1.5)
        if found != job and on_progress is not None:
            on_progress(found)
        job = found
    if job["status"] == "succeeded":
        return job
    reason = job.get("error_message") or "it left no reason"
    ended = "was canceled." if job["status"] == "canceled" else f"failed: {reason}"
    raise JobFailed(job, f"The {kind} {job['id']} {ended}")
