"""MCAP files by the stock Python reader: every message decoded by its own schema, video by Foxglove's rules and by PyAV."""

import io
import json
from pathlib import Path

import av
import numpy as np
from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage
from foxglove_schemas_protobuf.CompressedVideo_pb2 import CompressedVideo
from google.protobuf.descriptor_pb2 import FileDescriptorProto, FileDescriptorSet
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from pictures import compare, is_grey
from PIL import Image

CODECS = {"h264": "h264", "h265": "hevc", "av1": "libdav1d", "vp9": "vp9"}


def check(truth, folder, settings):
    paths = sorted(Path(folder).glob("*.mcap"))
    assert len(paths) == len(truth.episodes), len(paths)
    frames = sum(check_episode(truth, episode, path, settings) for episode, path in enumerate(paths))
    return f"{frames} frames of {len(truth.cameras)} cameras in {len(paths)} files"


def check_episode(truth, episode, path, settings):
    with open(path, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
        summary = reader.get_summary()
        assert summary.chunk_indexes and summary.statistics, "no index"
        wanted = "zstd" if settings.get("compression") == "zstd" else ""
        assert all(chunk.compression == wanted for chunk in summary.chunk_indexes)
        for schema in summary.schemas.values():
            check_schema(schema)
        topics = {}
        for _, channel, message, decoded in reader.iter_decoded_messages(log_time_order=False):
            at = decoded.timestamp.seconds * 10**9 + decoded.timestamp.nanos
            assert at == message.log_time, (at, message.log_time)
            topics.setdefault(channel.topic, (channel, []))[1].append((message.log_time, decoded))
        times = [message.log_time for _, _, message in reader.iter_messages(log_time_order=False)]
        assert times == sorted(times), "messages are not in the order of their times"
        (episode_facts,) = list(reader.iter_metadata())
    length = truth.episodes[episode]["length"]
    assert episode_facts.metadata["length"] == str(length)
    assert json.loads(episode_facts.metadata["tasks"]) == list(dict.fromkeys(truth.frame_tasks(episode)))
    grid = [round(frame * 1e9 / truth.fps) for frame in range(length)]
    check_tasks(truth, episode, topics.pop("/task")[1], grid)
    by_feature = {channel.metadata["feature"]: (channel, messages) for channel, messages in topics.values()}
    assert set(by_feature) == set(truth.numbers) | set(truth.cameras) | set(truth.features("string", "language"))
    for name, (channel, messages) in by_feature.items():
        assert [time for time, _ in messages] == grid, f"{name} is off the grid"
        decoded = [message for _, message in messages]
        if name in truth.cameras:
            check_camera(truth, episode, name, decoded, settings)
        elif name in truth.numbers:
            wanted = truth.column(episode, name)
            found = np.array([list(message.values) for message in decoded]).astype(wanted.dtype)
            np.testing.assert_array_equal(found.reshape(wanted.shape), wanted, name)
        elif name in truth.features("string"):
            assert [message.value for message in decoded] == [row[name] for row in truth.episode_rows(episode)], name
        else:
            for message, row in zip(decoded, truth.episode_rows(episode), strict=True):
                assert [one["content"] for one in json.loads(message.value)] == [one["content"] for one in row[name]]
    return length


def check_schema(schema):
    """Those that Foxglove knows by name have its fields."""
    known = {"foxglove.CompressedVideo": CompressedVideo, "foxglove.CompressedImage": CompressedImage}.get(schema.name)
    assert schema.encoding == "protobuf"
    if known is None:
        return
    wanted = FileDescriptorProto()
    known.DESCRIPTOR.file.CopyToProto(wanted)
    found = {file.name: file for file in FileDescriptorSet.FromString(schema.data).file}

    def fields(file):
        return {(f.name, f.number, f.type, f.label, f.type_name) for f in file.message_type[0].field}

    assert fields(found[wanted.name]) == fields(wanted), schema.name
    assert list(found[wanted.name].dependency) == list(wanted.dependency)


def check_tasks(truth, episode, messages, grid):
    changes, shown = [], None
    for time, task in zip(grid, truth.frame_tasks(episode), strict=True):
        if task != shown:
            changes.append((time, task))
        shown = task
    assert [(time, message.value) for time, message in messages] == changes, "tasks differ"


def check_camera(truth, episode, name, messages, settings):
    assert all(message.frame_id == name for message in messages)
    if truth.info["features"][name]["dtype"] == "image":
        found = [np.asarray(Image.open(io.BytesIO(message.data)).convert("RGB")) for message in messages]
        for frame, picture in enumerate(truth.pictures(episode, name)):
            np.testing.assert_array_equal(found[frame], picture)
        return
    (form,) = {message.format for message in messages}
    copied = settings.get("video", "copy") == "copy" or is_grey(truth, name)
    units = [UNITS[form](message.data) for message in messages]
    assert units[0][0], "the first message is no keyframe"
    if settings.get("video") == "h264" and not is_grey(truth, name):
        assert form == "h264", form
    packets = truth.packets(episode, name)
    if copied and form == "av1":
        same = sum(message.data.endswith(packet) for message, packet in zip(messages, packets, strict=True))
        assert same == len(packets), f"only {same} of {len(packets)} packets were copied"
    decoder = av.CodecContext.create(CODECS[form], "r")
    decoder.thread_count = 1
    shown = 0
    wanted = truth.pictures(episode, name)
    # Each message is a packet of its own, with nothing from the container beside it.
    for message in [*messages, None]:
        for picture in decoder.decode(av.Packet(message.data) if message else None):
            compare(picture.to_ndarray(format="rgb24"), next(wanted), copied, f"{name} {episode}/{shown}")
            shown += 1
    assert shown == len(messages), f"{shown} of {len(messages)} pictures were decoded"


def annex_b(kind_of, keyframes, needed):
    def split(data):
        assert data.startswith(b"\0\0\0\1"), "no start code"
        kinds = [kind_of(unit[0]) for unit in data.split(b"\0\0\0\1")[1:]]
        is_key = any(kind in keyframes for kind in kinds)
        assert not is_key or needed <= set(kinds), f"a keyframe without parameter sets: {kinds}"
        return is_key, kinds

    return split


def temporal_unit(data):
    assert data[:2] == b"\x12\x00", "no temporal delimiter"
    kinds, at = [], 0
    while at < len(data):
        assert data[at] & 2, "a unit without its size"
        kinds.append(data[at] >> 3 & 15)
        at += 2 if data[at] & 4 else 1
        size = shift = 0
        while True:
            byte = data[at]
            size |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                break
        at += size
    assert at == len(data) and kinds.count(2) == 1, kinds
    return 1 in kinds, kinds


UNITS = {
    "h264": annex_b(lambda byte: byte & 31, {5}, {7, 8}),
    "h265": annex_b(lambda byte: byte >> 1 & 63, set(range(16, 24)), {32, 33, 34}),
    "av1": temporal_unit,
    "vp9": lambda data: (True, []),
}
