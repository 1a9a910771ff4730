"""Cameras that a recipe does not touch: the packets of the export are those of the file they came from, byte for byte."""

import functools
import hashlib

import av
import pandas as pd


def check(entry, root, info, origin, origin_info, untouched, kept):
    """`origin` is the dataset as its owner brought it (v2.1 or v3.0), or the one that was stored where it was no LeRobot dataset."""
    names = (entry["recipe"].get("features") or {}).get("rename") or {}
    count = 0
    for key in untouched:
        if info["features"][key]["dtype"] != "video":
            continue
        for position, (number, frames, is_cut, *_) in enumerate(kept):
            mine = read_episode(root, info, position, names.get(key, key))
            theirs = read_episode(origin, origin_info, number, key)
            # What lies between a cut and the next keyframe is encoded, and all of it where that cannot be joined to the rest.
            same = sum(packet == theirs[frame] for packet, frame in zip(mine, frames))
            assert is_cut or mine == theirs, f"{key}: packets of source episode {number} differ ({len(mine)} and {len(theirs)})"
            count += same
    return count


def read_episode(root, info, episode, key):
    if info["codebase_version"].startswith("v2"):
        chunk = episode // info["chunks_size"]
        path = root / info["video_path"].format(episode_chunk=chunk, video_key=key, episode_index=episode)
        return [digest for _, digest in demux(path)]
    row = read_table(root).iloc[episode]
    path = root / info["video_path"].format(
        video_key=key, chunk_index=row[f"videos/{key}/chunk_index"], file_index=row[f"videos/{key}/file_index"]
    )
    first, last = (round(row[f"videos/{key}/{name}_timestamp"] * info["fps"]) for name in ("from", "to"))
    return [digest for time, digest in demux(path) if first <= round(time * info["fps"]) < last]


@functools.cache
def read_table(root):
    return pd.concat([pd.read_parquet(path) for path in sorted(root.glob("meta/episodes/*/*.parquet"))])


@functools.lru_cache(maxsize=256)
def demux(path):
    with av.open(str(path)) as container:
        packets = [packet for packet in container.demux(video=0) if packet.size]
        return [(float(packet.pts * packet.time_base), hashlib.sha256(bytes(packet)).digest()) for packet in packets]
