"""Makes recipes/*.json: what a recipe's selection, crop and resize must give, by the rules of docs/recipes.md in exact fractions.

formats/ and the console's web/ both run these cases, since both know these rules.
"""

import json
from fractions import Fraction
from math import floor
from pathlib import Path

TARGET = Path(__file__).parent / "recipes"


def half_up(value):
    return floor(value + Fraction(1, 2))


def edges(start, size, length):
    """The nearest even pixel, half way up; a whole side stays whole; two pixels at least."""
    if start == 0 and size == 100:
        return 0, length
    even = length - length % 2
    first = min(2 * half_up(start * length / 200), max(0, even - 2))
    last = min(2 * half_up((start + size) * length / 200), even)
    return first, max(first + 2, last)


def cut(crop, width, height):
    if crop is None:
        return {"left": 0, "top": 0, "width": width, "height": height}
    left, top, across, down = (Fraction(str(crop[f"{key}_pct"])) for key in ("left", "top", "width", "height"))
    (x, x2), (y, y2) = edges(left, across, width), edges(top, down, height)
    return {"left": x, "top": y, "width": x2 - x, "height": y2 - y}


def place(box, resize):
    """The size that the cut is scaled to, even; and where it lies in the result (fit), or the result in it (fill)."""
    width, height, mode = resize["width"], resize["height"], resize["mode"]
    if mode == "stretch":
        return {"scaled": {"width": width, "height": height}, "left": 0, "top": 0}
    ratios = (Fraction(width, box["width"]), Fraction(height, box["height"]))
    ratio = min(ratios) if mode == "fit" else max(ratios)
    bound = min if mode == "fit" else max
    across = bound(max(2, 2 * half_up(box["width"] * ratio / 2)), width)
    down = bound(max(2, 2 * half_up(box["height"] * ratio / 2)), height)
    centre = lambda space: 2 * (space // 4)
    return {"scaled": {"width": across, "height": down}, "left": centre(abs(width - across)), "top": centre(abs(height - down))}


def crop(left, top, width, height):
    return {"left_pct": left, "top_pct": top, "width_pct": width, "height_pct": height}


def make_pixels():
    crops = [
        None, crop(0, 0, 100, 100), crop(10, 20, 80, 60), crop(12.5, 12.5, 75, 75), crop(33.3333, 0, 33.3333, 100),
        crop(0, 0, 100, 50), crop(99, 99, 1, 1), crop(0, 0, 0.1, 0.1), crop(50, 50, 50, 50), crop(7.3, 0, 92.7, 88.1),
    ]  # fmt: skip
    sizes = [(640, 480), (641, 361), (97, 64), (128, 97), (3, 3), (1920, 1080)]
    resizes = [None] + [{"width": w, "height": h, "mode": m} for w, h in ((224, 224), (320, 180), (64, 96)) for m in ("fit", "fill", "stretch")]
    for width, height in sizes:
        for number, one in enumerate(crops):
            # Every crop of every size as it is, and with some of the resizes in turn.
            for resize in [None, *resizes[1 + number % 3 :: 3]]:
                box = cut(one, width, height)
                size = {key: (resize or box)[key] for key in ("width", "height")}
                found = {"width": width, "height": height, "crop": one, "resize": resize, "cut": box, "size": size}
                yield found | ({"placed": place(box, resize)} if resize else {})


def make_selections():
    splits = [["train"], ["train"], ["val"], [], ["train", "val"], ["test"], ["train"], ["val"]]
    chosen = [
        {}, {"selected": [5, 1, 3]}, {"selected": [5, 1, 1, 5]}, {"excluded": [0, 7]}, {"selected": [0, 1, 2], "excluded": [1]},
        {"first": 3}, {"first": 100}, {"selected": [7, 6, 2], "first": 2}, {"excluded": [0, 1, 2], "first": 1},
        {"selected": [3], "excluded": [3]}, {"selected": []}, {"excluded": list(range(8))}, {"splits": ["val"]},
        {"splits": ["val", "test"]}, {"splits": ["train"], "first": 2}, {"splits": ["train"], "excluded": [0]},
        {"splits": ["none"]}, {"splits": ["val"], "selected": [2, 3, 4], "first": 1},
    ]  # fmt: skip
    for settings in chosen:
        wanted, out, of = settings.get("selected", []), settings.get("excluded", []), settings.get("splits", [])
        kept = [
            index
            for index in range(len(splits))
            if (not wanted or index in wanted) and index not in out and (not of or set(of) & set(splits[index]))
        ]
        yield {"splits_of_episodes": splits, **settings, "kept": kept[: settings.get("first", len(kept))]}


def write(name, cases):
    TARGET.mkdir(exist_ok=True)
    (TARGET / name).write_text("[\n" + ",\n".join(json.dumps(case) for case in cases) + "\n]\n")


write("pixels.json", list(make_pixels()))
write("selections.json", list(make_selections()))
