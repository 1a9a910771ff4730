import type { OrgGrant, ProjectGrant } from '../access/access.ts'
import type { Caller, Principal } from '../access/principal.ts'
import { holdsProjectRole } from '../access/roles.ts'
import type { Context } from '../context.ts'
import { summarize } from '../datasets/read-model/build.ts'
import type { SeenDataset } from '../datasets/seen-dataset.ts'
import type { Database } from '../db/database.ts'
import { insufficientRole, notFound, ServiceError, ValidationError } from '../errors.ts'
import { findProjectGrant } from '../organizations/projects/service.ts'
import { deriveReadModel } from './derive/derive-read-model.ts'
import { estimateBytes } from './estimate.ts'
import { findMade, type RequestKey } from './idempotency.ts'
import { type MergeRequest, prepareMerge, summarizeMerge } from './merge/merge.ts'
import { keepAnnotated } from './plan/find-annotations.ts'
import { planSource } from './plan/plan-source.ts'
import { normalizeRecipe, type RecipeBody } from './recipe/recipe.ts'
import { findMergedVersion, openSource, type SourceRequest } from './source.ts'
import { type CreatedVersion, storeVersion } from './store-version.ts'

/** Where the caller wants the version, or may put it: the source's own project, else `default`. */
async function chooseProject(
  db: Database,
  principal: Principal,
  org: OrgGrant,
  seen: SeenDataset,
  asked: string | undefined,
): Promise<ProjectGrant> {
  const canWriteAtSource = seen.org.id === org.id && seen.role !== null && holdsProjectRole(seen.role, 'editor')
  const slug = asked ?? (canWriteAtSource ? seen.project.slug : 'default')
  const project = await findProjectGrant(db, org, principal.userId, slug)
  if (!project) throw notFound()
  if (!holdsProjectRole(project.role, 'editor')) throw insufficientRole('editor of the project')
  return project
}

export interface NewVersion {
  slug: string
  name: string
  project_slug?: string | null
  /** One of them, with `recipe`; or several. */
  source?: SourceRequest
  sources?: MergeRequest['sources']
  seed?: number
  recipe?: RecipeBody
}

export async function createVersion(
  context: Context,
  caller: Caller,
  org: OrgGrant,
  body: NewVersion,
  key: RequestKey | null,
): Promise<CreatedVersion> {
  if (body.sources) return createMerged(context, caller, org, { ...body, sources: body.sources }, key)
  const asked = body.source
  if (!asked) throw notFound()
  if (await findMergedVersion(context, caller, asked))
    return await asOneSource(() => {
      const sources = [{ ...asked, ...(body.recipe && { recipe: body.recipe }) }]
      return createMerged(context, caller, org, { ...body, sources }, key)
    })
  const source = await openSource(context, caller, asked)
  const project = await chooseProject(context.db, caller, org, source.seen, body.project_slug ?? undefined)
  // First of all: what has changed since the request was first sent does not matter to its repetition.
  const made = await findMade(context.db, project.id, key)
  if (made) return { row: made, replayed: true }
  const { model, plan, stored, link } = await planSource(context, source, normalizeRecipe(body.recipe ?? {}))
  const { recipe, cuts, checks } = link
  const annotations = keepAnnotated(link.annotations, plan)
  refuseConflicts(project, source.seen)
  const { manifest: derived } = deriveReadModel(model, recipe, plan, annotations)
  const { bytes: sizeBytes } = await estimateBytes(context, source.root, source.rootModel, stored)
  const summary = summarize({ ...derived, size_bytes: sizeBytes })
  return storeVersion(context, caller, {
    org,
    project,
    name: { slug: body.slug, name: body.name },
    key,
    asked,
    opened: source,
    recipe: { ...recipe, annotation_set_version: annotations?.header.annotation_set_version ?? null },
    pinned: { annotations, cuts, checks },
    counts: { episodeCount: plan.episodes.length, frameCount: plan.frameCount },
    summary,
    merge: null,
  })
}

/** A version over several sources: each is planned as a version of its own would be, and all of them together. */
async function createMerged(
  context: Context,
  caller: Caller,
  org: OrgGrant,
  body: NewVersion & MergeRequest,
  key: RequestKey | null,
): Promise<CreatedVersion> {
  const [asked] = body.sources
  if (!asked) throw notFound()
  const merged = await findMergedVersion(context, caller, asked)
  const { seen } = merged ?? (await openSource(context, caller, asked))
  const project = await chooseProject(context.db, caller, org, seen, body.project_slug ?? undefined)
  const made = await findMade(context.db, project.id, key)
  if (made) return { row: made, replayed: true }
  const prepared = await prepareMerge(context, caller, body)
  for (const { source } of prepared.parts) refuseConflicts(project, source.seen)
  const [first] = prepared.parts
  if (!first) throw notFound()
  return storeVersion(context, caller, {
    org,
    project,
    name: { slug: body.slug, name: body.name },
    key,
    // Of a version of several sources the first of them, in the revision that was asked for.
    asked: first.asked,
    opened: first.source,
    recipe: normalizeRecipe({}),
    pinned: { annotations: null, cuts: null, checks: null },
    counts: prepared.counts,
    summary: await summarizeMerge(context, prepared),
    merge: prepared.stored,
  })
}

/** The one source of a request is refused where the request says it. */
async function asOneSource<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error
    throw new ValidationError(
      error.detail.map(({ loc: [body, , , ...rest], ...issue }) => ({
        ...issue,
        loc: [body ?? 'body', ...(rest[0] === 'recipe' ? [] : ['source']), ...rest],
      })),
    )
  }
}

function refuseConflicts(project: ProjectGrant, { dataset }: SeenDataset): void {
  if (project.status === 'archived')
    throw new ServiceError('conflict', `The project ${project.slug} is archived. Reactivate it to derive versions.`)
  if (dataset.deletionRequestedAt)
    throw new ServiceError('conflict', `The dataset ${dataset.slug} is being deleted. Restore it to derive versions.`)
}
