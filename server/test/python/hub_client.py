"""The stock huggingface_hub client downloads from our hub-shaped test server: what the importer is tested against is a hub.

usage: hub_client.py NODE FOLDER...    (run in the root of the checkout; each folder is a LeRobot dataset)
"""

import filecmp
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path


def check(node: str, folder: Path) -> None:
    version = json.loads((folder / "meta" / "info.json").read_text())["codebase_version"]
    command = [node, "server/test/hub-process.ts", str(folder), version]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        try:
            hub = json.loads(server.stdout.readline())
            with tempfile.TemporaryDirectory() as home:
                env = {**os.environ, "HF_ENDPOINT": hub["url"], "HF_HOME": home, "HF_HUB_OFFLINE": "0"}
                inside = [sys.executable, __file__, "--inside", str(folder), version, hub["commit"]]
                subprocess.run(inside, env=env, check=True)
        finally:
            server.terminate()


def download(folder: Path, version: str, commit: str) -> None:
    import huggingface_hub
    from huggingface_hub import HfApi, hf_hub_download, snapshot_download

    api = HfApi()
    info = api.dataset_info("lab/set", revision=version)
    assert info.sha == commit, (info.sha, commit)
    wanted = sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())
    assert sorted(info.sha and api.list_repo_files("lab/set", repo_type="dataset")) == wanted
    target = Path(snapshot_download("lab/set", repo_type="dataset", revision=version))
    for name in wanted:
        assert filecmp.cmp(folder / name, target / name, shallow=False), f"{name} differs"
    with tempfile.TemporaryDirectory() as local:
        one = hf_hub_download("lab/set", wanted[0], repo_type="dataset", local_dir=local)
        assert filecmp.cmp(folder / wanted[0], one, shallow=False)
    print(f"ok {folder.name}: {len(wanted)} files by huggingface_hub {huggingface_hub.__version__}")


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        download(Path(sys.argv[2]), sys.argv[3], sys.argv[4])
    else:
        for name in sys.argv[2:]:
            check(sys.argv[1], Path(name))
