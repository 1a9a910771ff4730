"""The steps of a recipe against numpy and pandas: steps_check.py NODE. Random episodes, windows, crops; seed 1."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd

ENTRY = Path(__file__).resolve().parents[1] / "steps-entry.ts"
random = np.random.default_rng(1)


def smooth(values, window, mode):
    if mode != "gaussian":
        return getattr(pd.DataFrame(values).rolling(window, center=True, min_periods=1), mode)().to_numpy()
    smoothed = np.empty_like(values)
    for t in range(len(values)):
        near = np.arange(max(0, t - window // 2), min(len(values), t + window // 2 + 1))
        weights = np.exp(-0.5 * ((near - t) / (window / 6)) ** 2)
        smoothed[t] = (weights[:, None] * values[near]).sum(0) / weights.sum()
    return smoothed


def make_action():
    width = int(random.integers(1, 9))
    values = random.normal(size=(int(random.integers(1, 200)), width))
    wish = {
        "smoothingWindow": int(2 * random.integers(0, 51) + 1),
        "smoothingMode": str(random.choice(["mean", "median", "gaussian"])),
        "scale": float(random.normal()),
        "clipMin": float(-random.random()),
        "clipMax": float(random.random()),
    }
    expected = np.clip(smooth(values, wish["smoothingWindow"], wish["smoothingMode"]) * wish["scale"], wish["clipMin"], wish["clipMax"])
    return {"action": wish, "values": values.ravel().tolist(), "width": width}, expected.ravel()


def make_crop():
    size = random.integers(16, 2000, size=2)
    edges = np.sort(random.uniform(0, 100, size=(2, 2)), axis=1)
    starts, lengths = edges[:, 0], np.maximum(edges[:, 1] - edges[:, 0], 0.01)
    starts = np.minimum(starts, 100 - lengths)
    even = size - size % 2
    first = np.minimum(2 * np.floor(starts * size / 200 + 0.5), np.maximum(0, even - 2))
    last = np.maximum(first + 2, np.minimum(2 * np.floor((starts + lengths) * size / 200 + 0.5), even))
    crop = {"left": starts[0], "top": starts[1], "width": lengths[0], "height": lengths[1]}
    expected = {"left": first[0], "top": first[1], "width": last[0] - first[0], "height": last[1] - first[1]}
    return {"crop": crop, "size": {"width": int(size[0]), "height": int(size[1])}}, expected


def main():
    cases = [make_action() if index % 2 else make_crop() for index in range(2000)]
    text = "\n".join(json.dumps(request) for request, _ in cases)
    answer = subprocess.run([sys.argv[1], str(ENTRY)], input=text, capture_output=True, text=True, check=True)
    lines = answer.stdout.splitlines()
    assert len(lines) == len(cases), answer.stderr
    for line, (request, expected) in zip(lines, cases):
        found = json.loads(line)
        if "crop" in request:
            assert found is None or found == expected, (request, found, expected)
        else:
            assert np.allclose(found, expected, rtol=1e-9, atol=1e-9), request["action"]
    print(f"ok steps: {len(cases)} cases against numpy and pandas")


main()
