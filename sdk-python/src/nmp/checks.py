"""Runs of the checks, of datasets and versions alike; `groups` offers them waiting and awaited."""

from __future__ import annotations

from typing import Any, Callable

from .effects import Steps
from .errors import JobFailed
from .generated import catalog, datasets, versions
from .waiting import follow_job

Watch = Callable[[Any], None]
# What decides, of several parts: what nobody has asked for is no failure.
DECIDING = ("running", "queued", "failed", "canceled")


def run_checks_and_wait(dataset_id: str, pictures: bool, again: bool, on_progress: Watch | None) -> Steps[Any]:
    place = yield from _find_place(dataset_id)
    body = {"pictures": pictures, "again": again}
    if dataset_id.startswith("ver_"):
        values = {"org_slug": place["org_slug"], "version_id": dataset_id}
        answer = yield from versions._RUN_VERSION_CHECKS.call(values, body)
    else:
        answer = yield from datasets._RUN_CHECKS.call(place, body)
    return (yield from _follow(dataset_id, place, answer["item"], pictures, on_progress))


def wait_for_checks(dataset_id: str, pictures: bool, on_progress: Watch | None) -> Steps[Any]:
    place = yield from _find_place(dataset_id)
    answer = yield from catalog._GET_CHECKS.call({"dataset_id": dataset_id})
    return (yield from _follow(dataset_id, place, answer["item"], pictures, on_progress))


def _find_place(dataset_id: str) -> Steps[dict[str, str]]:
    item = (yield from catalog._GET_CATALOG_DATASET.call({"dataset_id": dataset_id, "limit": 1}))["item"]
    return {"org_slug": item["org_slug"], "project_slug": item["project_slug"], "dataset_slug": item["slug"]}


def _follow(dataset_id: str, place: dict[str, str], first: Any, pictures: bool, on_progress: Watch | None) -> Steps[Any]:
    parts = ("signals", "pictures") if pictures else ("signals",)

    def to_job(summary: Any) -> dict[str, Any]:
        statuses = [summary[part]["status"] for part in parts]
        status = next((one for one in DECIDING if one in statuses), "succeeded")
        return {**place, "id": dataset_id, "status": status, "summary": summary}

    def look() -> Steps[Any]:
        return to_job((yield from catalog._GET_CHECKS.call({"dataset_id": dataset_id}))["item"])

    def report(job: Any) -> None:
        if on_progress is not None:
            on_progress(job["summary"])

    job = yield from follow_job(to_job(first), look, "check", report)
    summary = job["summary"]
    if job["status"] == "succeeded":
        return summary
    reasons = {summary[part]["message"]: None for part in parts if summary[part]["status"] in ("failed", "canceled")}
    raise JobFailed(job, f"The checks of {dataset_id} did not come to their end: {' '.join(reasons)}")
