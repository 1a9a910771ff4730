"""The list route of the HTTP bench in FastAPI: rows with a declared answer, ready-made models, and rows without a declaration."""

import json
import sys
from typing import Annotated, Literal, Optional

import uvicorn
from fastapi import FastAPI, Query
from pydantic import BaseModel

with open(sys.argv[2]) as file:
    page = json.load(file)


class Item(BaseModel):
    id: str
    org_slug: str
    project_slug: str
    dataset_slug: str
    title: str
    source_kind: str
    status: Literal["queued", "running", "succeeded", "failed", "canceled"]
    source_uri: Optional[str]
    raw_object_path: Optional[str]
    report_object_path: str
    read_model_path: Optional[str]
    error_message: Optional[str]
    created_by: str
    created_at: str
    updated_at: str
    hf_repo_id: str
    hf_revision: Optional[str]
    progress_pct: float
    progress_phase: str
    progress_message: str
    downloaded_bytes: int
    total_bytes: int
    attempt_count: int
    max_attempts: int
    claim_epoch: int
    claimed_by: Optional[str]
    retry_after: Optional[str]
    last_error: Optional[str]
    consistency_status: str
    provenance: dict[str, str]


class Page(BaseModel):
    items: list[Item]


app = FastAPI()
models = Page.model_validate(page)
Status = Optional[Literal["queued", "running", "succeeded", "failed", "canceled"]]
Limit = Annotated[int, Query(ge=1, le=200)]


@app.get("/declared")
async def list_declared(limit: Limit = 50, status: Status = None) -> Page:
    return page


@app.get("/models")
async def list_models(limit: Limit = 50, status: Status = None) -> Page:
    return models


@app.get("/undeclared")
async def list_undeclared(limit: Limit = 50, status: Status = None):
    return page


uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error", access_log=False)
