"""Records small datasets with the stock lerobot of this interpreter: record.py OUT VERSION [SET...]. Each camera frame carries its numbers.

Every set gets OUT/<name>/ (the dataset) and OUT/<name>.truth.npz (what was recorded, per feature and episode).
"""

import inspect
import sys
from pathlib import Path

import numpy as np
from lerobot.datasets.lerobot_dataset import LeRobotDataset

from barcode import draw, draw_depth

FPS = 20
LENGTHS = [17, 30, 9]
TASKS = ["pick the cube", "place the cube", "pick the cube"]
HAS_TASK_ARGUMENT = "task" in inspect.signature(LeRobotDataset.add_frame).parameters
NAMES = ["height", "width", "channels"]


def column(dtype, shape, names=None):
    return {"dtype": dtype, "shape": shape, "names": names}


JOINTS = [f"joint_{i}" for i in range(6)]
VIDEO = {
    "observation.state": column("float32", (6,), JOINTS),
    "action": column("float32", (6,), JOINTS),
    "next.reward": column("float32", (1,)),
    "next.done": column("bool", (1,)),
    "observation.images.front": column("video", (96, 128, 3), NAMES),
    "observation.images.wrist": column("video", (72, 96, 3), NAMES),
}
IMAGE = {
    "observation.state": column("float64", (3,)),
    "action": column("float32", (2,)),
    "observation.counts": column("int64", (4,)),
    "observation.note": column("string", (1,)),
    "observation.matrix": column("float32", (2, 3)),
    "observation.images.top": column("image", (48, 64, 3), NAMES),
}
PLAIN = {
    "observation.state": column("float32", (2,)),
    "action": column("float32", (1,)),
    "observation.small": column("int16", (2,)),
    "observation.byte": column("uint8", (1,)),
    "observation.flags": column("bool", (3,)),
}
DEPTH = {
    "observation.state": column("float32", (2,)),
    "action": column("float32", (2,)),
    "observation.images.depth": {**column("video", (64, 80, 1), NAMES), "info": {"is_depth_map": True}},
}


def make_value(feature, name, episode, frame, camera, rng):
    dtype, shape = feature["dtype"], tuple(feature["shape"])
    if dtype in ("video", "image"):
        if shape[2] == 1:
            return draw_depth(shape, episode, frame)
        return draw(shape, episode, frame, camera)
    if dtype == "string":
        return f"episode {episode}, frame {frame}: ä€"
    if dtype == "bool":
        return rng.random(shape) < 0.5
    if dtype.startswith("float"):
        return rng.normal(size=shape).astype(dtype)
    info = np.iinfo(dtype)
    return rng.integers(max(info.min, -1000), min(info.max, 1000), size=shape, dtype=dtype)


def record(root, features):
    dataset = LeRobotDataset.create("nmp/recorded", FPS, features=features, root=root, robot_type="test_arm")
    rng = np.random.default_rng(7)
    truth = {}
    cameras = [name for name, feature in features.items() if feature["dtype"] in ("video", "image")]
    for episode, (length, task) in enumerate(zip(LENGTHS, TASKS)):
        for frame in range(length):
            values = {}
            for name, feature in features.items():
                camera = cameras.index(name) if name in cameras else 0
                values[name] = make_value(feature, name, episode, frame, camera, rng)
                if name not in cameras:
                    truth.setdefault(f"{name}|{episode}", []).append(values[name])
            if HAS_TASK_ARGUMENT:
                dataset.add_frame(values, task=task)
            else:
                dataset.add_frame({**values, "task": task})
        dataset.save_episode()
    if hasattr(dataset, "finalize"):
        dataset.finalize()
    np.savez(f"{root}.truth.npz", **{key: np.stack([np.asarray(v) for v in value]) for key, value in truth.items()})


def main():
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    import lerobot

    version = lerobot.__version__ if hasattr(lerobot, "__version__") else sys.argv[2]
    sets = {"video": VIDEO, "image": IMAGE, "plain": PLAIN}
    if tuple(int(part) for part in version.split(".")[:2]) >= (0, 6):
        sets["depth"] = DEPTH
    for name, features in sets.items():
        if sys.argv[3:] and name not in sys.argv[3:]:
            continue
        record(out / name, features)
        print(f"recorded {name} with lerobot {version}", flush=True)


main()
