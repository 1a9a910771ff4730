import { setTimeout as sleep } from 'node:timers/promises'
import { type ColumnFeature, countValues } from '@nmp/formats/feature'
import type { Context } from '../../context.ts'
import type { SendingBody } from '../../http/bodies/send-body.ts'
import { createWriter } from '../../storage/serving/file-body.ts'
import { type EpisodeRows, type OpenedEpisode, readEpisode } from '../episode-rows.ts'
import { isTurnWanted, type Reader, readInTurn } from './reading-turns.ts'

/** Rows as bytes, block by block in their order. */
interface RowWriter {
  render(rows: EpisodeRows): Uint8Array
  /** What stands after the last row. */
  finish(): Uint8Array
}

export interface RowAnswer {
  body: SendingBody
  /** Where all of it was made already. */
  sizeBytes: number | undefined
}

const pieceBytes = 128 * 1024
/** Made before the answer begins: nearly every episode is whole then, and what cannot be read is still refused in words. */
const firstBytes = 256 * 1024
/** Of one reader, on the way to the connection. */
const mostWaitingBytes = 256 * 1024
const mostRows = 2048
/** A reader who takes nothing for so long gives the turn to others who wait. */
const patienceMilliseconds = 50
/** Then others have their turn in any case: after a second, or four times of what it took to begin. */
const turnMilliseconds = 1000
const turnOfBeginning = 4

/**
 * The rows of an episode at the pace of who reads them. A scan holds a row group of its file: it is open only while its reader takes what
 * it gives, or while nobody else wants to read, so that one who takes nothing costs a few pieces.
 */
export async function openRowStream(
  context: Context,
  opened: OpenedEpisode,
  writer: RowWriter,
  reader: Reader,
): Promise<RowAnswer> {
  const { range, columns } = opened
  const { signal } = reader
  const rowsAtOnce = countRowsOfPiece(columns)
  let frame = range.startFrame
  let turnBegan = 0

  /** Gives pieces until `take` has enough, or all of the rows were given. */
  const scan = (take: (piece: Uint8Array) => Promise<boolean> | boolean): Promise<void> =>
    readInTurn(reader, () => {
      turnBegan = performance.now()
      return readEpisode(context, { ...opened, range: { ...range, startFrame: frame } }, signal, async (rows) => {
        for (let start = 0; start < rows.rowCount; start += rowsAtOnce) {
          const part = cutRows(rows, columns, start, Math.min(start + rowsAtOnce, rows.rowCount))
          const piece = writer.render(part)
          frame += part.rowCount
          if (!(await take(piece))) return false
        }
        return true
      })
    })

  const first: Uint8Array[] = []
  let sizeBytes = 0
  await scan((piece) => {
    first.push(piece)
    sizeBytes += piece.byteLength
    return sizeBytes < firstBytes
  })
  const isWhole = frame === range.endFrame
  if (isWhole) first.push(writer.finish())

  const body: SendingBody = async (target) => {
    const write = createWriter(target)
    const way = createWay(write)
    try {
      way.send(Buffer.concat(first.splice(0)))
      while (frame < range.endFrame) {
        await way.isClear
        let turnEnd: number | undefined
        await scan(async (piece) => {
          const now = performance.now()
          turnEnd ??= now + Math.max(turnMilliseconds, turnOfBeginning * (now - turnBegan))
          way.send(piece)
          while (way.waitingBytes >= mostWaitingBytes && !way.hasFailed) {
            if (await isSoon(way.isClear)) break
            if (isTurnWanted()) return false
          }
          return !way.hasFailed && (performance.now() < turnEnd || !isTurnWanted())
        })
      }
      if (!isWhole) way.send(writer.finish())
      await way.isClear
    } finally {
      write.close()
    }
  }
  return { body, sizeBytes: isWhole ? first.reduce((sum, piece) => sum + piece.byteLength, 0) : undefined }
}

/** What was sent and is not yet with the system. */
function createWay(write: (bytes: Uint8Array) => Promise<void>) {
  const way = {
    waitingBytes: 0,
    hasFailed: false,
    /** Of all that was sent so far. */
    isClear: Promise.resolve(),
    send(piece: Uint8Array): void {
      way.waitingBytes += piece.byteLength
      way.isClear = write(piece).then(() => {
        way.waitingBytes -= piece.byteLength
      })
      way.isClear.catch(() => {
        way.hasFailed = true
      })
    },
  }
  return way
}

async function isSoon(clear: Promise<void>): Promise<boolean> {
  const waited = new AbortController()
  try {
    const late = sleep(patienceMilliseconds, false, { signal: waited.signal }).catch(() => false)
    const settled = clear.then(
      () => true,
      () => true,
    )
    return await Promise.race([settled, late])
  } finally {
    waited.abort()
  }
}

const isText = ({ dtype }: ColumnFeature): boolean => dtype === 'string' || dtype === 'language'

/** A number takes about a dozen characters; of a text nobody knows. */
function countRowsOfPiece(columns: readonly ColumnFeature[]): number {
  const rowBytes = columns.reduce((sum, column) => sum + (isText(column) ? 256 : 12 * countValues(column.shape)), 24)
  return Math.max(1, Math.min(mostRows, Math.floor(pieceBytes / rowBytes)))
}

function cutRows(rows: EpisodeRows, columns: readonly ColumnFeature[], start: number, end: number): EpisodeRows {
  const cut = (values: EpisodeRows['columns'][number], place: number): EpisodeRows['columns'][number] => {
    const column = columns[place] as ColumnFeature
    const width = isText(column) ? 1 : countValues(column.shape)
    return values.slice(start * width, end * width) as EpisodeRows['columns'][number]
  }
  return {
    startFrame: rows.startFrame + start,
    rowCount: end - start,
    timestamps: rows.timestamps.slice(start, end),
    columns: rows.columns.map(cut),
  }
}
