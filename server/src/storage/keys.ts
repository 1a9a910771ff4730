import { createHash, randomBytes } from 'node:crypto'
import { ServiceError } from '../errors.ts'

/** An object whose content is a random id that also stands in the database: proof that this is the store we think it is. */
export const storeIdKey = '.store-id'
export const runsPrefix = 'runs/'
/** What a start writes, reads, lists and deletes, to know that it may. */
export const startChecksPrefix = 'start-checks/'
export const newStartCheckKey = (): string => `${startChecksPrefix}${randomBytes(12).toString('hex')}`

const maxKeyBytes = 1024
const maxComponentBytes = 255
// biome-ignore lint/suspicious/noControlCharactersInRegex: the point is to refuse them
const forbiddenCharacters = /[\u0000-\u001f\u007f]/
const blobKey = /^runs\/[^/]+\/\d+\/blob-[0-9a-f]{24}$/
const runKey = /^runs\/([^/]+)\/(\d+)\/[^/]+$/

/**
 * A key that both the folder and every S3 we know keep apart from every other key: well-formed text without control characters
 * (XML listings cannot carry them), no empty, `.` or `..` component. Components stop at 255 bytes, the limit of S3 gateways over
 * a file system.
 */
export const checkKey = (key: string): string => {
  const complaint = findKeyFault(key)
  if (complaint === undefined) return key
  throw new ServiceError(
    'internal_error',
    `The storage key ${JSON.stringify(key.slice(0, 120))} ${complaint}. Build keys with storage/keys.ts only.`,
  )
}

const findKeyFault = (key: string): string | undefined => {
  if (!key.isWellFormed()) return 'is not well-formed Unicode'
  if (Buffer.byteLength(key) > maxKeyBytes) return `is longer than ${maxKeyBytes} bytes`
  if (forbiddenCharacters.test(key)) return 'holds a control character'
  for (const component of key.split('/')) {
    if (component === '') return 'has an empty component'
    if (component === '.' || component === '..') return 'has a component that is . or ..'
    if (Buffer.byteLength(component) > maxComponentBytes) return `has a component of over ${maxComponentBytes} bytes`
  }
  return undefined
}

/** A prefix ends at a component: S3 would take any text, a folder cannot. */
export const checkPrefix = (prefix: string): string => {
  if (prefix === '') return prefix
  if (!prefix.endsWith('/')) {
    throw new ServiceError('internal_error', `The storage prefix ${JSON.stringify(prefix)} must end in a slash.`)
  }
  checkKey(prefix.slice(0, -1))
  return prefix
}

/** Everything one attempt (epoch) of one job wrote. */
export const runPrefix = (jobId: string, epoch: number): string =>
  `${runsPrefix}${encodeComponent(jobId)}/${checkEpoch(epoch)}/`

/** What a job shares between its own steps under a name. The name is one component whatever it holds, so `f` and `f/g` never nest. */
export const stagingKey = (jobId: string, epoch: number, name: string): string =>
  checkKey(runPrefix(jobId, epoch) + encodeComponent(name))

/**
 * Where new content goes, before and after its publication: publishing adds a row and moves no byte. The key was never used
 * before and never will be again, so collecting one copy of a content cannot hit a newer copy of it.
 */
export const newBlobKey = (jobId: string, epoch: number): string =>
  checkKey(`${runPrefix(jobId, epoch)}blob-${randomBytes(12).toString('hex')}`)

/** Whether it is where content goes, and not what a job's steps share. */
export const isBlobKey = (key: string): boolean => blobKey.test(key)

/** Which attempt wrote this object; undefined for keys of another kind. */
export const parseRunKey = (key: string): { jobId: string; epoch: number } | undefined => {
  const match = runKey.exec(key)
  if (match?.[1] === undefined || match[2] === undefined) return undefined
  return { jobId: decodeURIComponent(match[1]), epoch: Number(match[2]) }
}

/** One component for any text; what is too long keeps its beginning for people and gets its hash for us. */
const encodeComponent = (text: string): string => {
  const encoded = encodeURIComponent(text.toWellFormed())
  if (encoded === '.' || encoded === '..') return encoded.replaceAll('.', '%2E')
  return encoded.length <= 200 ? encoded : `${encoded.slice(0, 120)}-${createHash('sha256').update(text).digest('hex')}`
}

const checkEpoch = (epoch: number): number => {
  if (Number.isSafeInteger(epoch) && epoch >= 0) return epoch
  throw new ServiceError('internal_error', `The epoch of a storage key must be a whole number, not ${epoch}.`)
}
