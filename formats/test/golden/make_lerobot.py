"""Small LeRobot datasets, one oddity each, for formats/test/golden.test.ts.

Run: python make_lerobot.py (pyarrow, numpy, av). Every case is a folder with the dataset and expected.json: either
{"refusal": code} or the source numbers of the episodes that must come out, their lengths and tasks, the feature names, and
the findings as {rule: count}; `splits` where there are others than train. Pictures are 64x48; the left half is as bright as the frame number, the right half as the episode.
"""

import fractions
import json
import pathlib
import shutil

import av
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

FOLDER = pathlib.Path(__file__).parent / "lerobot"
FPS = 10
CAMERA = "observation.images.front"
V2_DATA = "data/chunk-{episode_chunk:03d}/episode_{episode_index:06d}.parquet"
V2_VIDEO = "videos/chunk-{episode_chunk:03d}/{video_key}/episode_{episode_index:06d}.mp4"
V3_DATA = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet"
V3_VIDEO = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4"
SCALARS = {
    "timestamp": "float32",
    "frame_index": "int64",
    "episode_index": "int64",
    "index": "int64",
    "task_index": "int64",
}


def picture(frame, episode):
    image = np.zeros((48, 64, 3), np.uint8)
    image[:, :32] = 20 + 20 * frame
    image[:, 32:] = 20 + 40 * episode
    return image


def write_video(path, frames, rate=FPS, ticks=None):
    """frames: (frame, episode) pairs; ticks: own timestamps in 1/1000 s."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with av.open(str(path), "w") as out:
        stream = out.add_stream("libx264", rate=rate, options={"g": "2", "bf": "0", "crf": "18", "sc_threshold": "0"})
        stream.width, stream.height, stream.pix_fmt = 64, 48, "yuv420p"
        if ticks:
            stream.codec_context.time_base = fractions.Fraction(1, 1000)
            stream.time_base = fractions.Fraction(1, 1000)
        for number, (frame, episode) in enumerate(frames):
            shown = av.VideoFrame.from_ndarray(picture(frame, episode), format="rgb24")
            if ticks:
                shown.pts = ticks[number]
            for packet in stream.encode(shown):
                out.mux(packet)
        for packet in stream.encode():
            out.mux(packet)


def camera_feature(**changes):
    info = {"video.height": 48, "video.width": 64, "video.codec": "h264", "video.pix_fmt": "yuv420p", "video.fps": FPS,
            "video.channels": 3, "has_audio": False, "is_depth_map": False}
    return {"dtype": "video", "shape": [48, 64, 3], "names": ["height", "width", "channels"], "info": info, **changes}


def base_features(camera=True):
    features = {"action": {"dtype": "float32", "shape": [2], "names": ["a", "b"]},
                "observation.state": {"dtype": "float32", "shape": [2], "names": ["a", "b"]}}
    if camera:
        features[CAMERA] = camera_feature()
    for name, dtype in SCALARS.items():
        features[name] = {"dtype": dtype, "shape": [1], "names": None}
    return features


def rows(episode, length, first_index, task=0):
    frames = np.arange(length)
    return {
        "action": [[float(np.float32(0.1 * f + episode)), float(-f)] for f in frames],
        "observation.state": [[float(np.float32(np.sin(f + episode))), float(episode)] for f in frames],
        "timestamp": (frames / FPS).astype(np.float32).tolist(),
        "frame_index": frames.tolist(),
        "episode_index": [episode] * length,
        "index": (first_index + frames).tolist(),
        "task_index": [task] * length,
    }


TYPES = {"action": pa.list_(pa.float32(), 2), "observation.state": pa.list_(pa.float32(), 2), "timestamp": pa.float32(),
         "frame_index": pa.int64(), "episode_index": pa.int64(), "index": pa.int64(), "task_index": pa.int64()}


def to_table(columns, types=None, huggingface="List"):
    types = {**TYPES, **(types or {})}
    fields = [pa.field(name, types[name]) for name in columns]
    metadata = {"huggingface": json.dumps({"info": {"features": {"action": {"feature": {"dtype": "float32", "_type": "Value"},
                "length": 2, "_type": huggingface}}}})} if huggingface else None
    return pa.table({name: pa.array(values, types[name]) for name, values in columns.items()},
                    schema=pa.schema(fields, metadata=metadata))


def save(path, table):
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(table, path, compression="snappy")


def save_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=4))


def save_lines(path, values):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(value) + "\n" for value in values))


class Case:
    """A good dataset of three episodes with two tasks; a case then spoils something."""

    lengths = [4, 6, 5]
    tasks = ["pick", "place", "pick"]
    names = ["pick", "place"]

    def __init__(self, name, camera=True):
        self.root = FOLDER / name
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)
        self.features = base_features(camera)
        self.camera = camera
        self.columns = []
        first = 0
        for episode, length in enumerate(self.lengths):
            self.columns.append(rows(episode, length, first, self.names.index(self.tasks[episode])))
            first += length

    def expect(self, rules, left_out=(), **changes):
        kept = [e for e in range(len(self.lengths)) if e not in left_out]
        features = [name for name in self.features if name not in SCALARS]
        save_json(self.root / "expected.json", {
            "episodes": kept, "lengths": [self.lengths[e] for e in kept], "tasks": [[self.tasks[e]] for e in kept],
            "features": features, "rules": rules, **changes})

    def refuse(self, code):
        save_json(self.root / "expected.json", {"refusal": code})


class V2(Case):
    def __init__(self, name, version="v2.1", camera=True):
        super().__init__(name, camera)
        self.info = {"codebase_version": version, "robot_type": "so100", "total_episodes": 3, "total_frames": 15, "total_tasks": 2,
                     "total_videos": 3, "total_chunks": 1, "chunks_size": 1000, "fps": FPS, "splits": {"train": "0:3"},
                     "data_path": V2_DATA, "video_path": V2_VIDEO, "features": self.features}
        self.types = {}
        self.huggingface = "List"
        self.stats = "meta/stats.json" if version == "v2.0" else "meta/episodes_stats.jsonl"

    def data(self, episode):
        return self.root / V2_DATA.format(episode_chunk=0, episode_index=episode)

    def video(self, episode, key=CAMERA):
        return self.root / V2_VIDEO.format(episode_chunk=0, episode_index=episode, video_key=key)

    def write(self):
        save_json(self.root / "meta/info.json", self.info)
        save_lines(self.root / "meta/tasks.jsonl", [{"task_index": i, "task": t} for i, t in enumerate(self.names)])
        save_lines(self.root / "meta/episodes.jsonl",
                   [{"episode_index": e, "tasks": [self.tasks[e]], "length": n} for e, n in enumerate(self.lengths)])
        (self.root / self.stats).write_text("{}\n")
        for episode, columns in enumerate(self.columns):
            save(self.data(episode), to_table(columns, self.types, self.huggingface))
            if self.camera:
                write_video(self.video(episode), [(f, episode) for f in range(self.lengths[episode])])
        return self


class V3(Case):
    def __init__(self, name, camera=True):
        super().__init__(name, camera)
        self.info = {"codebase_version": "v3.0", "fps": FPS, "features": self.features, "total_episodes": 3, "total_frames": 15,
                     "total_tasks": 2, "chunks_size": 1000, "data_files_size_in_mb": 100, "video_files_size_in_mb": 200,
                     "data_path": V3_DATA, "video_path": V3_VIDEO, "robot_type": "so101", "splits": {"train": "0:3"}}
        self.types = {}
        self.task_column = "task"
        self.huggingface = "List"
        first = np.concatenate([[0], np.cumsum(self.lengths)]).tolist()
        self.table = {
            "episode_index": [0, 1, 2], "tasks": [[t] for t in self.tasks], "length": list(self.lengths),
            "data/chunk_index": [0] * 3, "data/file_index": [0] * 3,
            "dataset_from_index": first[:3], "dataset_to_index": first[1:],
            "stats/action/min": [[0.0, 0.0]] * 3}
        if camera:
            self.table |= {f"videos/{CAMERA}/chunk_index": [0] * 3, f"videos/{CAMERA}/file_index": [0] * 3,
                           f"videos/{CAMERA}/from_timestamp": [f / FPS for f in first[:3]],
                           f"videos/{CAMERA}/to_timestamp": [f / FPS for f in first[1:]]}

    def write(self, ticks=None):
        save_json(self.root / "meta/info.json", self.info)
        (self.root / "meta/stats.json").write_text("{}")
        save(self.root / "meta/tasks.parquet", pa.table({"task_index": list(range(len(self.names))), self.task_column: self.names}))
        self.write_table()
        self.write_rows()
        if self.camera:
            frames = [(f, e) for e, n in enumerate(self.lengths) for f in range(n)]
            write_video(self.root / V3_VIDEO.format(video_key=CAMERA, chunk_index=0, file_index=0), frames, ticks=ticks)
        return self

    def write_table(self):
        save(self.root / "meta/episodes/chunk-000/file-000.parquet", pa.table(self.table))

    def write_rows(self, files=None):
        for number, episodes in enumerate(files or [range(len(self.columns))]):
            tables = [to_table(self.columns[e], self.types, self.huggingface) for e in episodes]
            save(self.root / V3_DATA.format(chunk_index=0, file_index=number), pa.concat_tables(tables))


def v2_cases():
    case = V2("v2.0-converted-from-v1", "v2.0")
    case.features[CAMERA] = camera_feature(names=["height", "width", "channel"], video_info={
        "video.fps": 10.0, "video.codec": "h264", "video.pix_fmt": "yuv420p", "video.is_depth_map": False, "has_audio": False})
    del case.features[CAMERA]["info"]
    case.info |= {"fps": 10.0, "robot_type": "unknown"}
    case.huggingface = "Sequence"
    case.write().expect({"fps-fractional": 1, "video-info-legacy": 1})

    case = V2("v2.1-stats-hybrid")
    case.stats = "meta/stats.json"
    case.write()
    (case.root / "meta/stats.json").write_text('{"action": {"mean": [NaN, -Infinity], "std": [1.0, 2.0]}}')
    case.expect({"stats-hybrid": 1, "json-not-finite": 1})

    case = V2("v2.1-splits", camera=False)
    case.info["splits"] = {"train": "0:1, 2:3", "val": "1:9", "all": ":", "broken": "the first two", "none": "2:2"}
    case.write().expect({"split-episodes-missing": 1, "split-unreadable": 1, "split-empty": 1}, written={"splits-kept": 1},
                        splits=[["train", "all"], ["val", "all"], ["train", "val", "all"]])

    case = V2("v2.1-lines-unordered").write()
    save_lines(case.root / "meta/episodes.jsonl", [{"episode_index": e, "tasks": [case.tasks[e]], "length": case.lengths[e]} for e in (2, 0, 1)])
    save_lines(case.root / "meta/tasks.jsonl", [{"task_index": 1, "task": "place"}, {"task_index": 0, "task": "pick"}])
    case.expect({"tasks-disordered": 1})

    case = V2("v2.1-tasks-missing").write()
    (case.root / "meta/tasks.jsonl").unlink()
    case.expect({"tasks-missing": 1})

    case = V2("v2.1-episode-lines-missing").write()
    (case.root / "meta/episodes.jsonl").unlink()
    (case.root / "images").mkdir()
    (case.root / "images/frame_000000.png").write_bytes(b"left behind")
    case.expect({"metadata-optional-absent": 1, "leftover-images": 1})

    case = V2("v2.1-timestamps-irregular")
    case.columns[1]["timestamp"] = [0.059, 0.141, 0.508, 0.6, 0.7, 0.9]
    case.write().expect({"timestamps-irregular": 1}, features=["action", "observation.state", CAMERA, "observation.source_timestamp"])

    case = V2("v2.1-video-missing-in-one").write()
    case.video(1).unlink()
    case.expect({"video-missing": 1}, left_out=[1])

    case = V2("v2.1-camera-missing-everywhere").write()
    shutil.rmtree(case.root / "videos")
    case.expect({"camera-missing": 1}, features=["action", "observation.state"])

    case = V2("v2.1-videos-are-lfs-pointers").write()
    for episode in range(3):
        case.video(episode).write_text("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n")
    case.expect({"camera-missing": 1}, features=["action", "observation.state"])

    case = V2("v2.1-video-damaged-in-one").write()
    case.video(2).write_bytes(case.video(2).read_bytes()[:700])
    case.expect({"video-unreadable": 1}, left_out=[2])

    case = V2("v2.1-video-frames-differ").write()
    write_video(case.video(0), [(f, 0) for f in range(3)])
    write_video(case.video(2), [(f, 2) for f in range(7)])
    case.expect({"video-frames-differ": 1, "video-frames-spare": 1}, left_out=[0])

    case = V2("v2.1-pandas-output")
    case.huggingface = None
    for columns in case.columns:
        columns["__index_level_0__"] = list(range(len(columns["index"])))
    case.types = {"__index_level_0__": pa.int64(), "action": pa.list_(pa.float64()), "observation.state": pa.list_(pa.float32())}
    case.write().expect({"metadata-parquet-foreign": 1, "feature-undeclared": 1, "feature-dtype-differs": 1})

    case = V2("v2.1-data-files-bad").write()
    case.data(0).write_bytes(case.data(0).read_bytes()[:-40])
    case.data(1).unlink()
    case.expect({"episode-file-unreadable": 1, "episode-rows-missing": 1, "totals-differ": 1}, left_out=[0, 1])

    case = V2("v2.1-rows-disordered")
    case.columns[1]["frame_index"] = [0, 1, 3, 2, 4, 5]
    case.write()
    save_lines(case.root / "meta/episodes.jsonl", [
        {"episode_index": 0, "tasks": ["pick"], "length": 99}, {"episode_index": 0, "tasks": ["pick"], "length": 4},
        {"episode_index": 1, "tasks": ["place"], "length": 6}, {"episode_index": 2, "tasks": ["pick"], "length": 5}])
    case.expect({"episode-rows-disordered": 1, "episode-length-differs": 1, "episode-repeated": 1, "totals-differ": 1}, left_out=[1])

    case = V2("v2.1-numbers-with-a-gap").write()
    save_lines(case.root / "meta/episodes.jsonl", [{"episode_index": e, "tasks": [case.tasks[e]], "length": case.lengths[e]} for e in (0, 2)])
    case.expect({"episode-numbers-gap": 1, "totals-differ": 2}, left_out=[1])

    case = V2("v2.1-names", camera=False)
    state = {"dtype": "float32", "shape": [2]}
    case.features |= {"action": {**state, "names": [["left", "right"]]}, "observation.state": {**state, "names": {"motors": ["left", "right"]}}}
    for name, names in {"x.null": None, "x.flat": ["left", "right"], "x.wrong": ["one", "two", "three"]}.items():
        case.features[name] = {**state, "names": names}
        case.types[name] = pa.list_(pa.float32())
        for columns in case.columns:
            columns[name] = columns["action"]
    case.write().expect({"names-nested": 2, "names-mismatch": 1})

    case = V2("v2.1-dtypes", camera=False)
    extra = {"a.double": ("float64", pa.float64(), [1], lambda f: f / 3), "a.flag": ("bool", pa.bool_(), [1], lambda f: f % 2 == 0),
             "a.byte": ("uint8", pa.uint8(), [1], lambda f: 255 - f), "a.short": ("int16", pa.int16(), [1], lambda f: -f),
             "a.text": ("string", pa.string(), [1], lambda f: f"näme {f}"), "a.list_of_one": ("float32", pa.list_(pa.float32()), [1], lambda f: [float(f)]),
             "a.grid": ("float32", pa.list_(pa.list_(pa.float32())), [2, 2], lambda f: [[f, 1.0], [2.0, -f]]),
             "a/slash": ("int64", pa.int64(), [1], lambda f: 2**60 + f)}
    for name, (dtype, kind, shape, make) in extra.items():
        case.features[name] = {"dtype": dtype, "shape": shape, "names": None}
        case.types[name] = kind
        for columns in case.columns:
            columns[name] = [make(f) for f in columns["frame_index"]]
    case.features |= {"a.complex": {"dtype": "complex64", "shape": [1], "names": None}, "a.absent": {"dtype": "float32", "shape": [1], "names": None}}
    names = ["action", "observation.state"] + [name.replace("/", "_") for name in extra]
    case.write().expect({"array-feature": 1, "feature-name-slash": 1, "feature-unsupported": 1, "feature-absent": 1}, features=names)

    case = V2("v2.1-not-finite", camera=False)
    case.columns[0]["action"][1] = [float("nan"), float("inf")]
    case.write().expect({}, written={"values-not-finite": 1})

    case = V2("v2.1-fps-not-whole", camera=False)
    case.info["fps"] = 9.97
    case.write().expect({"fps-rounded": 1})

    case = V2("v2.1-images-channel-first", camera=False)
    case.features["observation.image"] = {"dtype": "image", "shape": [3, 48, 64], "names": None}
    case.types["observation.image"] = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    for episode, columns in enumerate(case.columns):
        columns["observation.image"] = [{"bytes": encode_png(picture(f, episode)), "path": f"frame_{f:06d}.png"} for f in columns["frame_index"]]
    case.write().expect({"shape-channel-first": 1, "camera-names-unusual": 1}, pictures=["observation.image"])


def encode_png(image):
    context = av.CodecContext.create("png", "w")
    context.width, context.height, context.pix_fmt = 64, 48, "rgb24"
    frame = av.VideoFrame.from_ndarray(image, format="rgb24")
    context.time_base = fractions.Fraction(1, 10)
    return b"".join(bytes(packet) for packet in context.encode(frame) + context.encode())


def v3_cases():
    case = V3("v3.0-lerobot-0.4.0")
    case.task_column = "__index_level_0__"
    order = ["codebase_version", "robot_type", "total_episodes", "total_frames", "total_tasks", "chunks_size", "data_files_size_in_mb",
             "video_files_size_in_mb", "fps", "splits", "data_path", "video_path", "features"]
    case.info = {key: case.info[key] for key in order}
    case.write().expect({"tasks-old-index": 1})

    case = V3("v3.0-converter-output")
    case.table = {key: case.table[key] for key in case.table if key != "tasks" and not key.startswith("stats/")}
    case.features["action"]["fps"] = FPS
    case.huggingface = None
    case.write().expect({"metadata-optional-absent": 1, "metadata-parquet-foreign": 1})

    case = V3("v3.0-subtasks-and-extra-columns")
    case.features["subtask_index"] = {"dtype": "int64", "shape": [1], "names": None}
    case.types["subtask_index"] = pa.int64()
    for columns in case.columns:
        columns["subtask_index"] = [f % 2 for f in columns["frame_index"]]
    case.table["sparse_subtask_names"] = [["reach", "grasp"]] * 3
    case.write()
    save(case.root / "meta/subtasks.parquet", pa.table({"subtask_index": [0, 1], "subtask": ["reach", "grasp"]}))
    case.expect({"subtasks-present": 1, "metadata-extra-columns": 1})

    case = V3("v3.0-language", camera=False)
    call = pa.struct([("name", pa.string()), ("arguments", pa.string())])
    for name, time in {"language_persistent": [("timestamp", pa.float32())], "language_events": []}.items():
        row = pa.struct([("role", pa.string()), ("content", pa.string()), ("style", pa.string()), *time,
                         ("camera", pa.string()), ("tool_calls", pa.list_(call))])
        case.features[name] = {"dtype": "language", "shape": [1], "names": None}
        case.types[name] = pa.list_(row)
    for columns in case.columns:
        persistent = [{"role": "user", "content": "grasp it", "style": "subtask", "timestamp": 0.0, "camera": None, "tool_calls": None}]
        event = [{"role": "assistant", "content": None, "style": None, "camera": None,
                  "tool_calls": [{"name": "say", "arguments": '{"text": "ok"}'}]}]
        columns["language_persistent"] = [persistent] * len(columns["index"])
        columns["language_events"] = [event if f == 2 else [] for f in columns["frame_index"]]
    case.write().expect({"language-present": 2})

    case = V3("v3.0-episode-deleted-by-hand")
    case.columns[2]["index"] = [100 + f for f in range(5)]
    del case.columns[1]
    case.table = {key: [values[0], values[2]] for key, values in case.table.items()}
    case.write().expect({"episode-numbers-gap": 1, "index-rebuilt": 1, "totals-differ": 2}, left_out=[1])

    case = V3("v3.0-splits-with-a-gap", camera=False)
    case.info["splits"] = {"train": "0:1", "val": "1:2"}
    del case.columns[1]
    case.write().expect({"episode-rows-missing": 1, "split-episodes-missing": 1, "totals-differ": 1, "index-rebuilt": 1,
                         "episode-numbers-gap": 1}, left_out=[1], written={"splits-kept": 1}, splits=[["train"], []])

    case = V3("v3.0-splits-edited-after-export", camera=False)
    case.info["splits"] = {"train": "0:1", "val": "1:3"}
    case.write()
    save(case.root / "meta/nmp-episodes.parquet",
         pa.table({"episode_index": [0, 1, 2], "splits": [["train"], ["train"], ["val"]]}))
    case.expect({"splits-differ": 1}, written={"splits-kept": 1}, splits=[["train"], ["val"], ["val"]])

    case = V3("v3.0-splits-in-the-sidecar", camera=False)
    case.info["splits"] = {"val": "1:2"}
    case.write()
    save(case.root / "meta/nmp-episodes.parquet",
         pa.table({"episode_index": [0, 1, 2], "splits": [["train"], ["val"], ["train"]]}))
    case.expect({}, written={"splits-kept": 1}, splits=[["train"], ["val"], ["train"]])

    case = V3("v3.0-tasks-swapped").write()
    save(case.root / "meta/tasks.parquet", pa.table({"task_index": [1, 0], "task": ["place", "pick"]}))
    case.expect({"tasks-disordered": 1})

    case = V3("v3.0-task-table-short").write()
    save(case.root / "meta/tasks.parquet", pa.table({"task_index": [0], "task": ["pick"]}))
    case.expect({"task-unknown": 1}, tasks=[["pick"], [""], ["pick"]])

    case = V3("v3.0-from-timestamp-drifted")
    case.table[f"videos/{CAMERA}/from_timestamp"] = [0.0, 0.47, 1.16]
    case.write().expect({})

    case = V3("v3.0-video-off-grid")
    case.write(ticks=[round(100.65 * f) for f in range(15)]).expect({"video-off-grid": 1})

    case = V3("v3.0-episode-inside-a-gop")
    del case.columns[0]
    case.table = {key: values[1:] for key, values in case.table.items()}
    case.lengths = [4, 6, 5]
    case.write()
    frames = [(0, 5)] * 5 + [(f, e) for e in (1, 2) for f in range(case.lengths[e])]
    write_video(case.root / V3_VIDEO.format(video_key=CAMERA, chunk_index=0, file_index=0), frames)
    case.table[f"videos/{CAMERA}/from_timestamp"] = [0.5, 1.1]
    case.write_table()
    case.expect({"episode-numbers-gap": 1, "index-rebuilt": 1, "totals-differ": 2, "video-start-not-keyframe": 2}, left_out=[0],
                written={"video-encoded": 2})

    case = V3("v3.0-rows-and-table-disagree")
    case.table["length"] = [4, 7, 5]
    case.table["episode_index"] = [0, 1, 7]
    case.write().expect({"episode-length-differs": 1, "episode-rows-missing": 1, "episode-rows-nameless": 1}, left_out=[2])

    case = V3("v3.0-several-data-files", camera=False)
    case.write()
    case.write_rows([[0], [1, 2]])
    case.expect({})

    case = V3("v3.0-one-data-file-damaged", camera=False)
    case.write()
    case.write_rows([[0, 1], [2]])
    path = case.root / V3_DATA.format(chunk_index=0, file_index=1)
    path.write_bytes(path.read_bytes()[:300])
    case.expect({"episode-file-unreadable": 1, "episode-rows-missing": 1, "totals-differ": 1}, left_out=[2])

    case = V3("v3.0-info-with-nan", camera=False)
    case.write()
    text = (case.root / "meta/info.json").read_text().replace('"robot_type": "so101"', '"robot_type": NaN')
    (case.root / "meta/info.json").write_text(text)
    (case.root / "meta/stats.json").unlink()
    case.expect({"json-not-finite": 1, "stats-missing": 1})

    case = V3("v3.0-depth-marker-legacy", camera=False)
    case.features["observation.depth"] = {"dtype": "image", "shape": [48, 64, 1], "names": ["height", "width", "channels"],
                                          "info": {"video.is_depth_map": True}}
    case.types["observation.depth"] = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
    for columns in case.columns:
        columns["observation.depth"] = [{"bytes": encode_depth(f), "path": None} for f in columns["frame_index"]]
    case.write().expect({"depth-marker-legacy": 1})


def encode_depth(frame):
    context = av.CodecContext.create("png", "w")
    context.width, context.height, context.pix_fmt = 64, 48, "gray16be"
    context.time_base = fractions.Fraction(1, 10)
    values = np.full((48, 64), 100 * frame, dtype=">u2")
    shown = av.VideoFrame.from_ndarray(values.astype(np.uint16), format="gray16le").reformat(format="gray16be")
    return b"".join(bytes(packet) for packet in context.encode(shown) + context.encode())


def refusals():
    case = V2("refused-v1.6", camera=False)
    save_json(case.root / "meta_data/info.json", {"codebase_version": "v1.6", "fps": 30, "video": True})
    case.refuse("layout_unsupported")

    case = V2("refused-v4", camera=False)
    case.info["codebase_version"] = "v4.0"
    case.write().refuse("layout_unsupported")

    case = V2("refused-info-missing", camera=False).write()
    (case.root / "meta/info.json").unlink()
    case.refuse("layout_unsupported")

    case = V2("refused-fps-zero", camera=False)
    case.info["fps"] = 0
    case.write().refuse("metadata_invalid")

    case = V2("refused-path-leads-out", camera=False)
    case.info["data_path"] = "../../{episode_index}.parquet"
    case.write().refuse("path_refused")

    case = V2("refused-all-episodes-bad", camera=False).write()
    for episode in range(3):
        case.data(episode).write_bytes(b"PAR1 no footer")
    case.refuse("no_episodes")

    case = V2("refused-json-too-deep", camera=False).write()
    (case.root / "meta/info.json").write_text('{"codebase_version": "v2.1", "features": ' + "[" * 500 + "]" * 500 + "}")
    case.refuse("limit_exceeded")

    case = V3("refused-no-episode-table", camera=False).write()
    shutil.rmtree(case.root / "meta/episodes")
    case.refuse("metadata_invalid")

    root = FOLDER / "refused-not-a-dataset"
    root.mkdir(parents=True, exist_ok=True)
    (root / "notes.txt").write_text("nothing here")
    save_json(root / "expected.json", {"refusal": "layout_unknown"})


v2_cases()
v3_cases()
refusals()
