"""docs/tutorials/python.md, every block in order."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

pytest.importorskip("lerobot", reason="lerobot is not installed")
PAGE = Path(__file__).parents[2] / "docs" / "tutorials" / "python.md"


def test_the_tutorial(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(source, tmp_path / "my-dataset")
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    exec(compile("\n".join(blocks), str(PAGE), "exec"), {})
    said = capsys.readouterr().out
    assert re.search(r"^2 116 tensor\(", said, re.MULTILINE)
    assert re.search(r"^404 not_found There is nothing here", said, re.MULTILINE)
