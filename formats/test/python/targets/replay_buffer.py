"""A replay buffer by the ReplayBuffer of diffusion policy or of UMI, whichever is on the path, as it is: loaded, copied, opened where it lies."""

from pathlib import Path

import numpy as np
import zarr
from diffusion_policy.common.replay_buffer import ReplayBuffer
from distances import read_distances
from pictures import compare, is_grey

try:
    from diffusion_policy.codecs.imagecodecs_numcodecs import register_codecs  # UMI's own, for JPEG XL

    register_codecs(verbose=False)
except ModuleNotFoundError:  # diffusion policy keeps it elsewhere and under another name
    from imagecodecs.numcodecs import register_codecs

    register_codecs(verbose=False)


def check(truth, folder, settings):
    jpegxl = settings.get("pictures", "raw") == "jpegxl"
    buffer = load(Path(folder), settings)
    ends = [row["dataset_to_index"] for row in truth.episodes]
    assert list(buffer.episode_ends[:]) == ends and buffer.n_episodes == len(ends) and buffer.n_steps == ends[-1]
    assert list(buffer.episode_lengths) == [row["length"] for row in truth.episodes]
    with open_store(Path(folder), settings) as store:
        attributes = zarr.group(store).attrs.asdict()
    arrays = {entry["name"]: key for key, entry in attributes["features"].items()}
    assert set(arrays.values()) | {"task_index"} == set(buffer.keys()), sorted(buffer.keys())
    for episode, row in enumerate(truth.episodes):
        found = buffer.get_episode(episode)
        assert [attributes["tasks"][number] for number in found["task_index"]] == truth.frame_tasks(episode)
        for name in truth.numbers:
            wanted = truth.column(episode, name)
            np.testing.assert_array_equal(found[arrays[name]].reshape(wanted.shape), wanted, name)
        for name in truth.cameras:
            grey = is_grey(truth, name)
            wanted = read_distances(truth, episode, name) if grey else truth.pictures(episode, name)
            for frame, picture in enumerate(wanted):
                shown = found[arrays[name]][frame]
                if grey:
                    np.testing.assert_allclose(shown[:, :, 0], picture, atol=1e-6)
                else:
                    compare(shown, picture, not jpegxl, f"{name} {episode}/{frame}")
            assert frame + 1 == row["length"], name
    return f"{buffer.n_steps} steps of {buffer.n_episodes} episodes, {len(truth.cameras)} cameras"


def open_store(folder, settings):
    if settings.get("container", "zip") == "zip":
        return zarr.ZipStore(str(folder / "dataset.zarr.zip"), mode="r")
    return zarr.DirectoryStore(str(folder / "dataset.zarr"))


def load(folder, settings):
    """In every way that it is opened there; the last of them is read whole."""
    with open_store(folder, settings) as store:
        # UMI: compressed, in memory.
        copied = ReplayBuffer.copy_from_store(src_store=store, store=zarr.MemoryStore())
        assert copied.backend == "zarr"
        loaded = ReplayBuffer.copy_from_store(src_store=store)
    if settings.get("container", "zip") == "folder":
        # Diffusion policy: by path, where it lies.
        path = str(folder / "dataset.zarr")
        assert ReplayBuffer.create_from_path(path, mode="r").n_steps == loaded.n_steps
        assert ReplayBuffer.copy_from_path(path, store=zarr.MemoryStore()).n_episodes == loaded.n_episodes
    for key, values in copied.items():
        np.testing.assert_array_equal(values[:3], loaded[key][:3], key)
    assert loaded.backend == "numpy"
    return loaded
