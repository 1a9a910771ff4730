"""Distances of a depth camera in meters, from the codes of its video."""

import av
import numpy as np


def read_distances(truth, episode, camera):
    path, first, count = truth.place(episode, camera)
    info = truth.info["features"][camera]["info"]
    low, high, shift = info["video.depth_min"], info["video.depth_max"], info["video.shift"]
    with av.open(str(path)) as container:
        for number, frame in enumerate(container.decode(container.streams.video[0])):
            if number >= first + count:
                return
            if number < first:
                continue
            plane = frame.planes[0]
            codes = np.frombuffer(plane, "<u2").reshape(plane.height, plane.line_size // 2)[:, : plane.width]
            part = codes.astype(np.float64) / 4095
            if info["video.use_log"]:
                yield np.exp(np.log(low + shift) + part * np.log((high + shift) / (low + shift))) - shift
            else:
                yield low + part * (high - low)
