import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { compareText } from '@nmp/formats/file-tree'
import type { WrittenFile } from '@nmp/formats/writers/writer'
import type { JobRun } from '../jobs/handler.ts'
import { type PublishedEntry, stageBlob, stageFile } from '../storage/blobs.ts'
import { describeTarFile, endTar, fillTarFile, planTar, readTar, type TarSource } from '../storage/serving/tar.ts'
import type { ObjectStorage } from '../storage/storage.ts'
import { openPackThread, type WrittenTar } from './pack-thread.ts'

const readBytes = 1024 * 1024
const showMilliseconds = 500

export interface PackingOptions {
  storage: ObjectStorage
  /** Of the dataset that is written. */
  folder: string
  /** What its files and the tar are stored as. */
  prefix: string
  tarName: string
  /** The folder of the tar that everything lies in. It is the form's and not the version's, so that equal recipes give equal bytes. */
  topFolder: string
  /** Where the tar lies until it is stored. */
  tarPath: string
  /** Names of the cameras that are videos. */
  cameras: readonly string[]
  /** What is stored already of a file of the source that was kept as it is. */
  findStored(path: string): { sha256: string; sizeBytes: number } | undefined
}

/** Stores each file of a dataset once it is finished and packs all of them, while others are still written. */
export interface Packing {
  add(file: WrittenFile): void
  /** Every file and the tar; none belongs to anyone yet. */
  finish(): Promise<PublishedEntry[]>
  close(): Promise<void>
}

export function openPacking({ job, claim, signal, report }: JobRun, options: PackingOptions): Packing {
  const { storage, folder, tarPath } = options
  const run = { id: job.id, epoch: claim.epoch }
  const thread = storage.kind === 'folder' ? openPackThread(tarPath) : undefined
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
  const add = (file: WrittenFile): void => {
    files.set(file.path, file)
    totalBytes += file.sizeBytes
    staging = staging.then(() => stage(file))
    staging.catch(() => {}) // reported by `finish`
    for (let next = nextVideo(files, packed, cameras); next; next = nextVideo(files, packed, cameras)) pack(next)
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
  const finish = async (): Promise<PublishedEntry[]> => {
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
      const store = async (known: WrittenTar) => stageFile(storage, run, tarPath, signal, known)
      const [tar] = await Promise.all([thread ? thread.finish(tail).then(store) : streamTar(ordered), staging])
      return [{ logicalPath: options.tarName, ...tar }, ...entries]
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

const video = /^videos\/(.+)\/chunk-(\d+)\/file-(\d+)\.mp4$/

/** Videos first, the n-th file of every camera before the n+1-th of any, because they are finished first; then the rest by path. */
function orderFiles(files: readonly WrittenFile[], cameras: readonly string[]): WrittenFile[] {
  const place = ({ path }: WrittenFile): [number, number] => {
    const [, camera = '', chunk, file] = video.exec(path) ?? []
    const number = Number(chunk) * 1000 + Number(file)
    return cameras.includes(camera) ? [number, cameras.indexOf(camera)] : [Number.MAX_SAFE_INTEGER, 0]
  }
  return files
    .map((file) => ({ file, place: place(file) }))
    .sort(
      ({ file: one, place: [number, camera] }, { file: other, place: [otherNumber, otherCamera] }) =>
        number - otherNumber || camera - otherCamera || compareText(one.path, other.path),
    )
    .map(({ file }) => file)
}

/** The finished video that comes next whatever is still to be finished. */
function nextVideo(
  files: ReadonlyMap<string, WrittenFile>,
  packed: ReadonlySet<string>,
  cameras: readonly string[],
): WrittenFile | undefined {
  if (cameras.length === 0) return undefined
  const number = Math.floor(packed.size / cameras.length)
  const camera = cameras[packed.size % cameras.length]
  const pad = (part: number) => String(part).padStart(3, '0')
  return files.get(`videos/${camera}/chunk-${pad(Math.floor(number / 1000))}/file-${pad(number % 1000)}.mp4`)
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
