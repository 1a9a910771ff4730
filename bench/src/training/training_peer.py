"""What a training run reads: training_peer.py SOURCE.hdf5 OURS THEIRS. Samples a second of each in random order, and how near its pictures are.

The epochs of the two take turns, so that what else the machine does meets both.
"""

import json
import sys
import time

import h5py
import numpy as np
import torch
from lerobot.datasets.lerobot_dataset import LeRobotDataset

source, *roots = sys.argv[1:]
ROUNDS = 3
LOOKED_AT = 60


def time_epoch(dataset, workers):
    generator = torch.Generator().manual_seed(7)
    loader = torch.utils.data.DataLoader(dataset, batch_size=16, shuffle=True, generator=generator, num_workers=workers)
    batches = iter(loader)
    # The first batch also starts the workers.
    next(batches)
    started, count = time.perf_counter(), 0
    for batch in batches:
        count += len(batch["index"])
    return count / (time.perf_counter() - started)


def measure_psnr(dataset):
    camera = dataset.meta.camera_keys[0]
    errors = []
    with h5py.File(source) as f:
        demos = sorted(f["data"], key=lambda name: int(name.split("_")[1]))
        for index in np.linspace(0, len(dataset) - 1, LOOKED_AT).astype(int):
            item = dataset[int(index)]
            picture = f["data"][demos[int(item["episode_index"])]]["obs/agentview_image"][int(item["frame_index"])]
            shown = item[camera].numpy().transpose(1, 2, 0) * 255
            errors.append(np.mean((shown - picture) ** 2))
    return float(10 * np.log10(255**2 / np.mean(errors)))


datasets = [LeRobotDataset(f"bench/{place}", root=root) for place, root in enumerate(roots)]
result = {}
for workers in (1, 4):
    rates = [[], []]
    for _ in range(ROUNDS):
        for place, dataset in enumerate(datasets):
            rates[place].append(time_epoch(dataset, workers))
    result[f"workers{workers}"] = [max(ours) for ours in rates]
result["psnr"] = [measure_psnr(dataset) for dataset in datasets]
print("RESULT " + json.dumps(result))
