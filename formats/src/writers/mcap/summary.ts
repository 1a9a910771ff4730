import { crc32 } from 'node:zlib'
import type { McapRecordBuilder, McapTypes } from '@mcap/core'

/** What the end of a file repeats, so that readers need not go through it. */
interface Summary {
  readonly schemas: readonly McapTypes.Schema[]
  readonly channels: readonly (McapTypes.Channel & { readonly messageCount: number })[]
  readonly metadata: readonly McapTypes.MetadataIndex[]
  readonly chunks: readonly McapTypes.ChunkIndex[]
}

/** Of records; the numbers of the format. */
const codes = {
  footer: 0x02,
  schema: 0x03,
  channel: 0x04,
  chunkIndex: 0x08,
  statistics: 0x0b,
  metadataIndex: 0x0d,
} as const

/** Everything behind the data section, which ends at `start`: into empty `records`. */
export function writeSummary(records: McapRecordBuilder, start: number, summary: Summary): void {
  const { schemas, channels, metadata, chunks } = summary
  const offsets: McapTypes.SummaryOffset[] = []
  const addGroup = <Entry>(groupOpcode: number, entries: readonly Entry[], write: (entry: Entry) => void) => {
    const from = records.length
    for (const entry of entries) write(entry)
    const groupLength = BigInt(records.length - from)
    if (groupLength > 0n) offsets.push({ groupOpcode, groupStart: BigInt(start + from), groupLength })
  }
  addGroup(codes.schema, schemas, (schema) => records.writeSchema(schema))
  addGroup(codes.channel, channels, (channel) => records.writeChannel(channel))
  addGroup(codes.statistics, [countMessages(summary)], (counts) => records.writeStatistics(counts))
  addGroup(codes.metadataIndex, metadata, (index) => records.writeMetadataIndex(index))
  addGroup(codes.chunkIndex, chunks, (index) => records.writeChunkIndex(index))
  const summaryOffsetStart = BigInt(start + records.length)
  for (const offset of offsets) records.writeSummaryOffset(offset)
  const summaryStart = BigInt(start)
  // The checksum takes in the footer up to itself.
  const footer = Buffer.alloc(25)
  footer.writeUInt8(codes.footer, 0)
  footer.writeBigUInt64LE(20n, 1)
  footer.writeBigUInt64LE(summaryStart, 9)
  footer.writeBigUInt64LE(summaryOffsetStart, 17)
  const summaryCrc = crc32(footer, crc32(records.buffer))
  records.writeFooter({ summaryStart, summaryOffsetStart, summaryCrc })
  records.writeMagic()
}

function countMessages({ schemas, channels, metadata, chunks }: Summary): McapTypes.Statistics {
  const counts = channels.map(({ id, messageCount }): [number, bigint] => [id, BigInt(messageCount)])
  return {
    messageCount: counts.reduce((sum, [, count]) => sum + count, 0n),
    schemaCount: schemas.length,
    channelCount: channels.length,
    attachmentCount: 0,
    metadataCount: metadata.length,
    chunkCount: chunks.length,
    messageStartTime: chunks[0]?.messageStartTime ?? 0n,
    messageEndTime: chunks.at(-1)?.messageEndTime ?? 0n,
    channelMessageCounts: new Map(counts),
  }
}
