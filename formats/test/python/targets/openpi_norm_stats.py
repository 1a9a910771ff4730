"""norm_stats.json against numpy over the same chunks, stacked one by one."""

import json
from pathlib import Path

import numpy as np

TOLERANCE = 1e-6


def check(truth, folder, settings):
    horizon = settings.get("horizon", 50)
    found = json.loads((Path(folder) / "norm_stats.json").read_text())["norm_stats"]
    stacked = stack(truth, horizon, settings.get("delta_mask", []))
    for key, values in stacked:
        expected = {
            "mean": values.mean(axis=0),
            "std": values.std(axis=0),
            "q01": np.quantile(values, 0.01, axis=0),
            "q99": np.quantile(values, 0.99, axis=0),
        }
        assert set(found[key]) == set(expected), sorted(found[key])
        for name, wanted in expected.items():
            np.testing.assert_allclose(found[key][name], wanted, rtol=TOLERANCE, atol=TOLERANCE, err_msg=f"{key} {name}")
    return f"{len(truth.rows)} chunks of {horizon}"


def stack(truth, horizon, mask):
    """Every state, and every action of every chunk."""
    states, chunks = [], []
    for episode in range(len(truth.episodes)):
        action = truth.column(episode, "action").astype(np.float64)
        state = truth.column(episode, "observation.state").astype(np.float64)
        states.append(state)
        for frame in range(len(action)):
            steps = np.minimum(np.arange(frame, frame + horizon), len(action) - 1)
            chunk = action[steps]
            dimensions = len(mask)
            chunk[:, :dimensions] -= np.where(mask, state[frame, :dimensions], 0)
            chunks.append(chunk)
    return ("state", np.concatenate(states)), ("actions", np.concatenate(chunks))
