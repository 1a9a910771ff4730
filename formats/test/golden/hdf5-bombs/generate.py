"""HDF5 files made to do harm, for formats/src/containers/hdf5/bombs.test.ts. Run: python generate.py (h5py, numpy)."""

import pathlib

import h5py
import numpy as np

FOLDER = pathlib.Path(__file__).parent


def make(name, **options):
    return h5py.File(FOLDER / f"{name}.h5", "w", **options)


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


main()
