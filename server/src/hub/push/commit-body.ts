import { setImmediate } from 'node:timers/promises'
import { isInGitFolder } from '../../datasets/git-folder.ts'
import { ServiceError } from '../../errors.ts'
import { findJsonExcess } from '../../http/bodies/json-bounds.ts'

/** A line of a commit, as the clients send it. */
export type CommitLine =
  | { kind: 'header'; title: string; message: string; parentCommit: string | undefined }
  | { kind: 'file'; path: string; bytes: Uint8Array }
  | { kind: 'large'; path: string; sha256: string; sizeBytes: number | undefined }
  | { kind: 'deleted'; path: string }

/** A file inside a commit has at most 1 MiB (`isLargeFile`), a third more in base64; a message has 64 KiB of words. */
const largestLineBytes = 2 * 1024 * 1024
/** `{"key": …, "value": {…}}`, with half a dozen fields in it. */
const lineBounds = { mostDepth: 4, mostValues: 64 }
export const largestCommitBytes = 512 * 1024 * 1024
const mostLines = 100_000
const linesAtOnce = 250
const largeLineBytes = 64 * 1024

/** The lines of an NDJSON body, one at a time: memory holds one line. */
export async function* readCommitLines(body: AsyncIterable<Buffer>): AsyncGenerator<CommitLine> {
  let held: Buffer[] = []
  let heldBytes = 0
  let count = 0
  for await (const piece of body) {
    let start = 0
    for (let end = piece.indexOf(10); end !== -1; end = piece.indexOf(10, start)) {
      const part = piece.subarray(start, end)
      const lineBytes = heldBytes + part.byteLength
      yield* readLine(held.length === 0 ? part : Buffer.concat([...held, part]), ++count)
      held = []
      heldBytes = 0
      start = end + 1
      // A piece holds hundreds of lines, or the end of a large one: others are answered in between.
      if (count % linesAtOnce === 0 || lineBytes > largeLineBytes) await setImmediate()
    }
    if (start < piece.byteLength) held.push(piece.subarray(start))
    heldBytes += piece.byteLength - start
    if (heldBytes > largestLineBytes) throw tooLarge(`A line of the commit has more than ${largestLineBytes} bytes.`)
  }
  yield* readLine(Buffer.concat(held), ++count)
}

const tooLarge = (sentence: string): ServiceError =>
  new ServiceError('body_too_large', `${sentence} Send large files with LFS or Xet, or split the commit.`)

function* readLine(line: Buffer, number: number): Generator<CommitLine> {
  if (number > mostLines) throw tooLarge(`The commit has more than ${mostLines} lines.`)
  const excess = findJsonExcess(line, lineBounds)
  if (excess)
    throw new ServiceError('malformed_request', `Line ${number} of the commit is refused. ${excess.sentence}.`)
  const text = line.toString('utf8').trim()
  if (text !== '') yield parseLine(text, number)
}

function parseLine(text: string, number: number): CommitLine {
  const refuse = (why: string): never => {
    throw new ServiceError('malformed_request', `Line ${number} of the commit ${why}.`)
  }
  let entry: { key?: unknown; value?: Record<string, unknown> } | null
  try {
    entry = JSON.parse(text)
  } catch {
    return refuse('is not JSON')
  }
  const value = entry?.value ?? {}
  if (typeof entry !== 'object' || entry === null || typeof value !== 'object') return refuse('has no value')
  if (entry.key === 'header') {
    const { summary, description, parentCommit } = value
    return {
      kind: 'header',
      title: readText(summary, longestTitle),
      message: readText(description, longestMessage),
      parentCommit: typeof parentCommit === 'string' && parentCommit !== '' ? parentCommit : undefined,
    }
  }
  const path = typeof value.path === 'string' ? value.path : ''
  if (!isPath(path, entry.key === 'deletedFolder')) return refuse('has no valid path inside the repository')
  const isDeletion = entry.key === 'deletedFile' || entry.key === 'deletedFolder'
  if (isInGitFolder(path) && !isDeletion)
    return refuse('names a file of `.git`, which git keeps for itself. Leave that folder out')
  switch (entry.key) {
    case 'file': {
      const { content, encoding = 'base64' } = value
      const bytes = typeof content === 'string' && encoding === 'base64' ? decodeBase64(content) : undefined
      return bytes ? { kind: 'file', path, bytes } : refuse('has no content in base64')
    }
    case 'lfsFile': {
      if (value.algo !== 'sha256' || !/^[0-9a-f]{64}$/.test(String(value.oid))) return refuse('has no sha256')
      const sizeBytes = typeof value.size === 'number' ? value.size : undefined
      return { kind: 'large', path, sha256: String(value.oid), sizeBytes }
    }
    case 'deletedFile':
      return { kind: 'deleted', path }
    case 'deletedFolder':
      return { kind: 'deleted', path: path.endsWith('/') ? path : `${path}/` }
    default:
      return refuse('has an unsupported kind')
  }
}

const longestTitle = 500
const longestMessage = 65_536

/** Words as they are, but for what a database cannot hold; the rest of very long ones is left out. */
const readText = (value: unknown, longest: number): string =>
  typeof value === 'string' ? value.toWellFormed().replaceAll('\0', '').slice(0, longest) : ''

/** Undefined where it is not base64: what the decoder skips is missing afterwards. An expression over the text would take as long as all else. */
function decodeBase64(text: string): Buffer | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = Buffer.from(text, 'base64')
  const isWhole = text.length % 4 === 0 && bytes.byteLength === (text.length / 4) * 3 - padding
  return isWhole && !text.includes('-') && !text.includes('_') ? bytes : undefined
}

/** Relative, with forward slashes, leading nowhere else. */
function isPath(path: string, isFolder: boolean): boolean {
  const parts = (isFolder ? path.replace(/\/$/, '') : path).split('/')
  const isText = path.isWellFormed() && Buffer.byteLength(path) <= 1000
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the point is to refuse them
  if (!isText || /[\\\u0000-\u001f\u007f]/.test(path)) return false
  return parts.every((part) => !['', '.', '..'].includes(part))
}
