"""openpi's compute_norm_stats.py, as it is, over our LeRobot v2.1 export by the lerobot it pins; and its reader of norm_stats.json."""

import os
import tempfile
from pathlib import Path

import numpy as np

# Read when lerobot is imported: where it looks for datasets.
home = Path(os.environ.setdefault("HF_LEROBOT_HOME", tempfile.mkdtemp(prefix="nmp-openpi-")))

import compute_norm_stats  # noqa: E402
import openpi.training.config as training  # noqa: E402
import openpi_norm_stats  # noqa: E402
from openpi import transforms  # noqa: E402
from openpi.models import pi0_config  # noqa: E402
from openpi.shared import normalize  # noqa: E402

BINS = 5000


def check(truth, folder, settings):
    horizon = settings.get("horizon", 50)
    mask = settings.get("delta_mask", [])
    ours = normalize.load(folder)
    chunks = dict(openpi_norm_stats.stack(truth, horizon, mask))
    compare(ours, count(chunks), chunks, 1e-6)
    for key, values in count(chunks).items():
        np.testing.assert_allclose(ours[key].std, values.std, rtol=1e-6, atol=1e-6, err_msg=key)
    compare(ours, run_script(truth, Path(folder).parent / "lerobot-v2.1-0", horizon, mask), chunks, 1e-4)
    return f"{len(truth.rows)} chunks of {horizon}, by its script over our lerobot-v2.1"


def count(chunks):
    found = {}
    for key, values in chunks.items():
        running = normalize.RunningStats()
        running.update(values)
        found[key] = running.get_statistics()
    return found


def run_script(truth, dataset, horizon, mask):
    name = f"nmp_{os.urandom(6).hex()}"
    (home / "nmp").mkdir(parents=True, exist_ok=True)
    (home / "nmp" / name).symlink_to(dataset)
    columns = {"state": "observation.state", "actions": "action"}
    with tempfile.TemporaryDirectory() as assets:
        training._CONFIGS_DICT[name] = training.TrainConfig(
            name=name,
            exp_name=name,
            model=pi0_config.Pi0Config(action_horizon=horizon),
            data=training.SimpleDataConfig(
                repo_id=f"nmp/{name}",
                base_config=training.DataConfig(
                    repack_transforms=transforms.Group(inputs=[transforms.RepackTransform(columns)]),
                    action_sequence_keys=("action",),
                ),
                data_transforms=lambda model: transforms.Group(inputs=[transforms.DeltaActions(mask or None)]),
                # What comes after the statistics; its tokenizer would be downloaded.
                model_transforms=lambda model: transforms.Group(),
            ),
            assets_base_dir=assets,
            # All frames in one batch: its script leaves the last incomplete one out.
            batch_size=len(truth.rows),
            num_workers=0,
        )
        compute_norm_stats.main(name)
        return normalize.load(Path(assets) / name / "nmp" / name)


def compare(ours, theirs, chunks, tolerance):
    assert set(ours) == set(theirs) == {"state", "actions"}, sorted(theirs)
    for key, values in chunks.items():
        values = values.reshape(-1, values.shape[-1])
        scale = np.abs(values).max()
        np.testing.assert_allclose(ours[key].mean, theirs[key].mean, rtol=tolerance, atol=tolerance * scale, err_msg=f"{key} mean")
        # Variances: it takes the square of the mean off the mean of squares, which in the float32 of its script leaves little of a
        # small deviation about a large mean (7 % off was seen).
        one, other = ours[key].std ** 2, theirs[key].std ** 2
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance * scale**2, err_msg=f"{key} variance")
        ordered = np.sort(values, axis=0)
        bins = (ordered[-1] - ordered[0]) / BINS + tolerance * max(1, scale)
        for kind, level in (("q01", 0.01), ("q99", 0.99)):
            # Theirs is the lower edge of a bin that has the value of this rank, ours lies between that value and the next.
            rank = int(level * (len(ordered) - 1))
            low, high = ordered[max(0, rank - 1)], ordered[min(len(ordered) - 1, rank + 2)]
            for stats in (ours, theirs):
                found = getattr(stats[key], kind)
                assert np.all(found >= low - 2 * bins) and np.all(found <= high + 2 * bins), f"{key} {kind}: {found}"
