"""encoder_grid_peer.py ORIGINAL FRAMES FPS VIDEO…: pictures a second of the processor in random order, size and PSNR of each.

The videos take turns, and the best round counts: so that what else the machine does meets them all.
"""

import sys
import time
from pathlib import Path

import av  # noqa: F401  brings the FFmpeg that torchcodec finds
import numpy as np
import torch
from torchcodec.decoders import VideoDecoder

original, frames, fps, *paths = sys.argv[1:]
count = int(frames)
ROUNDS = 5
ASKED = 150
LOOKED_AT = 15

torch.set_num_threads(1)
order = torch.randperm(count, generator=torch.Generator().manual_seed(7)).tolist()[:ASKED]
decoders = [VideoDecoder(path, seek_mode="approximate") for path in paths]
best = [0.0] * len(paths)
for _ in range(ROUNDS):
    for place, decoder in enumerate(decoders):
        begun = time.process_time()
        for frame in order:
            # In the middle of a frame, as a loader asks by time.
            decoder.get_frames_played_at([(frame + 0.25) / int(fps)])
        best[place] = max(best[place], len(order) / (time.process_time() - begun))

source = VideoDecoder(original, seek_mode="approximate")
looked = {frame: source[frame].numpy().astype(np.float32) for frame in range(0, count, LOOKED_AT)}
for path, decoder, rate in zip(paths, decoders, best, strict=True):
    errors = [np.mean((decoder[frame].numpy() - picture) ** 2) for frame, picture in looked.items()]
    psnr = 10 * np.log10(255**2 / np.mean(errors))
    print(f"{Path(path).stem:22s} {rate:5.0f} pictures/s {Path(path).stat().st_size / 1e6:6.3f} MB {psnr:6.2f} dB")
