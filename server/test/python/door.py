"""The Hub door as robot people use it: door.py STEP ARGUMENTS with HF_ENDPOINT and HF_TOKEN set. Each step prints `ok …`."""

import os
import subprocess
import sys
import threading
import time

STRANGER = os.environ.get("NMP_STRANGER_TOKEN", "")
REVOKED = os.environ.get("NMP_REVOKED_TOKEN", "")


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
    """A version that was never exported loads."""
    began = time.monotonic()
    dataset = load(repo_id)
    dataset[0]
    assert len(dataset) == int(frames), len(dataset)
    print(f"ok version {repo_id}: first item after {time.monotonic() - began:.1f} s")


def tools(repo_id):
    """The other doors of huggingface_hub and datasets."""
    from datasets import load_dataset
    from huggingface_hub import HfApi, HfFileSystem, hf_hub_download, snapshot_download
    from huggingface_hub.utils import EntryNotFoundError, RepositoryNotFoundError, RevisionNotFoundError

    folder = snapshot_download(repo_id, repo_type="dataset")
    path = "data/chunk-000/file-000.parquet"
    with open(os.path.join(folder, path), "rb") as file:
        expected = file.read()
    with HfFileSystem().open(f"datasets/{repo_id}/{path}", "rb", block_size=4096) as file:
        file.seek(len(expected) // 2)
        assert file.read(100) == expected[len(expected) // 2 :][:100]
    row = next(iter(load_dataset(repo_id, streaming=True, split="train")))
    assert "action" in row, row.keys()
    api = HfApi()
    assert api.whoami()["auth"]["accessToken"]["role"] == "write"
    for token in (False, STRANGER, REVOKED):
        refuse(RepositoryNotFoundError, lambda: api.dataset_info(repo_id, token=token))
    refuse(EntryNotFoundError, lambda: hf_hub_download(repo_id, "nothing.txt", repo_type="dataset"))
    refuse(RevisionNotFoundError, lambda: api.dataset_info(repo_id, revision="nothing"))
    print("ok tools", repo_id)


def refuse(kind, call):
    try:
        call()
    except kind:
        return
    raise AssertionError(f"{kind.__name__} was expected")


def push(repo_id, source):
    """push_to_hub; the check of the card at the public Hub may be out of reach, which raises after the files are there."""
    dataset = load("local/source", root=source)
    dataset.repo_id = dataset.meta.repo_id = repo_id
    try:
        dataset.push_to_hub(private=True)
        print("ok push", repo_id)
    except Exception as error:
        assert "validate-yaml" in str(error) or "Name or service" in str(error) or "resolve" in str(error), error
        print("ok push", repo_id, "(the public check was out of reach)")


def killed(repo_id, source):
    """A push that is killed while it sends, and run again."""
    child = subprocess.Popen([sys.executable, __file__, "push", repo_id, source])
    threading.Timer(6.0, child.kill).start()
    child.wait()
    push(repo_id, source)


def large(repo_id, megabytes):
    """A large file of noise goes through in bounded memory."""
    import resource
    import tempfile

    from huggingface_hub import HfApi

    api = HfApi()
    api.create_repo(repo_id, repo_type="dataset", exist_ok=True)
    with tempfile.NamedTemporaryFile(suffix=".bin") as file:
        for _ in range(int(megabytes)):
            file.write(os.urandom(1024 * 1024))
        file.flush()
        api.upload_file(path_or_fileobj=file.name, path_in_repo="data/noise.bin", repo_id=repo_id, repo_type="dataset")
        with open(file.name, "rb") as sent:
            expected = sent.read()
    path = api.hf_hub_download(repo_id, "data/noise.bin", repo_type="dataset")
    with open(path, "rb") as received:
        assert received.read() == expected
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(f"ok large {megabytes} MB; the client's peak {peak} MB")


steps = {step.__name__: step for step in (read, version, tools, push, killed, large)}
steps[sys.argv[1]](*sys.argv[2:])
