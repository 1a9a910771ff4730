"""Holds datasets that nmp-formats wrote against stock lerobot: check.py SETS.tsv [--tools FOLDER].

SETS.tsv has a line per set: name, source folder, written folder, truth (.npz or -). Every frame of every set is read
through lerobot's own loader; numbers are compared with the source's rows; bar codes with the frame's place.
"""

import logging
import sys
import warnings
from pathlib import Path

import numpy as np

import rows
import schema
import statistics_check
from barcode import draw_depth, read
from lerobot.datasets.lerobot_dataset import LeRobotDataset

WINDOW = 64
complaints = []


class Complaints(logging.Handler):
    def emit(self, record):
        complaints.append(record.getMessage())


def open_dataset(root, **options):
    return LeRobotDataset("nmp/check", root=root, video_backend="pyav", **options)


def check_set(name, source, written, truth):
    complaints.clear()
    info = schema.read_info(written)
    schema.check(written, info, source)
    frames = check_numbers(source, written, info, truth)
    statistics_check.check(written, info)
    seen = read_every_frame(written, info, has_bar_codes="recorded" in name and "-can" not in name)
    assert seen == frames, f"{seen} frames read, {frames} expected"
    bad = [text for text in complaints if "Unknown fields" in text or "corrupt" in text.lower()]
    assert not bad, bad
    print(f"ok {name}: {frames} frames", flush=True)


def check_numbers(source, written, info, truth):
    """The written rows are the source's rows, in order; tasks are the same words."""
    ours = rows.read(written)
    theirs = rows.read(source)
    assert [e["length"] for e in ours] == [e["length"] for e in theirs], "episode lengths differ"
    known = np.load(truth) if truth != "-" else {}
    start = 0
    for index, (mine, other) in enumerate(zip(ours, theirs)):
        for name, values in other["columns"].items():
            if name in info["features"]:
                rows.assert_equal(mine["columns"][name], values, f"{name} of episode {index}")
        for key in (key for key in known if key.endswith(f"|{index}")):
            name = key.split("|")[0]
            rows.assert_equal(mine["columns"][name], known[key], f"{name} of episode {index} against the recording")
        length = mine["length"]
        rows.assert_equal(mine["frame_index"], np.arange(length), "frame_index")
        rows.assert_equal(mine["index"], np.arange(start, start + length), "index")
        rows.assert_equal(mine["timestamp"], (np.arange(length) / info["fps"]).astype(np.float32), "timestamp")
        assert mine["tasks"] == other["tasks"], f"tasks of episode {index}"
        start += length
    return start


def read_every_frame(root, info, has_bar_codes, episodes=None):
    """Small sets item by item, as a training loop does; large ones in windows, which decode each frame once as well."""
    cameras = [key for key, feature in info["features"].items() if feature["dtype"] in ("video", "image")]
    is_depth = {key: info["features"][key]["shape"][2] == 1 for key in cameras}
    if info["total_frames"] <= 600 or not cameras or info["features"][cameras[0]]["dtype"] == "image":
        dataset = open_dataset(root)
        for i in range(len(dataset)):
            item = dataset[i]
            assert isinstance(item["task"], str)
            for place, key in enumerate(cameras):
                check_picture(item[key], item, key, place, is_depth[key], has_bar_codes, episodes)
        return len(dataset)
    offsets = [step / info["fps"] for step in range(WINDOW)]
    dataset = open_dataset(root, delta_timestamps={key: offsets for key in cameras})
    seen = 0
    for length, first in zip(*episode_ranges(dataset)):
        for begin in range(0, length, WINDOW):
            item = dataset[first + begin]
            count = min(WINDOW, length - begin)
            for place, key in enumerate(cameras):
                assert item[key].shape[0] == WINDOW
                for step in range(count if has_bar_codes else 0):
                    at = {"frame_index": begin + step, "episode_index": item["episode_index"]}
                    check_picture(item[key][step], at, key, place, is_depth[key], has_bar_codes, episodes)
            seen += count
    return seen


def episode_ranges(dataset):
    table = dataset.meta.episodes
    firsts = [int(value) for value in table["dataset_from_index"]]
    lasts = [int(value) for value in table["dataset_to_index"]]
    return [b - a for a, b in zip(firsts, lasts)], firsts


def check_picture(tensor, item, key, place, is_depth, has_bar_codes, episodes):
    picture = np.moveaxis(np.asarray(tensor), 0, -1)
    frame, episode = int(item["frame_index"]), int(item["episode_index"])
    source_episode = episodes[episode] if episodes else episode
    if is_depth:
        expected = draw_depth(picture.shape, source_episode, frame).astype(np.float64)
        scale = 1000.0 if picture.max() < 100 else 1.0
        error = np.abs(picture * scale - expected).max()
        assert error <= 6, f"{key}: depth of frame {frame} is {error} mm off"
    elif has_bar_codes:
        numbers = (read(picture * 255, 0), read(picture * 255, 1))
        assert numbers == (frame, source_episode * 256 + place), f"{key}: frame {frame} of episode {episode} shows {numbers}"


def main():
    warnings.filterwarnings("ignore")
    logging.getLogger().addHandler(Complaints())
    sets = [line.split("\t") for line in Path(sys.argv[1]).read_text().splitlines()]
    failures = 0
    for name, source, written, truth in sets:
        try:
            check_set(name, Path(source), Path(written), truth)
        except Exception as error:
            failures += 1
            print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
    if "--tools" in sys.argv:
        import tools

        failures += tools.check(sets, Path(sys.argv[sys.argv.index("--tools") + 1]), read_every_frame)
    sys.exit(1 if failures else 0)


main()
