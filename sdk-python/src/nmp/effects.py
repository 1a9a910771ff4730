"""What the client's logic asks for. Logic is written once, as generators that yield these; `drivers` does them, waiting or awaited."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Generator, Mapping, TypeVar, Union

T = TypeVar("T")


@dataclass
class Send:
    """One request below the base address; the driver answers the response with its body read. Refusals are raised."""

    method: str
    path: str
    params: list[tuple[str, str]] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)
    json: Any = None
    content: bytes | None = None
    timeout_seconds: float = 60.0


@dataclass
class Fetch:
    """A signed address, read in pieces; no credential goes along. `begin` sees status and headers before the first piece."""

    url: str
    headers: dict[str, str]
    begin: Callable[[int, Mapping[str, str]], None]
    take: Callable[[bytes], None]


@dataclass
class Listen:
    """Opens a stream of events below the base address; answered with a handle that lives until the run ends or `Hang`."""

    path: str
    params: list[tuple[str, str]]
    headers: dict[str, str] = field(default_factory=dict)


@dataclass
class NextEvent:
    """The next event of a stream; `None` when the server has ended it."""

    stream: Any


@dataclass
class Hang:
    """Ends a stream before the run does."""

    stream: Any


@dataclass
class Sleep:
    seconds: float


@dataclass
class Block:
    """Work on files: a thread of its own where others wait on the event loop."""

    work: Callable[[], Any]


@dataclass
class Together:
    """Several at a time, at most `limit`; the first failure ends the others."""

    tasks: list["Steps[Any]"]
    limit: int


Effect = Union[Send, Fetch, Listen, NextEvent, Hang, Sleep, Block, Together]
Steps = Generator[Effect, Any, T]
