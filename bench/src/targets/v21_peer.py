"""`v21_peer.py SCRIPT SOURCE`: a LeRobot v3 dataset as v2.1 by GR00T's `convert_v3_to_v2.py` or any4lerobot's script of the same kind, in place; prints its seconds without loading code."""

import importlib.util
import inspect
import sys
import time
from pathlib import Path

script, source = sys.argv[1:]
spec = importlib.util.spec_from_file_location("peer", script)
peer = importlib.util.module_from_spec(spec)
sys.modules["peer"] = peer
spec.loader.exec_module(peer)
folder = Path(source)
# GR00T's takes the folder above the dataset's as root, any4lerobot's the dataset's own.
takes_above = "force_conversion" in inspect.signature(peer.convert_dataset).parameters
begun = time.perf_counter()
peer.convert_dataset(repo_id=folder.name, root=folder.parent if takes_above else folder)
print(time.perf_counter() - begun)
