import { BoundedMap } from '@nmp/formats/bounded-map'
import type { Database } from '../../db/database.ts'
import { describeError, ServiceError } from '../../errors.ts'
import { isBlobKey } from '../keys.ts'
import { type Blob, type KeyedBlob, selectByKey } from '../repository.ts'
import { checkStream, FileBody, hashBody } from '../serving/file-body.ts'
import type { GuardedStorage, ObjectHead, ObjectStorage, OpenedObject, ReadOptions } from '../storage.ts'
import { checkStoreId } from '../store-id.ts'
import { contentDamaged, type DamageReport, healTwin, quarantine, release } from './damage.ts'
import { type BlobFinding, inspectBlob } from './inspect.ts'
import { SoundMemory } from './sound-memory.ts'

interface GuardOptions extends DamageReport {
  db: Database
  /** Something refers to content that is good again. */
  onHealed(sha256: string): Promise<void>
}

/** A player asks for many ranges of one file: the database is asked about it once in this time. */
const rememberedMilliseconds = 1000
const rememberedKeys = 10_000

/**
 * A store that gives out no bytes it knows to be bad. Objects are asked for by key, as ever: the guard finds the content that the key
 * stands for, refuses it where it is quarantined, leads to the object that took its place where it was healed, checks the sha256 of
 * whatever is read from its first to its last byte, and heals by what is written. Ranges are given as they lie.
 */
export function guardStorage<T extends ObjectStorage>(bare: T, options: GuardOptions): T & GuardedStorage {
  const { db, log, count } = options
  const remembered = new BoundedMap<string, { known: KeyedBlob; until: number }>(rememberedKeys)
  const sound = new SoundMemory()
  const looks = new Map<string, Promise<boolean>>()

  const identify = async (key: string): Promise<KeyedBlob | undefined> => {
    if (!isBlobKey(key)) return undefined
    const found = remembered.get(key)
    if (found && found.until > performance.now()) return found.known
    const known = await selectByKey(db, key)
    if (known) remembered.set(key, { known, until: performance.now() + rememberedMilliseconds })
    else remembered.delete(key)
    return known
  }

  const condemn = async (finding: BlobFinding): Promise<void> => {
    await quarantine(db, options, finding)
    remembered.clear()
  }

  /** The second look at what seemed wrong. True where it is; a store that is not mounted accuses nobody. */
  const lookAgain = (blob: Blob): Promise<boolean> => {
    const look = async (): Promise<boolean> => {
      const finding = await inspectBlob(bare, blob, { level: 'content' })
      if (!finding || finding.fault === 'unreadable') return false
      await checkStoreId(db, bare)
      await condemn(finding)
      return true
    }
    const running = looks.get(blob.storeKey) ?? look().finally(() => looks.delete(blob.storeKey))
    looks.set(blob.storeKey, running)
    return running
  }

  const suspect = (blob: Blob, sentence: string): ServiceError => {
    log.error({ sha256: blob.sha256, storeKey: blob.storeKey, sentence }, 'a stored content was cut off: it is damaged')
    count('refused', 'suspect')
    lookAgain(blob).catch((error) =>
      log.error({ error: describeError(error) }, 'a damaged content was not quarantined'),
    )
    return contentDamaged(blob.sha256)
  }

  /** The content that a key stands for, with the object that has its bytes; undefined for what is no content. */
  const getContent = async (key: string): Promise<Blob | undefined> => {
    const known = await identify(key)
    if (!known) return undefined
    const { sha256, storeKey, sizeBytes, fault } = known
    if (!fault && storeKey !== null && sizeBytes !== null) return { sha256, storeKey, sizeBytes }
    count('refused', fault ?? 'missing')
    throw contentDamaged(sha256)
  }

  const findObject = async (key: string): Promise<ObjectHead | undefined> => {
    const content = await getContent(key)
    const head = await bare.findObject(content?.storeKey ?? key)
    if (content && !head) throw suspect(content, 'There is no object with its key.')
    if (content && head && head.sizeBytes !== content.sizeBytes)
      throw suspect(content, `The object has ${head.sizeBytes} bytes instead of ${content.sizeBytes}.`)
    return head
  }

  const getObject = async (key: string, asked: ReadOptions = {}): Promise<OpenedObject> => {
    const content = await getContent(key)
    if (!content) return bare.getObject(key, asked)
    const opened = await bare.getObject(content.storeKey, asked).catch((error) => {
      const isGone = error instanceof ServiceError && error.code === 'not_found'
      throw isGone ? suspect(content, 'There is no object with its key.') : error
    })
    try {
      return { head: opened.head, body: await checkBody(content, opened, asked) }
    } catch (error) {
      opened.body.destroy()
      throw error
    }
  }

  const checkBody = async (content: Blob, { head, body }: OpenedObject, { range }: ReadOptions) => {
    if (head.sizeBytes !== content.sizeBytes)
      throw suspect(content, `The object has ${head.sizeBytes} bytes instead of ${content.sizeBytes}.`)
    const isWhole = !range || (range.start === 0 && range.end >= head.sizeBytes)
    if (!isWhole || head.sizeBytes === 0 || sound.has(head)) return body
    const { sha256 } = content
    const expected = {
      sha256,
      hold: () => sound.add(head),
      fail: (found: string) => suspect(content, `The bytes have the sha256 ${found}.`),
    }
    if (!(body instanceof FileBody)) return checkStream(body, expected)
    await body.expect(expected)
    return body
  }

  const locateObject = async (key: string): Promise<string | undefined> => {
    const content = await getContent(key)
    // Elsewhere there is no file; here it must be there.
    if (content && bare.kind === 'folder') await findObject(key)
    return bare.locateObject(content?.storeKey ?? key)
  }

  const heal = async (blob: Blob): Promise<void> => {
    if (!(await healTwin(db, bare, { ...options, sound }, blob))) return
    remembered.clear()
    await options
      .onHealed(blob.sha256)
      .catch((error) =>
        log.error({ error: describeError(error) }, 'what refers to a healed content was not checked again'),
      )
  }

  return {
    ...bare,
    bare,
    findObject,
    getObject,
    locateObject,
    signGet: async (key, asked) => bare.signGet((await getContent(key))?.storeKey ?? key, asked),
    async putObject(key, body, asked) {
      const written = await bare.putObject(key, body, asked)
      if (isBlobKey(key)) await heal({ ...written, storeKey: key })
      return written
    },
    async putFile(key, path, asked) {
      const written = await bare.putFile(key, path, asked)
      if (isBlobKey(key)) await heal({ ...written, storeKey: key })
      return written
    },
    async requireSound(key) {
      await getContent(key)
    },
    async readToEnd(key, signal) {
      const content = await getContent(key)
      const head = content && (await bare.findObject(content.storeKey))
      if (head && sound.has(head)) return
      const { body } = await getObject(key, signal ? { signal } : {})
      await hashBody(body)
    },
    async verify({ storeKey }) {
      const content = await getContent(storeKey)
      const head = content && (await bare.findObject(content.storeKey))
      if (!content || (head && sound.has(head))) return
      if (await lookAgain(content)) throw contentDamaged(content.sha256)
      if (head) sound.add(head)
    },
    healTwin: heal,
    quarantine: condemn,
    async release(key) {
      await release(db, options, key)
      remembered.clear()
    },
    async close() {
      await Promise.allSettled(looks.values())
      await bare.close()
    },
  }
}
