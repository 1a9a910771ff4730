"""Against a running nmp: `.ci/python-sdk` starts one and sets NMP_BASE_URL and NMP_TOKEN."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Iterator

import nmp
import pytest

from faulty_proxy import FaultyProxy
from nmp.generated.records import WorkspaceImportJob

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.fixture(scope="session")
def base_url() -> str:
    return os.environ["NMP_BASE_URL"]


@pytest.fixture(scope="session")
def token() -> str:
    return os.environ["NMP_TOKEN"]


@pytest.fixture()
def client(base_url: str, token: str) -> Iterator[nmp.Client]:
    with nmp.Client(base_url, token) as opened:
        yield opened


@pytest.fixture()
def proxy(base_url: str) -> Iterator[FaultyProxy]:
    opened = FaultyProxy(base_url)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def place(base_url: str, token: str) -> dict[str, str]:
    with nmp.Client(base_url, token) as opened:
        project = opened.users.get_current_user()["user"]["projects"][0]
    return {"org_slug": project["org_slug"], "project_slug": project["project_slug"]}


@pytest.fixture(scope="session")
def source() -> Path:
    folder = FIXTURES / "lerobot" / "recorded-v2.1"
    assert folder.is_dir(), f"the fixture {folder} is missing"
    return folder


@pytest.fixture(scope="session")
def dataset(base_url: str, token: str, place: dict[str, str], source: Path) -> WorkspaceImportJob:
    """The finished import of a small dataset with two cameras."""
    with nmp.Client(base_url, token) as opened:
        uploads = opened.uploads.send(source, **place)
        return opened.imports.create_and_wait(
            **place,
            body={
                "source_kind": "lerobot",
                "dataset_slug": f"python-{secrets.token_hex(4)}",
                "upload_ids": [upload.id for upload in uploads],
            },
        )
