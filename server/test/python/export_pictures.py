"""Pictures of an export: read by stock lerobot at their timestamps, held against what numpy and PIL make of the source's."""

import json

import numpy as np
from lerobot.datasets.lerobot_dataset import LeRobotDataset
from PIL import Image

WINDOW = 32
# The stored picture went through AV1 at crf 30; a wrong frame, crop or scale is off by far more.
MEAN_TOLERANCE = 9


def open_dataset(root, **options):
    return LeRobotDataset("nmp/check", root=root, video_backend="pyav", **options)


def list_cameras(info):
    return [key for key, feature in info["features"].items() if feature["dtype"] in ("video", "image")]


def is_depth(info, key):
    return info["features"][key]["shape"][2] == 1


def read(root, info):
    """Every frame of every camera by its timestamp: {camera: [one array per episode, frames x height x width x channels]}.

    Videos are asked for in windows, each frame at its own time with lerobot's tolerance of 0.1 ms, so that each is decoded once.
    """
    cameras = list_cameras(info)
    videos = [key for key in cameras if info["features"][key]["dtype"] == "video"]
    offsets = [step / info["fps"] for step in range(WINDOW)]
    # Distances in the unit that the statistics are in.
    units = {info["features"][key]["info"]["depth_unit"] for key in videos if is_depth(info, key)}
    options = {"depth_output_unit": units.pop()} if units else {}
    dataset = open_dataset(root, delta_timestamps={key: offsets for key in videos} if videos else None, **options)
    table = dataset.meta.episodes
    pictures = {key: [] for key in cameras}
    for first, last in zip(table["dataset_from_index"], table["dataset_to_index"]):
        parts = {key: [] for key in cameras}
        for begin in range(int(first), int(last), WINDOW):
            count = min(WINDOW, int(last) - begin)
            item = dataset[begin]
            assert isinstance(item["task"], str)
            for key in videos:
                parts[key].append(to_pixels(item[key][:count], is_depth(info, key)))
            rest = [key for key in cameras if key not in videos]
            for step in range(count if rest else 0):
                row = dataset[begin + step]
                for key in rest:
                    parts[key].append(to_pixels(row[key][None], is_depth(info, key)))
        for key in cameras:
            pictures[key].append(np.concatenate(parts[key]))
    return pictures


def to_pixels(tensor, depth):
    values = np.moveaxis(np.asarray(tensor), 1, -1)
    return values if depth else np.rint(values * 255).astype(np.uint8)


def place(shape, recipe):
    """(left, top, width, height) of the crop in source pixels, then (width, height, left, top) of the scaled picture in its frame."""
    height, width = shape[:2]
    crop, resize = recipe.get("crop"), recipe.get("resize")
    box = (0, 0, width, height)
    if crop:
        left, right = edges(crop["left_pct"], crop["width_pct"], width)
        top, bottom = edges(crop["top_pct"], crop["height_pct"], height)
        box = (left, top, right - left, bottom - top)
    if not resize or (resize["width"], resize["height"]) == box[2:]:
        return box, None
    target = (resize["width"], resize["height"])
    if resize.get("mode", "fit") == "stretch":
        return box, (*target, 0, 0)
    choose, bound = (min, min) if resize.get("mode", "fit") == "fit" else (max, max)
    ratio = choose(target[0] / box[2], target[1] / box[3])
    size = [bound(max(2, 2 * int(np.floor(side * ratio / 2 + 0.5))), limit) for side, limit in zip(box[2:], target)]
    return box, (*size, *(int(np.sign(t - s)) * 2 * (abs(t - s) // 4) for s, t in zip(size, target)))


def edges(start, size, length):
    if start == 0 and size == 100:
        return 0, length
    even = length - length % 2
    pixel = lambda percent: 2 * int(np.floor(percent * length / 200 + 0.5))  # noqa: E731
    first = min(pixel(start), max(0, even - 2))
    return first, max(first + 2, min(pixel(start + size), even))


def draw(picture, box, scaled, size):
    left, top, width, height = box
    cut = picture[top : top + height, left : left + width]
    if not scaled:
        return cut
    frame = Image.new("RGB", size)
    frame.paste(Image.fromarray(cut).resize(scaled[:2], Image.BICUBIC), scaled[2:])
    return np.asarray(frame)


def check(entry, info, source_info, kept, pictures, sources):
    wanted = entry["recipe"].get("camera_keys") or list_cameras(source_info)
    cameras = list_cameras(info)
    assert cameras == [key for key in list_cameras(source_info) if key in wanted], cameras
    for key in cameras:
        before, after = source_info["features"][key]["shape"], info["features"][key]["shape"]
        box, scaled = place(before, entry["recipe"])
        resize = entry["recipe"].get("resize")
        size = (resize["width"], resize["height"]) if resize else box[2:]
        assert (after[1], after[0]) == size, f"{key}: {after} not {size}"
        for mine, (number, frames, is_cut, *_) in zip(pictures[key], kept):
            theirs = sources[key][number][frames]
            assert mine.shape == (len(theirs), after[0], after[1], after[2]), f"{key}: {mine.shape}"
            for frame, picture, origin in zip(frames.tolist(), mine, theirs):
                what = f"{key}: frame {frame} of source episode {number}"
                if after[2] == 1:
                    check_depth(picture, origin, box, scaled, what)
                    continue
                error = np.abs(picture.astype(int) - draw(origin, box, scaled, size)).mean()
                # Frames between a cut and the next keyframe are encoded again.
                is_encoded = box[2:] != size or entry["recipe"].get("crop") or is_cut
                assert error <= (MEAN_TOLERANCE if is_encoded else 0.5), f"{what} is off by {error}"
                if entry["bar_codes"]:
                    check_bars(picture, before, box, scaled, frame, 0, what)
                    check_bars(picture, before, box, scaled, number, 8, what)
    check_statistics(entry, info, pictures)


def check_depth(picture, origin, box, scaled, what):
    left, top, width, height = box
    cut = origin[top : top + height, left : left + width]
    if not scaled:
        assert np.array_equal(picture, cut), f"{what}: a depth has changed"
    else:
        w, h, x, y = scaled
        inside = picture[max(0, y) : y + h, max(0, x) : x + w]
        assert np.isin(inside, cut).all(), f"{what}: a depth that was not there"


def check_bars(picture, shape, box, scaled, number, first_row, what):
    """The bits whose blocks are still in the picture: 8 bits of the number at the right of the row, or all 16 of the frame's."""
    height, width = shape[:2]
    across, down, x0, y0 = (scaled[0] / box[2], scaled[1] / box[3], scaled[2], scaled[3]) if scaled else (1, 1, 0, 0)
    y = (first_row + 4 - box[1]) * down + y0
    bits = 16 if first_row == 0 else 8
    for bit in range(bits):
        x = ((bit + 0.5) * width / 16 - box[0]) * across + x0
        is_readable = down * 8 >= 3 and across * width / 16 >= 4
        if not (is_readable and 2 <= x < picture.shape[1] - 2 and 1 <= y < picture.shape[0] - 1):
            continue
        value = picture[int(y), int(x) - 1 : int(x) + 2].mean()
        assert (value > 127) == bool(number >> (bits - 1 - bit) & 1), f"{what}: bit {bit} of {number} is {value}"


def check_statistics(entry, info, pictures):
    """Mean and spread over all pixels, where lerobot's rule samples every frame and every pixel."""
    stats = json.loads((entry["root"] / "meta/stats.json").read_text())
    names = (entry["recipe"].get("features") or {}).get("rename") or {}
    for key, episodes in pictures.items():
        if max(len(frames) for frames in episodes) > 100 or max(info["features"][key]["shape"]) >= 300:
            continue
        scale = 1 if is_depth(info, key) else 255
        values = np.concatenate([frames.reshape(-1, frames.shape[-1]) for frames in episodes]) / scale
        span = max(1e-6, float(np.ptp(values)))
        for name, expected in (("mean", values.mean(0)), ("std", values.std(0)), ("min", values.min(0)), ("max", values.max(0))):
            found = np.asarray(stats[names.get(key, key)][name]).reshape(-1)
            assert np.all(np.abs(found - expected) <= 0.004 * span + 1e-6), f"{key} {name}: {found} not {expected}"
