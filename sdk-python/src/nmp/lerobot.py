"""A version as a folder that `LeRobotDataset` opens."""

from __future__ import annotations

import os
import shutil
import tarfile
from pathlib import Path
from typing import Any

from .errors import DownloadFailed


def default_cache() -> Path:
    return Path(os.environ.get("NMP_CACHE") or Path.home() / ".cache" / "nmp")


def unpack(archive: Path, folder: Path) -> None:
    """All of it or nothing: it has its name when it is whole. Only plain files below the folder are taken."""
    scratch = folder.with_name(f"{folder.name}.unpacking")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    with tarfile.open(archive) as tar:
        for member in tar:
            target = (scratch / member.name).resolve()
            if member.isdir():
                continue
            content = tar.extractfile(member) if member.isfile() else None
            if content is None or not target.is_relative_to(scratch.resolve()):
                raise DownloadFailed(f"{archive} holds {member.name}, which does not belong in a dataset.")
            target.parent.mkdir(parents=True, exist_ok=True)
            with open(target, "wb") as sink:
                shutil.copyfileobj(content, sink, 1 << 20)
    shutil.rmtree(folder, ignore_errors=True)
    # Exports of before 2026-11-18 have no top folder.
    top = scratch / "lerobot"
    (top if top.is_dir() else scratch).rename(folder)
    shutil.rmtree(scratch, ignore_errors=True)


def open_dataset(repo_id: str, folder: Path, options: dict[str, Any]) -> Any:
    try:
        from lerobot.datasets.lerobot_dataset import LeRobotDataset  # type: ignore[import-not-found,unused-ignore]
    except ImportError as error:
        raise ImportError(
            f"The dataset is in {folder}; to open it here, install lerobot 0.4 or newer: pip install lerobot."
        ) from error
    return LeRobotDataset(repo_id, root=folder, **options)
