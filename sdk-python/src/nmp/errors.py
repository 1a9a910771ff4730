from __future__ import annotations

import email.utils
import time
from typing import Any, Mapping, TypedDict

import httpx


class ValidationIssue(TypedDict, total=False):
    """One invalid part of a request, as listed by a 422."""

    loc: list[str | int]
    msg: str
    type: str
    input: Any
    ctx: dict[str, Any]


class NmpError(Exception):
    """Base class of all errors that this client raises."""


class ApiError(NmpError):
    """The service refused: `code` is its word for machines, the message its sentence, `issues` what a 422 lists."""

    def __init__(self, status: int, body: Any, headers: Mapping[str, str]) -> None:
        fields = body if isinstance(body, dict) else {}
        detail = fields.get("detail")
        self.issues: list[ValidationIssue] = detail if isinstance(detail, list) else []
        self.status = status
        self.code: str = fields.get("code") or ("validation_failed" if status == 422 else f"http_{status}")
        self.request_id: str | None = fields.get("request_id") or headers.get("x-request-id")
        self.retry_after_seconds = read_retry_after(headers.get("retry-after"))
        super().__init__(_describe(self.issues, detail, status))


class ConnectionFailed(NmpError):
    """No answer: the address is wrong, the network is down, or the connection broke."""

    # Whether the service has answered this client before.
    was_there = False


class JobFailed(NmpError):
    """The job failed or was canceled; `job` is its record."""

    def __init__(self, job: Any, message: str) -> None:
        self.job = job
        super().__init__(message)


class DownloadFailed(NmpError):
    """The downloaded file is damaged or incomplete."""


def _describe(issues: list[ValidationIssue], detail: Any, status: int) -> str:
    if issues:
        places = (".".join(str(part) for part in issue.get("loc", []) if part != "body") for issue in issues)
        return "; ".join(f"{place}: {issue.get('msg')}" for place, issue in zip(places, issues))
    return detail if isinstance(detail, str) else f"The server answered {status}."


def read_refusal(response: httpx.Response) -> ApiError:
    try:
        body = response.json()
    except ValueError:
        body = None
    return ApiError(response.status_code, body, response.headers)


def read_retry_after(value: str | None) -> float | None:
    """Seconds, or a date."""
    if value is None:
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - time.time())
    except ValueError:
        return None
