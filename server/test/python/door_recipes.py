"""Every key of a recipe that changes time, features or the choice of episodes, through the Hub door before any export.

A version is made over HTTP, and stock lerobot loads it by its name; what it then has is held against numpy over the source's rows,
every picture by its bar code, as exports are (export_loads.py).
"""

import json
import os
import shutil
import sys
import urllib.request
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

# Frames in which the arm is made to stand still, at the start and inside; by episode.
RESTS = {0: [(0, 14)], 2: [(16, 30)], 4: [(0, 11), (26, 38)]}
LABELS = {"0": {"success": True, "tags": ["clean"]}, "2": {"success": True, "task": "push it"}, "3": {"success": False, "tags": ["slip"]}}


def hold(source, target):
    """A copy of a recording in which nothing moves during the rests: a frame is still while the next one is where it is."""
    shutil.copytree(source, target)
    for path in Path(target).glob("data/*/*.parquet"):
        table = pq.read_table(path)
        owners = table["episode_index"].to_pylist()
        for name in ("observation.state", "action"):
            values = table[name].to_pylist()
            for episode, rests in RESTS.items():
                for first, last in rests:
                    at = owners.index(episode) + first
                    values[at : at + last - first + 1] = [values[at]] * (last - first + 1)
            place = table.column_names.index(name)
            field = table.schema.field(place)
            table = table.set_column(place, field, [pa.array(values, field.type)])
        pq.write_table(table, path)
    print("ok hold", target)


def list_recipes():
    """Name: what is asked for, and the same in the words of export_loads.py, where they differ."""
    # What is kept after a rest begins at an even frame.
    starts = {"0": [[14, None]], "4": [[10, None]]}
    inside = {"0": [[14, None]], "2": [[0, 16], [30, None]], "4": [[10, 26], [38, None]]}
    pieces = {"0": [[4, 44]], "1": [[3, 20], [30, 61]]}
    parts = {"2": {"at": [18], "tasks": ["reach for the block", "push the block"]}}
    features = {
        "drop": ["next.reward"],
        "rename": {"observation.images.top": "observation.images.front", "next.success": "next.fine"},
        "dimensions": {"observation.state": ["gripper.pos", "joint_1.pos"], "action": ["joint_2.pos", "joint_1.pos", "gripper.pos"]},
    }
    return {
        "ranges": ({"trim": {"ranges": pieces}}, None),
        "ranges-split": ({"trim": {"ranges": pieces, "inside": "split"}}, None),
        "idle": ({"trim": {"idle": {}}}, {"trim": {"ranges": starts}}),
        "idle-anywhere": ({"trim": {"idle": {"from": "anywhere", "signal": "action"}}}, {"trim": {"ranges": inside}}),
        "idle-split": (
            {"trim": {"idle": {"from": "anywhere", "signal": "action", "inside": "split"}}},
            {"trim": {"ranges": inside, "inside": "split"}},
        ),
        "split": ({"split": parts}, None),
        "half": ({"fps": 10}, None),
        "nearest": ({"fps": 8}, None),
        "features": ({"features": features}, None),
        "earlier": ({"action": {"shift_frames": 2}}, None),
        "later": ({"action": {"shift_frames": -3}}, None),
        "success": ({"where": {"success": True}}, {"selected_episode_indices": [0, 2]}),
        "tags": ({"where": {"tags_any": ["slip", "clean"]}}, {"selected_episode_indices": [0, 3]}),
        "tasks": ({"where": {"tasks_any": ["push it"], "success": True}}, {"selected_episode_indices": [2]}),
        "all": (
            {"trim": {"idle": {"from": "anywhere", "signal": "action"}}, "split": parts, "fps": 10, "action": {"shift_frames": 1}, "features": features},
            {"trim": {"ranges": inside}, "split": parts, "fps": 10, "action": {"shift_frames": 1}, "features": features},
        ),
    }


def ask(method, path, body=None):
    request = urllib.request.Request(
        os.environ["HF_ENDPOINT"].removesuffix("/hf") + "/api/v1" + path,
        method=method,
        data=None if body is None else json.dumps(body).encode(),
        headers={"authorization": f"Bearer {os.environ['NMP_SESSION']}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def fill_ends(recipe, lengths):
    """Ranges up to the end of an episode, in numbers."""
    trim = recipe.get("trim")
    if not trim:
        return recipe
    ranges = {
        key: [[first, lengths[int(key)] if last is None else last] for first, last in own] for key, own in trim["ranges"].items()
    }
    return {**recipe, "trim": {**trim, "ranges": ranges}}


def check_all(slug, source, suffix):
    import export_loads
    import rows
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    place = f"/orgs/ada/projects/default/datasets/{slug}"
    dataset_id = ask("GET", place)["item"]["id"]
    episodes = [{"episode_index": int(key), **label} for key, label in LABELS.items()]
    labels = ask("POST", f"{place}/annotation-sets", {"name": f"Labels {suffix}", "episodes": episodes})["item"]["id"]
    lengths = [episode["length"] for episode in rows.read(Path(source))]
    count = 0
    for name, (asked, meant) in list_recipes().items():
        annotated = {"annotation_set_id": labels} if "where" in asked else {}
        meant = fill_ends(meant or asked, lengths)
        version = {"slug": f"{name}-{suffix}", "name": name, "recipe": {**asked, **annotated}}
        version["source"] = {"dataset_kind": "project", "dataset_id": dataset_id}
        item = ask("POST", "/orgs/ada/derived-dataset-versions", version)["item"]
        assert item["status"] == "materialization_required", item["status"]
        loaded = LeRobotDataset(f"ada/{name}-{suffix}", video_backend="pyav")
        entry = {"name": f"door/{name}", "folder": str(loaded.root), "source": source, "original": source, "bar_codes": True}
        told = {key: {"success": None, "tags": [], "note": None, "segments": [], **label} for key, label in LABELS.items()}
        info, done = export_loads.check_entry({**entry, "recipe": {**meant, **annotated}, "annotations": told if annotated else {}})
        assert len(loaded) == info["total_frames"], (len(loaded), info["total_frames"])
        count += len(loaded)
        print(f"{name}: {done}")
    print(f"ok recipes {slug}: {len(list_recipes())} versions before their export, every one of {count} frames is right")
