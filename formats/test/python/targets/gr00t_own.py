"""GR00T's own LeRobotEpisodeLoader and statistics, as they are: every frame of every episode, and steps as its training takes them."""

import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import gr00t
import numpy as np
from gr00t.data.dataset.lerobot_episode_loader import LeRobotEpisodeLoader
from gr00t.data.dataset.sharded_single_step_dataset import ShardedSingleStepDataset, extract_step_data
from gr00t.data.embodiment_tags import EmbodimentTag
from gr00t.data.stats import calculate_dataset_statistics, check_stats_validity, generate_stats
from gr00t.data.types import ModalityConfig
from pictures import compare, is_grey

LANGUAGE = "annotation.human.task_description"
HORIZON = 8
# Its checks of the layout; they look at demo_data/ beside them, and demand a camera.
TESTS = ("test_data_preparation.py", "test_demo_dataset_stats.py")


def check(truth, folder, settings):
    folder = Path(folder)
    modality = json.loads((folder / "meta/modality.json").read_text())
    cameras = {name: key for key, name in ((key, entry["original_key"]) for key, entry in modality["video"].items())}
    colour = [name for name in truth.cameras if not is_grey(truth, name)]
    assert sorted(cameras) == sorted(colour), cameras
    config = {
        "state": ModalityConfig(delta_indices=[0], modality_keys=list(modality["state"])),
        "action": ModalityConfig(delta_indices=list(range(HORIZON)), modality_keys=list(modality["action"])),
        "language": ModalityConfig(delta_indices=[0], modality_keys=[LANGUAGE]),
    }
    if cameras:
        config["video"] = ModalityConfig(delta_indices=[0], modality_keys=list(modality["video"]))
    loader = LeRobotEpisodeLoader(folder, config)
    assert loader.episode_lengths == [row["length"] for row in truth.episodes]
    for episode in range(len(truth.episodes)):
        check_episode(truth, episode, loader[episode], modality, cameras)
    check_statistics(truth, folder, loader, modality)
    steps = check_steps(truth, folder, loader, config)
    tested = f", {run_tests(folder)} of its own tests" if cameras else ""
    return f"{len(truth.rows)} frames of {len(cameras)} cameras, {steps} steps of {HORIZON} actions{tested}"


def check_episode(truth, episode, frames, modality, cameras):
    assert list(frames[f"language.{LANGUAGE}"]) == truth.frame_tasks(episode)
    for part, column in (("state", "observation.state"), ("action", "action")):
        wanted = truth.column(episode, column)
        found = [np.stack(list(frames[f"{part}.{key}"])) for key in modality[part]]
        np.testing.assert_array_equal(np.concatenate(found, axis=1), wanted.reshape(len(wanted), -1), f"{part} {episode}")
    for name, key in cameras.items():
        shown = list(frames[f"video.{key}"])
        for frame, wanted in enumerate(truth.pictures(episode, name)):
            compare(shown[frame], wanted, False, f"{name} {episode}/{frame}")
        assert len(shown) == frame + 1


def check_statistics(truth, folder, loader, modality):
    """They are taken as they are, and are those that it would have counted."""
    floats = [name for name, one in loader.feature_config.items() if "float" in one["dtype"]]
    assert check_stats_validity(folder, floats), "its fingerprints do not fit"
    path = folder / "meta/stats.json"
    ours = path.read_bytes()
    generate_stats(folder)
    assert path.read_bytes() == ours, "it counted again"
    # It cannot count matrices itself, and takes ours of them.
    counted = [name for name in floats if len(loader.feature_config[name]["shape"]) == 1]
    known = json.loads(ours)
    for name, values in calculate_dataset_statistics(list(folder.glob("data/*/*.parquet")), counted).items():
        for kind, wanted in values.items():
            # It counts in float32.
            np.testing.assert_allclose(known[name][kind], wanted, rtol=1e-4, atol=1e-4, err_msg=f"{name} {kind}")
    used = loader.get_dataset_statistics()
    for part, column in (("state", "observation.state"), ("action", "action")):
        found = np.concatenate([used[part][key]["q99"] for key in modality[part]])
        np.testing.assert_array_equal(found, known[column]["q99"])


def check_steps(truth, folder, loader, config):
    """A step is what a model is trained on: one picture of each camera, one state, a chunk of actions, a text."""
    tag = EmbodimentTag.NEW_EMBODIMENT
    dataset = ShardedSingleStepDataset(folder, tag, config, shard_size=64, episode_sampling_rate=1.0)
    wanted = sum(max(0, row["length"] - HORIZON + 1) for row in truth.episodes)
    assert sum(dataset.get_shard_length(shard) for shard in range(len(dataset))) == wanted
    frames = loader[0]
    for at in (0, max(0, len(frames) - HORIZON)):
        step = extract_step_data(frames, at, config, tag, allow_padding=True)
        chunk = np.concatenate(list(step.actions.values()), axis=1)
        action = truth.column(0, "action").reshape(len(frames), -1)
        rows = np.minimum(np.arange(at, at + HORIZON), len(frames) - 1)
        np.testing.assert_array_equal(chunk, action[rows].astype(np.float32))
        assert step.text == truth.frame_tasks(0)[at]
    return wanted


def run_tests(folder):
    """Its tests of the layout, copied as they are to where their own demo_data would lie."""
    tests = Path(gr00t.__file__).parents[1] / "tests/gr00t/data"
    with tempfile.TemporaryDirectory() as work:
        place = Path(work) / "tests/gr00t/data"
        place.mkdir(parents=True)
        for name in TESTS:
            shutil.copy(tests / name, place / name)
        (Path(work) / "demo_data").mkdir()
        (Path(work) / "demo_data/nmp").symlink_to(folder)
        words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", work, str(place)]
        run = subprocess.run(words, capture_output=True, text=True)
        assert run.returncode == 0, run.stdout[-2000:]
        summary = run.stdout.strip().splitlines()[-1]
        assert "skipped" not in summary, summary
    return int(summary.split(" passed")[0])
