"""Exports as `StreamingLeRobotDataset` reads them: export_streams.py EXPORTS.jsonl [--moved FOLDER], lines as export_loads.py takes them.

It takes index / fps for the time in whichever file an episode lies in, so that only cameras with one file can be read at all: of those
every frame has to show its own bar code. --moved: the same episodes in the source's files with `from_timestamp`
moved, made in FOLDER, as both loaders read them; that is a measurement of lerobot and not of ours.
"""

import json
import shutil
import sys
import warnings
from pathlib import Path

import pandas as pd
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from lerobot.datasets.streaming_dataset import StreamingLeRobotDataset

import export_loads
import export_pictures

import barcode  # noqa: E402, from the folder that export_loads adds
import rows  # noqa: E402
import schema  # noqa: E402


def list_videos(info):
    return [key for key, feature in info["features"].items() if feature["dtype"] == "video" and feature["shape"][2] == 3]


def count_right(items, kept, videos):
    """{camera: [frames that show their own number and episode, frames]}"""
    counts = {key: [0, 0] for key in videos}
    for item in items:
        part, frame = kept[int(item["episode_index"])], int(item["frame_index"])
        for key in videos:
            picture = export_pictures.to_pixels(item[key][None], False)[0]
            seen = (barcode.read(picture, 0), barcode.read(picture, 1) >> 8)
            counts[key][0] += seen == (int(part.frames[frame]), part.number)
            counts[key][1] += 1
    return counts


def stream(root):
    return StreamingLeRobotDataset("nmp/check", root=root, shuffle=False, buffer_size=8, max_num_shards=1)


def load(root):
    dataset = LeRobotDataset("nmp/check", root=root, video_backend="pyav")
    return (dataset[index] for index in range(len(dataset)))


def plan(entry):
    """What each episode of the export is made of."""
    source_info = schema.read_info(Path(entry["source"]))
    lengths = [episode["length"] for episode in rows.read(Path(entry["source"]))]
    return export_loads.select(entry["recipe"], lengths, source_info["fps"])


def check_entry(entry):
    root, kept = Path(entry["folder"]), plan(entry)
    info = schema.read_info(root)
    videos = list_videos(info)
    counts = count_right(stream(root), kept, videos)
    said = []
    for key in videos:
        right, total = counts[key]
        assert total == info["total_frames"], f"{key}: {total} frames of {info['total_frames']}"
        assert right == total, f"{key}: {right} of {total} frames are right"
        said.append(f"{key} {right} of {total}")
    return ", ".join(said)


def move_timestamps(entry, target):
    """The export's rows over the source's video files, each episode at the place of its first frame: only ranges without gaps."""
    source, kept = Path(entry["source"]), plan(entry)
    assert all(len(part.frames) == part.frames[-1] - part.frames[0] + 1 for part in kept), "frames are left out in between"
    shutil.copytree(entry["folder"], target)
    shutil.rmtree(target / "videos")
    shutil.copytree(source / "videos", target / "videos")
    info = schema.read_info(target)
    theirs = pd.concat([pd.read_parquet(path) for path in sorted(source.glob("meta/episodes/*/*.parquet"))], ignore_index=True)
    for path in sorted(target.glob("meta/episodes/*/*.parquet")):
        table = pd.read_parquet(path)
        for key in list_videos(info):
            origin = theirs.iloc[[kept[episode].number for episode in table["episode_index"]]]
            first = [int(kept[episode].frames[0]) for episode in table["episode_index"]]
            begin = origin[f"videos/{key}/from_timestamp"].to_numpy() + [frame / info["fps"] for frame in first]
            table[f"videos/{key}/from_timestamp"] = begin
            table[f"videos/{key}/to_timestamp"] = begin + table["length"].to_numpy() / info["fps"]
            for name in ("chunk_index", "file_index"):
                table[f"videos/{key}/{name}"] = origin[f"videos/{key}/{name}"].to_numpy()
        table.to_parquet(path)
    return kept, list_videos(info)


def measure(name, open_items, kept, videos):
    try:
        counts = count_right(open_items(), kept, videos)
        return f"{name}: " + ", ".join(f"{key} {right} of {total}" for key, (right, total) in counts.items())
    except Exception as error:
        return f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}"


def main():
    warnings.filterwarnings("ignore")
    entries = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    wanted = [entry for entry in entries if entry["bar_codes"] and not {"crop", "resize"} & set(entry["recipe"])]
    failures = 0
    for entry in wanted:
        root = Path(entry["folder"])
        files = [len(list((root / "videos" / key).rglob("*.mp4"))) for key in list_videos(schema.read_info(root))]
        if not files:
            continue
        if max(files) > 1:
            print(f"measured {entry['name']}: a camera of it has {max(files)} files, which lerobot cannot stream", flush=True)
            continue
        try:
            print(f"ok streamed {entry['name']}: {check_entry(entry)}", flush=True)
        except Exception as error:
            failures += 1
            print(f"FAILED streamed {entry['name']}: {type(error).__name__}: {error}", flush=True)
        if "--moved" in sys.argv and entry["name"].endswith("/trim"):
            target = Path(sys.argv[sys.argv.index("--moved") + 1]) / entry["name"].replace("/", "-")
            kept, videos = move_timestamps(entry, target)
            print("measured", entry["name"], "moved,", measure("LeRobotDataset", lambda: load(target), kept, videos))
            print("measured", entry["name"], "moved,", measure("StreamingLeRobotDataset", lambda: stream(target), kept, videos))
    sys.exit(1 if failures else 0)


main()
