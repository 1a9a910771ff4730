"""The rows and pictures of a LeRobot v3 dataset, by pyarrow and PyAV alone: what every target of the same source is held against."""

import json
from pathlib import Path

import av
import numpy as np
import pyarrow.parquet as pq

BOOKKEEPING = {"timestamp", "frame_index", "episode_index", "index", "task_index"}


class Truth:
    def __init__(self, root):
        self.root = Path(root)
        self.info = json.loads((self.root / "meta/info.json").read_text())
        self.fps = self.info["fps"]
        self.episodes = [
            row
            for path in sorted(self.root.glob("meta/episodes/*/*.parquet"))
            for row in pq.read_table(path).to_pylist()
        ]
        tasks = pq.read_table(self.root / "meta/tasks.parquet").to_pylist()
        self.tasks = {row["task_index"]: row["task"] for row in tasks}
        self.rows = [
            row for path in sorted(self.root.glob("data/*/*.parquet")) for row in pq.read_table(path).to_pylist()
        ]
        # Decoded once: each episode of each target of this source asks for pictures of the same files.
        self.videos = {}

    def features(self, *dtypes):
        return {
            name: feature
            for name, feature in self.info["features"].items()
            if name not in BOOKKEEPING and feature["dtype"] in dtypes
        }

    @property
    def numbers(self):
        known = {"video", "image", "string", "language"}
        return {
            name: feature
            for name, feature in self.info["features"].items()
            if name not in BOOKKEEPING and feature["dtype"] not in known
        }

    @property
    def cameras(self):
        return self.features("video", "image")

    def episode_rows(self, episode):
        row = self.episodes[episode]
        return self.rows[row["dataset_from_index"] : row["dataset_to_index"]]

    def column(self, episode, name):
        feature = self.info["features"][name]
        values = np.array([row[name] for row in self.episode_rows(episode)])
        return values.astype(feature["dtype"]).reshape(len(values), *feature["shape"])

    def frame_tasks(self, episode):
        return [self.tasks[row["task_index"]] for row in self.episode_rows(episode)]

    def packets(self, episode, camera):
        """Bytes of the packets of an episode, in the order of the file."""
        path, first, count = self.place(episode, camera)
        with av.open(str(path)) as container:
            stream = container.streams.video[0]
            found = []
            for packet in container.demux(stream):
                if packet.size == 0:
                    continue
                frame = round(float(packet.pts * packet.time_base) * self.fps)
                if first <= frame < first + count:
                    found.append(bytes(packet))
            return found

    def place(self, episode, camera):
        row = self.episodes[episode]
        chunk, file = row[f"videos/{camera}/chunk_index"], row[f"videos/{camera}/file_index"]
        first = round(row[f"videos/{camera}/from_timestamp"] * self.fps)
        return self.root / f"videos/{camera}/chunk-{chunk:03d}/file-{file:03d}.mp4", first, row["length"]

    def pictures(self, episode, camera):
        """Every picture of an episode, height x width x 3."""
        if self.info["features"][camera]["dtype"] == "image":
            import io

            from PIL import Image

            for row in self.episode_rows(episode):
                yield np.asarray(Image.open(io.BytesIO(row[camera]["bytes"])).convert("RGB"))
            return
        path, first, count = self.place(episode, camera)
        if path not in self.videos:
            self.videos[path] = read_video(path)
        yield from self.videos[path][first : first + count]


def read_video(path):
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="rgb24") for frame in container.decode(container.streams.video[0])]
