"""Writes cases.json: what real FastAPI answers to each request below.

    python3.12 -m venv /tmp/fastapi && /tmp/fastapi/bin/pip install fastapi==0.162.4
    /tmp/fastapi/bin/python server/test/golden/validation/generate.py
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote

from endpoints import app

assert sys.version_info[:2] == (3, 12), "the sentences of json_invalid are those of Python 3.12"

# The requests: (schema, {params, query, headers, body}). A body of type str is sent as it stands, None not at all.

requests: list[tuple[str, dict]] = []


def ask(schema: str, *bodies: Any, **parts) -> None:
    for body in bodies or [None]:
        sent = body if body is None or isinstance(body, str) else json.dumps(body, ensure_ascii=False)
        requests.append((schema, {"params": {}, "query": "", "headers": {}, "body": sent} | parts))


ask("create_token", None, "null", "[]", '"x"', "5", "true", "{}")
ask(
    "create_token",
    {"name": ""},
    {"name": "a" * 101},
    {"name": "😀" * 100},
    {"name": "😀" * 101},
    {"name": None},
    {"name": 5},
    {"name": ["a"]},
    {"name": "a\0b"},
    {"name": "ok"},
    {"name": "ok", "admin": True, "__proto__": {"admin": True}},
    {"name": "ok", "scopes": None, "expires_in_days": None},
    {"name": "ok", "scopes": []},
    {"name": "ok", "scopes": ["workspace:read", "all", 5, None]},
    {"name": "ok", "scopes": "workspace:read"},
    {"name": "ok", "scopes": {"0": "workspace:read"}},
    {"scopes": ["nope"], "expires_in_days": 0},
    {"name": "ok", "expires_in_days": 367},
    {"name": "ok", "expires_in_days": "90"},
    {"name": "ok", "expires_in_days": "soon"},
    {"name": "ok", "expires_in_days": 1.5},
    {"name": "ok", "expires_in_days": True},
    {"name": "ok", "expires_in_days": "999999999999999999999999"},
)
ask("create_token", '{"name": "a", "name": "b"}', '{"name": "a", "expires_in_days": 5.0}', '\ufeff{"name": "bom"}')
ask(
    "update_profile",
    {},
    {"display_name": None},
    {"display_name": "", "timezone": "x" * 65, "default_project_slug": 5},
    {"notification_preferences": {}},
    {"notification_preferences": None},
    {"notification_preferences": []},
    {"notification_preferences": {"transform_done": {"email": "yes", "in_app": 0}, "unknown": {"email": 5}}},
    {"notification_preferences": {"export_ready": {"email": "maybe"}, "import_fail": {"in_app": 2}}},
    {"notification_preferences": {"weekly_digest": True, "episode_flag": {"email": None, "in_app": 0.5}}},
    {"notification_preferences": {"team_invite": {"email": [], "in_app": {}}}},
)
where = {"params": {"org_slug": "acme", "project_slug": "default"}}
ask(
    "lookup_import",
    None,
    {},
    {"idempotency_key": ""},
    {"idempotency_key": "k" * 201},
    {"idempotency_key": "k" * 200, "idempotency_fingerprint": None},
    {"idempotency_key": "k", "idempotency_fingerprint": "0" * 64},
    {"idempotency_key": "k", "idempotency_fingerprint": "0" * 63},
    {"idempotency_key": "k", "idempotency_fingerprint": "0" * 65},
    {"idempotency_key": "k", "idempotency_fingerprint": "A" * 64},
    {"idempotency_key": "k", "idempotency_fingerprint": "0" * 63 + "\n"},
    {"idempotency_key": "k", "idempotency_fingerprint": 5},
    {"idempotency_key": 7, "idempotency_fingerprint": ""},
    **where,
)
ask("lookup_import", {"idempotency_key": "k"}, headers={"authorization": "Bearer x"}, **where)
ask("lookup_import", {"idempotency_key": ""}, params={"org_slug": "a\0b", "project_slug": "é"})
for query in [
    "", "status=queued", "status=done", "status=", "status=QUEUED", "q=", "q=a%00b", "q=" + "x" * 201, "q=%F0%9F%98%80",
    "limit=0", "limit=201", "limit=200", "limit=abc", "limit=", "limit", "limit=1.0", "limit=1.5", "limit=1e2", "limit=%20 7",
    "limit=+7", "limit=%2B7", "limit=1_0", "limit=0x10", "limit=true", "limit=null", "limit=-1", "limit=99999999999999999999",
    "limit=" + "9" * 4301, "limit=5&limit=x", "limit=x&limit=5", "unknown=1&limit=3", "status=x&q=&limit=0", "limit=1;q=",
    "limit=%D9%A3", "limit=%FF", "LIMIT=0", "q=a+b%2Bc&&=&x", "status=queued&status=failed",
]:  # fmt: skip
    ask("list_imports", query=query)
for query in [
    "", "offset=-1", "offset=0&limit=200&q=x&sort=frames&order=desc", "sort=name", "sort=frames%0A", "sort=", "order=up",
    "offset=-1&limit=0&q=&sort=x&order=x", "order=&limit=x", "offset=1.0&limit=%2010%20",
]:  # fmt: skip
    ask("list_episodes", query=query, params={"dataset_id": "ds_1"})
for query in ["", "limit=97", "limit=96&view=last", "view=middle", "view=first%20", "offset=x&limit=0&view=&camera_key="]:
    ask("list_frames", query=query)
for index in ["0", "7", "-1", "abc", "1.5", "1.0", " 3", "%", "é", "٣", "true", "\0"]:
    ask("navigate", params={"episode_index": index})
ask(
    "create_export_jobs",
    {},
    {"artifact_keys": []},
    {"artifact_keys": ["lerobot"]},
    {"artifact_keys": ["lerobot", "lerobot", "lerobot"]},
    {"artifact_keys": ["lerobot"] * 4},
    {"artifact_keys": ["manifest", 5, None, "x"]},
    {"artifact_keys": ["manifest", "lerobot", "LEROBOT"]},
    {"artifact_keys": "lerobot"},
    {"artifact_keys": None},
)
version = {"slug": "v", "name": "V", "source": {"dataset_kind": "catalog", "dataset_id": "ds_1"}, "recipe": {}}
ask("create_version", version, {}, [], version | {"slug": "Not A Slug", "name": "", "source": 5, "recipe": None})
ask("create_version", version | {"source": {}}, version | {"source": {"dataset_kind": "hub", "dataset_id": ""}})
for recipe in [
    {"selected_episode_indices": [0, "1", 2.0, True]},
    {"selected_episode_indices": [0, -1, "x", None, 1.5, {}, []]},
    {"selected_episode_indices": None, "excluded_episode_indices": "1,2"},
    {"first_n_episodes": 0, "camera_keys": ["", 5]},
    {"crop": {"left_pct": 0, "top_pct": "12.5", "width_pct": 100, "height_pct": True}},
    {"crop": {"left_pct": -0.5, "top_pct": 100, "width_pct": 0, "height_pct": 100.5}},
    {"crop": {"left_pct": "nan", "top_pct": "1e400", "width_pct": "wide", "height_pct": None}},
    {"crop": {}},
    {"crop": None, "resize": None, "action": None},
    {"resize": {"width": 640, "height": 480}},
    {"resize": {"width": 63, "height": 4098, "mode": "zoom"}},
    {"resize": {"width": 65, "height": "64.5", "mode": None}},
    {"resize": [640, 480]},
    {"action": {"smoothing_window": 102, "smoothing_mode": "max", "clip_min": "low", "clip_max": [], "scale": "1e3"}},
    {"action": {"smoothing_window": 0.5, "clip_min": "-inf", "scale": False}},
    {"annotation_set_id": 5, "annotation_set_version": "0", "notes": "n" * 2001},
    {"notes": "fine\0"},
]:
    ask("create_version", version | {"recipe": recipe})

ask("shapes", {}, {"required_nullable": None}, {"required_nullable": "x"})


def ask_shape(name: str, *values: Any) -> None:
    ask("shapes", *({"required_nullable": 1, name: value} for value in values))


odd = [None, True, False, 0, 1, 2, -1, 0.5, 1e3, "", " ", "a", "1", "0", "true", "null", [], {}, [1], {"a": 1}]
for kind in ["int", "float", "bool", "str", "anything", "either", "color", "single", "mixed"]:
    ask_shape(kind, *odd)
ask_shape("int", " 5 ", "+5", "-5", "--5", "1_000", "1__0", "_1", "1_", "5.0", "5.", "5.00", "5.5", ".0", "007", "-0", "1e3")
ask_shape("int", "\u00a05", "\u20035\u0085", "\ufeff5", "\u200b5", "\x1c5", "5\0", "+ 5", "1_0.0", "1_.0", "5.0_0", "inf", 1e20)
ask_shape("int", "1" * 4301, "0" * 5000 + "1", "9007199254740991", -9007199254740991)
ask_shape("float", " 5 ", "+5", "1e3", "1E-3", ".5", "5.", ".", "e5", "1e", "1_0.5", " 1_0.5", "1__0", "_1", "1_", "1e1_0")
ask_shape("float", "inf", "-Infinity", "NaN", "+nan", "infinit", "0x1", "1d5", "- 5", "٣", "\u00a05", "\ufeff5", "1" * 400)
ask_shape("bool", "TRUE", "t", "yes", "Y", "on", "oFF", "no", "n", "F", " true", "true ", "2", "maybe", 1.0, 0.0, 2.0, "ŧrue")
ask_shape("bounded", 0.5, 9.5, 0.51, "9.49", 10**300, -1e300)
ask_shape("even", 1, 2, "3", -4)
ask_shape("short", "aa", "😀", "😀😀", "\0", "\0\0")
ask_shape("color", "red", "RED", "purple")
ask_shape("numbers", 1, 4, "1", 2.0)
ask_shape("quoted", "it's", "no")
ask_shape("pair", [], [1], [1, 2], [1, 2, 3], ["a", "b", "c"], ["a"], ["a", "b"], "12", {"0": 1})
ask_shape("models", [], [{"x": 1}, {"x": "2", "z": 3}], [5, None, {"x": "q"}, {}], {"x": 1})
ask_shape("counts", {}, {"a": "1"}, {"a": "q", "b": None}, [], "a", {"constructor": 1, "toString": 2})
ask_shape("few", {}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": "x", "b": 2, "c": 3})
ask_shape("keyed", {"a": {"x": 1}}, {"A": {"x": 1}}, {"A": {"x": "q"}, "b": 5})
ask_shape("free", {"a": {"b": [1, "2", None]}}, [], 5)
ask_shape("either", "5", 5, 1.5, True)
ask_shape("one_of_models", {"x": 1}, {"y": "a"}, {}, 5, {"x": "q"}, {"y": 5}, {"x": 1, "y": "a"})
ask_shape("mixed", 1, 2, "x", [1], ["x"], "true")
ask_shape("strict", {"b": 1, "a": 2}, {"z": 1, "a": "q", "y": 2}, 5)
ask_shape("open", {"a": 1, "more": {"b": [1]}}, {"more": 1})

for query in [
    "", "needed=1&ids=1", "needed=x&ids=x&ids=2&ids=y", "needed=1&ids=1&ids=2&ids=3&ids=4", "needed=1&ids=", "needed&ids",
    "needed=1&ids=1&tags=a&tags=&tags=b%00", "needed=1&ids=1&ratio=nan&deep=maybe", "needed=1&ids=1&ratio=1e3&deep=ON",
    "needed=1&ids=1,2", "needed=1&ids[]=1",
]:  # fmt: skip
    ask("parameters", query=query)
ask("parameters", query="needed=1&ids=1", headers={"X-Count": "5"})
ask("parameters", query="needed=x", headers={"x-count": "many"})

ask("everything", None, "null", {}, {"name": "ok"}, {"name": "", "expires_in_days": 0}, "{", params={"episode_index": "x"})
ask("everything", {"scopes": 5}, params={"episode_index": "1.5"}, query="view=x&limit=0", headers={"x-count": "1.5"})
ask("everything", {"name": "ok"}, params={"episode_index": "4"}, query="limit=2", headers={"x-count": " 3 "})
ask("optional_body", None, "null", "5", "{}", {"x": "1"})
ask("list_body", None, "{}", "[]", [1, {"x": "z"}, {"x": 1}], "null")
ask("number_body", None, "null", '"x"', '"5"', "5.5", "5")

ask(
    "create_token",
    "{", "[", "{}}", "[]]", '{"a":}', '{"a":1,}', '{"a" 1}', "{a:1}", "{'a':1}", '{"a":1', '{"a"', '{"a":', '{,}', '{"a":1 "b"}',
    "[1 2]", "[1,", "[1,]", "[,1]", "[1", "nul", "tru", "-", "01", "1.", "1e", "[1.]", "+1", ".5", "0x10", "'a'", " ", "\n\t ",
    '"abc', '"\\', '"\\x"', '{"a":"\\u12"}', '"\\u12', '"\\u1234', '"\\ud83d\\u12"', '"a\nb"', '"a\tb"', '"a\\\nb"', '"\x00"',
    '{"é😀":x}', '"😀', "😀", "// c\n1", "/* c */", "1 2", '{"a":1}{"b":2}', "undefined", "True", "\x0b1", "\u00a01", "[1,\n  2,\n  x]",
    '{"a":[{"b":[1,{"c":}]}]}', '\ufeff{"a":}', '{"name":"ok"} // end', '{"name":"ok",}', '["a",', '{"a":"b', '{"a":1,"b',
)  # fmt: skip


async def send(path: str, method: str, request: dict) -> tuple[int, Any]:
    body = None if request["body"] is None else request["body"].encode()
    headers = [(name.lower().encode(), value.encode()) for name, value in request["headers"].items()]
    if body is not None:
        headers.append((b"content-type", b"application/json"))
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": method, "scheme": "http",
        "path": path, "raw_path": quote(path).encode(), "root_path": "", "query_string": request["query"].encode(),
        "headers": headers, "client": ("127.0.0.1", 1), "server": ("127.0.0.1", 80),
    }  # fmt: skip
    sent: list[dict] = []

    async def receive():
        return {"type": "http.request", "body": body or b"", "more_body": False}

    async def collect(message):
        sent.append(message)

    await app(scope, receive, collect)
    content = b"".join(message.get("body", b"") for message in sent[1:])
    return sent[0]["status"], json.loads(content)


async def main() -> None:
    routes = {route.path.split("/")[1]: route for route in app.routes if hasattr(route, "dependant")}
    lines = []
    for schema, request in requests:
        route = routes[schema]
        path = route.path
        for name, value in request["params"].items():
            path = path.replace("{%s}" % name, value)
        status, body = await send(path, next(iter(route.methods)), request)
        assert status in (200, 422), (schema, request, status, body)
        lines.append(json.dumps({"schema": schema, "request": request, "status": status, "body": body}))
    (Path(__file__).parent / "cases.json").write_text("[\n" + ",\n".join(lines) + "\n]\n")
    print(len(lines), "cases")


asyncio.run(main())
