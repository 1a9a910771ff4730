from __future__ import annotations

import asyncio
import json
from pathlib import Path

import httpx
import nmp
import pytest
from nmp.generated.records import CheckSummary, WorkspaceImportJob


def test_refusals_say_what_and_where(client: nmp.Client, place: dict[str, str]) -> None:
    with pytest.raises(nmp.ApiError) as wrong:
        client.imports.create_import(**place, body={"source_kind": "hdf5", "dataset_slug": "Not A Slug"})
    assert wrong.value.status == 422
    assert {"dataset_slug"} <= {issue["loc"][-1] for issue in wrong.value.issues}
    with pytest.raises(nmp.ApiError) as absent:
        client.imports.get_import(**place, job_id="imp_none")
    assert (absent.value.status, absent.value.code) == (404, "not_found")
    assert absent.value.request_id
    with pytest.raises(nmp.ApiError) as session:
        client.users.list_tokens()
    assert session.value.code == "session_required"


def test_pages_are_walked_to_the_end(client: nmp.Client, dataset: WorkspaceImportJob) -> None:
    dataset_id = dataset["dataset_id"] or ""
    total = client.catalog.list_episodes(dataset_id=dataset_id)["item"]["total"]
    episodes = list(client.catalog.iterate_episodes(dataset_id=dataset_id, limit=1))
    assert [episode["episode_index"] for episode in episodes] == list(range(total))
    place = {"org_slug": dataset["org_slug"], "project_slug": dataset["project_slug"]}
    ids = [job["id"] for job in client.imports.iterate_imports(**place, limit=1)]
    assert dataset["id"] in ids
    assert len(ids) == len(set(ids))


def test_calls_are_repeated_after_faults_and_creating_calls_carry_a_key() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if len(seen) < 3:
            return httpx.Response(503, json={"detail": "busy", "code": "unavailable"}, headers={"retry-after": "0"})
        return httpx.Response(200, json={"item": {"id": "imp_1"}})

    client = nmp.Client("http://nmp.test", "nmp_x", http=httpx.Client(transport=httpx.MockTransport(answer)))
    body = {"source_kind": "huggingface", "dataset_slug": "pusht", "hf_repo_id": "lerobot/pusht"}
    assert client.imports.create_import(org_slug="a", project_slug="b", body=body)["item"]["id"] == "imp_1"  # type: ignore[arg-type]
    assert len({request.content for request in seen}) == 1
    assert b"idempotency_key" in seen[0].content
    seen.clear()
    client.versions.create_version(org_slug="a", body={"slug": "s"})  # type: ignore[typeddict-item]
    assert (len(seen), len({request.content for request in seen})) == (3, 1)
    assert b"idempotency_key" in seen[0].content
    seen.clear()
    with pytest.raises(nmp.ApiError):
        client.imports.retry_import(org_slug="a", project_slug="b", job_id="imp_1", body={})
    assert len(seen) == 1


def test_a_service_that_was_there_is_waited_for_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nmp.retry.random.random", lambda: 0.0)
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        if was_there and len(seen) == 1:
            return httpx.Response(200, json={"item": {"name": "nmp"}})
        raise httpx.ConnectError("refused")

    for was_there, attempts in ((False, 5), (True, 9)):
        seen.clear()
        client = nmp.Client("http://nmp.test", http=httpx.Client(transport=httpx.MockTransport(answer)))
        if was_there:
            client.platform.get_version()
        with pytest.raises(nmp.ConnectionFailed):
            client.platform.get_version()
        assert len(seen) == attempts + was_there


def test_a_failed_import_raises_its_reason(client: nmp.Client, place: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "broken.hdf5").write_bytes(b"this is no HDF5 file" * 100)
    [upload] = client.uploads.send(tmp_path / "broken.hdf5", **place)
    with pytest.raises(nmp.JobFailed) as failed:
        client.imports.create_and_wait(
            **place, body={"source_kind": "hdf5", "dataset_slug": "broken", "upload_ids": [upload.id]}
        )
    assert failed.value.job["status"] == "failed"
    assert "HDF5" in str(failed.value)


def test_a_version_is_copied_as_a_dataset(base_url: str, token: str, place: dict[str, str], dataset: WorkspaceImportJob) -> None:
    slug = f"{dataset['dataset_slug']}-copied"
    org_slug = place["org_slug"]
    with nmp.Client(base_url, token) as client:
        version = client.versions.create_version(
            org_slug=org_slug,
            body={
                "slug": f"{slug}-version",
                "name": "Two episodes",
                "source": {"dataset_kind": "project", "dataset_id": dataset["dataset_id"] or ""},
                "recipe": {"first_n_episodes": 2},
            },
        )["item"]
        seen: list[str | None] = []
        copied = client.imports.copy_and_wait(
            org_slug=org_slug,
            version_id=version["id"],
            body={"dataset_slug": slug},
            on_progress=lambda job: seen.append(job["progress_phase"]),
        )
    assert copied["status"] == "succeeded" and seen[0] == "wait"
    lineage = copied["copied_from"]
    assert lineage is not None and lineage["version_id"] == version["id"]

    async def again() -> WorkspaceImportJob:
        async with nmp.AsyncClient(base_url, token) as other:
            return await other.imports.copy_and_wait(
                org_slug=org_slug, version_id=version["id"], body={"dataset_slug": slug, "title": "Again"}
            )

    assert asyncio.run(again())["dataset_id"] == copied["dataset_id"]


def test_the_same_awaited(base_url: str, token: str, dataset: WorkspaceImportJob) -> None:
    async def list_episodes() -> list[int]:
        async with nmp.AsyncClient(base_url, token) as client:
            dataset_id = dataset["dataset_id"] or ""
            await client.catalog.get_catalog_dataset(dataset_id=dataset_id)
            with pytest.raises(nmp.ApiError):
                await client.catalog.get_catalog_dataset(dataset_id="ds_none")
            return [one["episode_index"] async for one in client.catalog.iterate_episodes(dataset_id=dataset_id, limit=2)]

    assert asyncio.run(list_episodes()) == list(range(4))


def test_an_unreachable_server_is_said_so() -> None:
    with pytest.raises(nmp.ConnectionFailed, match="127.0.0.1"):
        nmp.Client("http://127.0.0.1:9").versions.create_version(org_slug="a", body={})  # type: ignore[typeddict-item]


def test_waits_listen_and_look_only_where_nobody_speaks(client: nmp.Client, dataset: WorkspaceImportJob) -> None:
    """Events bring the end of a job; where no stream goes through, looking finds it as well."""
    job = {**dataset, "status": "running", "progress_pct": 10}
    changed = {**job, "progress_pct": 50, "progress_message": "half\u2028way"}
    lines = [f"id: {number}\nevent: import\ndata: {json.dumps(one, ensure_ascii=False)}\n\n" for number, one in enumerate([changed, dataset])]
    looks = 0
    streams = True

    def answer(request: httpx.Request) -> httpx.Response:
        nonlocal looks
        if request.url.path == "/api/v1/events":
            assert request.url.params["org_slug"] == dataset["org_slug"]
            if not streams:
                return httpx.Response(403, json={"detail": "no streams here", "code": "forbidden"})
            text = f": hello\r\nevent: ready\r\ndata: {{}}\r\n\r\n{''.join(lines)}"
            return httpx.Response(200, text=text, headers={"content-type": "text/event-stream; charset=utf-8"})
        looks += 1
        return httpx.Response(200, json={"item": job if streams or looks < 3 else dataset})

    place = {"org_slug": dataset["org_slug"], "project_slug": dataset["project_slug"], "job_id": dataset["id"]}
    seen: list[float | None] = []
    far = nmp.Client("http://nmp.test", "nmp_x", http=httpx.Client(transport=httpx.MockTransport(answer)))
    assert far.imports.wait(**place, on_progress=lambda one: seen.append(one["progress_pct"]))["status"] == "succeeded"
    assert (seen[:2], looks) == ([10, 50], 2)

    looks, streams = 0, False
    assert far.imports.wait(**place)["status"] == "succeeded"

    async def again() -> WorkspaceImportJob:
        transport = httpx.AsyncClient(transport=httpx.MockTransport(answer))
        async with nmp.AsyncClient("http://nmp.test", "nmp_x", http=transport) as other:
            return await other.imports.wait(**place)

    for streams in (True, False):
        looks = 0
        assert asyncio.run(again())["id"] == dataset["id"]

    # A run of the checks is told by its dataset; what it found is read.
    under_way = {"status": "running", "done": 1, "total": 4, "message": "1 of 4 episodes."}
    found = {"signals": {**under_way, "status": "succeeded", "done": 4}, "pictures": {"status": "skipped"}}
    reads: list[str] = []

    def tell(request: httpx.Request) -> httpx.Response:
        reads.append(request.url.path)
        if request.url.path == "/api/v1/events":
            records = [{"id": "chk_2", "dataset_id": "ds_2"}, {"id": "chk_1", "dataset_id": "ds_1"}]
            text = "".join(f"event: check\ndata: {json.dumps(one)}\n\n" for one in records)
            return httpx.Response(200, text=text, headers={"content-type": "text/event-stream; charset=utf-8"})
        if not request.url.path.endswith("/checks"):
            return httpx.Response(200, json={"item": {"org_slug": "a", "project_slug": "b", "slug": "cans"}})
        return httpx.Response(200, json={"item": found if len(reads) > 4 else {**found, "signals": under_way}})

    near = nmp.Client("http://nmp.test", "nmp_x", http=httpx.Client(transport=httpx.MockTransport(tell)))
    assert near.checks.wait(dataset_id="ds_1")["signals"]["status"] == "succeeded"
    checks = "/api/v1/catalog/datasets/ds_1/checks"
    assert reads == ["/api/v1/catalog/datasets/ds_1", checks, "/api/v1/events", checks, checks]
    found["signals"] = {**under_way, "status": "canceled", "message": "The checks were canceled."}
    with pytest.raises(nmp.JobFailed, match="The checks were canceled") as canceled:
        near.checks.wait(dataset_id="ds_1")
    assert canceled.value.job["status"] == "canceled"


def test_of_several_exports_all_are_waited_for_before_the_first_failure_is_raised() -> None:
    def job(job_id: str, status: str) -> dict[str, str | None]:
        return {"id": job_id, "status": status, "org_slug": "a", "version_id": "v", "project_slug": "p", "error_message": "no room"}

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            assert json.loads(request.content) == {"artifact_keys": ["rlds", "zarr"], "options": {"zarr": {"container": "folder"}}}
            return httpx.Response(200, json={"jobs": [job("exp_1", "failed"), job("exp_2", "queued")]})
        if request.url.path == "/api/v1/events":
            return httpx.Response(403, json={"detail": "no streams here", "code": "forbidden"})
        return httpx.Response(200, json={"item": job("exp_2", "succeeded")})

    seen: list[tuple[str, str]] = []
    far = nmp.Client("http://nmp.test", "nmp_x", http=httpx.Client(transport=httpx.MockTransport(answer)))
    with pytest.raises(nmp.JobFailed, match="exp_1 failed: no room"):
        far.exports.create_several_and_wait(
            org_slug="a",
            version_id="v",
            artifact_keys=["rlds", "zarr"],
            options={"zarr": {"container": "folder"}},
            on_progress=lambda one: seen.append((one["id"], one["status"])),
        )
    assert (seen[0], seen[-1]) == (("exp_1", "failed"), ("exp_2", "succeeded"))


def test_checks_are_run_and_waited_for(
    client: nmp.Client, base_url: str, token: str, dataset: WorkspaceImportJob
) -> None:
    dataset_id = dataset["dataset_id"] or ""
    seen: list[str] = []
    summary = client.checks.run_and_wait(
        dataset_id=dataset_id, pictures=False, again=True, on_progress=lambda one: seen.append(one["signals"]["status"])
    )
    assert (summary["dataset_id"], summary["signals"]["status"], summary["episodes"]) == (dataset_id, "succeeded", 4)
    assert seen[-1] == "succeeded"

    async def look() -> CheckSummary:
        async with nmp.AsyncClient(base_url, token) as other:
            return await other.checks.wait(dataset_id=dataset_id, pictures=False)

    assert asyncio.run(look()) == summary
