"""HDF5 files made to do harm, for formats/src/containers/hdf5/bombs.test.ts. Run: python generate.py (h5py, numpy)."""

import bz2
import pathlib
import struct
import zlib

import h5py
import numpy as np

FOLDER = pathlib.Path(__file__).parent


def make(name, **options):
    return h5py.File(FOLDER / f"{name}.h5", "w", **options)


# What a stored chunk of 100 rows says to the filter that unpacks it. The numbers are those of the filters' registry.
GIGABYTE = 1 << 30
FILTERS = {
    "none": (1, [9], zlib.compress(bytes(1600))),
    # A stream that goes on behind the end of the chunk.
    "gzip": (1, [9], zlib.compress(bytes(GIGABYTE // 4), 9)),
    "bzip2": (307, [9], bz2.compress(bytes(GIGABYTE), 9)),
    # Headers of a few bytes that name the size to be allocated.
    "lz4": (32004, [0], struct.pack(">QII", 1 << 60, GIGABYTE, 4) + bytes(4)),
    "lz4-gigabyte": (32004, [0], struct.pack(">QII", GIGABYTE, GIGABYTE, 4) + bytes(4)),
    "bitshuffle": (32008, [0, 4, 4, 0, 2], struct.pack(">QI", 1 << 60, 1 << 30) + bytes(16)),
    "zstd": (32015, [3], bytes.fromhex("28b52ffd") + b"\xe0" + struct.pack("<Q", (1 << 31) - 1) + bytes.fromhex("010000")),
    "blosc": (32001, [2, 2, 4, 0, 5, 1, 1], struct.pack("<BBBBIII", 2, 1, 0x21, 4, (1 << 31) - 1, 1 << 30, 64) + bytes(48)),
    "blosc2": (32026, [2, 2, 4, 0, 5, 1, 1], struct.pack("<BBBBIII", 5, 1, 0x21, 4, (1 << 31) - 1, 1 << 30, 64) + bytes(48)),
    "lzf": (32000, [4, 0x4000, 0x7FFFFFFF], b"\xff" * 64),
}


def make_filtered(name, number, options, stored):
    """Actions as they should be, and states whose only chunk is `stored`."""
    with make(f"filter-{name}") as f:
        f["action"] = np.zeros((100, 2), "f4")
        f["observations/qvel"] = np.zeros((100, 2), "f4")
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((100, 4))
        # Optional, so that it can be named where it is not installed.
        creation.set_filter(number, h5py.h5z.FLAG_OPTIONAL, tuple(options))
        space = h5py.h5s.create_simple((100, 4))
        states = h5py.h5d.create(f["observations"].id, b"qpos", h5py.h5t.IEEE_F32LE, space, creation)
        states.write_direct_chunk((0, 0), stored)


# Filters of the library itself take their numbers from the shape, so that only a changed file can say otherwise: how many values there
# are to scale and offset, and to nbit (which is also told to unpack 12 bits of each). The stored chunk of szip begins with its size.
BUILT_IN = {
    "scaleoffset": (6, {2: (1 << 31) - 1}, struct.pack("<IBQ", 31, 8, 0) + bytes(16)),
    "scaleoffset-gigabyte": (6, {2: 1 << 28}, struct.pack("<IBQ", 31, 8, 0) + bytes(16)),
    "nbit": (5, {1: 0, 2: (1 << 31) - 1, 6: 12}, bytes(64)),
    "szip": (4, {}, struct.pack("<I", (1 << 32) - 1) + b"\xff" * 64),
}


def make_built_in(name, number, lies, stored):
    """As `make_filtered`, by a filter of the library."""
    path = FOLDER / f"filter-{name}.h5"
    with make(f"filter-{name}") as f:
        f["action"] = np.zeros((100, 2), "f4")
        f["observations/qvel"] = np.zeros((100, 2), "f4")
        creation = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        creation.set_chunk((100, 4))
        creation.set_filter(number, h5py.h5z.FLAG_MANDATORY, {4: (4, 16), 5: (), 6: (0, 4)}[number])
        space = h5py.h5s.create_simple((100, 4))
        states = h5py.h5d.create(f["observations"].id, b"qpos", h5py.h5t.IEEE_F32LE, space, creation)
        states.write_direct_chunk((0, 0), stored)
        numbers = states.get_create_plist().get_filter(0)[2]
    told = struct.pack(f"<{len(numbers)}I", *numbers)
    lying = struct.pack(f"<{len(numbers)}I", *(lies.get(index, value) for index, value in enumerate(numbers)))
    content = path.read_bytes()
    assert content.count(told) == 1
    path.write_bytes(content.replace(told, lying))


def main():
    (FOLDER / "secret.txt").write_text("the secret of another tenant\n")
    with make("external-storage") as f:
        f.create_dataset("stolen", (29,), "u1", external=[("secret.txt", 0, 29)])
        f["action"] = np.zeros((4, 2))
    with make("external-storage-absolute") as f:
        f.create_dataset("stolen", (16,), "u1", external=[("/etc/passwd", 0, 16)])
    with make("external-link") as f:
        f["inside"] = np.zeros(3)
        f["stolen"] = h5py.ExternalLink("victim.h5", "/data")
    with make("external-link-in-path") as f:
        f["group"] = h5py.ExternalLink("victim.h5", "/")
        f["stolen"] = h5py.SoftLink("/group/data")
    with make("victim") as f:
        f["data"] = np.frombuffer(b"the secret of another tenant", np.uint8)
    with make("virtual") as f:
        layout = h5py.VirtualLayout((28,), "u1")
        layout[:] = h5py.VirtualSource("victim.h5", "data", (28,))
        f.create_virtual_dataset("stolen", layout)
    with make("lattice") as f:
        group = f
        for _ in range(40):
            below = group.create_group("a")
            group["b"] = below
            group = below
        group["action"] = np.zeros((3, 2))
    with make("ring") as f:
        group = f.create_group("a/b")
        group["back"] = f["a"]
        f["soft"] = h5py.SoftLink("/loop")
        f["loop"] = h5py.SoftLink("/soft")
        f["action"] = np.zeros((3, 2))
    with make("deep", libver="latest") as f:
        group = f
        for _ in range(400):
            group = group.create_group("g")
    with make("chunk-bomb") as f:
        f.create_dataset("big", (2**28,), "u1", chunks=(2**28,), compression="gzip", compression_opts=9)[:1] = 1
        f["action"] = np.zeros((3, 2))
    with make("shape-bomb") as f:
        f.create_dataset("big", (2**50,), "u1", chunks=(1024,))
        f.create_dataset("wide", (4, 2**40), "f8", chunks=(1, 1024))
    with make("shape-bomb-2-60") as f:
        f.create_dataset("big", (2**60,), "u1", chunks=(1024,))
    with make("unwritten") as f:
        f.create_dataset("observations/images/top", (1000, 480, 640, 3), "u1", chunks=(1, 480, 640, 3))
        f["action"] = np.zeros((1000, 2))
    with make("image-path") as f:
        paths = ["../secret.jpg", "/etc/hostname.jpg", "http://127.0.0.1/x.jpg", "file:///etc/passwd.jpg"]
        f.create_dataset("camera/color/front", data=paths, dtype=h5py.string_dtype())
        f["timestamp"] = np.arange(4) / 30
        f["arm/jointStatePosition/puppetLeft"] = np.zeros((4, 7))
    for name, (number, options, stored) in FILTERS.items():
        make_filtered(name, number, options, stored)
    for name, (number, lies, stored) in BUILT_IN.items():
        make_built_in(name, number, lies, stored)


main()
