import { type FileHandle, mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeRecordHead, encodeRecordTail, recordFrameBytes, updateCrc32c } from '../../containers/tfrecord.ts'
import { writeAll } from '../../containers/write-all.ts'
import type { JsonObject } from '../../json.ts'
import type { WrittenFile } from '../writer.ts'

interface Shard {
  readonly path: string
  readonly recordCount: number
  readonly sizeBytes: number
}

/** The files of one split. How many there are is part of their names, so they get those at the end. */
export class SplitShards {
  readonly #split: string
  readonly #workFolder: string
  readonly #limitBytes: number
  readonly #full: Shard[] = []
  #open: { path: string; handle: FileHandle; recordCount: number; sizeBytes: number } | undefined

  constructor(split: string, workFolder: string, limitBytes: number) {
    this.#split = split
    this.#workFolder = workFolder
    this.#limitBytes = limitBytes
  }

  async append(record: { sizeBytes: number; read: () => AsyncIterable<Uint8Array> }): Promise<void> {
    if (this.#open && this.#open.sizeBytes + record.sizeBytes > this.#limitBytes) await this.#close()
    this.#open ??= await this.#begin()
    const shard = this.#open
    const write = async (bytes: Uint8Array) => {
      await writeAll(shard.handle, bytes, shard.sizeBytes)
      shard.sizeBytes += bytes.length
    }
    await write(encodeRecordHead(record.sizeBytes))
    let crc = 0
    for await (const piece of record.read()) {
      crc = updateCrc32c(crc, piece)
      await write(piece)
    }
    await write(encodeRecordTail(crc))
    shard.recordCount++
  }

  /** Moves the files to where readers look for them. */
  async finish(
    root: string,
    folder: string,
    dataset: string,
  ): Promise<{ files: WrittenFile[]; described: JsonObject }> {
    await this.#close()
    await mkdir(join(root, folder), { recursive: true })
    const count = String(this.#full.length).padStart(5, '0')
    const files: WrittenFile[] = []
    for (const [index, { path, sizeBytes }] of this.#full.entries()) {
      const name = `${dataset}-${this.#split}.tfrecord-${String(index).padStart(5, '0')}-of-${count}`
      await rename(path, join(root, folder, name))
      files.push({ path: `${folder}/${name}`, sizeBytes })
    }
    const numBytes = this.#full.reduce((sum, shard) => sum + shard.sizeBytes - shard.recordCount * recordFrameBytes, 0)
    const described = {
      filepathTemplate: '{DATASET}-{SPLIT}.{FILEFORMAT}-{SHARD_X_OF_Y}',
      name: this.#split,
      numBytes: String(numBytes),
      shardLengths: this.#full.map(({ recordCount }) => String(recordCount)),
    }
    return { files, described }
  }

  async abandon(): Promise<void> {
    await this.#open?.handle.close()
    this.#open = undefined
  }

  async #begin() {
    const path = join(this.#workFolder, `${this.#split}-${this.#full.length}`)
    return { path, handle: await open(path, 'wx'), recordCount: 0, sizeBytes: 0 }
  }

  async #close(): Promise<void> {
    if (!this.#open) return
    const { handle, ...shard } = this.#open
    await handle.close()
    this.#full.push(shard)
    this.#open = undefined
  }
}
