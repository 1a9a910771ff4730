"""What the tests of huggingface_hub expect around them and its sdist leaves out (tests/conftest.py), for a Hub at HF_ENDPOINT. Tests that
are marked for the public Hub are not taken."""

import os

import pytest
from huggingface_hub import HfApi, constants
from huggingface_hub.utils import _detect_agent

from .testing_constants import ENDPOINT_PRODUCTION, ENDPOINT_STAGING, TOKEN
from .testing_utils import repo_name


class RepoFactory:
    """Repositories for one test."""

    def __init__(self, api):
        self.api, self.made = api, []

    def __call__(self, repo_type="model", **options):
        if repo_type == "space":
            options.setdefault("space_sdk", "gradio")
        options.setdefault("repo_id", repo_name(prefix=repo_type))
        url = self.api.create_repo(repo_type=repo_type, **options)
        self.made.append((url.repo_id, repo_type))
        return url

    def delete_all(self):
        for repo_id, repo_type in self.made:
            self.api.delete_repo(repo_id, repo_type=repo_type, missing_ok=True)


class PullRequests:
    """Some fixtures make one beside what most of their tests need: it is left out there, and what asks for it fails alone."""

    are_left_out = False
    upload_file = HfApi.upload_file

    def upload_or_leave_out(self, *args, **options):
        if not (PullRequests.are_left_out and options.get("create_pr")):
            return PullRequests.upload_file(self, *args, **options)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup():
    PullRequests.are_left_out = True
    try:
        return (yield)
    finally:
        PullRequests.are_left_out = False


HfApi.upload_file = PullRequests.upload_or_leave_out


@pytest.fixture(scope="session")
def api():
    return HfApi(endpoint=ENDPOINT_STAGING, token=TOKEN)


@pytest.fixture(scope="session")
def api_prod():
    return HfApi(endpoint=ENDPOINT_PRODUCTION)


@pytest.fixture
def repo_factory(api):
    factory = RepoFactory(api)
    yield factory
    factory.delete_all()


@pytest.fixture(autouse=True)
def caches_of_its_own(monkeypatch, tmp_path_factory):
    home = str(tmp_path_factory.mktemp("home"))
    monkeypatch.setattr(constants, "HF_HOME", home)
    for name, folder in (
        ("HF_HUB_CACHE", "hub"),
        ("HUGGINGFACE_HUB_CACHE", "hub"),
        ("HF_XET_CACHE", "xet"),
        ("HF_ASSETS_CACHE", "assets"),
        ("HF_TOKEN_PATH", "token"),
        ("HF_STORED_TOKENS_PATH", "stored_tokens"),
    ):
        monkeypatch.setattr(constants, name, os.path.join(home, folder))
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_EXPERIMENTAL_WARNING", True)
    monkeypatch.setattr(_detect_agent, "_registry", _detect_agent._EMPTY_REGISTRY)


@pytest.fixture(autouse=True)
def expected_deprecations(request):
    names = [name for marker in request.node.iter_markers("deprecated") for name in marker.args]
    if not names:
        yield
        return
    with pytest.warns(FutureWarning, match="|".join(names)):
        yield


def pytest_collection_modifyitems(config, items):
    # hf_xet is installed: `no_xet` asks for a client without it.
    other = [item for item in items if any(item.get_closest_marker(name) for name in ("production", "no_xet", "git_lfs"))]
    config.hook.pytest_deselected(items=other)
    items[:] = [item for item in items if item not in other]
