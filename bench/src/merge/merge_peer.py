"""Two datasets merged by lerobot itself: merge_peer.py OUT A B. Prints the seconds it took and those of CPU, without its imports."""

import sys
import time

from lerobot.datasets.dataset_tools import merge_datasets
from lerobot.datasets.lerobot_dataset import LeRobotDataset

out, *sources = sys.argv[1:]
started, before = time.perf_counter(), time.process_time()
datasets = [LeRobotDataset(f"nmp/part{place}", root=source) for place, source in enumerate(sources)]
merge_datasets(datasets, "nmp/merged", output_dir=out)
print(time.perf_counter() - started, time.process_time() - before)
