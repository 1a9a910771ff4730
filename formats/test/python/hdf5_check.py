"""HDF5 sources against what nmp-formats made of them: hdf5_check.py SETS.tsv.

SETS.tsv has a line per set: name, source (file or folder), written folder. Every frame of every set is read through lerobot's
own loader; action and state are compared, number by number, with what h5py reads from the source.
"""

import logging
import sys
import warnings
from pathlib import Path

import datasets
import h5py
import numpy as np

import rows
import schema
import statistics_check
from lerobot.datasets.lerobot_dataset import LeRobotDataset

# What holds action and state: paths inside the episode's group, joined; the rows before the first that counts, of each.
XPOLICYLAB = ["left_arm_joint_states", "left_ee_joint_states", "right_arm_joint_states", "right_ee_joint_states"]
FAMILIES = {
    "robomimic": (["actions"], ["obs/robot0_eef_pos", "obs/robot0_eef_quat", "obs/robot0_gripper_qpos"], 0, 0),
    "libero": (["actions"], ["obs/ee_states", "obs/gripper_states"], 0, 0),
    "isaac": (["actions"], ["obs/joint_pos", "obs/robot0_joint_pos", "obs/eef_pos", "obs/robot0_eef_pos", "obs/eef_quat", "obs/gripper_pos"], 0, 0),
    "aloha": (["action"], ["observations/qpos"], 0, 0),
    "ph2d": (["action"], ["observation.state"], 0, 0),
    "robomind": (["master/joint_position"], ["puppet/joint_position"], 0, 0),
    "minari": (["actions"], ["observations", "observations/state"], 0, 0),
    "maniskill": (["actions"], ["obs/agent/qpos", "obs"], 0, 0),
    "droid": (["action/joint_position", "action/gripper_position"], ["observation/robot_state/joint_positions", "observation/robot_state/gripper_position"], 2, 2),
    "agilex": (["arm/jointStatePosition/masterLeft"], ["arm/jointStatePosition/puppetLeft"], 0, 0),
    "roboset": (["data/ctrl_arm", "data/ctrl_ee"], ["data/qp_arm", "data/qp_ee"], 0, 0),
    "robonet": (["policy/actions"], ["env/state"], 0, 0),
    "generic": (["cmd_vel"], ["arm_q"], 0, 0),
    "robotwin_x": ([f"action/{part}" for part in XPOLICYLAB], [f"state/{part}" for part in XPOLICYLAB], 0, 0),
    "robotwin": (["joint_action/vector"], ["joint_action/vector"], 1, 0),
    "d4rl": (["actions"], ["observations"], 0, 0),
}
PREFIXES = {"act_": "aloha", "actpp": "aloha", "mobile_aloha": "aloha", "robosuite": "robomimic", "isaaclab": "isaac"}


def find_family(name):
    for prefix, family in [*PREFIXES.items(), *((family, family) for family in FAMILIES)]:
        if name.startswith(prefix):
            return FAMILIES[family]
    return None


def list_episodes(source):
    """(file, group) of every episode, in the order of their numbers."""
    files = [source] if source.is_file() else [path for path in source.rglob("*") if path.suffix in (".h5", ".hdf5")]
    for path in sorted(files, key=number_key):
        with h5py.File(path) as f:
            parent = "data" if "data" in f and isinstance(f["data"], h5py.Group) else "/"
            groups = [k for k in f[parent] if k.rstrip("0123456789").rstrip("_") in ("demo", "traj", "episode", "Trial")]
            for group in sorted(groups, key=number_key) or [""]:
                yield path, f"{parent}/{group}" if group else "/"


def number_key(text):
    parts, digits = [], ""
    for character in str(text) + " ":
        if character.isdigit():
            digits += character
        else:
            parts += [int(digits)] if digits else []
            parts += [character] if not parts or not isinstance(parts[-1], str) else []
            if isinstance(parts[-1], str):
                parts[-1] += character
            digits = ""
    return [(0, part, "") if isinstance(part, int) else (1, 0, part) for part in parts]


def read_source(path, group, names, skip):
    with h5py.File(path) as f:
        arrays = [f[group][name][skip:] for name in names if name in f[group] and isinstance(f[group][name], h5py.Dataset)]
    if not arrays:
        return None
    length = min(map(len, arrays))
    return np.concatenate([array[:length].reshape(length, -1) for array in arrays], axis=1).astype(np.float32)


def join_episodes(episodes):
    """D4RL keeps all episodes in one array."""
    columns = {name: np.concatenate([e["columns"][name] for e in episodes]) for name in ("action", "observation.state")}
    return {"length": sum(e["length"] for e in episodes), "columns": columns}


def check_set(name, source, written):
    info = schema.read_info(written)
    schema.check(written, info)
    statistics_check.check(written, info)
    family = find_family(name)
    compared = 0
    ours = rows.read(written)
    if family:
        actions, states, action_skip, state_skip = family
        episodes = [join_episodes(ours)] if name.startswith("d4rl") else ours
        for mine, (path, group) in zip(episodes, list_episodes(source), strict=True):
            for feature, names, skip in (("action", actions, action_skip), ("observation.state", states, state_skip)):
                theirs = read_source(path, group, names, skip)
                if theirs is None or feature not in info["features"]:
                    continue
                values = np.asarray(mine["columns"][feature]).reshape(mine["length"], -1)
                assert np.array_equal(values, theirs[: mine["length"]]), f"{feature} of {path.name}{group} differs"
                compared += values.size
    dataset = LeRobotDataset("nmp/check", root=written, video_backend="pyav")
    cameras = [key for key, feature in info["features"].items() if feature["dtype"] == "video"]
    for i in range(len(dataset)):
        item = dataset[i]
        for key in cameras:
            assert item[key].shape[1:] == tuple(info["features"][key]["shape"][:2]), key
    assert len(dataset) == sum(mine["length"] for mine in ours)
    print(f"ok {name}: {len(dataset)} frames, {compared} numbers as in h5py", flush=True)


def main():
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    datasets.disable_progress_bars()
    failures = 0
    for line in Path(sys.argv[1]).read_text().splitlines():
        name, source, written = line.split("\t")
        try:
            check_set(name, Path(source), Path(written))
        except Exception as error:
            failures += 1
            print(f"FAILED {name}: {type(error).__name__}: {error}", flush=True)
    sys.exit(1 if failures else 0)


main()
