"""Holds exported datasets against stock lerobot and numpy: export_loads.py EXPORTS.jsonl [--tools FOLDER] [--train].

EXPORTS.jsonl has a line per export: name, folder (the unpacked tar), source (the same dataset exported whole), recipe, and
bar_codes (whether pictures carry their frame's number). Every frame is read through lerobot's own loader at its timestamp;
rows, tasks and statistics are compared with what numpy and pandas make of the source's rows.
"""

import json
import sys
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "formats/test/python"))

import rows  # noqa: E402
import schema  # noqa: E402
import statistics_check  # noqa: E402
from barcode import read  # noqa: E402
from lerobot.datasets.lerobot_dataset import LeRobotDataset  # noqa: E402


def open_dataset(root, **options):
    return LeRobotDataset("nmp/check", root=root, video_backend="pyav", **options)


def select(recipe, count):
    kept = sorted(set(recipe.get("selected_episode_indices") or range(count)))
    kept = [episode for episode in kept if episode not in set(recipe.get("excluded_episode_indices") or [])]
    return kept[: recipe.get("first_n_episodes") or count]


def change_action(values, wish):
    values = np.asarray(values, dtype=np.float64)
    window, mode = wish.get("smoothing_window") or 1, wish.get("smoothing_mode") or "mean"
    if mode == "gaussian" and window > 1:
        smoothed = np.empty_like(values)
        for t in range(len(values)):
            near = np.arange(max(0, t - window // 2), min(len(values), t + window // 2 + 1))
            weights = np.exp(-0.5 * ((near - t) / (window / 6)) ** 2)
            smoothed[t] = (weights[:, None] * values[near]).sum(0) / weights.sum()
    else:
        rolling = pd.DataFrame(values).rolling(window, center=True, min_periods=1)
        smoothed = getattr(rolling, mode)().to_numpy()
    scaled = smoothed * (1 if wish.get("scale") is None else wish["scale"])
    return np.clip(scaled, wish.get("clip_min"), wish.get("clip_max")) if has_clip(wish) else scaled


def has_clip(wish):
    return wish.get("clip_min") is not None or wish.get("clip_max") is not None


def size_after(shape, recipe):
    height, width = shape[:2]
    crop, resize = recipe.get("crop"), recipe.get("resize")

    def edges(start, size, length):
        if start == 0 and size == 100:
            return length
        pixel = lambda percent: 2 * int(np.floor(percent * length / 200 + 0.5))  # noqa: E731
        even = length - length % 2
        first = min(pixel(start), max(0, even - 2))
        return max(first + 2, min(pixel(start + size), even)) - first

    if crop:
        width = edges(crop["left_pct"], crop["width_pct"], width)
        height = edges(crop["top_pct"], crop["height_pct"], height)
    return (resize["height"], resize["width"]) if resize else (height, width)


def check_rows(entry, info, source_info):
    ours, theirs = rows.read(Path(entry["folder"])), rows.read(Path(entry["source"]))
    recipe = entry["recipe"]
    kept = select(recipe, len(theirs))
    assert len(ours) == len(kept), f"{len(ours)} episodes instead of {len(kept)}"
    start = 0
    for mine, number in zip(ours, kept):
        other = theirs[number]
        assert mine["length"] == other["length"]
        rows.assert_equal(mine["index"], np.arange(start, start + mine["length"]), "index")
        start += mine["length"]
        for name, values in other["columns"].items():
            if source_info["features"][name]["dtype"] == "image":
                continue
            if name == "action" and recipe.get("action"):
                wanted = change_action(values, recipe["action"])
                assert np.allclose(mine["columns"][name], wanted, atol=1e-5, rtol=1e-5), f"action of episode {number}"
            else:
                rows.assert_equal(mine["columns"][name], values, f"{name} of episode {number}")
        tasks = entry.get("tasks", {}).get(str(number))
        assert mine["tasks"] == ([tasks] * mine["length"] if tasks else other["tasks"]), f"tasks of episode {number}"
    return kept


def check_pictures(entry, info, source_info, kept):
    all_cameras = [key for key, feature in source_info["features"].items() if feature["dtype"] in ("video", "image")]
    wanted = entry["recipe"].get("camera_keys") or all_cameras
    cameras = [key for key, feature in info["features"].items() if feature["dtype"] in ("video", "image")]
    assert cameras == [key for key in all_cameras if key in wanted], cameras
    for key in cameras:
        size = size_after(source_info["features"][key]["shape"], entry["recipe"])
        assert tuple(info["features"][key]["shape"][:2]) == size, f"{key}: {info['features'][key]['shape']} not {size}"
    dataset = open_dataset(entry["folder"])
    for i in range(len(dataset)):
        item = dataset[i]
        assert isinstance(item["task"], str)
        for key in cameras:
            picture = np.moveaxis(np.asarray(item[key]), 0, -1)
            assert picture.shape[:2] == tuple(info["features"][key]["shape"][:2])
            is_same = info["features"][key]["shape"] == source_info["features"][key]["shape"]
            if entry["bar_codes"] and is_same and not entry["recipe"].get("crop"):
                numbers = (read(picture * 255, 0), read(picture * 255, 1) >> 8)
                assert numbers == (int(item["frame_index"]), kept[int(item["episode_index"])]), f"{key}: {numbers}"
    return len(dataset)


def check_tools(entry, info, folder):
    from lerobot.datasets.dataset_tools import delete_episodes

    has_matrix = any(len(f["shape"]) > 1 and f["dtype"] not in ("video", "image") for f in info["features"].values())
    if info["total_episodes"] < 2 or has_matrix:
        return
    target = Path(folder) / entry["name"]
    delete_episodes(open_dataset(entry["folder"]), [0], output_dir=target, repo_id="nmp/deleted")
    left = open_dataset(target)
    assert left.meta.total_episodes == info["total_episodes"] - 1
    assert isinstance(left[len(left) - 1]["task"], str)


def train_one_step(entry):
    """One step of ACT with lerobot's own factories, as its training script makes them."""
    import torch
    from lerobot.configs.types import FeatureType
    from lerobot.policies.act.configuration_act import ACTConfig
    from lerobot.policies.act.modeling_act import ACTPolicy
    from lerobot.policies.factory import make_pre_post_processors
    from lerobot.utils.feature_utils import dataset_to_policy_features

    plain = open_dataset(entry["folder"])
    features = dataset_to_policy_features(plain.meta.features)
    outputs = {key: feature for key, feature in features.items() if feature.type is FeatureType.ACTION}
    inputs = {key: feature for key, feature in features.items() if key not in outputs}
    config = ACTConfig(
        input_features=inputs, output_features=outputs, chunk_size=8, n_action_steps=8, dim_model=64, n_heads=2,
        dim_feedforward=64, n_encoder_layers=1, pretrained_backbone_weights=None, device="cpu",
    )  # fmt: skip
    fps = plain.meta.fps
    dataset = open_dataset(entry["folder"], delta_timestamps={"action": [step / fps for step in range(8)]})
    policy = ACTPolicy(config)
    prepare, _ = make_pre_post_processors(config, dataset_stats=dataset.meta.stats)
    loader = torch.utils.data.DataLoader(dataset, batch_size=4, shuffle=True)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-4)
    loss, _ = policy.forward(prepare(next(iter(loader))))
    loss.backward()
    optimizer.step()
    assert torch.isfinite(loss), loss
    return float(loss.detach())


def main():
    warnings.filterwarnings("ignore")
    entries = [json.loads(line) for line in Path(sys.argv[1]).read_text().splitlines()]
    tools = sys.argv[sys.argv.index("--tools") + 1] if "--tools" in sys.argv else None
    failures = 0
    trained = set()
    for entry in entries:
        try:
            root = Path(entry["folder"])
            info, source_info = schema.read_info(root), schema.read_info(Path(entry["source"]))
            schema.check(root, info)
            statistics_check.check(root, info)
            kept = check_rows(entry, info, source_info)
            frames = check_pictures(entry, info, source_info, kept)
            if tools:
                check_tools(entry, info, tools)
            done = f"{frames} frames"
            kind = entry["name"].split("/")[0]
            if "--train" in sys.argv and kind not in trained and "action" in info["features"] and entry["recipe"].get("resize"):
                trained.add(kind)
                done += f", one ACT step with loss {train_one_step(entry):.2f}"
            print(f"ok {entry['name']}: {done}", flush=True)
        except Exception as error:
            failures += 1
            print(f"FAILED {entry['name']}: {type(error).__name__}: {error}", flush=True)
    sys.exit(1 if failures else 0)


main()
