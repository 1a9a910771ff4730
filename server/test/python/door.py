"""The Hub door as robot people use it: door.py STEP ARGUMENTS with HF_ENDPOINT and HF_TOKEN set. Each step prints `ok …`.

`door.py serve LOG` loads lerobot once, which takes longer than most steps, and runs each step that a line names (words apart
by tabs) in a fork of itself with an empty cache; it answers with the step's exit code, and what the step said is in LOG.
"""

import json
import os
import re
import subprocess
import sys
import threading
import time
import urllib.request

STRANGER = os.environ.get("NMP_STRANGER_TOKEN", "")
REVOKED = os.environ.get("NMP_REVOKED_TOKEN", "")
ADMIN = os.environ.get("NMP_ADMIN_TOKEN", "")
SESSION = os.environ.get("NMP_SESSION", "")


def load(repo_id, **options):
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    return LeRobotDataset(repo_id, video_backend="pyav", **options)


def require_equal(mine, theirs):
    import torch

    assert len(mine) == len(theirs), (len(mine), len(theirs))
    for index in range(len(mine)):
        one, other = mine[index], theirs[index]
        for key, value in one.items():
            same = torch.equal(value, other[key]) if torch.is_tensor(value) else value == other[key]
            assert same, (index, key)


def read(repo_id, source):
    """Every frame and number of a dataset comes through the door as it is on disk; and of chosen episodes alone."""
    local = load("local/source", root=source)
    whole = load(repo_id)
    require_equal(local, whole)
    chosen = load(repo_id, episodes=[1, 3])
    lengths = [int(whole.meta.episodes[episode]["length"]) for episode in (1, 3)]
    assert len(chosen) == sum(lengths), (len(chosen), lengths)
    chosen[len(chosen) - 1]
    print("ok read", repo_id, len(whole), "frames; two episodes", len(chosen))


def version(repo_id, frames):
    """A version that was never exported loads; an older one stays under its own name and its commit."""
    from huggingface_hub import HfApi

    began = time.monotonic()
    dataset = load(repo_id)
    dataset[0]
    assert len(dataset) == int(frames), len(dataset)
    seconds = time.monotonic() - began
    refs = HfApi().list_repo_refs(repo_id, repo_type="dataset")
    tags = {tag.name: tag.target_commit for tag in refs.tags}
    assert tags["v3.0"] == tags["version-1"] == refs.branches[0].target_commit, refs
    for revision in ("version-1", tags["version-1"]):
        assert len(load(repo_id, revision=revision)) == int(frames)
    print(f"ok version {repo_id}: first item after {seconds:.1f} s")


def card(repo_id, version_id, exported, title, licence, *tags):
    """README.md of a dataset, of a version and of its export is a card to huggingface_hub, and says what people wrote."""
    from huggingface_hub import DatasetCard

    cards = [DatasetCard.load(exported), DatasetCard.load(version_id), DatasetCard.load(repo_id)]
    for one in cards:
        said = one.data
        assert (said.pretty_name, said.license) == (title, licence), (said.pretty_name, said.license)
        assert set(tags) <= set(said.tags), said.tags
    mine, theirs, whole = [one.data.to_dict() for one in cards]
    assert mine == theirs, (mine, theirs)
    for key in ("license", "tags", "pretty_name"):
        assert whole[key] == mine[key], (key, whole[key], mine[key])
    print("ok card", repo_id, sorted(mine))


def tools(repo_id, short_id):
    """The other doors of huggingface_hub and datasets."""
    import tempfile

    from datasets import load_dataset
    from huggingface_hub import HfApi, HfFileSystem, hf_hub_download, snapshot_download
    from huggingface_hub.utils import EntryNotFoundError, RepositoryNotFoundError, RevisionNotFoundError

    api = HfApi()
    folder = snapshot_download(repo_id, repo_type="dataset")
    path = "data/chunk-000/file-000.parquet"
    with open(os.path.join(folder, path), "rb") as file:
        expected = file.read()
    with HfFileSystem().open(f"datasets/{repo_id}/{path}", "rb", block_size=4096) as file:
        file.seek(len(expected) // 2)
        assert file.read(100) == expected[len(expected) // 2 :][:100]
    row = next(iter(load_dataset(repo_id, streaming=True, split="train")))
    assert "action" in row, row.keys()
    assert api.whoami()["auth"]["accessToken"]["role"] == "write"
    commit = api.dataset_info(repo_id).sha
    assert api.dataset_info(short_id).sha == commit
    for name, revision in ((repo_id, commit), (short_id, "revision-1"), (short_id, "refs/tags/v3.0")):
        with tempfile.TemporaryDirectory() as cache:
            pinned = hf_hub_download(name, path, repo_type="dataset", revision=revision, cache_dir=cache)
            with open(pinned, "rb") as file:
                assert file.read() == expected, (name, revision)
    for token in (False, STRANGER, REVOKED):
        refuse(RepositoryNotFoundError, lambda: api.dataset_info(repo_id, token=token))
        with tempfile.TemporaryDirectory() as cache:
            refuse(
                RepositoryNotFoundError,
                lambda: hf_hub_download(repo_id, path, repo_type="dataset", token=token, cache_dir=cache),
            )
    refuse(EntryNotFoundError, lambda: hf_hub_download(repo_id, "nothing.txt", repo_type="dataset"))
    refuse(RevisionNotFoundError, lambda: api.dataset_info(repo_id, revision="nothing"))
    print("ok tools", repo_id)


def refuse(kind, call):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was expected")


def public_hub(is_reachable):
    """The one call of a push that goes to huggingface.co whatever HF_ENDPOINT says: its stand-in, or nothing there."""
    from unittest.mock import patch

    import huggingface_hub.repocard as repocard

    real = repocard.get_session

    class Session:
        def post(self, url, *args, **options):
            assert url == "https://huggingface.co/api/validate-yaml", url
            if not is_reachable:
                raise OSError("huggingface.co cannot be reached")
            return real().post(f"{os.environ['HF_ENDPOINT']}/api/validate-yaml", *args, **options)

    return patch.object(repocard, "get_session", Session)


def push(repo_id, source):
    """push_to_hub where the public Hub is out of reach: it raises after the files are there, and ends well all the same."""
    dataset = load("local/source", root=source)
    dataset.repo_id = dataset.meta.repo_id = repo_id
    with public_hub(False):
        error = refuse(OSError, lambda: dataset.push_to_hub(private=True))
    assert "huggingface.co" in str(error), error
    print("ok push", repo_id)


def older(repo_id, source):
    """lerobot before 0.4 pushes its v2.1, which huggingface_hub from 2.4 has the endpoint check."""
    dataset = load("local/source", root=source)
    dataset.repo_id = dataset.meta.repo_id = repo_id
    dataset.push_to_hub(private=True)
    print("ok older", repo_id)


def opened(repo_id):
    """A dataset and its first frame."""
    load(repo_id)[0]
    print("ok opened", repo_id)


def branch(repo_id, source):
    """What was pushed reads back; then push_to_hub to a branch, with the public Hub in reach: nothing is raised, main stays."""
    from huggingface_hub import HfApi

    read(repo_id, source)
    api = HfApi()
    before = api.dataset_info(repo_id).sha
    dataset = load("local/source", root=source)
    dataset.repo_id = dataset.meta.repo_id = repo_id
    with public_hub(True):
        dataset.push_to_hub(branch="dev", private=True)
    refs = {ref.name: ref.target_commit for ref in api.list_repo_refs(repo_id, repo_type="dataset").branches}
    assert set(refs) == {"main", "dev"} and refs["main"] == before, refs
    require_equal(dataset, load(repo_id, revision="dev"))
    print("ok branch", repo_id)


def killed(repo_id, source):
    """A push that is killed while it sends its files, and run again."""
    before = count_transfers()
    child = subprocess.Popen([sys.executable, __file__, "push", repo_id, source])
    # The first is the question where to, the second has brought bytes; the commit comes after all of them.
    while child.poll() is None and count_transfers() < before + 2:
        time.sleep(0.01)
    child.kill()
    assert child.wait() == -9, "the push was over before it was killed"
    push(repo_id, source)


def count_transfers():
    """Requests so far that speak of the bytes of large files, by either way."""
    metrics = urllib.request.urlopen(os.environ["HF_ENDPOINT"].removesuffix("/hf") + "/metrics").read().decode()
    return sum(int(count) for count in re.findall(r'nmp_hub_requests_total\{group="(?:lfs|xet)".*\} (\d+)', metrics))


def uploads(repo_id):
    """upload_folder, upload_large_folder, `hf upload`, a deletion inside of a commit, and what is refused."""
    import tempfile

    from huggingface_hub import HfApi
    from huggingface_hub.utils import HfHubHTTPError

    api = HfApi()
    api.create_repo(repo_id, repo_type="dataset", exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        files = {"data/a.bin": os.urandom(200_000), "notes/read me.txt": b"small", "data/b.bin": os.urandom(300)}
        for path, content in files.items():
            os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
            with open(os.path.join(folder, path), "wb") as file:
                file.write(content)
        api.upload_folder(repo_id=repo_id, repo_type="dataset", folder_path=folder)
        first = api.dataset_info(repo_id).sha
        api.upload_folder(repo_id=repo_id, repo_type="dataset", folder_path=folder)
        assert api.dataset_info(repo_id).sha == first, "the same files made another commit"
        with open(os.path.join(folder, "data/a.bin"), "ab") as file:
            file.write(b"more")
        files["data/a.bin"] += b"more"
        api.upload_large_folder(repo_id=repo_id, repo_type="dataset", folder_path=folder, print_report=False)
        command = os.path.join(os.path.dirname(sys.executable), "hf")
        note = os.path.join(folder, "notes/read me.txt")
        subprocess.run([command, "upload", repo_id, note, "notes/again.txt", "--repo-type", "dataset"], check=True)
    files["notes/again.txt"] = b"small"
    api.delete_file("data/b.bin", repo_id=repo_id, repo_type="dataset")
    del files["data/b.bin"]
    listed = [path for path in api.list_repo_files(repo_id, repo_type="dataset") if not path.startswith(".")]
    assert sorted(listed) == sorted(files), listed
    for path, content in files.items():
        with open(api.hf_hub_download(repo_id, path, repo_type="dataset"), "rb") as file:
            assert file.read() == content, path
    org, slug = repo_id.replace("_", "-").split("/")
    assert f"{org}/default.{slug}" in {info.id for info in api.list_datasets(author=org, search=slug)}
    error = refuse(HfHubHTTPError, lambda: api.delete_repo(repo_id, repo_type="dataset"))
    assert "datasets:delete" in str(error), error
    print("ok uploads", repo_id)


def edit(repo_id, source):
    """A set of the form before is pushed, edited by lerobot's own command in the form that main shows, and pushed back."""
    from huggingface_hub import HfApi
    from lerobot.scripts import lerobot_edit_dataset

    api = HfApi()
    api.create_repo(repo_id, repo_type="dataset", private=True)
    api.upload_folder(repo_id=repo_id, repo_type="dataset", folder_path=source, ignore_patterns="expected.json")
    api.create_tag(repo_id, tag="v2.1", repo_type="dataset")
    before = load(repo_id)
    sys.argv = ["lerobot-edit-dataset", f"--repo_id={repo_id}", "--operation.type=delete_episodes"]
    sys.argv += ["--operation.episode_indices=[0]", "--push_to_hub=true"]
    with public_hub(True):
        lerobot_edit_dataset.main()
    command = [sys.executable, __file__, "edited", repo_id, str(before.meta.total_episodes - 1)]
    subprocess.run(command, check=True, env={**os.environ, "HF_HOME": os.environ["HF_HOME"] + "-fresh"})
    print("ok edit", repo_id)


def edited(repo_id, episodes):
    """Whoever loads right after the push gets what was pushed."""
    dataset = load(repo_id)
    assert dataset.meta.total_episodes == int(episodes), dataset.meta.total_episodes
    dataset[len(dataset) - 1]
    print("ok edited", repo_id)


def convert(repo_id, source):
    """lerobot's own conversion of a set that was pushed in the form before: it is pushed back onto what main shows."""
    import shutil

    from huggingface_hub import HfApi

    try:
        from lerobot.scripts.convert_dataset_v21_to_v30 import convert_dataset
    except ImportError:
        from lerobot.datasets.v30.convert_dataset_v21_to_v30 import convert_dataset

    api = HfApi()
    api.create_repo(repo_id, repo_type="dataset", private=True)
    api.upload_folder(repo_id=repo_id, repo_type="dataset", folder_path=source)
    api.create_tag(repo_id, tag="v2.1", repo_type="dataset")
    before = api.dataset_info(repo_id, revision="v3.0").sha
    shutil.copytree(source, os.path.join(os.environ["HF_HOME"], "lerobot", repo_id))
    with public_hub(True):
        convert_dataset(repo_id, push_to_hub=True, force_conversion=True)
    assert api.dataset_info(repo_id, revision="v3.0").sha != before
    local = load(repo_id)
    command = [sys.executable, __file__, "edited", repo_id, str(local.meta.total_episodes)]
    subprocess.run(command, check=True, env={**os.environ, "HF_HOME": os.environ["HF_HOME"] + "-fresh"})
    print("ok convert", repo_id)


def commits(repo_id, source):
    """Commits and tags while the import of the first runs; a pull request; the history, tags and dates of what is there."""
    import tempfile

    from huggingface_hub import CommitOperationAdd, HfApi, HfFileSystem
    from huggingface_hub.utils import BadRequestError, RepositoryNotFoundError, RevisionNotFoundError

    api = HfApi()
    options = {"repo_id": repo_id, "repo_type": "dataset"}
    api.create_repo(**options, private=False)
    api.upload_folder(**options, folder_path=source, ignore_patterns="expected.json", commit_message="the recordings")
    api.create_tag(repo_id, tag="v3.0", repo_type="dataset")
    for name in ("a", "b"):
        api.upload_file(**options, path_or_fileobj=name.encode(), path_in_repo=f"notes/{name}.txt", commit_message=f"add {name}")
        api.create_tag(repo_id, tag="v3.0", repo_type="dataset", exist_ok=True)
    before = api.dataset_info(repo_id).sha
    operation = CommitOperationAdd("notes/c.txt", b"c")
    refuse(BadRequestError, lambda: api.create_commit(**options, operations=[operation], commit_message="c", create_pr=True))
    assert api.dataset_info(repo_id).sha == before
    titles = [commit.title for commit in api.list_repo_commits(repo_id, repo_type="dataset")]
    assert [title for title in titles if not title.startswith("Revision")] == ["add b", "add a", "the recordings"], titles
    api.create_tag(repo_id, tag="good", repo_type="dataset")
    assert "good" in {tag.name for tag in api.list_repo_refs(repo_id, repo_type="dataset").tags}
    api.delete_tag(repo_id, tag="good", repo_type="dataset")
    refuse(RevisionNotFoundError, lambda: api.delete_tag(repo_id, tag="good", repo_type="dataset"))
    assert HfFileSystem().modified(f"datasets/{repo_id}/notes/a.txt").year >= 2024
    api.auth_check(repo_id, repo_type="dataset")
    for name, kind in ((repo_id, "model"), ("squad", "dataset")):
        refuse(RepositoryNotFoundError, lambda: api.repo_info(name, repo_type=kind))
        with tempfile.TemporaryDirectory() as cache:
            download = lambda: api.hf_hub_download(name, "README.md", repo_type=kind, cache_dir=cache)
            refuse(RepositoryNotFoundError, download)
    print("ok commits", repo_id)


def followed(repo_id, episodes):
    """Once the imports are over: every commit is in what the loaders get."""
    from huggingface_hub import HfApi

    files = HfApi().list_repo_files(repo_id, repo_type="dataset", revision="v3.0")
    assert {"notes/a.txt", "notes/b.txt"} <= set(files), files
    assert load(repo_id).meta.total_episodes == int(episodes)
    print("ok followed", repo_id)


def carried(repo_id, source_id):
    """A version has the files that lie beside the data of its source."""
    from huggingface_hub import snapshot_download

    mine, theirs = (snapshot_download(name, repo_type="dataset", revision="v3.0") for name in (repo_id, source_id))
    for path in ("notes/a.txt", "notes/b.txt"):
        with open(os.path.join(mine, path), "rb") as one, open(os.path.join(theirs, path), "rb") as other:
            assert one.read() == other.read(), path
    assert load(repo_id).meta.total_episodes == 1
    print("ok carried", repo_id)


def rules(repo_id):
    """The repository's .gitattributes says which files are large, and .gitignore which are left out."""
    import tempfile

    from huggingface_hub import HfApi

    api = HfApi()
    options = {"repo_id": repo_id, "repo_type": "dataset"}
    api.create_repo(**options)
    lines = b"*.csv filter=lfs diff=lfs merge=lfs -text\nsmall/** -filter\n"
    api.upload_file(**options, path_or_fileobj=lines, path_in_repo=".gitattributes")
    files = {"a.csv": b"1,2", "small/b.csv": b"3,4", "c.txt": b"text", "d.tmp": b"left out", ".gitignore": b"*.tmp\n"}
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, "small"))
        for path, content in files.items():
            with open(os.path.join(folder, path), "wb") as file:
                file.write(content)
        api.upload_folder(**options, folder_path=folder)
    del files["d.tmp"]
    assert set(api.list_repo_files(**options)) - {"README.md"} == {*files, ".gitattributes"}
    infos = {info.path: info for info in api.get_paths_info(repo_id, list(files), repo_type="dataset")}
    assert [path for path in sorted(infos) if infos[path].lfs] == ["a.csv"], infos
    for path, content in files.items():
        with open(api.hf_hub_download(repo_id, path, repo_type="dataset"), "rb") as file:
            assert file.read() == content, path
    print("ok rules", repo_id)


def manage(repo_id, copy_id):
    """Repositories as such: listed, duplicated, published, renamed and deleted, by those who may."""
    from huggingface_hub import HfApi
    from huggingface_hub.utils import BadRequestError, HfHubHTTPError, RepositoryNotFoundError

    api, admin, person = HfApi(), HfApi(token=ADMIN), HfApi(token=SESSION)
    org, slug = repo_id.replace("_", "-").split("/")
    full = f"{org}/default.{slug}"
    assert [info.id for info in api.list_datasets(author=org, search=slug, limit=1)] == [full]
    found = api.list_datasets(author=org, filter="task_categories:robotics", sort="last_modified")
    assert full in {info.id for info in found}
    assert not list(api.list_datasets(author=org, search=slug, filter="license:nothing"))
    files = api.list_repo_files(repo_id, repo_type="dataset")
    if hasattr(api, "duplicate_repo"):
        hf = os.path.join(os.path.dirname(sys.executable), "hf")
        for words, expected in ((["--author", org, "--search", slug], full), ([repo_id, "-R"], "notes/a.txt")):
            listed = subprocess.run([hf, "datasets", "ls", *words, "-q"], check=True, capture_output=True, text=True)
            assert expected in listed.stdout.split(), listed.stdout
        assert api.duplicate_repo(repo_id, copy_id, repo_type="dataset").repo_id == copy_id
        assert api.list_repo_files(copy_id, repo_type="dataset") == files
        refuse(HfHubHTTPError, lambda: api.duplicate_repo(repo_id, copy_id, repo_type="dataset"))
        api.duplicate_repo(repo_id, copy_id, repo_type="dataset", exist_ok=True)
    else:
        api.create_repo(copy_id, repo_type="dataset")
    rename(admin, api, repo_id)
    error = refuse(BadRequestError, lambda: admin.move_repo(repo_id, "eve/other", repo_type="dataset"))
    assert "duplicate_repo" in str(error), error
    error = refuse(HfHubHTTPError, lambda: admin.update_repo_settings(repo_id, private=False, repo_type="dataset"))
    assert error.response.status_code == 403, error
    refuse(RepositoryNotFoundError, lambda: api.dataset_info(repo_id, token=False))
    person.update_repo_settings(repo_id, private=False, repo_type="dataset")
    assert api.dataset_info(repo_id, token=False).private is False
    person.update_repo_settings(repo_id, private=True, repo_type="dataset")
    refuse(RepositoryNotFoundError, lambda: api.dataset_info(repo_id, token=False))
    refuse(HfHubHTTPError, lambda: api.delete_repo(copy_id, repo_type="dataset"))
    admin.delete_repo(copy_id, repo_type="dataset")
    refuse(RepositoryNotFoundError, lambda: api.dataset_info(copy_id))
    admin.delete_repo(copy_id, repo_type="dataset", missing_ok=True)
    print("ok manage", repo_id)


def rename(admin, api, repo_id):
    """Moved there and back; both names are read and pushed to meanwhile, and a tag comes along."""
    from huggingface_hub.utils import HfHubHTTPError

    other = f"{repo_id}_moved"
    options = {"repo_type": "dataset"}
    refuse(HfHubHTTPError, lambda: api.move_repo(repo_id, other, **options))
    api.create_tag(repo_id, tag="before-move", **options)
    files, target = api.list_repo_files(repo_id, **options), api.dataset_info(repo_id, revision="before-move").sha
    admin.move_repo(repo_id, other, **options)
    full = "default.".join(re.split(r"(?<=/)", other.replace("_", "-")))
    for name in (repo_id, other):
        assert api.dataset_info(name).id == full, name
        assert api.list_repo_files(name, **options) == files
        assert api.dataset_info(name, revision="before-move").sha == target
    admin.move_repo(other, repo_id, **options)
    assert api.list_repo_files(other, **options) == files


def branches(repo_id):
    """Branches of different starting points have names and files of their own before anybody commits to them."""
    from huggingface_hub import HfApi, snapshot_download

    api = HfApi()
    options = {"repo_id": repo_id, "repo_type": "dataset"}
    api.create_repo(**options)
    for name in ("one", "two"):
        sent = api.upload_file(**options, path_or_fileobj=name.encode(), path_in_repo="notes.txt")
        api.create_branch(**options, branch=name, revision=sent.oid)
    refs = {ref.name: ref.target_commit for ref in api.list_repo_refs(**options).branches}
    assert refs["one"] != refs["two"], refs
    for revision in ("one", "two"):
        for name in (revision, refs[revision]):
            with open(os.path.join(snapshot_download(**options, revision=name), "notes.txt")) as file:
                assert file.read() == revision, name
    print("ok branches", repo_id)


def crowd(repo_id, source, count):
    """More pushes of somebody else that stay unfinished than are looked at in one turn; then one that is whole and has no tag."""
    from huggingface_hub import CommitOperationAdd, HfApi

    api = HfApi(token=STRANGER)
    for number in range(int(count)):
        name = f"eve/idle_{number}"
        api.create_repo(name, repo_type="dataset")
        operation = CommitOperationAdd("meta/info.json", b'{"codebase_version": "v3.0"}')
        api.create_commit(name, [operation], commit_message="part", repo_type="dataset")
    api = HfApi()
    api.create_repo(repo_id, repo_type="dataset")
    api.upload_folder(repo_id=repo_id, repo_type="dataset", folder_path=source, ignore_patterns="expected.json")
    print("ok crowd", count)


def tables(repo_id):
    """What is no robot dataset: the tables of `datasets` go in and come back."""
    from datasets import Dataset, load_dataset

    rows = {"text": ["one", "two"], "label": [0, 1]}
    Dataset.from_dict(rows).push_to_hub(repo_id, private=True)
    assert load_dataset(repo_id, split="train").to_dict() == rows
    print("ok tables", repo_id)


def split(repo_id, source):
    """`lerobot-edit-dataset split` with push stops after its first part where the public Hub is out of reach; by hand both parts arrive."""
    import shutil

    from huggingface_hub import HfApi
    from lerobot.scripts import lerobot_edit_dataset
    from lerobot.utils.constants import HF_LEROBOT_HOME

    api = HfApi()
    api.create_repo(repo_id, repo_type="dataset", private=True)
    api.upload_folder(repo_id=repo_id, repo_type="dataset", folder_path=source, ignore_patterns="expected.json")
    api.create_tag(repo_id, tag="v3.0", repo_type="dataset")
    parts = {name: f"{repo_id}_{name}" for name in ("train", "val")}
    sys.argv = ["lerobot-edit-dataset", f"--repo_id={repo_id}", "--operation.type=split"]
    sys.argv += ['--operation.splits={"train": [0, 1], "val": [2]}']
    command = list(sys.argv)
    sys.argv.append("--push_to_hub=true")
    with public_hub(False):
        refuse(OSError, lerobot_edit_dataset.main)
    assert [api.repo_exists(part, repo_type="dataset") for part in parts.values()] == [True, False]
    for part in parts.values():
        shutil.rmtree(HF_LEROBOT_HOME / part, ignore_errors=True)
    sys.argv = command
    lerobot_edit_dataset.main()
    hf = os.path.join(os.path.dirname(sys.executable), "hf")
    for part in parts.values():
        subprocess.run([hf, "upload", part, str(HF_LEROBOT_HOME / part), "--repo-type", "dataset"], check=True)
    for part, episodes in zip(parts.values(), (2, 1)):
        with open(api.hf_hub_download(part, "meta/info.json", repo_type="dataset")) as file:
            assert json.load(file)["total_episodes"] == episodes, part
    print("ok split", repo_id)


def hold(source, target):
    import door_recipes

    door_recipes.hold(source, target)


def recipes(slug, source, suffix):
    """Every key of a recipe over time, before any export."""
    import door_recipes

    door_recipes.check_all(slug, source, suffix)


def train(repo_id, source, policy_id):
    """`lerobot-train` as it comes, but for a policy that a test can afford: its push at the end arrives. Where the public Hub is out of
    reach it raises before that, with the checkpoint on disk, which `hf upload` pushes."""
    import tempfile

    from huggingface_hub import HfApi
    from lerobot.policies.act.modeling_act import ACTPolicy
    from lerobot.scripts import lerobot_train

    api = HfApi()
    api.create_repo(repo_id, repo_type="dataset", private=True)
    api.upload_folder(repo_id=repo_id, repo_type="dataset", folder_path=source, ignore_patterns="expected.json")
    api.create_tag(repo_id, tag="v3.0", repo_type="dataset")
    options = [f"--dataset.repo_id={repo_id}", "--policy.type=act", f"--policy.repo_id={policy_id}", "--steps=2"]
    # The weights of the backbone are torchvision's, from download.pytorch.org, and no matter of the Hub.
    options += ["--policy.pretrained_backbone_weights=null", "--policy.device=cpu", "--batch_size=2", "--num_workers=0"]
    options += ["--policy.dim_model=32", "--policy.n_heads=2", "--policy.dim_feedforward=32"]
    options += ["--policy.chunk_size=4", "--policy.n_action_steps=4"]
    with tempfile.TemporaryDirectory() as folder:
        for is_reachable in (False, True):
            output = os.path.join(folder, str(is_reachable))
            sys.argv = ["lerobot-train", *options, f"--output_dir={output}"]
            with public_hub(is_reachable):
                lerobot_train.main() if is_reachable else refuse(OSError, lerobot_train.main)
            checkpoint = os.path.join(output, "checkpoints/last/pretrained_model")
            assert os.path.exists(os.path.join(checkpoint, "model.safetensors"))
            if not is_reachable:
                hf = os.path.join(os.path.dirname(sys.executable), "hf")
                subprocess.run([hf, "upload", f"{policy_id}-by-hand", checkpoint], check=True)
    commit = api.dataset_info(repo_id, revision="v3.0").sha
    for name in (f"{policy_id}-by-hand", policy_id):
        info = api.model_info(name)
        assert f"dataset:{repo_id}" in info.tags and info.trainedOn["commit"] == commit, info
        assert {"model.safetensors", "config.json", "policy_preprocessor.json"} <= {file.rfilename for file in info.siblings}
        assert ACTPolicy.from_pretrained(name).config.dim_model == 32
    print("ok train", policy_id, info.trainedOn)


class CutLine:
    """A line to the program on which the first long answer breaks off."""

    def __init__(self, target, after_bytes):
        import socket
        from urllib.parse import urlsplit

        self.place = urlsplit(target)
        self.after_bytes, self.cuts, self.requests = after_bytes, 0, b""
        self.server = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"http://127.0.0.1:{self.server.getsockname()[1]}{self.place.path}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        import socket

        while True:
            near, _ = self.server.accept()
            far = socket.create_connection((self.place.hostname, self.place.port))
            threading.Thread(target=self.carry, args=(near, far, False), daemon=True).start()
            threading.Thread(target=self.carry, args=(far, near, True), daemon=True).start()

    def carry(self, source, target, is_answer):
        passed = 0
        try:
            while piece := source.recv(1 << 16):
                passed += len(piece)
                if not is_answer:
                    self.requests += piece
                elif passed > self.after_bytes and self.cuts == 0:
                    self.cuts += 1
                    break
                target.sendall(piece)
        except OSError:
            pass
        for end in (source, target):
            try:
                end.shutdown(2)
            except OSError:
                pass


def large(repo_id, megabytes):
    """A large file of noise goes through in bounded memory, and comes back over a line that is cut once."""
    import resource
    import tempfile

    from huggingface_hub import HfApi, hf_hub_download

    api = HfApi()
    api.create_repo(repo_id, repo_type="dataset", exist_ok=True)
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        for _ in range(int(megabytes)):
            file.write(os.urandom(1024 * 1024))
        file.flush()
        api.upload_file(path_or_fileobj=file.name, path_in_repo="data/noise.bin", repo_id=repo_id, repo_type="dataset")
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        with open(file.name, "rb") as sent:
            expected = sent.read()
    line = CutLine(os.environ["HF_ENDPOINT"], 40_000_000)
    download = lambda: hf_hub_download(repo_id, "data/noise.bin", repo_type="dataset", endpoint=line.endpoint)
    try:
        path = download()
    except Exception:  # huggingface_hub 0.x gives up, and its next call goes on where the line broke
        path = download()
    with open(path, "rb") as received:
        assert received.read() == expected
    assert line.cuts == 1 and b"range: bytes=" in line.requests.lower(), line.requests
    print(f"ok large {megabytes} MB, resumed after a cut; the client's peak {peak} MB")


steps = {
    step.__name__: step
    for step in (
        *(read, version, card, tools, push, branch, killed, uploads, large),
        *(edit, edited, convert, commits, followed, carried, rules, manage, branches, crowd, tables, split, hold, recipes, train),
        *(older, opened),
    )
}


def serve(log):
    import shutil
    import traceback

    import lerobot.datasets.lerobot_dataset  # noqa: F401

    assert threading.active_count() == 1, "no fork has the other threads"
    for line in sys.stdin:
        shutil.rmtree(os.environ["HF_HOME"], ignore_errors=True)
        name, *words = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            sys.argv = [sys.argv[0], name, *words]
            code = 0
            try:
                steps[name](*words)
            except BaseException:
                traceback.print_exc()
                code = 1
            sys.stdout.flush()
            os._exit(code)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if sys.argv[1] == "serve":
    serve(sys.argv[2])
else:
    steps[sys.argv[1]](*sys.argv[2:])
