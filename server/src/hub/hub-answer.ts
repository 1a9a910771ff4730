import type { Readable } from 'node:stream'
import { ServiceError } from '../errors.ts'

/** What a route of the door answers; `json` and `body` exclude each other. */
export interface HubAnswer {
  status?: number
  headers?: Record<string, string>
  json?: unknown
  body?: Readable | Uint8Array
}

/** No name, path or message has one, and PostgreSQL stores none. */
export const noNul = (place: string): ServiceError =>
  new ServiceError('malformed_request', `NUL characters are not allowed in the ${place}.`)

/** The Hub's own words for what is missing: its clients turn each into an exception of its own. */
const missing = (code: 'RepoNotFound' | 'RevisionNotFound' | 'EntryNotFound', sentence: string): ServiceError =>
  new ServiceError('not_found', sentence, { headers: { 'x-error-code': code } })

/** Absent and forbidden look alike; without any credential the clients want to hear 401. */
export const repoNotFound = (isAnonymous: boolean): ServiceError => {
  const sentence = 'There is no such repository, or you may not see it. If it is private, set HF_TOKEN to your token.'
  if (!isAnonymous) return missing('RepoNotFound', sentence)
  return new ServiceError('unauthenticated', sentence, { headers: { 'x-error-code': 'RepoNotFound' } })
}

/** Of a model that is not among those pushed here: where its weights come from instead. */
export const modelNotFound = (isAnonymous: boolean): ServiceError => {
  if (!isAnonymous) return missing('RepoNotFound', modelsNotHere)
  return new ServiceError('unauthenticated', modelsNotHere, { headers: { 'x-error-code': 'RepoNotFound' } })
}

export const modelsNotHere =
  'There is no such model here, or you may not see it. Models of the public Hub are not passed on: download them with HF_ENDPOINT unset (hf download ORG/NAME --local-dir FOLDER) and pass the folder instead of the name.'

export const missingRepository = (sentence: string): ServiceError => missing('RepoNotFound', sentence)

export const revisionNotFound = (revision: string): ServiceError =>
  missing('RevisionNotFound', `The repository has no revision ${JSON.stringify(revision.slice(0, 100))}.`)

export const entryNotFound = (path: string): ServiceError =>
  missing('EntryNotFound', `There is no file ${JSON.stringify(path.slice(0, 200))} at this revision.`)
