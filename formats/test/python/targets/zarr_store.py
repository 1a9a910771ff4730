"""A replay buffer of diffusion policy: zarr-python reads every row; the buffer is loaded into memory and copied by the rules of its ReplayBuffer."""

from pathlib import Path

import numpy as np
import zarr
from distances import read_distances
from imagecodecs.numcodecs import register_codecs
from pictures import compare, is_grey


def check(truth, folder, settings):
    register_codecs(verbose=False)
    is_zip = settings.get("container", "zip") == "zip"
    folder = Path(folder)
    store = zarr.ZipStore(folder / "dataset.zarr.zip", mode="r") if is_zip else zarr.DirectoryStore(folder / "dataset.zarr")
    root = zarr.group(store)
    attributes = root.attrs.asdict()
    arrays = {entry["name"]: key for key, entry in attributes["features"].items()}
    assert attributes["fps"] == truth.fps
    buffer = load(root)
    ends = [row["dataset_to_index"] for row in truth.episodes]
    assert buffer["meta"]["episode_ends"].dtype == np.int64
    np.testing.assert_array_equal(buffer["meta"]["episode_ends"], ends)
    jpegxl = settings.get("pictures", "raw") == "jpegxl"
    first = 0
    for episode, end in enumerate(ends):
        tasks = [attributes["tasks"][number] for number in buffer["data"]["task_index"][first:end]]
        assert tasks == truth.frame_tasks(episode), tasks[:3]
        for name in truth.numbers:
            wanted = truth.column(episode, name)
            found = buffer["data"][arrays[name]][first:end]
            assert found.dtype == wanted.dtype, (name, found.dtype)
            np.testing.assert_array_equal(found.reshape(wanted.shape), wanted, name)
        for name in truth.cameras:
            found = buffer["data"][arrays[name]][first:end]
            wanted = read_distances(truth, episode, name) if is_grey(truth, name) else truth.pictures(episode, name)
            for frame, picture in enumerate(wanted):
                if is_grey(truth, name):
                    np.testing.assert_allclose(found[frame, :, :, 0], picture, atol=1e-6)
                else:
                    compare(found[frame], picture, not jpegxl, f"{name} {episode}/{frame}")
        first = end
    for name in truth.cameras:
        array = root["data"][arrays[name]]
        assert array.chunks[0] == (1 if jpegxl else settings.get("frames_per_chunk", 1)), array.chunks
    copy(root)
    return f"{first} rows in {len(buffer['data'])} arrays, {len(truth.cameras)} cameras"


def load(root):
    """As `ReplayBuffer.copy_from_store` fills memory, with what its constructor demands."""
    meta = {key: np.array(value) if len(value.shape) == 0 else value[:] for key, value in root["meta"].items()}
    data = {key: value[:] for key, value in root["data"].items()}
    for key, value in data.items():
        assert value.shape[0] == meta["episode_ends"][-1], (key, value.shape)
    return {"meta": meta, "data": data}


def copy(root):
    """As it copies into another store, chunk by chunk and undecoded."""
    target = zarr.MemoryStore()
    for group in ("meta", "data"):
        for key in root[group].keys():
            count, _, _ = zarr.copy_store(root.store, target, source_path=f"/{group}/{key}", dest_path=f"/{group}/{key}")
            assert count > 1, key
    for key, value in root["data"].items():
        again = zarr.open_array(target, path=f"data/{key}", mode="r")
        np.testing.assert_array_equal(again[:3], value[:3], key)
