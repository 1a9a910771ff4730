"""lerobot's own editing tools on what we wrote: delete, split and merge, then every frame read again."""

from pathlib import Path

import schema
from lerobot.datasets.dataset_tools import delete_episodes, merge_datasets, split_dataset
from lerobot.datasets.lerobot_dataset import LeRobotDataset


def check(sets, folder: Path, read_every_frame):
    failures = 0
    for name, _, written, _ in sets:
        info = schema.read_info(Path(written))
        if "recorded" not in name or info["total_frames"] > 400 or has_matrix(info):
            continue
        try:
            check_set(name, Path(written), info, folder / name.replace("/", "-"), read_every_frame)
            print(f"ok {name}: delete, split, merge", flush=True)
        except Exception as error:
            failures += 1
            print(f"FAILED tools on {name}: {type(error).__name__}: {error}", flush=True)
    return failures


def has_matrix(info):
    """lerobot's tools fail on features of two dimensions, on its own recordings too."""
    return any(len(f["shape"]) > 1 and f["dtype"] not in ("video", "image") for f in info["features"].values())


def check_set(name, written, info, folder, read_every_frame):
    count = info["total_episodes"]
    everything = list(range(count))
    dataset = LeRobotDataset("nmp/check", root=written, video_backend="pyav")

    def reread(root, episodes):
        changed = schema.read_info(root)
        assert changed["total_episodes"] == len(episodes)
        read_every_frame(root, changed, True, episodes)

    delete_episodes(dataset, [1], output_dir=folder / "deleted", repo_id="nmp/deleted")
    reread(folder / "deleted", [episode for episode in everything if episode != 1])
    parts = {"first": everything[: count // 2], "second": everything[count // 2 :]}
    split_dataset(dataset, parts, output_dir=folder / "split")
    for part, episodes in parts.items():
        reread(next(path for path in (folder / "split").glob(f"*{part}*") if path.is_dir()), episodes)
    merge_datasets([dataset, dataset], output_repo_id="nmp/merged", output_dir=folder / "merged")
    reread(folder / "merged", everything + everything)
