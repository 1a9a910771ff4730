"""Three recorded sets that differ in everything a map can say, merged by nmp-formats, loaded by the stock lerobot.

merge_check.py record OUT         records them (lerobot 0.4.4, which takes a codec), and map.json beside them
merge_check.py check OUT MERGED   holds what this interpreter's lerobot loads against what was recorded
merge_check.py twice SET MERGED   the same for a set that was merged with itself
"""

import hashlib
import json
import sys
from pathlib import Path

import av
import numpy as np
from pyarrow import parquet
from lerobot.datasets.lerobot_dataset import LeRobotDataset

from barcode import draw, read

NAMES = ["height", "width", "channels"]
JOINTS = ["pan", "lift", "elbow", "grip"]
SIZES = [(96, 128, 3), (72, 96, 3)]
SETS = [
    {"fps": 10, "cameras": ["front", "wrist"], "joints": JOINTS, "scale": 1.0, "vcodec": "libsvtav1", "lengths": [14, 9], "robot": "arm"},
    {"fps": 20, "cameras": ["head", "hand"], "joints": ["grip", "elbow", "pan", "lift"], "scale": 1.0, "vcodec": "libsvtav1", "lengths": [17, 12], "robot": "arm_b"},
    {"fps": 10, "cameras": ["front", "wrist"], "joints": JOINTS, "scale": 180 / np.pi, "vcodec": "h264", "lengths": [11], "robot": "arm"},
]
OURS = [f"observation.images.{name}" for name in SETS[0]["cameras"]]


def angle(place, episode, frame, joint):
    return np.sin(place + 2.0 * episode + 0.3 * frame + JOINTS.index(joint))


def record(out):
    for place, told in enumerate(SETS):
        column = {"dtype": "float32", "shape": (4,), "names": told["joints"]}
        cameras = {f"observation.images.{name}": {"dtype": "video", "shape": size, "names": NAMES} for name, size in zip(told["cameras"], SIZES)}
        features = {"observation.state": column, "action": column, **cameras}
        dataset = LeRobotDataset.create(
            f"nmp/set{place}", told["fps"], features=features, root=out / f"set-{place}", robot_type=told["robot"], vcodec=told["vcodec"]
        )
        for episode, length in enumerate(told["lengths"]):
            for frame in range(length):
                row = np.array([angle(place, episode, frame, joint) * told["scale"] for joint in told["joints"]], dtype=np.float32)
                pictures = {name: draw(size, episode, frame, view) for view, (name, size) in enumerate(zip(cameras, SIZES))}
                dataset.add_frame({"observation.state": row, "action": row, **pictures, "task": f"task {place % 2}"})
            dataset.save_episode()
        dataset.finalize()
    cameras = {f"observation.images.{theirs}": ours for theirs, ours in zip(SETS[1]["cameras"], OURS)}
    ordered = {name: {"dimensions": JOINTS} for name in ("observation.state", "action")}
    scaled = {name: {"unit": ["deg", "rad"]} for name in ("observation.state", "action")}
    maps = [{}, {"cameras": cameras, "features": ordered, "robot_type": "arm"}, {"features": scaled, "tasks": {"*": "task 0"}}]
    (out / "map.json").write_text(json.dumps({"sources": [{"map": one} for one in maps]}))
    print("ok record")


def list_rows():
    """What each frame of the result is: set, episode, frame."""
    rows = []
    for place, told in enumerate(SETS):
        for episode, length in enumerate(told["lengths"]):
            rows += [[(place, episode, frame) for frame in range(0, length, told["fps"] // 10)]]
    return rows


def hash_packets(folder):
    hashes = []
    for path in sorted(Path(folder).glob("*/*.mp4")):
        with av.open(str(path)) as container:
            hashes += [hashlib.sha256(bytes(packet)).hexdigest() for packet in container.demux(video=0) if packet.size]
    return hashes


def check(out, merged):
    dataset = LeRobotDataset("nmp/merged", root=merged)
    episodes = list_rows()
    rows = [row for episode in episodes for row in episode]
    assert (dataset.fps, len(dataset), dataset.meta.total_episodes) == (10, len(rows), len(episodes))
    assert dataset.meta.robot_type == "arm"
    numbers = []
    for index, (place, episode, frame) in enumerate(rows):
        item = dataset[index]
        wanted = [angle(place, episode, frame, joint) for joint in JOINTS]
        for name in ("observation.state", "action"):
            assert np.allclose(item[name].numpy(), wanted, atol=2e-7 if place < 2 else 1e-6), (index, name)
        numbers.append(item["action"].numpy().astype(np.float64))
        assert item["task"] == ("task 1" if place == 1 else "task 0"), (index, item["task"])
        for view, name in enumerate(OURS):
            picture = item[name].numpy().transpose(1, 2, 0) * 255
            assert (read(picture, 0), read(picture, 1)) == (frame, episode * 256 + view), (index, name)
    stats = json.loads((merged / "meta/stats.json").read_text())["action"]
    table = np.stack(numbers)
    for key, value in {"mean": table.mean(0), "std": table.std(0), "min": table.min(0), "max": table.max(0)}.items():
        assert np.allclose(stats[key], value, atol=1e-6), key
    for key, level in {"q01": 0.01, "q10": 0.1, "q50": 0.5, "q90": 0.9, "q99": 0.99}.items():
        assert np.allclose(stats[key], np.quantile(table, level, axis=0), atol=1e-6), key
    for view, name in enumerate(OURS):
        written = hash_packets(merged / "videos" / name)
        recorded = [hash_packets(out / f"set-{place}" / "videos" / f"observation.images.{told['cameras'][view]}") for place, told in enumerate(SETS)]
        for index, (place, episode, frame) in enumerate(rows):
            # Every second frame of 20 a second is a keyframe, so those are copied, too; H.264 is what most frames are not.
            own = recorded[place][sum(SETS[place]["lengths"][:episode]) + frame]
            assert (written[index] == own) == (place < 2), f"{name}: frame {index} was {'encoded' if place < 2 else 'copied'}"
        with av.open(str(next(iter(sorted((merged / "videos" / name).glob("*/*.mp4")))))) as container:
            assert container.streams.video[0].codec_context.name in ("av1", "libdav1d"), name
    print(f"ok merge: {len(rows)} frames of {len(SETS)} sets")


def twice(source, merged):
    once, both = LeRobotDataset("nmp/once", root=source), LeRobotDataset("nmp/twice", root=merged)
    frames, episodes = len(once), once.meta.total_episodes
    assert (len(both), both.meta.total_episodes) == (2 * frames, 2 * episodes)
    numbers = []
    for index in range(2 * frames):
        ours, theirs = both[index], once[index % frames]
        assert (int(ours["index"]), int(ours["episode_index"])) == (index, int(theirs["episode_index"]) + index // frames * episodes), index
        assert ours["task"] == theirs["task"], index
        for name in ("observation.state", "action", "timestamp", *OURS):
            assert np.array_equal(ours[name].numpy(), theirs[name].numpy()), (index, name)
        numbers.append(ours["action"].numpy().astype(np.float64))
    table = np.stack(numbers)
    stats = json.loads((merged / "meta/stats.json").read_text())["action"]
    pieces = [(stats, table)]
    # The loader itself drops these columns.
    for row in parquet.read_table(merged / "meta/episodes").to_pylist():
        own = {key: row[f"stats/action/{key}"] for key in ("mean", "std", "min", "max", "q01", "q50", "q99")}
        pieces.append((own, table[row["dataset_from_index"] : row["dataset_to_index"]]))
    for told, rows in pieces:
        for key, value in {"mean": rows.mean(0), "std": rows.std(0), "min": rows.min(0), "max": rows.max(0)}.items():
            assert np.allclose(told[key], value, atol=1e-6), key
        for key, level in {"q01": 0.01, "q50": 0.5, "q99": 0.99}.items():
            assert np.allclose(told[key], np.quantile(rows, level, axis=0), atol=1e-6), key
    for name in OURS:
        assert hash_packets(merged / "videos" / name) == 2 * hash_packets(Path(source) / "videos" / name), name
    print(f"ok twice: {2 * frames} frames, rows and packets copied")


if __name__ == "__main__":
    folders = [Path(word) for word in sys.argv[2:]]
    {"record": record, "check": check, "twice": twice}[sys.argv[1]](*folders)
