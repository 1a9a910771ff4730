from __future__ import annotations

from pathlib import Path

import nmp
import pytest
from nmp.generated.records import WorkspaceImportJob

pytest.importorskip("lerobot", reason="lerobot is not installed")


def test_a_version_as_a_lerobot_dataset(client: nmp.Client, dataset: WorkspaceImportJob, tmp_path: Path) -> None:
    version = client.versions.create_version(
        org_slug=dataset["org_slug"],
        body={
            "slug": f"{dataset['dataset_slug']}-short",
            "name": "the second and the third episode",
            "source": {"dataset_kind": "catalog", "dataset_id": dataset["dataset_id"] or ""},
            "recipe": {"selected_episode_indices": [1, 2]},
        },
    )["item"]
    loaded = client.versions.as_lerobot(version["id"], cache_dir=tmp_path, video_backend="pyav")
    assert (loaded.num_episodes, len(loaded)) == (2, version["frame_count"])
    frames = [loaded[index] for index in range(len(loaded))]
    cameras = loaded.meta.camera_keys
    assert len(cameras) == 2
    for frame in frames:
        for key in cameras:
            assert frame[key].shape[0] == 3 and float(frame[key].std()) > 0
    assert [int(frame["index"]) for frame in frames] == list(range(len(frames)))
