"""What people do next with an export: lerobot's own editing tools, and a step of training."""

import shutil
import subprocess
import sys
from pathlib import Path

import torch
from export_pictures import is_depth, list_cameras, open_dataset
from lerobot.configs.types import FeatureType
from lerobot.datasets.dataset_tools import delete_episodes
from lerobot.policies.act.configuration_act import ACTConfig
from lerobot.policies.act.modeling_act import ACTPolicy
from lerobot.policies.factory import make_pre_post_processors
from lerobot.utils.feature_utils import dataset_to_policy_features


def can_edit(info):
    """lerobot's tools fail on features of two dimensions, on its own recordings too, and cannot empty a dataset."""
    has_matrix = any(len(f["shape"]) > 1 and f["dtype"] not in ("video", "image") for f in info["features"].values())
    return info["total_episodes"] >= 2 and not has_matrix


def check_editing(entry, info, folder, command):
    target = Path(folder) / entry["name"]
    if command:
        tool = Path(sys.executable).parent / "lerobot-edit-dataset"
        words = ["--repo_id", "nmp/check", "--root", entry["folder"], "--new_repo_id", "nmp/deleted", "--new_root", str(target)]
        words += ["--operation.type", "delete_episodes", "--operation.episode_indices", "[0]"]
        ran = subprocess.run([str(tool), *words], capture_output=True, text=True)
        if ran.returncode < 0:
            print(f"lerobot-edit-dataset was ended by signal {-ran.returncode}, and is tried once more", flush=True)
            shutil.rmtree(target, ignore_errors=True)
            ran = subprocess.run([str(tool), *words], capture_output=True, text=True)
        assert ran.returncode == 0, f"lerobot-edit-dataset ended with {ran.returncode}: {ran.stderr[-500:]}"
    else:
        delete_episodes(open_dataset(entry["folder"]), [0], output_dir=target, repo_id="nmp/deleted")
    left = open_dataset(target)
    assert left.meta.total_episodes == info["total_episodes"] - 1
    for position in (0, len(left) - 1):
        assert isinstance(left[position]["task"], str)


def can_train(info):
    """ACT wants actions and at least one camera in colour."""
    return "action" in info["features"] and any(not is_depth(info, key) for key in list_cameras(info))


def train_one_step(entry, info):
    """One step of ACT with lerobot's own factories, as its training script makes them. Its backbone takes colours only."""
    plain = open_dataset(entry["folder"])
    features = dataset_to_policy_features(plain.meta.features)
    depths = {key for key in list_cameras(info) if is_depth(info, key)}
    outputs = {key: feature for key, feature in features.items() if feature.type is FeatureType.ACTION}
    inputs = {key: feature for key, feature in features.items() if key not in outputs and key not in depths}
    config = ACTConfig(
        input_features=inputs, output_features=outputs, chunk_size=8, n_action_steps=8, dim_model=64, n_heads=2,
        dim_feedforward=64, n_encoder_layers=1, pretrained_backbone_weights=None, device="cpu",
    )  # fmt: skip
    dataset = open_dataset(entry["folder"], delta_timestamps={"action": [step / info["fps"] for step in range(8)]})
    policy = ACTPolicy(config)
    prepare, _ = make_pre_post_processors(config, dataset_stats=dataset.meta.stats)
    loader = torch.utils.data.DataLoader(dataset, batch_size=4, shuffle=True)
    optimizer = torch.optim.Adam(policy.parameters(), lr=1e-4)
    loss, _ = policy.forward(prepare(next(iter(loader))))
    loss.backward()
    optimizer.step()
    assert torch.isfinite(loss), loss
    return float(loss.detach())
