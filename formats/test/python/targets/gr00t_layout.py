"""GR00T's layout: a LeRobot v2.1 dataset that lerobot 0.3.3 reads whole, in H.264, with modality.json and stats.json by the rules of its loader."""

import hashlib
import json
from pathlib import Path

import av
import lerobot_v21
import numpy as np
from pictures import is_grey
from truth import Truth


def check(truth, folder, settings):
    folder = Path(folder)
    info = json.loads((folder / "meta/info.json").read_text())
    modality = json.loads((folder / "meta/modality.json").read_text())
    assert set(modality) == {"state", "action", "video", "annotation"}, sorted(modality)
    for part, key in (("state", "observation.state"), ("action", "action")):
        size = info["features"][key]["shape"][0]
        covered = sorted((entry["start"], entry["end"]) for entry in modality[part].values())
        assert covered[0][0] == 0 and covered[-1][1] == size, covered
        assert all(one[1] == two[0] for one, two in zip(covered, covered[1:])), covered
    colour = [name for name in truth.cameras if not is_grey(truth, name)]
    assert sorted(entry["original_key"] for entry in modality["video"].values()) == sorted(colour)
    # Its loader passes over pictures in the rows.
    assert all(info["features"][name]["dtype"] == "video" for name in colour), colour
    assert modality["annotation"]["human.task_description"]["original_key"] == "task_index"
    for path in folder.glob("videos/*/*/*.mp4"):
        with av.open(str(path)) as container:
            assert container.streams.video[0].codec_context.name == "h264", path
    stats = json.loads((folder / "meta/stats.json").read_text())
    fingerprints = stats.pop("__fingerprints__")
    for name, feature in info["features"].items():
        if "float" not in feature["dtype"]:
            continue
        schema = {"feature": name, "dtype": feature["dtype"], "shape": feature["shape"]}
        text = json.dumps(schema, sort_keys=True, separators=(",", ":"))
        assert fingerprints[name] == "sha256:" + hashlib.sha256(text.encode()).hexdigest(), name
        assert set(stats[name]) == {"mean", "std", "min", "max", "q01", "q99"}, name
    action = np.concatenate([truth.column(episode, "action") for episode in range(len(truth.episodes))])
    for key, level in (("q01", 0.01), ("q99", 0.99)):
        np.testing.assert_allclose(stats["action"][key], np.quantile(action.astype(np.float64), level, axis=0), atol=1e-6)
    return lerobot_v21.check(without_depth(truth), folder, {"video": "h264"})


def without_depth(truth):
    shown = Truth(truth.root)
    features = shown.info["features"]
    shown.info["features"] = {name: one for name, one in features.items() if name not in truth.cameras or not is_grey(truth, name)}
    return shown
