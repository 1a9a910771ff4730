"""How near a picture of a target has to be to that of the LeRobot v3 dataset."""

import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

import barcode  # noqa: E402

# Copied packets are decoded by one library in two versions: conversion to RGB may round differently.
ROUNDING = 3
# Of pictures that were encoded again, in the mean; two pictures of a bar code that follow each other differ by far more.
ENCODED = 6


# Pictures whose bar code was read, of those that have one.
codes = {"read": 0}


def is_grey(truth, camera):
    info = truth.info["features"][camera].get("info") or {}
    return bool(info.get("is_depth_map"))


def compare(found, wanted, exact, name):
    found, wanted = np.asarray(found, np.int16), np.asarray(wanted, np.int16)
    assert found.shape == wanted.shape, f"{name}: {found.shape} instead of {wanted.shape}"
    distance = np.abs(found - wanted)
    if exact:
        assert distance.max() <= ROUNDING, f"{name} differs by {distance.max()}"
    else:
        assert distance.mean() <= ENCODED, f"{name} differs by {distance.mean():.1f} in the mean"
    if has_code(wanted):
        for row in (0, 1):
            one, other = barcode.read(found, row), barcode.read(wanted, row)
            assert one == other, f"{name} shows {one} instead of {other}"
        codes["read"] += 1


def has_code(picture):
    """Two rows of sixteen blocks, each of them black or white."""
    height, width = picture.shape[:2]
    if height < 16 or width < 64:
        return False
    centres = ((np.arange(16) + 0.5) * width / 16).astype(int)
    blocks = np.stack([picture[row * 8 + 2 : row * 8 + 6].mean(axis=(0, 2))[centres] for row in (0, 1)])
    return bool(np.all((blocks < 60) | (blocks > 195)) and np.any(blocks > 195))
