"""Holds targets against the LeRobot v3 dataset of the same source: `targets_check.py KEY SETTINGS V3 FOLDER ...`, four words a target.

Each is read by the tool that people read it with, in the environment that has it; a line `ok …` or `FAILED …` per target.
"""

import importlib
import json
import sys
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "targets"))

from pictures import codes  # noqa: E402
from truth import Truth  # noqa: E402

MODULES = {
    "openpi-norm-stats": "openpi_norm_stats",
    "lerobot-v2.1": "lerobot_v21",
    "gr00t": "gr00t_layout",
    "mcap": "mcap_files",
    "robomimic": "robomimic_file",
    "rlds": "rlds",
    "zarr": "zarr_store",
    # By code that no registry has; bench/src/targets/own-readers.ts puts it on the path.
    "lerobot-v2.1@lerobot": "lerobot_v21",
    "openpi-norm-stats@openpi": "openpi_own",
    "gr00t@Isaac-GR00T": "gr00t_own",
    "zarr@diffusion_policy": "replay_buffer",
    "zarr@universal_manipulation_interface": "replay_buffer",
}


def main(words):
    failed = 0
    truth = None
    # All of one source, then all of the next: only one is held in memory.
    for key, settings, v3, folder in sorted((words[at : at + 4] for at in range(0, len(words), 4)), key=lambda four: four[2]):
        name = f"{key} of {Path(v3).parent.name} {settings}"
        try:
            module = importlib.import_module(MODULES[key])
            codes["read"] = 0
            if truth is None or truth.root != Path(v3):
                truth = Truth(v3)
            said = module.check(truth, folder, json.loads(settings))
            shown = f", {codes['read']} bar codes" if codes["read"] else ""
            print(f"ok {name}: {said}{shown}", flush=True)
        except Exception as error:  # every kind of failure of a reader is a failure of the target
            traceback.print_exc(limit=4)
            print(f"FAILED {name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
            failed += 1
    return 1 if failed else 0


sys.exit(main(sys.argv[1:]))
