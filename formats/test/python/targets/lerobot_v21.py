"""A LeRobot v2.1 dataset, every frame through the stock lerobot of the environment: 0.3.3, or the commit that openpi pins."""

import json
from pathlib import Path

import numpy as np
from pictures import compare, is_grey

try:
    from lerobot.datasets.lerobot_dataset import LeRobotDataset
except ModuleNotFoundError:  # where it was before 0.2
    from lerobot.common.datasets.lerobot_dataset import LeRobotDataset


def check(truth, folder, settings):
    info = json.loads((Path(folder) / "meta/info.json").read_text())
    assert info["codebase_version"] == "v2.1", info["codebase_version"]
    dataset = LeRobotDataset("nmp/target", root=folder, video_backend="pyav")
    assert dataset.num_episodes == len(truth.episodes), dataset.num_episodes
    assert dataset.num_frames == len(truth.rows), dataset.num_frames
    exact = settings.get("video", "copy") == "copy"
    index = 0
    for episode in range(len(truth.episodes)):
        columns = {name: truth.column(episode, name) for name in truth.numbers}
        texts = {name: [row[name] for row in truth.episode_rows(episode)] for name in truth.features("string")}
        pictures = {name: truth.pictures(episode, name) for name in truth.cameras}
        for frame, task in enumerate(truth.frame_tasks(episode)):
            item = dataset[index]
            assert item["task"] == task, (item["task"], task)
            assert int(item["frame_index"]) == frame and int(item["index"]) == index
            assert abs(float(item["timestamp"]) - frame / truth.fps) < 1e-4
            for name, values in columns.items():
                np.testing.assert_array_equal(item[name].numpy().reshape(values[frame].shape), values[frame], name)
            for name, values in texts.items():
                assert item[name] == values[frame], name
            for name, wanted in pictures.items():
                found = np.rint(item[name].numpy().transpose(1, 2, 0) * 255)
                compare(found, next(wanted), exact or is_grey(truth, name), f"{name} {episode}/{frame}")
            index += 1
    stats = dataset.meta.stats
    for name in truth.numbers:
        values = np.concatenate([truth.column(episode, name) for episode in range(len(truth.episodes))])
        if values.ndim == 2 and values.dtype.kind == "f":
            np.testing.assert_allclose(stats[name]["mean"], values.mean(axis=0, dtype=np.float64), rtol=1e-5, atol=1e-5)
    missing = [name for name in truth.cameras if stats[name]["mean"].shape != (3, 1, 1)]
    assert not missing, missing
    return f"{index} frames of {len(truth.cameras)} cameras"
