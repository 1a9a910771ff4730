"""What a stock client can do at the Hub door. operations.py GROUP ORG/NAME, with HF_ENDPOINT and HF_TOKEN set: prints a JSON line for each
operation. NAME is an imported robot dataset; whatever is written goes to names of its own that begin with NMP_PREFIX."""

import io
import json
import os
import signal
import subprocess
import sys
import tempfile

GROUP, SOURCE = sys.argv[1:3]
ORG = SOURCE.split("/")[0]
PREFIX = os.environ["NMP_PREFIX"]
DATA = "data/chunk-000/file-000.parquet"
OPERATIONS = []
SECONDS = 300


def operation(group, name, refused=False):
    def note(function):
        OPERATIONS.append((group, name, refused, function))
        return function

    return note


def mine(name):
    return f"{ORG}/{PREFIX}-{name}"


def command(*words):
    done = subprocess.run([os.path.join(os.path.dirname(sys.executable), words[0]), *words[1:]], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{words[0]} ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-1500:]}")
    return done.stdout


def api():
    from huggingface_hub import HfApi

    return HfApi()


def require(condition, what="another answer than expected"):
    if not condition:
        raise AssertionError(what)


# Reading


@operation("hub", "`whoami`")
def _():
    require(api().whoami()["auth"]["accessToken"]["role"] == "write")


@operation("hub", "`auth_check`")
def _():
    api().auth_check(SOURCE, repo_type="dataset")


@operation("hub", "`dataset_info`, with `files_metadata`, with `expand`")
def _():
    info = api().dataset_info(SOURCE, files_metadata=True)
    require(all(file.size is not None for file in info.siblings))
    require(api().dataset_info(SOURCE, expand=["sha"]).sha == info.sha)


@operation("hub", "`repo_exists`, `revision_exists`, `file_exists`")
def _():
    one = api()
    require(one.repo_exists(SOURCE, repo_type="dataset") and not one.repo_exists(mine("none"), repo_type="dataset"))
    require(one.revision_exists(SOURCE, "v3.0", repo_type="dataset"))
    require(one.file_exists(SOURCE, DATA, repo_type="dataset") and not one.file_exists(SOURCE, "none", repo_type="dataset"))


@operation("hub", "`list_repo_refs`, with `include_pull_requests`")
def _():
    refs = api().list_repo_refs(SOURCE, repo_type="dataset", include_pull_requests=True)
    require("v3.0" in {tag.name for tag in refs.tags} and refs.pull_requests == [])


@operation("hub", "`list_repo_tree`, `get_paths_info`, both with `expand`")
def _():
    one = api()
    tree = {entry.path: entry for entry in one.list_repo_tree(SOURCE, recursive=True, expand=True, repo_type="dataset")}
    require(tree[DATA].last_commit is not None)
    require(one.get_paths_info(SOURCE, [DATA, "meta"], expand=True, repo_type="dataset")[0].size == tree[DATA].size)


@operation("hub", "`list_repo_commits`")
def _():
    require(len(api().list_repo_commits(SOURCE, repo_type="dataset", formatted=True)) >= 1)


@operation("hub", "`list_datasets` with author, search, sort and limit")
def _():
    name = SOURCE.split("/")[1]
    found = list(api().list_datasets(author=ORG, search=name, sort="last_modified", limit=1))
    require([one.id for one in found] == [f"{ORG}/default.{name}"], [one.id for one in found])


@operation("hub", "`hf_hub_download`, by tag, commit and into a folder")
def _():
    from huggingface_hub import hf_hub_download

    sha = api().dataset_info(SOURCE).sha
    with tempfile.TemporaryDirectory() as folder:
        paths = [hf_hub_download(SOURCE, DATA, repo_type="dataset", revision=revision) for revision in ("v3.0", sha)]
        paths.append(hf_hub_download(SOURCE, DATA, repo_type="dataset", local_dir=folder))
        require(len({open(path, "rb").read() for path in paths}) == 1)


@operation("hub", "`snapshot_download`, with patterns, into a folder")
def _():
    from huggingface_hub import snapshot_download

    with tempfile.TemporaryDirectory() as folder:
        snapshot_download(SOURCE, repo_type="dataset", allow_patterns="meta/*", local_dir=folder)
        require(os.listdir(os.path.join(folder, "meta")))
    require(os.path.exists(os.path.join(snapshot_download(SOURCE, repo_type="dataset"), DATA)))


@operation("hub", "`HfFileSystem`: ls, glob, info, open by ranges, modified")
def _():
    from huggingface_hub import HfFileSystem

    files = HfFileSystem()
    require(f"datasets/{SOURCE}/{DATA}" in files.glob(f"datasets/{SOURCE}/data/**/*.parquet"))
    size = files.info(f"datasets/{SOURCE}/{DATA}")["size"]
    require(any(entry["type"] == "directory" for entry in files.ls(f"datasets/{SOURCE}")))
    with files.open(f"datasets/{SOURCE}/{DATA}", "rb", block_size=1024) as file:
        file.seek(size - 4)
        require(file.read() == b"PAR1")
    require(files.modified(f"datasets/{SOURCE}/{DATA}").year >= 2024)


@operation("hub", "`DatasetCard.load`")
def _():
    from huggingface_hub import DatasetCard

    require(DatasetCard.load(SOURCE).data.to_dict())


@operation("hub", "`hf download`")
def _():
    with tempfile.TemporaryDirectory() as folder:
        command("hf", "download", SOURCE, DATA, "--repo-type", "dataset", "--local-dir", folder)
        require(os.path.exists(os.path.join(folder, DATA)))


@operation("hub", "`list_repo_files` of a dataset without a token", refused=True)
def _():
    api().list_repo_files(SOURCE, repo_type="dataset", token=False)


# Writing


@operation("hub", "`create_repo`, again with `exist_ok`")
def _():
    for _ in range(2):
        require(api().create_repo(mine("files"), repo_type="dataset", private=True, exist_ok=True).repo_id == mine("files"))


@operation("hub", "`upload_file`, small and large")
def _():
    one = api()
    for path, content in (("a.txt", b"small"), ("b.bin", os.urandom(2_000_000))):
        one.upload_file(path_or_fileobj=content, path_in_repo=path, repo_id=mine("files"), repo_type="dataset")
        with open(one.hf_hub_download(mine("files"), path, repo_type="dataset"), "rb") as file:
            require(file.read() == content)


@operation("hub", "`upload_folder` with `delete_patterns`")
def _():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "c.txt"), "w") as file:
            file.write("c")
        api().upload_folder(folder_path=folder, repo_id=mine("files"), repo_type="dataset", delete_patterns="a.*")
    files = api().list_repo_files(mine("files"), repo_type="dataset")
    require("c.txt" in files and "a.txt" not in files, files)


@operation("hub", "`upload_large_folder`")
def _():
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "large.bin"), "wb") as file:
            file.write(os.urandom(3_000_000))
        api().upload_large_folder(folder_path=folder, repo_id=mine("files"), repo_type="dataset", print_report=False)
    require(api().file_exists(mine("files"), "large.bin", repo_type="dataset"))


@operation("hub", "`hf upload`")
def _():
    with tempfile.NamedTemporaryFile(suffix=".txt") as file:
        command("hf", "upload", mine("files"), file.name, "d.txt", "--repo-type", "dataset")
    require(api().file_exists(mine("files"), "d.txt", repo_type="dataset"))


@operation("hub", "`create_commit` that adds, copies and deletes")
def _():
    from huggingface_hub import CommitOperationAdd, CommitOperationCopy, CommitOperationDelete

    api().create_commit(
        mine("files"),
        [
            CommitOperationAdd("e/f.txt", b"f"),
            CommitOperationCopy("b.bin", "e/b.bin"),
            CommitOperationDelete("d.txt"),
        ],
        commit_message="three at once",
        repo_type="dataset",
    )
    files = api().list_repo_files(mine("files"), repo_type="dataset")
    require({"e/f.txt", "e/b.bin"} <= set(files) and "d.txt" not in files, files)


@operation("hub", "`delete_file`, `delete_folder`")
def _():
    api().delete_file("c.txt", mine("files"), repo_type="dataset")
    api().delete_folder("e", mine("files"), repo_type="dataset")
    require(not api().file_exists(mine("files"), "e/f.txt", repo_type="dataset"))


@operation("hub", "`HfFileSystem`: write, cp, rm")
def _():
    from huggingface_hub import HfFileSystem

    files = HfFileSystem()
    place = f"datasets/{mine('files')}"
    with files.open(f"{place}/g.txt", "w") as file:
        file.write("g")
    files.cp_file(f"{place}/g.txt", f"{place}/h.txt")
    files.rm(f"{place}/g.txt")
    require(files.cat(f"{place}/h.txt") == b"g")


@operation("hub", "`create_commit` on an older `parent_commit`", refused=True)
def _():
    from huggingface_hub import CommitOperationAdd

    oldest = api().list_repo_commits(mine("files"), repo_type="dataset")[-1].commit_id
    api().create_commit(
        mine("files"),
        [CommitOperationAdd("x.txt", b"x")],
        commit_message="late",
        repo_type="dataset",
        parent_commit=oldest,
    )


@operation("hub", "`create_tag`, `delete_tag`")
def _():
    api().create_tag(mine("files"), tag="good", repo_type="dataset")
    api().delete_tag(mine("files"), tag="good", repo_type="dataset")


@operation("hub", "`create_branch`, commit to it, `delete_branch`")
def _():
    one = api()
    one.create_branch(mine("files"), branch="dev", repo_type="dataset")
    one.upload_file(path_or_fileobj=b"i", path_in_repo="i.txt", repo_id=mine("files"), repo_type="dataset", revision="dev")
    require(not one.file_exists(mine("files"), "i.txt", repo_type="dataset"))
    require(one.file_exists(mine("files"), "i.txt", repo_type="dataset", revision="dev"))
    one.delete_branch(mine("files"), branch="dev", repo_type="dataset")


def asks_public_hub():
    """Of huggingface_hub before 2.4: a card is checked at huggingface.co, whatever HF_ENDPOINT says."""
    import huggingface_hub

    return tuple(int(part) for part in huggingface_hub.__version__.split(".")[:2]) < (2, 4)


@operation("hub", "`metadata_update` of a card, the public Hub out of reach", refused=GROUP == "hub" and asks_public_hub())
def _():
    from huggingface_hub import metadata_update

    metadata_update(mine("files"), {"license": "mit"}, repo_type="dataset", overwrite=True)


@operation("hub", "`create_commit(create_pr=True)`", refused=True)
def _():
    from huggingface_hub import CommitOperationAdd

    api().create_commit(
        mine("files"), [CommitOperationAdd("x.txt", b"x")], commit_message="look", repo_type="dataset", create_pr=True
    )


@operation("hub", "`create_discussion`", refused=True)
def _():
    api().create_discussion(mine("files"), title="a question", repo_type="dataset")


@operation("hub", "`super_squash_history`", refused=True)
def _():
    api().super_squash_history(mine("files"), repo_type="dataset")


@operation("hub", "`update_repo_settings(private=False)`", refused=True)
def _():
    api().update_repo_settings(SOURCE, private=False, repo_type="dataset")


@operation("hub", "`move_repo`, read by both names")
def _():
    one = api()
    files = one.list_repo_files(mine("files"), repo_type="dataset")
    one.move_repo(mine("files"), mine("moved"), repo_type="dataset")
    for name in ("files", "moved"):
        require(one.list_repo_files(mine(name), repo_type="dataset") == files)
    one.move_repo(mine("moved"), mine("files"), repo_type="dataset")


@operation("hub", "`move_repo` to another organization", refused=True)
def _():
    api().move_repo(mine("files"), "elsewhere/files", repo_type="dataset")


@operation("hub", "`delete_repo`")
def _():
    api().delete_repo(mine("files"), repo_type="dataset")
    require(not api().repo_exists(mine("files"), repo_type="dataset"))


# Models


@operation("hub", "a model: `create_repo`, `upload_folder`, `model_info`, `snapshot_download`")
def _():
    one = api()
    one.create_repo(mine("policy"), exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        config = {"dataset": {"repo_id": SOURCE, "revision": None}}
        for name, content in (
            ("model.safetensors", os.urandom(1_500_000)),
            ("train_config.json", json.dumps(config).encode()),
        ):
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content)
        one.upload_folder(folder_path=folder, repo_id=mine("policy"))
        with open(os.path.join(folder, "model.safetensors"), "rb") as file:
            weights = file.read()
    info = one.model_info(mine("policy"))
    require(f"dataset:{SOURCE}" in info.tags, info.tags)
    with open(os.path.join(one.snapshot_download(mine("policy")), "model.safetensors"), "rb") as file:
        require(file.read() == weights)


@operation("hub", "`list_models` by what they were trained on")
def _():
    found = {one.id for one in api().list_models(filter=f"dataset:{SOURCE}")}
    require(f"{ORG}/default.{PREFIX}-policy" in found, found)


@operation("hub", "a model of the public Hub: `hf_hub_download`", refused=True)
def _():
    api().hf_hub_download("lerobot/smolvla_base", "config.json")


@operation("hub", "a space: `create_repo`", refused=True)
def _():
    api().create_repo(mine("space"), repo_type="space", space_sdk="gradio")


# datasets, pandas, DuckDB


@operation("datasets", "`load_dataset`")
def _():
    from datasets import load_dataset

    require("action" in load_dataset(SOURCE, split="train").column_names)


@operation("datasets", "`load_dataset(streaming=True)`")
def _():
    from datasets import load_dataset

    require("action" in next(iter(load_dataset(SOURCE, split="train", streaming=True))))


@operation("datasets", "`Dataset.push_to_hub`, and loaded again")
def _():
    from datasets import Dataset, load_dataset

    rows = {"text": ["one", "two"], "label": [0, 1]}
    Dataset.from_dict(rows).push_to_hub(mine("tables"), private=True)
    require(load_dataset(mine("tables"), split="train").to_dict() == rows)


@operation("datasets", "`DatasetDict.push_to_hub` of two splits and a second config")
def _():
    from datasets import Dataset, DatasetDict, get_dataset_config_names, load_dataset

    splits = DatasetDict({"train": Dataset.from_dict({"a": [1]}), "test": Dataset.from_dict({"a": [2]})})
    splits.push_to_hub(mine("splits"), private=True)
    splits.push_to_hub(mine("splits"), config_name="more", private=True)
    require(set(get_dataset_config_names(mine("splits"))) == {"default", "more"})
    require(load_dataset(mine("splits"), "more", split="test").to_dict() == {"a": [2]})


@operation("pandas", "`read_parquet('hf://…')`")
def _():
    import pandas

    require(len(pandas.read_parquet(f"hf://datasets/{SOURCE}/{DATA}", columns=["action"])) > 0)


@operation("pandas", "`read_parquet` of a commit, `read_json`")
def _():
    import pandas

    sha = api().dataset_info(SOURCE).sha
    require(len(pandas.read_parquet(f"hf://datasets/{SOURCE}@{sha}/{DATA}")) > 0)
    require(len(pandas.read_json(f"hf://datasets/{SOURCE}/meta/info.json", typ="series")) > 0)


@operation("pandas", "`to_parquet('hf://…')`")
def _():
    import pandas

    api().create_repo(mine("frames"), repo_type="dataset", private=True, exist_ok=True)
    pandas.DataFrame({"a": [1, 2]}).to_parquet(f"hf://datasets/{mine('frames')}/a.parquet")
    require(pandas.read_parquet(f"hf://datasets/{mine('frames')}/a.parquet")["a"].tolist() == [1, 2])


@operation("duckdb", "`hf://` through `HfFileSystem` (`register_filesystem`), with patterns and filename")
def _():
    import duckdb
    from huggingface_hub import HfFileSystem

    connection = duckdb.connect()
    connection.register_filesystem(HfFileSystem())
    rows = connection.sql(f"select count(*), min(filename) from read_parquet('hf://datasets/{SOURCE}/data/**/*.parquet', filename=true)").fetchall()
    require(rows[0][0] > 0, rows)


@operation("duckdb", "`read_parquet` of a download address, with a bearer secret (`httpfs`)")
def _():
    import duckdb

    connection = duckdb.connect()
    connection.sql("install httpfs; load httpfs;")
    endpoint, token = os.environ["HF_ENDPOINT"], os.environ["HF_TOKEN"]
    connection.sql(f"create secret door (type http, bearer_token '{token}', scope '{endpoint}')")
    rows = connection.sql(f"select count(*) from read_parquet('{endpoint}/datasets/{SOURCE}/resolve/main/{DATA}')").fetchall()
    require(rows[0][0] > 0, rows)


def describe(error):
    """In the server's words where it spoke, with the status and the client's own exception."""
    response = getattr(error, "response", None)
    cause = error.__cause__
    while response is None and cause is not None:
        response, cause = getattr(cause, "response", None), cause.__cause__
    said = response.headers.get("X-Error-Message") if response is not None else None
    words = " ".join((said or str(error)).split())
    status = f" {response.status_code}" if response is not None else ""
    return f"{type(error).__name__}{status}: {words[:400]}"


class OutOfTime(Exception):
    pass


def give_up(*_):
    raise OutOfTime(f"no end after {SECONDS} s")


def run(group):
    signal.signal(signal.SIGALRM, give_up)
    for own, name, refused, function in OPERATIONS:
        if own != group:
            continue
        output, sys.stdout = sys.stdout, io.StringIO()
        signal.alarm(SECONDS)
        try:
            function()
            outcome, words = "works", ""
        except (AssertionError, OutOfTime, TypeError, ImportError, AttributeError) as error:
            outcome, words = "absent" if "'HfApi' object has no attribute" in str(error) else "fails", describe(error)
        except Exception as error:
            is_missing = "Failed to download extension" in str(error)
            outcome, words = "not run" if is_missing else "refused", describe(error)
        finally:
            signal.alarm(0)
            sys.stdout = output
        print(json.dumps({"operation": name, "outcome": outcome, "words": words, "isExpected": outcome in ("absent", "not run") or outcome == ("refused" if refused else "works")}), flush=True)


run(GROUP)
