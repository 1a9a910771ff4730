import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { compareText } from '@nmp/formats/file-tree'
import type { WrittenFile } from '@nmp/formats/writers/writer'
import type { JobRun } from '../jobs/handler.ts'
import { type PublishedEntry, stageBlob, stageFile } from '../storage/blobs.ts'
import { isServed } from '../storage/serving/served-storage.ts'
import { describeTarFile, endTar, fillTarFile, planTar, readTar, type TarSource } from '../storage/serving/tar.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { openPackThread, type PackedTar } from './pack-thread.ts'
import { nextVideo, orderFiles } from './tar-order.ts'

const readBytes = 1024 * 1024
const showMilliseconds = 500

export interface PackingOptions {
  storage: ObjectStorage
  /** Of the dataset that is written. */
  folder: string
  /** What its files are stored as. */
  prefix: string
  /** And its tar, where it is. */
  tarName: string
  /** The folder of the tar that everything lies in. It is the form's and not the version's, so that equal recipes give equal bytes. */
  topFolder: string
  /** Names of the cameras that are videos. */
  cameras: readonly string[]
  /** What is stored already of a file of the source that was kept as it is. */
  findStored(path: string): { sha256: string; sizeBytes: number } | undefined
}

/**
 * Stores each file of a dataset once it is finished and finds the checksum of the tar of all of them, while others are still written.
 * The tar itself is made when it is sent, but for a bucket that clients fetch from themselves: that has to hold it.
 */
export interface Packing {
  add(file: WrittenFile): void
  /** What was stored, none of which belongs to anyone yet, and what the tar is known by. */
  finish(): Promise<{ entries: PublishedEntry[]; tar: PackedTar }>
  close(): Promise<void>
}

export function openPacking({ job, claim, signal, report }: JobRun, options: PackingOptions): Packing {
  const { storage, folder } = options
  const run = { id: job.id, epoch: claim.epoch }
  const thread = isServed(storage) ? openPackThread() : undefined
  const cameras = options.cameras.toSorted(compareText)
  const files = new Map<string, WrittenFile>()
  const packed = new Set<string>()
  const entries: PublishedEntry[] = []
  let staging = Promise.resolve()
  let [stagedBytes, totalBytes, fillBytes] = [0, 0, 0]

  const stage = async ({ path, sizeBytes, keptFrom }: WrittenFile): Promise<void> => {
    const stored = keptFrom === undefined ? undefined : options.findStored(keptFrom)
    const blob = stored ?? (await stageFile(storage, run, join(folder, path), signal))
    entries.push({ logicalPath: options.prefix + path, ...blob })
    stagedBytes += sizeBytes
  }
  const pack = ({ path, sizeBytes }: WrittenFile): void => {
    packed.add(path)
    const head = Buffer.concat([fillTarFile(fillBytes), describeTarFile(join(options.topFolder, path), sizeBytes)])
    thread?.add({ head, path: join(folder, path), sizeBytes })
    fillBytes = sizeBytes
  }
  const findNext = () => nextVideo(files, packed.size, cameras)
  const add = (file: WrittenFile): void => {
    files.set(file.path, file)
    totalBytes += file.sizeBytes
    staging = staging.then(() => stage(file))
    staging.catch(() => {}) // reported by `finish`
    for (let next = findNext(); next; next = findNext()) pack(next)
  }
  const streamTar = (ordered: readonly WrittenFile[]) => {
    const placed = ({ path, sizeBytes }: WrittenFile) => ({
      path: join(options.topFolder, path),
      sizeBytes,
      storeKey: join(folder, path),
    })
    const plan = planTar(ordered.map(placed))
    const body = readTar(localFiles, plan, { start: 0, end: plan.sizeBytes }, signal)
    return stageBlob(storage, run, body, { signal, expectedSizeBytes: plan.sizeBytes })
  }
  const finish: Packing['finish'] = async () => {
    const ordered = orderFiles([...files.values()], cameras)
    for (const file of ordered) if (!packed.has(file.path)) pack(file)
    const tail = Buffer.concat([fillTarFile(fillBytes), endTar()])
    const show = () => {
      const share = (stagedBytes + (thread?.bytes ?? 0)) / Math.max(1, 2 * totalBytes)
      report({ pct: 80 + 18 * Math.min(1, share), phase: 'packing', message: 'The files are packed and stored.' })
    }
    const shown = setInterval(show, showMilliseconds)
    show()
    try {
      const [tar] = await Promise.all([thread ? thread.finish(tail) : streamTar(ordered), staging])
      const stored = thread ? [] : [{ logicalPath: options.tarName, ...tar }]
      return { entries: [...stored, ...entries], tar }
    } finally {
      clearInterval(shown)
    }
  }
  const close = async () => {
    await thread?.close()
  }
  const stop = () => void close()
  signal.addEventListener('abort', stop, { once: true })
  return {
    add,
    finish,
    close: async () => {
      signal.removeEventListener('abort', stop)
      await Promise.allSettled([close(), staging])
    },
  }
}

/** The files as they were written: no need to fetch from the store what lies here. */
const localFiles: TarSource = {
  getObject: async (path, { range, signal }) => ({
    body: createReadStream(path, {
      highWaterMark: readBytes,
      ...(range && { start: range.start, end: range.end - 1 }),
      ...(signal && { signal }),
    }),
  }),
}
