"""RLDS by TensorFlow Datasets itself: every step of every episode, in order."""

import re
from pathlib import Path

import numpy as np
import tensorflow_datasets as tfds
from pictures import compare, is_grey

KNOWN = {"action": "action", "next.reward": "reward", "next.done": "is_terminal"}


def place(name):
    if name in KNOWN:
        return (KNOWN[name],)
    inside = re.fullmatch(r"observation\.(?:images\.)?(.+)", name)
    plain = re.sub(r"[^A-Za-z0-9_]", "_", inside[1] if inside else name)
    return ("observation", plain) if inside else (plain,)


def take(step, name):
    for key in place(name):
        step = step[key]
    return step


def check(truth, folder, settings):
    (directory,) = Path(folder).glob("*/1.0.0")
    builder = tfds.builder_from_directory(directory)
    assert builder.info.name == settings.get("name", "nmp_dataset"), builder.info.name
    count = sum(split.num_examples for split in builder.info.splits.values())
    assert count == len(truth.episodes), count
    names = [*truth.numbers, *truth.features("string"), *truth.cameras]
    found = describe(builder.info.features["steps"].feature)
    own = {("discount",), ("is_first",), ("is_last",), ("is_terminal",), ("language_instruction",), ("reward",)}
    language = {place(name) for name in truth.features("language")}
    assert found == {place(name) for name in names} | own | language, found
    config = tfds.ReadConfig(interleave_cycle_length=1)
    steps = 0
    for split in builder.info.splits:
        numbers = []
        for example in tfds.as_numpy(builder.as_dataset(split=split, shuffle_files=False, read_config=config)):
            episode = int(example["episode_metadata"]["episode_index"])
            numbers.append(episode)
            steps += check_episode(truth, episode, example["steps"], settings)
        assert numbers == sorted(numbers), "episodes are not in order"
    assert steps == len(truth.rows), steps
    shards = sum(split.num_shards for split in builder.info.splits.values())
    return f"{steps} steps of {count} episodes in {shards} shards"


def check_episode(truth, episode, steps, settings):
    rows = truth.episode_rows(episode)
    numbers = {name: truth.column(episode, name) for name in truth.numbers}
    pictures = {name: truth.pictures(episode, name) for name in truth.cameras}
    tasks = truth.frame_tasks(episode)
    frame = -1
    for frame, step in enumerate(steps):
        last = frame == len(rows) - 1
        assert step["language_instruction"].decode() == tasks[frame]
        assert (bool(step["is_first"]), bool(step["is_last"])) == (frame == 0, last)
        if "next.done" not in numbers:
            assert bool(step["is_terminal"]) == last
        assert float(step["discount"]) == 1.0
        for name, values in numbers.items():
            value = take(step, name)
            assert name in KNOWN or value.dtype == values.dtype, (name, value.dtype)
            np.testing.assert_array_equal(np.reshape(value, values[frame].shape), values[frame], name)
        for name in truth.features("string"):
            assert take(step, name).decode() == rows[frame][name]
        for name, wanted in pictures.items():
            check_picture(truth, episode, frame, name, take(step, name), next(wanted), settings)
    return frame + 1


def check_picture(truth, episode, frame, name, found, wanted, settings):
    where = f"{name} {episode}/{frame}"
    if is_grey(truth, name):
        assert found.dtype == np.uint16 and found.shape[2] == 1, (found.dtype, found.shape)
        # PyAV shows the upper 8 of the 12 bits.
        compare(np.repeat(found // 16, 3, axis=2), wanted, True, where)
        return
    stored = truth.info["features"][name]["dtype"] == "image"
    compare(found, wanted, stored or settings.get("images") == "png", where)


def describe(feature, path=()):
    if hasattr(feature, "keys"):
        return set().union(*(describe(feature[key], (*path, key)) for key in feature.keys()))
    return {path}
