"""Numbers and what numpy says about them, for formats/src/statistics. Run: python make_statistics.py (numpy 2.x)."""

import json
import pathlib

import numpy as np

FOLDER = pathlib.Path(__file__).parent / "statistics"
QUANTILES = {"q01": 0.01, "q10": 0.10, "q50": 0.50, "q90": 0.90, "q99": 0.99}


def describe(values):
    """LeRobot's numbers with numpy's exact quantiles; the last axis holds the dimensions."""
    flat = np.asarray(values, dtype=np.float64)
    flat = flat.reshape(-1, flat.shape[-1])
    out = {"min": flat.min(0), "max": flat.max(0), "mean": flat.mean(0), "std": flat.std(0)}
    for name, q in QUANTILES.items():
        out[name] = np.quantile(flat, q, axis=0)
    return {key: value.tolist() for key, value in out.items()}


def sampled_frames(length):
    """lerobot's sample_indices (compute_stats.py)."""
    count = max(min(100, length), min(int(length**0.75), 10_000))
    return np.round(np.linspace(0, length - 1, count)).astype(int).tolist()


def motion(episodes):
    """Mean length of the first and second difference, every continuous dimension divided by its range."""
    rows = np.concatenate(episodes)
    used = [d for d in range(rows.shape[1]) if len(np.unique(rows[:, d])) > 8 and np.ptp(rows[:, d]) > 0]
    scale = np.ptp(rows[:, used], axis=0)
    steps = [np.linalg.norm(np.diff(e[:, used] / scale, axis=0), axis=1) for e in episodes]
    jerks = [np.linalg.norm(np.diff(e[:, used] / scale, n=2, axis=0), axis=1) for e in episodes]
    return {
        "dimensions": used,
        "motion": [float(s.mean()) if len(s) else 0.0 for s in steps],
        "variance": [float(j.mean()) if len(j) else 0.0 for j in jerks],
    }


def main():
    FOLDER.mkdir(exist_ok=True)
    rng = np.random.default_rng(7)
    cases = {}
    episodes = [rng.normal(3.0, 1e-3, (n, 3)).astype(np.float32) for n in (1, 2, 57, 400)]
    episodes.append(np.repeat(np.float32([[1, 2, 3]]), 5, axis=0))
    cases["vectors"] = {"shape": [3], "episodes": episodes}
    cases["gripper"] = {"shape": [1], "episodes": [rng.integers(0, 2, (n, 1)).astype(np.float32) for n in (30, 99)]}
    cases["array"] = {"shape": [2, 3], "episodes": [rng.normal(size=(n, 2, 3)).astype(np.float32) for n in (10, 300)]}
    cases["wide-range"] = {"shape": [2], "episodes": [(10.0 ** rng.uniform(-30, 30, (n, 2)) * rng.choice([-1, 1], (n, 2))).astype(np.float32) for n in (500, 7)]}
    for name, case in cases.items():
        out = {
            "shape": case["shape"],
            "episodes": [e.reshape(len(e), -1).astype(float).ravel().tolist() for e in case["episodes"]],
            "per_episode": [describe(e) for e in case["episodes"]],
            "whole": describe(np.concatenate(case["episodes"])),
        }
        (FOLDER / f"{name}.json").write_text(json.dumps(out))

    walk = [np.cumsum(rng.normal(size=(n, 4)), axis=0) for n in (60, 61, 1, 2, 80)]
    for episode in walk:
        episode[:, 3] = rng.integers(0, 2, len(episode))
    walk[1][20:] = walk[1][20]
    walk = [episode.astype(np.float32).astype(float) for episode in walk]
    out = {"episodes": [e.ravel().tolist() for e in walk], "width": 4, **motion(walk)}
    (FOLDER.parent / "motion.json").write_text(json.dumps(out))
    lengths = [1, 2, 5, 99, 100, 101, 107, 300, 463, 464, 465, 1000, 12345, 300000]
    (FOLDER.parent / "sampled-frames.json").write_text(json.dumps({str(n): sampled_frames(n) if n < 20000 else sampled_frames(n)[:50] for n in lengths}))


main()
