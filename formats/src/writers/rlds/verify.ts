import { createReadStream } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeRecordHead, encodeRecordTail, recordFrameBytes, updateCrc32c } from '../../containers/tfrecord.ts'
import { FormatError } from '../../errors.ts'
import type { WriteReport } from '../writer.ts'

const headBytes = 12

/** Reads every record's frame and checksums back, and holds the counts against dataset_info.json. */
export async function verifyRlds(
  folder: string,
  { episodeCount }: Pick<WriteReport, 'episodeCount'>,
  signal?: AbortSignal,
): Promise<void> {
  const paths = await readdir(folder, { recursive: true })
  const info = paths.find((path) => path.endsWith('dataset_info.json'))
  if (info === undefined) throw new FormatError('container_invalid', 'What was written has no dataset_info.json.')
  const { splits } = JSON.parse(await readFile(join(folder, info), 'utf8')) as {
    splits: { name: string; shardLengths: string[] }[]
  }
  let records = 0
  for (const { name, shardLengths } of splits) {
    const files = paths.filter((path) => path.includes(`-${name}.tfrecord-`)).toSorted()
    for (const [index, path] of files.entries()) {
      const found = await countRecords(join(folder, path), signal)
      if (found !== Number(shardLengths[index]))
        throw new FormatError('container_invalid', `${path} has ${found} records instead of ${shardLengths[index]}.`)
      records += found
    }
  }
  if (records !== episodeCount)
    throw new FormatError('container_invalid', `What was written has ${records} episodes instead of ${episodeCount}.`)
}

/** Records may be larger than memory: their bytes only pass. */
async function countRecords(path: string, signal: AbortSignal | undefined): Promise<number> {
  let count = 0
  let held: Buffer = Buffer.alloc(0)
  // Bytes of the current record that are still to come, and the checksum of those that came.
  let [left, crc] = [-1, 0]
  const refuse = (what: string): never => {
    throw new FormatError('container_invalid', `${path} was written wrongly: ${what} of record ${count}.`)
  }
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) {
    held = held.length > 0 ? Buffer.concat([held, piece as Buffer]) : (piece as Buffer)
    for (;;) {
      if (left < 0) {
        if (held.length < headBytes) break
        left = Number(held.readBigUInt64LE(0))
        if (!held.subarray(0, headBytes).equals(encodeRecordHead(left))) refuse('the length')
        held = held.subarray(headBytes)
        crc = 0
      }
      const taken = held.subarray(0, left)
      crc = updateCrc32c(crc, taken)
      left -= taken.length
      held = held.subarray(taken.length)
      if (left > 0 || held.length < recordFrameBytes - headBytes) break
      if (!held.subarray(0, 4).equals(encodeRecordTail(crc))) refuse('the checksum')
      held = held.subarray(4)
      left = -1
      count++
    }
  }
  if (left >= 0 || held.length > 0) refuse('the end')
  return count
}
