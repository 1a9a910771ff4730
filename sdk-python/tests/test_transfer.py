from __future__ import annotations

import asyncio
import secrets
import tarfile
from pathlib import Path

import nmp
import nmp.downloads
import pytest
from faulty_proxy import FaultyProxy
from nmp.downloads import Downloaded, download_file
from nmp.effects import Sleep, Steps
from nmp.generated.records import WorkspaceImportJob


def test_a_bad_line_costs_time_only(
    proxy: FaultyProxy, client: nmp.Client, token: str, place: dict[str, str], source: Path, tmp_path: Path
) -> None:
    """Upload, import, download through connections that break: the dataset is the same as over a good line."""
    slug = f"bad-line-{secrets.token_hex(4)}"
    with nmp.Client(proxy.url, token) as far:
        uploads = far.uploads.send(source, **place)
        job = far.imports.create_and_wait(
            **place,
            body={"source_kind": "lerobot", "dataset_slug": slug, "upload_ids": [upload.id for upload in uploads]},
        )
        version = far.versions.create_version(
            org_slug=place["org_slug"],
            body={
                "slug": f"{slug}-version",
                "name": "all",
                "source": {"dataset_kind": "catalog", "dataset_id": job["dataset_id"] or ""},
                "recipe": {},
            },
        )["item"]
        far.exports.create_and_wait(org_slug=place["org_slug"], version_id=version["id"])
        # Signed addresses name the service itself, so that this download takes the good line; the bad one follows.
        good = client.versions.download(version["id"], tmp_path / "good.tar")
    url = client.exports.get_artifact_download_url(
        org_slug=place["org_slug"], version_id=version["id"], artifact_key="lerobot"
    )["url"]
    bad = run_download(client, url.replace(client.base_url, proxy.url), tmp_path / "bad.tar", good.sha256)
    assert bad.sha256 == good.sha256
    assert (tmp_path / "bad.tar").read_bytes() == (tmp_path / "good.tar").read_bytes()
    assert proxy.cuts > 0
    imports = [one for one in client.imports.iterate_imports(**place, q=slug)]
    versions = [one for one in client.versions.iterate_versions(org_slug=place["org_slug"], q=f"{slug}-version")]
    assert (len(imports), len(versions)) == (1, 1)


def test_another_form_with_options_of_its_own(
    client: nmp.Client, place: dict[str, str], dataset: WorkspaceImportJob, tmp_path: Path
) -> None:
    org_slug = place["org_slug"]
    version = client.versions.create_version(
        org_slug=org_slug,
        body={
            "slug": f"norm-{secrets.token_hex(4)}",
            "name": "statistics",
            "source": {"dataset_kind": "catalog", "dataset_id": dataset["dataset_id"] or ""},
            "recipe": {},
        },
    )["item"]
    key = "openpi-norm-stats"
    with pytest.raises(nmp.ApiError, match="horizon of openpi-norm-stats must be a whole number from 1 to 1000"):
        client.exports.create_and_wait(
            org_slug=org_slug, version_id=version["id"], artifact_key=key, options={"horizon": 0}
        )
    job = client.exports.create_and_wait(
        org_slug=org_slug, version_id=version["id"], artifact_key=key, options={"horizon": 7}
    )
    assert (job["artifact_key"], job["options"]) == (key, {"horizon": 7})
    report = job["report"]
    assert report is not None and "observation.images.laptop" in [loss["feature"] for loss in report["losses"]]
    downloaded = client.versions.download(version["id"], tmp_path / "stats.tar", artifact_key=key)
    assert downloaded.sha256 == job["checksum_sha256"]
    with tarfile.open(tmp_path / "stats.tar") as archive:
        assert archive.getnames() == [f"{key}/norm_stats.json"]
    several = client.exports.create_several_and_wait(
        org_slug=org_slug, version_id=version["id"], artifact_keys=["mcap", key], options={key: {"horizon": 7}}
    )
    assert [(one["artifact_key"], one["status"]) for one in several] == [("mcap", "succeeded"), (key, "succeeded")]
    assert several[1]["id"] == job["id"]


def run_download(client: nmp.Client, url: str, target: Path, sha256: str) -> Downloaded:
    def find_url() -> Steps[str]:
        yield Sleep(0)
        return url

    return client._driver.run(download_file(find_url, target, sha256=sha256, parallel=3, on_progress=None))


def test_a_download_goes_on_where_it_stopped(
    client: nmp.Client, token: str, dataset: WorkspaceImportJob, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(nmp.downloads, "PART_BYTES", 16_384)
    dataset_id = dataset["dataset_id"] or ""
    target = tmp_path / "set.tar"

    def give_up(done: int, total: int) -> None:
        if done > total / 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        client.datasets.download(dataset_id, target, on_progress=give_up, parallel=1)
    assert not target.exists()
    begun: list[int] = []
    whole = client.datasets.download(dataset_id, target, on_progress=lambda done, total: begun.append(done))
    assert whole.size_bytes / 4 < begun[0] < whole.size_bytes
    assert [path.name for path in tmp_path.iterdir()] == ["set.tar"]

    async def again() -> str:
        async with nmp.AsyncClient(client.base_url, token) as other:
            return (await other.datasets.download(dataset_id, tmp_path / "async.tar")).sha256

    assert asyncio.run(again()) == whole.sha256


def test_a_damaged_file_is_not_kept(client: nmp.Client, dataset: WorkspaceImportJob, tmp_path: Path) -> None:
    href = client.catalog.get_catalog_dataset(dataset_id=dataset["dataset_id"] or "")["item"]["export_artifacts"][0]["href"]
    with pytest.raises(nmp.DownloadFailed, match="sha256"):
        run_download(client, href, tmp_path / "wrong.tar", "0" * 64)
    assert list(tmp_path.iterdir()) == []
