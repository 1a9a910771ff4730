"""`rlds_peer.py SOURCE OUT`: a LeRobot v3 dataset as RLDS by the builder of tensorflow_datasets, as such converters are written; prints its seconds."""

import sys
import time
from pathlib import Path

import numpy as np
import tensorflow  # noqa: F401  tensorflow_datasets loads it when it is first used, which is no part of the work
import tensorflow_datasets as tfds

sys.path.insert(0, str(Path(__file__).parents[3] / "formats/test/python/targets"))

from truth import Truth  # noqa: E402

source, out = sys.argv[1:]
begun = time.perf_counter()
truth = Truth(source)
features = tfds.features


class Peer(tfds.core.GeneratorBasedBuilder):
    VERSION = tfds.core.Version("1.0.0")

    def _info(self):
        tensors = {
            name: features.Tensor(shape=one["shape"], dtype=np.dtype(one["dtype"]).type)
            for name, one in truth.numbers.items()
        }
        images = {
            name: features.Image(shape=one["shape"], encoding_format="jpeg") for name, one in truth.cameras.items()
        }
        steps = features.Dataset({**tensors, **images, "language_instruction": features.Text()})
        return tfds.core.DatasetInfo(builder=self, features=features.FeaturesDict({"steps": steps}))

    def _split_generators(self, dl_manager):
        return {"train": self._generate_examples()}

    def _generate_examples(self):
        for episode in range(len(truth.episodes)):
            columns = {name: truth.column(episode, name) for name in truth.numbers}
            pictures = {name: truth.pictures(episode, name) for name in truth.cameras}
            steps = []
            for frame, task in enumerate(truth.frame_tasks(episode)):
                step = {name: np.asarray(values[frame]) for name, values in columns.items()}
                step.update({name: next(frames) for name, frames in pictures.items()})
                steps.append({**step, "language_instruction": task})
            yield episode, {"steps": steps}


Peer(data_dir=out).download_and_prepare()
print(time.perf_counter() - begun)
