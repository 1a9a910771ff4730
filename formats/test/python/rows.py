"""Rows of a LeRobot dataset of any version, read with pyarrow alone."""

import json

import numpy as np
import pandas as pd
import pyarrow.parquet as pq

BOOKKEEPING = ("timestamp", "frame_index", "episode_index", "index", "task_index")


def read(root):
    """A list of episodes: {length, columns: {feature: array}, tasks: [text per frame], frame_index, index, timestamp}."""
    tables = [pq.read_table(path) for path in sorted(root.glob("data/*/*.parquet"))]
    names = task_names(root)
    episodes = []
    for table in tables:
        owner = np.asarray(table["episode_index"])
        for episode in dict.fromkeys(owner.tolist()):
            part = table.filter(owner == episode)
            columns = {name: to_array(part[name]) for name in part.column_names if name not in BOOKKEEPING}
            tasks = [names[i] for i in part["task_index"].to_pylist()]
            book = {name: to_array(part[name]) for name in ("timestamp", "frame_index", "index")}
            episodes.append({"length": len(part), "columns": columns, "tasks": tasks, "episode": episode, **book})
    return sorted(episodes, key=lambda e: e["episode"])


def task_names(root):
    lines = root / "meta/tasks.jsonl"
    if lines.exists():
        entries = [json.loads(line) for line in lines.read_text().splitlines() if line.strip()]
        return {entry["task_index"]: entry["task"] for entry in entries}
    table = pd.read_parquet(root / "meta/tasks.parquet")
    return {int(index): text for text, index in zip(table.index, table["task_index"])}


def to_array(column):
    values = column.to_pylist()
    if values and isinstance(values[0], dict):
        return np.array([value["bytes"] for value in values], dtype=object)
    return np.array(values)


def assert_equal(mine, other, what):
    other = np.asarray(other)
    mine = np.asarray(mine)
    if mine.dtype.kind in "fiub" and other.dtype.kind in "fiub":
        assert np.array_equal(mine.reshape(-1), other.reshape(-1), equal_nan=mine.dtype.kind == "f"), f"{what} differs"
    else:
        assert mine.reshape(-1).tolist() == other.reshape(-1).tolist(), f"{what} differs"
