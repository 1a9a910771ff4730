"""The schemas of schemas.ts in FastAPI. Two rules of ours in pydantic's own words: text holds no NUL, numbers are finite."""

from enum import Enum
from typing import Annotated, Any, Literal, Optional, Union

from fastapi import Body, FastAPI, Header, Query
from fastapi import Path as PathParameter
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

app = FastAPI()


def refuse_nul(text: str) -> str:
    if "\0" in text:
        raise ValueError("NUL characters are not allowed")
    return text


def text(**constraints):
    return Annotated[str, Field(**constraints), AfterValidator(refuse_nul)]


def number(**constraints):
    return Annotated[float, Field(allow_inf_nan=False, **constraints)]


def whole(**constraints):
    return Annotated[int, Field(**constraints)]


def plain(value: Any) -> Any:
    """A model as the service hands it on: what was sent and what has a default, but no null that nobody sent."""
    if isinstance(value, BaseModel):
        pairs = ((name, getattr(value, name)) for name in type(value).model_fields)
        kept = {name: plain(item) for name, item in pairs if name in value.model_fields_set or item is not None}
        return kept | {name: plain(item) for name, item in (value.model_extra or {}).items()}
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    return [plain(item) for item in value] if isinstance(value, list) else value


def answer(params=None, query=None, headers=None, body=None):
    def sent(part):
        return {key: plain(value) for key, value in (part or {}).items() if value is not None}

    return {"params": sent(params), "query": sent(query), "headers": sent(headers), "body": plain(body)}


# The service's routes.

Scope = Literal["workspace:read", "imports:write", "datasets:write", "versions:write", "exports:write"]


class CreateToken(BaseModel):
    name: text(min_length=1, max_length=100)
    scopes: Optional[list[Scope]] = None
    expires_in_days: Optional[whole(ge=1, le=366)] = None


@app.post("/create_token")
def create_token(body: CreateToken):
    return answer(body=body)


class Channels(BaseModel):
    email: Optional[bool] = None
    in_app: Optional[bool] = None


class Preferences(BaseModel):
    transform_done: Optional[Channels] = None
    export_ready: Optional[Channels] = None
    team_invite: Optional[Channels] = None
    episode_flag: Optional[Channels] = None
    import_fail: Optional[Channels] = None
    weekly_digest: Optional[Channels] = None


class UpdateProfile(BaseModel):
    display_name: Optional[text(min_length=1, max_length=100)] = None
    timezone: Optional[text(min_length=1, max_length=64)] = None
    default_project_slug: Optional[text(min_length=1, max_length=100)] = None
    notification_preferences: Optional[Preferences] = None


@app.patch("/update_profile")
def update_profile(body: UpdateProfile):
    return answer(body=body)


class Lookup(BaseModel):
    idempotency_key: text(min_length=1, max_length=200)
    idempotency_fingerprint: Optional[text(min_length=64, max_length=64, pattern="^[0-9a-f]{64}$")] = None


@app.post("/lookup_import/{org_slug}/{project_slug}")
def lookup_import(
    org_slug: text(), project_slug: text(), body: Lookup, authorization: Annotated[Optional[text()], Header()] = None
):
    return answer({"org_slug": org_slug, "project_slug": project_slug}, headers={"authorization": authorization}, body=body)


@app.get("/list_imports")
def list_imports(
    status: Optional[Literal["queued", "running", "succeeded", "failed", "canceled"]] = None,
    q: Optional[text(min_length=1, max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
):
    return answer(query={"status": status, "q": q, "limit": limit})


@app.get("/list_episodes/{dataset_id}")
def list_episodes(
    dataset_id: text(),
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    q: Optional[text(min_length=1)] = None,
    sort: text(pattern="^(episode_index|duration|frames)$") = "episode_index",
    order: Literal["asc", "desc"] = "asc",
):
    query = {"offset": offset, "limit": limit, "q": q, "sort": sort, "order": order}
    return answer({"dataset_id": dataset_id}, query)


@app.get("/list_frames")
def list_frames(
    offset: Annotated[int, Query(ge=0)] = 0,
    limit: Annotated[int, Query(ge=1, le=96)] = 24,
    view: text(pattern="^(first|last)$") = "first",
    camera_key: Optional[text(min_length=1)] = None,
):
    return answer(query={"offset": offset, "limit": limit, "view": view, "camera_key": camera_key})


@app.get("/navigate/{episode_index}")
def navigate(episode_index: Annotated[int, PathParameter(ge=0)]):
    return answer({"episode_index": episode_index})


class ExportJobs(BaseModel):
    artifact_keys: Annotated[list[Literal["lerobot"]], Field(min_length=1, max_length=3)]


@app.post("/create_export_jobs")
def create_export_jobs(body: ExportJobs):
    return answer(body=body)


class Crop(BaseModel):
    left_pct: number(ge=0, lt=100)
    top_pct: number(ge=0, lt=100)
    width_pct: number(gt=0, le=100)
    height_pct: number(gt=0, le=100)


class Resize(BaseModel):
    width: whole(ge=64, le=4096, multiple_of=2)
    height: whole(ge=64, le=4096, multiple_of=2)
    mode: Literal["fit", "fill", "stretch"] = "fit"


class Action(BaseModel):
    smoothing_window: Optional[whole(ge=1, le=101)] = None
    smoothing_mode: Optional[Literal["mean", "median", "gaussian"]] = None
    clip_min: Optional[number()] = None
    clip_max: Optional[number()] = None
    scale: Optional[number()] = None


class Recipe(BaseModel):
    selected_episode_indices: list[whole(ge=0)] = []
    excluded_episode_indices: list[whole(ge=0)] = []
    first_n_episodes: Optional[whole(ge=1)] = None
    camera_keys: list[text(min_length=1)] = []
    crop: Optional[Crop] = None
    resize: Optional[Resize] = None
    action: Optional[Action] = None
    annotation_set_id: Optional[text()] = None
    annotation_set_version: Optional[whole(ge=1)] = None
    notes: Optional[text(max_length=2000)] = None


class Source(BaseModel):
    dataset_kind: Literal["catalog", "project"]
    dataset_id: text(min_length=1)


class CreateVersion(BaseModel):
    slug: text(min_length=1, max_length=100, pattern="^[a-z0-9]+(-[a-z0-9]+)*$")
    name: text(min_length=1, max_length=200)
    project_slug: Optional[text(min_length=1)] = None
    source: Source
    recipe: Recipe


@app.post("/create_version")
def create_version(body: CreateVersion):
    return answer(body=body)


# Shapes that a route may use, whether or not one does today.


class Color(str, Enum):
    red = "red"
    green = "green"
    blue = "blue"


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")
    b: int
    a: int


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    a: int


class Named(BaseModel):
    x: int


class Titled(BaseModel):
    y: text()


class Shapes(BaseModel):
    int_: Optional[int] = Field(None, alias="int")
    float_: Optional[number()] = Field(None, alias="float")
    bool_: Optional[bool] = Field(None, alias="bool")
    str_: Optional[text()] = Field(None, alias="str")
    required_nullable: Optional[int]
    bounded: number(gt=0.5, lt=9.5) = 1
    even: Optional[whole(multiple_of=2)] = None
    short: Optional[text(max_length=1)] = None
    color: Optional[Color] = None
    single: Optional[Literal["only"]] = None
    numbers: Optional[Literal[1, 2, 3]] = None
    quoted: Optional[Literal["it's", 'say "x"', "a\\b"]] = None
    pair: Optional[Annotated[list[int], Field(min_length=2, max_length=2)]] = None
    models: Optional[list[Named]] = None
    counts: Optional[dict[str, int]] = None
    few: Optional[Annotated[dict[str, int], Field(min_length=1, max_length=2)]] = None
    keyed: Optional[dict[Annotated[str, Field(pattern="^[a-z]+$")], Named]] = None
    free: Optional[dict[str, Any]] = None
    anything: Any = None
    either: Union[int, str, None] = None
    one_of_models: Union[Named, Titled, None] = None
    mixed: Union[whole(ge=2), list[int], bool, None] = None
    strict: Optional[Strict] = None
    open: Optional[Open] = None


@app.post("/shapes")
def shapes(body: Shapes):
    value = plain(body)
    return answer(body={name.removesuffix("_"): item for name, item in value.items()})


@app.get("/parameters")
def parameters(
    needed: int,
    ids: Annotated[list[int], Query(max_length=3)],
    tags: Annotated[Optional[list[text(min_length=1)]], Query()] = None,
    ratio: Optional[number()] = None,
    deep: Optional[bool] = None,
    x_count: Annotated[Optional[int], Header()] = None,
):
    query = {"needed": needed, "ids": ids, "tags": tags, "ratio": ratio, "deep": deep}
    return answer(query=query, headers={"x-count": x_count})


@app.post("/everything/{episode_index}")
def everything(
    episode_index: int,
    limit: Annotated[int, Query(ge=1)],
    x_count: Annotated[int, Header()],
    body: CreateToken,
    view: text(pattern="^(first|last)$") = "first",
):
    return answer({"episode_index": episode_index}, {"limit": limit, "view": view}, {"x-count": x_count}, body)


@app.post("/optional_body")
def optional_body(body: Optional[Named] = None):
    return answer(body=body)


@app.post("/list_body")
def list_body(body: list[Named]):
    return answer(body=body)


@app.post("/number_body")
def number_body(body: Annotated[int, Body()]):
    return answer(body=body)
