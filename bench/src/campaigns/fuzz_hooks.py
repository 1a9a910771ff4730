"""Lets schemathesis reach real things: identifiers it would never guess are put into most of the requests it makes up.

NMP_FUZZ_VALUES is a file of `fuzz-seed.ts`: {"values": {name: [value, …]}, "operations": {operationId: {name: [value, …]}}, "spared":
{operationId: {name: value}}}. A value of null leaves the parameter out; one that is spared is not sent, also where schemathesis has it from
an answer: the fuzzer would remove itself from its organization. At the end NMP_FUZZ_COUNTS holds how often each operation answered which status.
"""

from __future__ import annotations

import atexit
import json
import os
import random
from collections import Counter, defaultdict
from typing import Any

import schemathesis

with open(os.environ["NMP_FUZZ_VALUES"], encoding="utf-8") as source:
    _seeded = json.load(source)
_random = random.Random(int(os.environ.get("NMP_FUZZ_SEED", "1")))
# Names and ids that the server itself has made: a chain of calls goes on with them.
_seen: set[str] = set()
_MOST_SEEN = 20_000
_counts: defaultdict[str, Counter[int]] = defaultdict(Counter)


@atexit.register
def write_counts() -> None:
    with open(os.environ["NMP_FUZZ_COUNTS"], "w", encoding="utf-8") as target:
        json.dump(_counts, target)


@schemathesis.hook
def before_call(context: Any, case: Any, kwargs: Any) -> None:
    # Each request comes from an address of its own: a hundred bad credentials of one are told to wait.
    case.headers = {**(case.headers or {}), "X-Forwarded-For": f"10.{_random.randrange(256)}.{_random.randrange(256)}.{_random.randrange(256)}"}
    operation = case.operation.definition.raw.get("operationId", "")
    known = {**_seeded["values"], **_seeded["operations"].get(operation, {})}
    dice = _random.random()
    if dice >= 0.1 or operation == "streamEvents":
        _put_known(case, operation, known, dice)
    for name, value in _seeded["spared"].get(operation, {}).items():
        if (case.path_parameters or {}).get(name) == value:
            case.path_parameters[name] = known[name][0]


def _put_known(case: Any, operation: str, known: dict[str, list[Any]], dice: float) -> None:
    if operation == "streamEvents":
        # Without an end of its own a stream lives for ten minutes.
        case.query = {**(case.query or {}), "seconds": _random.choice([0, 0, 0, 1])}
    kept = _seen if case.meta is not None and case.meta.phase.name == "stateful" else set()
    for parameters in (case.path_parameters, case.query):
        # One in ten has right values in some places only.
        _replace(parameters, known, kept, 1.0 if dice > 0.2 else 0.5)
    if isinstance(case.body, (dict, list)) and dice > 0.2:
        _replace_inside(case.body, known, kept)


def _replace(parameters: Any, known: dict[str, list[Any]], kept: set[str], share: float) -> None:
    for name in list(parameters or {}):
        if name not in known or _random.random() > share or _is_kept(parameters[name], kept):
            continue
        value = _random.choice(known[name])
        if value is None:
            del parameters[name]
        else:
            parameters[name] = value


def _replace_inside(body: Any, known: dict[str, list[Any]], kept: set[str]) -> None:
    if isinstance(body, list):
        for part in body:
            _replace_inside(part, known, kept)
        return
    if not isinstance(body, dict):
        return
    for name, value in list(body.items()):
        if f"body.{name}" in known and not _is_kept(value, kept):
            chosen = _random.choice(known[f"body.{name}"])
            if chosen is None:
                del body[name]
            else:
                body[name] = chosen
        else:
            _replace_inside(value, known, kept)


def _is_kept(value: Any, kept: set[str]) -> bool:
    return isinstance(value, str) and value in kept


@schemathesis.hook
def after_call(context: Any, case: Any, response: Any) -> None:
    _counts[case.operation.definition.raw.get("operationId", "")][response.status_code] += 1
    if response.status_code != 201 or len(_seen) > _MOST_SEEN:
        return
    try:
        item = response.json()["item"]
    except (ValueError, KeyError, TypeError):
        return
    _seen.update(value for name in ("id", "slug", "project_slug", "org_slug") if isinstance(value := item.get(name), str))
