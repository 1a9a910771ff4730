import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { zstdDecompressSync } from 'node:zlib'
import { McapStreamReader } from '@mcap/core'
import { FormatError } from '../../errors.ts'
import type { WriteReport } from '../writer.ts'
import { taskTopic } from './signals.ts'

const decompressHandlers = { zstd: (bytes: Uint8Array) => zstdDecompressSync(bytes) }

/** Reads every record back, checksums included: each topic has a message for every frame. */
export async function verifyMcap(
  folder: string,
  { episodeCount, frameCount }: Pick<WriteReport, 'episodeCount' | 'frameCount'>,
  signal?: AbortSignal,
): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mcap')).toSorted()
  let found = 0
  for (const name of names) found += await countFrames(join(folder, name), signal)
  if (names.length !== episodeCount || found !== frameCount)
    throw new FormatError(
      'container_invalid',
      `What was written is not right: it has ${names.length} episodes and ${found} frames.`,
    )
}

async function countFrames(path: string, signal: AbortSignal | undefined): Promise<number> {
  const reader = new McapStreamReader({ decompressHandlers, validateCrcs: true })
  const counts = new Map<number, number>()
  const tasks = new Set<number>()
  let length = 0
  for await (const piece of createReadStream(path, { highWaterMark: 1024 * 1024, signal })) {
    reader.append(piece)
    for (let record = reader.nextRecord(); record; record = reader.nextRecord()) {
      if (record.type === 'Metadata') length = Number(record.metadata.get('length'))
      if (record.type === 'Channel' && record.topic === taskTopic.topic) tasks.add(record.id)
      if (record.type === 'Channel') counts.set(record.id, counts.get(record.id) ?? 0)
      if (record.type === 'Message') counts.set(record.channelId, (counts.get(record.channelId) ?? 0) + 1)
    }
  }
  const short = [...counts].find(([channel, count]) => !tasks.has(channel) && count !== length)
  if (!reader.done() || short)
    throw new FormatError(
      'container_invalid',
      `${path} was written wrongly: a topic has ${short?.[1]} of ${length} frames.`,
    )
  return length
}
