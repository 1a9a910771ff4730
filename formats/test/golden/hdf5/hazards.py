"""Files with something wrong, and files whose compression is unusual."""

import h5py
import hdf5plugin
import numpy as np

from families import Episode, result
from pictures import film, numbers, padded

FILTERS = {
    "gzip": {"compression": "gzip", "shuffle": True},
    "szip": {"compression": "szip"},
    "lzf": {"compression": "lzf", "shuffle": True},
    "lz4": dict(hdf5plugin.LZ4()),
    "zstd": dict(hdf5plugin.Zstd()),
    "bzip2": dict(hdf5plugin.BZip2()),
    "bitshuffle": dict(hdf5plugin.Bitshuffle()),
    "blosc_lz4": dict(hdf5plugin.Blosc(cname="lz4")),
    "blosc_zstd": dict(hdf5plugin.Blosc(cname="zstd")),
    "blosc_blosclz": dict(hdf5plugin.Blosc(cname="blosclz")),
}


def write_aloha(path, episode, length=4, **options):
    with h5py.File(path, "w") as f:
        f["action"], f["observations/qpos"] = numbers(episode, length, 14), numbers(episode, length, 14, 1)
        f.create_dataset("observations/images/top", data=film(episode, 0, length), **options)
        return Episode(path.stem, f["action"][:], f["observations/qpos"][:])


def filters(folder):
    """An episode per filter."""
    usable = {name: options for name, options in FILTERS.items() if name != "szip" or h5py.h5z.filter_avail(h5py.h5z.FILTER_SZIP)}
    episodes = [
        write_aloha(folder / f"episode_{i}_{name}.hdf5", i, chunks=(2, 24, 32, 3), **options)
        for i, (name, options) in enumerate(usable.items())
    ]
    return result("aloha", 50, episodes, {"top": [64, 48]}, {"assumed": 1})


def blosc_zlib(folder):
    """Refused by name; the numbers of the same file are kept, the camera is not."""
    write_aloha(folder / "episode_0.hdf5", 0, chunks=(2, 48, 64, 3), **hdf5plugin.Blosc(cname="zlib"))
    with h5py.File(folder / "episode_0.hdf5") as f:
        episode = Episode("episode_0", f["action"][:], f["observations/qpos"][:])
    return result("aloha", 50, [episode], {}, {"assumed": 1, "signal-left-out": 1})


def some_files_bad(folder):
    """Four episodes: one cut off, one a Git LFS pointer, one with another camera size; one is good twice over."""
    episodes = [write_aloha(folder / f"episode_{i}.hdf5", i) for i in (0, 1, 2)]
    whole = (folder / "episode_1.hdf5").read_bytes()
    (folder / "episode_1.hdf5").write_bytes(whole[: len(whole) // 2])
    (folder / "episode_3.hdf5").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")
    with h5py.File(folder / "episode_4.hdf5", "w") as f:
        f["action"], f["observations/qpos"] = numbers(4, 4, 14), numbers(4, 4, 14)
        f["observations/images/top"] = film(4, 0, 4, width=32, height=32)
    with h5py.File(folder / "episode_5.hdf5", "w") as f:
        f["log"] = np.zeros(3)
    rules = {"assumed": 1, "file-unreadable": 2, "episode-arrays-differ": 1, "file-layout-differs": 1}
    return result("aloha", 50, [episodes[0], episodes[2]], {"top": [64, 48]}, rules)


def misaligned(folder):
    with h5py.File(folder / "episode_0.hdf5", "w") as f:
        f["action"], f["observations/qpos"] = numbers(0, 20, 14), numbers(0, 22, 14, 1)
        f["observations/images/high"], f["observations/images/low"] = film(0, 0, 22), film(0, 1, 19)
        f["observations/fast"] = numbers(0, 200, 3)
        episode = Episode("episode_0", f["action"][:19], f["observations/qpos"][:19])
    rules = {"assumed": 1, "array-length-differs": 1, "array-left-out": 1}
    return result("aloha", 50, [episode], {"high": [64, 48], "low": [64, 48]}, rules)


def pictures_bad(folder):
    """One episode in which every fourth picture is damaged, and a good one."""
    for episode in (0, 1):
        with h5py.File(folder / f"episode_{episode}.hdf5", "w") as f:
            f["action"], f["observations/qpos"] = numbers(episode, 8, 14), numbers(episode, 8, 14, 1)
            rows, _ = padded(film(episode, 0, 8), swapped=True)
            if episode == 0:
                rows[::4] = 0
            f["observations/images/top"] = rows
    with h5py.File(folder / "episode_1.hdf5") as f:
        good = Episode("episode_1", f["action"][:], f["observations/qpos"][:])
    with h5py.File(folder / "episode_0.hdf5") as f:
        bad = Episode("episode_0", f["action"][:], f["observations/qpos"][:])
    return result("aloha", 50, [bad, good], {"top": [64, 48]}, {"assumed": 2}, unreadable={"top": ["episode_0"]})


def picture_bad_in_nine(folder):
    """Fewer than twenty pictures, one of them damaged: it is bridged, as it would be in a longer episode."""
    with h5py.File(folder / "episode_0.hdf5", "w") as f:
        f["action"], f["observations/qpos"] = numbers(0, 9, 14), numbers(0, 9, 14, 1)
        rows, _ = padded(film(0, 0, 9), swapped=True)
        rows[4] = 0
        f["observations/images/top"] = rows
        episode = Episode("episode_0", f["action"][:], f["observations/qpos"][:])
    return result("aloha", 50, [episode], {"top": [64, 48]}, {"assumed": 2, "picture-repeated": 1}, repeated={"top": [4]})


def empty(folder):
    """What an interrupted ManiSkill recording leaves."""
    with h5py.File(folder / "20251027_200354.h5", "w"):
        pass
    return {"refusal": "no_episodes"}


def cut_off(folder):
    write_aloha(folder / "episode_0.hdf5", 0)
    whole = (folder / "episode_0.hdf5").read_bytes()
    (folder / "episode_0.hdf5").write_bytes(whole[:-4096])
    return {"refusal": "container_invalid"}


def not_hdf5(folder):
    (folder / "episode_0.hdf5").write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n")
    return {"refusal": "container_invalid"}


def user_block(folder):
    with h5py.File(folder / "episode_0.hdf5", "w", userblock_size=1024) as f:
        f["action"], f["observations/qpos"] = numbers(0, 4, 14), numbers(0, 4, 14, 1)
        f["observations/images/top"] = film(0, 0, 4)
        episode = Episode("episode_0", f["action"][:], f["observations/qpos"][:])
    return result("aloha", 50, [episode], {"top": [64, 48]}, {"assumed": 1})


CASES = {
    "filters": filters,
    "blosc-zlib": blosc_zlib,
    "some-files-bad": some_files_bad,
    "misaligned": misaligned,
    "pictures-bad": pictures_bad,
    "picture-bad-in-nine": picture_bad_in_nine,
    "refused-empty": empty,
    "refused-cut-off": cut_off,
    "refused-not-hdf5": not_hdf5,
    "user-block": user_block,
}
