"""A robomimic file: every step of every demo through robomimic's own SequenceDataset, and what h5py alone shows beside it."""

import json
from pathlib import Path

import h5py
import numpy as np
import robomimic.utils.obs_utils as obs_utils
from distances import read_distances
from pictures import compare, is_grey
from robomimic.utils.dataset import SequenceDataset


def check(truth, folder, settings):
    path = str(Path(folder) / "demo.hdf5")
    with h5py.File(path, "r") as file:
        arrays = {entry["name"]: key for key, entry in json.loads(file["data"].attrs["lerobot_features"]).items()}
        check_tree(truth, file, settings)
    colour = [name for name in truth.cameras if not is_grey(truth, name)]
    depth = [name for name in truth.cameras if is_grey(truth, name)]
    low = [name for name in truth.numbers if arrays[name].startswith("obs/")]
    keys = {name: arrays[name].removeprefix("obs/") for name in [*colour, *depth, *low]}
    obs_utils.initialize_obs_utils_with_obs_specs(
        {"obs": {"low_dim": [keys[one] for one in low], "rgb": [keys[one] for one in colour], "depth": [keys[one] for one in depth]}}
    )
    beside = {name: arrays[name] for name in truth.numbers if not arrays[name].startswith("obs/")}
    has_next = settings.get("next_obs", True)
    dataset = SequenceDataset(
        path,
        obs_keys=tuple(keys.values()),
        dataset_keys=tuple({*beside.values(), "actions", "rewards", "dones"}),
        load_next_obs=has_next,
    )
    assert len(dataset) == len(truth.rows), len(dataset)
    index = 0
    for episode in range(len(truth.episodes)):
        length = truth.episodes[episode]["length"]
        columns = {name: truth.column(episode, name) for name in truth.numbers}
        pictures = {name: list(truth.pictures(episode, name)) for name in colour}
        ranges = {name: list(read_distances(truth, episode, name)) for name in depth}
        for frame in range(length):
            item = dataset[index]
            for group, at in (("obs", frame), ("next_obs", min(frame + 1, length - 1))):
                if group == "next_obs" and not has_next:
                    continue
                where = f"{group} {episode}/{frame}"
                for name in low:
                    np.testing.assert_array_equal(item[group][keys[name]][0], columns[name][at], f"{name} {where}")
                for name in colour:
                    compare(item[group][keys[name]][0], pictures[name][at], True, f"{name} {where}")
                for name in depth:
                    found = item[group][keys[name]][0, :, :, 0]
                    np.testing.assert_allclose(found, ranges[name][at], atol=1e-6, err_msg=f"{name} {where}")
            for name, key in beside.items():
                np.testing.assert_array_equal(np.ravel(item[key][0]), np.ravel(columns[name][frame]), f"{name} {where}")
            if "next.done" not in beside:
                assert int(np.ravel(item["dones"][0])[0]) == int(frame == length - 1)
            index += 1
    return f"{index} steps of {len(dataset.demos)} demos, {len(truth.cameras)} cameras"


def check_tree(truth, file, settings):
    data = file["data"]
    assert json.loads(data.attrs["env_args"])["env_kwargs"]["control_freq"] == truth.fps
    assert data["demo_0/actions"].shape[1:] == tuple(truth.info["features"]["action"]["shape"])
    assert data.attrs["total"] == len(truth.rows)
    assert sorted(data, key=lambda name: int(name[5:])) == [f"demo_{at}" for at in range(len(truth.episodes))]
    for at, row in enumerate(truth.episodes):
        demo = data[f"demo_{at}"]
        assert demo.attrs["num_samples"] == row["length"] == len(demo["actions"])
        assert json.loads(demo.attrs["ep_meta"])["lang"] == truth.frame_tasks(at)[0]
        assert ("next_obs" in demo) == settings.get("next_obs", True) or not len(demo["obs"])
    masks = {name: [text.decode() for text in mask[:]] for name, mask in file["mask"].items()}
    assert all(set(demos) <= set(data) for demos in masks.values()), masks
    if settings.get("valid_percent"):
        assert not set(masks["train"]) & set(masks["valid"]) and len(masks["train"]) + len(masks["valid"]) == len(data)
