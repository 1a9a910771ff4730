import { createHash } from 'node:crypto'
import type { Principal } from '../../access/principal.ts'
import type { Context } from '../../context.ts'
import { inTransaction, type Transaction } from '../../db/database.ts'
import { ServiceError } from '../../errors.ts'
import { parseBeside, parseJson } from '../../http/bodies/json-thread.ts'
import { smallBody } from '../../http/route.ts'
import { inSlices } from '../../slices.ts'
import { nameCommit } from '../git/git-object.ts'
import { findPushedObject, type Push, type PushFile, startFrom } from '../push/pushes.ts'
import { lockPush, updatePush } from '../repository.ts'
import { findHead } from './heads.ts'
import { changeTree, findCommitByNumber, findTreeFile, insertCommit } from './repository.ts'

export interface TreeChange {
  files: readonly PushFile[]
  deletedPaths: readonly string[]
  title: string
  message: string
  /** What the client builds on, where it says so. */
  parentCommit: string | undefined
}

/** Adds a commit to a push and answers its name. One that changes nothing, as the same one sent twice, is the commit that is there. */
export const commitPush = (
  { db, storage }: Context,
  principal: Principal,
  pushId: string,
  change: TreeChange,
): Promise<string> =>
  inTransaction(db, async (trx) => {
    const push = await lockPush(trx, pushId)
    if (push?.state !== 'open') throw new ServiceError('conflict', 'This push has ended. Start it again.')
    const parent = push.head ?? (await moveToHead(trx, push))
    const number = push.headNumber + 1
    const { deleted, written } = await changeTree(trx, pushId, number, change)
    if (deleted.length === 0 && written.length === 0) {
      await requireParent(trx, push, change.parentCommit, parent, true)
      await updatePush(trx, pushId, { updatedAt: new Date(), transferAt: null })
      return parent
    }
    await requireParent(trx, push, change.parentCommit, parent, false)
    const createdAt = new Date()
    const id = nameCommit(
      'commit',
      parent,
      await hashLines(deleted, (path) => `- ${path}`),
      await hashLines(written, ({ path, sha256 }) => `+ ${path} ${sha256}`),
      change.title,
      change.message,
      principal.userId,
      createdAt.toISOString(),
    )
    await insertCommit(trx, {
      pushId,
      number,
      id,
      parentId: parent,
      title: change.title,
      message: change.message,
      authorId: principal.userId,
      createdAt,
    })
    const isInfo = (path: string) => path === infoPath
    const codebase =
      deleted.some(isInfo) || written.some(({ path }) => isInfo(path))
        ? { codebaseVersion: await readCodebaseVersion(trx, storage, push, number) }
        : {}
    await updatePush(trx, pushId, {
      head: id,
      headNumber: number,
      updatedAt: createdAt,
      transferAt: null,
      ...codebase,
    })
    return id
  })

async function hashLines<T>(items: readonly T[], describe: (item: T) => string): Promise<string> {
  const hash = createHash('sha256')
  for await (const slice of inSlices(items)) hash.update(`${slice.map(describe).join('\0')}\0`)
  return hash.digest('hex')
}

/** The first commit of a push builds on what its name stands at now, which may have moved since the push was opened. */
async function moveToHead(trx: Transaction, push: Push): Promise<string> {
  const head = await findHead(trx, push.projectId, push.slug)
  if (head.id !== push.baseId) await startFrom(trx, push, head)
  return head.id
}

async function requireParent(
  trx: Transaction,
  push: Push,
  given: string | undefined,
  current: string,
  isRepeated: boolean,
): Promise<void> {
  if (given === undefined || given === current) return
  const head = isRepeated ? await findCommitByNumber(trx, push.id, push.headNumber) : undefined
  if (head?.parentId === given) return
  throw new ServiceError(
    'parent_commit_moved',
    `The commit builds on ${given.slice(0, 40)}, but the branch is at ${current}. Look at the commits in between, and commit on top of them.`,
  )
}

const infoPath = 'meta/info.json'
const largestInfoBytes = 4 * 1024 * 1024
/** Whoever pushes writes it, and every commit has it read again. */
const infoBounds = { mostDepth: 64, mostValues: 200_000 }

async function readCodebaseVersion(
  trx: Transaction,
  storage: Context['storage'],
  push: Push,
  number: number,
): Promise<string | null> {
  const file = await findTreeFile(trx, push.id, number, infoPath)
  const blob = file && (await findPushedObject(trx, push, file.sha256))
  if (!blob || blob.sizeBytes > largestInfoBytes) return null
  // As it lies: the guard would take a second connection while this transaction holds one.
  const { body } = await storage.bare.getObject(blob.storeKey)
  const bytes = Buffer.concat(await body.toArray())
  const isLarge = bytes.byteLength > smallBody.mostBytes
  const parsed = isLarge ? await parseBeside(bytes, infoBounds) : parseJson(bytes, infoBounds)
  const info = parsed.kind === 'value' ? (parsed.value as { codebase_version?: unknown } | null) : null
  const version = info?.codebase_version
  return typeof version === 'string' && /^v\d{1,3}\.\d{1,3}$/.test(version) ? version : null
}
