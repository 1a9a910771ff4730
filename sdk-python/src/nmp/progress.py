from __future__ import annotations

import sys
import time
from typing import Callable, TextIO


def print_progress(label: str = "", stream: TextIO | None = None) -> Callable[[int, int], None]:
    """A bar for `on_progress` of uploads and downloads: drawn over on a terminal, silent elsewhere."""
    target = stream or sys.stderr
    drawn_at = 0.0
    began = time.monotonic()

    def draw(done: int, total: int) -> None:
        nonlocal drawn_at
        now = time.monotonic()
        if not target.isatty() or (now - drawn_at < 0.1 and done < total):
            return
        drawn_at = now
        share = done / total if total else 1.0
        bar = "#" * round(share * 24)
        rate = done / max(1e-9, now - began) / 1e6
        end = "\n" if done >= total else ""
        target.write(f"\r\x1b[K{label} [{bar:-<24}] {share:4.0%} {done / 1e6:.1f} of {total / 1e6:.1f} MB, {rate:.1f} MB/s{end}")
        target.flush()

    return draw
