"""Small HDF5 files, one layout or oddity each, for formats/test/hdf5-golden.test.ts.

Run: python generate.py (h5py, hdf5plugin, numpy, pillow, av). Every case is a folder: source/ holds the files, expected.json
what must come out: either {"refusal": code} or layout, fps, the episodes (id, length, task), cameras, columns with the first
and last row of each episode's action and state, and the findings as {rule: count}.
"""

import json
import pathlib
import shutil

import h5py
import numpy as np

import families
import hazards
from families import Episode

FOLDER = pathlib.Path(__file__).parent


def summarise(episodes):
    return [
        {"id": e.id, "length": len(e.action), "task": e.task, "success": e.success,
         "action": ends(e.action), "state": ends(e.state) if e.state is not None else None}
        for e in episodes
    ]  # fmt: skip


def ends(values):
    """First and last row as float32, which is what a feature holds."""
    values = np.asarray(values, np.float64).astype(np.float32)
    return [values[0].tolist(), values[-1].tolist()]


def main():
    for module in (families, hazards):
        for name, make in module.CASES.items():
            folder = FOLDER / name
            shutil.rmtree(folder, ignore_errors=True)
            (folder / "source").mkdir(parents=True)
            result = make(folder / "source")
            if "episodes" in result:
                assert all(isinstance(e, Episode) for e in result["episodes"])
                result["episodes"] = summarise(result["episodes"])
            (folder / "expected.json").write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    h5py.get_config().track_order = False
    main()
