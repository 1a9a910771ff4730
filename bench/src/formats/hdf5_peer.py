"""The Python halves of the HDF5 bench: hdf5_peer.py make|vectors|read|convert."""

import os
import sys

import numpy as np


def make(folder, episodes, length, width, height):
    """A robomimic file of contiguous pictures, and the same frames in a file that holds nothing else."""
    import h5py

    rng = np.random.default_rng(0)
    noise = rng.integers(0, 24, (8, height, width, 3), dtype=np.uint8)
    y, x = np.mgrid[0:height, 0:width]
    with h5py.File(f"{folder}/demo.hdf5", "w") as f, open(f"{folder}/frames.raw", "wb") as raw:
        f.create_group("data").attrs["env_args"] = '{"env_kwargs": {"control_freq": 20}}'
        for episode in range(episodes):
            demo = f.create_group(f"data/demo_{episode}")
            pictures = demo.create_dataset("obs/agentview_image", (length, height, width, 3), "u1")
            for frame in range(length):
                scene = np.stack([(x + 3 * frame) % 200, (y + 2 * frame) % 200, (x + y + frame) % 200], axis=-1)
                pictures[frame] = scene.astype(np.uint8) + noise[frame % 8]
                if os.environ.get("RAW", "1") == "1":
                    raw.write(pictures[frame].tobytes())
            demo["obs/robot0_eef_pos"] = rng.normal(size=(length, 3))
            demo["actions"] = rng.normal(size=(length, 7))
        f["vectors"] = rng.normal(size=(2_000_000 if episodes <= 8 else 1000, 14)).astype(np.float32)
        f.create_dataset("packed", data=rng.normal(size=(400_000, 14)).astype(np.float32), chunks=(4096, 14), compression="gzip")


def vectors(path, episodes, length):
    """A robomimic file without cameras: 14 joints, as arms with two hands have them."""
    import h5py

    rng = np.random.default_rng(0)
    with h5py.File(path, "w") as f:
        f.create_group("data").attrs["env_args"] = '{"env_kwargs": {"control_freq": 20}}'
        for episode in range(episodes):
            steps = rng.normal(size=(length, 28)).cumsum(axis=0) * 0.01
            f[f"data/demo_{episode}/obs/robot0_joint_pos"] = steps[:, :14]
            f[f"data/demo_{episode}/actions"] = steps[:, 14:]


def read(path, *names):
    import h5py

    total = 0
    with h5py.File(path) as f:
        for name in names:
            data = f[name]
            step = max(1, 32 * 1024 * 1024 // (data.dtype.itemsize * int(np.prod(data.shape[1:]))))
            for start in range(0, len(data), step):
                total += data[start : start + step].nbytes
    print(total)


def convert(path, target):
    """What people write: a frame at a time into LeRobotDataset."""
    import h5py
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    with h5py.File(path) as f:
        demos = sorted(f["data"], key=lambda name: int(name.split("_")[1]))
        height, width = f["data"][demos[0]]["obs/agentview_image"].shape[1:3]
        features = {
            "observation.state": {"dtype": "float32", "shape": (3,), "names": None},
            "action": {"dtype": "float32", "shape": (7,), "names": None},
            "observation.images.agentview": {"dtype": "video", "shape": (height, width, 3), "names": ["height", "width", "channels"]},
        }
        dataset = LeRobotDataset.create("bench/peer", 20, features=features, root=target)
        for name in demos:
            demo = f["data"][name]
            for frame in range(len(demo["actions"])):
                dataset.add_frame({
                    "observation.state": demo["obs/robot0_eef_pos"][frame].astype(np.float32),
                    "action": demo["actions"][frame].astype(np.float32),
                    "observation.images.agentview": demo["obs/agentview_image"][frame],
                    "task": "bench",
                })  # fmt: skip
            dataset.save_episode()
        dataset.finalize()


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command in ("make", "vectors"):
        {"make": make, "vectors": vectors}[command](arguments[0], *map(int, arguments[1:]))
    else:
        {"read": read, "convert": convert}[command](*arguments)
