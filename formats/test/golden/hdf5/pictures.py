"""Pictures that say where they belong: frame number, episode and camera as bars, red left, blue right, green below."""

import io

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 64, 48


def draw(episode, camera, frame, width=WIDTH, height=HEIGHT):
    """RGB, top row first."""
    band = max(6, height // 8)
    picture = np.zeros((height, width, 3), np.uint8)
    picture[:, : width // 2] = (200, 40, 40)
    picture[:, width // 2 :] = (40, 40, 200)
    picture[height - band :] = (30, 160, 30)
    for row, number in enumerate((frame, episode * 256 + camera)):
        bits = (number >> (15 - np.arange(width) * 16 // width)) & 1
        picture[row * band : (row + 1) * band] = (bits * 255).astype(np.uint8)[None, :, None]
    return picture


def film(episode, camera, length, **size):
    return np.stack([draw(episode, camera, frame, **size) for frame in range(length)])


def jpeg(picture, swapped=False):
    """As a standards-conforming encoder does it; `swapped` is what OpenCV makes of RGB."""
    out = io.BytesIO()
    Image.fromarray(picture[..., ::-1] if swapped else picture).save(out, "JPEG", quality=95, subsampling=0)
    return out.getvalue()


def padded(pictures, swapped=False, width=None):
    """Rows of zero-padded JPEG, and their lengths."""
    encoded = [jpeg(picture, swapped) for picture in pictures]
    width = width or max(map(len, encoded))
    rows = np.zeros((len(encoded), width), np.uint8)
    for row, data in zip(rows, encoded):
        row[: len(data)] = np.frombuffer(data, np.uint8)
    return rows, np.array([len(data) for data in encoded], np.float32)


def strings(pictures, swapped=False):
    """NumPy's fixed-length byte strings, NUL-padded."""
    return np.array([jpeg(picture, swapped) for picture in pictures])


def numbers(episode, length, width, phase=0.0, dtype=np.float64):
    grid = np.arange(length)[:, None] * 0.1 + np.arange(width) * 0.7 + episode + phase
    return np.sin(grid).astype(dtype)
