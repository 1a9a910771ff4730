"""The peers of the formats bench; each prints one JSON object.

formats_peer.py parquet FILE OUT     CPU seconds of pyarrow writing FILE's rows to OUT, and of reading them with numpy statistics
formats_peer.py delete ROOT OUT      wall seconds of lerobot's delete_episodes of episode 1
formats_peer.py convert ROOT         wall seconds of lerobot's converter from v2.1 to v3.0, in place
"""

import json
import os
import resource
import sys
import time

os.environ["HF_HUB_OFFLINE"] = "1"


def cpu_seconds():
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def bench_parquet(source, target):
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    table = pq.read_table(source)
    columns = {}
    for name in table.column_names:
        column = table[name].combine_chunks()
        if pa.types.is_list(column.type):
            column = pa.FixedSizeListArray.from_arrays(pc.list_flatten(column), 14)
        columns[name] = column
    table = pa.table(columns)
    began = cpu_seconds()
    with pq.ParquetWriter(target, table.schema, compression="snappy") as writer:
        for start in range(0, len(table), 1000):
            writer.write_table(table.slice(start, 1000))
    write = cpu_seconds() - began
    began = cpu_seconds()
    read = pq.read_table(target)
    for name in read.column_names:
        column = read[name].combine_chunks()
        if pa.types.is_fixed_size_list(column.type) or pa.types.is_list(column.type):
            values = pc.list_flatten(column).to_numpy(zero_copy_only=False).reshape(-1, 14)
        else:
            values = column.to_numpy(zero_copy_only=False)[:, None]
        values.min(0), values.max(0), values.mean(0, dtype=np.float64), values.std(0, dtype=np.float64)
        np.quantile(values, [0.01, 0.1, 0.5, 0.9, 0.99], axis=0)
    return {"write": write, "read": cpu_seconds() - began}


def bench_delete(root, target):
    from lerobot.datasets.dataset_tools import delete_episodes
    from lerobot.datasets.lerobot_dataset import LeRobotDataset

    dataset = LeRobotDataset("nmp/bench", root=root, video_backend="pyav")
    began = time.perf_counter()
    delete_episodes(dataset, [1], output_dir=target, repo_id="nmp/deleted")
    return {"seconds": time.perf_counter() - began}


def bench_convert(root):
    from lerobot.scripts.convert_dataset_v21_to_v30 import convert_dataset

    began = time.perf_counter()
    convert_dataset(repo_id="nmp/bench", root=root, push_to_hub=False)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"seconds": time.perf_counter() - began, "peakMegabytes": peak // 1024}


benches = {"parquet": bench_parquet, "delete": bench_delete, "convert": bench_convert}
print("RESULT " + json.dumps(benches[sys.argv[1]](*sys.argv[2:])))
