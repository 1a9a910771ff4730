"""Every step of a recipe against numpy, pandas and PIL: steps_check.py NODE. Random episodes, windows, crops, sizes; seed 1."""

import collections
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from PIL import Image

ENTRY = Path(__file__).resolve().parents[1] / "steps-entry.ts"
random = np.random.default_rng(1)


def smooth(values, window, mode):
    if mode != "gaussian":
        rolling = pd.DataFrame(values).rolling(window, center=True, min_periods=1)
        smoothed = getattr(rolling, mode)().to_numpy()
        holes = pd.DataFrame(np.isnan(values)).rolling(window, center=True, min_periods=1).sum().to_numpy()
        return np.where(holes > 0, np.nan, smoothed)
    smoothed = np.empty_like(values)
    for t in range(len(values)):
        near = np.arange(max(0, t - window // 2), min(len(values), t + window // 2 + 1))
        weights = np.exp(-0.5 * ((near - t) / (window / 6)) ** 2)
        smoothed[t] = (weights[:, None] * values[near]).sum(0) / weights.sum()
    return smoothed


def make_action():
    """Doubles, floats with holes, and whole numbers: rounded half to even, kept within their type."""
    dtype = str(random.choice(["float64", "float32", "int8", "int32", "int64"]))
    width = int(random.integers(1, 9))
    values = random.normal(size=(int(random.integers(1, 200)), width)) * (40 if dtype.startswith("int") else 1)
    values = values.astype(dtype).astype(np.float64)
    if dtype == "float32" and random.random() < 0.3:
        values[random.random(values.shape) < 0.05] = np.nan
    size = 40 if dtype.startswith("int") else 1
    settings = {
        "smoothingWindow": int(2 * random.integers(0, 51) + 1),
        "smoothingMode": str(random.choice(["mean", "median", "gaussian"])),
        "scale": float(random.normal()),
        "clipMin": float(-random.random() * size) if random.random() < 0.7 else None,
        "clipMax": float(random.random() * size) if random.random() < 0.7 else None,
    }
    wanted = smooth(values, settings["smoothingWindow"], settings["smoothingMode"]) * settings["scale"]
    if settings["clipMin"] is not None or settings["clipMax"] is not None:
        wanted = np.clip(wanted, settings["clipMin"], settings["clipMax"])
    listed = [None if np.isnan(value) else value for value in values.ravel().tolist()]
    request = {"step": "action", "settings": settings, "dtype": dtype, "width": width, "values": listed}
    return request, lambda found: check_action(found, wanted.ravel(), dtype)


def check_action(found, wanted, dtype):
    found = np.array([np.nan if value is None else value for value in found], dtype=np.float64)
    if not dtype.startswith("int"):
        tolerance = 1e-9 if dtype == "float64" else 1e-6
        assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True)
        return
    limits = np.iinfo(dtype)
    exact = np.clip(np.rint(wanted), limits.min, limits.max)
    # A sum in another order may fall to the other side of a half.
    is_half = np.abs(np.abs(wanted - np.floor(wanted)) - 0.5) < 1e-9
    assert np.all((found == exact) | (is_half & (np.abs(found - exact) <= 1)))


def make_crop():
    size = random.integers(16, 2000, size=2)
    edges = np.sort(random.uniform(0, 100, size=(2, 2)), axis=1)
    starts, lengths = edges[:, 0], np.maximum(edges[:, 1] - edges[:, 0], 0.01)
    starts = np.minimum(starts, 100 - lengths)
    even = size - size % 2
    first = np.minimum(2 * np.floor(starts * size / 200 + 0.5), np.maximum(0, even - 2))
    last = np.maximum(first + 2, np.minimum(2 * np.floor((starts + lengths) * size / 200 + 0.5), even))
    crop = {"left": starts[0], "top": starts[1], "width": lengths[0], "height": lengths[1]}
    expected = {"left": first[0], "top": first[1], "width": last[0] - first[0], "height": last[1] - first[1]}
    request = {"step": "crop", "crop": crop, "size": {"width": int(size[0]), "height": int(size[1])}}

    def check(found):
        assert found is None or found == expected, (found, expected)

    return request, check


def make_transform(width, height):
    transform = {}
    if random.random() < 0.6:
        left, top = (2 * int(random.integers(0, side // 4)) for side in (width, height))
        transform["crop"] = {"left": left, "top": top, "width": width - left - 4, "height": height - top - 4}
    if not transform or random.random() < 0.7:
        mode = str(random.choice(["fit", "fill", "stretch"]))
        transform["resize"] = {"width": int(2 * random.integers(16, 50)), "height": int(2 * random.integers(16, 50)), "mode": mode}
    return transform


def cut(picture, transform):
    crop = transform.get("crop")
    if not crop:
        return picture
    return picture[crop["top"] : crop["top"] + crop["height"], crop["left"] : crop["left"] + crop["width"]]


def make_pixels():
    """Smooth pictures, so that one pixel of rounding in where a scaled picture is centred does not matter."""
    width, height = (int(2 * value) for value in random.integers(16, 50, size=2))
    y, x = np.mgrid[0:height, 0:width]
    a, b, c = random.uniform(0.5, 3, size=3)
    waves = [127 + 120 * np.sin(a * x / width * 3 + k) * np.cos(b * y / height * 3 + c * k) for k in range(3)]
    picture = np.stack(waves, axis=-1).astype(np.uint8)
    transform = make_transform(width, height)
    request = {"step": "pixels", "transform": transform, "width": width, "height": height, "data": picture.ravel().tolist()}
    part, resize = cut(picture, transform), transform.get("resize")
    size = (resize["width"], resize["height"]) if resize else (part.shape[1], part.shape[0])
    frame = Image.fromarray(part)
    if resize and resize["mode"] == "stretch":
        frame = frame.resize(size, Image.BICUBIC)
    elif resize:
        ratios = (size[0] / frame.width, size[1] / frame.height)
        ratio = min(ratios) if resize["mode"] == "fit" else max(ratios)
        scaled = frame.resize((max(1, round(frame.width * ratio)), max(1, round(frame.height * ratio))), Image.BICUBIC)
        frame = Image.new("RGB", size)
        frame.paste(scaled, ((size[0] - scaled.width) // 2, (size[1] - scaled.height) // 2))

    def check(found):
        found = np.array(found).reshape(size[1], size[0], 3)
        near = np.abs(found - np.asarray(frame).astype(int))
        assert np.median(near) <= 6 and (near > 24).mean() < 0.12, (transform, part.shape, np.median(near), (near > 24).mean())

    return request, check


def make_depth():
    width, height = (int(value) for value in random.integers(20, 60, size=2))
    picture = random.integers(0, 4096, size=(height, width))
    transform = make_transform(width, height)
    request = {"step": "depth", "transform": transform, "width": width, "height": height, "data": picture.ravel().tolist()}
    part, resize = cut(picture, transform), transform.get("resize")
    expected = part
    if resize:
        sizes = np.array([resize["height"], resize["width"]])
        ratios = sizes / part.shape
        scale = {"stretch": ratios, "fit": [ratios.min()] * 2, "fill": [ratios.max()] * 2}[resize["mode"]]
        rows, columns = (
            np.floor((np.arange(to) + 0.5 - to / 2) / by + of / 2).astype(int) for to, by, of in zip(sizes, scale, part.shape)
        )
        inside = ((rows >= 0) & (rows < part.shape[0]))[:, None] & ((columns >= 0) & (columns < part.shape[1]))[None]
        taken = part[np.clip(rows, 0, part.shape[0] - 1)][:, np.clip(columns, 0, part.shape[1] - 1)]
        expected = np.where(inside, taken, 0)

    def check(found):
        assert np.array_equal(np.array(found).reshape(expected.shape), expected), transform

    return request, check


def choose(count):
    return [int(value) for value in random.integers(0, count, size=random.integers(0, 2 * count))]


def make_selection():
    count = int(random.integers(1, 30))
    settings = {"selected": choose(count), "excluded": choose(count) if random.random() < 0.5 else []}
    if random.random() < 0.5:
        settings["first"] = int(random.integers(1, count + 5))
    kept = np.setdiff1d(np.unique(settings["selected"]) if settings["selected"] else np.arange(count), settings["excluded"])
    return settings, [1] * count, [int(value) for value in kept[: settings.get("first", count)]]


def make_episodes():
    settings, lengths, kept = make_selection()

    def check(found):
        assert found == kept, (settings, found)

    return {"step": "episodes", "settings": settings, "lengths": lengths}, check


def make_cameras():
    names = [f"camera {index}" for index in range(int(random.integers(1, 8)))]
    keys = [str(key) for key in random.choice(names, size=random.integers(0, 8))]
    mask = np.isin(names, keys) if keys else np.ones(len(names), dtype=bool)

    def check(found):
        assert found == np.array(names)[mask].tolist()

    return {"step": "cameras", "keys": keys, "names": names}, check


def make_annotations():
    settings, lengths, kept = make_selection()
    said = {
        episode: {"task": str(random.choice(["pick", "place", ""])) or None, "rest": {"note": "n"} if random.random() < 0.5 else {}}
        for episode in set(choose(len(lengths)))
    }
    tasks = [[said.get(number, {}).get("task") or f"task {number}"] for number in kept]
    rows = [
        {"episode_index": position, "source_episode_index": number, **said[number]["rest"]}
        for position, number in enumerate(kept)
        if said.get(number, {}).get("rest")
    ]

    def check(found):
        assert found == {"tasks": tasks, "sidecar": {"episodes": rows} if rows else None}, found

    return {"step": "annotate", "settings": settings, "lengths": lengths, "annotations": list(said.items())}, check


MAKERS = {
    make_action: 1000, make_crop: 1000, make_pixels: 100, make_depth: 100, make_episodes: 200, make_cameras: 100, make_annotations: 200,
}  # fmt: skip


def main():
    cases = [make() for make, count in MAKERS.items() for _ in range(count)]
    text = "\n".join(json.dumps(request) for request, _ in cases)
    answer = subprocess.run([sys.argv[1], str(ENTRY)], input=text, capture_output=True, text=True)
    lines = answer.stdout.splitlines()
    assert len(lines) == len(cases), answer.stderr
    counts = collections.Counter(request["step"] for request, _ in cases)
    for line, (request, check) in zip(lines, cases):
        try:
            check(json.loads(line))
        except AssertionError as error:
            sys.exit(f"FAILED {request['step']}: {error} {request.get('settings') or request.get('transform') or ''}")
    for step, count in counts.items():
        print(f"ok {count} cases of {step} against numpy, pandas and PIL")


main()
