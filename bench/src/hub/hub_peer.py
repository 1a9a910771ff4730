"""The clients of the hub bench. Each prints READY once its libraries are loaded, then does what a line of standard input says and
answers with one line `RESULT {json}`.

hub_peer.py snapshot         lines `ENDPOINT TOKEN REPO HOME`: seconds of snapshot_download into an empty cache
hub_peer.py push             lines `REPO FOLDER`: seconds of create_repo and upload_folder, by Xet (HF_ENDPOINT, HF_TOKEN set)
hub_peer.py load             lines `REPO HOME`: seconds from the line to the first item of a LeRobotDataset (HF_ENDPOINT, HF_TOKEN set)
hub_peer.py delete ROOT      lines `KEPT TARGET`: seconds of delete_episodes that leaves the first KEPT, and of loading the first item
hub_peer.py record ROOT      lines `EPISODES FIRST TARGET`: seconds of recording these again from frame FIRST on, and of loading the first item
"""

import json
import os
import shutil
import sys
import time

os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")


def serve(answer):
    print("READY", flush=True)
    for line in sys.stdin:
        print("RESULT " + json.dumps(answer(*line.split())), flush=True)


def snapshot():
    from huggingface_hub import snapshot_download

    def answer(endpoint, token, repo, home):
        began = time.perf_counter()
        folder = snapshot_download(repo, repo_type="dataset", endpoint=endpoint, token=token, cache_dir=home)
        seconds = time.perf_counter() - began
        size = sum(os.path.getsize(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names)
        shutil.rmtree(home)
        return {"seconds": seconds, "bytes": size}

    serve(answer)


def push():
    from huggingface_hub import HfApi

    def answer(repo, folder):
        began = time.perf_counter()
        HfApi().create_repo(repo, repo_type="dataset")
        HfApi().upload_folder(repo_id=repo, folder_path=folder, repo_type="dataset")
        return {"seconds": time.perf_counter() - began}

    serve(answer)


def load():
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    def answer(repo, home):
        began = time.perf_counter()
        dataset = LeRobotDataset(repo, root=home, video_backend="pyav")
        dataset[0]
        return {"seconds": time.perf_counter() - began, "episodes": dataset.meta.total_episodes}

    serve(answer)


def delete(root):
    from lerobot.datasets.dataset_tools import delete_episodes
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    dataset = LeRobotDataset("nmp/bench", root=root, video_backend="pyav")

    def answer(kept, target):
        began = time.perf_counter()
        unwanted = list(range(int(kept), dataset.meta.total_episodes))
        delete_episodes(dataset, unwanted, output_dir=target, repo_id="nmp/deleted")
        result = LeRobotDataset("nmp/deleted", root=target, video_backend="pyav")
        result[0]
        return {"seconds": time.perf_counter() - began, "episodes": result.meta.total_episodes}

    serve(answer)


def record(root):
    import numpy as np
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    dataset = LeRobotDataset("nmp/bench", root=root, video_backend="pyav")
    counting = ("timestamp", "frame_index", "episode_index", "index", "task_index")
    features = {key: feature for key, feature in dataset.meta.features.items() if key not in counting}

    def to_value(key, value):
        value = np.asarray(value)
        return np.rint(np.moveaxis(value, 0, -1) * 255).astype(np.uint8) if features[key]["dtype"] == "video" else value.reshape(features[key]["shape"])

    def answer(episodes, first, target):
        began = time.perf_counter()
        made = LeRobotDataset.create("nmp/again", dataset.meta.fps, features=features, root=target)
        for episode in range(int(episodes)):
            row = dataset.meta.episodes[episode]
            for index in range(int(row["dataset_from_index"]) + int(first), int(row["dataset_to_index"])):
                item = dataset[index]
                made.add_frame({**{key: to_value(key, item[key]) for key in features}, "task": item["task"]})
            made.save_episode()
        made.finalize()
        result = LeRobotDataset("nmp/again", root=target, video_backend="pyav")
        result[0]
        return {"seconds": time.perf_counter() - began, "episodes": result.meta.total_episodes}

    serve(answer)


{"snapshot": snapshot, "push": push, "load": load, "delete": delete, "record": record}[sys.argv[1]](*sys.argv[2:])
