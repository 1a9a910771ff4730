"""What pyarrow, pandas and datasets say about a written dataset."""

import filecmp
import json

import datasets
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

try:
    from lerobot.datasets.feature_utils import get_hf_features_from_features
except ImportError:
    from lerobot.datasets.utils import get_hf_features_from_features

KEYS = {
    "codebase_version", "fps", "features", "total_episodes", "total_frames", "total_tasks", "chunks_size",
    "data_files_size_in_mb", "video_files_size_in_mb", "data_path", "video_path", "robot_type", "splits",
}  # fmt: skip
DEFAULTS = ["timestamp", "frame_index", "episode_index", "index", "task_index"]


def read_info(root):
    return json.loads((root / "meta/info.json").read_text())


def check(root, info, source=None):
    assert set(info) == KEYS, f"info.json has {sorted(set(info) ^ KEYS)} too many or too few"
    assert info["codebase_version"] == "v3.0" and isinstance(info["fps"], int)
    assert list(info["features"])[-5:] == DEFAULTS
    check_data(root, info, source)
    check_tasks(root, info)
    check_episodes(root, info)


def is_kept(path, root, source):
    """A file of a v3.0 source that nothing had to be changed in is taken over as it is, row groups and all."""
    before = source / path.relative_to(root) if source else None
    return before is not None and before.is_file() and filecmp.cmp(path, before, shallow=False)


def check_data(root, info, source):
    files = sorted(root.glob("data/*/*.parquet"))
    columns = [name for name, feature in info["features"].items() if feature["dtype"] != "video"]
    expected = get_hf_features_from_features(
        {name: {**feature, "shape": tuple(feature["shape"])} for name, feature in info["features"].items()}
    )
    rows = 0
    for path in files:
        file = pq.ParquetFile(path)
        arrow = file.schema_arrow
        assert arrow.names == columns, f"{path}: columns {arrow.names}"
        for name in columns:
            wanted = expected.arrow_schema.field(name).type
            assert strip(arrow.field(name).type) == strip(wanted), f"{path}: {name} is {arrow.field(name).type}, not {wanted}"
        declared = json.loads(arrow.metadata[b"huggingface"])["info"]["features"]
        assert datasets.Features.from_dict(declared) == expected, f"{path}: huggingface metadata"
        assert all(file.metadata.row_group(0).column(i).compression == "SNAPPY" for i in range(file.metadata.num_columns))
        rows += file.metadata.num_rows
        groups, episodes = file.metadata.num_row_groups, len(set(file.read(["episode_index"])["episode_index"].to_pylist()))
        assert groups == episodes or is_kept(path, root, source), f"{path}: {groups} row groups for {episodes} episodes"
    assert rows == info["total_frames"]
    loaded = datasets.Dataset.from_parquet([str(path) for path in files], features=expected)
    assert len(loaded) == rows
    frame = pd.concat([pd.read_parquet(path) for path in files])
    assert frame["index"].tolist() == list(range(rows))


def strip(kind):
    """An extension type is compared by its storage."""
    return kind.storage_type if isinstance(kind, pa.BaseExtensionType) else kind


def check_tasks(root, info):
    tasks = pd.read_parquet(root / "meta/tasks.parquet")
    assert tasks.index.name == "task" and all(isinstance(text, str) for text in tasks.index)
    assert tasks["task_index"].tolist() == list(range(info["total_tasks"]))


def check_episodes(root, info):
    files = sorted(root.glob("meta/episodes/*/*.parquet"))
    schemas = {tuple((field.name, str(field.type)) for field in pq.read_schema(path)) for path in files}
    assert len(schemas) == 1, "meta/episodes files differ in their columns"
    # By pyarrow: `datasets`, which lerobot opens them with, takes seconds for so many columns.
    table = pa.concat_tables([pq.read_table(path) for path in files])
    assert table["episode_index"].to_pylist() == list(range(info["total_episodes"]))
    videos = [name for name, feature in info["features"].items() if feature["dtype"] == "video"]
    for name, feature in info["features"].items():
        if feature["dtype"] not in ("string", "language"):
            for key in ("min", "max", "mean", "std", "count", "q01", "q10", "q50", "q90", "q99"):
                assert f"stats/{name}/{key}" in table.column_names, f"stats/{name}/{key} is missing"
    for row in table.to_pylist():
        assert row["dataset_to_index"] - row["dataset_from_index"] == row["length"] and row["tasks"]
        for key in videos:
            seconds = row[f"videos/{key}/to_timestamp"] - row[f"videos/{key}/from_timestamp"]
            assert abs(seconds * info["fps"] - row["length"]) < 1e-6
            path = root / info["video_path"].format(
                video_key=key, chunk_index=row[f"videos/{key}/chunk_index"], file_index=row[f"videos/{key}/file_index"]
            )
            assert path.exists(), path
