# GENERATED from openapi.json by sdk/generate.ts. Run npm run gen.
from __future__ import annotations

from typing import Any, Literal, TypedDict


class Error(TypedDict):
    # A sentence that says what is wrong and what to do.
    detail: str
    # A stable code for programs.
    code: str
    request_id: str


class _HTTPValidationErrorDetailItemRequired(TypedDict):
    loc: list[str | int]
    msg: str
    type: str


class HTTPValidationErrorDetailItem(_HTTPValidationErrorDetailItemRequired, total=False):
    input: Any
    ctx: dict[str, Any]


class HTTPValidationError(TypedDict):
    detail: list[HTTPValidationErrorDetailItem]


class AnnotationSet(TypedDict):
    id: str
    name: str
    revision_number: int
    latest_version: int
    # In the newest version.
    episode_count: int
    created_by: str | None
    created_by_name: str | None
    created_at: str
    updated_at: str


class ApiTokenOrigin(TypedDict):
    # What was signed in when the token was made.
    program: Literal["console", "command_line", "operator", "other"]
    # The network address that it was asked for from.
    address: str
    # What the program said it is.
    user_agent: str


class ApiToken(TypedDict):
    id: str
    name: str
    preview: str
    prefix: str
    suffix: str
    scopes: list[Literal["workspace:read", "imports:write", "datasets:write", "datasets:delete", "versions:write", "exports:write"]]
    created_at: str
    last_used_at: str | None
    revoked_at: str | None
    expires_at: str
    origin: ApiTokenOrigin | None


class AuditEvent(TypedDict):
    id: int
    at: str
    actor_kind: Literal["session", "token", "operator", "program"]
    actor_user_id: str | None
    token_id: str | None
    action: str
    resource_kind: str
    resource_id: str
    detail: dict[str, Any]
    request_id: str | None


class CatalogEntryDerivedFrom(TypedDict):
    """For a derived version: its source, which need not be public. Null for a dataset."""
    id: str
    title: str


class CatalogEntry(TypedDict):
    id: str
    org_slug: str
    slug: str
    title: str
    description: str
    work_name: str | None
    task_name: str | None
    robot_type: str | None
    embodiment: str | None
    robot_description_uri: str | None
    tags: list[str]
    tasks: list[str]
    total_episodes: int
    total_frames: int
    total_seconds: float
    total_tasks: int
    fps: float
    camera_keys: list[str]
    camera_resolutions: list[str]
    size_bytes: int
    source_kind: str
    hf_repo_id: str | None
    derived_from: CatalogEntryDerivedFrom | None
    licence: str | None
    length_histogram: list[int]
    poster_url: str | None
    published_at: str
    created_at: str
    updated_at: str


class ChangeVersion(TypedDict, total=False):
    name: str
    description: str
    tags: list[str]
    visibility: Literal["private", "public"]


class CheckFindingElsewhere(TypedDict):
    """Where the same is, of rules that look at other datasets of the project."""
    dataset_id: str
    dataset_slug: str
    episode_index: int


class CheckFinding(TypedDict):
    rule: str
    severity: Literal["error", "warning", "info"]
    episode_index: int | None
    frame_from: int | None
    frame_to: int | None
    camera: str | None
    feature: str | None
    value: float | None
    cut_off: float | None
    sentence: str
    elsewhere: CheckFindingElsewhere | None


class CheckFindings(TypedDict):
    offset: int
    limit: int
    total: int
    items: list[CheckFinding]


class _CheckHuggingFaceRequired(TypedDict):
    hf_repo_id: str


class CheckHuggingFace(_CheckHuggingFaceRequired, total=False):
    hf_revision: str | None
    hf_token: str | None


class CheckPartStatus(TypedDict):
    status: Literal["none", "queued", "running", "succeeded", "failed", "canceled", "skipped"]
    # Episodes.
    done: int
    total: int
    # What it is at, or why there is no result.
    message: str
    job_id: str | None
    rule_set_version: int | None


class CheckRanking(TypedDict):
    rule: str
    episode_index: int
    value: float
    # 1 is the lowest of the set; equal values share one.
    rank: int
    # Episodes that the rule measures.
    of: int
    # 0 is the lowest of the set, 100 the highest.
    percentile: float
    confidence: float | None


class CheckRankings(TypedDict):
    offset: int
    limit: int
    total: int
    items: list[CheckRanking]


class CheckRule(TypedDict):
    id: str
    family: Literal["signals", "motion", "pictures", "sets"]
    # A ranking gives every episode a value; none is wrong by itself.
    kind: Literal["flag", "ranking"]
    severity: Literal["error", "warning", "info"]
    # Of values and of the cut-off.
    unit: str
    cut_off: float | None
    direction: Literal["above", "below"] | None
    # Whether the cut-off itself is found too.
    inclusive: bool
    loosest: float | None
    # It tells of the whole set: a recipe cannot select episodes by it.
    of_set: bool
    sentence: str
    remedy: str


class CheckRuleCounts(TypedDict):
    id: str
    family: Literal["signals", "motion", "pictures", "sets"] | None
    kind: Literal["flag", "ranking"]
    severity: Literal["error", "warning", "info"]
    findings: int
    # In which something was found.
    episodes: int
    # Findings beyond those that are listed.
    unlisted: int
    worst: float | None
    cut_off: float | None
    # The cut-off in force cannot be told from stored results: the counts are of the last run.
    needs_run: bool
    failed: str | None


class CheckSetValue(TypedDict):
    rule: str
    camera: str | None
    # In the rule's unit.
    value: float
    # 0 to 1.
    confidence: float
    # Episodes that measure the same.
    agreeing: int
    # Episodes that could be measured.
    measured: int
    sentence: str


class CheckSettings(TypedDict, total=False):
    # By rule; what is left out is the rule's own.
    cut_offs: dict[str, float]
    pictures: Literal["auto", "always", "never"]


class CheckSummarySettings(TypedDict):
    # Set here; others are the rules' own.
    cut_offs: dict[str, float]
    # `auto`: pictures of imports up to NMP_CHECK_PICTURES_MAX_BYTES are looked at.
    pictures: Literal["auto", "always", "never"]


class CheckSummaryFamiliesValue(TypedDict):
    findings: int
    episodes: int


class CheckSummarySeveritiesError(TypedDict):
    findings: int
    episodes: int


class CheckSummarySeveritiesWarning(TypedDict):
    findings: int
    episodes: int


class CheckSummarySeveritiesInfo(TypedDict):
    findings: int
    episodes: int


class CheckSummarySeverities(TypedDict):
    error: CheckSummarySeveritiesError
    warning: CheckSummarySeveritiesWarning
    info: CheckSummarySeveritiesInfo


class CheckSummaryLookFirstItem(TypedDict):
    episode_index: int
    score: float
    reasons: list[str]


class CheckSummary(TypedDict):
    dataset_id: str
    # Of a version, its id.
    revision_id: str
    revision_number: int
    # Of the program; results may be of an earlier one.
    rule_set_version: int
    signals: CheckPartStatus
    pictures: CheckPartStatus
    episodes: int | None
    frames: int | None
    # By rule, as they are in force.
    cut_offs: dict[str, float]
    settings: CheckSummarySettings
    # Those that have a result, and findings of reading the files.
    rules: list[CheckRuleCounts]
    families: dict[str, CheckSummaryFamiliesValue]
    severities: CheckSummarySeverities
    # What all episodes together measure: by how many frames the state follows the action (`lag`).
    set_values: list[CheckSetValue]
    look_first: list[CheckSummaryLookFirstItem]


class ConsoleConfig(TypedDict):
    # Where the console signs in: an OpenID Connect issuer.
    issuer: str
    client_id: str
    scopes: list[str]
    # The audience that a session token must have.
    audience: str
    channel: Literal["stable", "dev"]
    version: str


class CopiedFromSource(TypedDict):
    """Of several sources the first."""
    dataset_kind: Literal["catalog", "project", "version"]
    dataset_id: str
    repo_id: str | None
    title: str
    # Digest of the read model that the version is pinned to.
    source_revision: str
    # Of a version: its own id, which pins it.
    revision_id: str
    # Of a version: its number.
    revision_number: int
    hf_revision: str | None


class CopiedFromRecipeCounts(TypedDict):
    """Lengths of the index lists; in a list of versions, those of over 1,000 entries are null."""
    selected_episode_indices: int
    excluded_episode_indices: int


class CopiedFromCompositionItem(TypedDict):
    version_id: str
    slug: str
    version: int
    recipe: Recipe


class CopiedFrom(TypedDict):
    """The version that was copied, as it was when the copy was requested; it may no longer exist. Index lists of over 1,000 entries are null, as in a list of versions."""
    version_id: str
    org_slug: str
    project_slug: str
    slug: str
    version: int
    name: str
    # Of several sources the first.
    source: CopiedFromSource
    recipe: Recipe
    # Lengths of the index lists; in a list of versions, those of over 1,000 entries are null.
    recipe_counts: CopiedFromRecipeCounts
    # The versions between the original dataset (`provenance.root_dataset_id`) and this one, oldest first: their recipes are applied before its own. Empty for a version of a dataset.
    composition: list[CopiedFromCompositionItem]
    recipe_sha256: str


class _CopyVersionRequired(TypedDict):
    dataset_slug: str


class CopyVersion(_CopyVersionRequired, total=False):
    org_slug: str | None
    project_slug: str | None
    title: str | None
    idempotency_key: str | None
    idempotency_fingerprint: str | None


class _CreateImportRequired(TypedDict):
    source_kind: Literal["huggingface", "hdf5", "lerobot"]
    dataset_slug: str


class CreateImport(_CreateImportRequired, total=False):
    title: str | None
    hf_repo_id: str | None
    hf_revision: str | None
    hf_token: str | None
    source_uri: str | None
    upload_ids: list[str] | None
    idempotency_key: str | None
    idempotency_fingerprint: str | None
    options: ImportOptions | None


class CreateVersionSource(TypedDict):
    # `catalog`: any dataset you can read. `project`: one of a project you have a role in. `version`: a derived version you can read; the recipe refers to its episodes, cameras and sizes, and is applied after its own recipes.
    dataset_kind: Literal["catalog", "project", "version"]
    dataset_id: str


class _CreateVersionRequired(TypedDict):
    slug: str
    name: str


class CreateVersion(_CreateVersionRequired, total=False):
    project_slug: str | None
    source: CreateVersionSource
    recipe: RecipeInput
    # Several sources instead of `source`, one after the other in the result.
    sources: list[MergeSource]
    # Of what `sample` draws; 0 by default.
    seed: int
    # By task text: so many of the episodes of all sources that begin with it, drawn by the seed. Of a task that is not named all stay.
    task_samples: dict[str, int]
    # Shares of the frames that a sampler draws, by task text, instead of by source.
    task_weights: dict[str, float]
    idempotency_key: str | None
    idempotency_fingerprint: str | None


class CurrentUserProjectsItem(TypedDict):
    org_slug: str
    project_slug: str
    role: Literal["admin", "editor", "viewer"]


class CurrentUser(TypedDict):
    id: str
    email: str
    org_slugs: list[str]
    org_member_slugs: list[str]
    org_admin_slugs: list[str]
    projects: list[CurrentUserProjectsItem]


class CutsPreviewCutHistogram(TypedDict):
    """The seconds that each selected episode loses; those that lose none are not in it."""
    bin_sec: float
    # Entry i: episodes that lose from i to i + 1 bins.
    episode_counts: list[int]


class CutsPreviewCut(TypedDict):
    """What goes of the selected episodes; null if the recipe cuts no frames."""
    frame_count: int
    duration_sec: float
    # Selected episodes that lose frames, dropped ones included.
    episode_count: int
    # Selected episodes of which no frame is left.
    dropped_episode_count: int
    # The seconds that each selected episode loses; those that lose none are not in it.
    histogram: CutsPreviewCutHistogram


class CutsPreviewEpisodePartsItem(TypedDict):
    ranges: list[list[int]]
    task: str | None


class CutsPreviewEpisodeRests(TypedDict):
    """Every rest that `trim.idle` finds in it, cut or not; null if the recipe has no such rule."""
    ranges: list[list[int]]
    threshold: float | None


class CutsPreviewEpisode(TypedDict):
    episode_index: int
    length_frames: int
    is_selected: bool
    # The episodes that become of it, by the frames that are kept, each range without its end.
    parts: list[CutsPreviewEpisodePartsItem]
    rests: CutsPreviewEpisodeRests | None


class CutsPreview(TypedDict):
    episode_count: int
    frame_count: int
    duration_sec: float
    fps: float
    source_episode_count: int
    source_frame_count: int
    source_fps: float
    cut: CutsPreviewCut | None
    episode: CutsPreviewEpisode | None


class DatasetManifestSource(TypedDict):
    provider: str
    source_label: str
    source_locator: str
    source_url: str | None
    hf_repo_id: str | None


class DatasetManifestObservationCamerasItem(TypedDict):
    key: str
    label: str
    width: int
    height: int
    channels: int
    fps: float
    codec: str | None
    pixel_format: str | None
    depth_map: bool


class DatasetManifestObservationState(TypedDict):
    key: str
    dimension: int
    names: list[str]
    fps: float


class DatasetManifestObservation(TypedDict):
    camera_count: int
    cameras: list[DatasetManifestObservationCamerasItem]
    state: DatasetManifestObservationState | None


class DatasetManifestAnnotation(TypedDict):
    available: bool
    # Columns with language or annotations, by name; then `SET/FIELD` for every field (`task`, `success`, `tags`, `note`, `segments`) that an annotation set of the revision fills.
    keys: list[str]


class DatasetManifestMetrics(TypedDict):
    total_episodes: int
    total_frames: int
    fps: float
    total_tasks: int
    split_names: list[str]
    codebase_version: str


class DatasetManifestAction(TypedDict):
    key: str
    dimension: int
    names: list[str]
    fps: float


class DatasetManifestExportArtifactsItem(TypedDict):
    key: str
    label: str
    kind: str
    access: str
    href: str
    description: str
    # `ready`; for a version, `planned` until it has been exported.
    status: str


class DatasetManifestSplitsItem(TypedDict):
    name: str
    episode_count: int


class DatasetManifest(TypedDict):
    id: str
    slug: str
    title: str
    description: str
    source: DatasetManifestSource
    observation: DatasetManifestObservation
    annotation: DatasetManifestAnnotation
    metrics: DatasetManifestMetrics
    episode_page: EpisodePage
    schema_version: Literal["1.0.0"]
    kind: Literal["dataset_manifest"]
    work_name: str | None
    task_name: str | None
    robot_type: str | None
    embodiment: str | None
    robot_description_uri: str | None
    tags: list[str]
    modalities: list[str]
    action: DatasetManifestAction | None
    statistics: DatasetStatistics
    export_artifacts: list[DatasetManifestExportArtifactsItem]
    org_slug: str
    project_slug: str
    visibility: Literal["private", "public"]
    role: Literal["admin", "editor", "viewer"] | None
    revision_id: str
    revision_number: int
    # What the stored form was made from, and its version.
    source_layout: str
    source_version: str
    hf_revision: str | None
    size_bytes: int
    # True for a version that has not been exported yet.
    size_is_estimated: bool
    derived_version: DerivedDatasetVersion | None
    import_losses: ImportLosses | None
    import_id: str | None
    # The first hundred.
    tasks: list[str]
    # Every split of `metrics.split_names` with the number of its episodes; splits may overlap.
    splits: list[DatasetManifestSplitsItem]
    licence: str | None
    citation: str | None
    card_markdown: str | None
    # Language codes.
    language: list[str]
    # Fields set by hand; all others follow the card and the files of the revision that is shown.
    edited_fields: list[Literal["title", "description", "tags", "language", "licence", "citation", "card_markdown", "work_name", "task_name", "robot_type", "embodiment", "robot_description_uri"]]
    published_at: str | None
    created_at: str
    updated_at: str


class DatasetRevision(TypedDict):
    id: str
    number: int
    is_current: bool
    # Everyone may read it, as long as the dataset is public.
    is_public: bool
    import_id: str | None
    source_kind: str
    source_uri: str | None
    hf_repo_id: str | None
    hf_revision: str | None
    # Of the stored files: paths, sizes and contents.
    digest: str
    total_episodes: int
    total_frames: int
    size_bytes: int
    created_by: str | None
    created_at: str


class DatasetRobotJointsItem(TypedDict):
    # As the URDF names it.
    joint: str
    # Which number of the state turns it.
    dimension: int
    # Of that number.
    unit: Literal["rad", "deg", "m", "mm"]


class DatasetRobot(TypedDict):
    """Joints that are not named stand still; where none is, they are found by their names."""
    robot_id: str
    joints: list[DatasetRobotJointsItem]
    updated_at: str


class DatasetSignalsInForce(TypedDict):
    """The columns that the shown revision was measured by; null where it has none."""
    state: str | None
    action: str | None


class DatasetSignalsChoicesItem(TypedDict):
    name: str
    dtype: str
    dimension: int


class DatasetSignalsRun(TypedDict):
    """The measuring by what is set; until it has succeeded, numbers are those of `in_force`."""
    status: Literal["none", "queued", "running", "succeeded", "failed", "canceled"]
    pct: float
    message: str
    job_id: str | None


class DatasetSignals(TypedDict):
    state: str | None
    action: str | None
    # The columns that the shown revision was measured by; null where it has none.
    in_force: DatasetSignalsInForce
    # What is set and not a column of the shown revision: it is found by name there.
    missing: list[str]
    # Columns of the shown revision that can be set.
    choices: list[DatasetSignalsChoicesItem]
    # The measuring by what is set; until it has succeeded, numbers are those of `in_force`.
    run: DatasetSignalsRun


class DatasetStatisticsHistogramItem(TypedDict):
    label: str
    count: int


class DatasetStatistics(TypedDict):
    codebase_version: str
    total_recording_sec: float
    total_cameras: int
    camera_resolutions: list[str]
    shortest_episode_frames: int
    longest_episode_frames: int
    shortest_episode_sec: float
    longest_episode_sec: float
    mean_episode_sec: float
    median_episode_sec: float
    std_episode_sec: float
    exact: bool
    sample_size: int
    histogram: list[DatasetStatisticsHistogramItem]


class DerivedDatasetExportJobReport(TypedDict):
    # What of the version the target has no place for.
    losses: list[ExportLoss]
    # What was estimated or changed on the way, in words.
    notes: list[str]


class DerivedDatasetExportJob(TypedDict):
    id: str
    org_slug: str
    version_id: str
    artifact_key: str
    artifact_path: str
    # Id of the user; empty if the account was deleted.
    requested_by: str
    created_at: str
    updated_at: str
    schema_version: Literal["1.0.0"]
    kind: Literal["derived_dataset_export_job"]
    project_slug: str
    status: Literal["queued", "running", "succeeded", "failed", "canceled"]
    checksum_sha256: str | None
    error_message: str | None
    size_bytes: int | None
    progress_pct: float | None
    progress_phase: str | None
    progress_message: str | None
    # Of the target, as they were asked for.
    options: dict[str, Any]
    report: DerivedDatasetExportJobReport | None
    # Parts whose cameras are encoded again; 0 if every frame is copied.
    shard_count: int
    shards_done: int
    cancel_requested_at: str | None
    retry_of: str | None
    started_at: str | None
    finished_at: str | None


class DerivedDatasetVersionSource(TypedDict):
    """Of several sources the first."""
    dataset_kind: Literal["catalog", "project", "version"]
    dataset_id: str
    repo_id: str | None
    title: str
    # Digest of the read model that the version is pinned to.
    source_revision: str
    # Of a version: its own id, which pins it.
    revision_id: str
    # Of a version: its number.
    revision_number: int
    hf_revision: str | None


class DerivedDatasetVersionCompositionItem(TypedDict):
    version_id: str
    slug: str
    version: int
    recipe: Recipe


class DerivedDatasetVersionRecipeCounts(TypedDict):
    """Lengths of the index lists; in a list of versions, those of over 1,000 entries are null."""
    selected_episode_indices: int
    excluded_episode_indices: int


class DerivedDatasetVersionSourcesItem(TypedDict):
    source_index: int
    dataset_kind: Literal["catalog", "project", "version"]
    dataset_id: str
    repo_id: str | None
    title: str
    # Digest of the read model that the version is pinned to.
    source_revision: str
    # Of a version: its own id, which pins it.
    revision_id: str
    # Of a version: its number.
    revision_number: int
    hf_revision: str | None
    recipe: Recipe | None
    map: SourceMap
    confirm: list[str]
    weight: float | None
    sample: int | None
    episode_count: int
    frame_count: int


class _DerivedDatasetVersionRequired(TypedDict):
    id: str
    org_slug: str
    slug: str
    name: str
    # Of several sources the first.
    source: DerivedDatasetVersionSource
    recipe: Recipe
    # The versions between the original dataset (`provenance.root_dataset_id`) and this one, oldest first: their recipes are applied before its own. Empty for a version of a dataset.
    composition: list[DerivedDatasetVersionCompositionItem]
    # Lengths of the index lists; in a list of versions, those of over 1,000 entries are null.
    recipe_counts: DerivedDatasetVersionRecipeCounts
    description: str
    tags: list[str]
    visibility: Literal["private", "public"]
    published_at: str | None
    export_artifacts: list[VersionArtifact]
    provenance: dict[str, Any]
    checksums: dict[str, Any]
    schema_version: Literal["1.0.0"]
    kind: Literal["derived_dataset_version_manifest"]
    project_slug: str
    version: int
    status: Literal["materialization_required", "materializing", "materialized", "failed"]
    lerobot_version: Literal["v3"]
    viewer_route: str
    episode_count: int
    frame_count: int
    created_by: str | None
    created_at: str
    updated_at: str


class DerivedDatasetVersion(_DerivedDatasetVersionRequired, total=False):
    # Only of a version of several sources, in their order; in a list of versions their recipes are null.
    sources: list[DerivedDatasetVersionSourcesItem]
    seed: int | None
    task_weights: dict[str, float] | None
    task_samples: dict[str, int] | None


class DiffPreparingItem(TypedDict):
    side: Literal["from", "to"]
    state: Literal["queued", "running", "failed"]
    job_id: str
    progress_pct: float
    message: str


class DiffCounts(TypedDict):
    same: int
    relabelled: int
    re_encoded: int
    trimmed: int
    changed: int
    removed: int
    added: int


class DiffEpisodes(TypedDict):
    same: list[DiffEpisode]
    relabelled: list[DiffEpisode]
    re_encoded: list[DiffEpisode]
    trimmed: list[DiffEpisode]
    changed: list[DiffEpisode]
    removed: list[DiffEpisode]
    added: list[DiffEpisode]


class DiffStatistics(TypedDict):
    # The most moved first; at most 500.
    items: list[DiffStatistic]
    total: int
    # Features whose figures one side does not know yet: pictures that an export is still to encode.
    unknown: list[str]


class DiffTasksItemsItem(TypedDict):
    task: str
    from_episodes: int
    to_episodes: int


class DiffTasks(TypedDict):
    from_total: int
    to_total: int
    added: int
    removed: int
    # New and gone ones first, then the most changed; at most 200.
    items: list[DiffTasksItemsItem]


DiffRecipeItem = TypedDict(
    "DiffRecipeItem",
    {
        "key": 'str',
        "from": 'Any',
        "to": 'Any',
    },
)


Diff = TypedDict(
    "Diff",
    {
        "from": 'DiffSide',
        "to": 'DiffSide',
        # `preparing`: the rows and packets of a side are read by a job first, because it has no fingerprints; ask again. Until it is `ready`, `episodes`, `features` and `statistics` are null: nothing is called the same unread.
        "state": 'Literal["ready", "preparing", "failed"]',
        "preparing": 'list[DiffPreparingItem]',
        "counts": 'DiffCounts | None',
        "episodes": 'DiffEpisodes | None',
        # Episodes under `added` and `removed` that were too many to be looked at for cuts.
        "unsearched": 'int',
        "features": 'list[DiffFeature] | None',
        "statistics": 'DiffStatistics | None',
        "tasks": 'DiffTasks',
        # Keys of the two recipes that differ, as in `trim.idle.threshold`. A dataset has none.
        "recipe": 'list[DiffRecipeItem]',
    },
)


class DiffEpisode(TypedDict):
    from_episode: int | None
    to_episode: int | None
    from_frames: int | None
    to_frames: int | None
    from_tasks: list[str]
    to_tasks: list[str]
    from_poster_url: str | None
    to_poster_url: str | None
    kept_frames: list[list[int]] | None
    # Its tasks differ, whatever else does.
    relabelled: bool
    # Features and cameras, by their newer names, whose content is another. Empty where only frames were cut.
    differs: list[str]


DiffFeature = TypedDict(
    "DiffFeature",
    {
        "change": 'Literal["added", "removed", "renamed", "reshaped"]',
        "kind": 'Literal["column", "camera"]',
        "from": 'str | None',
        "to": 'str | None',
        "from_shape": 'list[int] | None',
        "to_shape": 'list[int] | None',
    },
)


class DiffSide(TypedDict):
    kind: Literal["revision", "version"]
    # Of the dataset, or the version itself.
    dataset_id: str
    revision_id: str | None
    # Of the revision or version.
    number: int
    # Its episodes are those that the pages of `dataset_id` show.
    shown: bool
    org_slug: str
    project_slug: str
    slug: str
    title: str
    episode_count: int
    frame_count: int
    fps: float
    robot_type: str | None
    total_sec: float


class DiffStatisticFrom(TypedDict):
    mean: float
    std: float
    min: float
    max: float


class DiffStatisticTo(TypedDict):
    mean: float
    std: float
    min: float
    max: float


DiffStatistic = TypedDict(
    "DiffStatistic",
    {
        "feature": 'str',
        "dimension": 'int',
        "name": 'str | None',
        "ks": 'float | None',
        "shift_sigmas": 'float | None',
        "from": 'DiffStatisticFrom',
        "to": 'DiffStatisticTo',
    },
)


class DismissImport(TypedDict, total=False):
    dismissed: bool


class EpisodeAnnotationSegmentsItem(TypedDict):
    label: str
    start_frame: int
    # Exclusive.
    end_frame: int


class EpisodeAnnotation(TypedDict):
    episode_index: int
    task: str | None
    success: bool | None
    tags: list[str]
    note: str | None
    segments: list[EpisodeAnnotationSegmentsItem]


class EpisodeChecksLookFirst(TypedDict):
    """Null: nothing says that it should be looked at, or a hundred others come first."""
    # 1 is to be looked at before all others.
    place: int
    score: float
    reasons: list[str]


class EpisodeChecks(TypedDict):
    dataset_id: str
    # Of a version, its id.
    revision_id: str
    episode_index: int
    # The most severe first.
    findings: list[CheckFinding]
    # What every rule that ranks measures of it, and its place.
    rankings: list[CheckRanking]
    look_first: EpisodeChecksLookFirst | None


class EpisodeFlag(TypedDict):
    id: str
    episode_index: int
    reason: str
    note: str | None
    start_frame: int | None
    end_frame: int | None
    created_by: str | None
    created_by_name: str | None
    created_at: str
    updated_at: str


class EpisodeMediaStreamsItemTransformsItemCrop(TypedDict):
    left: int
    top: int
    width: int
    height: int


class EpisodeMediaStreamsItemTransformsItemResize(TypedDict):
    width: int
    height: int
    mode: Literal["fit", "fill", "stretch"]


class EpisodeMediaStreamsItemTransformsItem(TypedDict):
    crop: EpisodeMediaStreamsItemTransformsItemCrop | None
    resize: EpisodeMediaStreamsItemTransformsItemResize | None


class EpisodeMediaStreamsItemDepth(TypedDict):
    """Null for a camera that measures no distances."""
    near_mm: int | None
    far_mm: int | None
    unknown: str | None


class EpisodeMediaStreamsItem(TypedDict):
    camera_key: str
    label: str
    url: str | None
    from_sec: float | None
    to_sec: float | None
    # What a player still has to do to the frames of `url`, in order: crop (in their pixels), then resize. Only for versions that are not exported; otherwise empty. Posters, sprites and clips are already transformed.
    transforms: list[EpisodeMediaStreamsItemTransformsItem]
    poster_url: str
    sprite_url: str
    clip_url: str | None
    depth: EpisodeMediaStreamsItemDepth | None


class EpisodeMedia(TypedDict):
    episode_index: int
    length_frames: int
    duration_sec: float
    fps: float
    streams: list[EpisodeMediaStreamsItem]
    expires_at: str


class EpisodeNavigation(TypedDict):
    current: EpisodeRecord
    total: int
    previous: EpisodeRecord | None
    next: EpisodeRecord | None


class EpisodePage(TypedDict):
    offset: int
    limit: int
    total: int
    items: list[EpisodeRecord]


class _EpisodeRecordRequired(TypedDict):
    episode_index: int
    length_frames: int
    duration_sec: float
    dataset_from_index: int
    dataset_to_index: int
    tasks: list[str]
    camera_keys: list[str]
    # Splits that the episode is in: none, one or several.
    splits: list[str]
    # The number it had in the source; in a version of several sources, which of them it is from.
    source_index: int
    motion: float | None
    variance: float | None
    still_sec: float | None


class EpisodeRecord(_EpisodeRecordRequired, total=False):
    # Only in a version of several sources: the number it had there.
    source_episode_index: int
    source_dataset_id: str | None
    source_revision: str | None


class EpisodeRowsSeriesItem(TypedDict):
    name: str
    dtype: str
    shape: list[int]
    names: list[str] | None
    # Per dimension, in row-major order: one value per entry of `frame_index`; null where it is not a number.
    values: list[list[Any]]


class EpisodeRows(TypedDict):
    episode_index: int
    length_frames: int
    fps: float
    start_frame: int
    end_frame: int
    is_decimated: bool
    frame_index: list[int]
    timestamp: list[float]
    series: list[EpisodeRowsSeriesItem]


class EpisodeSprite(TypedDict):
    camera_key: str
    offset: int
    limit: int
    tile_width: int
    tile_height: int
    url: str
    expires_at: str


class ExportLoss(TypedDict):
    feature: str
    reason: str


class ExportTarget(TypedDict):
    # What `artifact_keys` takes.
    key: str
    title: str
    # A sentence on who reads it.
    readers: str
    # JSON Schema of its options.
    options: dict[str, Any]
    losses: list[ExportLoss]
    estimated_bytes: int
    # `measuring`: some frames are being encoded, ask again in a second; `rough`: that was not possible, the size goes by pixels; `settled`: it does not get better.
    estimate: Literal["settled", "measuring", "rough"]
    estimated_files: int


class FeatureStatisticsFeaturesItem(TypedDict):
    name: str
    dtype: str
    shape: list[int]
    names: list[str] | None
    # Cameras only: over LeRobot's sample of frames; all else over every row.
    sampled: bool
    # Known after the export, which encodes this camera of the version again.
    pending: bool
    count: int | None
    min: list[float] | None
    max: list[float] | None
    mean: list[float] | None
    std: list[float] | None
    q01: list[float] | None
    q10: list[float] | None
    q50: list[float] | None
    q90: list[float] | None
    q99: list[float] | None


class FeatureStatistics(TypedDict):
    codebase_version: str
    features: list[FeatureStatisticsFeaturesItem]


class FilterOptionsLowMotionEpisodesItem(TypedDict):
    episode_index: int
    # Low motion: seconds lost to standing still or to a slow pace, as a negative number. High variance: jerk as a multiple of the usual.
    score: float
    # Why it stands out and by how much.
    score_label: str
    length_frames: int
    duration_sec: float
    tasks: list[str]


class FilterOptionsHighVarianceEpisodesItem(TypedDict):
    episode_index: int
    # Low motion: seconds lost to standing still or to a slow pace, as a negative number. High variance: jerk as a multiple of the usual.
    score: float
    # Why it stands out and by how much.
    score_label: str
    length_frames: int
    duration_sec: float
    tasks: list[str]


class FilterOptions(TypedDict):
    codebase_version: str
    supports_motion_insights: bool
    # Only episodes that stand still or are slow compared with the others, worst first.
    low_motion_episodes: list[FilterOptionsLowMotionEpisodesItem]
    # Only episodes that shake compared with the others, worst first.
    high_variance_episodes: list[FilterOptionsHighVarianceEpisodesItem]
    # Total number; a list holds at most 1,000.
    low_motion_total: int
    high_variance_total: int
    note: str | None


class FramesPageItemsItemStreamsItemTransformsItemCrop(TypedDict):
    left: int
    top: int
    width: int
    height: int


class FramesPageItemsItemStreamsItemTransformsItemResize(TypedDict):
    width: int
    height: int
    mode: Literal["fit", "fill", "stretch"]


class FramesPageItemsItemStreamsItemTransformsItem(TypedDict):
    crop: FramesPageItemsItemStreamsItemTransformsItemCrop | None
    resize: FramesPageItemsItemStreamsItemTransformsItemResize | None


class FramesPageItemsItemStreamsItem(TypedDict):
    camera_key: str
    label: str
    url: str | None
    preview_time_sec: float
    # What a player still has to do to the frames of `url`, in order: crop (in their pixels), then resize. Only for versions that are not exported; otherwise empty. Posters, sprites and clips are already transformed.
    transforms: list[FramesPageItemsItemStreamsItemTransformsItem]
    duration_sec: float
    poster_url: str


class FramesPageItemsItem(TypedDict):
    episode_index: int
    length_frames: int
    duration_sec: float
    tasks: list[str]
    streams: list[FramesPageItemsItemStreamsItem]


class FramesPage(TypedDict):
    offset: int
    limit: int
    total: int
    camera_key: str | None
    view: str
    items: list[FramesPageItemsItem]


class Hdf5DatasetSummary(TypedDict):
    path: str
    shape: list[int]
    dtype: str
    ndim: int
    size: int
    compression: str | None
    chunks: list[int] | None
    attrs: dict[str, Any]


class Hdf5EpisodeSummary(TypedDict):
    episode_index: int
    split: str | None
    trajectory_id: str | None
    frames_path: str | None
    group_path: str | None
    length_frames: int | None
    duration_sec: float | None


class Hdf5GroupSummary(TypedDict):
    path: str
    attrs: dict[str, Any]


class Hdf5PreviewCandidatesImageItem(TypedDict):
    path: str
    shape: list[int]
    dtype: str
    layout: str
    frames: int | None
    height: int | None
    width: int | None
    channels: int | None
    episode_index: int | None
    split: str | None
    trajectory_id: str | None
    group_path: str | None
    camera_key: str | None


class Hdf5PreviewCandidatesJpegBytesItem(TypedDict):
    path: str
    shape: list[int]
    dtype: str
    layout: str
    frames: int | None
    height: int | None
    width: int | None
    channels: int | None
    episode_index: int | None
    split: str | None
    trajectory_id: str | None
    encoding: str
    fps: float | None


class Hdf5PreviewCandidatesPaddedJpegItem(TypedDict):
    path: str
    shape: list[int]
    dtype: str
    layout: str
    frames: int | None
    height: int | None
    width: int | None
    channels: int | None
    episode_index: int | None
    split: str | None
    trajectory_id: str | None
    encoding: str
    fps: float | None
    camera_key: str | None
    compress_len_path: str | None
    camera_index: int | None


class Hdf5PreviewCandidatesImagePathItem(TypedDict):
    path: str
    shape: list[int]
    dtype: str
    layout: str
    frames: int | None
    height: int | None
    width: int | None
    channels: int | None
    episode_index: int | None
    split: str | None
    trajectory_id: str | None
    encoding: str
    fps: float | None
    first_frame_path: str | None
    camera_key: str | None


class Hdf5PreviewCandidatesNumericTensorItem(TypedDict):
    path: str
    shape: list[int]
    dtype: str
    ndim: int
    size: int


class Hdf5PreviewCandidates(TypedDict):
    image: list[Hdf5PreviewCandidatesImageItem]
    jpeg_bytes: list[Hdf5PreviewCandidatesJpegBytesItem]
    padded_jpeg: list[Hdf5PreviewCandidatesPaddedJpegItem]
    image_path: list[Hdf5PreviewCandidatesImagePathItem]
    numeric_tensor: list[Hdf5PreviewCandidatesNumericTensorItem]


class Hdf5SourceSummary(TypedDict):
    kind: Literal["hdf5_summary"]
    inspected: bool
    reason: str | None
    size_bytes: int | None
    max_bytes: int | None
    dataset_count: int | None
    group_count: int | None
    datasets: list[Hdf5DatasetSummary]
    groups: list[Hdf5GroupSummary]
    preview_candidates: Hdf5PreviewCandidates
    preview_assets: list[WorkspaceImportPreviewAsset]
    episodes: list[Hdf5EpisodeSummary]
    truncated: bool | None
    root_attrs: dict[str, Any]


class HuggingFaceCheck(TypedDict):
    exists: bool
    private: bool
    gated: bool
    revision: str | None
    codebase_version: str | None
    total_bytes: int | None
    file_count: int | None
    sentence: str


class ImportLosses(TypedDict):
    """What the source had and the dataset lacks. The import's report has the details."""
    episodes_found: int
    episodes_left_out: int
    # Cameras, features, splits and files missing from the dataset although their episodes were imported.
    dropped: int
    first_reason: str


class ImportOptions(TypedDict, total=False):
    fps: float | None
    color_order: Literal["rgb", "bgr"] | None
    flip_vertical: bool | None
    task: str | None
    video_codec: Literal["av1", "h264"] | None


class ImportReportError(TypedDict):
    code: str
    message: str
    phase: str | None


class ImportReportSource(TypedDict):
    kind: Literal["huggingface", "hdf5", "lerobot", "version"]
    uri: str | None
    revision: str | None
    layout: str | None
    version: str | None
    details: dict[str, Any]
    file_count: int
    size_bytes: int


class ImportReportCounts(TypedDict):
    episodes_found: int
    episodes_imported: int
    episodes_repaired: int
    episodes_left_out: int
    frames: int
    errors: int
    warnings: int
    notes: int


class ImportReportResultSplitsItem(TypedDict):
    name: str
    episode_count: int


class _ImportReportResultRequired(TypedDict):
    fps: float
    robot_type: str | None
    file_count: int
    size_bytes: int
    # Canonical files that are unchanged source files.
    kept_files: int
    digest: str


class ImportReportResult(_ImportReportResultRequired, total=False):
    # Splits of the dataset; they may overlap. Absent in reports made before splits were kept.
    splits: list[ImportReportResultSplitsItem]


class _ImportReportFindingsItemRequired(TypedDict):
    rule: str
    severity: Literal["error", "warning", "info"]
    episode: int | None
    sentence: str


class ImportReportFindingsItem(_ImportReportFindingsItemRequired, total=False):
    # True if part of the source is missing in the dataset although its episodes were imported.
    dropped: bool


class ImportReportEpisodesItem(TypedDict):
    source_index: int
    source_id: str
    episode_index: int | None
    length_frames: int | None
    # `not_imported`: nothing wrong was found with it, but the import failed.
    outcome: Literal["imported", "repaired", "left_out", "not_imported"]
    notes: list[str]


class ImportReport(TypedDict):
    schema_version: str
    kind: Literal["import_report"]
    import_id: str
    outcome: Literal["succeeded", "failed"]
    # A few sentences.
    summary: str
    error: ImportReportError | None
    source: ImportReportSource
    counts: ImportReportCounts
    result: ImportReportResult | None
    findings: list[ImportReportFindingsItem]
    episodes: list[ImportReportEpisodesItem]
    # The list of episodes was shortened; the counts include all.
    truncated: bool


class Insights(TypedDict):
    offset: int
    limit: int
    total: int
    supports_motion_insights: bool
    signal: str | None
    dimensions: list[int]
    median_step: float | None
    note: str | None
    length_frames: list[int]
    # Whether any row of the episode says `next.success`; empty where no column says it, and for revisions of before this was read.
    success: list[bool]
    motion: list[float]
    variance: list[float]
    # In rests of at least half a second.
    still_seconds: list[float]
    longest_still_seconds: list[float]
    # Mean step of the arm outside its longest rest.
    pace: list[float]
    # Mean jerk of the arm while it moves.
    shake: list[float]
    # All episode numbers, longest standstill first, then slowest; starting at `offset` in this order.
    least_motion: list[int]
    # Likewise, most jerk for their pace first.
    most_variance: list[int]


class Invite(TypedDict):
    id: str
    org_slug: str
    email: str
    org_role: Literal["admin", "member"]
    project_slug: str | None
    project_role: Literal["admin", "editor", "viewer"] | None
    invited_by: str | None
    created_at: str
    expires_at: str
    accepted_at: str | None
    revoked_at: str | None


LineageEdgesItem = TypedDict(
    "LineageEdgesItem",
    {
        "from": 'str',
        "to": 'str',
    },
)


class Lineage(TypedDict):
    nodes: list[LineageNode]
    edges: list[LineageEdgesItem]
    # There is more than these 300 or so.
    truncated: bool


class LineageNode(TypedDict):
    id: str
    kind: Literal["push", "import", "revision", "version", "export"]
    title: str
    detail: str
    org_slug: str | None
    project_slug: str | None
    slug: str | None
    number: int | None
    state: str | None
    created_at: str | None
    # False: named by what came from it; closed to you, or deleted.
    readable: bool


class MergePreviewFeaturesItem(TypedDict):
    name: str
    dtype: str
    shape: list[int]


class MergePreviewSourcesItemCamerasItem(TypedDict):
    key: str
    name: str | None
    codec: str | None
    # The recipe changes its pixels.
    is_changed: bool


class MergePreviewSourcesItemTasksItem(TypedDict):
    task: str
    episode_count: int
    frame_count: int
    hours: float


class MergePreviewSourcesItem(TypedDict):
    source_index: int
    dataset_id: str
    title: str
    source_fps: float
    episode_count: int
    frame_count: int
    hours: float
    # Of the frames that a sampler draws by weight; without weights, of all frames.
    share: float
    cameras: list[MergePreviewSourcesItemCamerasItem]
    # By the first task of each episode, most frames first; 200 at most.
    tasks: list[MergePreviewSourcesItemTasksItem]


class MergePreviewTasksItem(TypedDict):
    task: str
    episode_count: int
    frame_count: int
    hours: float


class MergePreview(TypedDict):
    episode_count: int
    frame_count: int
    duration_sec: float
    fps: float
    robot_type: str | None
    features: list[MergePreviewFeaturesItem]
    estimated_bytes: int
    # `measuring`: some frames are being encoded, ask again in a second; `rough`: that was not possible, the size goes by pixels; `settled`: it does not get better.
    estimate: Literal["settled", "measuring", "rough"]
    sources: list[MergePreviewSourcesItem]
    # By the first task of each episode, most frames first; 200 at most.
    tasks: list[MergePreviewTasksItem]


class _MergeSourceRequired(TypedDict):
    dataset_kind: Literal["catalog", "project", "version"]
    dataset_id: str


class MergeSource(_MergeSourceRequired, total=False):
    revision_id: str | None
    recipe: RecipeInput
    map: SourceMap
    weight: float | None
    sample: int | None
    # `units`: ranges that do not overlap are of one unit.
    confirm: list[Literal["units"]]


class MotionCurves(TypedDict):
    offset: int
    limit: int
    total: int
    # Points per curve, spread evenly over its episode.
    points: int
    # The mean step that 255 stands for; the same for all episodes.
    top: float
    # By episode; empty where there is nothing to measure.
    curves: list[list[int]]


class Notification(TypedDict):
    id: str
    kind: Literal["transform_done", "export_ready", "team_invite", "episode_flag", "import_fail", "weekly_digest"]
    # `error`: it failed. `warning`: it was done, and something is missing or left to do. `info`: the rest.
    severity: Literal["info", "warning", "error"]
    title: str
    detail: str | None
    org_slug: str | None
    project_slug: str | None
    resource_kind: str
    resource_id: str
    # Where it leads in the console.
    url: str
    created_at: str
    read_at: str | None


class OpenedAnnotationSetVersionsItem(TypedDict):
    version: int
    message: str
    episode_count: int
    created_by: str | None
    created_by_name: str | None
    created_at: str


class OpenedAnnotationSet(TypedDict):
    id: str
    name: str
    revision_number: int
    latest_version: int
    # In the newest version.
    episode_count: int
    created_by: str | None
    created_by_name: str | None
    created_at: str
    updated_at: str
    # Of the episodes below.
    version: int
    # Newest first, at most 100.
    versions: list[OpenedAnnotationSetVersionsItem]
    episodes: list[EpisodeAnnotation]


class OpenedReviewPeopleItem(TypedDict):
    id: str
    name: str


class OpenedReviewVerdictsItem(TypedDict):
    episode_index: int
    verdict: Literal["keep", "leave_out", "flag"]
    decided_by: str | None
    decided_by_name: str | None
    decided_at: str


class OpenedReview(TypedDict):
    id: str
    org_slug: str
    project_slug: str
    # Of the dataset or version.
    dataset_id: str
    revision_number: int
    # False when the dataset shows another revision by now, with its own numbers.
    is_current: bool
    name: str
    total: int
    decided: int
    kept: int
    left_out: int
    flagged: int
    people: list[OpenedReviewPeopleItem]
    created_by: str | None
    created_by_name: str | None
    created_at: str
    updated_at: str
    # In the order in which they are looked at.
    episodes: list[int]
    verdicts: list[OpenedReviewVerdictsItem]


class OrgMember(TypedDict):
    user_id: str
    email: str
    display_name: str
    role: Literal["admin", "member"]
    created_at: str


class Organization(TypedDict):
    id: str
    slug: str
    name: str
    # Your role.
    role: Literal["admin", "member"]
    created_at: str
    updated_at: str
    # Whether members need a session or token with a second proof.
    require_two_step: bool
    deletion_at: str | None


class OrganizationUsage(TypedDict):
    storage_bytes: int
    object_count: int
    quota_bytes: int | None


class PlatformStatusStorageCheckLastWalk(TypedDict):
    ended_at: str
    content_count: int
    size_bytes: int
    # Too much seemed wrong at once, so nothing was believed: the storage itself needs a look.
    was_stopped: bool


class PlatformStatusStorageCheck(TypedDict):
    # Every stored content is read and compared with its sha256 within so many days.
    period_days: int
    # Contents that are known to be damaged: they are not given out until good bytes come in.
    damaged_count: int
    longest_unread_at: str | None
    # Whether what waits longest (`longest_unread_at`) was read within the period.
    is_on_schedule: bool
    last_walk: PlatformStatusStorageCheckLastWalk | None


class PlatformStatusQueue(TypedDict):
    # Jobs that could run now and wait for a worker.
    due_count: int
    # Jobs that wait for their next try.
    later_count: int
    running_count: int
    oldest_due_at: str | None


class PlatformStatus(TypedDict):
    # `degraded`: stored contents are damaged or not read again in time, no worker runs, or nothing can be stored because the disk is full.
    status: Literal["ok", "degraded"]
    version: str
    storage_check: PlatformStatusStorageCheck
    # Workers, on all machines, that have said within the last half minute that they live.
    worker_count: int
    queue: PlatformStatusQueue
    # False where the disk is full: reading goes on, nothing is stored.
    takes_writes: bool


class PreviewCutsSource(TypedDict):
    # `catalog`: any dataset you can read. `project`: one of a project you have a role in. `version`: a derived version you can read; the recipe refers to its episodes, cameras and sizes, and is applied after its own recipes.
    dataset_kind: Literal["catalog", "project", "version"]
    dataset_id: str


class _PreviewCutsRequired(TypedDict):
    source: PreviewCutsSource
    recipe: RecipeInput


class PreviewCuts(_PreviewCutsRequired, total=False):
    episode_index: int | None


class _PreviewMergeRequired(TypedDict):
    sources: list[MergeSource]


class PreviewMerge(_PreviewMergeRequired, total=False):
    # Of what `sample` draws; 0 by default.
    seed: int
    # By task text: so many of the episodes of all sources that begin with it, drawn by the seed. Of a task that is not named all stay.
    task_samples: dict[str, int]
    # Shares of the frames that a sampler draws, by task text, instead of by source.
    task_weights: dict[str, float]


class PreviewVersionSource(TypedDict):
    # `catalog`: any dataset you can read. `project`: one of a project you have a role in. `version`: a derived version you can read; the recipe refers to its episodes, cameras and sizes, and is applied after its own recipes.
    dataset_kind: Literal["catalog", "project", "version"]
    dataset_id: str


class _PreviewVersionRequired(TypedDict):
    source: PreviewVersionSource
    recipe: RecipeInput


class PreviewVersion(_PreviewVersionRequired, total=False):
    episode_index: int | None
    camera_key: str | None


class Project(TypedDict):
    org_slug: str
    project_slug: str
    name: str
    # Your role; admins of the organization are admins of every project.
    role: Literal["admin", "editor", "viewer"]
    id: str
    status: Literal["active", "archived"]
    created_at: str
    updated_at: str
    last_opened_at: str | None


class ProjectDataset(TypedDict):
    id: str
    org_slug: str
    project_slug: str
    slug: str
    title: str
    source_kind: str
    visibility: Literal["private", "public"]
    source_uri: str | None
    read_model_path: str | None
    created_at: str
    updated_at: str
    description: str
    tags: list[str]
    licence: str | None
    citation: str | None
    card_markdown: str | None
    hf_repo_id: str | None
    revision_id: str
    revision_number: int
    # Language codes.
    language: list[str]
    work_name: str | None
    task_name: str | None
    robot_type: str | None
    embodiment: str | None
    robot_description_uri: str | None
    # Fields set by hand; all others follow the card and the files of the revision that is shown.
    edited_fields: list[Literal["title", "description", "tags", "language", "licence", "citation", "card_markdown", "work_name", "task_name", "robot_type", "embodiment", "robot_description_uri"]]
    total_episodes: int
    total_frames: int
    total_seconds: float
    camera_keys: list[str]
    # The first twenty.
    tasks: list[str]
    # How many episodes are in each bin of the statistics' histogram of lengths.
    length_histogram: list[int]
    size_bytes: int
    published_at: str | None
    deletion_at: str | None


class ProjectMember(TypedDict):
    user_id: str
    email: str
    display_name: str
    role: Literal["admin", "editor", "viewer"]
    created_at: str


class _QueueExportRequired(TypedDict):
    artifact_keys: list[Literal["lerobot", "lerobot-v2.1", "gr00t", "openpi-norm-stats", "rlds", "mcap", "robomimic", "zarr"]]


class QueueExport(_QueueExportRequired, total=False):
    # By artifact key, e.g. `{"openpi-norm-stats": {"horizon": 50}}`; `GET …/export-targets` has what each takes.
    options: dict[str, dict[str, Any]]


class RecipeWhere(TypedDict):
    success: bool | None
    tags_any: list[str] | None
    tasks_any: list[str] | None
    splits_any: list[str] | None
    checks: dict[str, Literal["present", "absent"]] | None


RecipeTrimIdle = TypedDict(
    "RecipeTrimIdle",
    {
        "from": 'Literal["start", "end", "both", "anywhere"] | None',
        "inside": 'Literal["drop", "split"] | None',
        "signal": 'Literal["action", "observation.state", "both"] | None',
        "min_idle_frames": 'int | None',
        "keep_frames": 'int | None',
        "threshold": 'float | None',
    },
)


class RecipeTrim(TypedDict):
    ranges: dict[str, list[list[int]]] | None
    inside: Literal["drop", "split"] | None
    idle: RecipeTrimIdle | None


class RecipeSplitValue(TypedDict):
    at: list[int]
    tasks: list[str] | None


class RecipeCrop(TypedDict):
    left_pct: float
    top_pct: float
    width_pct: float
    height_pct: float


class RecipeResize(TypedDict):
    width: int
    height: int
    mode: Literal["fit", "fill", "stretch"]


class RecipeAction(TypedDict):
    smoothing_window: int | None
    smoothing_mode: Literal["mean", "median", "gaussian"] | None
    smoothing_dimensions: list[str] | None
    clip_min: float | None
    clip_max: float | None
    scale: float | None
    shift_frames: int | None


class RecipeFeatures(TypedDict):
    drop: list[str] | None
    rename: dict[str, str] | None
    dimensions: dict[str, list[str]] | None


class Recipe(TypedDict):
    selected_episode_indices: list[int] | None
    excluded_episode_indices: list[int] | None
    where: RecipeWhere | None
    first_n_episodes: int | None
    trim: RecipeTrim | None
    split: dict[str, RecipeSplitValue] | None
    fps: float | None
    camera_keys: list[str] | None
    crop: RecipeCrop | None
    resize: RecipeResize | None
    action: RecipeAction | None
    features: RecipeFeatures | None
    annotation_set_id: str | None
    annotation_set_version: int | None
    notes: str | None


class RecipeDraft(TypedDict):
    # Others who may read the dataset open it by this id.
    id: str
    dataset_id: str
    revision: int
    slug: str
    name: str
    # A recipe in the making: it is checked when it is previewed or a version is made of it.
    recipe: dict[str, Any]
    user_id: str
    user_name: str
    created_at: str
    updated_at: str


class RecipeInputWhere(TypedDict, total=False):
    """A further condition on selected episodes: all keys must hold. Labels are those of `annotation_set_id` at `annotation_set_version`."""
    success: bool | None
    tags_any: list[str] | None
    tasks_any: list[str] | None
    splits_any: list[str] | None
    checks: dict[str, Literal["present", "absent"]] | None


RecipeInputTrimIdle = TypedDict(
    "RecipeInputTrimIdle",
    {
        "from": 'Literal["start", "end", "both", "anywhere"] | None',
        "inside": 'Literal["drop", "split"] | None',
        "signal": 'Literal["action", "observation.state", "both"] | None',
        "min_idle_frames": 'int | None',
        "keep_frames": 'int | None',
        "threshold": 'float | None',
    },
    total=False,
)


class RecipeInputTrim(TypedDict, total=False):
    """Which frames of an episode are kept."""
    ranges: dict[str, list[list[int]]] | None
    inside: Literal["drop", "split"] | None
    idle: RecipeInputTrimIdle | None


class _RecipeInputSplitValueRequired(TypedDict):
    # Frames of the source at which a new part begins, ascending.
    at: list[int]


class RecipeInputSplitValue(_RecipeInputSplitValueRequired, total=False):
    tasks: list[str] | None


class RecipeInputCrop(TypedDict):
    """Percent of the source frame; edges go to the nearest even pixel."""
    left_pct: float
    top_pct: float
    width_pct: float
    height_pct: float


class _RecipeInputResizeRequired(TypedDict):
    width: int
    height: int


class RecipeInputResize(_RecipeInputResizeRequired, total=False):
    # `fit` keeps the aspect ratio and pads with black, `fill` keeps it and crops, `stretch` changes it.
    mode: Literal["fit", "fill", "stretch"]


class RecipeInputAction(TypedDict, total=False):
    """Shift, then smoothing within each episode, then scale, then clip."""
    smoothing_window: int | None
    smoothing_mode: Literal["mean", "median", "gaussian"] | None
    smoothing_dimensions: list[str] | None
    clip_min: float | None
    clip_max: float | None
    scale: float | None
    shift_frames: int | None


class RecipeInputFeatures(TypedDict, total=False):
    """Features that are dropped, renamed, or keep some dimensions."""
    drop: list[str] | None
    rename: dict[str, str] | None
    dimensions: dict[str, list[str]] | None


class RecipeInput(TypedDict, total=False):
    selected_episode_indices: list[int] | None
    excluded_episode_indices: list[int] | None
    where: RecipeInputWhere | None
    first_n_episodes: int | None
    trim: RecipeInputTrim | None
    split: dict[str, RecipeInputSplitValue] | None
    fps: int | None
    camera_keys: list[str] | None
    crop: RecipeInputCrop | None
    resize: RecipeInputResize | None
    action: RecipeInputAction | None
    features: RecipeInputFeatures | None
    annotation_set_id: str | None
    annotation_set_version: int | None
    notes: str | None


class RenameDataset(TypedDict):
    slug: str


class RetryImport(TypedDict, total=False):
    hf_token: str | None
    options: ImportOptions | None


class ReviewPeopleItem(TypedDict):
    id: str
    name: str


class Review(TypedDict):
    id: str
    org_slug: str
    project_slug: str
    # Of the dataset or version.
    dataset_id: str
    revision_number: int
    # False when the dataset shows another revision by now, with its own numbers.
    is_current: bool
    name: str
    total: int
    decided: int
    kept: int
    left_out: int
    flagged: int
    people: list[ReviewPeopleItem]
    created_by: str | None
    created_by_name: str | None
    created_at: str
    updated_at: str


class Robot(TypedDict):
    id: str
    # A dataset whose `robot_type` this is has this model, unless another is chosen.
    name: str
    file_name: str
    kind: Literal["urdf", "zip"]
    size_bytes: int
    sha256: str
    created_by: str | None
    created_at: str


class RunChecks(TypedDict, total=False):
    # Whether pictures are decoded and looked at too.
    pictures: bool
    # Also where there are results of these rules and cut-offs already.
    again: bool


class Session(TypedDict):
    id: str
    # What is signed in. `browser` is one that has only been at the pages of the account so far.
    program: Literal["console", "command_line", "operator", "other", "browser"]
    # Browser and system, as far as the program says what it is.
    device: str
    # The network address that it was seen at last.
    address: str
    created_at: str
    last_seen_at: str
    # Whether this request was made with it.
    current: bool


SourceMapFeaturesValue = TypedDict(
    "SourceMapFeaturesValue",
    {
        "from": 'str',
        "dimensions": 'list[str]',
        "names": 'list[str]',
        "unit": 'list[str] | dict[str, list[str]]',
        "fill": 'float | str | list[float]',
    },
    total=False,
)


class SourceMap(TypedDict, total=False):
    # Their camera to ours, or null.
    cameras: dict[str, str | None]
    # Our feature to what it is made of; null leaves it out of the result.
    features: dict[str, SourceMapFeaturesValue | None]
    # Their task text to ours; `*` is any other text.
    tasks: dict[str, str]
    robot_type: str | None


class StatusDetailsDatabase(TypedDict):
    version: str
    size_bytes: int


class StatusDetailsDisk(TypedDict):
    """Of the data folder; null where the file system has no size. `reserve_bytes` is kept free."""
    free_bytes: int
    reserve_bytes: int
    size_bytes: int


class StatusDetailsWorkersItem(TypedDict):
    # Host and process, as in `claimed_by` of an import.
    name: str
    started_at: str
    seen_at: str
    # How many jobs it runs at a time.
    concurrency: int


class StatusDetailsDamagedItemNeededByItem(TypedDict):
    # What needs it: a `revision` of a dataset, an `import`, an `upload`, …
    kind: str
    id: str
    path: str
    org_slug: str | None
    dataset_id: str | None
    title: str | None


class StatusDetailsDamagedItem(TypedDict):
    sha256: str
    size_bytes: int
    # `missing`, `mismatch` or `unreadable`.
    fault: str
    sentence: str
    found_at: str
    needed_by_count: int
    needed_by: list[StatusDetailsDamagedItemNeededByItem]


class StatusDetails(TypedDict):
    commit: str | None
    database: StatusDetailsDatabase
    storage: Literal["folder", "s3"]
    disk: StatusDetailsDisk | None
    workers: list[StatusDetailsWorkersItem]
    # The newest hundred, each with the first ten that need it.
    damaged: list[StatusDetailsDamagedItem]


class StoredFile(TypedDict):
    path: str
    size_bytes: int
    sha256: str
    href: str


class _SuggestMapRequired(TypedDict):
    sources: list[MergeSource]


class SuggestMap(_SuggestMapRequired, total=False):
    # Of what `sample` draws; 0 by default.
    seed: int
    # By task text: so many of the episodes of all sources that begin with it, drawn by the seed. Of a task that is not named all stay.
    task_samples: dict[str, int]
    # Shares of the frames that a sampler draws, by task text, instead of by source.
    task_weights: dict[str, float]


class SuggestedMapRowsItem(TypedDict):
    kind: Literal["camera", "feature", "dimension", "unit", "task", "robot_type"]
    theirs: str
    ours: str | None
    is_sure: bool
    reason: str


class SuggestedMap(TypedDict):
    source_index: int
    dataset_id: str
    map: SourceMap
    rows: list[SuggestedMapRowsItem]


class Thumbnails(TypedDict):
    dataset_id: str
    urls: list[str]


class UserProfileNotificationPreferencesTransformDone(TypedDict):
    email: bool
    in_app: bool


class UserProfileNotificationPreferencesExportReady(TypedDict):
    email: bool
    in_app: bool


class UserProfileNotificationPreferencesTeamInvite(TypedDict):
    email: bool
    in_app: bool


class UserProfileNotificationPreferencesEpisodeFlag(TypedDict):
    email: bool
    in_app: bool


class UserProfileNotificationPreferencesImportFail(TypedDict):
    email: bool
    in_app: bool


class UserProfileNotificationPreferencesWeeklyDigest(TypedDict):
    email: bool
    in_app: bool


class UserProfileNotificationPreferences(TypedDict):
    transform_done: UserProfileNotificationPreferencesTransformDone
    export_ready: UserProfileNotificationPreferencesExportReady
    team_invite: UserProfileNotificationPreferencesTeamInvite
    episode_flag: UserProfileNotificationPreferencesEpisodeFlag
    import_fail: UserProfileNotificationPreferencesImportFail
    weekly_digest: UserProfileNotificationPreferencesWeeklyDigest


class UserProfile(TypedDict):
    id: str
    email: str
    display_name: str
    title: str
    timezone: str
    default_project_org_slug: str | None
    default_project_slug: str | None
    notification_preferences: UserProfileNotificationPreferences


class Version(TypedDict):
    name: str
    version: str
    api_version: str
    channel: Literal["stable", "dev"]
    commit: str | None
    # Version of the manifests and job objects.
    schema_version: str
    lerobot_versions: list[str]


class VersionArtifact(TypedDict):
    key: Literal["manifest", "lerobot", "lerobot-v2.1", "gr00t", "openpi-norm-stats", "rlds", "mcap", "robomimic", "zarr"]
    label: str
    kind: Literal["manifest", "lerobot", "lerobot-v2.1", "gr00t", "openpi-norm-stats", "rlds", "mcap", "robomimic", "zarr"]
    path: str
    media_type: str
    status: Literal["planned", "queued", "running", "ready", "failed"]
    checksum_sha256: str | None
    size_bytes: int | None
    job_id: str | None
    error_message: str | None


class VersionFile(TypedDict):
    path: str
    size_bytes: int
    checksum_sha256: str
    url: str
    expires_at: str


class VersionPreviewCutHistogram(TypedDict):
    """The seconds that each selected episode loses; those that lose none are not in it."""
    bin_sec: float
    # Entry i: episodes that lose from i to i + 1 bins.
    episode_counts: list[int]


class VersionPreviewCut(TypedDict):
    """What goes of the selected episodes; null if the recipe cuts no frames."""
    frame_count: int
    duration_sec: float
    # Selected episodes that lose frames, dropped ones included.
    episode_count: int
    # Selected episodes of which no frame is left.
    dropped_episode_count: int
    # The seconds that each selected episode loses; those that lose none are not in it.
    histogram: VersionPreviewCutHistogram


class VersionPreviewTasksItemsItem(TypedDict):
    task: str
    episode_count: int


class VersionPreviewTasks(TypedDict):
    total: int
    items: list[VersionPreviewTasksItemsItem]


class VersionPreviewSplitsItem(TypedDict):
    name: str
    episode_count: int


class VersionPreviewCamerasItem(TypedDict):
    # The name that the source has for it.
    key: str
    # The name that the result has for it.
    name: str
    label: str
    source_width: int
    source_height: int
    width: int
    height: int
    treatment: Literal["copy", "encode"]
    reason: str


class VersionPreviewStatisticsFeaturesItem(TypedDict):
    name: str
    names: list[str] | None
    exact: bool
    sampled_episodes: int | None
    statistics: dict[str, list[float]] | None


class VersionPreviewStatistics(TypedDict):
    # Every feature below is computed over every frame of the result.
    exact: bool
    features: list[VersionPreviewStatisticsFeaturesItem]


class VersionPreviewFrameBefore(TypedDict):
    # A signed address, or a `data:` URL of a small JPEG.
    url: str
    width: int
    height: int


class VersionPreviewFrameAfter(TypedDict):
    # A signed address, or a `data:` URL of a small JPEG.
    url: str
    width: int
    height: int


class VersionPreviewFrame(TypedDict):
    camera_key: str
    episode_index: int
    frame_index: int
    before: VersionPreviewFrameBefore
    after: VersionPreviewFrameAfter


class VersionPreviewAction(TypedDict):
    episode_index: int
    names: list[str]
    # Per dimension: whether it has two to eight values in the whole stored dataset, like a gripper that is open or shut. Smoothing would give it values in between.
    is_switch: list[bool]
    frame_index: list[int]
    timestamp: list[float]
    # Per dimension, per frame.
    before: list[list[float | None]]
    # Per dimension, per frame.
    after: list[list[float | None]]


class VersionPreview(TypedDict):
    episode_count: int
    frame_count: int
    duration_sec: float
    fps: float
    source_episode_count: int
    source_frame_count: int
    source_fps: float
    cut: VersionPreviewCut | None
    shortest_episode_sec: float
    longest_episode_sec: float
    mean_episode_sec: float
    tasks: VersionPreviewTasks
    splits: list[VersionPreviewSplitsItem]
    # Of the tar, from the stored files; of cameras that are encoded, from some frames that were.
    estimated_bytes: int
    # `measuring`: some frames are being encoded, ask again in a second; `rough`: that was not possible, the size goes by pixels; `settled`: it does not get better.
    estimate: Literal["settled", "measuring", "rough"]
    cameras: list[VersionPreviewCamerasItem]
    statistics: VersionPreviewStatistics
    frame: VersionPreviewFrame | None
    action: VersionPreviewAction | None


class _WorkspaceImportIdempotencyLookupRequired(TypedDict):
    idempotency_key: str


class WorkspaceImportIdempotencyLookup(_WorkspaceImportIdempotencyLookupRequired, total=False):
    idempotency_fingerprint: str | None


class WorkspaceImportJob(TypedDict):
    id: str
    org_slug: str
    project_slug: str
    dataset_id: str | None
    dataset_slug: str
    title: str
    source_kind: Literal["huggingface", "hdf5", "lerobot", "version"]
    source_uri: str | None
    status: Literal["queued", "running", "succeeded", "failed", "canceled"]
    raw_object_path: str | None
    report_object_path: str | None
    read_model_path: str | None
    error_message: str | None
    created_by: str | None
    created_at: str
    updated_at: str
    hf_repo_id: str | None
    hf_revision: str | None
    hdf5: Hdf5SourceSummary | None
    preview_assets: list[WorkspaceImportPreviewAsset]
    started_at: str | None
    progress_pct: float | None
    progress_phase: str | None
    progress_message: str | None
    downloaded_bytes: int | None
    total_bytes: int | None
    attempt_count: int
    max_attempts: int
    claim_epoch: int
    claimed_by: str | None
    claimed_at: str | None
    claim_expires_at: str | None
    last_heartbeat_at: str | None
    retry_after: str | None
    last_error: str | None
    consistency_status: Literal["unknown", "ok", "missing_artifact", "checksum_mismatch", "orphaned", "error"]
    consistency_checked_at: str | None
    consistency_error: str | None
    revision_id: str | None
    retry_of: str | None
    copied_from: CopiedFrom | None
    losses: ImportLosses | None
    dismissed_at: str | None
    cancel_requested_at: str | None
    finished_at: str | None
    error_code: str | None
    idempotency_key: str | None
    idempotency_fingerprint: str


class WorkspaceImportPreviewAsset(TypedDict):
    kind: Literal["image_preview", "video_preview", "video_mp4", "video_webm", "timeseries_parquet", "timeseries_arrow"]
    # Its last part is the `name` for `getImportPreviewUrl`.
    path: str
    label: str
    content_type: Literal["image/png", "video/mp4", "video/webm", "application/vnd.apache.parquet", "application/vnd.apache.arrow.file"]
    size_bytes: int
    sha256: str
    metadata: dict[str, Any]


class GetVersionAnswer(TypedDict):
    item: Version


class GetConsoleConfigAnswer(TypedDict):
    item: ConsoleConfig


class GetHealthAnswer(TypedDict):
    status: Literal["ok"]


class GetReadinessAnswer(TypedDict):
    status: Literal["ready", "read_only", "not_ready"]
    checks: dict[str, str]


class GetStatusAnswer(TypedDict):
    item: PlatformStatus


class GetStatusDetailsAnswer(TypedDict):
    item: StatusDetails


class GetCurrentUserAnswer(TypedDict):
    user: CurrentUser


class DeleteAccountAnswerItem(TypedDict):
    id: str
    deletion_at: str


class DeleteAccountAnswer(TypedDict):
    item: DeleteAccountAnswerItem


class SignOutAnswerItem(TypedDict):
    signed_out: bool


class SignOutAnswer(TypedDict):
    item: SignOutAnswerItem


class GetProfileAnswer(TypedDict):
    item: UserProfile


class ChangeProfileBodyNotificationPreferencesTransformDone(TypedDict, total=False):
    email: bool
    in_app: bool


class ChangeProfileBodyNotificationPreferencesExportReady(TypedDict, total=False):
    email: bool
    in_app: bool


class ChangeProfileBodyNotificationPreferencesTeamInvite(TypedDict, total=False):
    email: bool
    in_app: bool


class ChangeProfileBodyNotificationPreferencesEpisodeFlag(TypedDict, total=False):
    email: bool
    in_app: bool


class ChangeProfileBodyNotificationPreferencesImportFail(TypedDict, total=False):
    email: bool
    in_app: bool


class ChangeProfileBodyNotificationPreferencesWeeklyDigest(TypedDict, total=False):
    email: bool
    in_app: bool


class ChangeProfileBodyNotificationPreferences(TypedDict, total=False):
    transform_done: ChangeProfileBodyNotificationPreferencesTransformDone
    export_ready: ChangeProfileBodyNotificationPreferencesExportReady
    team_invite: ChangeProfileBodyNotificationPreferencesTeamInvite
    episode_flag: ChangeProfileBodyNotificationPreferencesEpisodeFlag
    import_fail: ChangeProfileBodyNotificationPreferencesImportFail
    weekly_digest: ChangeProfileBodyNotificationPreferencesWeeklyDigest


class ChangeProfileBody(TypedDict, total=False):
    display_name: str
    title: str
    timezone: str
    default_project_org_slug: str | None
    default_project_slug: str | None
    notification_preferences: ChangeProfileBodyNotificationPreferences


class ChangeProfileAnswer(TypedDict):
    item: UserProfile


class ListSessionsAnswer(TypedDict):
    items: list[Session]
    next_cursor: str | None


class EndOtherSessionsAnswerItem(TypedDict):
    ended: int


class EndOtherSessionsAnswer(TypedDict):
    item: EndOtherSessionsAnswerItem


class EndSessionAnswer(TypedDict):
    item: Session


class _CreateTokenBodyRequired(TypedDict):
    name: str


class CreateTokenBody(_CreateTokenBodyRequired, total=False):
    scopes: list[Literal["workspace:read", "imports:write", "datasets:write", "datasets:delete", "versions:write", "exports:write"]]
    # Unless said, 90; 30 where a session of the command line asks.
    expires_in_days: int


class CreateTokenAnswer(TypedDict):
    item: ApiToken
    token: str


class ListTokensAnswer(TypedDict):
    items: list[ApiToken]
    next_cursor: str | None


class RevokeTokenAnswer(TypedDict):
    item: ApiToken


class ListOrganizationsAnswer(TypedDict):
    items: list[Organization]
    next_cursor: str | None


class _CreateOrganizationBodyRequired(TypedDict):
    slug: str


class CreateOrganizationBody(_CreateOrganizationBodyRequired, total=False):
    name: str


class CreateOrganizationAnswer(TypedDict):
    item: Organization


class GetOrganizationAnswer(TypedDict):
    item: Organization


class RenameOrganizationBody(TypedDict, total=False):
    name: str
    require_two_step: bool


class RenameOrganizationAnswer(TypedDict):
    item: Organization


class DeleteOrganizationAnswer(TypedDict):
    item: Organization


class GetOrganizationUsageAnswer(TypedDict):
    item: OrganizationUsage


class RestoreOrganizationAnswer(TypedDict):
    item: Organization


class ListMembersAnswer(TypedDict):
    items: list[OrgMember]
    next_cursor: str | None


class ChangeMemberBody(TypedDict):
    role: Literal["admin", "member"]


class ChangeMemberAnswer(TypedDict):
    item: OrgMember


class RemoveMemberAnswer(TypedDict):
    item: OrgMember


class ListProjectMembersAnswer(TypedDict):
    items: list[ProjectMember]
    next_cursor: str | None


class PutProjectMemberBody(TypedDict):
    role: Literal["admin", "editor", "viewer"]


class PutProjectMemberAnswer(TypedDict):
    item: ProjectMember


class RemoveProjectMemberAnswer(TypedDict):
    item: ProjectMember


class _CreateInviteBodyRequired(TypedDict):
    email: str


class CreateInviteBody(_CreateInviteBodyRequired, total=False):
    org_role: Literal["admin", "member"]
    project_slug: str
    project_role: Literal["admin", "editor", "viewer"]


class CreateInviteAnswer(TypedDict):
    item: Invite
    accept_url: str
    account_url: str | None
    mail_sent: bool


class ListInvitesAnswer(TypedDict):
    items: list[Invite]
    next_cursor: str | None


class RevokeInviteAnswer(TypedDict):
    item: Invite


class AcceptInviteBody(TypedDict):
    token: str


class AcceptInviteAnswer(TypedDict):
    item: Invite


class ListNotificationsAnswer(TypedDict):
    items: list[Notification]
    next_cursor: str | None
    unread_count: int


class MarkNotificationsReadBody(TypedDict, total=False):
    ids: list[str]


class MarkNotificationsReadAnswer(TypedDict):
    unread_count: int


class ListAuditEventsAnswer(TypedDict):
    items: list[AuditEvent]
    next_cursor: str | None


class ListProjectsAnswer(TypedDict):
    items: list[Project]
    next_cursor: str | None


class _CreateProjectBodyRequired(TypedDict):
    slug: str


class CreateProjectBody(_CreateProjectBodyRequired, total=False):
    name: str


class CreateProjectAnswer(TypedDict):
    item: Project


class GetProjectAnswer(TypedDict):
    item: Project


class ChangeProjectBody(TypedDict, total=False):
    name: str
    status: Literal["active", "archived"]


class ChangeProjectAnswer(TypedDict):
    item: Project


class ListProjectDatasetsAnswer(TypedDict):
    items: list[ProjectDataset]
    next_cursor: str | None


class GetProjectDatasetAnswer(TypedDict):
    item: ProjectDataset


class ChangeProjectDatasetBody(TypedDict, total=False):
    title: str | None
    description: str | None
    tags: list[str] | None
    language: list[str] | None
    # Needs a session and the role admin of the project.
    visibility: Literal["private", "public"]
    # True: revisions of before the publication are public too. False: only the one that is shown now, and later ones. Needs what `visibility` needs, and a public dataset.
    public_history: bool
    # True dismisses the losses of this revision's import: the manifest no longer shows them.
    losses_dismissed: bool
    licence: str | None
    citation: str | None
    card_markdown: str | None
    work_name: str | None
    task_name: str | None
    robot_type: str | None
    embodiment: str | None
    robot_description_uri: str | None


class ChangeProjectDatasetAnswer(TypedDict):
    item: ProjectDataset


class DeleteProjectDatasetAnswer(TypedDict):
    item: ProjectDataset


class RestoreProjectDatasetAnswer(TypedDict):
    item: ProjectDataset


class ListDatasetRevisionsAnswer(TypedDict):
    items: list[DatasetRevision]
    next_cursor: str | None


class RestoreDatasetRevisionAnswer(TypedDict):
    item: ProjectDataset


class GetProjectDatasetManifestAnswer(TypedDict):
    item: DatasetManifest


class BrowseCatalogAnswerTotals(TypedDict):
    """Over all pages; only sent with the first."""
    episodes: int
    seconds: float
    bytes: int


class BrowseCatalogAnswerFacetsRobotTypeItem(TypedDict):
    value: str
    count: int


class BrowseCatalogAnswerFacetsTagItem(TypedDict):
    value: str
    count: int


class BrowseCatalogAnswerFacetsTaskItem(TypedDict):
    value: str
    count: int


class BrowseCatalogAnswerFacetsSizeItem(TypedDict):
    value: str
    count: int


class BrowseCatalogAnswerFacetsCamerasItem(TypedDict):
    value: str
    count: int


class BrowseCatalogAnswerFacetsSourceKindItem(TypedDict):
    value: str
    count: int


class BrowseCatalogAnswerFacets(TypedDict):
    robot_type: list[BrowseCatalogAnswerFacetsRobotTypeItem]
    tag: list[BrowseCatalogAnswerFacetsTagItem]
    task: list[BrowseCatalogAnswerFacetsTaskItem]
    size: list[BrowseCatalogAnswerFacetsSizeItem]
    cameras: list[BrowseCatalogAnswerFacetsCamerasItem]
    source_kind: list[BrowseCatalogAnswerFacetsSourceKindItem]


class BrowseCatalogAnswerHistogramsSecondsItem(TypedDict):
    low: float
    high: float
    count: int


class BrowseCatalogAnswerHistogramsBytesItem(TypedDict):
    low: float
    high: float
    count: int


class BrowseCatalogAnswerHistogramsEpisodesItem(TypedDict):
    low: float
    high: float
    count: int


class BrowseCatalogAnswerHistograms(TypedDict):
    # Bins of half a power of ten, empty ones omitted; `low` is inclusive, `high` exclusive.
    seconds: list[BrowseCatalogAnswerHistogramsSecondsItem]
    # Bins of half a power of ten, empty ones omitted; `low` is inclusive, `high` exclusive.
    bytes: list[BrowseCatalogAnswerHistogramsBytesItem]
    # Bins of half a power of ten, empty ones omitted; `low` is inclusive, `high` exclusive.
    episodes: list[BrowseCatalogAnswerHistogramsEpisodesItem]


class BrowseCatalogAnswer(TypedDict):
    items: list[CatalogEntry]
    next_cursor: str | None
    total: int | None
    totals: BrowseCatalogAnswerTotals | None
    facets: BrowseCatalogAnswerFacets | None
    histograms: BrowseCatalogAnswerHistograms | None


class GetCatalogDatasetAnswer(TypedDict):
    item: DatasetManifest


class ListEpisodesAnswer(TypedDict):
    item: EpisodePage


class GetEpisodeNavigationAnswer(TypedDict):
    item: EpisodeNavigation


class ListFramesAnswer(TypedDict):
    item: FramesPage


class GetStatisticsAnswer(TypedDict):
    item: DatasetStatistics


class GetFilteringAnswer(TypedDict):
    item: FilterOptions


class GetThumbnailsAnswer(TypedDict):
    item: Thumbnails


class GetFeatureStatisticsAnswer(TypedDict):
    item: FeatureStatistics


class GetInsightsAnswer(TypedDict):
    item: Insights


class GetMotionCurvesAnswer(TypedDict):
    item: MotionCurves


class ListFilesAnswer(TypedDict):
    items: list[StoredFile]
    next_cursor: str | None


class CreateImportAnswer(TypedDict):
    item: WorkspaceImportJob


class ListImportsAnswer(TypedDict):
    items: list[WorkspaceImportJob]
    next_cursor: str | None


class LookupImportAnswer(TypedDict):
    item: WorkspaceImportJob


class CheckHuggingFaceAnswer(TypedDict):
    item: HuggingFaceCheck


class GetImportAnswer(TypedDict):
    item: WorkspaceImportJob


class CancelImportAnswer(TypedDict):
    item: WorkspaceImportJob


class DismissImportAnswer(TypedDict):
    item: WorkspaceImportJob


class RetryImportAnswer(TypedDict):
    item: WorkspaceImportJob


class GetImportReportAnswer(TypedDict):
    item: ImportReport


class GetImportPreviewUrlAnswer(TypedDict):
    url: str
    expires_at: str


class GetEpisodeRowsAnswer(TypedDict):
    item: EpisodeRows


class GetEpisodeMediaAnswer(TypedDict):
    item: EpisodeMedia


class GetEpisodeSpriteUrlAnswer(TypedDict):
    item: EpisodeSprite


class ListCheckRulesAnswer(TypedDict):
    rule_set_version: int
    rules: list[CheckRule]


class GetChecksAnswer(TypedDict):
    item: CheckSummary


class ListCheckFindingsAnswer(TypedDict):
    item: CheckFindings


class ListCheckRankingsAnswer(TypedDict):
    item: CheckRankings


class GetEpisodeChecksAnswer(TypedDict):
    item: EpisodeChecks


class RunChecksAnswer(TypedDict):
    item: CheckSummary


class CancelChecksAnswer(TypedDict):
    item: CheckSummary


class PutCheckSettingsAnswer(TypedDict):
    item: CheckSummary


class GetDatasetSignalsAnswer(TypedDict):
    item: DatasetSignals


class ChangeDatasetSignalsBody(TypedDict, total=False):
    state: str | None
    action: str | None


class ChangeDatasetSignalsAnswer(TypedDict):
    item: DatasetSignals


class ListFlagsAnswer(TypedDict):
    items: list[EpisodeFlag]
    next_cursor: str | None


class _PutFlagsBodyItemsItemRequired(TypedDict):
    episode_index: int
    reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"]


class PutFlagsBodyItemsItem(_PutFlagsBodyItemsItemRequired, total=False):
    note: str | None
    start_frame: int | None
    end_frame: int | None


class PutFlagsBody(TypedDict):
    items: list[PutFlagsBodyItemsItem]


class PutFlagsAnswer(TypedDict):
    items: list[EpisodeFlag]
    created_ids: list[str]


class DeleteFlagAnswer(TypedDict):
    item: EpisodeFlag


class DeleteFlagsBody(TypedDict):
    ids: list[str]


class DeleteFlagsAnswer(TypedDict):
    items: list[EpisodeFlag]


class _CopyFlagsBodyRequired(TypedDict):
    from_revision: int


class CopyFlagsBody(_CopyFlagsBodyRequired, total=False):
    # The revision the dataset shows when absent.
    to_revision: int


class CopyFlagsAnswerItem(TypedDict):
    from_revision: int
    to_revision: int
    copied: int
    # Flags that already existed.
    present: int
    changed_episodes: list[int]


class CopyFlagsAnswer(TypedDict):
    item: CopyFlagsAnswerItem


class ListAnnotationSetsAnswer(TypedDict):
    items: list[AnnotationSet]
    next_cursor: str | None


class CreateAnnotationSetBodyEpisodesItemSegmentsItem(TypedDict):
    label: str
    start_frame: int
    # Exclusive.
    end_frame: int


class _CreateAnnotationSetBodyEpisodesItemRequired(TypedDict):
    episode_index: int


class CreateAnnotationSetBodyEpisodesItem(_CreateAnnotationSetBodyEpisodesItemRequired, total=False):
    task: str | None
    success: bool | None
    tags: list[str] | None
    note: str | None
    segments: list[CreateAnnotationSetBodyEpisodesItemSegmentsItem] | None


class _CreateAnnotationSetBodyRequired(TypedDict):
    name: str


class CreateAnnotationSetBody(_CreateAnnotationSetBodyRequired, total=False):
    # Why this version was made.
    message: str
    episodes: list[CreateAnnotationSetBodyEpisodesItem]


class CreateAnnotationSetAnswer(TypedDict):
    item: OpenedAnnotationSet


class GetAnnotationSetAnswer(TypedDict):
    item: OpenedAnnotationSet


class PutAnnotationSetBodyEpisodesItemSegmentsItem(TypedDict):
    label: str
    start_frame: int
    # Exclusive.
    end_frame: int


class _PutAnnotationSetBodyEpisodesItemRequired(TypedDict):
    episode_index: int


class PutAnnotationSetBodyEpisodesItem(_PutAnnotationSetBodyEpisodesItemRequired, total=False):
    task: str | None
    success: bool | None
    tags: list[str] | None
    note: str | None
    segments: list[PutAnnotationSetBodyEpisodesItemSegmentsItem] | None


class _PutAnnotationSetBodyRequired(TypedDict):
    episodes: list[PutAnnotationSetBodyEpisodesItem]


class PutAnnotationSetBody(_PutAnnotationSetBodyRequired, total=False):
    merge: bool
    base_version: int
    # Why this version was made.
    message: str


class PutAnnotationSetAnswer(TypedDict):
    item: OpenedAnnotationSet


class DeleteAnnotationSetAnswer(TypedDict):
    item: AnnotationSet


class CopyAnnotationSetBody(TypedDict, total=False):
    # The revision the dataset shows when absent.
    to_revision: int
    version: int
    name: str


class CopyAnnotationSetAnswer(TypedDict):
    item: OpenedAnnotationSet
    changed_episodes: list[int]


class ListVersionFlagsAnswer(TypedDict):
    items: list[EpisodeFlag]
    next_cursor: str | None


class _PutVersionFlagsBodyItemsItemRequired(TypedDict):
    episode_index: int
    reason: Literal["idle", "shaky", "failed", "tracking", "camera", "task", "other"]


class PutVersionFlagsBodyItemsItem(_PutVersionFlagsBodyItemsItemRequired, total=False):
    note: str | None
    start_frame: int | None
    end_frame: int | None


class PutVersionFlagsBody(TypedDict):
    items: list[PutVersionFlagsBodyItemsItem]


class PutVersionFlagsAnswer(TypedDict):
    items: list[EpisodeFlag]
    created_ids: list[str]


class DeleteVersionFlagAnswer(TypedDict):
    item: EpisodeFlag


class DeleteVersionFlagsBody(TypedDict):
    ids: list[str]


class DeleteVersionFlagsAnswer(TypedDict):
    items: list[EpisodeFlag]


class ListVersionAnnotationSetsAnswer(TypedDict):
    items: list[AnnotationSet]
    next_cursor: str | None


class CreateVersionAnnotationSetBodyEpisodesItemSegmentsItem(TypedDict):
    label: str
    start_frame: int
    # Exclusive.
    end_frame: int


class _CreateVersionAnnotationSetBodyEpisodesItemRequired(TypedDict):
    episode_index: int


class CreateVersionAnnotationSetBodyEpisodesItem(_CreateVersionAnnotationSetBodyEpisodesItemRequired, total=False):
    task: str | None
    success: bool | None
    tags: list[str] | None
    note: str | None
    segments: list[CreateVersionAnnotationSetBodyEpisodesItemSegmentsItem] | None


class _CreateVersionAnnotationSetBodyRequired(TypedDict):
    name: str


class CreateVersionAnnotationSetBody(_CreateVersionAnnotationSetBodyRequired, total=False):
    # Why this version was made.
    message: str
    episodes: list[CreateVersionAnnotationSetBodyEpisodesItem]


class CreateVersionAnnotationSetAnswer(TypedDict):
    item: OpenedAnnotationSet


class GetVersionAnnotationSetAnswer(TypedDict):
    item: OpenedAnnotationSet


class PutVersionAnnotationSetBodyEpisodesItemSegmentsItem(TypedDict):
    label: str
    start_frame: int
    # Exclusive.
    end_frame: int


class _PutVersionAnnotationSetBodyEpisodesItemRequired(TypedDict):
    episode_index: int


class PutVersionAnnotationSetBodyEpisodesItem(_PutVersionAnnotationSetBodyEpisodesItemRequired, total=False):
    task: str | None
    success: bool | None
    tags: list[str] | None
    note: str | None
    segments: list[PutVersionAnnotationSetBodyEpisodesItemSegmentsItem] | None


class _PutVersionAnnotationSetBodyRequired(TypedDict):
    episodes: list[PutVersionAnnotationSetBodyEpisodesItem]


class PutVersionAnnotationSetBody(_PutVersionAnnotationSetBodyRequired, total=False):
    merge: bool
    base_version: int
    # Why this version was made.
    message: str


class PutVersionAnnotationSetAnswer(TypedDict):
    item: OpenedAnnotationSet


class DeleteVersionAnnotationSetAnswer(TypedDict):
    item: AnnotationSet


class RunVersionChecksAnswer(TypedDict):
    item: CheckSummary


class CancelVersionChecksAnswer(TypedDict):
    item: CheckSummary


class PutVersionCheckSettingsAnswer(TypedDict):
    item: CheckSummary


class ListReviewsAnswer(TypedDict):
    items: list[Review]
    next_cursor: str | None


class _CreateReviewBodyRequired(TypedDict):
    dataset_id: str
    name: str
    episodes: list[int]


class CreateReviewBody(_CreateReviewBodyRequired, total=False):
    # Ids of editors of the project, between whom the queue is dealt: the first gets every first of n episodes, and so on. Empty: whoever comes.
    people: list[str]


class CreateReviewAnswer(TypedDict):
    item: OpenedReview


class GetReviewAnswer(TypedDict):
    item: OpenedReview


class ChangeReviewBody(TypedDict, total=False):
    name: str
    # Ids of editors of the project, between whom the queue is dealt: the first gets every first of n episodes, and so on. Empty: whoever comes.
    people: list[str]


class ChangeReviewAnswer(TypedDict):
    item: Review


class DeleteReviewAnswer(TypedDict):
    item: Review


class DecideReviewBodyItemsItem(TypedDict):
    episode_index: int
    verdict: Literal["keep", "leave_out", "flag"] | None


class DecideReviewBody(TypedDict):
    items: list[DecideReviewBodyItemsItem]


class DecideReviewAnswer(TypedDict):
    item: Review


class ListRobotsAnswer(TypedDict):
    items: list[Robot]


class CreateRobotBody(TypedDict):
    name: str
    upload_id: str


class CreateRobotAnswer(TypedDict):
    item: Robot


class DeleteRobotAnswer(TypedDict):
    item: Robot


class GetDatasetRobotAnswer(TypedDict):
    item: DatasetRobot | None


class PutDatasetRobotBodyJointsItem(TypedDict):
    # As the URDF names it.
    joint: str
    # Which number of the state turns it.
    dimension: int
    # Of that number.
    unit: Literal["rad", "deg", "m", "mm"]


class PutDatasetRobotBody(TypedDict):
    robot_id: str | None
    joints: list[PutDatasetRobotBodyJointsItem]


class PutDatasetRobotAnswer(TypedDict):
    item: DatasetRobot | None


class UseNamedRobotAnswer(TypedDict):
    item: Robot


class ListVersionsAnswer(TypedDict):
    items: list[DerivedDatasetVersion]
    next_cursor: str | None


class CreateVersionAnswer(TypedDict):
    item: DerivedDatasetVersion


class PreviewVersionAnswer(TypedDict):
    item: VersionPreview


class PreviewCutsAnswer(TypedDict):
    item: CutsPreview


class PreviewMergeAnswer(TypedDict):
    item: MergePreview


class SuggestMapAnswer(TypedDict):
    items: list[SuggestedMap]


class GetDerivedVersionAnswer(TypedDict):
    item: DerivedDatasetVersion


class ChangeVersionAnswer(TypedDict):
    item: DerivedDatasetVersion


class DeleteVersionAnswer(TypedDict):
    item: DerivedDatasetVersion


class GetRecipeDraftAnswer(TypedDict):
    item: RecipeDraft | None


class PutRecipeDraftBody(TypedDict):
    revision: int
    slug: str
    name: str
    # A recipe in the making: it is checked when it is previewed or a version is made of it.
    recipe: dict[str, Any]


class PutRecipeDraftAnswer(TypedDict):
    item: RecipeDraft


class GetSharedRecipeDraftAnswer(TypedDict):
    item: RecipeDraft


class QueueExportAnswer(TypedDict):
    item: DerivedDatasetVersion
    jobs: list[DerivedDatasetExportJob]


class ListExportJobsAnswer(TypedDict):
    items: list[DerivedDatasetExportJob]
    next_cursor: str | None


class ListExportTargetsAnswer(TypedDict):
    items: list[ExportTarget]


class GetExportJobAnswer(TypedDict):
    item: DerivedDatasetExportJob


class CancelExportJobAnswer(TypedDict):
    item: DerivedDatasetExportJob


class RetryExportJobAnswer(TypedDict):
    item: DerivedDatasetExportJob


class GetArtifactDownloadUrlAnswer(TypedDict):
    url: str
    expires_at: str


class ListVersionFilesAnswer(TypedDict):
    items: list[VersionFile]
    next_cursor: str | None


class CopyVersionAnswer(TypedDict):
    item: WorkspaceImportJob


class RenameProjectDatasetAnswer(TypedDict):
    item: ProjectDataset


class GetDiffAnswer(TypedDict):
    item: Diff


class GetDatasetLineageAnswer(TypedDict):
    item: Lineage


class GetVersionLineageAnswer(TypedDict):
    item: Lineage
