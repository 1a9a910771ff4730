"""stats.json against numpy on the written rows."""

import json

import numpy as np

import rows

QUANTILES = {"q01": 0.01, "q10": 0.1, "q50": 0.5, "q90": 0.9, "q99": 0.99}


def check(root, info):
    stats = json.loads((root / "meta/stats.json").read_text())
    episodes = rows.read(root)
    for name, feature in info["features"].items():
        if feature["dtype"] in ("string", "language"):
            continue
        found = {key: np.asarray(value, dtype=np.float64) for key, value in stats[name].items()}
        if feature["dtype"] in ("video", "image"):
            shape = (feature["shape"][2], 1, 1)
            assert all(value.shape == shape for key, value in found.items() if key != "count"), f"{name}: shape"
            assert np.all(found["min"] <= found["mean"]) and np.all(found["mean"] <= found["max"]), name
            continue
        if name in rows.BOOKKEEPING:
            continue
        values = np.concatenate([np.asarray(e["columns"][name], dtype=np.float64) for e in episodes])
        values = values.reshape(-1, values.shape[-1]) if values.ndim > 1 else values[:, None]
        span = np.ptp(values, axis=0) + 1e-9
        for key, wanted in (("min", values.min(0)), ("max", values.max(0)), ("mean", values.mean(0)), ("std", values.std(0))):
            assert np.all(np.abs(found[key] - wanted) <= 1e-6 * (span + 1)), f"{name} {key}: {found[key]} not {wanted}"
        for key, q in QUANTILES.items():
            low = np.quantile(values, max(0, q - 0.005), axis=0)
            high = np.quantile(values, min(1, q + 0.005), axis=0)
            assert np.all(found[key] >= low - 1e-3 * span) and np.all(found[key] <= high + 1e-3 * span), f"{name} {key}"
