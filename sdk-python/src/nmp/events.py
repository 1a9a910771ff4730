"""Server-sent events, by the rules of the HTML standard, section 9.2.6."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass


@dataclass(frozen=True)
class ServerEvent:
    name: str
    data: str
    id: str | None


class EventReader:
    """Takes a stream piece by piece; `events` holds what is whole. Lines end as the standard says, not as `str.splitlines` does:
    JSON may hold U+2028 as it is."""

    def __init__(self) -> None:
        self.events: deque[ServerEvent] = deque()
        self._rest = ""
        self._name = ""
        self._id: str | None = None
        self._data: list[str] = []

    def take(self, piece: str) -> None:
        *lines, self._rest = re.split(r"\r\n|\n|\r(?!$)", self._rest + piece)
        for line in lines:
            if line != "":
                self._add(line)
                continue
            if self._data:
                self.events.append(ServerEvent(self._name or "message", "\n".join(self._data), self._id))
            self._name, self._data = "", []

    def _add(self, line: str) -> None:
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._name = value
        elif name == "id" and "\0" not in value:
            self._id = value
