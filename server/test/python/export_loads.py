"""Holds exported datasets against stock lerobot and numpy: export_loads.py EXPORTS.jsonl [--tools FOLDER] [--train].

EXPORTS.jsonl has a line per export: name (source/recipe), folder (the unpacked tar), source (the same dataset exported whole),
original (the LeRobot folder it was imported from, or null), recipe, annotations (by source episode) and bar_codes (whether
pictures carry their frame's number). With --tools lerobot's own tools edit those whose recipe is named in TOOLED, with --train a
policy takes one step on the first export of each source whose cameras are resized to one size.
"""

import json
import sys
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "formats/test/python"))

import export_packets  # noqa: E402
import export_pictures  # noqa: E402
import rows  # noqa: E402
import schema  # noqa: E402
import statistics_check  # noqa: E402

GATHERED = ("next.reward", "next.done", "next.success")
TOOLED = ("excluded", "everything")
sources = {}


def read_source(root):
    if root not in sources:
        sources.clear()
        info = schema.read_info(Path(root))
        sources[root] = (info, rows.read(Path(root)), export_pictures.read(root, info))
    return sources[root]


def select(recipe, lengths, fps):
    """What the result is made of: a Part for each of its episodes."""
    count = len(lengths)
    kept = sorted(set(recipe.get("selected_episode_indices") or range(count)))
    kept = [episode for episode in kept if episode not in set(recipe.get("excluded_episode_indices") or [])]
    return [part for episode in kept[: recipe.get("first_n_episodes") or count] for part in cut(recipe, episode, lengths[episode], fps)]


def cut(recipe, episode, length, fps):
    trim, split = recipe.get("trim") or {}, (recipe.get("split") or {}).get(str(episode), {})
    ranges = (trim.get("ranges") or {}).get(str(episode), [[0, length]])
    bounds = [0, *split.get("at", []), length]
    parts = []
    for place, (first, last) in enumerate(zip(bounds, bounds[1:])):
        own = [np.arange(max(first, a), min(last, b)) for a, b in ranges if max(first, a) < min(last, b)]
        groups = own if trim.get("inside") == "split" else [np.concatenate(own)]
        task = split["tasks"][place] if split.get("tasks") else None
        parts += [part for frames in groups for part in retime(recipe, Part(episode, frames, len(frames) < length, task), fps)]
    return parts


def retime(recipe, part, fps):
    """For each time of the new rate the nearest frame; then the action of frame t + k at t."""
    rate, shift = recipe.get("fps") or fps, (recipe.get("action") or {}).get("shift_frames") or 0
    if rate == fps and shift == 0:
        return [part]
    times = np.arange(0, len(part.frames) - 0.5 + 1e-9, fps / rate)
    picks = np.array([np.abs(time - np.arange(len(part.frames))).argmin() for time in times])
    taken, groups = part.frames[picks], np.split(part.frames, picks[1:])
    first, last = max(0, -shift), len(taken) - max(0, shift)
    if last <= first:
        return []
    return [part._replace(frames=taken[first:last], is_cut=True, groups=groups[first:last], actions=taken[first + shift : last + shift])]


class Part(NamedTuple):
    number: int
    # Of the source's episode.
    frames: np.ndarray
    is_cut: bool
    task: str | None
    # Frames that each frame stands for, and those that its action is of, where that is another rate or a shift.
    groups: list | None = None
    actions: np.ndarray | None = None


def change_action(values, change):
    values = np.asarray(values, dtype=np.float64)
    window, mode = change.get("smoothing_window") or 1, change.get("smoothing_mode") or "mean"
    if mode == "gaussian" and window > 1:
        smoothed = np.empty_like(values)
        for t in range(len(values)):
            near = np.arange(max(0, t - window // 2), min(len(values), t + window // 2 + 1))
            weights = np.exp(-0.5 * ((near - t) / (window / 6)) ** 2)
            smoothed[t] = (weights[:, None] * values[near]).sum(0) / weights.sum()
    else:
        rolling = pd.DataFrame(values).rolling(window, center=True, min_periods=1)
        smoothed = getattr(rolling, mode)().to_numpy()
    scaled = smoothed * (1 if change.get("scale") is None else change["scale"])
    has_clip = change.get("clip_min") is not None or change.get("clip_max") is not None
    return np.clip(scaled, change.get("clip_min"), change.get("clip_max")) if has_clip else scaled


def check_rows(entry, info, theirs, source_info, kept, untouched):
    ours, recipe = rows.read(entry["root"]), entry["recipe"]
    assert len(ours) == len(kept), f"{len(ours)} episodes instead of {len(kept)}"
    start = 0
    for mine, part in zip(ours, kept):
        number, frames, _, own_task, *_ = part
        other, length = theirs[number], mine["length"]
        assert length == len(frames)
        rows.assert_equal(mine["index"], np.arange(start, start + length), "index")
        rows.assert_equal(mine["frame_index"], np.arange(length), "frame_index")
        rows.assert_equal(mine["timestamp"], (np.arange(length) / info["fps"]).astype(np.float32), "timestamp")
        start += length
        for name, values in other["columns"].items():
            if source_info["features"][name]["dtype"] == "image" and name not in untouched:
                continue
            found, dimensions = find_column(entry, mine["columns"], name, source_info)
            if found is None:
                continue
            if name == "action" and recipe.get("action"):
                wanted = change_action(np.asarray(values)[frames if part.actions is None else part.actions], recipe["action"])
                wanted = wanted if dimensions is None else wanted[:, dimensions]
                assert np.allclose(found, wanted, atol=1e-5, rtol=1e-5), f"action of episode {number}"
            elif part.groups and name in GATHERED:
                gather = np.sum if name == "next.reward" else np.max
                wanted = [gather(np.asarray(values, dtype=np.float64)[group], axis=0) for group in part.groups]
                assert np.allclose(np.asarray(found, dtype=np.float64), wanted, atol=1e-6), f"{name} of episode {number}"
            elif dimensions is not None:
                rows.assert_equal(found, take(values, frames)[:, dimensions], f"{name} of episode {number}")
            else:
                rows.assert_equal(found, take(values, frames), f"{name} of episode {number}")
        task = own_task or entry["annotations"].get(str(number), {}).get("task")
        assert mine["tasks"] == ([task] * length if task else take(other["tasks"], frames)), f"tasks of episode {number}"


def find_column(entry, columns, name, source_info):
    """A column of the source under the name it has now, and which of its dimensions are left; None where it is dropped."""
    asked = entry["recipe"].get("features") or {}
    if name in asked.get("drop", []):
        assert name not in columns, f"{name} is not dropped"
        return None, None
    found = columns[(asked.get("rename") or {}).get(name, name)]
    names, feature = (asked.get("dimensions") or {}).get(name), source_info["features"][name]
    own = feature.get("names") or [str(at) for at in range(feature["shape"][0])]
    return found, [own.index(each) for each in names] if names else None


def take(values, frames):
    return values[frames] if isinstance(values, np.ndarray) else [values[frame] for frame in frames]


def check_sidecars(entry, kept):
    """The source's numbers, and what annotations say beyond the task, under the new ones."""
    table = pd.read_parquet(entry["root"] / "meta/nmp-episodes.parquet")
    found = dict(zip(table["episode_index"].tolist(), table["source_episode_index"].tolist()))
    assert found == {position: part.number for position, part in enumerate(kept)}, found
    if any(part.is_cut for part in kept):
        told = [[list(range(a, b)) for a, b in ranges] for ranges in table["source_frames"]]
        assert [sum(ranges, []) for ranges in told] == [part.frames.tolist() for part in kept], "source_frames"
    path = entry["root"] / "meta/nmp-annotations.json"
    said = [move_segments(entry["annotations"].get(str(part.number), {}), part) for part in kept]
    wanted = [
        {"episode_index": position, "source_episode_index": part.number, **told}
        for position, (part, told) in enumerate(zip(kept, said))
        if told
    ]
    assert path.exists() == bool(wanted), "the sidecar of annotations"
    if wanted:
        stored = json.loads(path.read_text())
        assert stored["annotation_set_id"] == entry["recipe"]["annotation_set_id"]
        assert stored["annotation_set_version"] == entry["recipe"].get("annotation_set_version", 1)
        assert stored["episodes"] == wanted, stored["episodes"]


def move_segments(annotation, part):
    told = {key: value for key, value in annotation.items() if key != "task"}
    if not part.is_cut or "segments" not in told:
        return told
    count = lambda frame: int((part.frames < frame).sum())  # noqa: E731
    moved = [{**each, "start_frame": count(each["start_frame"]), "end_frame": count(each["end_frame"])} for each in told["segments"]]
    return {**told, "segments": [each for each in moved if each["start_frame"] < each["end_frame"]]}


def list_untouched(info, source_info):
    def is_same(key):
        return info["features"][key]["shape"] == source_info["features"][key]["shape"]

    return [key for key in export_pictures.list_cameras(info) if is_same(key)]


def check_entry(entry):
    entry["root"] = root = Path(entry["folder"])
    info = schema.read_info(root)
    schema.check(root, info)
    statistics_check.check(root, info)
    source_info, source_rows, source_pictures = read_source(entry["source"])
    kept = select(entry["recipe"], [episode["length"] for episode in source_rows], source_info["fps"])
    # From here on cameras are called as in the source.
    names = (entry["recipe"].get("features") or {}).get("rename") or {}
    back = {new: old for old, new in names.items()}
    written = info
    info = {**info, "features": {back.get(key, key): feature for key, feature in info["features"].items()}}
    untouched = list_untouched(info, source_info)
    check_rows(entry, info, source_rows, source_info, kept, untouched)
    check_sidecars(entry, kept)
    pictures = source_pictures if entry["folder"] == entry["source"] else export_pictures.read(root, written)
    pictures = {back.get(key, key): value for key, value in pictures.items()}
    export_pictures.check(entry, info, source_info, kept, pictures, source_pictures)
    origin = Path(entry["original"] or entry["source"])
    copied = export_packets.check(entry, root, info, origin, schema.read_info(origin), untouched, kept)
    return written, f"{info['total_frames']} frames, {copied} packets the same"


def main():
    warnings.filterwarnings("ignore")
    entries = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    tools = sys.argv[sys.argv.index("--tools") + 1] if "--tools" in sys.argv else None
    failures, trained, is_command_tried = 0, set(), False
    for entry in entries:
        try:
            info, done = check_entry(entry)
            source, recipe = entry["name"].split("/")
            if tools or "--train" in sys.argv:
                import export_tools
            if tools and recipe in TOOLED and export_tools.can_edit(info):
                export_tools.check_editing(entry, info, tools, command=not is_command_tried)
                done += ", edited" if is_command_tried else ", edited by lerobot-edit-dataset"
                is_command_tried = True
            # lerobot makes a tensor of every feature of a batch, which words cannot be.
            has_words = any(feature["dtype"] == "string" for feature in info["features"].values())
            is_trainable = export_tools.can_train(info) and not has_words and entry["recipe"].get("resize")
            if "--train" in sys.argv and is_trainable and source not in trained:
                trained.add(source)
                done += f", one ACT step with loss {export_tools.train_one_step(entry, info):.2f}"
            print(f"ok {entry['name']}: {done}", flush=True)
        except Exception as error:
            failures += 1
            print(f"FAILED {entry['name']}: {type(error).__name__}: {error}", flush=True)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
