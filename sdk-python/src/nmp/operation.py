from __future__ import annotations

import re
import secrets
from dataclasses import dataclass
from typing import Any, Literal, Mapping
from urllib.parse import quote

from .effects import Send, Steps
from .retry import with_retries


@dataclass(frozen=True)
class Operation:
    """What must be known about an operation to call it; the generated modules hold one for each operation id."""

    id: str
    method: str
    path: str
    query: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    answers_bytes: bool = False
    paging: Literal["cursor", "offset"] | None = None
    repeatable: bool = False
    takes_key: bool = False

    def call(self, values: Mapping[str, Any], body: Any = None) -> Steps[Any]:
        request = self._build(values, body)

        def attempt() -> Steps[Any]:
            response = yield request
            return response if self.answers_bytes else response.json()

        repeatable = self.repeatable or self.takes_key
        return (yield from with_retries(attempt, repeatable=repeatable))

    def _build(self, values: Mapping[str, Any], body: Any) -> Send:
        params: list[tuple[str, str]] = []
        for name in self.query:
            value = values.get(name)
            if value is not None:
                params.extend((name, _text(one)) for one in (value if isinstance(value, (list, tuple)) else [value]))
        headers = {name: str(values[name]) for name in self.headers if values.get(name) is not None}
        if self.takes_key and isinstance(body, dict) and not body.get("idempotency_key") and "idempotency-key" not in headers:
            # A key of our own makes a creating call safe to repeat: the second one answers what the first one made.
            body = {**body, "idempotency_key": secrets.token_hex(16)}
        return Send(self.method, self._fill(values), params=params, headers=headers, json=body)

    def _fill(self, values: Mapping[str, Any]) -> str:
        def value_of(match: re.Match[str]) -> str:
            value = values.get(match[1])
            if value is None or value == "":
                raise ValueError(f"{self.id} needs {match[1]}.")
            return quote(str(value), safe="")

        return re.sub(r"\{(\w+)\}", value_of, self.path)


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
