import type { OrgGrant } from '../access/access.ts'
import type { Principal } from '../access/principal.ts'
import { holdsProjectRole, type ProjectRole } from '../access/roles.ts'
import type { Context } from '../context.ts'
import { getReadModel, type ReadModelPlace } from '../datasets/read-model/cache.ts'
import type { ReadModel } from '../datasets/read-model/model.ts'
import { findReadableKind } from '../datasets/readable.ts'
import type { DatasetEntry } from '../datasets/seen-dataset.ts'
import { getDatasetBySlug } from '../datasets/service.ts'
import { insufficientRole, invalidValue, notFound, ValidationError, type ValidationIssue } from '../errors.ts'
import { type CuratedRevision, findRevision } from './repository.ts'

/** A dataset and the revision that something is said about; or a version, which is both. */
export interface CuratedDataset {
  dataset: DatasetEntry
  revision: CuratedRevision
  /** Of a version: where it is read from at the moment. */
  place?: ReadModelPlace
}

/** Without a number: the revision the dataset shows. */
export async function openCurated(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  slug: string,
  revisionNumber: number | undefined,
  place: (string | number)[] = ['query', 'revision_number'],
): Promise<CuratedDataset> {
  const dataset = await getDatasetBySlug(db, projectId, slug)
  const number = revisionNumber ?? dataset.revision.number
  const revision = await findRevision(db, dataset.id, number)
  if (!revision) throw invalidValue(place, `the dataset has no revision ${number}`, number)
  return { dataset, revision }
}

/** A version never changes, so it is what is spoken of, whether it is exported or not. */
export async function openCuratedVersion(
  context: Context,
  principal: Principal,
  org: OrgGrant,
  versionId: string,
  role: ProjectRole,
): Promise<Required<CuratedDataset>> {
  const seen = await findReadableKind(context, versionId)?.find(context, principal.userId, versionId)
  if (!seen?.role || seen.org.id !== org.id) throw notFound()
  if (!holdsProjectRole(seen.role, role)) throw insufficientRole(`${role} of the project`)
  const { number, digest, readModelDigest } = seen.revision
  const revision = { kind: 'version', id: versionId, number, digest, readModelDigest } as const
  return { dataset: seen.dataset, revision, place: seen.revision }
}

export const openCuratedModel = (context: Context, { dataset, revision, place }: CuratedDataset): Promise<ReadModel> =>
  getReadModel(context, place ?? { id: revision.id, readModelDigest: revision.readModelDigest, orgId: dataset.orgId })

const maxIssues = 100

/** Gathers what is wrong with a list, so that whoever sent a thousand entries learns of all at once. */
export class EpisodeCheck {
  readonly #model: ReadModel
  readonly #issues: ValidationIssue[] = []

  constructor(model: ReadModel) {
    this.#model = model
  }

  add(loc: (string | number)[], sentence: string, input: unknown): void {
    if (this.#issues.length < maxIssues) this.#issues.push(...invalidValue(loc, sentence, input).detail)
  }

  /** Answers the episode's length, or undefined after saying that there is no such episode. */
  findLength(loc: (string | number)[], episode: number): number | undefined {
    if (this.#model.hasEpisode(episode)) return this.#model.columns.lengthFrames[episode]
    this.add([...loc, 'episode_index'], `the episodes are 0 to ${this.#model.episodeCount - 1}`, episode)
    return undefined
  }

  checkFrames(loc: (string | number)[], length: number, start: number, end: number): void {
    if (end > length) this.add([...loc, 'end_frame'], `the episode has ${length} frames`, end)
    else if (start >= end) this.add([...loc, 'start_frame'], 'the first frame must come before end_frame', start)
  }

  throwIfAny(): void {
    if (this.#issues.length > 0) throw new ValidationError(this.#issues)
  }
}
