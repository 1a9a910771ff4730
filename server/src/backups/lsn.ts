/** A place in PostgreSQL's log, as a number. */
export type Lsn = bigint

export const parseLsn = (text: string): Lsn => {
  const [high = '0', low = '0'] = text.split('/')
  return (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`)
}

export const renderLsn = (lsn: Lsn): string =>
  `${(lsn >> 32n).toString(16).toUpperCase()}/${(lsn & 0xffffffffn).toString(16).toUpperCase()}`

/** Sixteen digits, so that names sort as places do. */
export const nameLsn = (lsn: Lsn): string => lsn.toString(16).padStart(16, '0')

export interface LogShape {
  timeline: number
  segmentBytes: number
}

export const segmentStart = (lsn: Lsn, { segmentBytes }: LogShape): Lsn => lsn - (lsn % BigInt(segmentBytes))

/** The name of the file in pg_wal that has this place. */
export const segmentName = (lsn: Lsn, { timeline, segmentBytes }: LogShape): string => {
  const number = lsn / BigInt(segmentBytes)
  const perFile = 0x100000000n / BigInt(segmentBytes)
  return [BigInt(timeline), number / perFile, number % perFile]
    .map((part) => part.toString(16).toUpperCase().padStart(8, '0'))
    .join('')
}
